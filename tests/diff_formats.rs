//! Every format: the same exit code, no credential, safe for its reader.

mod scratch;
mod support;

use scratch::Scratch;
use serde_json::Value;
use support::{aigwctl, each, worlds};

const FORMATS: [&str; 5] = ["tree", "unified", "markdown", "github", "json"];

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
const POLICY: &str = "---
apiVersion: aigateway.envoyproxy.io/v1beta1
kind: BackendSecurityPolicy
metadata: {name: p, namespace: ns}
spec:
  targetRefs: [{group: aigateway.envoyproxy.io, kind: AIServiceBackend, name: be}]
  type: APIKey
  apiKey: {secretRef: {name: k}}
";
const POD: &str = "---
apiVersion: v1
kind: Pod
metadata:
  name: envoy
  namespace: ns
  labels:
    gateway.envoyproxy.io/owning-gateway-name: gw
    gateway.envoyproxy.io/owning-gateway-namespace: ns
";
const BROKEN: &str = "---\na: [b\n";

#[test]
fn exit_codes_are_the_same_in_every_format() {
    let scratch = Scratch::new("exit");
    let file = |name: &str, text: &str| scratch.write(name, text);
    let base = file("base.yaml", BASE);
    let changed = file("changed.yaml", &BASE.replace("OpenAI", "Cohere"));
    let refused = file(
        "refused.yaml",
        &BASE.replace("type: InputToken", "type: CEL"),
    );
    let skipped = file(
        "skipped.yaml",
        &BASE.replace(
            "backendRefs: [{name: be}]",
            "backendRefs: [{name: be}, {name: no}]",
        ),
    );
    let broken = file("broken.yaml", &format!("{BASE}{BROKEN}"));
    let broken_changed = file(
        "broken-changed.yaml",
        &format!("{}{BROKEN}", BASE.replace("OpenAI", "Cohere")),
    );
    let placeholder = file("placeholder.yaml", &format!("{BASE}{POLICY}"));
    let placeholder_changed = file(
        "placeholder-changed.yaml",
        &format!("{}{POLICY}", BASE.replace("OpenAI", "Cohere")),
    );
    let deleted = file(
        "deleted.yaml",
        &BASE.replace(
            "creationTimestamp",
            "deletionTimestamp: '2026-01-02T00:00:00Z', creationTimestamp",
        ),
    );
    let waits = file("waits.yaml", &format!("{BASE}{POD}"));
    let empty = file("empty.yaml", "");
    let none = scratch.path("none.yaml").display().to_string();
    let ignored = "backends[*].schema";
    let cases: Vec<(i32, Vec<&str>)> = vec![
        (0, vec![&base, &base]),
        (1, vec![&base, &changed]),
        (1, vec![&changed, &base]),
        (0, vec![&base, &changed, "--ignore", ignored]),
        (1, vec![&base, &refused]),
        (1, vec![&refused, &base]),
        (0, vec![&refused, &refused]),
        (1, vec![&base, &skipped]),
        (0, vec![&skipped, &skipped]),
        (3, vec![&broken, &broken]),
        (1, vec![&broken, &broken_changed]),
        (1, vec![&base, &broken_changed]),
        (0, vec![&placeholder, &placeholder]),
        (3, vec![&placeholder, &placeholder, "--strict"]),
        (1, vec![&placeholder, &placeholder_changed, "--strict"]),
        (1, vec![&base, &deleted]),
        (1, vec![&base, &waits]),
        (1, vec![&empty, &base]),
        (1, vec![&base, &empty]),
        (0, vec![&empty, &empty]),
        (
            0,
            vec![&base, &changed, "--gateway", "ns/gw", "--ignore", ignored],
        ),
        (2, vec![&base, &changed, "--gateway", "ns/other"]),
        (2, vec![&base]),
        (2, vec![&base, &none]),
        (2, vec!["-", "-"]),
        (2, vec![&base, &base, "--controller-version", "v9"]),
        (2, vec![&base, "--to-version", "v9"]),
        (2, vec![&base, &changed, "--ignore", "a..b"]),
        (2, vec![&base, "--to-controller", &base]),
        (
            1,
            vec![&base, "--from-version", "v1.0.0", "--to-version", "v1.1.0"],
        ),
        (
            0,
            vec![&base, "--from-version", "v1.1.0", "--to-version", "v1.1.0"],
        ),
        (1, vec![&base, "--against-secret"]),
        (1, vec![&refused, "--against-secret"]),
        (
            3,
            vec![
                &broken,
                "--gateway",
                "ns/gw",
                "--against-secret",
                "--complete",
            ],
        ),
        (2, vec![&base, "--against-secret", "--base", "HEAD"]),
    ];
    let mut problems = Vec::new();
    for (expected, args) in &cases {
        for format in FORMATS {
            let mut all = vec!["diff", "-o", format];
            all.extend(args);
            let output = aigwctl(&all);
            if output.status.code() != Some(*expected) {
                let stderr = String::from_utf8_lossy(&output.stderr);
                let code = output.status.code();
                problems.push(format!("{all:?}: {code:?}, not {expected}: {stderr}"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

const CANARY: &str = "CANARY-";
/// The same in base64, as far as it does not depend on what follows.
const ENCODED: &str = "Q0FOQVJZL";

#[test]
fn golden_credentials_are_in_no_format_and_no_message() {
    let scratch = Scratch::new("canary");
    let worlds = worlds();
    let lengths = each(&worlds, |world| {
        // Every credential changes and stays a canary.
        let changed = std::fs::read_to_string(world.objects()).unwrap();
        let changed = changed
            .replace("Q0FOQVJZLU", "Q0FOQVJZLV")
            .replace("CANARY-", "CANARY-x");
        let changed = scratch.write(&format!("{}.yaml", world.name()), changed);
        let mut runs = vec![
            vec!["diff".to_string(), world.objects(), changed],
            vec![
                "diff".to_string(),
                world.objects(),
                world.controller(),
                "--against-secret".to_string(),
            ],
            vec![
                "diff".to_string(),
                world.objects(),
                world.controller(),
                "--to-version=v1.1.0".to_string(),
            ],
        ];
        for run in &mut runs {
            run.extend(FORMATS.map(|format| format!("--output={format}")));
        }
        for path in ["backends", "sidecar", "settings", "patches", "mcpConfig"] {
            let outputs = ["--output=text".to_string(), "--output=json".to_string()];
            let mut run = vec![
                "why".to_string(),
                world.objects(),
                world.controller(),
                path.to_string(),
            ];
            run.extend(outputs);
            runs.push(run);
        }
        let mut length = 0;
        for mut run in runs {
            run.extend(world.flags());
            run.push("--verbose".to_string());
            let output = aigwctl(&run);
            let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
            for canary in [CANARY, ENCODED] {
                let found = text.find(canary).map(|at| {
                    let before: String = text[..at].chars().rev().take(80).collect();
                    before.chars().rev().collect::<String>()
                });
                assert!(
                    found.is_none(),
                    "{run:?}: a credential stands after {found:?}"
                );
            }
            length += text.len();
        }
        length
    });
    println!(
        "{} worlds, {} bytes of output",
        worlds.len(),
        lengths.iter().sum::<usize>()
    );
    assert!(lengths.iter().sum::<usize>() > 0, "nothing was printed");
}

#[test]
fn text_of_manifests_stays_text() {
    let scratch = Scratch::new("escape");
    let evil = "a`b|<img src=x>\\u001b[31m%0A::error::x\\n::warning::y";
    let base = scratch.write("base.yaml", BASE);
    let changed = scratch.write(
        "changed.yaml",
        BASE.replace("value: gpt-4o", &format!("value: \"{evil}\"")),
    );
    for format in FORMATS {
        let output = aigwctl(["diff", &base, &changed, "-o", format]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!text.contains('\u{1b}'), "{format}: {text}");
        assert!(
            text.lines().all(|line| !line.starts_with("::warning::y")),
            "{format}: {text}"
        );
        if format == "github" {
            assert!(!text.contains("%0A"), "{text}");
        }
    }
}

#[test]
fn a_comment_is_short_enough() {
    let scratch = Scratch::new("markdown");
    let many = |schema: &str| {
        let mut text = BASE.replace("OpenAI", schema);
        for i in 0..2000 {
            text.push_str(&format!(
                "---
apiVersion: aigateway.envoyproxy.io/v1beta1
kind: AIGatewayRoute
metadata: {{name: r{i}, namespace: ns}}
spec:
  parentRefs: [{{name: gw}}]
  rules: [{{backendRefs: [{{name: be}}]}}]
"
            ));
        }
        text
    };
    let old = scratch.write("old.yaml", many("OpenAI"));
    let new = scratch.write("new.yaml", many("Cohere"));
    let output = aigwctl(["diff", &old, &new, "-o", "markdown"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.chars().count() < 65_536,
        "{} characters",
        text.chars().count()
    );
    assert!(text.starts_with("**aigwctl diff**"), "{text}");
    assert_eq!(
        text.matches("<details>").count(),
        text.matches("</details>").count()
    );
    assert!(text.contains("too long for a comment"), "{text}");
}

#[test]
fn unified_context_and_raw_are_options() {
    let scratch = Scratch::new("unified");
    let base = scratch.write("base.yaml", BASE);
    let changed = scratch.write("changed.yaml", BASE.replace("OpenAI", "Cohere"));
    let lines = |args: &[&str]| {
        let mut all = vec!["diff", &base, &changed, "-o", "unified"];
        all.extend(args);
        let text = String::from_utf8(aigwctl(&all).stdout).unwrap();
        text.lines().count()
    };
    assert!(lines(&["-U", "0"]) < lines(&[]));
    assert!(lines(&[]) < lines(&["-U", "100"]));
    let raw = |args: &[&str]| -> Value {
        let mut all = vec![
            "diff",
            &base,
            "-o",
            "json",
            "--from-version=v1.0.0",
            "--to-version=v1.1.0",
        ];
        all.extend(args);
        serde_json::from_slice(&aigwctl(&all).stdout).unwrap()
    };
    assert_eq!(raw(&[])["changes"], serde_json::json!([]));
    let paths: Vec<Value> = raw(&["--raw"])["changes"].as_array().unwrap().clone();
    assert_eq!(paths.len(), 1);
    assert_eq!(paths[0]["path"], "version");
}
