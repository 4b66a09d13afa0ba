//! One Gateway with its workload, to be changed and asked about.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test file uses a part of it"
)]

use aigwctl::controllers::ai_gateway::options::{MissingSecrets, Options};
use aigwctl::controllers::ai_gateway::reconcile_all;
use aigwctl::controllers::ai_gateway::settings::{self, Inputs};
use aigwctl::controllers::ai_gateway::sidecar::{self, Admission, Mode};
use aigwctl::controllers::profile::ControllerVersion;
use aigwctl::manifest::Document;
use aigwctl::secret::Reveal;
use aigwctl::world::World;
use aigwctl::world::build::Builder;
use serde_json::{Value, json};

pub const UUID: &str = "00000000-0000-4000-8000-000000000000";
pub const IMAGE: &str = "docker.io/envoyproxy/ai-gateway-extproc:v1.1.0";
/// Stands for the hash that the case has.
pub const HASH: &str = "HASH";
const NAMESPACE: &str = "envoy-gateway-system";

/// A Gateway `default/gw` with one route, its workload and the controller's settings.
#[derive(Debug, Clone)]
pub struct Case {
    pub version: &'static str,
    pub flags: Vec<(String, String)>,
    pub kubernetes_version: &'static str,
    pub has_mcp_route: bool,
    pub route: Value,
    /// `spec.extProc` of the GatewayConfig; without it there is no GatewayConfig.
    pub ext_proc: Option<Value>,
    pub pods: Vec<Value>,
    pub deployments: Vec<Value>,
}

impl Case {
    pub fn new(version: &'static str) -> Self {
        Case {
            version,
            flags: Vec::new(),
            kubernetes_version: "1.33",
            has_mcp_route: false,
            route: object(
                "aigateway.envoyproxy.io/v1beta1",
                "AIGatewayRoute",
                "r",
                route_spec(),
            ),
            ext_proc: None,
            pods: Vec::new(),
            deployments: Vec::new(),
        }
    }

    fn objects(&self) -> Vec<Value> {
        let ai_gateway = "aigateway.envoyproxy.io/v1beta1";
        let mut gateway = object("gateway.networking.k8s.io/v1", "Gateway", "gw", json!({}));
        gateway["metadata"]["annotations"] =
            json!({ "aigateway.envoyproxy.io/gateway-config": "config" });
        let mut objects = vec![gateway, self.route.clone()];
        if self.has_mcp_route {
            objects.push(object(ai_gateway, "MCPRoute", "m", route_spec()));
        }
        if let Some(ext_proc) = &self.ext_proc {
            let spec = json!({ "extProc": ext_proc });
            objects.push(object(ai_gateway, "GatewayConfig", "config", spec));
        }
        objects.extend(self.pods.iter().chain(&self.deployments).cloned());
        objects
    }
}

fn route_spec() -> Value {
    json!({ "parentRefs": [{ "name": "gw" }], "rules": [], "backendRefs": [] })
}

fn object(api_version: &str, kind: &str, name: &str, spec: Value) -> Value {
    json!({
        "apiVersion": api_version,
        "kind": kind,
        "metadata": { "name": name, "namespace": "default" },
        "spec": spec,
    })
}

fn labelled(api_version: &str, kind: &str, name: &str, spec: Value) -> Value {
    let mut object = object(api_version, kind, name, spec);
    object["metadata"]["namespace"] = json!(NAMESPACE);
    object["metadata"]["labels"] = json!({
        "gateway.envoyproxy.io/owning-gateway-name": "gw",
        "gateway.envoyproxy.io/owning-gateway-namespace": "default",
    });
    object
}

/// A pod, with a sidecar as the default settings expect it or with none.
pub fn pod(name: &str, with_sidecar: bool) -> Value {
    let sidecar = json!({
        "name": "ai-gateway-extproc",
        "image": IMAGE,
        "args": ["-logLevel", "info", "-mcpAddr", ":9856"],
    });
    let init_containers = if with_sidecar {
        json!([sidecar])
    } else {
        json!([])
    };
    let spec = json!({
        "initContainers": init_containers,
        "containers": [{ "name": "envoy", "image": "envoy" }],
    });
    labelled("v1", "Pod", name, spec)
}

/// A Deployment or DaemonSet.
pub fn workload(kind: &str, name: &str, hash: Option<&str>) -> Value {
    let mut annotations = json!({});
    if let Some(hash) = hash {
        annotations["aigateway.envoyproxy.io/extproc-config-hash"] = json!(hash);
    }
    let spec = json!({ "template": { "metadata": { "annotations": annotations } } });
    labelled("apps/v1", kind, name, spec)
}

/// The answer, in a form that is easy to compare.
#[derive(Debug)]
pub struct Found {
    pub config_hash: Option<String>,
    /// Name, value in clear and value as shown.
    pub hash_inputs: Vec<(&'static str, Value, Value)>,
    pub waits: bool,
    pub states: Vec<&'static str>,
    pub patches: Vec<Value>,
    pub codes: Vec<&'static str>,
    /// What is added to the sample pod after the reconcile, in Envoy Gateway's namespace.
    pub injected: Option<Value>,
    /// Everything that may be printed, credentials hidden.
    pub shown: String,
}

impl Found {
    pub fn annotated_pods(&self) -> usize {
        let body =
            json!({ "metadata": { "annotations": { "aigateway.envoyproxy.io/uuid": UUID } } });
        self.patches
            .iter()
            .filter(|p| p["resource"] == "pods" && p["body"] == body)
            .count()
    }

    /// The hash inputs in which two answers differ.
    pub fn differing(&self, other: &Found) -> Vec<&'static str> {
        let value = |found: &Found, name: &str| {
            found
                .hash_inputs
                .iter()
                .find(|(n, ..)| *n == name)
                .map(|(_, value, _)| value.clone())
        };
        let mut names: Vec<_> = self
            .hash_inputs
            .iter()
            .chain(&other.hash_inputs)
            .map(|(name, ..)| *name)
            .collect();
        names.sort_unstable();
        names.dedup();
        names.retain(|name| value(self, name) != value(other, name));
        names
    }
}

/// Reads a JSON value as the program reads files.
pub fn document(file: &str, value: &Value) -> Document {
    let text = value.to_string();
    aigwctl::manifest::read_yaml(file.into(), text.as_bytes(), &Default::default()).unwrap()
}

pub fn world(objects: &[Value]) -> World {
    let mut builder = Builder::new(None);
    objects
        .iter()
        .for_each(|object| builder.add(document("objects.yaml", object)));
    let (world, findings) = builder.finish();
    assert!(findings.is_empty(), "{findings:?}");
    world
}

/// Asks about a case. [`HASH`] on a template stands for the hash that the case has.
pub fn answer(case: &Case) -> Found {
    let mut case = case.clone();
    let wants_hash = |workload: &Value| workload.to_string().contains(HASH);
    if case.deployments.iter().any(wants_hash) {
        let hash = ask(&case).config_hash.unwrap_or_default();
        for workload in &mut case.deployments {
            *workload = serde_json::from_str(&workload.to_string().replace(HASH, &hash)).unwrap();
        }
    }
    ask(&case)
}

fn ask(case: &Case) -> Found {
    let world = world(&case.objects());
    let version = ControllerVersion::parse(case.version).unwrap();
    let mut flags = vec![
        ("extProcImage".to_string(), IMAGE.to_string()),
        (
            "endpointPrefixes".to_string(),
            "openai:,cohere:/cohere,anthropic:/anthropic".to_string(),
        ),
    ];
    flags.extend(case.flags.clone());
    let inputs = Inputs {
        flags: &flags,
        ..Inputs::default()
    };
    let (settings, _) = settings::resolve(&version, &inputs).unwrap();
    let kubernetes = sidecar::kubernetes_version(case.kubernetes_version).unwrap();
    let options = Options {
        version: version.clone(),
        uuid: UUID.to_string(),
        complete: true,
        missing_secrets: MissingSecrets::Skip,
        assume_namespace: None,
        standalone: true,
        settings,
        mode: Mode::of(&kubernetes),
        version_unread: Vec::new(),
    };
    let outcomes = reconcile_all(&world, &options);
    let answer = &outcomes[0].workload;
    let rollout = answer.rollout.as_ref().unwrap();
    let injected = answer
        .pods
        .iter()
        .rfind(|case| case.namespace == NAMESPACE)
        .unwrap();
    let injected = match &injected.admission {
        Admission::Untouched(_) => None,
        Admission::Injected(injection) => Some(injection.apply(&sidecar::sample())),
    };
    let inputs = answer.hash_inputs.iter().flat_map(|inputs| inputs.iter());
    let hash_inputs: Vec<_> = inputs
        .map(|i| {
            (
                i.name,
                i.value.json(Reveal::ALL),
                i.value.json(Reveal::default()),
            )
        })
        .collect();
    let shown = format!(
        "{:?} {:?} {:?} {:?}",
        answer,
        options.settings,
        injected.as_ref().map(|spec| spec.json(Reveal::default())),
        hash_inputs
            .iter()
            .map(|(.., shown)| shown)
            .collect::<Vec<_>>(),
    );
    Found {
        config_hash: answer.config_hash.clone(),
        waits: rollout.waits,
        states: rollout.pods.iter().map(|pod| pod.sidecar.id()).collect(),
        patches: rollout.patches.iter().map(patch).collect(),
        codes: outcomes[0]
            .findings
            .iter()
            .map(|finding| finding.code)
            .collect(),
        injected: injected.map(|spec| spec.json(Reveal::ALL)),
        hash_inputs,
        shown,
    }
}

fn patch(patch: &aigwctl::controllers::ai_gateway::rollout::Patch<'_>) -> Value {
    json!({
        "resource": patch.object.kind().plural(),
        "name": patch.object.name(),
        "body": patch.body(),
    })
}

/// What happens to the one Deployment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Roll {
    No,
    Uuid,
    Hash,
    Both,
}

/// What happens to the workload of that name.
pub fn rolled(patches: &[Value], name: &str) -> Roll {
    let Some(patch) = patches.iter().find(|p| p["name"] == name) else {
        return Roll::No;
    };
    let annotations = &patch["body"]["spec"]["template"]["metadata"]["annotations"];
    let uuid = annotations["aigateway.envoyproxy.io/uuid"] == UUID;
    let hash = annotations["aigateway.envoyproxy.io/extproc-config-hash"].is_string();
    match (uuid, hash) {
        (true, true) => Roll::Both,
        (true, false) => Roll::Uuid,
        (false, true) => Roll::Hash,
        (false, false) => panic!("an empty patch: {patch}"),
    }
}

/// A Deployment whose generation 1 is rolled out.
pub fn deployment(name: &str, generation: i64, hash: Option<&str>) -> Value {
    let mut deployment = workload("Deployment", name, hash);
    deployment["metadata"]["generation"] = json!(generation);
    deployment["status"] = json!({ "observedGeneration": 1, "replicas": 1, "updatedReplicas": 1 });
    deployment
}
