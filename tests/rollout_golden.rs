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

fn read(world: &World) -> Objects {
    let mut builder = Builder::new(None);
    for path in [world.objects(), world.controller()] {
        let bytes = std::fs::read(&path).unwrap();
        for document in aigwctl::manifest::read(path.into(), &bytes, &Default::default()) {
            builder.add(document.unwrap());
        }
    }
    builder.finish().0
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
    let kubernetes = world.options["kubernetesVersion"].as_str().unwrap();
    let options = Options {
        version: version.clone(),
        uuid: UUID.to_string(),
        complete: true,
        missing_secrets: MissingSecrets::Skip,
        assume_namespace: None,
        standalone: world.options["standAlone"] == true,
        settings: settings.clone(),
        mode: Mode::of(&sidecar::kubernetes_version(kubernetes).unwrap()),
    };
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

fn shown(outcome: &Outcome<'_>) -> Vec<(&'static str, Value)> {
    let answer = &outcome.workload;
    let rollout = answer.rollout.as_ref();
    let patches = rollout
        .iter()
        .flat_map(|rollout| &rollout.patches)
        .map(|patch| {
            json!({
                "resource": patch.object.kind().plural(),
                "namespace": patch.object.namespace(),
                "name": patch.object.name(),
                "type": "application/merge-patch+json",
                "body": patch.body(),
            })
        });
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
        ("patches", patches.collect()),
        ("pods", pods.collect()),
    ]
}
