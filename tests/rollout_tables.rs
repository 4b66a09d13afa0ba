//! The rollout decision, row by row.

mod workload_support;

use serde_json::{Value, json};
use workload_support::{Case, HASH, UUID, answer};

/// What happens to the one Deployment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Roll {
    No,
    Uuid,
    Hash,
    Both,
}

use Roll::{Both, Hash, No, Uuid};

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

fn rolled(patches: &[Value], name: &str) -> Roll {
    let Some(patch) = patches.iter().find(|p| p["name"] == name) else {
        return No;
    };
    let annotations = &patch["body"]["spec"]["template"]["metadata"]["annotations"];
    let uuid = annotations["aigateway.envoyproxy.io/uuid"] == UUID;
    let hash = annotations["aigateway.envoyproxy.io/extproc-config-hash"].is_string();
    match (uuid, hash) {
        (true, true) => Both,
        (true, false) => Uuid,
        (false, true) => Hash,
        (false, false) => panic!("an empty patch: {patch}"),
    }
}

fn pod(i: usize, kind: char) -> Value {
    let mut pod = workload_support::pod(&format!("p{i}"), matches!(kind, '+' | 'T'));
    if matches!(kind, 't' | 'T') {
        pod["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    }
    pod
}

fn deployment(name: &str, generation: i64, hash: Option<&str>) -> Value {
    let mut deployment = workload_support::workload("Deployment", name, hash);
    deployment["metadata"]["generation"] = json!(generation);
    deployment["status"] = json!({ "observedGeneration": 1, "replicas": 1, "updatedReplicas": 1 });
    deployment
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

/// One change of a setting, of the cluster or of the GatewayConfig; then what v1.1.0 and what v1.0.0
/// roll. The hash changes exactly where v1.1.0 rolls at all.
type Change = (&'static str, fn(&mut Case), Roll, Roll);

fn flag(case: &mut Case, name: &str, value: &str) {
    case.flags.push((name.to_string(), value.to_string()));
}

fn kubernetes(case: &mut Case) -> &mut Value {
    &mut case.ext_proc.as_mut().unwrap()["kubernetes"]
}

const CHANGES: &[Change] = &[
    ("image", |c| flag(c, "extProcImage", "other:2"), Both, Uuid),
    (
        "pull policy",
        |c| flag(c, "extProcImagePullPolicy", "Always"),
        Hash,
        No,
    ),
    (
        "log level",
        |c| flag(c, "extProcLogLevel", "debug"),
        Both,
        Uuid,
    ),
    (
        "log level in capitals",
        |c| flag(c, "extProcLogLevel", "INFO"),
        Both,
        Uuid,
    ),
    (
        "redaction",
        |c| flag(c, "extProcEnableRedaction", "true"),
        Hash,
        No,
    ),
    (
        "redaction off",
        |c| flag(c, "extProcEnableRedaction", "f"),
        No,
        No,
    ),
    (
        "request attributes",
        |c| flag(c, "requestHeaderAttributes", "x:y"),
        Hash,
        No,
    ),
    (
        "empty request attributes",
        |c| flag(c, "requestHeaderAttributes", ""),
        Hash,
        No,
    ),
    (
        "empty span attributes",
        |c| flag(c, "spanRequestHeaderAttributes", ""),
        Hash,
        No,
    ),
    (
        "metrics attributes",
        |c| flag(c, "metricsRequestHeaderAttributes", "x:y"),
        Hash,
        No,
    ),
    (
        "log attributes",
        |c| flag(c, "logRequestHeaderAttributes", "x:y"),
        Hash,
        No,
    ),
    ("root prefix", |c| flag(c, "rootPrefix", "/ai"), Hash, No),
    (
        "endpoint prefixes",
        |c| flag(c, "endpointPrefixes", "openai:/o"),
        Hash,
        No,
    ),
    (
        "endpoint prefixes in another order",
        |c| {
            flag(
                c,
                "endpointPrefixes",
                "cohere:/cohere,openai:,anthropic:/anthropic",
            )
        },
        Hash,
        No,
    ),
    (
        "variables",
        |c| flag(c, "extProcExtraEnvVars", "A=1;B=2"),
        Hash,
        No,
    ),
    (
        "variables spelled otherwise",
        |c| flag(c, "extProcExtraEnvVars", "; A =1 ;;"),
        No,
        No,
    ),
    (
        "pull secrets",
        |c| flag(c, "extProcImagePullSecrets", "r"),
        Hash,
        No,
    ),
    (
        "empty pull secrets",
        |c| flag(c, "extProcImagePullSecrets", " ; "),
        No,
        No,
    ),
    (
        "message size",
        |c| flag(c, "extProcMaxRecvMsgSize", "1"),
        Hash,
        No,
    ),
    (
        "the same message size",
        |c| flag(c, "extProcMaxRecvMsgSize", "0x20000000"),
        No,
        No,
    ),
    (
        "seed",
        |c| flag(c, "mcpSessionEncryptionSeed", "s"),
        Hash,
        No,
    ),
    (
        "iterations",
        |c| flag(c, "mcpSessionEncryptionIterations", "1"),
        Hash,
        No,
    ),
    (
        "fallback seed",
        |c| flag(c, "mcpFallbackSessionEncryptionSeed", "s"),
        Hash,
        No,
    ),
    (
        "unused fallback iterations",
        |c| flag(c, "mcpFallbackSessionEncryptionIterations", "1"),
        Hash,
        No,
    ),
    (
        "controller's log level",
        |c| flag(c, "logLevel", "debug"),
        No,
        No,
    ),
    (
        "watched namespaces",
        |c| flag(c, "watchNamespaces", "a,b"),
        No,
        No,
    ),
    (
        "controller's message size",
        |c| flag(c, "maxRecvMsgSize", "1"),
        No,
        No,
    ),
    ("webhook port", |c| flag(c, "webhookPort", "1"), No, No),
    (
        "Kubernetes version",
        |c| c.kubernetes_version = "1.32",
        Both,
        Uuid,
    ),
    (
        "Kubernetes version with a plus",
        |c| c.kubernetes_version = "1.33+",
        Both,
        Uuid,
    ),
    (
        "newer Kubernetes version",
        |c| c.kubernetes_version = "1.40",
        No,
        No,
    ),
    ("MCPRoute", |c| c.has_mcp_route = true, Both, Uuid),
    (
        "CPU",
        |c| kubernetes(c)["resources"]["limits"]["cpu"] = json!("1"),
        Hash,
        No,
    ),
    (
        "CPU spelled otherwise",
        |c| kubernetes(c)["resources"]["limits"]["cpu"] = json!("0.5"),
        No,
        No,
    ),
    (
        "memory spelled otherwise",
        |c| kubernetes(c)["resources"]["limits"]["memory"] = json!("1024Mi"),
        No,
        No,
    ),
    (
        "memory as a number",
        |c| kubernetes(c)["resources"]["limits"]["memory"] = json!(1073741824),
        Hash,
        No,
    ),
    (
        "empty requests",
        |c| kubernetes(c)["resources"]["requests"] = json!({}),
        No,
        No,
    ),
    (
        "empty resources",
        |c| kubernetes(c)["resources"] = json!({}),
        Hash,
        No,
    ),
    (
        "variable",
        |c| kubernetes(c)["env"][0]["value"] = json!("2"),
        Hash,
        No,
    ),
    (
        "variable with an empty value",
        |c| kubernetes(c)["env"][1]["value"] = json!(""),
        No,
        No,
    ),
    (
        "variable from a file",
        |c| {
            kubernetes(c)["env"][1]["valueFrom"] =
                json!({ "fileKeyRef": { "volumeName": "v", "path": "p", "key": "k" } })
        },
        Hash,
        No,
    ),
    (
        "image of the GatewayConfig",
        |c| kubernetes(c)["image"] = json!("other:2"),
        Both,
        No,
    ),
    (
        "the flag's image again",
        |c| kubernetes(c)["image"] = json!(workload_support::IMAGE),
        Hash,
        No,
    ),
    (
        "image repository",
        |c| kubernetes(c)["imageRepository"] = json!("mirror/extproc"),
        Both,
        No,
    ),
    (
        "user",
        |c| kubernetes(c)["securityContext"]["runAsUser"] = json!(1),
        Hash,
        No,
    ),
    (
        "no security context",
        |c| kubernetes(c)["securityContext"] = json!(null),
        Hash,
        No,
    ),
    (
        "empty capabilities",
        |c| kubernetes(c)["securityContext"]["capabilities"] = json!({}),
        Hash,
        No,
    ),
    (
        "mount",
        |c| kubernetes(c)["volumeMounts"] = json!([{ "name": "v", "mountPath": "/v" }]),
        Hash,
        No,
    ),
    (
        "no mounts",
        |c| kubernetes(c)["volumeMounts"] = json!([]),
        No,
        No,
    ),
    (
        "unknown field",
        |c| kubernetes(c)["command"] = json!(["x"]),
        No,
        No,
    ),
    (
        "nothing under extProc",
        |c| c.ext_proc = Some(json!({})),
        Hash,
        No,
    ),
    ("no GatewayConfig", |c| c.ext_proc = None, Hash, No),
];

fn base(version: &'static str) -> Case {
    let mut case = Case::new(version);
    case.flags = vec![("extProcExtraEnvVars".to_string(), "A=1".to_string())];
    case.ext_proc = Some(json!({ "kubernetes": {
        "env": [{ "name": "A", "value": "1" }, { "name": "EMPTY" }],
        "resources": { "limits": { "cpu": "500m", "memory": "1Gi" } },
        "securityContext": { "runAsNonRoot": true },
    } }));
    case.pods = vec![workload_support::pod("p", true)];
    case.pods[0]["spec"]["initContainers"][0]["args"] = json!(["-logLevel", "info"]);
    let hash = (version == "v1.1.0").then(|| answer(&case).config_hash.unwrap());
    case.deployments = vec![deployment("d", 1, hash.as_deref())];
    case
}

#[test]
fn one_change_of_a_setting_or_of_the_gateway_config() {
    for version in ["v1.1.0", "v1.0.0"] {
        let before = answer(&base(version));
        assert_eq!(rolled(&before.patches, "d"), No, "{version} before");
        for (name, change, newer, older) in CHANGES {
            let mut case = base(version);
            change(&mut case);
            let after = answer(&case);
            let expected = if version == "v1.1.0" { *newer } else { *older };
            assert_eq!(rolled(&after.patches, "d"), expected, "{version} {name}");
            if version == "v1.1.0" {
                let hash_changed = before.config_hash != after.config_hash;
                assert_eq!(hash_changed, *newer != No, "{name}: hash");
                assert_eq!(
                    after.differing(&before).is_empty(),
                    !hash_changed,
                    "{name}: inputs"
                );
            }
        }
    }
}

#[test]
fn the_log_format_is_part_of_the_hash_only_when_it_is_not_text() {
    let with = |format: &str| {
        let mut case = base("v1.1.0");
        flag(&mut case, "extProcLogFormat", format);
        answer(&case)
    };
    let before = answer(&base("v1.1.0"));
    assert_eq!(with("text").config_hash, before.config_hash);
    let json = with("json");
    assert_ne!(json.config_hash, before.config_hash);
    assert_eq!(json.differing(&before), ["LogFormat"]);
    assert_eq!(rolled(&json.patches, "d"), Hash);
}

#[test]
fn recorded_hashes() {
    let mut case = Case::new("v1.1.0");
    case.flags = vec![(
        "extProcImage".into(),
        "docker.io/envoyproxy/ai-gateway-extproc:v1.1.0".into(),
    )];
    let expected = "d1d03207b9196234693ef4067acd2c3cdc410dff837639a4c6612e0e296b891d";
    assert_eq!(answer(&case).config_hash.as_deref(), Some(expected));

    let mut case = Case::new("v1.1.0");
    case.has_mcp_route = true;
    for (name, value) in [
        ("extProcLogFormat", "json"),
        ("spanRequestHeaderAttributes", ""),
        ("extProcExtraEnvVars", "OTEL_SERVICE_NAME=ai-gateway;EMPTY="),
        ("extProcImagePullSecrets", "regcred"),
        ("mcpSessionEncryptionSeed", "a&b<c>"),
    ] {
        flag(&mut case, name, value);
    }
    case.ext_proc = Some(json!({ "kubernetes": {
        "image": "gcr.io/custom/extproc:v2",
        "env": [{ "name": "LOG_LEVEL", "value": "debug" }],
        "resources": {
            "requests": { "cpu": "100m", "memory": "1024Mi" },
            "limits": { "memory": "512Mi", "cpu": "0.5" },
        },
    } }));
    let expected = "8fed4b3e5c2b56b67b8934b57bfd896ffe853212d199dd8df95fe01280c86f6f";
    assert_eq!(answer(&case).config_hash.as_deref(), Some(expected));
}
