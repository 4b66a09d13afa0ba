//! Mapping keys: YAML's may be anything, JSON's are strings.

use std::collections::HashMap;

use super::resolve::Resolved;
use super::token::{Fault, Reading};
use crate::manifest::node::{Node, Pos, Value};
use crate::manifest::number::float_key;

/// What a key was before it became a string: `1` and `"1"` are two keys for YAML.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum KeyType {
    Str,
    Bool,
    Int,
    Float(f64),
    /// These two cannot become strings.
    Null,
    UInt,
}

impl KeyType {
    /// What to call a key that makes its document unreadable.
    pub(super) fn impossible(self) -> Option<&'static str> {
        match self {
            KeyType::Null => Some("null"),
            KeyType::UInt => Some("an integer beyond 63 bits"),
            _ => None,
        }
    }
}

/// A scalar as a key: the text that JSON gets, and what it was.
pub(super) fn key_of(resolved: Resolved<'_>) -> (String, KeyType) {
    match resolved {
        Resolved::Null => ("null".to_owned(), KeyType::Null),
        Resolved::Bool(value) => (value.to_string(), KeyType::Bool),
        Resolved::Int(value) => (value.to_string(), KeyType::Int),
        Resolved::UInt(value) => (value.to_string(), KeyType::UInt),
        Resolved::Float(value) => (float_key(value), KeyType::Float(value)),
        Resolved::Str(text) => (text.into_owned(), KeyType::Str),
    }
}

/// The types of a document's keys, by position.
#[derive(Debug, Default)]
pub(super) struct KeyTypes {
    /// Those that were not strings.
    others: HashMap<Pos, KeyType>,
}

impl KeyTypes {
    pub(super) fn add(&mut self, pos: Pos, key_type: KeyType) {
        if key_type != KeyType::Str {
            self.others.insert(pos, key_type);
        }
    }

    pub(super) fn get(&self, pos: Pos) -> KeyType {
        if self.others.is_empty() {
            return KeyType::Str;
        }
        self.others.get(&pos).copied().unwrap_or(KeyType::Str)
    }

    /// Fails at a key or number that JSON does not know. Only what is left in the end counts:
    /// a value that a later one replaced does no harm.
    pub(super) fn check_json(&self, root: &Node) -> Reading<()> {
        let mut nodes = vec![root];
        while let Some(node) = nodes.pop() {
            match &node.value {
                Value::Float(value) if !value.is_finite() => {
                    let message = "JSON knows no infinity and no NaN: quote the value";
                    return Err(Fault::at(node.pos, message));
                }
                Value::List(items) => nodes.extend(items.iter().rev()),
                Value::Map(map) => {
                    for entry in map.iter().rev() {
                        if let Some(what) = self.get(entry.key_pos).impossible() {
                            let message = format!("a key cannot be {what}: quote it");
                            return Err(Fault::at(entry.key_pos, message));
                        }
                        nodes.push(&entry.value);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}
