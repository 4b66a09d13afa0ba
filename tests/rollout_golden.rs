//! The workload's half of the answer against the real controllers: settings from every source, hash,
//! patches, pods.

mod support;

use aigwctl::controllers::ai_gateway::options::{MissingSecrets, Options};
use aigwctl::controllers::ai_gateway::outcome::Outcome;
use aigwctl::controllers::ai_gateway::reconcile_all;
use aigwctl::controllers::ai_gateway::settings::flags::Flag;
use aigwctl::controllers::ai_gateway::settings::{self, Inputs, Settings, deployment};
use aigwctl::controllers::ai_gateway::sidecar::{self, Admission, Mode};
use aigwctl::controllers::profile::ControllerVersion;
use aigwctl::manifest::Document;
use aigwctl::secret::Reveal;
use aigwctl::world::World as Objects;
use aigwctl::world::build::Builder;
use serde_json::{Map, Value, json};
use support::{UUID, World, each, worlds};

#[test]
fn golden_worlds_give_the_controllers_rollout() {
    let worlds = worlds();
    let results = each(&worlds, compare);
    let compared: usize = results.iter().map(|(compared, _)| compared).sum();
    let problems: Vec<String> = results
        .into_iter()
        .flat_map(|(_, problems)| problems)
        .collect();
    println!(
        "compared {} worlds and versions, {compared} values",
        worlds.len()
    );
    assert!(compared > 0, "nothing was compared");
    assert!(
        problems.is_empty(),
        "{} problems:\n{}",
        problems.len(),
        problems.join("\n")
    );
}

/// Asks once with each source of settings.
fn compare(world: &World) -> (usize, Vec<String>) {
    let version = ControllerVersion::parse(world.version).unwrap();
    let objects = read(world);
    let controller = deployment::find(&objects).unwrap().unwrap();
    assert_eq!(deployment::version(controller), Some(world.version));
    let (values, rest) = as_values(&world.options);
    let values = document(&values);
    let asked = [
        (
            "Deployment",
            Inputs {
                deployment: Some(controller),
                ..Inputs::default()
            },
        ),
        (
            "flags",
            Inputs {
                flags: &as_flags(&world.options, &version),
                ..Inputs::default()
            },
        ),
        (
            "values",
            Inputs {
                flags: &rest,
                values: &[&values],
                ..Inputs::default()
            },
        ),
    ];
    let (mut compared, mut problems) = (0, Vec::new());
    for (source, inputs) in asked {
        let (settings, findings) = settings::resolve(&version, &inputs).unwrap();
        let ignored = |code: &str| code == "values-key-unknown" && world.version == "v1.0.0";
        let findings: Vec<_> = findings.iter().filter(|f| !ignored(f.code)).collect();
        assert!(
            findings.is_empty(),
            "{} {source}: {findings:?}",
            world.name()
        );
        compare_settings(
            world,
            source,
            &objects,
            &version,
            &settings,
            &mut |problem| {
                compared += 1;
                problems.extend(problem);
            },
        );
    }
    (compared, problems)
}

/// What a change of a setting or of the GatewayConfig does to the hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    Changes,
    Keeps,
}

use Effect::{Changes, Keeps};

/// Flags with values that no recorded world has. None of them is looked at in pods.
const FLAG_CHANGES: &[(&str, &str, Effect)] = &[
    ("extProcImagePullPolicy", "Never", Changes),
    ("requestHeaderAttributes", "x-changed:y", Changes),
    ("spanRequestHeaderAttributes", "x-changed:y", Changes),
    ("metricsRequestHeaderAttributes", "x-changed:y", Changes),
    ("logRequestHeaderAttributes", "x-changed:y", Changes),
    ("rootPrefix", "/changed", Changes),
    ("endpointPrefixes", "openai:/changed", Changes),
    ("extProcExtraEnvVars", "CHANGED=1", Changes),
    ("extProcImagePullSecrets", "changed", Changes),
    ("extProcMaxRecvMsgSize", "4711", Changes),
    ("mcpSessionEncryptionSeed", "changed", Changes),
    ("mcpSessionEncryptionIterations", "4711", Changes),
    ("mcpFallbackSessionEncryptionSeed", "changed", Changes),
    ("mcpFallbackSessionEncryptionIterations", "4711", Changes),
    ("logLevel", "error", Keeps),
    ("logFormat", "json", Keeps),
    ("port", ":4711", Keeps),
    ("webhookPort", "4711", Keeps),
    ("maxRecvMsgSize", "4711", Keeps),
    ("cacheSyncTimeout", "7m", Keeps),
    ("enableLeaderElection", "false", Keeps),
    ("quotaRateLimitTimeout", "7", Keeps),
    ("tlsCertDir", "/changed", Keeps),
];

/// Changes of `spec.extProc.kubernetes` of a GatewayConfig.
const CONFIG_CHANGES: &[(&str, fn(&mut Value), Effect)] = &[
    (
        "resources",
        |k| k["resources"] = json!({ "limits": { "cpu": "77m" } }),
        Changes,
    ),
    (
        "claims",
        |k| k["resources"]["claims"] = json!([{ "name": "changed" }]),
        Changes,
    ),
    (
        "variable",
        |k| k["env"] = json!([{ "name": "CHANGED" }]),
        Changes,
    ),
    (
        "mount",
        |k| k["volumeMounts"] = json!([{ "name": "changed", "mountPath": "/c" }]),
        Changes,
    ),
    (
        "user",
        |k| k["securityContext"]["runAsUser"] = json!(4711),
        Changes,
    ),
    (
        "capabilities",
        |k| k["securityContext"]["capabilities"] = json!({ "add": ["X"] }),
        Changes,
    ),
    ("unknown field", |k| k["unknown"] = json!(1), Keeps),
    (
        "null",
        |k| {
            if let Some(resources) = k["resources"].as_object_mut() {
                resources.insert("claims".to_string(), json!(null));
            }
        },
        Keeps,
    ),
    (
        "spelling of amounts",
        |k| {
            let limits = k.pointer_mut("/resources/limits");
            for (_, amount) in limits.and_then(Value::as_object_mut).into_iter().flatten() {
                let text = amount.as_str().unwrap();
                *amount = json!(text.replace("500m", "0.5").replace("1Gi", "1024Mi"));
            }
        },
        Keeps,
    ),
];

#[test]
fn golden_worlds_are_rolled_exactly_when_a_change_alters_the_hash() {
    // What a change does is as true of the huge worlds, and takes long there.
    let is_small = |w: &World| std::fs::metadata(w.objects()).unwrap().len() < 1 << 20;
    let worlds = worlds()
        .into_iter()
        .filter(|w| w.version == "v1.1.0" && is_small(w));
    let worlds: Vec<World> = worlds.collect();
    let counts = each(&worlds, compare_changes);
    let sum = |i: usize| counts.iter().map(|c| c[i]).sum::<usize>();
    println!(
        "compared {} worlds: {} changes of flags, {} of GatewayConfigs",
        worlds.len(),
        sum(0),
        sum(1)
    );
    assert!(sum(0) > 0 && sum(1) > 0, "nothing was compared");
}

fn compare_changes(world: &World) -> [usize; 2] {
    let mut compared = [0, 0];
    let objects = read(world);
    let before = answers(world, &objects, &[]);
    for (name, value, effect) in FLAG_CHANGES {
        let flags = [(name.to_string(), value.to_string())];
        let after = answers(world, &objects, &flags);
        compared[0] += compare_change(world, name, *effect, &before, &after);
    }
    for (name, change, effect) in CONFIG_CHANGES {
        let after = answers(world, &read_changed(world, Some(change)), &[]);
        compared[1] += compare_change(world, name, *effect, &before, &after);
    }
    compared
}

/// What is compared of a Gateway.
#[derive(Debug, Clone, PartialEq)]
struct GatewayAnswer {
    name: String,
    config_hash: String,
    /// Some live route is attached and no rollout is in progress.
    looks_at_hashes: bool,
    /// The GatewayConfig says something about the sidecar.
    is_configured: bool,
    patches: Vec<Value>,
    workloads: usize,
}

fn answers(world: &World, objects: &Objects, flags: &[(String, String)]) -> Vec<GatewayAnswer> {
    let version = ControllerVersion::parse(world.version).unwrap();
    let deployment = deployment::find(objects).unwrap();
    let inputs = Inputs {
        flags,
        deployment,
        ..Inputs::default()
    };
    let (settings, _) = settings::resolve(&version, &inputs).unwrap();
    let outcomes = reconcile_all(objects, &options(world, &version, &settings));
    let answers = outcomes.iter().map(|outcome| {
        let rollout = outcome.workload.rollout.as_ref();
        let workloads = &outcome.workloads;
        let config = outcome
            .gateway_config
            .map(|config| config.spec().get("extProc"));
        GatewayAnswer {
            name: format!("{} {}", world.name(), outcome.name()),
            config_hash: outcome.workload.config_hash.clone().unwrap(),
            looks_at_hashes: outcome.has_effective_route && rollout.is_some_and(|r| !r.waits),
            is_configured: config.is_some_and(|c| c.get("kubernetes").is_set()),
            patches: serde_json::from_value(patches(outcome)).unwrap(),
            workloads: workloads.deployments.len() + workloads.daemon_sets.len(),
        }
    });
    answers.collect()
}

fn compare_change(
    world: &World,
    change: &str,
    effect: Effect,
    before: &[GatewayAnswer],
    after: &[GatewayAnswer],
) -> usize {
    let is_flag = FLAG_CHANGES.iter().any(|(name, ..)| *name == change);
    assert_eq!(before.len(), after.len(), "{}", world.name());
    for (before, after) in before.iter().zip(after) {
        let name = format!("{} {change}", before.name);
        let changes = effect == Changes && (is_flag || before.is_configured);
        assert_eq!(
            before.config_hash != after.config_hash,
            changes,
            "{name}: hash"
        );
        if !changes || !before.looks_at_hashes {
            assert_eq!(before.patches, after.patches, "{name}: patches");
            continue;
        }
        let path = "/body/spec/template/metadata/annotations";
        let templates = |answer: &GatewayAnswer| -> Vec<Value> {
            let bodies = answer
                .patches
                .iter()
                .filter_map(|patch| patch.pointer(path));
            bodies.cloned().collect()
        };
        assert_eq!(templates(after).len(), after.workloads, "{name}: workloads");
        for template in templates(after) {
            let hash = &template["aigateway.envoyproxy.io/extproc-config-hash"];
            assert_eq!(*hash, after.config_hash.as_str(), "{name}");
        }
        let uuids = |answer: &GatewayAnswer| {
            let templates = templates(answer);
            templates
                .iter()
                .filter(|t| t["aigateway.envoyproxy.io/uuid"].is_string())
                .count()
        };
        assert_eq!(uuids(before), uuids(after), "{name}: uuids");
    }
    before.len()
}

/// The world with every GatewayConfig that configures the sidecar changed.
fn read_changed(world: &World, change: Option<&fn(&mut Value)>) -> Objects {
    let mut builder = Builder::new(None);
    for path in [world.objects(), world.controller()] {
        let bytes = std::fs::read(&path).unwrap();
        for read in aigwctl::manifest::read(path.into(), &bytes, &Default::default()) {
            let mut read = read.unwrap();
            let mut object = read.root.to_json();
            let configured = object.pointer_mut("/spec/extProc/kubernetes");
            if let (Some(change), Some(kubernetes)) = (change, configured) {
                change(kubernetes);
                read = document(&object);
            }
            builder.add(read);
        }
    }
    builder.finish().0
}

fn read(world: &World) -> Objects {
    read_changed(world, None)
}

fn document(value: &Value) -> Document {
    let text = value.to_string();
    let file = "values.yaml".into();
    aigwctl::manifest::read_yaml(file, text.as_bytes(), &Default::default()).unwrap()
}

/// The settings as flags of the controller.
fn as_flags(options: &Value, version: &ControllerVersion) -> Vec<(String, String)> {
    let options = options.as_object().unwrap();
    let flags = options
        .iter()
        .filter(|(name, _)| Flag::find(name, version.profile).is_some());
    flags
        .filter_map(|(name, value)| match value {
            Value::Null => None,
            Value::String(text) => Some((name.clone(), text.clone())),
            other => Some((name.clone(), other.to_string())),
        })
        .collect()
}

/// The settings as Helm values, and the flags that the chart cannot give.
fn as_values(options: &Value) -> (Value, Vec<(String, String)>) {
    let text = |key: &str| options[key].as_str().unwrap_or_default().to_string();
    let mut rest = Vec::new();
    let mut ext_proc = json!({
        "imagePullPolicy": options["extProcImagePullPolicy"],
        "logLevel": options["extProcLogLevel"],
        "logFormat": options["extProcLogFormat"],
        "enableRedaction": options["extProcEnableRedaction"],
        "imagePullSecrets": names(&text("extProcImagePullSecrets")),
        "extraEnvVars": variables(&text("extProcExtraEnvVars")),
    });
    let image = text("extProcImage");
    match image.rsplit_once(':').filter(|(_, tag)| !tag.contains('/')) {
        Some((repository, tag)) => {
            ext_proc["image"] = json!({ "repository": repository, "tag": tag });
        }
        // The chart always writes a tag.
        None => rest.push(("extProcImage".to_string(), image)),
    }
    let mut endpoints = Map::from_iter([("rootPrefix".to_string(), options["rootPrefix"].clone())]);
    for provider in ["openai", "cohere", "anthropic"] {
        endpoints.insert(provider.to_string(), Value::Null);
    }
    for (provider, prefix) in text("endpointPrefixes")
        .split(',')
        .filter_map(|p| p.split_once(':'))
    {
        endpoints.insert(provider.to_string(), json!(prefix));
    }
    let fallback = json!({
        "seed": options["mcpFallbackSessionEncryptionSeed"],
        "iterations": options["mcpFallbackSessionEncryptionIterations"],
    });
    let controller = json!({
        "requestHeaderAttributes": text("requestHeaderAttributes"),
        "spanRequestHeaderAttributes": options["spanRequestHeaderAttributes"],
        "metricsRequestHeaderAttributes": text("metricsRequestHeaderAttributes"),
        "logRequestHeaderAttributes": options["logRequestHeaderAttributes"],
        "mcp": { "sessionEncryption": {
            "seed": options["mcpSessionEncryptionSeed"],
            "iterations": options["mcpSessionEncryptionIterations"],
            "fallback": fallback,
        } },
    });
    let values = json!({
        "extProc": ext_proc,
        "endpointConfig": endpoints,
        "controller": controller,
        "envoyGateway": { "namespace": options["envoyGatewayNamespace"] },
    });
    (values, rest)
}

fn names(list: &str) -> Value {
    let names = list
        .split(';')
        .map(str::trim)
        .filter(|name| !name.is_empty());
    names.map(|name| json!({ "name": name })).collect()
}

fn variables(list: &str) -> Value {
    let pairs = list.split(';').filter_map(|pair| pair.split_once('='));
    pairs
        .map(|(name, value)| json!({ "name": name, "value": value }))
        .collect()
}

fn compare_settings<'w>(
    world: &World,
    source: &str,
    objects: &'w Objects,
    version: &ControllerVersion,
    settings: &Settings<'w>,
    each: &mut dyn FnMut(Option<String>),
) {
    let options = options(world, version, settings);
    let outcomes = reconcile_all(objects, &options);
    let expected = world.expected["gateways"].as_array().unwrap();
    assert_eq!(expected.len(), outcomes.len());
    for (expected, outcome) in expected.iter().zip(&outcomes) {
        if expected["error"].is_null() != outcome.refusal.is_none() {
            continue; // The comparison of refusals tells.
        }
        let name = format!("{} {} {source}", world.name(), outcome.name());
        for (key, actual) in shown(outcome) {
            let expected = &expected[key];
            let problem = format!("{name}: {key}: expected {expected}, got {actual}");
            each((*expected != actual).then_some(problem));
        }
    }
}

fn options<'w>(world: &World, version: &ControllerVersion, settings: &Settings<'w>) -> Options<'w> {
    let kubernetes = world.options["kubernetesVersion"].as_str().unwrap();
    Options {
        version: version.clone(),
        uuid: UUID.to_string(),
        complete: true,
        missing_secrets: MissingSecrets::Skip,
        assume_namespace: None,
        standalone: world.options["standAlone"] == true,
        settings: settings.clone(),
        mode: Mode::of(&sidecar::kubernetes_version(kubernetes).unwrap()),
        version_unread: Vec::new(),
    }
}

fn patches(outcome: &Outcome<'_>) -> Value {
    let rollout = outcome.workload.rollout.iter();
    let patches = rollout.flat_map(|rollout| &rollout.patches).map(|patch| {
        json!({
            "resource": patch.object.kind().plural(),
            "namespace": patch.object.namespace(),
            "name": patch.object.name(),
            "type": "application/merge-patch+json",
            "body": patch.body(),
        })
    });
    patches.collect()
}

fn shown(outcome: &Outcome<'_>) -> Vec<(&'static str, Value)> {
    let answer = &outcome.workload;
    let pods = answer.pods.iter().map(|case| match &case.admission {
        Admission::Untouched(_) => json!({ "case": case.name, "changed": false }),
        Admission::Injected(injection) => {
            let spec = injection.apply(&sidecar::sample()).json(Reveal::ALL);
            json!({ "case": case.name, "changed": true, "spec": spec })
        }
    });
    vec![
        ("requeueSeconds", outcome.requeue_seconds.into()),
        ("configHash", answer.config_hash.clone().into()),
        ("patches", patches(outcome)),
        ("pods", pods.collect()),
    ]
}
