//! What several test files share: the folders of recorded answers, the binary, canonical order.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test file uses a part of it"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// The folder of recorded answers: `AIGWCTL_GOLDEN`, else the smaller set in the repository.
pub fn golden() -> PathBuf {
    match std::env::var_os("AIGWCTL_GOLDEN") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/golden"),
    }
}

/// The sub-folders of a folder of recorded answers, sorted.
pub fn cases(kind: &str) -> Vec<PathBuf> {
    let folder = golden().join(kind);
    let mut cases: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    cases.sort();
    cases
}

/// Runs the program.
pub fn aigwctl<S: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = S>) -> Output {
    Command::new(env!("CARGO_BIN_EXE_aigwctl"))
        .args(args)
        .output()
        .unwrap()
}

/// Reads a JSON file.
pub fn json(path: &Path) -> Value {
    let text = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_slice(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Reads a YAML text as the program reads it.
pub fn yaml(text: &str) -> Value {
    let documents = aigwctl::manifest::read("text".into(), text.as_bytes(), &Default::default());
    let [Ok(document)] = &documents[..] else {
        panic!("not one document: {documents:?}")
    };
    document.root.to_json()
}

/// A world of recorded answers, with one version's controller.
pub struct World {
    pub folder: PathBuf,
    pub version: &'static str,
    pub options: Value,
    pub expected: Value,
}

pub const VERSIONS: [&str; 2] = ["v1.0.0", "v1.1.0"];
pub const UUID: &str = "00000000-0000-4000-8000-000000000000";

impl World {
    pub fn name(&self) -> String {
        format!(
            "{} {}",
            self.folder.file_name().unwrap().to_string_lossy(),
            self.version
        )
    }

    /// The flags that ask the recorded question, without the sources.
    pub fn flags(&self) -> Vec<String> {
        let option = |key: &str| self.options[key].as_str().unwrap().to_string();
        let mut flags = vec![
            "--complete".to_string(),
            format!("--controller-version={}", self.version),
            format!("--kubernetes-version={}", option("kubernetesVersion")),
            format!("--uuid={UUID}"),
            format!(
                "--envoy-gateway-namespace={}",
                option("envoyGatewayNamespace")
            ),
        ];
        if self.options["standAlone"] == true {
            flags.push("--standalone".to_string());
        }
        flags
    }

    pub fn objects(&self) -> String {
        self.folder.join("objects.yaml").display().to_string()
    }

    pub fn controller(&self) -> String {
        let name = format!("controller-{}.yaml", self.version);
        self.folder.join(name).display().to_string()
    }

    /// The answer of the program as JSON.
    pub fn render(&self, more: &[&str]) -> Value {
        let mut args = vec!["render".to_string(), self.objects(), self.controller()];
        args.extend(self.flags());
        args.push("--output=json".to_string());
        args.extend(more.iter().map(|s| s.to_string()));
        let output = aigwctl(&args);
        let code = output.status.code();
        assert!(
            matches!(code, Some(0 | 1)),
            "{}: exit {code:?}: {}",
            self.name(),
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

/// Every world of the folder, in every supported version that it has an answer for.
pub fn worlds() -> Vec<World> {
    let mut worlds = Vec::new();
    for folder in cases("worlds") {
        for version in VERSIONS {
            let expected = folder.join(format!("expected-{version}.json"));
            if expected.exists() {
                worlds.push(World {
                    options: json(&folder.join("options.json")),
                    expected: json(&expected),
                    folder: folder.clone(),
                    version,
                });
            }
        }
    }
    worlds
}

/// Calls `each` for every item, on two threads, and gives what it returned in the items' order.
pub fn each<T: Sync, R: Send>(items: &[T], each: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((i, item)) = {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    items.get(i).map(|item| (i, item))
                } {
                    let result = each(item);
                    results.lock().unwrap().push((i, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap();
    results.sort_by_key(|(i, _)| *i);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Puts a document's lists that the controller leaves to chance into an order.
pub fn canonical(document: &mut Value) {
    let sort = |list: &mut Value| {
        if let Some(list) = list.as_array_mut() {
            list.sort_by_key(ToString::to_string);
        }
    };
    for backend in document["backends"].as_array_mut().into_iter().flatten() {
        for mutation in ["httpHeaderMutation", "httpBodyMutation"] {
            if let Some(mutation) = backend.get_mut(mutation) {
                mutation.get_mut("set").map(sort);
                mutation.get_mut("remove").map(sort);
            }
        }
    }
    for key in ["models", "unscopedModels", "backends", "llmRequestCosts"] {
        document.get_mut(key).map(sort);
    }
    if let Some(hosts) = document
        .get_mut("modelsByHost")
        .and_then(Value::as_object_mut)
    {
        hosts.values_mut().for_each(sort);
    }
}

/// An error text up to the wording of the CEL library.
pub fn without_cel_wording(text: &str) -> &str {
    const MARK: &str = "CEL expression: ";
    text.find(MARK).map_or(text, |at| &text[..at + MARK.len()])
}

/// The answer options of a world, for tests that call the library: the controller's Deployment is
/// read as the program reads it, and nothing is waited for.
pub fn options<'w>(
    world: &World,
    objects: &'w aigwctl::world::World,
) -> aigwctl::controllers::ai_gateway::options::Options<'w> {
    use aigwctl::controllers::ai_gateway::options::{MissingSecrets, Options};
    use aigwctl::controllers::ai_gateway::settings::{Inputs, deployment, resolve};
    use aigwctl::controllers::ai_gateway::sidecar::Mode;
    let version = aigwctl::controllers::profile::ControllerVersion::parse(world.version).unwrap();
    let inputs = Inputs {
        deployment: deployment::find(objects).unwrap(),
        envoy_gateway_namespace: world.options["envoyGatewayNamespace"].as_str(),
        ..Inputs::default()
    };
    let (settings, _) = resolve(&version, &inputs).unwrap();
    Options {
        version,
        uuid: UUID.into(),
        complete: true,
        missing_secrets: MissingSecrets::Skip,
        assume_namespace: None,
        standalone: true,
        settings,
        mode: Mode::Sidecar,
        version_unread: Vec::new(),
    }
}
