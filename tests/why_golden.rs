//! `why` on recorded worlds: every value has a chain, and the impact of an object is the difference of
//! the answers with it and without it.

mod diff_support;
mod scratch;
mod support;

use std::collections::{BTreeMap, BTreeSet};

use aigwctl::controllers::ai_gateway::options::PLACEHOLDER_UUID;
use aigwctl::controllers::ai_gateway::reconcile_all;
use aigwctl::diff::path::Pattern;
use aigwctl::diff::why::explain;
use aigwctl::secret::Reveal;
use diff_support::{documents, list, objects, options};
use scratch::Scratch;
use serde_json::Value;
use support::{World, aigwctl, each, worlds};

fn passed(what: &str, results: Vec<(usize, Vec<String>)>) {
    let count: usize = results.iter().map(|(count, _)| count).sum();
    let problems: Vec<String> = results.into_iter().flat_map(|(_, p)| p).collect();
    println!("{count} {what}");
    assert!(count > 0, "nothing was compared");
    assert!(
        problems.is_empty(),
        "{} problems:\n{}",
        problems.len(),
        problems.join("\n")
    );
}

fn small_worlds(most: usize) -> Vec<World> {
    let mut worlds = worlds();
    worlds.retain(|w| {
        w.version == "v1.1.0" && std::fs::metadata(w.objects()).unwrap().len() < 200_000
    });
    worlds.truncate(most);
    worlds
}

#[test]
fn golden_values_are_explained_by_their_path() {
    let worlds = small_worlds(100);
    let results = each(&worlds, |world| {
        let mut items = documents(&world.objects());
        items.extend(documents(&world.controller()));
        let objects = objects(&items);
        let options = options(world, &objects, support::UUID);
        let (mut count, mut problems) = (0, Vec::new());
        for outcome in &reconcile_all(&objects, &options) {
            for value in explain(outcome, &options, None, Reveal::default()) {
                count += 1;
                let path = value.path.to_string();
                let pattern = Pattern::parse(&path);
                let found = pattern
                    .map(|pattern| explain(outcome, &options, Some(&pattern), Reveal::default()));
                let is_same = |found: &[aigwctl::diff::why::Explanation<'_>]| {
                    found
                        .iter()
                        .any(|f| f.path == value.path && f.value == value.value)
                };
                let from_document = path.starts_with(['m', 'b', 'l', 'g', 'u']);
                if !found.as_ref().is_ok_and(|found| is_same(found)) {
                    problems.push(format!(
                        "{} {}: not found: {path}",
                        world.name(),
                        outcome.name()
                    ));
                } else if value.source.is_none() && from_document && path != "uuid" {
                    problems.push(format!(
                        "{} {}: no place: {path}",
                        world.name(),
                        outcome.name()
                    ));
                }
            }
        }
        (count, problems)
    });
    passed("values explained", results);
}

#[test]
fn golden_impact_is_the_difference_without_the_object() {
    let scratch = Scratch::new("impact");
    let worlds = small_worlds(50);
    let results = each(&worlds, |world| impact(world, &scratch));
    passed("objects left out", results);
}

fn impact(world: &World, scratch: &Scratch) -> (usize, Vec<String>) {
    let items = documents(&world.objects());
    let all = scratch.write(&format!("{}.json", world.name()), list(&items));
    let with = answer(world, &items);
    let (mut count, mut problems) = (0, Vec::new());
    for item in &items {
        let text = |key: &str| item["metadata"][key].as_str().unwrap_or_default();
        let kind = item["kind"].as_str().unwrap_or_default();
        let id = format!("{kind}/{}/{}", text("namespace"), text("name"));
        let mut args = vec!["why".to_string(), all.clone(), world.controller()];
        args.extend([
            "--impact".to_string(),
            id.clone(),
            "--output=json".to_string(),
        ]);
        args.extend(world.flags());
        let why = aigwctl(&args);
        let stderr = String::from_utf8_lossy(&why.stderr);
        if stderr.contains("no kind that an answer depends on") {
            continue;
        }
        count += 1;
        let Ok(why) = serde_json::from_slice::<Value>(&why.stdout) else {
            problems.push(format!("{} {id}: {stderr}", world.name()));
            continue;
        };
        let is_same = |other: &Value| {
            let same = |key: &str| other["metadata"][key] == item["metadata"][key];
            other["kind"] == item["kind"] && same("name") && same("namespace")
        };
        let others: Vec<Value> = items.iter().filter(|o| !is_same(o)).cloned().collect();
        let without = answer(world, &others);
        problems.extend(check(
            &format!("{} {id}", world.name()),
            &with,
            &without,
            &why,
        ));
    }
    (count, problems)
}

/// A Gateway's document, if one would be written, and its patches.
type Rendered = (Option<Value>, Vec<String>);

/// The answer for objects, by Gateway.
fn answer(world: &World, items: &[Value]) -> BTreeMap<String, Rendered> {
    let mut items = items.to_vec();
    items.extend(documents(&world.controller()));
    let objects = objects(&items);
    let options = options(world, &objects, support::UUID);
    let outcomes = reconcile_all(&objects, &options);
    let rendered = outcomes.iter().map(|outcome| {
        let document = outcome.text(Reveal::ALL).map(|text| support::yaml(&text));
        let patches = outcome.workload.rollout.iter().flat_map(|r| &r.patches);
        let mut patches: Vec<String> = patches
            .map(|p| {
                format!(
                    "{} {} {}",
                    p.object.kind().plural(),
                    p.object.name(),
                    p.body()
                )
            })
            .collect();
        patches.sort();
        (outcome.name(), (document, patches))
    });
    rendered.collect()
}

/// Compares the impact with the two answers, Gateway by Gateway.
fn check(
    name: &str,
    with: &BTreeMap<String, Rendered>,
    without: &BTreeMap<String, Rendered>,
    why: &Value,
) -> Vec<String> {
    let mut problems = Vec::new();
    let gateways: BTreeSet<&String> = with.keys().chain(without.keys()).collect();
    for gateway in gateways {
        let none = Rendered::default();
        let (old, new) = (
            with.get(gateway).unwrap_or(&none),
            without.get(gateway).unwrap_or(&none),
        );
        let expected = match (&old.0, &new.0) {
            (Some(old), Some(new)) => diff_support::differences(old, new),
            (None, None) => BTreeSet::new(),
            (Some(_), None) => BTreeSet::from([(String::new(), "removed")]),
            (None, Some(_)) => BTreeSet::from([(String::new(), "added")]),
        };
        let actual = diff_support::reported(why, gateway);
        if expected != actual {
            problems.push(format!(
                "{name} {gateway}:\n  expected {expected:?}\n  got      {actual:?}"
            ));
        }
        for (side, expected) in [("old", &old.1), ("new", &new.1)] {
            let rollout = why["rollout"].as_array().unwrap().iter();
            let own = rollout.filter(|w| w["gateway"] == *gateway && !w["patches"][side].is_null());
            let text = |key: &str, w: &Value| w[key].as_str().unwrap().to_string();
            let mut actual: Vec<String> = own
                .map(|w| {
                    format!(
                        "{} {} {}",
                        text("resource", w),
                        text("name", w),
                        w["patches"][side]
                    )
                })
                .collect();
            actual.sort();
            // The UUID of the command line is another.
            let expected: Vec<String> = expected
                .iter()
                .map(|p| p.replace(support::UUID, PLACEHOLDER_UUID))
                .collect();
            let actual: Vec<String> = actual
                .iter()
                .map(|p| p.replace(support::UUID, PLACEHOLDER_UUID))
                .collect();
            if expected != actual {
                problems.push(format!(
                    "{name} {gateway} {side}: {expected:?} is not {actual:?}"
                ));
            }
        }
    }
    problems
}
