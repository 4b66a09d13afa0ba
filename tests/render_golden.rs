//! `render` against the answers of the real controllers.

mod support;

use std::collections::BTreeMap;

use base64::Engine;
use serde_json::Value;
use sha2::{Digest, Sha256};
use support::{World, canonical, each, without_cel_wording, worlds, yaml};

/// What one world's comparison looked at.
#[derive(Default)]
struct Counts {
    gateways: usize,
    secrets: usize,
    values: usize,
    problems: Vec<String>,
}

#[test]
fn golden_worlds_give_the_controllers_secrets() {
    let worlds = worlds();
    let counts = each(&worlds, compare);
    let sum = |f: fn(&Counts) -> usize| counts.iter().map(f).sum::<usize>();
    println!(
        "compared {} worlds and versions, {} Gateways, {} Secrets, {} values",
        worlds.len(),
        sum(|c| c.gateways),
        sum(|c| c.secrets),
        sum(|c| c.values)
    );
    assert!(
        !worlds.is_empty() && sum(|c| c.secrets) > 0,
        "nothing was compared"
    );
    let problems: Vec<_> = counts.into_iter().flat_map(|c| c.problems).collect();
    assert!(
        problems.is_empty(),
        "{} problems:\n{}",
        problems.len(),
        problems.join("\n")
    );
}

fn compare(world: &World) -> Counts {
    let actual = world.render(&["--show-secrets"]);
    let mut counts = Counts::default();
    let names = |value: &Value| -> Vec<String> {
        let gateways = value["gateways"].as_array().unwrap();
        gateways
            .iter()
            .map(|g| g["gateway"].as_str().unwrap().to_string())
            .collect()
    };
    if names(&world.expected) != names(&actual) {
        counts
            .problems
            .push(format!("{}: other Gateways", world.name()));
        return counts;
    }
    let expected = world.expected["gateways"].as_array().unwrap();
    for (expected, actual) in expected.iter().zip(actual["gateways"].as_array().unwrap()) {
        counts.gateways += 1;
        let name = format!("{} {}", world.name(), expected["gateway"].as_str().unwrap());
        compare_gateway(&name, expected, actual, &mut counts);
    }
    counts
}

fn compare_gateway(name: &str, expected: &Value, actual: &Value, counts: &mut Counts) {
    let error = |v: &Value| {
        v["error"]
            .as_str()
            .map(|e| without_cel_wording(e).to_string())
    };
    let mut same = |what: &str, expected: &dyn std::fmt::Debug, actual: &dyn std::fmt::Debug| {
        let (expected, actual) = (format!("{expected:?}"), format!("{actual:?}"));
        counts.values += 1;
        if expected != actual {
            counts
                .problems
                .push(format!("{name}: {what}: expected {expected}, got {actual}"));
        }
    };
    same("error", &error(expected), &error(actual));
    for field in ["requeueSeconds", "configHash"] {
        same(field, &expected[field], &actual[field]);
    }
    same(
        "patches",
        &expected["patches"],
        &without(&actual["patches"], "reasons"),
    );
    same(
        "pods",
        &expected["pods"],
        &without(&actual["pods"], "reason"),
    );
    same("skipped", &logged_errors(expected), &skip_messages(actual));
    let secrets = |v: &Value| -> BTreeMap<String, Value> {
        let all = v["secrets"].as_array().unwrap().iter();
        all.map(|s| (format!("{}/{}", s["namespace"], s["name"]), s.clone()))
            .collect()
    };
    let (expected, actual) = (secrets(expected), secrets(actual));
    same("Secrets", &expected.keys(), &actual.keys());
    for (key, expected) in &expected {
        let Some(actual) = actual.get(key) else {
            continue;
        };
        counts.secrets += 1;
        compare_secret(&format!("{name} {key}"), expected, actual, counts);
    }
}

/// A list without what is only ours.
fn without(list: &Value, key: &str) -> Value {
    let mut list = list.clone();
    for item in list.as_array_mut().unwrap() {
        item.as_object_mut().unwrap().remove(key);
    }
    list
}

fn logged_errors(gateway: &Value) -> Vec<String> {
    let logs = gateway["logs"].as_array().into_iter().flatten();
    let errors = logs
        .filter(|l| l["level"] == "error")
        .filter_map(|l| l["error"].as_str());
    let mut errors: Vec<_> = errors.map(|e| without_cel_wording(e).to_string()).collect();
    errors.sort();
    errors
}

fn skip_messages(gateway: &Value) -> Vec<String> {
    let skips = gateway["skipped"].as_array().unwrap().iter();
    let messages = skips.filter_map(|s| s["message"].as_str());
    let mut messages: Vec<_> = messages
        .map(|m| without_cel_wording(m).to_string())
        .collect();
    messages.sort();
    messages
}

fn compare_secret(name: &str, expected: &Value, actual: &Value, counts: &mut Counts) {
    for field in ["verbs", "type", "labels", "annotations", "dataBase64"] {
        counts.values += 1;
        if expected[field] != actual[field] {
            let (e, a) = (&expected[field], &actual[field]);
            counts
                .problems
                .push(format!("{name}: {field}: expected {e}, got {a}"));
        }
    }
    let data = |v: &Value| v["data"].as_object().cloned().unwrap_or_default();
    let (expected_data, mut actual_data) = (data(expected), data(actual));
    for (key, big) in expected["bigData"].as_object().into_iter().flatten() {
        counts.values += 1;
        let bytes = match actual_data.remove(key) {
            Some(text) => text.as_str().unwrap().as_bytes().to_vec(),
            None => decoded(&actual["dataBase64"][key]),
        };
        let sum: String = Sha256::digest(&bytes)
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect();
        if big["bytes"] != bytes.len() || big["sha256"] != sum.as_str() {
            counts
                .problems
                .push(format!("{name}: {key}: other bytes ({})", bytes.len()));
        }
    }
    let keys = |m: &serde_json::Map<String, Value>| m.keys().cloned().collect::<Vec<_>>();
    if keys(&expected_data) != keys(&actual_data) {
        counts
            .problems
            .push(format!("{name}: other keys {:?}", keys(&actual_data)));
        return;
    }
    for (key, expected) in &expected_data {
        counts.values += 1;
        let (expected, actual) = (
            expected.as_str().unwrap(),
            actual_data[key].as_str().unwrap(),
        );
        compare_value(&format!("{name} {key}"), key, expected, actual, counts);
    }
}

fn decoded(text: &Value) -> Vec<u8> {
    let text = text.as_str().unwrap_or_default();
    base64::engine::general_purpose::STANDARD
        .decode(text)
        .unwrap()
}

/// Documents in canonical order; an index without what follows from that order; all else as it is.
fn compare_value(name: &str, key: &str, expected: &str, actual: &str, counts: &mut Counts) {
    let same = match key {
        _ if expected == actual => true,
        "filter-config.yaml" | "chunk" if expected.starts_with(['b', 'g', 'l', 'm', 'u']) => {
            let tree = |text: &str| {
                let mut document = yaml(text);
                canonical(&mut document);
                document
            };
            tree(expected) == tree(actual)
        }
        "index.yaml" => {
            let index = |text: &str| {
                let mut index = yaml(text);
                index["checksum"] = Value::Null;
                for part in index["parts"].as_array_mut().unwrap() {
                    part["sizeBytes"] = Value::Null;
                }
                index
            };
            index(expected) == index(actual)
        }
        _ => false,
    };
    if !same {
        counts.problems.push(format!(
            "{name}:\n--- expected\n{expected}\n--- got\n{actual}"
        ));
    }
}
