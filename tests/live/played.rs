//! An API server that is played: it answers as it is told, and remembers what it was asked.
//!
//! Whatever is not a GET that reading needs makes the test fail.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// How a request is answered.
pub enum Reply {
    /// With a status and a document.
    Json(u16, Value),
    /// With a status, a header line and a document.
    WithHeader(u16, &'static str, Value),
    /// Never.
    Hang,
    /// With half of a document.
    Half(Value),
    /// With a text.
    Text(u16, &'static str),
}

type Answer = dyn Fn(&str, usize) -> Option<Reply> + Send + Sync;

/// A running server.
pub struct Played {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
    folder: PathBuf,
}

impl Played {
    /// Starts one. `answer` is given the path with its query, and how often it was asked before; what
    /// it leaves is answered as by an API server that has the kinds and no objects.
    pub fn start(
        name: &str,
        answer: impl Fn(&str, usize) -> Option<Reply> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let answer: Arc<Answer> = Arc::new(answer);
        let log = asked.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (log, answer) = (log.clone(), answer.clone());
                std::thread::spawn(move || serve(stream, &log, &*answer));
            }
        });
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("played-{name}"));
        std::fs::create_dir_all(&folder).unwrap();
        let played = Played {
            address,
            asked,
            folder,
        };
        std::fs::write(played.kubeconfig(), played.kubeconfig_text()).unwrap();
        played
    }

    /// The kubeconfig that leads here.
    pub fn kubeconfig(&self) -> String {
        self.folder.join("kubeconfig").display().to_string()
    }

    /// The address.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn kubeconfig_text(&self) -> String {
        json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "played",
            "clusters": [{"name": "c", "cluster": {"server": self.url()}}],
            "users": [{"name": "reader", "user": {"token": "CANARY-token"}}],
            "contexts": [
                {"name": "played", "context": {"cluster": "c", "user": "reader"}},
                {"name": "other", "context": {"cluster": "none", "user": "reader"}},
            ],
        })
        .to_string()
    }

    /// Every request so far: method, path and query.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    /// Runs the program against this server, and checks that it only read.
    pub fn run(&self, args: &[&str]) -> std::process::Output {
        let config = self.kubeconfig();
        let mut all = args.to_vec();
        all.extend(["--live", "--kubeconfig", &config]);
        let output = crate::support::aigwctl(all);
        for request in self.asked() {
            let (method, path) = request.split_once(' ').unwrap();
            assert_eq!(method, "GET", "{request}");
            assert!(!path.contains("watch"), "{request}");
            let path = path.split('?').next().unwrap();
            assert!(!path.ends_with("/secrets"), "{request}");
        }
        output
    }
}

fn serve(stream: TcpStream, log: &Mutex<Vec<String>>, answer: &Answer) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut writer = stream;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let mut words = line.split(' ');
        let (method, path) = (words.next().unwrap(), words.next().unwrap());
        let path = path.to_string();
        let before = {
            let mut log = log.lock().unwrap();
            let request = format!("{method} {path}");
            let before = log.iter().filter(|r| **r == request).count();
            log.push(request);
            before
        };
        let mut header = String::new();
        while reader.read_line(&mut header).unwrap_or(0) > 2 {
            assert!(
                !header.to_lowercase().starts_with("upgrade:"),
                "asked for an upgrade"
            );
            header.clear();
        }
        let reply = answer(&path, before).unwrap_or_else(|| plain(&path));
        if !reply.write(&mut writer) {
            return;
        }
    }
}

impl Reply {
    /// Writes the answer. Gives whether the connection is still good.
    fn write(self, out: &mut TcpStream) -> bool {
        let (status, header, body, cut) = match self {
            Reply::Json(status, value) => (status, "", value.to_string(), false),
            Reply::WithHeader(status, header, value) => (status, header, value.to_string(), false),
            Reply::Text(status, text) => (status, "", text.to_string(), false),
            Reply::Half(value) => (200, "", value.to_string(), true),
            Reply::Hang => {
                std::thread::sleep(std::time::Duration::from_secs(30));
                return false;
            }
        };
        let header = match header {
            "" => String::new(),
            header => format!("{header}\r\n"),
        };
        let head = format!(
            "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n{header}Content-Length: {}\r\n\r\n",
            body.len()
        );
        let sent = if cut { &body[..body.len() / 2] } else { &body };
        let done = out.write_all(head.as_bytes()).is_ok() && out.write_all(sent.as_bytes()).is_ok();
        done && !cut
    }
}

/// What an API server with all kinds and no objects answers.
fn plain(path: &str) -> Reply {
    let path = path.split('?').next().unwrap();
    let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let versions = |name: &str| match name {
        "aigateway.envoyproxy.io" => vec!["v1beta1", "v1alpha1"],
        _ => vec!["v1"],
    };
    let groups = [
        "aigateway.envoyproxy.io",
        "gateway.networking.k8s.io",
        "apps",
    ];
    match segments[..] {
        ["version"] => Reply::Json(200, json!({"major": "1", "minor": "34"})),
        ["apis"] => {
            let groups = groups.map(|name| {
                let versions: Vec<Value> = versions(name)
                    .iter()
                    .map(|v| json!({"version": v}))
                    .collect();
                json!({"name": name, "versions": versions})
            });
            Reply::Json(200, json!({"kind": "APIGroupList", "groups": groups}))
        }
        ["apis", group, version] => {
            let kinds = aigwctl::world::kind::Kind::ALL.iter();
            let only_old = |k: &str| k == "quotapolicies";
            let resources: Vec<Value> = kinds
                .filter(|kind| kind.group() == group)
                .filter(|kind| !only_old(kind.plural()) || version == "v1alpha1")
                .map(|kind| json!({"name": kind.plural(), "verbs": ["get", "list", "watch"]}))
                .collect();
            Reply::Json(
                200,
                json!({"kind": "APIResourceList", "resources": resources}),
            )
        }
        [.., "namespaces", _, "secrets", _] => status(404, "NotFound", "not found"),
        _ => list("List", "v1", vec![]),
    }
}

/// A list of objects.
pub fn list(kind: &str, api_version: &str, items: Vec<Value>) -> Reply {
    Reply::Json(
        200,
        json!({"kind": kind, "apiVersion": api_version, "metadata": {}, "items": items}),
    )
}

/// An error as an API server words it.
pub fn status(code: u16, reason: &str, message: &str) -> Reply {
    Reply::Json(
        code,
        json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "message": message, "code": code}),
    )
}
