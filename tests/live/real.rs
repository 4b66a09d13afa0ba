//! A real API server with its etcd on loopback, for as long as the test process lives.

use std::collections::BTreeSet;
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use aigwctl::world::kind::Kind;
use futures::StreamExt as _;
use kube::client::Body;
use serde_json::{Value, json};

/// The user as whom the program runs.
pub const READER: &str = "aigwctl";
const ADMIN: &str = "admin";

/// A running API server.
pub struct ApiServer {
    folder: PathBuf,
    port: u16,
    runtime: tokio::runtime::Runtime,
    admin: kube::Client,
    _processes: Vec<Child>,
}

/// The API server, for one test at a time and without objects. `None`, with the reason printed, where
/// it cannot run.
pub fn api_server() -> Option<MutexGuard<'static, ApiServer>> {
    static SERVER: OnceLock<Option<Mutex<ApiServer>>> = OnceLock::new();
    let server = SERVER.get_or_init(|| match binaries() {
        Ok((etcd, server)) => Some(Mutex::new(ApiServer::start(&etcd, &server))),
        Err(reason) => {
            println!("skipped: {reason}");
            None
        }
    });
    let server = server
        .as_ref()?
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    server.delete_everything();
    Some(server)
}

fn binaries() -> Result<(PathBuf, PathBuf), String> {
    if let Some(folder) = std::env::var_os("KUBEBUILDER_ASSETS") {
        let folder = PathBuf::from(folder);
        let found = (folder.join("etcd"), folder.join("kube-apiserver"));
        return match found.0.exists() && found.1.exists() {
            true => Ok(found),
            false => Err(format!("no etcd or kube-apiserver in {}", folder.display())),
        };
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let etcd = std::env::split_paths(&path).map(|folder| folder.join("etcd"));
    let etcd = etcd.into_iter().find(|etcd| etcd.exists());
    let etcd = etcd.ok_or("no etcd on the PATH; tests/apiserver/provide installs it")?;
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || Some(std::env::home_dir()?.join(".cache"));
    let cache = cache.or_else(home).ok_or("no cache folder")?;
    let module = include_str!("../apiserver/go.mod");
    let version = module
        .lines()
        .find_map(|line| line.strip_prefix("require k8s.io/kubernetes "))
        .expect("the module requires it");
    let server = cache.join(format!(
        "aigwctl-tests/kube-apiserver-{version}/kube-apiserver"
    ));
    match server.exists() {
        true => Ok((etcd, server)),
        false => Err("no kube-apiserver; tests/apiserver/provide builds it (Go is needed)".into()),
    }
}

/// Starts a program that ends when this process does, however it ends.
fn spawn(log: &Path, program: &Path, args: &[String]) -> Child {
    let log = std::fs::File::create(log).unwrap();
    Command::new("sh")
        .args([
            "-c",
            r#""$@" </dev/null & child=$!; cat >/dev/null; kill -9 $child"#,
            "sh",
        ])
        .arg(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .unwrap()
}

fn free_ports<const N: usize>() -> [u16; N] {
    let listeners = [(); N].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    listeners.map(|l| l.local_addr().unwrap().port())
}

impl ApiServer {
    fn start(etcd: &Path, server: &Path) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("apiserver-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let [port, client, peer] = free_ports();
        let path = |name: &str| folder.join(name).display().to_string();
        let key = rcgen::KeyPair::generate().unwrap();
        std::fs::write(path("sa.key"), key.serialize_pem()).unwrap();
        std::fs::write(path("sa.pub"), key.public_key_pem()).unwrap();
        std::fs::write(path("tokens"), tokens()).unwrap();
        let policy = json!({"apiVersion": "audit.k8s.io/v1", "kind": "Policy",
            "omitStages": ["RequestReceived"], "rules": [{"level": "Metadata"}]});
        std::fs::write(path("policy.yaml"), policy.to_string()).unwrap();
        let etcd_url = format!("http://127.0.0.1:{client}");
        let etcd_args = [
            format!("--data-dir={}", path("etcd")),
            format!("--listen-client-urls={etcd_url}"),
            format!("--advertise-client-urls={etcd_url}"),
            format!("--listen-peer-urls=http://127.0.0.1:{peer}"),
            "--unsafe-no-fsync".to_string(),
        ];
        let server_args = [
            format!("--etcd-servers={etcd_url}"),
            "--bind-address=127.0.0.1".to_string(),
            format!("--secure-port={port}"),
            format!("--cert-dir={}", path("certs")),
            "--endpoint-reconciler-type=none".to_string(),
            format!("--token-auth-file={}", path("tokens")),
            "--authorization-mode=RBAC".to_string(),
            "--anonymous-auth=false".to_string(),
            "--service-account-issuer=https://127.0.0.1".to_string(),
            format!("--service-account-key-file={}", path("sa.pub")),
            format!("--service-account-signing-key-file={}", path("sa.key")),
            "--disable-admission-plugins=ServiceAccount".to_string(),
            "--service-cluster-ip-range=10.0.0.0/24".to_string(),
            format!("--audit-policy-file={}", path("policy.yaml")),
            format!("--audit-log-path={}", path("audit.log")),
        ];
        let mut processes = vec![spawn(&folder.join("etcd.log"), etcd, &etcd_args)];
        processes.push(spawn(&folder.join("server.log"), server, &server_args));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let certificate = folder.join("certs/apiserver.crt");
        wait_for("the server's certificate", || {
            certificate.exists().then_some(())
        });
        let admin = client_for(&runtime, &certificate, port);
        let this = ApiServer {
            folder,
            port,
            runtime,
            admin,
            _processes: processes,
        };
        wait_for("the API server", || {
            let (status, _) = this.try_call("GET", "/readyz", None)?;
            (status == 200).then_some(())
        });
        this.install_kinds();
        this.allow(READER, &crate::support::aigwctl(["rbac"]));
        this
    }

    /// The folder of this server's files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes a request as administrator.
    pub fn call(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        self.try_call(method, path, body)
            .unwrap_or_else(|| panic!("{method} {path}: no answer"))
    }

    fn try_call(&self, method: &str, path: &str, body: Option<&Value>) -> Option<(u16, Value)> {
        let content = match method {
            "PATCH" => "application/merge-patch+json",
            _ => "application/json",
        };
        let body = body.map(|b| b.to_string().into_bytes()).unwrap_or_default();
        let request = http::Request::builder()
            .method(method)
            .uri(path)
            .header("content-type", content)
            .body(Body::from(body))
            .unwrap();
        self.runtime.block_on(async {
            let response = self.admin.send(request).await.ok()?;
            let status = response.status().as_u16();
            let body = response.into_body().collect_bytes().await.ok()?;
            Some((status, serde_json::from_slice(&body).unwrap_or_default()))
        })
    }

    /// Gives a user the rights that a run of `aigwctl rbac` printed, and waits until they hold.
    pub fn allow(&self, user: &str, printed: &Output) {
        assert!(printed.status.success());
        let text = String::from_utf8(printed.stdout.clone()).unwrap();
        let role = crate::support::yaml(&text);
        self.allow_rules(user, &role["rules"]);
    }

    /// Gives a user the rights of a role's rules.
    pub fn allow_rules(&self, user: &str, rules: &Value) {
        let group = "/apis/rbac.authorization.k8s.io/v1";
        let name = user.replace(':', "-");
        let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
            "metadata": {"name": name}, "rules": rules});
        let binding = json!({"apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding", "metadata": {"name": name},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}]});
        self.call("DELETE", &format!("{group}/clusterroles/{name}"), None);
        let (status, answer) = self.call("POST", &format!("{group}/clusterroles"), Some(&role));
        assert_eq!(status, 201, "{answer}");
        self.call(
            "POST",
            &format!("{group}/clusterrolebindings"),
            Some(&binding),
        );
        let last = rules.as_array().unwrap().last().unwrap();
        let review = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
            "spec": {"user": user, "resourceAttributes": {"verb": last["verbs"][0],
                "group": last["apiGroups"][0], "resource": last["resources"][0]}}});
        wait_for("the rights", || {
            let path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
            let (_, answer) = self.call("POST", path, Some(&review));
            (answer["status"]["allowed"] == true).then_some(())
        });
    }

    /// A kubeconfig for a user, with the right certificate authority or another.
    pub fn kubeconfig(&self, user: &str, authority: Option<&str>) -> String {
        let own = self.folder.join("certs/apiserver.crt");
        let authority = authority.map_or(own.display().to_string(), str::to_string);
        let config = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": [{"name": "c", "cluster": {
                "server": format!("https://127.0.0.1:{}", self.port),
                "certificate-authority": authority}}],
            "users": [{"name": user, "user": {"token": token(user)}}],
            "contexts": [{"name": "test", "context": {"cluster": "c", "user": user}}],
        });
        let name = format!("kubeconfig-{}", user.replace(':', "-"));
        let path = self.folder.join(name);
        std::fs::write(&path, config.to_string()).unwrap();
        path.display().to_string()
    }

    /// Runs the program as a user.
    pub fn run_as<S: AsRef<str>>(&self, user: &str, args: &[S]) -> Output {
        let config = self.kubeconfig(user, None);
        let args = args.iter().map(|arg| arg.as_ref().to_string());
        crate::support::aigwctl(args.chain(["--kubeconfig".to_string(), config]))
    }

    fn install_kinds(&self) {
        let custom: Vec<&Kind> = Kind::ALL.iter().filter(|kind| is_custom(**kind)).collect();
        for kind in &custom {
            let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
            let (status, answer) = self.call("POST", path, Some(&definition(**kind)));
            assert_eq!(status, 201, "{answer}");
        }
        for kind in custom {
            wait_for("a kind", || {
                let path = path(*kind, version(*kind), None);
                (self.call("GET", &path, None).0 == 200).then_some(())
            });
        }
    }

    /// Deletes every object of the kinds that the program reads.
    pub fn delete_everything(&self) {
        for kind in stored_kinds() {
            for object in self.list(kind) {
                let namespace = object["metadata"]["namespace"].as_str();
                let name = object["metadata"]["name"].as_str().unwrap();
                let target = format!("{}/{name}", path(kind, version(kind), namespace));
                if !object["metadata"]["finalizers"].is_null() {
                    let none = json!({"metadata": {"finalizers": null}});
                    self.call("PATCH", &target, Some(&none));
                }
                let now = json!({"apiVersion": "v1", "kind": "DeleteOptions",
                    "gracePeriodSeconds": 0});
                self.call("DELETE", &target, Some(&now));
            }
        }
    }

    /// The objects of a kind, each with kind and version.
    pub fn list(&self, kind: Kind) -> Vec<Value> {
        let (status, mut list) = self.call("GET", &path(kind, version(kind), None), None);
        assert_eq!(status, 200, "{list}");
        let mut items = std::mem::take(&mut list["items"]);
        let items = items.as_array_mut().unwrap();
        for item in items.iter_mut() {
            item["kind"] = kind.name().into();
            item["apiVersion"] = list["apiVersion"].clone();
        }
        std::mem::take(items)
    }

    /// Creates an object, its namespace first. Gives the server's words when it refuses.
    pub fn create(&self, mut object: Value) -> Result<(), String> {
        let kind_name = object["kind"].as_str().unwrap().to_string();
        let api_version = object["apiVersion"].as_str().unwrap().to_string();
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", &api_version));
        let kind = Kind::find(group, &kind_name).ok_or("not a kind that is read")?;
        let namespace = object["metadata"]["namespace"]
            .as_str()
            .unwrap_or("default");
        let namespace = namespace.to_string();
        self.create_namespace(&namespace);
        let deleted = object["metadata"]["deletionTimestamp"].is_string();
        if let Some(metadata) = object["metadata"].as_object_mut() {
            for set_by_server in ["deletionTimestamp", "resourceVersion", "uid", "finalizers"] {
                metadata.remove(set_by_server);
            }
            if deleted {
                metadata.insert("finalizers".into(), json!(["aigwctl.test/hold"]));
            }
        }
        let namespace = kind.is_namespaced().then_some(&*namespace);
        let collection = path(kind, version, namespace);
        let (code, mut answer) = self.call("POST", &collection, Some(&object));
        if code != 201 {
            return Err(format!("{kind_name}: {}", answer["message"]));
        }
        let target = format!(
            "{collection}/{}",
            answer["metadata"]["name"].as_str().unwrap()
        );
        let has_status = !matches!(kind, Kind::Event | Kind::Lease | Kind::EndpointSlice);
        if !object["status"].is_null() && !is_custom(kind) && has_status {
            answer["status"] = object["status"].take();
            let (code, answer) = self.call("PUT", &format!("{target}/status"), Some(&answer));
            if code != 200 {
                return Err(format!("status of {kind_name}: {}", answer["message"]));
            }
        }
        if deleted {
            self.call("DELETE", &target, None);
        }
        Ok(())
    }

    fn create_namespace(&self, name: &str) {
        let namespace =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        self.call("POST", "/api/v1/namespaces", Some(&namespace));
    }

    /// The paths, with their queries, that a user asked for so far, in order.
    pub fn paths_asked(&self, user: &str) -> Vec<String> {
        let log = std::fs::read_to_string(self.folder.join("audit.log")).unwrap();
        let events = log
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let own = events.filter(|event| event["user"]["username"] == user);
        own.map(|event| event["requestURI"].as_str().unwrap().to_string())
            .collect()
    }

    /// Gets paths as administrator, several at once, and gives the bytes of all answers.
    pub fn get_side_by_side(&self, paths: &[String], at_once: usize) -> usize {
        let get = |path: &String| {
            let request = http::Request::get(path).body(Body::empty()).unwrap();
            async {
                let response = self.admin.send(request).await.unwrap();
                response.into_body().collect_bytes().await.unwrap().len()
            }
        };
        let answers = futures::stream::iter(paths).map(get);
        let sum = answers
            .buffer_unordered(at_once)
            .fold(0, |sum, bytes| std::future::ready(sum + bytes));
        self.runtime.block_on(sum)
    }

    /// What the program asked so far, from the audit log: verb, group, resource, namespace and name.
    /// Fails when it was more than reading.
    pub fn audit(&self, users: impl Fn(&str) -> bool) -> BTreeSet<Asked> {
        let log = std::fs::read_to_string(self.folder.join("audit.log")).unwrap();
        let mut asked = BTreeSet::new();
        for line in log.lines() {
            let Ok(event) = serde_json::from_str::<Value>(line) else {
                continue;
            };
            // Nobody is known by a token that is not accepted.
            if !users(event["user"]["username"].as_str().unwrap_or_default()) {
                continue;
            }
            let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
            let object = &event["objectRef"];
            let entry = Asked {
                verb: text(&event["verb"]),
                group: text(&object["apiGroup"]),
                resource: text(&object["resource"]),
                namespace: text(&object["namespace"]),
                name: text(&object["name"]),
            };
            assert!(matches!(&*entry.verb, "get" | "list"), "{entry:?}");
            assert!(
                entry.resource != "secrets" || entry.verb == "get",
                "{entry:?}"
            );
            assert!(object["subresource"].is_null(), "{entry:?}");
            asked.insert(entry);
        }
        asked
    }
}

/// A request in the audit log.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Asked {
    pub verb: String,
    pub group: String,
    pub resource: String,
    pub namespace: String,
    pub name: String,
}

/// The kinds of which tests make objects.
pub fn stored_kinds() -> impl Iterator<Item = Kind> {
    let kinds = Kind::ALL.iter().copied();
    let kept = [Kind::Namespace, Kind::CustomResourceDefinition];
    kinds.filter(move |kind| !kept.contains(kind))
}

/// Whether a kind comes from a CRD.
fn is_custom(kind: Kind) -> bool {
    let own = [
        "admissionregistration.k8s.io",
        "apiextensions.k8s.io",
        "coordination.k8s.io",
        "discovery.k8s.io",
    ];
    kind.group().contains('.') && !own.contains(&kind.group())
}

fn token(user: &str) -> String {
    format!("token-of-{}", user.replace(':', "-"))
}

/// One user for each resource that may be forbidden, and some others.
fn tokens() -> String {
    let mut users = ["one-gateway", "roles", "wrong-authority"]
        .map(String::from)
        .to_vec();
    users.push(READER.to_string());
    users.extend(Kind::ALL.iter().map(|kind| without(*kind)));
    let mut lines = format!("{},{ADMIN},{ADMIN},system:masters\n", token(ADMIN));
    for user in users {
        lines.push_str(&format!("{},{user},{user}\n", token(&user)));
    }
    lines
}

/// The user that may read everything but a kind.
pub fn without(kind: Kind) -> String {
    format!("without:{}", aigwctl::world::coverage::resource(kind))
}

fn client_for(runtime: &tokio::runtime::Runtime, certificate: &Path, port: u16) -> kube::Client {
    let pem = std::fs::read_to_string(certificate).unwrap();
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "a",
        "clusters": [{"name": "a", "cluster": {"server": format!("https://127.0.0.1:{port}"),
            "certificate-authority": certificate}}],
        "users": [{"name": "a", "user": {"token": token(ADMIN)}}],
        "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
    });
    assert!(pem.contains("BEGIN CERTIFICATE"));
    runtime.block_on(async {
        let config = serde_json::from_value(config).unwrap();
        let options = Default::default();
        let config = kube::Config::from_custom_kubeconfig(config, &options).await;
        kube::Client::try_from(config.unwrap()).unwrap()
    })
}

fn wait_for<T>(what: &str, mut done: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(result) = done() {
            return result;
        }
        assert!(
            start.elapsed() < Duration::from_secs(120),
            "{what} does not come"
        );
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// The path of a kind's list.
pub fn path(kind: Kind, version: &str, namespace: Option<&str>) -> String {
    let root = match kind.group() {
        "" => format!("/api/{version}"),
        group => format!("/apis/{group}/{version}"),
    };
    match namespace {
        Some(namespace) => format!("{root}/namespaces/{namespace}/{}", kind.plural()),
        None => format!("{root}/{}", kind.plural()),
    }
}

/// The version in which the tests read a kind.
pub fn version(kind: Kind) -> &'static str {
    versions(kind)[0]
}

fn versions(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::QuotaPolicy => &["v1alpha1"],
        Kind::ReferenceGrant => &["v1beta1"],
        Kind::InferencePoolAlpha => &["v1alpha2"],
        Kind::EnvoyProxy | Kind::Backend => &["v1alpha1"],
        kind if kind.is_ai_gateway() => &["v1beta1", "v1alpha1"],
        _ => &["v1"],
    }
}

/// A CRD that takes everything.
fn definition(kind: Kind) -> Value {
    let any = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let versions: Vec<Value> = versions(kind)
        .iter()
        .enumerate()
        .map(|(i, name)| {
            json!({"name": name, "served": true, "storage": i == 0,
                "schema": {"openAPIV3Schema": any}})
        })
        .collect();
    let scope = match kind.is_namespaced() {
        true => "Namespaced",
        false => "Cluster",
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{}.{}", kind.plural(), kind.group()),
            // Groups of the Kubernetes project are protected by this.
            "annotations": {"api-approved.kubernetes.io": "unapproved, a test"}},
        "spec": {"group": kind.group(), "scope": scope, "versions": versions,
            "names": {"plural": kind.plural(), "singular": kind.name().to_lowercase(),
                "kind": kind.name(), "listKind": format!("{}List", kind.name())}},
    })
}

/// Writes the objects that the server holds as one file, as `kubectl get -o yaml` would.
pub fn dump(server: &ApiServer, file: &Path) {
    let mut items = Vec::new();
    for kind in stored_kinds() {
        items.extend(server.list(kind));
    }
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
    let mut out = std::fs::File::create(file).unwrap();
    out.write_all(list.to_string().as_bytes()).unwrap();
}
