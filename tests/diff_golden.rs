//! `diff` against the answers of the real controllers: shuffled copies, upgrades, stored Secrets.

mod diff_support;
mod scratch;
mod support;

use std::collections::BTreeSet;

use aigwctl::controllers::ai_gateway::reconcile_all;
use aigwctl::diff::answer::{Answer, Question, compare};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use diff_support::{differences, documents, list, objects, options, reported};
use scratch::Scratch;
use serde_json::{Value, json};
use support::{World, aigwctl, canonical, each, worlds, yaml};

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

/// Numbers without order, the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

#[test]
fn golden_shuffled_copies_do_not_differ() {
    let worlds = worlds();
    let results = each(&worlds, |world| {
        let mut items = documents(&world.objects());
        items.extend(documents(&world.controller()));
        let mut shuffled = items.clone();
        let mut chance = Chance(
            world
                .name()
                .bytes()
                .fold(7, |sum, b| sum * 31 + u64::from(b)),
        );
        shuffle(&mut shuffled, &mut chance);
        let (old, new) = (objects(&items), objects(&shuffled));
        let old_options = options(world, &old, support::UUID);
        let new_options = options(world, &new, "11111111-0000-4000-8000-000000000000");
        let old_outcomes = reconcile_all(&old, &old_options);
        let new_outcomes = reconcile_all(&new, &new_options);
        let gateways = compare(
            &Answer {
                world: &old,
                options: &old_options,
                outcomes: &old_outcomes,
            },
            &Answer {
                world: &new,
                options: &new_options,
                outcomes: &new_outcomes,
            },
            &Question::default(),
        );
        let differing = gateways
            .iter()
            .filter(|g| g.differs() || !g.findings.is_empty());
        let problems = differing.map(|g| format!("{}: {} {:?}", world.name(), g.name(), g.changes));
        (1, problems.collect())
    });
    passed("shuffled worlds", results);
}

/// Objects in another order, and every list in one whose order the controller does not keep.
fn shuffle(items: &mut [Value], chance: &mut Chance) {
    for item in items.iter_mut() {
        if item["kind"] == "AIGatewayRoute" {
            shuffle_unique(&mut item["spec"]["llmRequestCosts"], "metadataKey", chance);
        }
        for level in mutations(item) {
            for mutation in ["headerMutation", "bodyMutation"] {
                let Some(mutation) = level.get_mut(mutation) else {
                    continue;
                };
                shuffle_unique(&mut mutation["set"], "name", chance);
                shuffle_unique(&mut mutation["set"], "path", chance);
                if let Some(remove) = mutation["remove"].as_array_mut() {
                    chance.shuffle(remove);
                }
            }
        }
    }
    // The API server keeps no order of objects.
    chance.shuffle(items);
}

/// A list whose entries have one name each: of two with one name the later wins.
fn shuffle_unique(list: &mut Value, key: &str, chance: &mut Chance) {
    let Some(items) = list.as_array_mut() else {
        return;
    };
    let names: BTreeSet<String> = items
        .iter()
        .filter_map(|i| Some(i[key].as_str()?.to_lowercase()))
        .collect();
    if names.len() == items.len() {
        chance.shuffle(items);
    }
}

/// Everything that may have mutations.
fn mutations(item: &mut Value) -> Vec<&mut Value> {
    match item["kind"].as_str() {
        Some("AIServiceBackend") => vec![&mut item["spec"]],
        Some("AIGatewayRoute") => {
            let rules = item["spec"]["rules"].as_array_mut().into_iter().flatten();
            rules
                .filter_map(|rule| rule.get_mut("backendRefs")?.as_array_mut())
                .flatten()
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The golden documents by Gateway: the whole one, or that of the only part. `None` where the text
/// is not recorded.
fn document(gateway: &Value) -> Option<Value> {
    let secrets = gateway["secrets"].as_array().unwrap().iter();
    let text = secrets
        .filter(|s| s["verbs"].as_array().unwrap().last() != Some(&json!("delete")))
        .find_map(|s| s["data"]["filter-config.yaml"].as_str());
    let mut document = yaml(text?);
    canonical(&mut document);
    Some(document)
}

fn has_big_data(gateway: &Value) -> bool {
    let mut secrets = gateway["secrets"].as_array().unwrap().iter();
    secrets.any(|s| {
        s.get("bigData")
            .is_some_and(|big| big.as_object().is_some_and(|b| !b.is_empty()))
    })
}

#[test]
fn golden_upgrades_give_the_difference_of_the_answers() {
    let worlds = worlds();
    let pairs: Vec<(&World, &World)> = worlds
        .windows(2)
        .map(|pair| (&pair[0], &pair[1]))
        .filter(|(old, new)| old.folder == new.folder)
        .collect();
    passed(
        "upgraded Gateways",
        each(&pairs, |(old, new)| upgrade(old, new)),
    );
}

fn upgrade(old: &World, new: &World) -> (usize, Vec<String>) {
    let mut args = vec!["diff".to_string(), old.objects(), old.controller()];
    args.extend([
        format!("--to-controller={}", new.controller()),
        format!("--from-version={}", old.version),
        format!("--to-version={}", new.version),
        "--output=json".to_string(),
    ]);
    args.extend(
        old.flags()
            .into_iter()
            .filter(|f| !f.starts_with("--controller-version")),
    );
    let output = aigwctl(&args);
    let answer: Value = match serde_json::from_slice(&output.stdout) {
        Ok(answer) => answer,
        Err(_) => {
            let text = String::from_utf8_lossy(&output.stderr);
            return (0, vec![format!("{}: {text}", new.name())]);
        }
    };
    let mut problems = Vec::new();
    let gateways = |world: &World| world.expected["gateways"].as_array().unwrap().clone();
    let mut count = 0;
    for (was, is) in gateways(old).iter().zip(&gateways(new)) {
        let name = is["gateway"].as_str().unwrap();
        let mut check =
            |what: &str, expected: &dyn std::fmt::Debug, actual: &dyn std::fmt::Debug| {
                let (expected, actual) = (format!("{expected:?}"), format!("{actual:?}"));
                if expected != actual {
                    problems.push(format!(
                        "{} {name}: {what}\n  expected {expected}\n  got      {actual}",
                        new.name()
                    ));
                }
            };
        count += 1;
        let exists = |g: &Value| g["secrets"].as_array().is_some_and(|s| !s.is_empty());
        let expected = match (document(was), document(is)) {
            _ if has_big_data(was) || has_big_data(is) => None,
            (Some(was), Some(is)) => Some(differences(&was, &is)),
            _ => match (exists(was), exists(is)) {
                (true, false) => Some(BTreeSet::from([(String::new(), "removed")])),
                (false, true) => Some(BTreeSet::from([(String::new(), "added")])),
                _ => Some(BTreeSet::new()),
            },
        };
        let changes = reported(&answer, name);
        if let Some(expected) = expected {
            check("changes", &expected, &changes);
        }
        let refused = |list: &str| {
            let list = answer["refusals"][list].as_array().unwrap();
            list.iter().any(|refusal| refusal["gateway"] == name)
        };
        let (was_error, is_error) = (was.get("error"), is.get("error"));
        let same = was_error == is_error;
        check("refusal", &(is_error.is_some() && !same), &refused("new"));
        check(
            "gone refusal",
            &(was_error.is_some() && !same),
            &refused("gone"),
        );
        for (side, golden) in [("old", was), ("new", is)] {
            check(
                &format!("{side} patches"),
                &golden_patches(golden),
                &patches(&answer, name, side),
            );
        }
    }
    (count, problems)
}

fn golden_patches(gateway: &Value) -> BTreeSet<String> {
    let patches = gateway["patches"].as_array().into_iter().flatten();
    patches
        .map(|p| {
            format!(
                "{} {} {} {}",
                p["resource"], p["namespace"], p["name"], p["body"]
            )
        })
        .collect()
}

fn patches(answer: &Value, gateway: &str, side: &str) -> BTreeSet<String> {
    let rollout = answer["rollout"].as_array().unwrap().iter();
    rollout
        .filter(|w| w["gateway"] == gateway && !w["patches"][side].is_null())
        .map(|w| {
            format!(
                "{} {} {} {}",
                w["resource"], w["namespace"], w["name"], w["patches"][side]
            )
        })
        .collect()
}

/// The recorded Secrets of a Gateway as objects.
fn secrets(gateway: &Value) -> Vec<Value> {
    let secrets = gateway["secrets"].as_array().unwrap().iter();
    let live = secrets.filter(|s| s["verbs"].as_array().unwrap().last() != Some(&json!("delete")));
    live.map(|secret| {
        let mut data = secret["dataBase64"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        for (key, text) in secret["data"].as_object().into_iter().flatten() {
            data.insert(key.clone(), STANDARD.encode(text.as_str().unwrap()).into());
        }
        json!({
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": { "name": secret["name"], "namespace": secret["namespace"] },
            "data": data,
        })
    })
    .collect()
}

/// The Gateways of a world whose Secrets are recorded in full.
fn recorded(world: &World) -> Vec<&Value> {
    let gateways = world.expected["gateways"].as_array().unwrap().iter();
    gateways
        .filter(|g| g.get("error").is_none() && !has_big_data(g))
        .collect()
}

fn against(world: &World, gateways: &[&str], secrets: &str) -> (Option<i32>, Value) {
    let mut args = vec!["diff".to_string(), world.objects(), world.controller()];
    args.extend(world.flags());
    args.extend(gateways.iter().map(|g| format!("--gateway={g}")));
    args.extend([
        format!("--against-secret={secrets}"),
        "--output=json".to_string(),
    ]);
    let output = aigwctl(&args);
    let answer = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| {
        panic!(
            "{}: {}",
            world.name(),
            String::from_utf8_lossy(&output.stderr)
        )
    });
    (output.status.code(), answer)
}

#[test]
fn golden_secrets_are_fresh() {
    let scratch = Scratch::new("fresh");
    let worlds = worlds();
    let results = each(&worlds, |world| {
        let gateways = recorded(world);
        let names: Vec<&str> = gateways
            .iter()
            .map(|g| g["gateway"].as_str().unwrap())
            .collect();
        if names.is_empty() {
            return (0, Vec::new());
        }
        let items: Vec<Value> = gateways.iter().flat_map(|g| secrets(g)).collect();
        let file = scratch.write(&format!("{}.json", world.name()), list(&items));
        let (code, answer) = against(world, &names, &file);
        let mut problems = Vec::new();
        if code != Some(0) || answer["changes"] != json!([]) {
            problems.push(format!(
                "{}: exit {code:?} {}",
                world.name(),
                answer["changes"]
            ));
        }
        for (gateway, state) in gateways
            .iter()
            .zip(answer["secretState"].as_array().unwrap())
        {
            let written = !gateway["secrets"].as_array().unwrap().is_empty();
            let expected = if written { "fresh" } else { "unknown" };
            if state["gateway"] != gateway["gateway"] || state["verdict"] != expected {
                problems.push(format!("{}: {state}, not {expected}", world.name()));
            }
        }
        (names.len(), problems)
    });
    passed("Gateways with fresh Secrets", results);
}

/// What is done to the Secrets, and what must be said: the code of a finding and part of its text.
type Damage = (&'static str, fn(&mut Vec<Value>) -> Option<String>);

#[test]
fn golden_secrets_that_are_damaged_are_named() {
    let damages: [Damage; 4] = [
        ("secret-part-changed", |items| {
            let part = part(items)?;
            let mut bytes = STANDARD.decode(part["data"]["chunk"].as_str()?).unwrap();
            // The first letter of a key or value: the document stays one.
            let at = bytes
                .iter()
                .rposition(|b| b.is_ascii_lowercase() && *b != b'v')?;
            bytes[at] = if bytes[at] == b'a' { b'b' } else { b'a' };
            part["data"]["chunk"] = STANDARD.encode(bytes).into();
            Some(part["metadata"]["name"].as_str()?.to_string())
        }),
        ("secret-part-missing", |items| {
            let name = part(items)?["metadata"]["name"].as_str()?.to_string();
            items.retain(|i| i["metadata"]["name"] != name.as_str());
            Some(name)
        }),
        ("secret-index-old", |items| {
            let index = items
                .iter_mut()
                .find(|i| i["data"].get("index.yaml").is_some())?;
            let bytes = STANDARD
                .decode(index["data"]["index.yaml"].as_str()?)
                .unwrap();
            let text = String::from_utf8(bytes).unwrap();
            let at = text.find("checksum: ")? + "checksum: ".len();
            let old = format!(
                "{}{}{}",
                &text[..at],
                "0123456789abcdef".repeat(4),
                &text[at + 64..]
            );
            index["data"]["index.yaml"] = STANDARD.encode(old).into();
            Some(index["metadata"]["name"].as_str()?.to_string())
        }),
        ("secret-index-missing", |items| {
            let index = items
                .iter()
                .find(|i| i["data"].get("index.yaml").is_some())?;
            let name = index["metadata"]["name"].as_str()?.to_string();
            items.retain(|i| i["metadata"]["name"] != name.as_str());
            Some(name)
        }),
    ];
    let scratch = Scratch::new("damaged");
    let mut worlds = worlds();
    worlds.retain(|w| w.version == "v1.1.0" && !recorded(w).is_empty());
    worlds.truncate(40);
    let results = each(&worlds, |world| {
        let gateway = recorded(world)[0];
        let name = gateway["gateway"].as_str().unwrap();
        let (mut count, mut problems) = (0, Vec::new());
        for (code, damage) in damages {
            let mut items = secrets(gateway);
            let Some(what) = damage(&mut items) else {
                continue;
            };
            count += 1;
            let file = scratch.write(&format!("{} {code}.json", world.name()), list(&items));
            let (exit, answer) = against(world, &[name], &file);
            let findings = answer["findings"].as_array().unwrap();
            let named = findings
                .iter()
                .any(|f| f["code"] == code && f["message"].as_str().unwrap().contains(&what));
            let verdict = &answer["secretState"][0]["verdict"];
            if exit != Some(1) || !named || verdict != "damaged" {
                problems.push(format!(
                    "{} {code}: exit {exit:?} {verdict} {findings:?}",
                    world.name()
                ));
            }
        }
        (count, problems)
    });
    passed("damaged bundles", results);
}

fn part(items: &mut [Value]) -> Option<&mut Value> {
    items.iter_mut().find(|i| i["data"].get("chunk").is_some())
}

#[test]
fn golden_refused_gateways_are_frozen_or_absent() {
    let worlds = worlds();
    let scratch = Scratch::new("frozen");
    let results = each(&worlds, |world| {
        let gateways = world.expected["gateways"].as_array().unwrap().iter();
        let refused = gateways.filter(|g| g.get("error").is_some());
        let (mut count, mut problems) = (0, Vec::new());
        for gateway in refused.take(1) {
            let name = gateway["gateway"].as_str().unwrap();
            count += 1;
            let none = scratch.write(&format!("{}.json", world.name()), list(&[]));
            let (exit, answer) = against(world, &[name], &none);
            let verdict = answer["secretState"][0]["verdict"].as_str().unwrap();
            let refusals = answer["refusals"]["new"].as_array().unwrap().len();
            // Secrets of which nothing could be written are absent, too.
            if exit != Some(1) || verdict != "absent" || refusals != 1 {
                problems.push(format!(
                    "{} {name}: exit {exit:?} {verdict} {refusals}",
                    world.name()
                ));
            }
        }
        (count, problems)
    });
    passed("refused Gateways", results);
}
