//! Dumps of whole clusters: `render` gives the refusals, skips and rollouts that are true of each.
//!
//! What is expected is written by hand after each dump's `expected.md`. A dump without an
//! expectation must give valid JSON, without a credential, the same twice.

mod support;

use std::path::Path;

use serde_json::Value;

/// What is true of one Gateway. What is not said is as in a healthy cluster.
#[derive(Default)]
struct Expected {
    gateway: &'static str,
    /// How the refusal starts.
    error: Option<&'static str>,
    /// Reason, object and field of everything that is skipped.
    skipped: &'static [(&'static str, &'static str, &'static str)],
    /// The workload that a rollout waits for.
    waits_for: Option<&'static str>,
    /// Reasons for which workloads are rolled, with the workload.
    rolls: &'static [(&'static str, &'static [&'static str])],
    /// Where its Secrets are, and what is done to them; Envoy Gateway's namespace and an update.
    secrets: Option<(&'static str, &'static str)>,
    /// Names of its Secrets, where they are not the usual ones.
    names: Option<&'static [&'static str]>,
    /// How many backends the document has.
    backends: Option<usize>,
    /// Texts that the document holds, or not.
    holds: &'static [&'static str],
    lacks: &'static [&'static str],
}

const EDGE: Expected = Expected {
    gateway: "ai-edge/edge",
    error: None,
    skipped: &[],
    waits_for: None,
    rolls: &[],
    secrets: None,
    names: None,
    backends: Some(6),
    holds: &["quota_cost"],
    lacks: &[],
};

const INTERNAL: Expected = Expected {
    gateway: "platform/internal",
    backends: Some(2),
    holds: &[],
    ..EDGE
};

const EDGE_DEPLOYMENT: &str = "envoy-gateway-system/envoy-ai-edge-edge-eeb32a98";
const INTERNAL_DEPLOYMENT: &str = "envoy-gateway-system/envoy-platform-internal-1103f330";

fn expected(dump: &str) -> Option<Vec<Expected>> {
    let waiting = || Expected {
        waits_for: Some(EDGE_DEPLOYMENT),
        ..EDGE
    };
    let number = dump.split('-').next().unwrap();
    Some(match number {
        "01" | "02" => vec![EDGE, INTERNAL],
        "03" | "05" => vec![waiting(), INTERNAL],
        "07" => vec![
            Expected {
                error: Some(
                    "failed to convert LLMRequestCosts for route chat: invalid CEL expression",
                ),
                backends: None,
                holds: &[],
                ..EDGE
            },
            INTERNAL,
        ],
        "08" => vec![
            Expected {
                skipped: &[
                    (
                        "multiple-policies",
                        "AIGatewayRoute team-a/chat",
                        "spec.rules[0].backendRefs[0].name",
                    ),
                    (
                        "secret-not-found",
                        "AIGatewayRoute team-a/chat",
                        "spec.rules[0].backendRefs[1].name",
                    ),
                    (
                        "multiple-policies",
                        "AIGatewayRoute team-a/chat",
                        "spec.rules[1].backendRefs[0].name",
                    ),
                    (
                        "backend-not-found",
                        "AIGatewayRoute team-a/chat",
                        "spec.rules[1].backendRefs[1].name",
                    ),
                    (
                        "costs-without-backend",
                        "AIGatewayRoute team-a/chat",
                        "spec.llmRequestCosts",
                    ),
                    (
                        "secret-key-missing",
                        "AIGatewayRoute team-a/claude",
                        "spec.rules[0].backendRefs[0].name",
                    ),
                ],
                backends: Some(1),
                // Its models are still listed.
                holds: &[
                    "gpt-4o-mini",
                    "team-a/openai-shared/route/claude/rule/1/ref/0",
                ],
                lacks: &["quota_cost", "llm_weighted"],
                ..EDGE
            },
            INTERNAL,
        ],
        "09" => vec![
            EDGE,
            Expected {
                gateway: "envoy-gateway-system/ops",
                error: Some(
                    "failed to get objects for gateway ops: found gateway-labeled objects in \
                     multiple namespaces: [envoy-gateway-system envoy-gateway-system]",
                ),
                backends: None,
                holds: &[],
                ..EDGE
            },
            INTERNAL,
        ],
        "10" => vec![
            Expected {
                backends: Some(7),
                holds: &["gpt-4o-2025-03-01", "o3-2025-04-16"],
                lacks: &["quota_cost"],
                ..EDGE
            },
            INTERNAL,
        ],
        "12" => vec![
            EDGE,
            Expected {
                // Two parts, and not the legacy Secret.
                names: Some(&[
                    "internal-platform-1103f330c607",
                    "internal-platform-1103f330c607-part-000",
                    "internal-platform-1103f330c607-part-001",
                ]),
                backends: Some(9),
                ..INTERNAL
            },
        ],
        "14" => vec![
            waiting(),
            Expected {
                waits_for: Some(INTERNAL_DEPLOYMENT),
                ..INTERNAL
            },
        ],
        "15" => vec![
            Expected {
                secrets: Some(("ai-edge", "create")),
                rolls: &[("ai-edge/edge", &["sidecar-missing", "hash-missing"])],
                ..EDGE
            },
            Expected {
                secrets: Some(("platform", "update")),
                ..INTERNAL
            },
        ],
        "16" => vec![
            Expected {
                backends: Some(7),
                holds: &["o3"],
                lacks: &["quota_cost"],
                ..waiting()
            },
            INTERNAL,
        ],
        _ => return None,
    })
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn name_of(value: &Value) -> String {
    format!("{}/{}", text(&value["namespace"]), text(&value["name"]))
}

/// Compares a Gateway's answer. Gives how much was compared.
fn compare(expected: &Expected, actual: &Value, dump: &str) -> usize {
    let what = format!("{dump}, {}", expected.gateway);
    match expected.error {
        Some(start) => {
            let error = text(&actual["error"]);
            assert!(error.starts_with(start), "{what}: {error}");
            assert!(actual["secrets"] == serde_json::json!([]), "{what}");
        }
        None => assert!(actual["error"].is_null(), "{what}: {}", actual["error"]),
    }
    let skipped: Vec<_> = list(&actual["skipped"])
        .iter()
        .map(|s| (text(&s["reason"]), text(&s["object"]), text(&s["field"])))
        .collect();
    assert_eq!(skipped, expected.skipped, "{what}");
    let waits: Vec<String> = list(&actual["rollout"]["inProgress"])
        .iter()
        .map(name_of)
        .collect();
    let awaited: Vec<String> = expected.waits_for.iter().map(|w| w.to_string()).collect();
    assert_eq!(waits, awaited, "{what}");
    assert_eq!(!waits.is_empty(), actual["requeueSeconds"] == 5, "{what}");
    let rolls: Vec<(String, Vec<&str>)> = list(&actual["patches"])
        .iter()
        .filter(|patch| patch["resource"] != "pods")
        .map(|patch| {
            let reasons = list(&patch["reasons"]).iter().map(|r| text(&r["id"]));
            (name_of(patch), reasons.collect())
        })
        .collect();
    let wanted: Vec<(String, Vec<&str>)> = expected
        .rolls
        .iter()
        .map(|(name, reasons)| (name.to_string(), reasons.to_vec()))
        .collect();
    assert_eq!(rolls, wanted, "{what}");
    let (namespace, verb) = expected
        .secrets
        .unwrap_or(("envoy-gateway-system", "update"));
    for secret in list(&actual["secrets"]) {
        assert_eq!(
            (text(&secret["namespace"]), text(&secret["verbs"][0])),
            (namespace, verb),
            "{what}"
        );
    }
    if let Some(names) = expected.names {
        let actual = list(&actual["secrets"]).iter().map(|s| text(&s["name"]));
        assert_eq!(actual.collect::<Vec<_>>(), names, "{what}");
    }
    compare_document(expected, actual, &what);
    8 + skipped.len()
}

fn compare_document(expected: &Expected, actual: &Value, what: &str) {
    let mut document = String::new();
    let mut secrets = list(&actual["secrets"]).to_vec();
    secrets.sort_by_key(|secret| text(&secret["name"]).to_string());
    let whole = secrets
        .iter()
        .find(|s| s["data"]["filter-config.yaml"].is_string());
    match whole {
        Some(secret) => document.push_str(text(&secret["data"]["filter-config.yaml"])),
        None => secrets
            .iter()
            .for_each(|s| document.push_str(text(&s["data"]["chunk"]))),
    }
    if let Some(backends) = expected.backends {
        let document = support::yaml(&document);
        assert_eq!(list(&document["backends"]).len(), backends, "{what}");
    }
    for word in expected.holds {
        assert!(document.contains(word), "{what} lacks {word}");
    }
    for word in expected.lacks {
        assert!(!document.contains(word), "{what} has {word}");
    }
}

fn render(dump: &Path) -> String {
    let output = support::aigwctl(["render", dump.to_str().unwrap(), "--complete", "-o", "json"]);
    let code = output.status.code();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(
        matches!(code, Some(0 | 1 | 3)),
        "{}: exit {code:?}: {words}",
        dump.display()
    );
    let text = String::from_utf8(output.stdout).unwrap();
    for canary in ["CANARY-", "Q0FOQVJZ"] {
        assert!(
            !text.contains(canary) && !words.contains(canary),
            "{}",
            dump.display()
        );
    }
    text
}

#[test]
fn dumps_give_what_is_true_of_them_golden() {
    let (mut lines, mut without) = (0, Vec::new());
    for dump in support::cases("cluster") {
        let name = dump.file_name().unwrap().to_str().unwrap().to_string();
        let answer = render(&dump);
        assert_eq!(
            answer,
            render(&dump),
            "{name}: another answer the second time"
        );
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let Some(expected) = expected(&name) else {
            without.push(name);
            continue;
        };
        let gateways = list(&answer["gateways"]);
        assert_eq!(gateways.len(), expected.len(), "{name}");
        for (expected, actual) in expected.iter().zip(gateways) {
            assert_eq!(text(&actual["gateway"]), expected.gateway, "{name}");
            lines += compare(expected, actual, &name);
        }
    }
    println!("{lines} lines compared; without an expectation: {without:?}");
    assert!(lines > 0);
}

#[test]
fn dumps_show_which_kinds_they_hold_golden() {
    use aigwctl::source::{ReadOptions, load};
    use aigwctl::world::coverage::Reach;
    use aigwctl::world::kind::Kind;
    let mut lines = 0;
    for dump in support::cases("cluster") {
        let options = ReadOptions {
            namespace: None,
            limits: Default::default(),
        };
        let world = load(&[dump.display().to_string()], &options).unwrap().world;
        for kind in Kind::ALL {
            let file = dump.join(format!("{}.yaml", kind.plural()));
            // Two groups have a kind of that name, and kubectl chooses one of them.
            if kind.name() == "InferencePool" {
                continue;
            }
            let shown = world.coverage.of(*kind) == Some(&Reach::Whole);
            assert_eq!(shown, file.exists(), "{} {kind}", dump.display());
            lines += 1;
        }
    }
    println!("{lines} lines compared");
    assert!(lines > 0);
}
