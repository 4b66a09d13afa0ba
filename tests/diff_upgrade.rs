//! What another controller, or other settings of it, mean for objects that do not change.

mod scratch;
mod support;

use scratch::Scratch;
use serde_json::{Value, json};
use support::aigwctl;

const GATEWAY: &str = "apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: NS, annotations: {aigateway.envoyproxy.io/gateway-config: cfg}}
---
apiVersion: aigateway.envoyproxy.io/v1beta1
kind: AIServiceBackend
metadata: {name: be, namespace: NS}
spec:
  schema: {name: OpenAI}
---
apiVersion: aigateway.envoyproxy.io/v1beta1
kind: AIGatewayRoute
metadata: {name: r, namespace: NS, creationTimestamp: '2026-01-01T00:00:00Z'}
spec:
  parentRefs: [{name: gw}]
  rules:
  - backendRefs: [{name: be}]
";
const WORKLOAD: &str = "---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: envoy-gw
  namespace: NS
  generation: 1
  labels: &labels {gateway.envoyproxy.io/owning-gateway-name: gw, gateway.envoyproxy.io/owning-gateway-namespace: NS}
spec: {replicas: 1}
status: {observedGeneration: 1, replicas: 1, updatedReplicas: 1}
---
apiVersion: v1
kind: Pod
metadata:
  name: envoy-gw-1
  namespace: NS
  labels: {gateway.envoyproxy.io/owning-gateway-name: gw, gateway.envoyproxy.io/owning-gateway-namespace: NS}
spec:
  initContainers:
  - name: ai-gateway-extproc
    image: docker.io/envoyproxy/ai-gateway-extproc:v1.0.0
    args: [-logLevel, info]
";

fn objects(namespace: &str) -> String {
    GATEWAY.replace("NS", namespace)
}

fn workload(namespace: &str) -> String {
    WORKLOAD.replace("NS", namespace)
}

fn controller(version: &str, args: &[&str]) -> String {
    let args: Vec<Value> = args.iter().map(|arg| json!(arg)).collect();
    let image = format!("docker.io/envoyproxy/ai-gateway-controller:{version}");
    let deployment = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": "ai-gateway-controller", "namespace": "envoy-ai-gateway-system" },
        "spec": { "template": { "spec": { "containers": [
            { "name": "ai-gateway-helm", "image": image, "args": args }
        ] } } },
    });
    format!("---\n{deployment}\n")
}

fn diff(name: &str, files: &[(&str, &str)], args: &[&str]) -> (Option<i32>, Value) {
    let scratch = Scratch::new(name);
    for (file, text) in files {
        scratch.write(file, text);
    }
    let paths = args.iter().map(|arg| match arg.split_once('@') {
        Some((flag, file)) => format!("{flag}{}", scratch.path(file).display()),
        None => arg.to_string(),
    });
    let mut all = vec!["diff".to_string()];
    all.extend(paths);
    all.extend([
        "--kubernetes-version=1.33".to_string(),
        "--output=json".to_string(),
    ]);
    let output = aigwctl(&all);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    (
        output.status.code(),
        serde_json::from_slice(&output.stdout).expect(&stderr),
    )
}

const UP: [&str; 3] = [
    "@objects.yaml",
    "--from-version=v1.0.0",
    "--to-version=v1.1.0",
];
const DOWN: [&str; 3] = [
    "@objects.yaml",
    "--from-version=v1.1.0",
    "--to-version=v1.0.0",
];

fn finding<'a>(answer: &'a Value, code: &str) -> Option<&'a Value> {
    answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|f| f["code"] == code)
}

fn severity<'a>(answer: &'a Value, code: &str) -> Option<&'a str> {
    finding(answer, code).map(|f| f["severity"].as_str().unwrap())
}

fn rollout<'a>(answer: &'a Value, resource: &str) -> &'a Value {
    let mut all = answer["rollout"].as_array().unwrap().iter();
    all.find(|w| w["resource"] == resource)
        .unwrap_or(&Value::Null)
}

#[test]
fn a_gateway_beside_envoy_gateway_is_refused_by_one_version() {
    let text = objects("envoy-gateway-system") + &workload("envoy-gateway-system");
    let files = [("objects.yaml", text.as_str())];
    let (code, answer) = diff("shared-up", &files, &UP);
    assert_eq!(code, Some(1));
    assert_eq!(answer["refusals"]["gone"].as_array().unwrap().len(), 1);
    assert_eq!(severity(&answer, "upgrade-shared-namespace"), Some("info"));
    let (code, answer) = diff("shared-down", &files, &DOWN);
    assert_eq!(code, Some(1));
    assert_eq!(answer["refusals"]["new"].as_array().unwrap().len(), 1);
    assert_eq!(severity(&answer, "upgrade-shared-namespace"), Some("error"));
    assert_eq!(rollout(&answer, "deployments")["new"], "refused");
}

#[test]
fn every_workload_rolls_once() {
    let text = objects("ns") + &workload("ns");
    let (code, answer) = diff("rolls", &[("objects.yaml", &text)], &UP);
    assert_eq!(code, Some(1));
    assert_eq!(answer["changes"], json!([]));
    let deployment = rollout(&answer, "deployments");
    assert_eq!(
        (&deployment["old"], &deployment["new"]),
        (&json!("unchanged"), &json!("rolls"))
    );
    let reason = deployment["reason"].as_str().unwrap();
    let image = "extproc image docker.io/envoyproxy/ai-gateway-extproc:v1.0.0 → \
                 docker.io/envoyproxy/ai-gateway-extproc:v1.1.0";
    assert!(
        reason.contains(image) && reason.contains("no hash"),
        "{reason}"
    );
    assert_eq!(severity(&answer, "upgrade-rollout"), Some("info"));
    assert_eq!(severity(&answer, "upgrade-storage"), Some("info"));
    // A workload that is not in the input is taken to be current.
    let (code, answer) = diff("rolls-assumed", &[("objects.yaml", &objects("ns"))], &UP);
    assert_eq!(code, Some(1));
    let assumed = rollout(&answer, "deployments");
    assert_eq!(
        (&assumed["assumed"], &assumed["new"]),
        (&json!(true), &json!("rolls"))
    );
    // The same version twice: nothing happens.
    let same = ["@objects.yaml", "--to-version=v1.1.0"];
    let (code, answer) = diff("rolls-not", &[("objects.yaml", &objects("ns"))], &same);
    assert_eq!(code, Some(0), "{answer}");
    assert_eq!(rollout(&answer, "deployments")["new"], "unchanged");
}

#[test]
fn a_roll_to_another_sidecar_is_a_difference() {
    let text = objects("ns") + &workload("ns");
    let files = [
        ("objects.yaml", &*text),
        ("values.yaml", "extProc: {logLevel: debug}"),
    ];
    // The pod's sidecar is v1.0.0's, so that it rolls in both answers.
    let same = ["@objects.yaml", "--to-version=v1.1.0"];
    let (code, answer) = diff("rolls-both", &files, &same);
    let deployment = rollout(&answer, "deployments");
    assert_eq!(
        (code, &deployment["old"], &deployment["new"]),
        (Some(0), &json!("rolls"), &json!("rolls"))
    );
    let other = ["@objects.yaml", "--to-values=@values.yaml"];
    let (code, answer) = diff("rolls-to-another", &files, &other);
    let deployment = rollout(&answer, "deployments");
    assert_eq!(
        (code, &deployment["old"], &deployment["new"]),
        (Some(1), &json!("rolls"), &json!("rolls"))
    );
}

#[test]
fn what_is_refused_before_and_after_is_said() {
    let cost = "  llmRequestCosts: [{metadataKey: k, type: CEL, cel: input_tokens * 2}]\n";
    let refused = objects("ns") + cost;
    let (code, answer) = diff(
        "refused-twice",
        &[
            ("old.yaml", &*refused),
            ("new.yaml", &refused.replace("OpenAI", "Anthropic")),
        ],
        &["@old.yaml", "@new.yaml"],
    );
    assert_eq!((code, &answer["changes"]), (Some(0), &json!([])));
    assert_eq!(severity(&answer, "stays-refused"), Some("warning"));
}

#[test]
fn a_pinned_image_refuses_the_new_document() {
    let config = "---
apiVersion: aigateway.envoyproxy.io/v1beta1
kind: GatewayConfig
metadata: {name: cfg, namespace: ns}
spec:
  extProc:
    kubernetes:
      image: reg.example/extproc:v1.0.0
";
    let text = objects("ns") + config;
    let (code, answer) = diff("pinned", &[("objects.yaml", &text)], &UP);
    assert_eq!(code, Some(1));
    let found = finding(&answer, "upgrade-image-pinned").unwrap();
    assert_eq!(found["severity"], "error");
    let line = text
        .lines()
        .position(|l| l.contains("reg.example"))
        .unwrap()
        + 1;
    assert_eq!(found["line"], line);
    let moved = text.replace("extproc:v1.0.0", "extproc:v1.1.0");
    let (_, answer) = diff("not-pinned", &[("objects.yaml", &moved)], &UP);
    assert_eq!(severity(&answer, "upgrade-image-pinned"), None);
}

#[test]
fn a_pool_of_another_namespace_needs_a_grant() {
    let text = objects("ns").replace(
        "[{name: be}]",
        "[{group: inference.networking.k8s.io, kind: InferencePool, name: pool, namespace: infer}]",
    );
    let grant = "---
apiVersion: gateway.networking.k8s.io/v1beta1
kind: ReferenceGrant
metadata: {name: g, namespace: infer}
spec:
  from: [{group: aigateway.envoyproxy.io, kind: AIGatewayRoute, namespace: ns}]
  to: [{group: inference.networking.k8s.io, kind: InferencePool}]
";
    let (_, answer) = diff("pool", &[("objects.yaml", &text)], &UP);
    assert_eq!(severity(&answer, "upgrade-pool-namespace"), Some("warning"));
    let (_, answer) = diff(
        "pool-granted",
        &[("objects.yaml", &(text.clone() + grant))],
        &UP,
    );
    assert_eq!(severity(&answer, "upgrade-pool-namespace"), Some("info"));
    let (code, answer) = diff("pool-down", &[("objects.yaml", &text)], &DOWN);
    assert_eq!(
        (code, severity(&answer, "upgrade-pool-namespace")),
        (Some(1), Some("error"))
    );
    let own = text.replace(", namespace: infer", ", namespace: ns");
    let (_, answer) = diff("pool-own", &[("objects.yaml", &own)], &UP);
    assert_eq!(severity(&answer, "upgrade-pool-namespace"), None);
}

/// A config of about so many KiB.
fn large(kib: usize) -> String {
    let value = "x".repeat(kib * 1024);
    let set = format!("  headerMutation: {{set: [{{name: x-large, value: {value}}}]}}\n");
    objects("ns").replace(
        "  schema: {name: OpenAI}\n",
        &format!("  schema: {{name: OpenAI}}\n{set}"),
    )
}

#[test]
fn sizes_are_measured_against_what_a_version_stores() {
    let files = |text: &str| vec![("objects.yaml".to_string(), text.to_string())];
    let run = |name: &str, text: &str, args: &[&str]| {
        let files = files(text);
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(a, b)| (a.as_str(), b.as_str()))
            .collect();
        diff(name, &files, args)
    };
    let (_, answer) = run("large-up", &large(1100), &UP);
    assert_eq!(severity(&answer, "upgrade-legacy-secret"), Some("warning"));
    let size = &answer["sizes"][0];
    assert_eq!(
        (&size["old"]["ceilingKib"], &size["new"]["ceilingKib"]),
        (&json!(1024), &json!(5600))
    );
    assert_eq!(size["new"]["parts"], 2);
    let (code, answer) = run("large-down", &large(1100), &DOWN);
    assert_eq!(
        (code, severity(&answer, "secret-too-large")),
        (Some(1), Some("error"))
    );
    let grows = |name: &str, kib: usize, version: &str| {
        let (old, new) = (objects("ns"), large(kib));
        let version = format!("--controller-version={version}");
        diff(
            name,
            &[("old.yaml", &old), ("new.yaml", &new)],
            &["@old.yaml", "@new.yaml", &version],
        )
        .1
    };
    assert_eq!(
        severity(&grows("grows-900", 950, "v1.0.0"), "config-near-limit"),
        Some("warning")
    );
    assert_eq!(
        severity(&grows("grows-800", 800, "v1.0.0"), "config-near-limit"),
        None
    );
    assert_eq!(
        severity(&grows("grows-7", 4500, "v1.1.0"), "config-near-limit"),
        Some("warning")
    );
    assert_eq!(
        severity(&grows("grows-6", 4000, "v1.1.0"), "config-near-limit"),
        None
    );
    let answer = grows("grows-9", 6000, "v1.1.0");
    assert_eq!(answer["refusals"]["new"].as_array().unwrap().len(), 1);
}

#[test]
fn other_values_and_another_deployment_are_other_settings() {
    let text = objects("ns");
    let old = controller(
        "v1.1.0",
        &["-extProcImage=reg/extproc:v1.1.0", "-extProcLogLevel=info"],
    );
    let new = controller(
        "v1.1.0",
        &["-extProcImage=reg/extproc:v1.1.0", "-extProcLogLevel=debug"],
    );
    let files = [
        ("objects.yaml", text.as_str()),
        ("old.yaml", &old),
        ("new.yaml", &new),
        ("values.yaml", "extProc: {logLevel: debug}\n"),
    ];
    let args = ["@objects.yaml", "@old.yaml", "--to-controller=@new.yaml"];
    let (code, answer) = diff("to-controller", &files, &args);
    let reason = rollout(&answer, "deployments")["reason"].as_str().unwrap();
    assert_eq!(code, Some(1));
    assert!(reason.contains("log level info → debug"), "{reason}");
    let (code, answer) = diff(
        "to-values",
        &files,
        &["@objects.yaml", "--to-values=@values.yaml"],
    );
    let reason = rollout(&answer, "deployments")["reason"].as_str().unwrap();
    assert_eq!(code, Some(1));
    assert!(reason.contains("log level info → debug"), "{reason}");
    assert_eq!(
        answer["old"]["controllerVersion"],
        answer["new"]["controllerVersion"]
    );
    // The version that the new Deployment's image says.
    let newer = controller("v1.0.0", &[]);
    let files = [
        ("objects.yaml", text.as_str()),
        ("old.yaml", &old),
        ("new.yaml", &newer),
    ];
    let (_, answer) = diff("to-older", &files, &args);
    assert_eq!(answer["new"]["controllerVersion"], "v1.0.0");
}

#[test]
fn settings_are_carried_to_the_other_version() {
    let old = controller(
        "v1.1.0",
        &["-extProcLogFormat=json", "-extProcImage=reg/extproc:v1.1.0"],
    );
    let text = objects("ns") + &old;
    let args = ["@objects.yaml", "--to-version=v1.0.0"];
    let (_, answer) = diff("carried", &[("objects.yaml", &text)], &args);
    assert_eq!(severity(&answer, "setting-left-out"), Some("info"));
    let reason = rollout(&answer, "deployments")["reason"].as_str().unwrap();
    assert!(
        reason.contains("extproc image reg/extproc:v1.1.0 → reg/extproc:v1.0.0"),
        "{reason}"
    );
    assert_eq!(finding(&answer, "controller-flag-refused"), None);
    let kept = text.replace("extproc:v1.1.0", "extproc:mine");
    let (_, answer) = diff("not-carried", &[("objects.yaml", &kept)], &args);
    let reason = rollout(&answer, "deployments")["reason"].as_str().unwrap();
    assert!(!reason.contains("extproc image"), "{reason}");
}

#[test]
fn the_first_mcp_route_rolls_pods() {
    let mcp = "---
apiVersion: aigateway.envoyproxy.io/v1beta1
kind: MCPRoute
metadata: {name: m, namespace: ns}
spec:
  parentRefs: [{name: gw}]
  backendRefs: [{name: mcp, kind: Backend, group: gateway.envoyproxy.io}]
";
    let (old, new) = (objects("ns"), objects("ns") + mcp);
    let files = [("old.yaml", old.as_str()), ("new.yaml", &new)];
    for version in ["--controller-version=v1.0.0", "--controller-version=v1.1.0"] {
        let (code, answer) = diff("mcp", &files, &["@old.yaml", "@new.yaml", version]);
        let reason = rollout(&answer, "deployments")["reason"].as_str().unwrap();
        assert_eq!(code, Some(1));
        assert!(reason.contains("-mcpAddr"), "{reason}");
        let (_, answer) = diff("mcp-gone", &files, &["@new.yaml", "@old.yaml", version]);
        let rolls = version.ends_with("v1.1.0");
        let expected = if rolls { "rolls" } else { "unchanged" };
        assert_eq!(
            rollout(&answer, "deployments")["new"],
            expected,
            "{version}"
        );
    }
    let (_, answer) = diff("mcp-same", &files, &["@new.yaml", "@new.yaml"]);
    assert_eq!(rollout(&answer, "deployments")["new"], "unchanged");
}
