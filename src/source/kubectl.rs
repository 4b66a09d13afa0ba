//! The directories that `kubectl diff` gives to an external program: one object a file, named for it,
//! with the values of Secrets masked.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::Reader;
use crate::failure::Failure;
use crate::manifest::Document;
use crate::manifest::node::{Entry, Map, Node, Value};

/// With what every mask begins. Values that differ on the two sides have different masks.
const MASK: &str = "***";

/// Whether two directories are those of kubectl: by their names, or because all their files are
/// named as it names them.
pub fn is_pair(old: &str, new: &str) -> bool {
    let name = |path: &str| {
        Path::new(path)
            .file_name()
            .map(|n| n.to_string_lossy().into_owned())
    };
    let starts = |path: &str, word: &str| name(path).is_some_and(|name| name.starts_with(word));
    let named = starts(old, "LIVE-") && starts(new, "MERGED-");
    let files = || Some([object_files(old)?, object_files(new)?]);
    named || files().is_some_and(|counts| counts.iter().any(|count| *count > 0))
}

/// How many objects a directory holds; `None` when it is none or holds something else.
fn object_files(directory: &str) -> Option<usize> {
    let mut count = 0;
    for entry in fs::read_dir(directory).ok()? {
        let entry = entry.ok()?;
        if !entry.file_type().ok()?.is_file() || !is_object(&entry.file_name().to_string_lossy()) {
            return None;
        }
        count += 1;
    }
    Some(count)
}

/// Whether a file is named `[group.]version.Kind.namespace.name`.
fn is_object(name: &str) -> bool {
    let parts: Vec<&str> = name.split('.').collect();
    let is_version = |part: &str| {
        let mut chars = part.chars();
        chars.next() == Some('v') && chars.next().is_some_and(|c| c.is_ascii_digit())
    };
    let is_kind = |part: &str| part.starts_with(|c: char| c.is_ascii_uppercase());
    let mut pairs = parts.windows(2);
    parts.len() >= 4 && pairs.any(|pair| is_version(pair[0]) && is_kind(pair[1]))
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

#[cfg(test)]
mod tests {
    use super::is_object;

    #[test]
    fn objects_are_named_for_their_kind() {
        for name in [
            "v1.Secret.ns.name",
            "apps.v1.Deployment.ns.a.b",
            "v1.Namespace..ns",
        ] {
            assert!(is_object(name), "{name}");
        }
        for name in [
            "route.yaml",
            "README.md",
            "v1.yaml",
            "values.v1.yaml",
            "v1.Secret",
        ] {
            assert!(!is_object(name), "{name}");
        }
    }
}
