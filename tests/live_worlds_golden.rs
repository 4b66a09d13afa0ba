//! Recorded worlds in a real API server: what is read from it gives the answers that files give.
#![cfg(feature = "cluster")]

mod live;
mod support;

use live::real::{ApiServer, READER, api_server, dump};
use serde_json::{Map, Value, json};
use support::World;

/// How many worlds are loaded.
const WORLDS: usize = 50;

fn chosen() -> Vec<World> {
    let all: Vec<World> = support::worlds().into_iter().collect();
    let newest = support::VERSIONS[support::VERSIONS.len() - 1];
    let mut all: Vec<World> = all.into_iter().filter(|w| w.version == newest).collect();
    let step = (all.len() / WORLDS).max(1);
    let mut index = 0;
    all.retain(|_| {
        index += 1;
        (index - 1) % step == 0
    });
    all.truncate(WORLDS);
    all
}

/// Loads a world. Gives how many objects the API server took and how many it refused.
fn load(server: &ApiServer, world: &World) -> (usize, Vec<String>) {
    let mut taken = 0;
    let mut refused = Vec::new();
    for file in [world.objects(), world.controller()] {
        let bytes = std::fs::read(&file).unwrap();
        for document in aigwctl::manifest::read(file.into(), &bytes, &Default::default()) {
            let mut object = document.unwrap().root.to_json();
            adapt(&mut object);
            match server.create(object) {
                Ok(()) => taken += 1,
                Err(words) => refused.push(words),
            }
        }
    }
    (taken, refused)
}

/// Adds what the API demands and the recorded objects lack.
fn adapt(object: &mut Value) {
    let kind = object["kind"].as_str().unwrap_or_default().to_string();
    if object["metadata"]["namespace"] == "" {
        object["metadata"]
            .as_object_mut()
            .unwrap()
            .remove("namespace");
    }
    // No object that the API takes has a name with a dash at its end.
    if let Some(name) = object["metadata"]["name"].as_str() {
        object["metadata"]["name"] = name.trim_end_matches('-').into();
    }
    match &*kind {
        "Deployment" | "DaemonSet" => {
            let labels = json!({"aigwctl-test": "selected"});
            object["spec"]["selector"] = json!({"matchLabels": labels});
            let template = &mut object["spec"]["template"];
            if !template["metadata"]["labels"].is_object() {
                template["metadata"]["labels"] = json!({});
            }
            template["metadata"]["labels"]["aigwctl-test"] = "selected".into();
            adapt_pod(&mut template["spec"]);
        }
        "Pod" => adapt_pod(&mut object["spec"]),
        _ => {}
    }
}

fn adapt_pod(spec: &mut Value) {
    let mut volumes: Vec<String> = Vec::new();
    for list in ["initContainers", "containers"] {
        for container in spec[list].as_array_mut().into_iter().flatten() {
            for mount in container["volumeMounts"].as_array().into_iter().flatten() {
                volumes.push(mount["name"].as_str().unwrap_or_default().to_string());
            }
            if container["image"].is_null() || container["image"] == "" {
                container["image"] = "image".into();
            }
        }
    }
    if !spec["containers"].as_array().is_some_and(|c| !c.is_empty()) {
        spec["containers"] = json!([{"name": "envoy", "image": "envoyproxy/envoy:v1.38"}]);
    }
    let has = |spec: &Value, name: &str| {
        let mut volumes = spec["volumes"].as_array().into_iter().flatten();
        volumes.any(|v| v["name"] == name)
    };
    for name in volumes {
        if !has(spec, &name) {
            if !spec["volumes"].is_array() {
                spec["volumes"] = json!([]);
            }
            let volume = json!({"name": name, "emptyDir": {}});
            spec["volumes"].as_array_mut().unwrap().push(volume);
        }
    }
}

/// The answers for the Gateways, without positions and files.
pub fn gateways(output: &std::process::Output) -> Value {
    let code = output.status.code();
    assert!(
        matches!(code, Some(0 | 1)),
        "exit {code:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut gateways = answer["gateways"].take();
    strip(&mut gateways);
    gateways
}

fn strip(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(strip),
        Value::Object(map) => {
            for position in ["file", "line", "column", "because", "overrode"] {
                map.remove(position);
            }
            map.values_mut().for_each(strip);
        }
        _ => {}
    }
}

fn flags(world: &World) -> Vec<String> {
    let mut flags = world.flags();
    flags.retain(|f| !f.starts_with("--kubernetes-version") && f != "--complete");
    flags.push("--output=json".to_string());
    flags
}

#[test]
fn live_worlds_give_the_answers_of_their_files_golden() {
    let Some(server) = api_server() else { return };
    let (mut lines, mut taken, mut refused) = (0, 0, Map::new());
    let worlds = chosen();
    for world in &worlds {
        server.delete_everything();
        let (some, words) = load(&server, world);
        taken += some;
        for word in words {
            let count = refused.entry(word).or_insert(json!(0));
            *count = json!(count.as_u64().unwrap() + 1);
        }
        let file = server.folder().join("objects.json");
        dump(&server, &file);
        let mut args = vec!["render".to_string()];
        args.extend(flags(world));
        let mut offline = args.clone();
        offline.extend([
            file.display().to_string(),
            "--complete".to_string(),
            "--kubernetes-version=1.34".to_string(),
        ]);
        args.push("--live".to_string());
        let live = server.run_as(READER, &args);
        let offline = support::aigwctl(&offline);
        let (live, offline) = (gateways(&live), gateways(&offline));
        let text = |value: &Value| serde_json::to_string_pretty(value).unwrap();
        let (live, offline) = (text(&live), text(&offline));
        lines += live.lines().count();
        assert!(
            live == offline,
            "{}",
            first_difference(&world.name(), &live, &offline)
        );
    }
    server.audit(|user| user != "admin" && !user.starts_with("system:"));
    println!(
        "{} worlds, {taken} objects, refused: {refused:#?}",
        worlds.len()
    );
    println!("{lines} lines compared");
    assert!(lines > 0);
}

fn first_difference(name: &str, a: &str, b: &str) -> String {
    let pair = a
        .lines()
        .zip(b.lines())
        .enumerate()
        .find(|(_, (a, b))| a != b);
    match pair {
        Some((line, (a, b))) => format!("{name}, line {line}:\nlive    {a}\noffline {b}"),
        None => format!("{name}: one is longer"),
    }
}
