//! The rollout decision, row by row.

mod workload_support;

use serde_json::{Value, json};
use workload_support::Roll::{Both, Hash, No, Uuid};
use workload_support::{Case, HASH, Roll, answer, deployment, rolled};

/// A row: in progress, pods (`+` with a current sidecar, `-` without, `t` and `T` the same but
/// terminating), live route; then pods annotated, what is rolled, whether the controller waits.
type Row = (bool, &'static str, bool, usize, Roll, bool);

#[test]
fn every_row_of_the_first_decision_table() {
    let rows: &[Row] = &[
        (true, "+", true, 0, No, true),
        (true, "-", true, 0, No, true),
        (true, "+-", false, 0, No, true),
        (true, "", true, 0, No, true),
        (false, "", false, 0, No, false),
        (false, "", true, 0, Uuid, false),
        (false, "+", true, 1, No, false),
        (false, "++", true, 2, No, false),
        (false, "+", false, 1, Uuid, false),
        (false, "-", true, 1, Uuid, false),
        (false, "--", true, 2, Uuid, false),
        (false, "-", false, 1, No, false),
        (false, "+-", true, 2, Uuid, false),
        (false, "+-", false, 2, Uuid, false),
        // Terminating pods neither count nor are annotated.
        (false, "T-", false, 1, No, false),
        (false, "T-", true, 1, Uuid, false),
        (false, "t+", true, 1, No, false),
        (false, "T", true, 0, Uuid, false),
        (false, "T", false, 0, No, false),
    ];
    for row in rows {
        assert_row("v1.0.0", row, None);
    }
}

#[test]
fn every_row_of_the_second_decision_table() {
    // As the first table, with the hash that the template has.
    let rows: &[(Row, Option<&str>)] = &[
        // The hash is current: as v1.0.0.
        ((false, "+", true, 1, No, false), Some(HASH)),
        ((false, "-", true, 1, Uuid, false), Some(HASH)),
        ((false, "+-", true, 2, Uuid, false), Some(HASH)),
        ((false, "", true, 0, Uuid, false), Some(HASH)),
        // No hash yet, or another one.
        ((false, "+", true, 1, Hash, false), None),
        ((false, "+", true, 1, Hash, false), Some("0000")),
        ((false, "+", true, 1, Hash, false), Some("")),
        ((false, "-", true, 1, Both, false), None),
        ((false, "+-", true, 2, Both, false), Some("0000")),
        ((false, "", true, 0, Both, false), None),
        // Without a live route the hash is not looked at.
        ((false, "+", false, 1, Uuid, false), None),
        ((false, "-", false, 1, No, false), None),
        ((false, "-", false, 1, No, false), Some("0000")),
        ((false, "+-", false, 2, Uuid, false), Some("0000")),
        ((false, "", false, 0, No, false), None),
        // Nothing is looked at while a rollout is in progress.
        ((true, "+", true, 0, No, true), None),
        ((true, "-", true, 0, No, true), Some("0000")),
    ];
    for (row, hash) in rows {
        assert_row("v1.1.0", row, *hash);
    }
}

fn assert_row(version: &'static str, row: &Row, hash: Option<&str>) {
    let (in_progress, pods, live_route, annotated, roll, waits) = *row;
    let mut case = Case::new(version);
    case.pods = pods
        .chars()
        .enumerate()
        .map(|(i, kind)| pod(i, kind))
        .collect();
    case.deployments = vec![deployment("d", if in_progress { 2 } else { 1 }, hash)];
    if !live_route {
        case.route["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    }
    let found = answer(&case);
    let name = format!("{version} {row:?} {hash:?}");
    assert_eq!(found.waits, waits, "{name}");
    assert_eq!(found.annotated_pods(), annotated, "{name}");
    assert_eq!(rolled(&found.patches, "d"), roll, "{name}");
}

fn pod(i: usize, kind: char) -> Value {
    let mut pod = workload_support::pod(&format!("p{i}"), matches!(kind, '+' | 'T'));
    if matches!(kind, 't' | 'T') {
        pod["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    }
    pod
}

#[test]
fn each_workload_has_its_own_hash() {
    let mut case = Case::new("v1.1.0");
    case.pods = vec![workload_support::pod("p", true)];
    case.deployments = vec![
        deployment("current", 1, Some(HASH)),
        deployment("old", 1, Some("0000")),
        deployment("none", 1, None),
    ];
    let found = answer(&case);
    let rolls = ["current", "old", "none"].map(|name| rolled(&found.patches, name));
    assert_eq!(rolls, [No, Hash, Hash]);
}

#[test]
fn when_a_rollout_is_in_progress() {
    // Kind, generation, status, in progress.
    let rows = [
        ("Deployment", 1, json!({}), true),
        ("Deployment", 1, json!({ "observedGeneration": 0 }), true),
        ("Deployment", 2, json!({ "observedGeneration": 1 }), true),
        ("Deployment", 1, json!({ "observedGeneration": 2 }), false),
        ("Deployment", 0, json!({}), false),
        (
            "Deployment",
            0,
            json!({ "observedGeneration": 1, "updatedReplicas": 1 }),
            false,
        ),
        (
            "Deployment",
            1,
            json!({ "observedGeneration": 1, "replicas": 2, "updatedReplicas": 1 }),
            true,
        ),
        (
            "Deployment",
            1,
            json!({ "observedGeneration": 1, "replicas": 2, "updatedReplicas": 2, "readyReplicas": 0 }),
            false,
        ),
        (
            "Deployment",
            1,
            json!({ "observedGeneration": 1, "replicas": 1 }),
            true,
        ),
        ("DaemonSet", 1, json!({}), false),
        ("DaemonSet", 3, json!({ "observedGeneration": 0 }), false),
        (
            "DaemonSet",
            3,
            json!({ "observedGeneration": 0, "currentNumberScheduled": 3 }),
            false,
        ),
        ("DaemonSet", 2, json!({ "observedGeneration": 1 }), true),
        (
            "DaemonSet",
            1,
            json!({ "observedGeneration": 1, "currentNumberScheduled": 3, "updatedNumberScheduled": 2 }),
            true,
        ),
        (
            "DaemonSet",
            1,
            json!({ "observedGeneration": 1, "currentNumberScheduled": 3, "updatedNumberScheduled": 3 }),
            false,
        ),
    ];
    for (kind, generation, status, in_progress) in rows {
        let mut workload = workload_support::workload(kind, "w", Some(HASH));
        workload["metadata"]["generation"] = json!(generation);
        workload["status"] = status.clone();
        let mut case = Case::new("v1.1.0");
        case.pods = vec![workload_support::pod("p", true)];
        case.deployments = vec![workload];
        assert_eq!(
            answer(&case).waits,
            in_progress,
            "{kind} {generation} {status}"
        );
    }
}

#[test]
fn one_unfinished_workload_stops_everything() {
    let mut case = Case::new("v1.1.0");
    case.pods = vec![workload_support::pod("p", false)];
    case.deployments = vec![deployment("a", 1, None), deployment("b", 2, None)];
    let found = answer(&case);
    assert!(found.waits && found.patches.is_empty());
}

#[test]
fn what_tips_a_pod() {
    let image = workload_support::IMAGE;
    let container = |image: &str, args: Value| json!({ "name": "ai-gateway-extproc", "image": image, "args": args });
    let good = json!(["-logLevel", "info", "-mcpAddr", ":9856"]);
    // Init containers, containers, an MCPRoute is attached, state.
    let rows = [
        (
            json!([container(image, good.clone())]),
            json!([]),
            true,
            "current",
        ),
        (
            json!([container(image, json!([]))]),
            json!([]),
            false,
            "current",
        ),
        (
            json!([container(image, json!(["-mcpAddr", ":1"]))]),
            json!([]),
            false,
            "current",
        ),
        (
            json!([container(image, json!(["-logLevel"]))]),
            json!([]),
            false,
            "current",
        ),
        (
            json!([container(image, json!(["-logLevel=debug"]))]),
            json!([]),
            false,
            "current",
        ),
        (
            json!([container(image, json!(["--logLevel", "debug"]))]),
            json!([]),
            false,
            "current",
        ),
        (
            json!([container(image, json!(["-logLevel", "debug"]))]),
            json!([]),
            false,
            "other-log-level",
        ),
        (
            json!([container(image, json!(["-logLevel", "INFO"]))]),
            json!([]),
            false,
            "other-log-level",
        ),
        (
            json!([container(image, json!(["-logLevel", "info"]))]),
            json!([]),
            true,
            "no-mcp-address",
        ),
        (
            json!([container(image, json!(["-logLevel", "info", "-mcpAddr"]))]),
            json!([]),
            true,
            "no-mcp-address",
        ),
        (
            json!([container(
                image,
                json!(["-x", "-mcpAddr", "-logLevel", "info"])
            )]),
            json!([]),
            true,
            "current",
        ),
        (
            json!([container("other:1", good.clone())]),
            json!([]),
            false,
            "other-image",
        ),
        (
            json!([
                container("other:1", json!([])),
                container(image, good.clone())
            ]),
            json!([]),
            true,
            "current",
        ),
        (
            json!([]),
            json!([container(image, good.clone())]),
            false,
            "wrong-list",
        ),
        (
            json!([]),
            json!([{ "name": "envoy", "image": image }]),
            false,
            "absent",
        ),
    ];
    for (init_containers, containers, mcp, state) in rows {
        let mut pod = workload_support::pod("p", false);
        pod["spec"] = json!({ "initContainers": init_containers, "containers": containers });
        let mut case = Case::new("v1.1.0");
        case.has_mcp_route = mcp;
        case.pods = vec![pod.clone()];
        assert_eq!(answer(&case).states, [state], "{}", pod["spec"]);
        if state == "wrong-list" {
            case.kubernetes_version = "1.32";
            assert_eq!(answer(&case).states, ["current"], "{}", pod["spec"]);
        }
    }
}

#[test]
fn the_expected_image_of_each_version() {
    for (version, state) in [("v1.0.0", "other-image"), ("v1.1.0", "current")] {
        let mut pod = workload_support::pod("p", true);
        pod["spec"]["initContainers"][0]["image"] = json!("pinned:1");
        let mut case = Case::new(version);
        case.pods = vec![pod];
        case.deployments = vec![deployment("d", 1, Some(HASH))];
        case.ext_proc = Some(json!({ "kubernetes": { "image": "pinned:1" } }));
        let found = answer(&case);
        assert_eq!(found.states, [state], "{version}");
        assert_eq!(
            found.codes.contains(&"rollout-repeats"),
            version == "v1.0.0",
            "{version}"
        );
    }
}

#[test]
fn decisions_that_repeat_for_ever_are_told() {
    let with = |pods: Vec<Value>, workload: Value| {
        let mut case = Case::new("v1.1.0");
        case.pods = pods;
        case.deployments = vec![workload];
        answer(&case).codes
    };
    let pod = || workload_support::pod("p", true);
    assert!(with(vec![pod()], deployment("d", 1, None)).is_empty());
    assert_eq!(with(vec![], deployment("d", 1, None)), ["rollout-repeats"]);
    let mut evicted = workload_support::pod("e", false);
    evicted["status"] = json!({ "phase": "Failed", "reason": "Evicted" });
    assert_eq!(
        with(vec![pod(), evicted.clone()], deployment("d", 1, None)),
        ["rollout-repeats"]
    );
    evicted["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    assert!(with(vec![pod(), evicted], deployment("d", 1, None)).is_empty());
    let mut paused = deployment("d", 2, None);
    paused["spec"]["paused"] = json!(true);
    assert_eq!(with(vec![pod()], paused), ["rollout-stuck"]);
    let mut on_delete = workload_support::workload("DaemonSet", "w", None);
    on_delete["spec"]["updateStrategy"] = json!({ "type": "OnDelete" });
    on_delete["metadata"]["generation"] = json!(2);
    on_delete["status"] = json!({ "observedGeneration": 1 });
    assert_eq!(with(vec![pod()], on_delete), ["rollout-stuck"]);
}
