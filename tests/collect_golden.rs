//! What `collect` writes, on the recorded clusters: no credential, and everything that can be told of
//! one.
#![cfg(feature = "cluster")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use aigwctl::collect::redact;
use aigwctl::controllers::ai_gateway::bundle::hex;
use aigwctl::controllers::ai_gateway::secret_data;
use aigwctl::source::{ReadOptions, load};
use aigwctl::world::World;
use aigwctl::world::kind::Kind;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

fn world(source: &Path) -> World {
    let options = ReadOptions {
        namespace: None,
        limits: Default::default(),
    };
    load(&[source.display().to_string()], &options)
        .unwrap()
        .world
}

/// The objects of a dump as they are collected.
fn collected(dump: &Path) -> (World, World, String) {
    let whole = world(dump);
    let items: Vec<Value> = redact(&whole, [7; 32])
        .iter()
        .map(|(_, n)| n.to_json())
        .collect();
    let text = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("objects.json");
    std::fs::write(&file, &text).unwrap();
    let shown = world(&file);
    (whole, shown, text)
}

/// The data of every Secret.
fn data(world: &World) -> BTreeMap<(String, String, String), Vec<u8>> {
    let mut all = BTreeMap::new();
    for secret in world.all(Kind::Secret) {
        for (key, value) in secret_data::all(secret) {
            let place = (secret.namespace().into(), secret.name().into(), key.into());
            all.insert(place, value);
        }
    }
    all
}

/// Every credential of a document, by its path.
fn credentials(document: &Value) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for backend in document["backends"].as_array().into_iter().flatten() {
        let name = backend["name"].as_str().unwrap();
        for (kind, auth) in backend["auth"].as_object().into_iter().flatten() {
            for key in ["key", "credentialFileLiteral", "accessToken"] {
                if let Some(value) = auth[key].as_str() {
                    found.insert(format!("{name} {kind} {key}"), value.to_string());
                }
            }
        }
    }
    found
}

fn documents(data: &BTreeMap<(String, String, String), Vec<u8>>) -> BTreeMap<String, Value> {
    let documents = data
        .iter()
        .filter(|((_, _, key), _)| key == "filter-config.yaml");
    documents
        .map(|((namespace, name, _), value)| {
            let text = String::from_utf8(value.clone()).unwrap();
            (format!("{namespace}/{name}"), support::yaml(&text))
        })
        .collect()
}

/// Whether each index fits its parts.
fn fits(data: &BTreeMap<(String, String, String), Vec<u8>>) -> Vec<(String, bool, Vec<bool>)> {
    let mut all = Vec::new();
    for ((namespace, name, _), index) in data.iter().filter(|((_, _, k), _)| k == "index.yaml") {
        let index = support::yaml(std::str::from_utf8(index).unwrap());
        let parts: Vec<(Vec<u8>, i64)> = index["parts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|part| {
                let name = part["name"].as_str().unwrap().to_string();
                let bytes = data[&(namespace.clone(), name, "chunk".to_string())].clone();
                (bytes, part["sizeBytes"].as_i64().unwrap_or_default())
            })
            .collect();
        let whole: Vec<u8> = parts.iter().flat_map(|(bytes, _)| bytes.clone()).collect();
        let fits = index["checksum"] == hex(&Sha256::digest(whole));
        let sizes = parts
            .iter()
            .map(|(bytes, size)| bytes.len() as i64 == *size);
        all.push((name.clone(), fits, sizes.collect()));
    }
    all
}

#[test]
fn collected_clusters_hold_no_credential_golden() {
    let mut lines = 0;
    for dump in support::cases("cluster") {
        let (whole, shown, text) = collected(&dump);
        let name = dump.display();
        for canary in ["CANARY", "Q0FOQVJZ"] {
            assert!(!text.contains(canary), "{name} holds {canary}");
        }
        assert_eq!(whole.objects().len(), shown.objects().len());
        lines += text.len() / 100;
    }
    println!("{lines} lines compared");
    assert!(lines > 0);
}

#[test]
fn equal_credentials_stay_equal_and_others_different_golden() {
    let mut lines = 0;
    for dump in support::cases("cluster") {
        let (whole, shown, _) = collected(&dump);
        let (whole, shown) = (data(&whole), data(&shown));
        let name = dump.display();
        // Sources and every place of a stored document that holds a credential.
        let mut pairs: Vec<(String, String)> = Vec::new();
        for (place, value) in &whole {
            let key = &*place.2;
            let certificate = value.starts_with(b"-----BEGIN CERTIFICATE-----");
            if certificate && matches!(key, "ca.crt" | "tls.crt") {
                assert_eq!(shown[place], *value, "{name} {place:?}");
            } else if !matches!(key, "filter-config.yaml" | "index.yaml" | "chunk") {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                pairs.push((text(value), text(&shown[place])));
            }
        }
        let (before, after) = (documents(&whole), documents(&shown));
        for (place, document) in &before {
            let shown = credentials(&after[place]);
            for (path, value) in credentials(document) {
                pairs.push((value, shown[&path].clone()));
            }
        }
        let there: BTreeMap<_, _> = pairs.iter().cloned().collect();
        let back: BTreeMap<_, _> = pairs.iter().map(|(a, b)| (b, a)).collect();
        let distinct: BTreeSet<_> = pairs.iter().collect();
        assert_eq!(
            there.len(),
            distinct.len(),
            "{name}: equal ones have become different"
        );
        assert_eq!(
            back.len(),
            distinct.len(),
            "{name}: different ones have become equal"
        );
        lines += pairs.len();
    }
    println!("{lines} lines compared");
    assert!(lines > 0);
}

#[test]
fn bundles_fit_as_they_did_golden() {
    let mut lines = 0;
    for dump in support::cases("cluster") {
        let (whole, shown, _) = collected(&dump);
        let (before, after) = (fits(&data(&whole)), fits(&data(&shown)));
        assert_eq!(before, after, "{}", dump.display());
        lines += before.len();
    }
    println!("{lines} lines compared");
    assert!(lines > 0);
}

/// What `diff --against-secret` tells of a source, without its places.
fn staleness(source: &Path) -> (Option<i32>, Value, Vec<Value>) {
    let args = [
        "diff",
        source.to_str().unwrap(),
        "--complete",
        "--against-secret",
        "-o",
        "json",
    ];
    let output = support::aigwctl(args);
    let mut answer: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)));
    let mut changes = answer["changes"].as_array().unwrap().clone();
    for change in &mut changes {
        change.as_object_mut().unwrap().remove("origin");
    }
    (output.status.code(), answer["secretState"].take(), changes)
}

#[test]
fn collected_clusters_are_as_fresh_as_the_clusters_golden() {
    let mut lines = 0;
    let folder = tempfile::tempdir().unwrap();
    for dump in support::cases("cluster") {
        let (_, _, text) = collected(&dump);
        let file = folder.path().join("objects.json");
        std::fs::write(&file, text).unwrap();
        let (whole, shown) = (staleness(&dump), staleness(&file));
        assert_eq!(whole, shown, "{}", dump.display());
        lines += 2 + whole.2.len();
    }
    println!("{lines} lines compared");
    assert!(lines > 0);
}

#[test]
fn an_index_that_did_not_fit_does_not_fit_afterwards() {
    let text = |checksum: &str, size: usize| {
        let data = |key: &str, value: &str| {
            use base64::Engine;
            json!({key: base64::engine::general_purpose::STANDARD.encode(value)})
        };
        let index = format!(
            "checksum: {checksum}\nparts:\n- name: p\n  path: parts/000\n  sizeBytes: {size}\nuuid: u\n"
        );
        let secret = |name: &str, data: Value| {
            json!({"apiVersion": "v1", "kind": "Secret", "data": data,
                "metadata": {"name": name, "namespace": "a"}})
        };
        json!({"apiVersion": "v1", "kind": "List", "items": [
            secret("i", data("index.yaml", &index)),
            secret("p", data("chunk", DOCUMENT)),
        ]})
    };
    const DOCUMENT: &str =
        "backends:\n- auth:\n    apiKey:\n      key: CANARY-key\n  name: b\nuuid: u\n";
    let right = hex(&Sha256::digest(DOCUMENT));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("objects.json");
    let check = |checksum: &str, size: usize, expected: (bool, bool)| {
        std::fs::write(&file, text(checksum, size).to_string()).unwrap();
        let (_, shown, text) = collected(&file);
        assert!(!text.contains("Q0FOQVJZ"));
        let (_, fit, sizes) = fits(&data(&shown)).remove(0);
        assert_eq!((fit, sizes[0]), expected);
    };
    check(&right, DOCUMENT.len(), (true, true));
    check("wrong", DOCUMENT.len(), (false, true));
    check(&right, 1, (true, false));
}
