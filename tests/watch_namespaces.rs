//! A controller with `--watchNamespaces` sees a part of the cluster.

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
apiVersion: aigateway.envoyproxy.io/v1beta1
kind: AIGatewayRoute
metadata: {name: chat, namespace: edge}
spec:
  parentRefs: [{name: gw}]
  rules:
  - matches: [{headers: [{name: x-ai-eg-model, value: a}]}]
    backendRefs: [{name: near}, {name: far, namespace: far}]
---
apiVersion: aigateway.envoyproxy.io/v1beta1
kind: AIServiceBackend
metadata: {name: near, namespace: edge}
spec: {schema: {name: OpenAI}, backendRef: {name: near}}
---
apiVersion: aigateway.envoyproxy.io/v1beta1
kind: AIServiceBackend
metadata: {name: far, namespace: far}
spec: {schema: {name: OpenAI}, backendRef: {name: far}}
---
apiVersion: aigateway.envoyproxy.io/v1beta1
kind: AIGatewayRoute
metadata: {name: other, namespace: far}
spec:
  parentRefs: [{name: gw, namespace: edge}]
  rules:
  - matches: [{headers: [{name: x-ai-eg-model, value: b}]}]
    backendRefs: [{name: far}]
";

fn render(watched: &str) -> (Option<i32>, Value) {
    let scratch = Scratch::new(&format!("watch-{}", watched.replace(',', "-")));
    let file = scratch.write("objects.yaml", OBJECTS);
    let flag = format!("watchNamespaces={watched}");
    let output = support::aigwctl(["render", &file, "--controller-flag", &flag, "-o", "json"]);
    (
        output.status.code(),
        serde_json::from_slice(&output.stdout).unwrap(),
    )
}

fn texts(items: &Value, key: &str) -> Vec<String> {
    let items = items.as_array().unwrap().iter();
    items
        .map(|item| item[key].as_str().unwrap().to_string())
        .collect()
}

#[test]
fn without_a_limit_everything_is_seen() {
    let (code, answer) = render("");
    assert_eq!(code, Some(0));
    assert_eq!(texts(&answer["gateways"][0]["skipped"], "reason"), [""; 0]);
}

#[test]
fn what_is_not_watched_is_listed_with_the_namespace_to_add() {
    let (_, answer) = render("edge, elsewhere");
    let skipped = &answer["gateways"][0]["skipped"];
    let mut reasons = texts(skipped, "reason");
    reasons.sort();
    assert_eq!(reasons, ["backend-not-found", "route-not-watched"]);
    for help in texts(skipped, "help") {
        assert!(help.contains("add far to --watchNamespaces"), "{help}");
    }
}

#[test]
fn a_gateway_that_is_not_watched_gets_no_secret() {
    let (code, answer) = render("far");
    assert_eq!(code, Some(0), "a warning");
    let gateway = &answer["gateways"][0];
    assert_eq!(gateway["secrets"], Value::Array(Vec::new()));
    assert_eq!(gateway["patches"], Value::Array(Vec::new()));
    assert!(texts(&gateway["findings"], "code").contains(&"gateway-not-watched".to_string()));
}
