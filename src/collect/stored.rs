//! The documents that the controller has stored, rewritten: the whole one, and the one in parts with
//! its index.

use std::borrow::Cow;
use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::fields::rewrite_stored;
use super::placeholder::Placeholders;
use super::sweep::Sweep;
use crate::controllers::ai_gateway::bundle::{Payload, hex};
use crate::controllers::ai_gateway::secret_data;
use crate::manifest::emit::{Tree, to_yaml};
use crate::manifest::node::{Node, Value};
use crate::manifest::read_yaml;
use crate::world::World;
use crate::world::kind::Kind;
use crate::world::object::Object;

/// The keys of Secrets under which the controller stores.
pub(super) const KEYS: [&str; 3] = ["filter-config.yaml", "index.yaml", "chunk"];
/// What stands in place of a document that cannot be read, and so may hold anything.
const UNREADABLE: &str = "[redacted: not a document]";

/// What values become, by namespace, name and key.
pub(super) type Stored = BTreeMap<(String, String, String), Vec<u8>>;

/// Rewrites every document that a Secret of the world holds.
pub(super) fn rewrite(world: &World, placeholders: &Placeholders, sweep: &Sweep) -> Stored {
    let mut stored = Stored::new();
    let rewriter = Rewriter {
        placeholders,
        sweep,
    };
    for secret in world.all(Kind::Secret) {
        let data = secret_data::all(secret);
        for (key, value) in &data {
            match *key {
                "filter-config.yaml" => {
                    let text = rewriter.document(value).unwrap_or(UNREADABLE.into());
                    stored.insert(place(secret, key), text.into_bytes());
                }
                // Replaced again where an index knows the whole.
                "chunk" => {
                    stored
                        .entry(place(secret, key))
                        .or_insert(UNREADABLE.into());
                }
                "index.yaml" => rewriter.bundle(world, secret, value, &mut stored),
                _ => {}
            }
        }
    }
    stored
}

fn place(secret: &Object, key: &str) -> (String, String, String) {
    let text = |text: &str| text.to_string();
    (text(secret.namespace()), text(secret.name()), text(key))
}

struct Rewriter<'a> {
    placeholders: &'a Placeholders,
    sweep: &'a Sweep,
}

impl Rewriter<'_> {
    /// A document without credentials; `None` when it is none.
    fn document(&self, bytes: &[u8]) -> Option<String> {
        let document = read_yaml("".into(), bytes, &Default::default()).ok()?;
        document.root.as_map()?;
        let hide = &mut |text: &str| self.placeholders.of(text.as_bytes());
        let hidden = self.sweep.node(&rewrite_stored(&document.root, hide));
        to_yaml(&tree(&hidden)).ok()
    }

    /// An index and its parts. A checksum and sizes that were right are right again; those that were
    /// wrong stay as they are.
    fn bundle(&self, world: &World, secret: &Object, index: &[u8], stored: &mut Stored) {
        let unreadable = || UNREADABLE.as_bytes().to_vec();
        let Ok(document) = read_yaml("".into(), index, &Default::default()) else {
            stored.insert(place(secret, "index.yaml"), unreadable());
            return;
        };
        let parts = parts(&document.root, world, secret.namespace());
        let old: Vec<Vec<u8>> = parts.iter().map(|part| part.bytes.clone()).collect();
        let whole = old.concat();
        let text = match parts.iter().all(|part| part.secret.is_some()) {
            true => self.document(&whole),
            false => None,
        };
        let text = text.unwrap_or_else(|| UNREADABLE.to_string());
        let payload = Payload::new(&text, parts.len());
        for (i, part) in parts.iter().enumerate() {
            if let Some(secret) = part.secret {
                stored.insert(place(secret, "chunk"), payload.part(i).to_vec());
            }
        }
        let new = |i: usize| payload.part(i).len();
        let hash = |bytes: &[u8]| hex(&Sha256::digest(bytes));
        let was_right = document.root.get("checksum").and_then(Node::as_str) == Some(&hash(&whole));
        let index = renewed(
            &document.root,
            was_right.then(|| hash(text.as_bytes())),
            &|i, size| match old.get(i) {
                Some(bytes) if size == bytes.len() as i64 => new(i) as i64,
                _ => size,
            },
        );
        let index = to_yaml(&tree(&self.sweep.node(&index)));
        let index = index.map_or_else(|_| unreadable(), String::into_bytes);
        stored.insert(place(secret, "index.yaml"), index);
    }
}

/// A part that an index names.
struct Stone<'w> {
    secret: Option<&'w Object>,
    bytes: Vec<u8>,
}

fn parts<'w>(index: &Node, world: &'w World, namespace: &str) -> Vec<Stone<'w>> {
    let listed = index.get("parts").and_then(Node::as_list);
    let listed = listed.unwrap_or_default().iter();
    let parts = listed.map(|part| {
        let name = part.get("name").and_then(Node::as_str).unwrap_or_default();
        let secret = world.get(Kind::Secret, namespace, name);
        let bytes = secret.and_then(|s| secret_data::all(s).remove("chunk"));
        Stone {
            secret: secret.filter(|_| bytes.is_some()),
            bytes: bytes.unwrap_or_default(),
        }
    });
    parts.collect()
}

/// The index with another checksum, if one is given, and other sizes.
fn renewed(index: &Node, checksum: Option<String>, size: &dyn Fn(usize, i64) -> i64) -> Node {
    use super::{entry, node};
    use crate::manifest::node::Map;
    let Some(members) = index.as_map() else {
        return index.clone();
    };
    let entries = members
        .iter()
        .map(|e| match (&*e.key, &checksum, e.value.as_list()) {
            ("checksum", Some(new), _) => entry(e.key.clone(), Value::String(new.clone())),
            ("parts", _, Some(parts)) => {
                let parts = parts.iter().enumerate().map(|(i, part)| {
                    let Some(members) = part.as_map() else {
                        return part.clone();
                    };
                    let members = members.iter().map(|m| match (&*m.key, m.value.as_i64()) {
                        ("sizeBytes", Some(old)) => entry(m.key.clone(), Value::Int(size(i, old))),
                        _ => m.clone(),
                    });
                    node(Value::Map(Map::from_unique(members.collect())))
                });
                entry(e.key.clone(), Value::List(parts.collect()))
            }
            _ => e.clone(),
        });
    node(Value::Map(Map::from_unique(entries.collect())))
}

/// A value as the serializer takes it.
// Recursion is as deep as the document's nesting at most.
fn tree(node: &Node) -> Tree<'_> {
    match &node.value {
        Value::Null => Tree::Null,
        Value::Bool(value) => Tree::Bool(*value),
        Value::Int(value) => Tree::Int(*value),
        Value::UInt(value) => Tree::UInt(*value),
        Value::Float(value) => Tree::Float(*value),
        Value::String(text) => Tree::Str(Cow::Borrowed(text)),
        Value::List(items) => Tree::List(items.iter().map(tree).collect()),
        Value::Map(map) => {
            let members = map.iter().map(|e| (Cow::Borrowed(&*e.key), tree(&e.value)));
            Tree::Map(members.collect())
        }
    }
}
