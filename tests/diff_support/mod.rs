//! What the tests of comparisons share: worlds as JSON, answers of the library, a plain comparison.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test file uses a part of it"
)]

use std::collections::{BTreeMap, BTreeSet};

use aigwctl::controllers::ai_gateway::options::{MissingSecrets, Options};
use aigwctl::controllers::ai_gateway::settings::{self, Inputs, deployment};
use aigwctl::controllers::ai_gateway::sidecar::{Mode, kubernetes_version};
use aigwctl::controllers::profile::ControllerVersion;
use aigwctl::world::World as Objects;
use aigwctl::world::build::Builder;
use serde_json::{Value, json};

use crate::support::World;

/// The documents of a file as JSON.
pub fn documents(path: &str) -> Vec<Value> {
    let bytes = std::fs::read(path).unwrap();
    let documents = aigwctl::manifest::read(path.into(), &bytes, &Default::default());
    documents
        .into_iter()
        .map(|d| d.unwrap().root.to_json())
        .collect()
}

/// Objects as one list.
pub fn list(items: &[Value]) -> String {
    json!({ "apiVersion": "v1", "kind": "List", "items": items }).to_string()
}

/// Objects as the library takes them.
pub fn objects(items: &[Value]) -> Objects {
    let mut builder = Builder::new(None);
    let text = list(items);
    for document in
        aigwctl::manifest::read("objects.json".into(), text.as_bytes(), &Default::default())
    {
        builder.add(document.unwrap());
    }
    builder.finish().0
}

/// The options that a recorded answer was made with.
pub fn options<'w>(world: &World, objects: &'w Objects, uuid: &str) -> Options<'w> {
    let version = ControllerVersion::parse(world.version).unwrap();
    let text = |key: &str| world.options[key].as_str().unwrap();
    let namespace = text("envoyGatewayNamespace");
    let inputs = Inputs {
        deployment: deployment::find(objects).unwrap(),
        envoy_gateway_namespace: Some(namespace),
        ..Inputs::default()
    };
    let (settings, _) = settings::resolve(&version, &inputs).unwrap();
    Options {
        version,
        uuid: uuid.to_string(),
        complete: true,
        missing_secrets: MissingSecrets::Skip,
        assume_namespace: None,
        standalone: world.options["standAlone"] == true,
        settings,
        mode: Mode::of(&kubernetes_version(text("kubernetesVersion")).unwrap()),
    }
}

/// A difference of two documents: where, and `added`, `removed`, `changed` or, of a list whose items
/// have no names, `differs`.
pub type Difference = (String, &'static str);

/// Keys that say nothing.
const IGNORED: [&str; 2] = ["uuid", "version"];

/// What names the items of a list; `None` for lists that are looked at as a whole.
fn names(path: &str) -> Option<&'static [&'static str]> {
    let bare: String = {
        let mut depth = 0;
        path.chars()
            .filter(|c| {
                match c {
                    '[' => depth += 1,
                    ']' => depth -= 1,
                    _ => {}
                }
                depth == 0 && *c != ']'
            })
            .collect()
    };
    match bare.as_str() {
        "backends"
        | "mcpConfig.routes"
        | "mcpConfig.routes.backends"
        | "mcpConfig.routes.backends.forwardHeaders"
        | "backends.httpHeaderMutation.set" => Some(&["name"]),
        "backends.httpBodyMutation.set" => Some(&["path"]),
        "models" | "unscopedModels" | "modelsByHost" => Some(&["Name"]),
        "llmRequestCosts" => Some(&["routeName", "metadataKey", "backend", "model"]),
        "globalLLMRequestCosts" => Some(&["metadataKey"]),
        "backends.httpHeaderMutation.remove" | "backends.httpBodyMutation.remove" => Some(&[]),
        _ => None,
    }
}

/// The plain comparison of two documents.
pub fn differences(old: &Value, new: &Value) -> BTreeSet<Difference> {
    let mut found = BTreeSet::new();
    compare("", old, new, &mut found);
    found
}

fn compare(path: &str, old: &Value, new: &Value, found: &mut BTreeSet<Difference>) {
    match (old, new) {
        (Value::Object(olds), Value::Object(news)) => {
            for key in olds.keys().chain(news.keys()) {
                if path.is_empty() && IGNORED.contains(&key.as_str()) {
                    continue;
                }
                let below = below(path, key);
                match (olds.get(key), news.get(key)) {
                    (Some(old), Some(new)) => compare(&below, old, new, found),
                    (Some(_), None) if path == "modelsByHost" => {
                        found.insert((below, "removed"));
                    }
                    (None, Some(_)) if path == "modelsByHost" => {
                        found.insert((below, "added"));
                    }
                    (Some(Value::Array(items)), None) if names(&below).is_some() => {
                        lists(&below, items, &[], found);
                    }
                    (None, Some(Value::Array(items))) if names(&below).is_some() => {
                        lists(&below, &[], items, found);
                    }
                    (Some(_), None) => drop(found.insert((below, "removed"))),
                    _ => drop(found.insert((below, "added"))),
                }
            }
        }
        (Value::Array(olds), Value::Array(news)) => lists(path, olds, news, found),
        _ if old != new => drop(found.insert((path.to_string(), "changed"))),
        _ => {}
    }
}

fn below(path: &str, key: &str) -> String {
    let plain = key.bytes().all(|b| b.is_ascii_alphanumeric());
    match (plain, path.is_empty()) {
        (true, true) => key.to_string(),
        (true, false) => format!("{path}.{key}"),
        (false, _) => format!("{path}[{}]", Value::from(key)),
    }
}

fn lists(path: &str, olds: &[Value], news: &[Value], found: &mut BTreeSet<Difference>) {
    let Some(keys) = names(path) else {
        if olds != news {
            found.insert((path.to_string(), "differs"));
        }
        return;
    };
    let grouped = |items: &[Value]| {
        let mut groups = BTreeMap::<String, Vec<Value>>::new();
        for item in items {
            groups
                .entry(selector(keys, item))
                .or_default()
                .push(item.clone());
        }
        groups
            .values_mut()
            .for_each(|items| items.sort_by_key(canonical));
        groups
    };
    let (olds, news) = (grouped(olds), grouped(news));
    let all: BTreeSet<&String> = olds.keys().chain(news.keys()).collect();
    for name in all {
        let at = format!("{path}{name}");
        let empty = Vec::new();
        let (olds, news) = (
            olds.get(name).unwrap_or(&empty),
            news.get(name).unwrap_or(&empty),
        );
        if let ([old], [new]) = (&olds[..], &news[..]) {
            compare(&at, old, new, found);
        } else if olds.len() > news.len() {
            found.insert((at, "removed"));
        } else if olds.len() < news.len() {
            found.insert((at, "added"));
        } else {
            olds.iter()
                .zip(news)
                .for_each(|(old, new)| compare(&at, old, new, found));
        }
    }
}

fn canonical(value: &Value) -> String {
    let mut value = value.clone();
    sort(&mut value);
    value.to_string()
}

fn sort(value: &mut Value) {
    match value {
        Value::Object(map) => map.values_mut().for_each(sort),
        Value::Array(items) => items.iter_mut().for_each(sort),
        _ => {}
    }
}

/// How the program names an item.
fn selector(keys: &[&str], item: &Value) -> String {
    let quoted = |text: &str| {
        let special = |c: char| c.is_whitespace() || c.is_control() || "[],=\"*".contains(c);
        let number = text.bytes().all(|b| b.is_ascii_digit());
        match number || text.contains(special) {
            true => Value::from(text).to_string(),
            false => text.to_string(),
        }
    };
    match keys {
        [] => format!("[{}]", quoted(item.as_str().unwrap())),
        ["Name"] => format!("[{}]", quoted(item["Name"].as_str().unwrap())),
        keys => {
            let present = keys
                .iter()
                .filter_map(|k| Some((k, item.get(k)?.as_str()?)));
            let names: Vec<String> = present.map(|(k, v)| format!("{k}={}", quoted(v))).collect();
            format!("[{}]", names.join(","))
        }
    }
}

/// The program's changes of a Gateway in the same form: what lies in a list without names is the
/// list's.
pub fn reported(answer: &Value, gateway: &str) -> BTreeSet<Difference> {
    let changes = answer["changes"].as_array().unwrap().iter();
    let own = changes.filter(|change| change["gateway"] == gateway);
    own.map(|change| {
        let path = change["path"].as_str().unwrap();
        let kind = ["added", "removed", "changed", "moved"]
            .into_iter()
            .find(|kind| change["kind"] == *kind)
            .unwrap();
        match unnamed_list(path) {
            Some(list) => (list.to_string(), "differs"),
            None => (path.to_string(), kind),
        }
    })
    .collect()
}

/// The path of the first list without names on the way: items are written as bare positions there.
fn unnamed_list(path: &str) -> Option<&str> {
    let mut from = 0;
    while let Some(at) = path[from..].find('[') {
        let start = from + at;
        let inner = &path[start + 1..];
        if inner.starts_with('"') {
            from = start + 2;
            continue;
        }
        let end = inner.find(']')?;
        if !inner[..end].is_empty() && inner[..end].bytes().all(|b| b.is_ascii_digit()) {
            return Some(&path[..start]);
        }
        from = start + 1 + end;
    }
    None
}
