//! Mapping keys: YAML's may be anything, JSON's are strings.

use super::resolve::Resolved;
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
