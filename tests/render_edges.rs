//! Small worlds at the edges of rules that no recorded world reaches.

mod scratch;
mod support;

use scratch::Scratch;
use serde_json::Value;

const WORLD: &str = r#"
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: gw, namespace: edge }
---
apiVersion: aigateway.envoyproxy.io/v1beta1
kind: AIServiceBackend
metadata: { name: be, namespace: edge }
spec:
  schema: { name: OpenAI }
  backendRef: { group: gateway.envoyproxy.io, kind: Backend, name: up }
  headerMutation: { remove: ["İ-ΑΣ"] }
---
apiVersion: aigateway.envoyproxy.io/v1beta1
kind: AIGatewayRoute
metadata: { name: r, namespace: edge, creationTimestamp: "2026-01-01T00:00:00Z" }
spec:
  parentRefs: [{ name: gw, namespace: "" }]
  rules:
  - matches: [{ headers: [{ name: x-ai-eg-model, value: m }] }]
    modelsCreatedAt: "9999-12-31T23:59:59Z"
    backendRefs: [{ name: be, namespace: "" }]
"#;

/// The document of the only Gateway of a world.
fn document(name: &str, world: &str) -> Value {
    let scratch = Scratch::new(name);
    let file = scratch.write("world.yaml", world);
    let output = support::aigwctl([
        "render",
        &file,
        "--complete",
        "--standalone",
        "--controller-version=v1.1.0",
        "--kubernetes-version=1.33",
        "--output=json",
        "--show-secrets",
    ]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let secrets = answer["gateways"][0]["secrets"].as_array().unwrap();
    let mut texts = secrets
        .iter()
        .filter_map(|s| s["data"]["filter-config.yaml"].as_str());
    support::yaml(texts.next().unwrap())
}

#[test]
fn an_empty_namespace_of_a_ref_is_the_routes() {
    let document = document("namespace", WORLD);
    assert_eq!(
        document["backends"][0]["name"],
        "edge/be/route/r/rule/0/ref/0"
    );
}

#[test]
fn header_names_are_lowered_one_character_at_a_time() {
    let document = document("header", WORLD);
    assert_eq!(
        document["backends"][0]["httpHeaderMutation"]["remove"][0],
        "i-ασ"
    );
}

#[test]
fn the_last_second_of_the_year_9999_is_a_time() {
    let document = document("year", WORLD);
    assert_eq!(document["models"][0]["CreatedAt"], "9999-12-31T23:59:59Z");
}
