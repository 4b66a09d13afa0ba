//! What `doctor` says of a healthy cluster with one stated change, and with two.

mod doctor_support;
mod support;

use std::collections::BTreeSet;

use doctor_support::{Scenario, healthy, roots, scenarios};
use serde_json::Value;

#[test]
fn every_scenario_has_the_root_causes_it_states() {
    let scenarios = scenarios();
    let problems = support::each(&scenarios, |scenario| {
        let (answer, code) = scenario.dump().diagnose(&scenario.args());
        problems(scenario, &answer, code)
    });
    let problems: Vec<String> = problems.into_iter().flatten().collect();
    println!("{} scenarios", scenarios.len());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(scenarios.len() >= 60);
}

fn problems(scenario: &Scenario, answer: &Value, code: i32) -> Vec<String> {
    let mut problems = Vec::new();
    let mut say = |text: String| problems.push(format!("{}: {text}", scenario.name));
    let (expected, found) = (scenario.roots(), roots(answer));
    if expected != found {
        let messages: Vec<String> = answer["rootCauses"]
            .as_array()
            .unwrap()
            .iter()
            .map(|r| format!("{} {} {}", r["id"], r["object"], r["message"]))
            .collect();
        say(format!(
            "root causes {found:?} instead of {expected:?}: {messages:?}"
        ));
    }
    let causes = answer["rootCauses"].as_array().unwrap();
    for root in scenario.content["roots"].as_array().unwrap() {
        let matches = |cause: &Value| {
            let fields = root.as_object().unwrap().iter();
            fields
                .filter(|(key, _)| *key != "remedy")
                .all(|(key, value)| cause[key] == *value)
        };
        if !causes.iter().any(matches) {
            say(format!("no root cause {root} in {causes:?}"));
        }
        let mut probes = answer["probes"].as_array().unwrap().iter();
        let of_root = probes.find(|p| p["id"] == root["id"] && p["status"] != "pass");
        let remedies = of_root
            .and_then(|p| p["remedy"].as_array())
            .into_iter()
            .flatten();
        let remedies: Vec<&str> = remedies.filter_map(Value::as_str).collect();
        let wanted = root["remedy"].as_str().unwrap_or_default();
        if remedies.is_empty() || !remedies.iter().any(|r| r.contains(wanted)) {
            say(format!("no remedy {wanted:?} in {remedies:?}"));
        }
    }
    let followers: BTreeSet<&str> = answer["probes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|p| !p["causedBy"].is_null())
        .filter_map(|p| p["id"].as_str())
        .collect();
    for id in scenario.content["follows"].as_array().into_iter().flatten() {
        if !followers.contains(id.as_str().unwrap()) {
            say(format!("{id} does not follow; {followers:?} do"));
        }
    }
    let mut probes = answer["probes"].as_array().unwrap().iter();
    for id in scenario.content["notes"].as_array().into_iter().flatten() {
        let is_note = |p: &Value| p["id"] == *id && p["status"] == "note";
        if !probes.clone().any(is_note) {
            say(format!("no note of {id}"));
        }
    }
    let failure = probes.any(|p| p["status"] == "failure");
    if failure != (code == 1) {
        say(format!("exit {code}"));
    }
    problems
}

/// Faults that hide others or bring them about, so that the two are not independent.
const HIDES: &[(&str, &[&str])] = &[
    // Nothing is there to look at, or to be broken.
    (
        "webhook-present",
        &[
            "webhook-foreign-pods",
            "webhook-selectors",
            "webhook-service",
        ],
    ),
    (
        "webhook-single",
        &[
            "webhook-foreign-pods",
            "webhook-selectors",
            "webhook-service",
        ],
    ),
    // It is called for none of the others either, or does not stop them.
    ("webhook-selectors", &["webhook-foreign-pods"]),
    ("webhook-failure-policy", &["webhook-foreign-pods"]),
    ("webhook-secret", &["webhook-ca", "webhook-certificate"]),
    ("envoy-gateway-hooks", &["envoy-gateway-listeners"]),
    ("config-secret-complete", &["config-secret-legacy"]),
    // Nobody writes or rotates anything, or serves Envoy Gateway.
    (
        "controller-leader",
        &[
            "config-hash",
            "config-secret-current",
            "credential-current",
            "credential-rotation",
            "http-routes",
            "mcp-http-routes",
            "sidecar-current",
        ],
    ),
    (
        "controller-running",
        &[
            "config-hash",
            "config-secret-current",
            "controller-leader",
            "credential-current",
            "credential-rotation",
            "gateway-programmed",
            "http-routes",
            "mcp-http-routes",
            "sidecar-current",
            "webhook-service",
        ],
    ),
    ("envoy-gateway-running", &["gateway-programmed"]),
    // The HTTPRoute of such a route is not written.
    ("routes-attached", &["http-routes"]),
    ("routes-accepted", &["http-routes"]),
    // Every reconcile ends there, so nothing old is replaced, and no rollout is decided on.
    (
        "config-refused",
        &[
            "config-hash",
            "config-secret-current",
            "credential-current",
            "pods-ended",
            "sidecar-current",
        ],
    ),
    (
        "discovery-namespace",
        &[
            "config-hash",
            "config-secret-complete",
            "config-secret-current",
            "config-secret-legacy",
            "credential-current",
        ],
    ),
    // There is no document to compare, or none that could be written.
    (
        "config-secret-complete",
        &[
            "config-secret-current",
            "credential-current",
            "sidecar-ready",
        ],
    ),
    ("config-secret-current", &["credential-current"]),
    // The rollout that is due repairs both, and one that cannot end repairs neither.
    ("sidecar-current", &["config-hash"]),
    ("sidecar-present", &["config-hash"]),
    ("rollout-blocked", &["sidecar-current", "sidecar-present"]),
    ("pods-refused", &["sidecar-current", "sidecar-present"]),
];

/// Scenarios of which the second takes away what the first one breaks.
const OVERLAP: &[(&str, &str)] = &[
    ("m03-key-wrong", "t01-parent-removed"),
    ("m03-key-wrong", "t05-policy-deleted"),
    // The other way round: the credential that the second changes is left out by the first.
    ("m02-two-policies", "t16-credential-old"),
];

fn hides(a: &Scenario, b: &Scenario) -> bool {
    let (causes, roots) = (a.roots(), b.roots());
    let mut known = HIDES
        .iter()
        .filter(|(cause, _)| causes.iter().any(|id| id == cause));
    known.any(|(_, hidden)| roots.iter().any(|id| hidden.contains(&id.as_str())))
}

/// Whether two scenarios can be laid over each other, with the causes of both still to be seen.
fn are_independent(a: &Scenario, b: &Scenario) -> bool {
    let touched = |s: &Scenario| -> BTreeSet<String> {
        let changes = s.content["changes"].as_array().unwrap().iter();
        changes
            .filter_map(|c| c["object"].as_str())
            .map(str::to_string)
            .collect()
    };
    let plain = |s: &Scenario| s.content["pairs"] == Value::Bool(true);
    plain(a)
        && plain(b)
        && touched(a).is_disjoint(&touched(b))
        && a.roots() != b.roots()
        && !hides(a, b)
        && !hides(b, a)
        && !OVERLAP.contains(&(&a.name, &b.name))
}

#[test]
fn of_two_faults_both_are_named() {
    let scenarios = scenarios();
    let mut pairs = Vec::new();
    for (i, a) in scenarios.iter().enumerate() {
        let others = scenarios[i + 1..].iter().filter(|b| are_independent(a, b));
        pairs.extend(others.map(|b| (a, b)));
    }
    // All of them take a minute. A prime step spreads what is left over both lists.
    if std::env::var_os("AIGWCTL_ALL_PAIRS").is_none() {
        pairs = pairs.into_iter().step_by(13).collect();
    }
    let problems = support::each(&pairs, |(a, b)| {
        let mut dump = healthy();
        dump.change(&a.content["changes"]);
        dump.change(&b.content["changes"]);
        let (answer, _) = dump.diagnose(&[]);
        let found = roots(&answer);
        let mut expected = [a.roots(), b.roots()].concat();
        expected.sort();
        expected.dedup();
        let missing: Vec<_> = expected.iter().filter(|id| !found.contains(id)).collect();
        (!missing.is_empty())
            .then(|| format!("{} + {}: {missing:?} not in {found:?}", a.name, b.name))
    });
    let problems: Vec<String> = problems.into_iter().flatten().collect();
    println!("{} pairs", pairs.len());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(pairs.len() >= 40);
}

#[test]
fn a_probe_that_cannot_see_its_objects_never_says_pass() {
    let healthy = healthy();
    let kinds = healthy.kinds();
    let problems = support::each(&kinds, |name| {
        let (answer, code) = healthy.without(name).diagnose(&[]);
        let mut problems = Vec::new();
        let unread = |kind: &aigwctl::world::kind::Kind| kind.plural() == name;
        let mut asked = false;
        for probe in aigwctl::doctor::registry::PROBES {
            if !probe.reads.iter().any(unread) {
                continue;
            }
            asked = true;
            let all = answer["probes"].as_array().unwrap().iter();
            for found in all.filter(|p| p["id"] == probe.id && p["status"] == "pass") {
                problems.push(format!("without {name} {} passes: {found}", probe.id));
            }
        }
        if asked && code != 3 {
            problems.push(format!("without {name}: exit {code}, {:?}", roots(&answer)));
        }
        problems
    });
    let problems: Vec<String> = problems.into_iter().flatten().collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_secret_that_was_not_read_concerns_only_what_hangs_on_it() {
    let dump = healthy().without_object("Secret/team-a/openai-key");
    let unread = serde_json::json!({
        "format": 1, "program": "aigwctl", "partly": ["secrets"], "notInstalled": [], "gateways": {},
        "unread": [{
            "verb": "get", "resource": "secrets", "namespace": "team-a", "name": "openai-key",
            "reason": "forbidden",
        }],
    });
    let (answer, code) = dump.diagnose_with(&[("aigwctl-collect.json", unread)], &[]);
    let status = |id: &str, gateway: Option<&str>| {
        let mut probes = answer["probes"].as_array().unwrap().iter();
        let found = probes.find(|p| p["id"] == id && p["gateway"].as_str() == gateway);
        found.map(|p| p["status"].as_str().unwrap().to_string())
    };
    let (edge, internal) = (Some("ai-edge/edge"), Some("platform/internal"));
    for id in [
        "credential-missing",
        "credential-current",
        "config-secret-current",
    ] {
        assert_eq!(status(id, edge).as_deref(), Some("unknown"), "{id}");
        assert_eq!(status(id, internal).as_deref(), Some("pass"), "{id}");
    }
    for id in ["webhook-ca", "webhook-certificate", "webhook-secret"] {
        assert_eq!(status(id, None).as_deref(), Some("pass"), "{id}");
    }
    assert_eq!((roots(&answer), code), (Vec::new(), 3));
}

/// The ids of what is not visible.
fn hidden(answer: &Value) -> BTreeSet<&str> {
    let hidden = answer["notVisible"].as_array().unwrap().iter();
    hidden.map(|n| n["id"].as_str().unwrap()).collect()
}

#[test]
fn what_only_logs_show_is_named_where_a_fault_points_at_it() {
    let general = [
        "config-dump",
        "controller-log",
        "private-key",
        "sidecar-log",
    ];
    let (answer, code) = healthy().diagnose(&[]);
    assert_eq!(hidden(&answer), BTreeSet::from(general));
    assert_eq!(code, 0);
    let points = [
        ("s09-no-secret", "controller-cache"),
        ("t16-credential-old", "controller-cache"),
        ("t01-parent-removed", "secret-write"),
        ("s03-ca-refuses-pods", "webhook-handshake"),
        ("s08-webhook-not-called", "webhook-network"),
        ("w10-crash-loop", "sidecar-start"),
        ("s22-unavailable", "extension-crash"),
        ("s18-deadline", "kubelet-delay"),
    ];
    for scenario in scenarios() {
        for (_, id) in points.iter().filter(|(name, _)| *name == scenario.name) {
            let (answer, _) = scenario.dump().diagnose(&scenario.args());
            let hidden = hidden(&answer);
            assert!(
                hidden.contains(id),
                "{}: no {id} in {hidden:?}",
                scenario.name
            );
            assert!(hidden.is_superset(&BTreeSet::from(general)));
        }
    }
}

/// The cases from the field that a scenario shows or that only a log decides.
const CASES: &[&str] = &[
    "F-01", "F-02", "F-03", "F-04", "F-05", "F-06", "F-08", "F-09", "F-11", "F-12", "F-15", "F-17",
    "F-21", "F-24", "F-25", "F-26", "F-29", "F-30", "F-38", "F-50", "F-54", "F-55", "F-56", "F-75",
    "F-79", "F-81", "F-84", "F-85", "F-89", "K-01",
];

/// The rows of the catalogue of causes, each shown by a scenario or not visible in any object.
const ROWS: &[&str] = &[
    "S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9", "S10", "S11", "S12", "S13", "S14", "S15",
    "S16", "S17", "S18", "S19", "S20", "S21", "S22", "S23", "W1", "W2", "W3", "W4", "W5", "W6",
    "W7", "W8", "W9", "W10", "W11", "W12", "H1", "H2", "H3", "H4", "H5", "H6", "H7", "H8", "H9",
    "M1", "M2", "M3", "M4", "M5", "M6", "M7", "M8", "M9", "M10", "M11", "M12", "T1", "T2", "T3",
    "T4", "T5", "T6", "T7", "T8", "T9", "T10", "T11", "T12", "T13", "T14", "T15", "T16",
];

#[test]
fn every_row_of_the_catalogue_is_shown_or_not_visible() {
    let mut told: BTreeSet<String> = scenarios().iter().flat_map(Scenario::rows).collect();
    let hidden = aigwctl::doctor::not_visible::ALL.iter();
    told.extend(hidden.flat_map(|n| n.rows).map(|r| r.to_string()));
    let rows = ROWS.iter().chain(CASES);
    let missing: Vec<_> = rows.filter(|row| !told.contains(**row)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
