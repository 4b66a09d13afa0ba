//! Where settings come from, and what they make of the sidecar.

mod workload_support;

use aigwctl::controllers::ai_gateway::settings::flags::Id;
use aigwctl::controllers::ai_gateway::settings::{self, Inputs, Settings, deployment};
use aigwctl::controllers::profile::ControllerVersion;
use aigwctl::failure::Failure;
use aigwctl::secret::Reveal;
use aigwctl::world::finding::{Finding, Severity};
use serde_json::{Value, json};
use workload_support::{Case, answer, document, world};

fn version(text: &str) -> ControllerVersion {
    ControllerVersion::parse(text).unwrap()
}

fn controller(container: Value) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "ai-gateway-controller",
            "namespace": "envoy-ai-gateway-system",
            "labels": { "app.kubernetes.io/name": "ai-gateway-helm" },
        },
        "spec": { "template": { "spec": { "containers": [container] } } },
    })
}

fn with_args(args: &[&str]) -> Value {
    controller(
        json!({ "name": "ai-gateway-helm", "image": "x/ai-gateway-controller:v1.1.0", "args": args }),
    )
}

/// A setting as text with its source.
fn shown(settings: &Settings<'_>, id: Id) -> (Option<String>, &'static str) {
    let setting = settings.get(id);
    (setting.value.shown(Reveal::ALL), setting.source.id())
}

fn some(text: &str, source: &'static str) -> (Option<String>, &'static str) {
    (Some(text.to_string()), source)
}

type Flags<'a> = &'a [(&'a str, &'a str)];

/// Resolves settings and looks at some of them.
fn resolve<R>(
    version_text: &str,
    flags: Flags<'_>,
    values: &[Value],
    controller: Option<Value>,
    look: impl FnOnce(&Settings<'_>, &[Finding]) -> R,
) -> Result<R, Failure> {
    let flags: Vec<_> = flags
        .iter()
        .map(|(n, v)| (n.to_string(), v.to_string()))
        .collect();
    let values: Vec<_> = values
        .iter()
        .enumerate()
        .map(|(i, v)| document(&format!("values-{i}.yaml"), v))
        .collect();
    let values: Vec<_> = values.iter().collect();
    let objects = world(controller.as_slice());
    let inputs = Inputs {
        flags: &flags,
        values: &values,
        deployment: deployment::find(&objects).unwrap(),
        envoy_gateway_namespace: None,
    };
    let (settings, findings) = settings::resolve(&version(version_text), &inputs)?;
    Ok(look(&settings, &findings))
}

#[test]
fn each_source_overrides_the_next() {
    let values = json!({ "extProc": { "logLevel": "warn", "imagePullPolicy": "Never" } });
    let args = [
        "--extProcLogLevel=error",
        "--rootPrefix=/d",
        "-extProcImagePullPolicy=Always",
    ];
    let look = |settings: &Settings<'_>, findings: &[Finding]| {
        assert!(findings.is_empty(), "{findings:?}");
        [
            Id::ExtProcLogLevel,
            Id::ExtProcImagePullPolicy,
            Id::RootPrefix,
            Id::EndpointPrefixes,
        ]
        .map(|id| shown(settings, id))
    };
    let all = resolve(
        "v1.1.0",
        &[("extProcLogLevel", "debug")],
        std::slice::from_ref(&values),
        Some(with_args(&args)),
        look,
    );
    let expected = [
        some("debug", "controller-flag"),
        some("Never", "values"),
        some("/d", "deployment"),
        // Absent from the Deployment, so not the chart's default.
        some("", "code-default"),
    ];
    assert_eq!(all.unwrap(), expected);
    let chart = resolve("v1.1.0", &[], &[values], None, look);
    let expected = [
        some("warn", "values"),
        some("Never", "values"),
        some("/", "chart-default"),
        some(
            "openai:,cohere:/cohere,anthropic:/anthropic",
            "chart-default",
        ),
    ];
    assert_eq!(chart.unwrap(), expected);
}

#[test]
fn the_charts_defaults_of_each_version() {
    for release in ["v1.0.0", "v1.1.0", "v1.0.3"] {
        let look = |settings: &Settings<'_>, _: &[Finding]| {
            let names: Vec<_> = settings.iter().map(|(flag, _)| flag.name).collect();
            assert_eq!(
                names.contains(&"extProcLogFormat"),
                release == "v1.1.0",
                "{release}"
            );
            [
                Id::ExtProcImage,
                Id::ExtProcMaxRecvMsgSize,
                Id::SpanRequestHeaderAttributes,
                Id::RequestHeaderAttributes,
                Id::CaBundleName,
                Id::McpFallbackSessionEncryptionIterations,
            ]
            .map(|id| shown(settings, id))
        };
        let expected = [
            some(
                &format!("docker.io/envoyproxy/ai-gateway-extproc:{release}"),
                "chart-default",
            ),
            some("536870912", "code-default"),
            (None, "chart-default"),
            (None, "chart-default"),
            some("ca.crt", "code-default"),
            some("100000", "chart-default"),
        ];
        assert_eq!(
            resolve(release, &[], &[], None, look).unwrap(),
            expected,
            "{release}"
        );
    }
}

#[test]
fn what_the_chart_makes_of_values() {
    // Values, flag, value.
    let rows: &[(Value, Id, Option<&str>)] = &[
        (
            json!({ "extProc": { "image": { "tag": "t" } } }),
            Id::ExtProcImage,
            Some("docker.io/envoyproxy/ai-gateway-extproc:t"),
        ),
        (
            json!({ "extProc": { "image": { "repository": "r/x" } } }),
            Id::ExtProcImage,
            Some("r/x:v1.1.0"),
        ),
        (
            json!({ "extProc": { "enableRedaction": true } }),
            Id::ExtProcEnableRedaction,
            Some("true"),
        ),
        (
            json!({ "extProc": { "enableRedaction": false } }),
            Id::ExtProcEnableRedaction,
            Some("false"),
        ),
        // The chart passes only true, and true is the code's default.
        (
            json!({ "controller": { "leaderElection": { "enabled": false } } }),
            Id::EnableLeaderElection,
            Some("true"),
        ),
        (
            json!({ "extProc": { "imagePullSecrets": [{ "name": "a" }, { "name": "b" }] } }),
            Id::ExtProcImagePullSecrets,
            Some("a;b"),
        ),
        (
            json!({ "global": { "imagePullSecrets": [{ "name": "g" }] } }),
            Id::ExtProcImagePullSecrets,
            Some("g"),
        ),
        (
            json!({ "global": { "imagePullSecrets": [{ "name": "g" }] }, "extProc": { "imagePullSecrets": [{ "name": "a" }] } }),
            Id::ExtProcImagePullSecrets,
            Some("a"),
        ),
        (
            json!({ "controller": { "requestHeaderAttributes": "" } }),
            Id::RequestHeaderAttributes,
            None,
        ),
        (
            json!({ "controller": { "requestHeaderAttributes": "a:b" } }),
            Id::RequestHeaderAttributes,
            Some("a:b"),
        ),
        (
            json!({ "controller": { "spanRequestHeaderAttributes": "" } }),
            Id::SpanRequestHeaderAttributes,
            Some(""),
        ),
        (
            json!({ "controller": { "spanRequestHeaderAttributes": null } }),
            Id::SpanRequestHeaderAttributes,
            None,
        ),
        (
            json!({ "endpointConfig": { "cohere": null } }),
            Id::EndpointPrefixes,
            Some("openai:,anthropic:/anthropic"),
        ),
        (
            json!({ "endpointConfig": { "openai": "/o" } }),
            Id::EndpointPrefixes,
            Some("openai:/o,cohere:/cohere,anthropic:/anthropic"),
        ),
        (
            json!({ "endpointConfig": { "openai": null, "cohere": null, "anthropic": null } }),
            Id::EndpointPrefixes,
            Some(""),
        ),
        (
            json!({ "extProc": { "extraEnvVars": [{ "name": "A", "value": "1" }, { "name": "B", "value": "x=y" }] } }),
            Id::ExtProcExtraEnvVars,
            Some("A=1;B=x=y"),
        ),
        (
            json!({ "extProc": { "extraEnvVars": [{ "name": "A", "valueFrom": { "fieldRef": { "fieldPath": "x" } } }] } }),
            Id::ExtProcExtraEnvVars,
            Some("A=%!s(<nil>)"),
        ),
        (
            json!({ "controller": { "watch": { "namespaces": ["a", "b"] } } }),
            Id::WatchNamespaces,
            Some("a,b"),
        ),
        (
            json!({ "controller": { "mcp": { "sessionEncryption": { "iterations": 7 } } } }),
            Id::McpSessionEncryptionIterations,
            Some("7"),
        ),
        (
            json!({ "controller": { "mcp": { "sessionEncryption": { "fallback": { "seed": "s", "iterations": 7 } } } } }),
            Id::McpFallbackSessionEncryptionIterations,
            Some("7"),
        ),
        (
            json!({ "controller": { "maxRecvMsgSize": "8" } }),
            Id::MaxRecvMsgSize,
            Some("8"),
        ),
        (
            json!({ "ai-gateway-helm": { "extProc": { "logLevel": "debug" } }, "other": { "extProc": 1 } }),
            Id::ExtProcLogLevel,
            Some("debug"),
        ),
    ];
    for (values, id, expected) in rows {
        let found = resolve(
            "v1.1.0",
            &[],
            std::slice::from_ref(values),
            None,
            |settings, _| {
                let (value, source) = shown(settings, *id);
                assert_eq!(source, "values", "{values}");
                value
            },
        );
        assert_eq!(found.unwrap().as_deref(), *expected, "{values}");
    }
}

#[test]
fn iterations_of_a_fallback_without_a_seed_have_no_effect() {
    let fallback = json!({ "fallback": { "iterations": 7 } });
    let values = json!({ "controller": { "mcp": { "sessionEncryption": fallback } } });
    let id = Id::McpFallbackSessionEncryptionIterations;
    let found = resolve("v1.1.0", &[], &[values], None, |settings, _| {
        shown(settings, id)
    });
    assert_eq!(found.unwrap(), some("100000", "chart-default"));
}

#[test]
fn of_two_values_files_the_later_wins_key_by_key() {
    let first = json!({ "extProc": { "logLevel": "debug", "imagePullPolicy": "Always" } });
    let second = json!({ "extProc": { "logLevel": "warn" } });
    let found = resolve("v1.1.0", &[], &[first, second], None, |settings, _| {
        [Id::ExtProcLogLevel, Id::ExtProcImagePullPolicy].map(|id| shown(settings, id))
    });
    assert_eq!(
        found.unwrap(),
        [some("warn", "values"), some("Always", "values")]
    );
}

#[test]
fn unknown_and_misplaced_keys_are_told_with_the_nearest_right_one() {
    let values = json!({ "ai-gateway-helm": {
        "mutatingWebhook": { "certManager": { "enable": true } },
        "extProc": { "logLevl": "debug", "resources": {} },
        "controller": { "podLabels": { "any": "thing" } },
    } });
    let found = resolve("v1.1.0", &[], &[values], None, |_, findings| {
        let told = findings
            .iter()
            .map(|f| (f.field.clone(), f.help.clone().unwrap_or_default()));
        assert!(
            findings
                .iter()
                .all(|f| f.severity == Severity::Warning && f.at.is_some())
        );
        told.collect::<Vec<_>>()
    });
    let expected = [
        (
            "ai-gateway-helm.extProc.logLevl",
            "did you mean ai-gateway-helm.extProc.logLevel?",
        ),
        (
            "ai-gateway-helm.extProc.resources",
            "did you mean ai-gateway-helm.controller.resources?",
        ),
        (
            "ai-gateway-helm.mutatingWebhook",
            "did you mean ai-gateway-helm.controller.mutatingWebhook?",
        ),
    ];
    assert_eq!(
        found.unwrap(),
        expected.map(|(key, help)| (key.to_string(), help.to_string()))
    );
}

#[test]
fn values_and_flags_that_stop_the_controller_are_failures() {
    let flag = |name: &str, value: &str| {
        resolve("v1.0.0", &[(name, value)], &[], None, |_, _| ()).unwrap_err()
    };
    for (name, value) in [
        ("extProcLogLevel", "trace"),
        ("extProcImagePullPolicy", "always"),
        ("logLevel", "loud"),
        ("endpointPrefixes", "mistral:/m"),
        ("metricsRequestHeaderAttributes", "a"),
        ("extProcExtraEnvVars", "CANARY"),
        ("mcpSessionEncryptionIterations", "0"),
        ("mcpSessionEncryptionIterations", "1e5"),
        ("extProcEnableRedaction", "yes"),
        ("cacheSyncTimeout", "2"),
        ("extProcLogFormat", "json"),
        ("extProcLogLevels", "info"),
    ] {
        let failure = flag(name, value);
        assert!(failure.message.contains(name), "{failure}");
        assert!(!failure.message.contains("CANARY"), "{failure}");
    }
    assert_eq!(flag("--rootPrefx", "/").hints, ["did you mean rootPrefix?"]);
    for values in [
        json!({ "extProc": { "logLevel": "trace" } }),
        json!({ "extProc": { "logLevel": null } }),
        json!({ "extProc": null }),
        json!({ "extProc": { "image": "x:1" } }),
        json!({ "extProc": { "logLevel": ["info"] } }),
        json!({ "extProc": { "imagePullSecrets": ["a"] } }),
        json!({ "controller": { "mcp": { "sessionEncryption": { "iterations": 0 } } } }),
        json!(["a"]),
    ] {
        let failure = resolve(
            "v1.1.0",
            &[],
            std::slice::from_ref(&values),
            None,
            |_, _| (),
        );
        assert!(
            failure.unwrap_err().message.contains("values-0.yaml"),
            "{values}"
        );
    }
}

#[test]
fn a_flag_may_be_given_with_its_dashes_and_the_last_one_wins() {
    let flags = [("--rootPrefix", "/a"), ("-rootPrefix", "/b")];
    let found = resolve("v1.1.0", &flags, &[], None, |settings, _| {
        shown(settings, Id::RootPrefix)
    });
    assert_eq!(found.unwrap(), some("/b", "controller-flag"));
}

#[test]
fn a_deployment_is_read_as_the_controller_reads_its_command_line() {
    let args = [
        "-extProcLogLevel",
        "debug",
        "--rootPrefix=/a",
        "-extProcEnableRedaction",
        "--mcpSessionEncryptionIterations=0x10",
        "-spanRequestHeaderAttributes=",
    ];
    let found = resolve(
        "v1.1.0",
        &[],
        &[],
        Some(with_args(&args)),
        |settings, findings| {
            assert!(findings.is_empty(), "{findings:?}");
            assert_eq!(shown(settings, Id::ExtProcImage).1, "code-default");
            let place = settings.get(Id::ExtProcLogLevel).source.place();
            assert!(place.is_some());
            [
                Id::ExtProcLogLevel,
                Id::RootPrefix,
                Id::ExtProcEnableRedaction,
                Id::McpSessionEncryptionIterations,
                Id::SpanRequestHeaderAttributes,
            ]
            .map(|id| shown(settings, id).0.unwrap())
        },
    );
    assert_eq!(found.unwrap(), ["debug", "/a", "true", "16", ""]);
}

#[test]
fn faults_of_a_deployment_are_findings_and_the_answer_goes_on() {
    let args = [
        "--unknown=1",
        "--extProcLogLevel=loud",
        "-mcpSessionEncryptionIterations=x",
        "---bad",
        "--rootPrefix=/a",
        "-enableLeaderElection",
        "false",
        "--rootPrefix=/never-read",
    ];
    let found = resolve(
        "v1.1.0",
        &[],
        &[],
        Some(with_args(&args)),
        |settings, findings| {
            let level = shown(settings, Id::ExtProcLogLevel);
            assert_eq!(level, some("info", "code-default"));
            assert_eq!(shown(settings, Id::RootPrefix), some("/a", "deployment"));
            findings
                .iter()
                .map(|f| (f.code, f.severity, f.field.clone()))
                .collect::<Vec<_>>()
        },
    );
    let arg = |i: usize| format!("spec.template.spec.containers[0].args[{i}]");
    let mut found = found.unwrap();
    found.sort_by(|a, b| a.2.cmp(&b.2));
    let expected = [
        ("controller-flag-refused", Severity::Error, arg(0)),
        ("controller-flag-refused", Severity::Error, arg(1)),
        ("controller-flag-refused", Severity::Error, arg(2)),
        ("controller-flag-refused", Severity::Error, arg(3)),
        ("controller-args-unread", Severity::Warning, arg(6)),
    ];
    assert_eq!(found, expected);
}

#[test]
fn variables_in_arguments_are_expanded() {
    let container = json!({
        "name": "any",
        "image": "mirror:5000/x/ai-gateway-controller@sha256:ab",
        "command": ["/app", "-extProcLogLevel=$(LEVEL)"],
        "args": ["--rootPrefix=$(BASE)/x$$(BASE)$(NOPE)", "--mcpSessionEncryptionSeed=$(SEED)"],
        "env": [
            { "name": "LEVEL", "value": "warn" },
            { "name": "ROOT", "value": "/r" },
            { "name": "BASE", "value": "$(ROOT)/b" },
            { "name": "SEED", "valueFrom": { "secretKeyRef": { "name": "s", "key": "k" } } },
        ],
    });
    let found = resolve(
        "v1.1.0",
        &[],
        &[],
        Some(controller(container)),
        |settings, findings| {
            let codes: Vec<_> = findings.iter().map(|f| f.code).collect();
            assert_eq!(codes, ["controller-arg-unknown"]);
            [Id::ExtProcLogLevel, Id::RootPrefix].map(|id| shown(settings, id).0.unwrap())
        },
    );
    assert_eq!(found.unwrap(), ["warn", "/r/b/x$(BASE)$(NOPE)"]);
}

#[test]
fn which_deployment_is_the_controllers() {
    let mut by_image = controller(
        json!({ "name": "c", "image": "mirror:5000/ai-gateway-controller:v1.0.2@sha256:ab" }),
    );
    by_image["metadata"]["name"] = json!("by-image");
    by_image["metadata"]["labels"] = json!({});
    let mut other = controller(json!({ "name": "c", "image": "x/other-controller:1" }));
    other["metadata"]["labels"] = json!({ "app.kubernetes.io/name": "other" });
    other["metadata"]["name"] = json!("other");
    let objects = world(&[other.clone(), by_image.clone()]);
    let found = deployment::find(&objects).unwrap().unwrap();
    assert_eq!(
        (found.name(), deployment::version(found)),
        ("by-image", Some("v1.0.2"))
    );
    assert!(deployment::find(&world(&[other])).unwrap().is_none());
    let failure = deployment::find(&world(&[by_image, with_args(&[])])).unwrap_err();
    assert!(
        failure.message.contains("by-image") && failure.message.contains("ai-gateway-controller")
    );
}

#[test]
fn envoy_gateways_namespace_is_taken_for_every_version() {
    for release in ["v1.0.0", "v1.1.0"] {
        let flags = [("envoyGatewayNamespace".to_string(), "other".to_string())];
        let mut inputs = Inputs {
            envoy_gateway_namespace: Some("eg"),
            ..Inputs::default()
        };
        let (settings, _) = settings::resolve(&version(release), &inputs).unwrap();
        assert_eq!(settings.envoy_gateway_namespace(), "eg");
        inputs.flags = &flags;
        assert!(settings::resolve(&version(release), &inputs).is_err());
        inputs.envoy_gateway_namespace = Some("other");
        assert!(settings::resolve(&version(release), &inputs).is_ok());
    }
}

fn flags(case: &mut Case, flags: &[(&str, &str)]) {
    case.flags.extend(
        flags
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string())),
    );
}

fn sidecar(case: &Case) -> Value {
    let spec = answer(case).injected.unwrap();
    let list = if case.kubernetes_version == "1.32" {
        "containers"
    } else {
        "initContainers"
    };
    spec[list].as_array().unwrap().last().unwrap().clone()
}

#[test]
fn arguments_in_order() {
    let mut case = Case::new("v1.1.0");
    case.has_mcp_route = true;
    flags(
        &mut case,
        &[
            ("extProcLogFormat", "json"),
            ("mcpFallbackSessionEncryptionSeed", "old"),
            ("requestHeaderAttributes", "r:r"),
            ("spanRequestHeaderAttributes", ""),
            ("metricsRequestHeaderAttributes", "m:m"),
            ("logRequestHeaderAttributes", ""),
            ("endpointPrefixes", "openai:/o"),
            ("extProcEnableRedaction", "true"),
        ],
    );
    let expected = json!([
        "-configBundlePath",
        "/etc/filter-config-bundle",
        "-logLevel",
        "info",
        "-extProcAddr",
        "unix:///etc/ai-gateway-extproc-uds/run.sock",
        "-adminPort",
        "1064",
        "-rootPrefix",
        "/",
        "-maxRecvMsgSize",
        "536870912",
        "-logFormat",
        "json",
        "-mcpAddr",
        ":9856",
        "-mcpSessionEncryptionSeed",
        "default-insecure-seed",
        "-mcpSessionEncryptionIterations",
        "100000",
        "-mcpFallbackSessionEncryptionSeed",
        "old",
        "-mcpFallbackSessionEncryptionIterations",
        "100000",
        "-requestHeaderAttributes",
        "r:r",
        "-spanRequestHeaderAttributes",
        "",
        "-metricsRequestHeaderAttributes",
        "m:m",
        "-logRequestHeaderAttributes",
        "",
        "-endpointPrefixes",
        "openai:/o",
        "-enableRedaction",
    ]);
    case.pods = vec![workload_support::pod("p", true)];
    assert_eq!(sidecar(&case)["args"], expected);
}

#[test]
fn what_a_gateway_config_changes() {
    let mut case = Case::new("v1.1.0");
    case.pods = vec![workload_support::pod("p", true)];
    flags(&mut case, &[("extProcExtraEnvVars", "A=1;B=2;C=")]);
    case.ext_proc = Some(json!({ "kubernetes": {
        "env": [
            { "name": "NEW", "valueFrom": { "resourceFieldRef": { "resource": "limits.cpu" } } },
            { "name": "A", "value": "3" },
            { "name": "FILE", "valueFrom": { "fileKeyRef": { "volumeName": "v", "path": "p", "key": "k" } } },
        ],
        "imageRepository": "mirror:5000/extproc",
        "resources": { "limits": { "cpu": 2, "memory": "1024Mi" } },
        "securityContext": { "seccompProfile": { "type": "Unconfined" } },
        "volumeMounts": [{ "name": "v", "mountPath": "/v", "readOnly": false }],
    } }));
    let container = sidecar(&case);
    assert_eq!(container["image"], "mirror:5000/extproc:v1.1.0");
    let env = json!([
        { "name": "A", "value": "3" },
        { "name": "B", "value": "2" },
        { "name": "C" },
        { "name": "NEW", "valueFrom": { "resourceFieldRef": { "resource": "limits.cpu", "divisor": "0" } } },
        { "name": "FILE", "valueFrom": { "fileKeyRef": { "volumeName": "v", "path": "p", "key": "k", "optional": false } } },
    ]);
    assert_eq!(container["env"], env);
    assert_eq!(
        container["resources"],
        json!({ "limits": { "cpu": "2", "memory": "1Gi" } })
    );
    assert_eq!(
        container["securityContext"],
        json!({ "seccompProfile": { "type": "Unconfined" } })
    );
    let mounts: Vec<_> = container["volumeMounts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| &m["mountPath"])
        .collect();
    let expected = [
        "/etc/ai-gateway-extproc-uds",
        "/v",
        "/etc/filter-config",
        "/etc/filter-config-bundle",
    ];
    assert_eq!(mounts, expected);
}

#[test]
fn credentials_are_shown_only_on_demand() {
    let mut case = Case::new("v1.1.0");
    case.has_mcp_route = true;
    case.pods = vec![workload_support::pod("p", true)];
    flags(
        &mut case,
        &[
            ("mcpSessionEncryptionSeed", "CANARY-1"),
            ("mcpFallbackSessionEncryptionSeed", "CANARY-2"),
            ("extProcExtraEnvVars", "KEY=CANARY-3"),
        ],
    );
    case.ext_proc =
        Some(json!({ "kubernetes": { "env": [{ "name": "TOKEN", "value": "CANARY-4" }] } }));
    let found = answer(&case);
    assert!(!found.shown.contains("CANARY"), "{}", found.shown);
    let revealed = found.injected.unwrap().to_string();
    for i in 1..=4 {
        assert!(revealed.contains(&format!("CANARY-{i}")), "{i}");
    }
}

#[test]
fn where_the_version_is_read() {
    let labels = |version: &str| json!({ "app.kubernetes.io/name": "ai-gateway-helm", "app.kubernetes.io/version": version, "helm.sh/chart": "ai-gateway-helm-v1.0.0" });
    // Tag, label, version.
    for (image, label, expected) in [
        ("x/ai-gateway-controller:v1.1.0", "v1.0.0", Some("v1.1.0")),
        (
            "x/ai-gateway-controller@sha256:ab",
            "v1.0.1",
            Some("v1.0.1"),
        ),
        ("x/ai-gateway-controller:latest", "", Some("v1.0.0")),
    ] {
        let mut object = controller(json!({ "name": "c", "image": image }));
        object["metadata"]["labels"] = labels(label);
        let objects = world(&[object]);
        let found = deployment::find(&objects).unwrap().unwrap();
        assert_eq!(deployment::version(found), expected, "{image} {label}");
    }
    let objects = world(&[controller(
        json!({ "name": "c", "image": "x/ai-gateway-controller:latest" }),
    )]);
    let found = deployment::find(&objects).unwrap().unwrap();
    assert_eq!(deployment::version(found), Some("latest"));
}

#[test]
fn which_gateways_are_watched() {
    let watched = |value: &str| {
        resolve(
            "v1.1.0",
            &[("watchNamespaces", value)],
            &[],
            None,
            |settings, _| ["a", "b"].map(|namespace| settings.watches(namespace)),
        )
    };
    assert_eq!(watched("").unwrap(), [true, true]);
    assert_eq!(watched(" a , c").unwrap(), [true, false]);
}
