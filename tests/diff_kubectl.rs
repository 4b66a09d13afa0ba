//! `diff` as the external program of `kubectl diff`: two directories of single objects, Secrets masked.

mod scratch;

use std::process::{Command, Output};

use scratch::Scratch;

const ROUTE: &str = "apiVersion: aigateway.envoyproxy.io/v1beta1
kind: AIGatewayRoute
metadata: {name: r, namespace: ns}
spec:
  parentRefs: [{name: gw}]
  rules:
  - backendRefs: [{name: be}]
";
const BACKEND: &str = "apiVersion: aigateway.envoyproxy.io/v1beta1
kind: AIServiceBackend
metadata: {name: be, namespace: ns}
spec:
  schema: {name: OpenAI}
";
const POLICY: &str = "apiVersion: aigateway.envoyproxy.io/v1beta1
kind: BackendSecurityPolicy
metadata: {name: p, namespace: ns}
spec:
  targetRefs: [{group: aigateway.envoyproxy.io, kind: AIServiceBackend, name: be}]
  type: APIKey
  apiKey: {secretRef: {name: k}}
";

fn secret(value: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Secret\nmetadata: {{name: k, namespace: ns}}\ndata: {{apiKey: '{value}'}}\n"
    )
}

/// The folders as kubectl names them, with its names of files.
fn run(scratch: &Scratch, live: &[(&str, &str)], merged: &[(&str, &str)]) -> Output {
    for (folder, files) in [("LIVE-123", live), ("MERGED-456", merged)] {
        drop(std::fs::remove_dir_all(scratch.path(folder)));
        std::fs::create_dir_all(scratch.path(folder)).unwrap();
        for (name, text) in files {
            scratch.write(&format!("{folder}/{name}"), text);
        }
    }
    Command::new(env!("CARGO_BIN_EXE_aigwctl"))
        .args([
            "diff".into(),
            scratch.path("LIVE-123"),
            scratch.path("MERGED-456"),
        ])
        .env("KUBECTL_EXTERNAL_DIFF", "aigwctl diff")
        .output()
        .unwrap()
}

const ROUTE_FILE: &str = "aigateway.envoyproxy.io.v1beta1.AIGatewayRoute.ns.r";
const BACKEND_FILE: &str = "aigateway.envoyproxy.io.v1beta1.AIServiceBackend.ns.be";
const POLICY_FILE: &str = "aigateway.envoyproxy.io.v1beta1.BackendSecurityPolicy.ns.p";
const SECRET_FILE: &str = "v1.Secret.ns.k";

#[test]
fn files_without_extension_are_compared() {
    let scratch = Scratch::new("kubectl");
    let both = [(ROUTE_FILE, ROUTE), (BACKEND_FILE, BACKEND)];
    let output = run(&scratch, &both, &both);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let changed = BACKEND.replace("OpenAI", "Cohere");
    let output = run(&scratch, &both, &[both[0], (BACKEND_FILE, &changed)]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains(r#".schema.name: "OpenAI" → "Cohere""#),
        "{text}"
    );
    // What does not exist yet is an empty file.
    let output = run(&scratch, &[both[0], (BACKEND_FILE, "")], &both);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

#[test]
fn masked_credentials_are_compared_by_their_masks() {
    let scratch = Scratch::new("kubectl-masks");
    let with = |value: &str| {
        [
            (ROUTE_FILE, ROUTE.to_string()),
            (BACKEND_FILE, BACKEND.to_string()),
            (POLICY_FILE, POLICY.to_string()),
            (SECRET_FILE, secret(value)),
        ]
    };
    let run = |old: &str, new: &str| {
        let (old, new) = (with(old), with(new));
        let old: Vec<_> = old
            .iter()
            .map(|(name, text)| (*name, text.as_str()))
            .collect();
        let new: Vec<_> = new
            .iter()
            .map(|(name, text)| (*name, text.as_str()))
            .collect();
        run(&scratch, &old, &new)
    };
    let output = run("***", "***");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let output = run("*** (before)", "*** (after)");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("changed: <redacted> (Secret ns/k key apiKey)"),
        "{text}"
    );
}

#[test]
fn an_incomplete_answer_is_no_failure_for_kubectl() {
    let scratch = Scratch::new("kubectl-incomplete");
    let broken = "a: [b\n";
    let both = [
        (ROUTE_FILE, ROUTE),
        (BACKEND_FILE, BACKEND),
        ("v1.ConfigMap.ns.c", broken),
    ];
    let output = run(&scratch, &both, &both);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let output = Command::new(env!("CARGO_BIN_EXE_aigwctl"))
        .args([
            "diff".into(),
            scratch.path("LIVE-none"),
            scratch.path("MERGED-none"),
        ])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}
