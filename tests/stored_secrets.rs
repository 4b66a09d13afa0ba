//! Secrets that lie in the cluster already and that the controller would have to change.

mod scratch;
mod support;

use scratch::Scratch;
use serde_json::Value;

const OBJECTS: &str = "
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: edge}
spec: {gatewayClassName: eg}
---
apiVersion: v1
kind: Pod
metadata:
  name: envoy
  namespace: envoy-gateway-system
  labels:
    gateway.envoyproxy.io/owning-gateway-name: gw
    gateway.envoyproxy.io/owning-gateway-namespace: edge
spec: {containers: [{name: envoy}]}
---
apiVersion: v1
kind: Secret
metadata: {name: gw-edge, namespace: envoy-gateway-system}
immutable: IMMUTABLE
";

fn findings(immutable: &str) -> (Option<i32>, Vec<(String, Value)>) {
    let scratch = Scratch::new(&format!("immutable-{immutable}"));
    let file = scratch.write("objects.yaml", OBJECTS.replace("IMMUTABLE", immutable));
    let output = support::aigwctl(["render", &file, "--complete", "-o", "json"]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = answer["gateways"][0]["findings"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_string();
    let findings = findings
        .iter()
        .map(|f| (text(&f["code"]), f["line"].clone()));
    (output.status.code(), findings.collect())
}

#[test]
fn one_that_is_immutable_is_named_where_it_says_so() {
    let (code, findings) = findings("true");
    assert_eq!(code, Some(1));
    assert_eq!(
        findings,
        [("secret-immutable".to_string(), Value::from(20))]
    );
}

#[test]
fn one_that_may_be_changed_is_none() {
    assert_eq!(findings("false"), (Some(0), Vec::new()));
}
