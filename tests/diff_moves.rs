//! A rule that is inserted shifts those after it: they are moved, each from the line where it stood.

mod scratch;
mod support;

use scratch::Scratch;
use serde_json::Value;

const BEFORE: &str = "apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: ns}
---
apiVersion: aigateway.envoyproxy.io/v1beta1
kind: AIServiceBackend
metadata: {name: a, namespace: ns}
spec: {schema: {name: OpenAI}}
---
apiVersion: aigateway.envoyproxy.io/v1beta1
kind: AIServiceBackend
metadata: {name: b, namespace: ns}
spec: {schema: {name: Anthropic}}
---
apiVersion: aigateway.envoyproxy.io/v1beta1
kind: AIGatewayRoute
metadata: {name: r, namespace: ns}
spec:
  parentRefs: [{name: gw}]
  rules:
  - backendRefs:
    - name: a
  - backendRefs:
    - name: b
";

#[test]
fn an_inserted_rule_moves_those_after_it() {
    let scratch = Scratch::new("moves");
    let after = BEFORE.replace(
        "  rules:\n",
        "  rules:\n  - backendRefs: [{name: b, weight: 2}]\n",
    );
    let old = scratch.write("old.yaml", BEFORE);
    let new = scratch.write("new.yaml", after);
    let output = support::aigwctl(["diff", &old, &new, "-o", "json"]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let changes = answer["changes"].as_array().unwrap().iter();
    let moved: Vec<(&str, &Value, &Value)> = changes
        .filter(|change| change["kind"] == "moved")
        .map(|change| {
            let origin = &change["origin"];
            let path = change["path"].as_str().unwrap();
            (path, &origin["old"]["line"], &origin["new"]["line"])
        })
        .collect();
    let expected = [
        ("backends[name=ns/a/route/r/rule/1/ref/0]", 22, 23),
        ("backends[name=ns/b/route/r/rule/2/ref/0]", 24, 25),
    ];
    let expected = expected.map(|(path, old, new)| (path, Value::from(old), Value::from(new)));
    let moved: Vec<_> = moved
        .into_iter()
        .map(|(path, old, new)| (path, old.clone(), new.clone()))
        .collect();
    assert_eq!(moved, expected, "{answer:#}");
}
