//! The directories that `kubectl diff` gives to an external program: one object a file, named for it,
//! with the values of Secrets masked.

use std::fs;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::Reader;
use crate::failure::Failure;
use crate::manifest::Document;
use crate::manifest::node::{Entry, Map, Node, Value};

/// With what every mask begins. Values that differ on the two sides have different masks.
const MASK: &str = "***";

/// Whether two directories are named as kubectl names them.
pub fn is_pair(old: &str, new: &str) -> bool {
    let name = |path: &str| {
        path.trim_end_matches('/')
            .rsplit('/')
            .next()
            .map(str::to_string)
    };
    let starts = |path: &str, word: &str| name(path).is_some_and(|name| name.starts_with(word));
    starts(old, "LIVE-") && starts(new, "MERGED-")
}

/// Reads every file of a directory, whatever it is called. An object that does not exist is an empty
/// file.
///
/// # Errors
/// When the directory cannot be read.
pub(super) fn read(reader: &mut Reader, directory: &str) -> Result<(), Failure> {
    let failed = |e: std::io::Error| Failure::new(format!("cannot read {directory}: {e}"));
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        paths.push(entry.map_err(failed)?.path());
    }
    paths.sort();
    for path in paths.iter().filter(|path| path.is_file()) {
        let bytes = fs::read(path).map_err(failed)?;
        reader.documents(&path.display().to_string(), &bytes, &unmask);
    }
    Ok(())
}

/// A mask is no base64: it becomes a value like any other, so that equal masks stay equal values.
fn unmask(mut document: Document) -> Document {
    let is_secret = document.root.get("kind").and_then(Node::as_str) == Some("Secret");
    if is_secret {
        document.root = in_member(document.root, "data", &|data| map_values(data, &unmasked));
    }
    document
}

fn unmasked(node: Node) -> Node {
    match &node.value {
        Value::String(text) if text.starts_with(MASK) => Node {
            value: Value::String(STANDARD.encode(text)),
            ..node
        },
        _ => node,
    }
}

fn in_member(node: Node, key: &str, change: &dyn Fn(Node) -> Node) -> Node {
    map_entries(node, &|entry| match entry.key == key {
        true => Entry {
            value: change(entry.value),
            ..entry
        },
        false => entry,
    })
}

fn map_values(node: Node, change: &dyn Fn(Node) -> Node) -> Node {
    map_entries(node, &|entry| Entry {
        value: change(entry.value),
        ..entry
    })
}

fn map_entries(node: Node, change: &dyn Fn(Entry) -> Entry) -> Node {
    let Node { pos, value } = node;
    let value = match value {
        Value::Map(map) => Value::Map(Map::from_unique(
            map.into_entries().into_iter().map(change).collect(),
        )),
        other => other,
    };
    Node { pos, value }
}
