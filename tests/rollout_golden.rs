//! The workload's half of the answer against the real controllers: settings, hash, patches, pods.

mod support;

use aigwctl::controllers::ai_gateway::options::{MissingSecrets, Options};
use aigwctl::controllers::ai_gateway::settings::{self, Inputs, deployment};
use aigwctl::controllers::ai_gateway::sidecar::{self, Admission, Mode};
use aigwctl::controllers::ai_gateway::workload::{self, Setup, WorkloadAnswer};
use aigwctl::controllers::ai_gateway::{outcome::Outcome, reconcile_all};
use aigwctl::controllers::profile::ControllerVersion;
use aigwctl::secret::Reveal;
use aigwctl::world::World as Objects;
use aigwctl::world::build::Builder;
use serde_json::{Value, json};
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

fn compare(world: &World) -> (usize, Vec<String>) {
    let version = ControllerVersion::parse(world.version).unwrap();
    let objects = read(world);
    let controller = deployment::find(&objects).unwrap().unwrap();
    assert_eq!(deployment::version(controller), Some(world.version));
    let inputs = Inputs {
        deployment: Some(controller),
        ..Inputs::default()
    };
    let (settings, findings) = settings::resolve(&version, &inputs).unwrap();
    assert!(findings.is_empty(), "{}: {findings:?}", world.name());
    let option = |key: &str| world.options[key].as_str().unwrap();
    let mode = Mode::of(&sidecar::kubernetes_version(option("kubernetesVersion")).unwrap());
    assert_eq!(world.options["extProcAsSideCar"], mode == Mode::Sidecar);
    let options = Options {
        version: version.clone(),
        uuid: UUID.to_string(),
        complete: true,
        missing_secrets: MissingSecrets::Skip,
        assume_namespace: None,
        standalone: world.options["standAlone"] == true,
        envoy_gateway_namespace: settings.envoy_gateway_namespace().to_string(),
    };
    let setup = Setup {
        world: &objects,
        profile: version.profile,
        settings: &settings,
        mode,
        uuid: UUID,
    };
    let outcomes = reconcile_all(&objects, &options);
    let expected = world.expected["gateways"].as_array().unwrap();
    assert_eq!(expected.len(), outcomes.len());
    let (mut compared, mut problems) = (0, Vec::new());
    for (expected, outcome) in expected.iter().zip(&outcomes) {
        let actual = shown(&workload::answer(&setup, outcome), outcome);
        for (key, actual) in actual {
            compared += 1;
            if expected[key] != actual {
                problems.push(format!(
                    "{} {}: {key}: expected {} got {actual}",
                    world.name(),
                    outcome.name(),
                    expected[key]
                ));
            }
        }
    }
    (compared, problems)
}

fn shown(answer: &WorkloadAnswer<'_>, outcome: &Outcome<'_>) -> Vec<(&'static str, Value)> {
    let rollout = answer.rollout.as_ref();
    let waits = rollout.is_some_and(|rollout| rollout.waits);
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
        (
            "requeueSeconds",
            outcome.requeue_seconds.or(waits.then_some(5)).into(),
        ),
        ("configHash", answer.config_hash.clone().into()),
        ("patches", patches.collect()),
        ("pods", pods.collect()),
    ]
}
