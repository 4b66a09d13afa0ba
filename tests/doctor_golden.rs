//! What `doctor` says of recorded clusters.

mod support;

use serde_json::Value;

/// A root cause: id, Gateway, how the object begins, state, status.
type Root = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

struct Expected {
    name: &'static str,
    roots: &'static [Root],
    follows: &'static [&'static str],
    exit: i32,
}

const EXPECTED: &[Expected] = &[
    Expected {
        name: "01-healthy-v1.1.0",
        roots: &[],
        follows: &[],
        exit: 0,
    },
    Expected {
        name: "02-healthy-v1.0.0",
        roots: &[],
        follows: &[],
        exit: 0,
    },
    Expected {
        name: "03-race-secret-later",
        roots: &[(
            "sidecar-present",
            "ai-edge/edge",
            "Pod ",
            "in-progress",
            "failure",
        )],
        follows: &["rollout-finished"],
        exit: 1,
    },
    Expected {
        name: "05-webhook-down",
        roots: &[(
            "controller-running",
            "",
            "Deployment envoy-ai-gateway-system/ai-gateway-controller",
            "broken",
            "failure",
        )],
        follows: &[
            "controller-leader",
            "pods-refused",
            "rollout-blocked",
            "rollout-finished",
            "webhook-service",
        ],
        exit: 1,
    },
    Expected {
        name: "07-frozen-cel",
        roots: &[(
            "config-refused",
            "ai-edge/edge",
            "AIGatewayRoute team-a/chat",
            "broken",
            "failure",
        )],
        follows: &["config-secret-current", "credential-current"],
        exit: 1,
    },
    Expected {
        name: "08-skipped-backends",
        roots: &[
            (
                "backend-missing",
                "ai-edge/edge",
                "AIServiceBackend team-a/bedrock",
                "broken",
                "failure",
            ),
            (
                "backend-policies",
                "ai-edge/edge",
                "AIServiceBackend team-a/openai",
                "broken",
                "failure",
            ),
            (
                "credential-missing",
                "ai-edge/edge",
                "Secret team-a/azure-key",
                "broken",
                "failure",
            ),
            (
                "credential-key",
                "ai-edge/edge",
                "Secret team-a/anthropic-key",
                "broken",
                "failure",
            ),
        ],
        follows: &[
            "costs-counted",
            "http-routes",
            "policies-accepted",
            "policies-attached",
            "routes-accepted",
        ],
        exit: 1,
    },
    Expected {
        name: "09-gateway-in-eg-namespace-v1.0.0",
        roots: &[(
            "discovery-namespace",
            "envoy-gateway-system/ops",
            "Gateway envoy-gateway-system/ops",
            "broken",
            "failure",
        )],
        follows: &["config-secret-present", "sidecar-present"],
        exit: 1,
    },
    Expected {
        name: "10-stale-controller-stopped",
        roots: &[(
            "controller-running",
            "",
            "Deployment envoy-ai-gateway-system/ai-gateway-controller",
            "broken",
            "failure",
        )],
        follows: &[
            "config-secret-current",
            "controller-leader",
            "credential-current",
            "http-routes",
            "webhook-service",
        ],
        exit: 1,
    },
    Expected {
        name: "12-config-over-1MiB",
        roots: &[(
            "config-secret-legacy",
            "platform/internal",
            "Secret envoy-gateway-system/internal-platform",
            "latent",
            "warning",
        )],
        follows: &[],
        exit: 0,
    },
    Expected {
        name: "14-upgrade-half-done",
        roots: &[
            (
                "rollout-finished",
                "ai-edge/edge",
                "Deployment ",
                "in-progress",
                "warning",
            ),
            (
                "rollout-finished",
                "platform/internal",
                "Deployment ",
                "in-progress",
                "warning",
            ),
        ],
        follows: &["sidecar-current", "sidecar-version"],
        exit: 0,
    },
    Expected {
        name: "15-leftover-other-mode",
        roots: &[
            (
                "config-secret-present",
                "ai-edge/edge",
                "Secret ai-edge/edge-ai-edge-",
                "broken",
                "failure",
            ),
            (
                "config-secret-left-over",
                "",
                "Secret envoy-gateway-system/",
                "latent",
                "warning",
            ),
        ],
        follows: &["config-hash", "sidecar-present"],
        exit: 1,
    },
    Expected {
        name: "16-rollout-never-finishes",
        roots: &[(
            "rollout-blocked",
            "ai-edge/edge",
            "Deployment ",
            "broken",
            "failure",
        )],
        follows: &["rollout-finished"],
        exit: 1,
    },
];

fn diagnose(folder: &std::path::Path, format: &str) -> (String, Option<i32>) {
    let folder = folder.display().to_string();
    let output = support::aigwctl(["doctor", &folder, "-v", "-o", format]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        !error.contains("CANARY-") && !error.contains("panicked"),
        "{folder}: {error}"
    );
    (
        String::from_utf8(output.stdout).unwrap(),
        output.status.code(),
    )
}

#[test]
fn golden_clusters_have_the_root_causes_they_are_known_for() {
    let cases = support::cases("cluster");
    let mut lines = 0;
    for folder in &cases {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let Some(expected) = EXPECTED.iter().find(|e| e.name == name) else {
            continue;
        };
        let (text, code) = diagnose(folder, "json");
        let answer: Value = serde_json::from_str(&text).unwrap();
        let roots = answer["rootCauses"].as_array().unwrap();
        assert_eq!(roots.len(), expected.roots.len(), "{name}: {roots:#?}");
        for (id, gateway, object, state, status) in expected.roots {
            let is_meant = |root: &&Value| {
                let text = |key: &str| root[key].as_str().unwrap_or_default();
                text("id") == *id
                    && text("gateway") == *gateway
                    && text("object").starts_with(object)
                    && text("state") == *state
                    && text("status") == *status
            };
            assert!(
                roots.iter().any(|r| is_meant(&r)),
                "{name}: no {id} {object} in {roots:#?}"
            );
            lines += 1;
        }
        let probes = answer["probes"].as_array().unwrap();
        let wrong = |p: &&Value| p["status"] == "failure" || p["status"] == "warning";
        let followers = probes
            .iter()
            .filter(wrong)
            .filter(|p| !p["causedBy"].is_null());
        let mut followers: Vec<&str> = followers.map(|p| p["id"].as_str().unwrap()).collect();
        followers.sort_unstable();
        followers.dedup();
        assert_eq!(followers, expected.follows, "{name}");
        let unknown: Vec<&Value> = probes.iter().filter(|p| p["status"] == "unknown").collect();
        assert!(unknown.is_empty(), "{name}: {unknown:#?}");
        for probe in probes.iter().filter(wrong) {
            assert!(
                !probe["remedy"].as_array().unwrap().is_empty(),
                "{name}: {probe}"
            );
        }
        assert_eq!(code, Some(expected.exit), "{name}");
        lines += probes.len();
    }
    println!("{lines} lines");
    assert!(lines > 0 || cases.is_empty());
}

#[test]
fn golden_clusters_are_diagnosed_the_same_twice_and_without_credentials() {
    let cases = support::cases("cluster");
    let lines = support::each(&cases, |folder| {
        let mut lines = 0;
        for format in ["json", "table", "short", "markdown"] {
            let (text, code) = diagnose(folder, format);
            assert!(
                matches!(code, Some(0 | 1 | 3)),
                "{}: exit {code:?}",
                folder.display()
            );
            assert!(
                !text.contains("CANARY-"),
                "{}: a credential is shown",
                folder.display()
            );
            assert!(!text.contains('\u{1b}'));
            assert_eq!(diagnose(folder, format).0, text, "{}", folder.display());
            lines += text.lines().count();
            if format == "json" {
                let _: Value = serde_json::from_str(&text).unwrap();
            }
        }
        lines
    });
    let lines: usize = lines.iter().sum();
    println!("{lines} lines");
    assert!(lines > 0);
}
