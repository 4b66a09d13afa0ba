//! The objects of a cluster without its credentials, so that they can be given to others.
//!
//! Takes a [`World`] and gives its objects with every credential replaced by a placeholder: equal
//! credentials have equal placeholders, within one run and no further. What the controller makes of
//! a credential stays so ([`placeholder`]); the documents that it has stored are rewritten
//! ([`stored`]); public certificates stay as they are.

mod fields;
mod placeholder;
pub mod scope;
mod stored;
mod sweep;

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use fields::rewrite;
pub use placeholder::Key;
use placeholder::Placeholders;
use sweep::Sweep;

use crate::controllers::ai_gateway::secret_data;
use crate::manifest::node::{Entry, Map, Node, Pos, Value};
use crate::world::World;
use crate::world::apply::LAST_APPLIED;
use crate::world::kind::Kind;
use crate::world::object::Object;

/// Whether a value of a Secret is public: certificates, and nothing but certificates.
fn is_public(key: &str, value: &[u8]) -> bool {
    const BEGIN: &str = "-----BEGIN ";
    let Ok(text) = std::str::from_utf8(value) else {
        return false;
    };
    let mut blocks = text.trim_start().split(BEGIN);
    let is_whole = blocks.next() == Some("");
    let mut blocks = blocks.peekable();
    matches!(key, "ca.crt" | "tls.crt")
        && is_whole
        && blocks.peek().is_some()
        && blocks.all(|block| block.starts_with("CERTIFICATE-----"))
}

/// Every object of a world without its credentials, in reading order. `key` must come from a source of
/// randomness and be forgotten.
pub fn redact(world: &World, key: Key) -> Vec<(&Object, Node)> {
    let placeholders = Placeholders::new(key);
    let sweep = Sweep::of(world, &placeholders);
    let stored = stored::rewrite(world, &placeholders, &sweep);
    let objects = world.objects().iter();
    let redacted = objects.map(|object| {
        let node = match object.kind() {
            Kind::Secret => secret(object, &placeholders, &stored, &sweep),
            _ => plain(object.root(), &placeholders, &sweep),
        };
        (object, node)
    });
    redacted.collect()
}

/// An object of a kind that holds credentials only in certain fields.
fn plain(root: &Node, placeholders: &Placeholders, sweep: &Sweep) -> Node {
    let hidden = rewrite(root, &mut |text| placeholders.of(text.as_bytes()));
    let cleaned = with_last_applied(hidden, &|applied| plain(applied, placeholders, sweep));
    sweep.node(&cleaned)
}

/// A Secret: all its values, but for public certificates and documents that the controller stored.
fn secret(
    object: &Object,
    placeholders: &Placeholders,
    stored: &stored::Stored,
    sweep: &Sweep,
) -> Node {
    let data = secret_data::all(object).into_iter().map(|(key, bytes)| {
        let id = (object.namespace(), object.name(), key);
        let shown = match stored.get(&(id.0.into(), id.1.into(), key.to_string())) {
            Some(text) => text.clone(),
            None if is_public(key, &bytes) => bytes,
            None => placeholders.of(&bytes).into_bytes(),
        };
        (key.to_string(), Value::String(STANDARD.encode(shown)))
    });
    let data = map(data.collect());
    let Value::Map(members) = &object.root().value else {
        return object.root().clone();
    };
    let kept = members
        .iter()
        .filter(|e| e.key != "stringData" && e.key != "data");
    let mut entries: Vec<Entry> = kept.cloned().collect();
    entries.push(entry("data".to_string(), data));
    let cleaned = with_last_applied(node(Value::Map(Map::from_unique(entries))), &|applied| {
        applied_secret(applied, placeholders)
    });
    sweep.node(&cleaned)
}

/// A Secret as it was applied.
fn applied_secret(applied: &Node, placeholders: &Placeholders) -> Node {
    let Value::Map(members) = &applied.value else {
        return node(Value::Null);
    };
    let shown = |key: &str, value: &Node, encoded: bool| {
        let text = value.as_str().unwrap_or_default();
        let bytes = match encoded {
            true => STANDARD.decode(text).unwrap_or_else(|_| text.into()),
            false => text.into(),
        };
        if is_public(key, &bytes) {
            return value.value.clone();
        }
        let hidden = match encoded {
            true => STANDARD.encode(placeholders.of(&bytes)),
            false => placeholders.of(&bytes),
        };
        Value::String(hidden)
    };
    let entries = members.iter().map(|e| match (&*e.key, e.value.as_map()) {
        ("data" | "stringData", Some(data)) => {
            let encoded = e.key == "data";
            let data = data
                .iter()
                .map(|d| (d.key.clone(), shown(&d.key, &d.value, encoded)));
            entry(e.key.clone(), map(data.collect()))
        }
        _ => e.clone(),
    });
    node(Value::Map(Map::from_unique(entries.collect())))
}

/// The object with its last-applied annotation cleaned; an annotation that is no JSON becomes empty.
fn with_last_applied(root: Node, clean: &dyn Fn(&Node) -> Node) -> Node {
    fields::map_strings(&root, &mut |path, text| {
        let is_annotation = matches!(path, ["metadata", "annotations", LAST_APPLIED]);
        is_annotation.then(|| {
            let documents = crate::manifest::read("".into(), text.as_bytes(), &Default::default());
            match documents.into_iter().next() {
                Some(Ok(document)) => clean(&document.root).to_json().to_string(),
                _ => String::new(),
            }
        })
    })
}

fn node(value: Value) -> Node {
    Node {
        pos: Pos::NOWHERE,
        value,
    }
}

fn entry(key: String, value: Value) -> Entry {
    Entry {
        key,
        key_pos: Pos::NOWHERE,
        value: node(value),
    }
}

fn map(members: BTreeMap<String, Value>) -> Value {
    let entries = members.into_iter().map(|(key, value)| entry(key, value));
    Value::Map(Map::from_unique(entries.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_certificates_are_public() {
        let certificate = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";
        let key = "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n";
        assert!(is_public("tls.crt", certificate.as_bytes()));
        assert!(is_public("ca.crt", certificate.repeat(2).as_bytes()));
        assert!(!is_public("tls.key", certificate.as_bytes()));
        assert!(!is_public(
            "tls.crt",
            [certificate, key].concat().as_bytes()
        ));
        assert!(!is_public(
            "tls.crt",
            ["secret", certificate].concat().as_bytes()
        ));
        assert!(!is_public("tls.crt", b"secret"));
        assert!(!is_public("tls.crt", b""));
    }
}
