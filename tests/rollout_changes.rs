//! What one change of a setting or of a GatewayConfig does to the hash and the rollout, by hand.

mod workload_support;

use serde_json::json;
use workload_support::Roll::{Both, Hash, No, Uuid};
use workload_support::{Case, Roll, answer, deployment, rolled};

/// One change of a setting, of the cluster or of the GatewayConfig; then what v1.1.0 and what v1.0.0
/// roll. The hash changes exactly where v1.1.0 rolls at all.
type Change = (&'static str, fn(&mut Case), Roll, Roll);

fn flag(case: &mut Case, name: &str, value: &str) {
    case.flags.push((name.to_string(), value.to_string()));
}

fn kubernetes(case: &mut Case) -> &mut serde_json::Value {
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
        |c| flag(c, "watchNamespaces", "other,default"),
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
