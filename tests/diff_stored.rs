//! `diff --against-secret`: what Secrets hold and what would be written.

mod scratch;
mod support;

use scratch::Scratch;
use serde_json::{Value, json};
use support::aigwctl;

const BASE: &str = "apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: ns}
---
apiVersion: aigateway.envoyproxy.io/v1beta1
kind: AIServiceBackend
metadata: {name: be, namespace: ns}
spec:
  schema: {name: OpenAI}
---
apiVersion: aigateway.envoyproxy.io/v1beta1
kind: BackendSecurityPolicy
metadata: {name: p, namespace: ns}
spec:
  targetRefs: [{group: aigateway.envoyproxy.io, kind: AIServiceBackend, name: be}]
  type: APIKey
  apiKey: {secretRef: {name: k}}
---
apiVersion: aigateway.envoyproxy.io/v1beta1
kind: AIGatewayRoute
metadata: {name: r, namespace: ns, creationTimestamp: '2026-01-01T00:00:00Z'}
spec:
  parentRefs: [{name: gw}]
  rules:
  - matches:
    - headers: [{name: x-ai-eg-model, value: gpt-4o}]
    backendRefs: [{name: be}]
  llmRequestCosts:
  - {metadataKey: k, type: InputToken}
";
const KEY: &str = "---
apiVersion: v1
kind: Secret
metadata: {name: k, namespace: ns}
stringData: {apiKey: CANARY-one}
";
const BACKEND: &str = "backends[name=ns/be/route/r/rule/0/ref/0]";

struct Cluster {
    scratch: Scratch,
    secrets: String,
}

impl Cluster {
    /// The Secrets that a version writes for the base.
    fn new(name: &str, version: &str) -> Self {
        let scratch = Scratch::new(name);
        let base = scratch.write("base.yaml", format!("{BASE}{KEY}"));
        let version = format!("--controller-version={version}");
        let output = aigwctl(["render", &base, "-o", "secret", "--show-secrets", &version]);
        assert!(output.status.success(), "{output:?}");
        let secrets = String::from_utf8(output.stdout).unwrap();
        Cluster { scratch, secrets }
    }

    fn compare(&self, objects: &str, secrets: &str, more: &[&str]) -> (Option<i32>, Value) {
        let objects = self.scratch.write("objects.yaml", objects);
        let secrets = self.scratch.write("secrets.yaml", secrets);
        let against = format!("--against-secret={secrets}");
        let mut args = vec!["diff", &objects, &against, "--output=json"];
        args.extend(more);
        let output = aigwctl(&args);
        let text = String::from_utf8([&output.stdout[..], &output.stderr].concat()).unwrap();
        assert!(!text.contains("CANARY"), "{text}");
        (
            output.status.code(),
            serde_json::from_slice(&output.stdout).expect(&text),
        )
    }
}

fn verdict(answer: &Value) -> &str {
    assert_eq!(answer["secretState"].as_array().unwrap().len(), 1);
    answer["secretState"][0]["verdict"].as_str().unwrap()
}

fn paths(answer: &Value) -> Vec<&str> {
    let changes = answer["changes"].as_array().unwrap().iter();
    changes
        .map(|change| change["path"].as_str().unwrap())
        .collect()
}

fn has_finding(answer: &Value, code: &str, severity: &str) -> bool {
    let mut findings = answer["findings"].as_array().unwrap().iter();
    findings.any(|f| f["code"] == code && f["severity"] == severity)
}

fn with_key() -> String {
    format!("{BASE}{KEY}")
}

#[test]
fn a_dump_is_compared_with_the_secrets_in_it() {
    for version in ["v1.0.0", "v1.1.0"] {
        let cluster = Cluster::new("stored-dump", version);
        let dump = format!("{}{}", with_key(), cluster.secrets);
        let dump = cluster.scratch.write("dump.yaml", dump);
        let version = format!("--controller-version={version}");
        let args = ["diff", &dump, "--against-secret", &version, "--output=json"];
        let output = aigwctl(args);
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (output.status.code(), verdict(&answer)),
            (Some(0), "fresh"),
            "{answer}"
        );
    }
}

#[test]
fn an_old_document_is_stale() {
    let cluster = Cluster::new("stored-stale", "v1.1.0");
    let objects = with_key()
        .replace("OpenAI", "Anthropic")
        .replace("gpt-4o", "gpt-5");
    let (code, answer) = cluster.compare(&objects, &cluster.secrets, &[]);
    assert_eq!((code, verdict(&answer)), (Some(1), "stale"));
    let schema = format!("{BACKEND}.schema.name");
    assert_eq!(
        paths(&answer),
        [schema.as_str(), "models[gpt-4o]", "models[gpt-5]"]
    );
    // The legacy Secret is as old as the bundle, which the verdict says.
    assert!(
        !has_finding(&answer, "secret-legacy-old", "warning"),
        "{answer}"
    );
    let change = &answer["changes"][0];
    assert_eq!(
        (&change["old"], &change["new"]),
        (&json!("OpenAI"), &json!("Anthropic"))
    );
    assert_eq!(
        (&change["origin"]["old"], &change["origin"]["new"]["line"]),
        (&Value::Null, &json!(9))
    );
    assert_eq!(change.get("hypothetical"), None);
}

#[test]
fn another_credential_is_stale_and_not_shown() {
    let cluster = Cluster::new("stored-credential", "v1.1.0");
    let objects = with_key().replace("CANARY-one", "CANARY-two");
    let (code, answer) = cluster.compare(&objects, &cluster.secrets, &[]);
    assert_eq!((code, verdict(&answer)), (Some(1), "stale"));
    let change = &answer["changes"][0];
    assert_eq!(change["path"], format!("{BACKEND}.auth.apiKey.key"));
    assert_eq!(change["old"], json!({ "changed": true }));
    assert_eq!(
        change["new"],
        json!({ "changed": true, "secret": "ns/k", "key": "apiKey" })
    );
}

#[test]
fn a_refused_gateway_is_frozen_against_what_it_would_have() {
    let cluster = Cluster::new("stored-frozen", "v1.1.0");
    let refused = with_key()
        .replace(
            "  - {metadataKey: k, type: InputToken}",
            "  - {metadataKey: k, type: InputToken}\n  - {metadataKey: bad, type: CEL}",
        )
        .replace("gpt-4o", "gpt-5");
    let (code, answer) = cluster.compare(&refused, &cluster.secrets, &[]);
    assert_eq!((code, verdict(&answer)), (Some(1), "frozen"));
    assert_eq!(paths(&answer), ["models[gpt-4o]", "models[gpt-5]"]);
    assert!(
        answer["changes"]
            .as_array()
            .unwrap()
            .iter()
            .all(|c| c["hypothetical"] == true)
    );
    assert_eq!(answer["refusals"]["new"].as_array().unwrap().len(), 1);
    // Nothing but the refused cost is new, and it would not be written.
    let (code, answer) =
        cluster.compare(&refused.replace("gpt-5", "gpt-4o"), &cluster.secrets, &[]);
    assert_eq!(
        (code, verdict(&answer), paths(&answer)),
        (Some(1), "frozen", vec![])
    );
    // Where it is not a cost there is no document to compare with.
    let other = with_key().replace(
        "apiKey: {secretRef: {name: k}}",
        "awsCredentials: {region: x}",
    );
    let (code, answer) = cluster.compare(&other, &cluster.secrets, &[]);
    assert_eq!(
        (code, verdict(&answer), paths(&answer)),
        (Some(1), "frozen", vec![])
    );
    let (code, answer) = cluster.compare(&other, "", &[]);
    assert_eq!((code, verdict(&answer)), (Some(1), "absent"));
}

#[test]
fn secrets_that_are_not_there_are_absent() {
    let cluster = Cluster::new("stored-absent", "v1.1.0");
    let (code, answer) = cluster.compare(&with_key(), "", &[]);
    assert_eq!((code, verdict(&answer)), (Some(1), "absent"));
    assert!(has_finding(&answer, "secret-absent", "warning"), "{answer}");
}

#[test]
fn unknown_credentials_leave_the_verdict_open() {
    let cluster = Cluster::new("stored-unknown", "v1.1.0");
    let (code, answer) = cluster.compare(BASE, &cluster.secrets, &[]);
    assert_eq!((code, verdict(&answer)), (Some(0), "unknown"));
    assert_eq!(
        answer["couldNotTell"][0]["path"],
        format!("{BACKEND}.auth.apiKey.key")
    );
    let (code, _) = cluster.compare(BASE, &cluster.secrets, &["--strict"]);
    assert_eq!(code, Some(3));
    let (code, answer) = cluster.compare(
        &BASE.replace("OpenAI", "Anthropic"),
        &cluster.secrets,
        &["--strict"],
    );
    assert_eq!((code, verdict(&answer)), (Some(1), "stale"));
}

#[test]
fn secrets_of_another_version_are_stale() {
    let cluster = Cluster::new("stored-version", "v1.0.0");
    let (code, answer) = cluster.compare(
        &with_key(),
        &cluster.secrets,
        &["--controller-version=v1.1.0"],
    );
    assert_eq!((code, verdict(&answer)), (Some(1), "stale"));
    assert!(
        has_finding(&answer, "secret-version", "warning"),
        "{answer}"
    );
    assert!(
        has_finding(&answer, "secret-no-bundle", "warning"),
        "{answer}"
    );
    assert_eq!(paths(&answer), [] as [&str; 0]);
}

#[test]
fn a_bundle_alone_decides() {
    let cluster = Cluster::new("stored-legacy", "v1.1.0");
    let old = Cluster::new("stored-legacy-old", "v1.0.0");
    // The legacy Secret is of the older version: only a warning.
    let bundle = cluster
        .secrets
        .split("---\n")
        .filter(|s| !s.contains("filter-config.yaml"));
    let both = format!(
        "---\n{}{}",
        bundle.collect::<Vec<_>>().join("---\n"),
        old.secrets.replace("---\n", "\n---\n")
    );
    let changed = with_key().replace("gpt-4o", "gpt-5");
    let changed = cluster.scratch.write("changed.yaml", changed);
    let output = aigwctl(["render", &changed, "-o", "secret", "--show-secrets"]);
    let fresh = String::from_utf8(output.stdout).unwrap();
    let fresh = fresh
        .split("---\n")
        .filter(|s| !s.contains("filter-config.yaml"));
    let with_old = format!(
        "---\n{}{}",
        fresh.collect::<Vec<_>>().join("---\n"),
        old.secrets.replace("---\n", "\n---\n")
    );
    let (code, answer) = cluster.compare(&with_key().replace("gpt-4o", "gpt-5"), &with_old, &[]);
    assert_eq!((code, verdict(&answer)), (Some(0), "fresh"), "{answer}");
    assert!(
        has_finding(&answer, "secret-legacy-old", "warning"),
        "{answer}"
    );
    let (code, answer) = cluster.compare(&with_key(), &both, &[]);
    assert_eq!((code, verdict(&answer)), (Some(0), "fresh"), "{answer}");
}

#[test]
fn secrets_elsewhere_are_left_over() {
    let cluster = Cluster::new("stored-left-over", "v1.1.0");
    let elsewhere = cluster
        .secrets
        .replace("namespace: envoy-gateway-system", "namespace: ns");
    assert_ne!(elsewhere, cluster.secrets);
    let both = format!("{}{elsewhere}", cluster.secrets);
    let (code, answer) = cluster.compare(&with_key(), &both, &[]);
    assert_eq!((code, verdict(&answer)), (Some(0), "fresh"));
    assert!(has_finding(&answer, "secret-left-over", "info"), "{answer}");
    let (code, answer) = cluster.compare(&with_key(), &elsewhere, &[]);
    assert_eq!((code, verdict(&answer)), (Some(1), "absent"));
    assert!(has_finding(&answer, "secret-left-over", "info"), "{answer}");
}

#[test]
fn what_is_no_bundle_is_damaged() {
    let cluster = Cluster::new("stored-damaged", "v1.1.0");
    use base64::Engine;
    let encode = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
    for index in [
        "",
        "[",
        "checksum: ''\nparts: [{name: x}]\n",
        "checksum: ab\nparts: []\n",
        "checksum: ab\n",
    ] {
        let secrets: String = cluster
            .secrets
            .lines()
            .map(|line| match line.trim_start().starts_with("index.yaml:") {
                true => format!("  index.yaml: '{}'\n", encode(index)),
                false => format!("{line}\n"),
            })
            .collect();
        let (code, answer) = cluster.compare(&with_key(), &secrets, &[]);
        assert_eq!(
            (code, verdict(&answer)),
            (Some(1), "damaged"),
            "{index}: {answer}"
        );
        assert!(
            has_finding(&answer, "secret-index-unreadable", "error"),
            "{index}: {answer}"
        );
    }
}
