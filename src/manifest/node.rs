//! A YAML or JSON value with the position it was read from.

use std::fmt;

/// A position in a text: both numbers start at 1, the column counts characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pos {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl Pos {
    /// The position of a value that was not read from a file.
    pub const NOWHERE: Pos = Pos { line: 0, column: 0 };

    /// The position, if there is one.
    pub fn known(self) -> Option<Pos> {
        (self != Pos::NOWHERE).then_some(self)
    }
}

/// A value and where it was written. The position of a scalar is its first character, the
/// position of a collection its first entry (or its opening bracket in flow style).
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where the value starts. For a value reached through an alias: where the anchor's value starts.
    pub pos: Pos,
    /// The value as the API machinery sees it after YAML has become JSON.
    pub value: Value,
}

impl Node {
    /// The value of a key, if this is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.as_map()?.get(key)
    }

    /// The value at a path of keys. No keys: the node itself.
    pub fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// Whether another node has the same value, wherever both were written.
    pub fn same_value(&self, other: &Node) -> bool {
        match (&self.value, &other.value) {
            (Value::List(a), Value::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_value(b))
            }
            (Value::Map(a), Value::Map(b)) => {
                let same = |e: &Entry| b.get(&e.key).is_some_and(|v| e.value.same_value(v));
                a.len() == b.len() && a.iter().all(same)
            }
            (a, b) => a == b,
        }
    }

    /// The mapping, if this is one.
    pub fn as_map(&self) -> Option<&Map> {
        match &self.value {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The items, if this is a list.
    pub fn as_list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value, if this is a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The value, if this is an integer of 64 bits with sign.
    pub fn as_i64(&self) -> Option<i64> {
        match self.value {
            Value::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The value, if this is a number; integers beyond 2^53 lose digits.
    pub fn as_f64(&self) -> Option<f64> {
        match self.value {
            Value::Int(value) => Some(value as f64),
            Value::UInt(value) => Some(value as f64),
            Value::Float(value) => Some(value),
            _ => None,
        }
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    /// The value with no position anywhere, and without the member at a path of keys.
    // Recursion is as deep as the document's nesting at most.
    pub fn without_positions(self, dropped: &[&str]) -> Node {
        let value = match self.value {
            Value::List(items) => {
                let items = items.into_iter().map(|item| item.without_positions(&[]));
                Value::List(items.collect())
            }
            Value::Map(map) => {
                let inner = |key: &str| match dropped {
                    [first, rest @ ..] if *first == key => rest,
                    _ => &[],
                };
                let kept = |entry: &Entry| dropped != [entry.key.as_str()];
                let entries = map.into_entries().into_iter().filter(kept);
                let entries = entries.map(|entry| Entry {
                    key_pos: Pos::NOWHERE,
                    value: entry.value.without_positions(inner(&entry.key)),
                    key: entry.key,
                });
                Value::Map(Map::from_unique(entries.collect()))
            }
            scalar => scalar,
        };
        Node {
            pos: Pos::NOWHERE,
            value,
        }
    }

    /// The value as plain JSON.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::from(*value),
            Value::Int(value) => Json::from(*value),
            Value::UInt(value) => Json::from(*value),
            Value::Float(value) => Json::from(*value),
            Value::String(text) => Json::from(text.as_str()),
            Value::List(items) => items.iter().map(Node::to_json).collect(),
            Value::Map(map) => map
                .iter()
                .map(|entry| (entry.key.clone(), entry.value.to_json()))
                .collect(),
        }
    }
}

/// The JSON data model, with integers kept apart from floats as the API machinery keeps them.
#[derive(Clone, PartialEq)]
pub enum Value {
    /// `null`, `~` or an empty scalar.
    Null,
    /// A boolean, YAML 1.1 spellings included.
    Bool(bool),
    /// An integer that fits 64 bits signed.
    Int(i64),
    /// An integer above the signed range.
    UInt(u64),
    /// A number with a fraction or exponent, or an integer beyond 64 bits.
    Float(f64),
    /// A string.
    String(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping in the order of first appearance.
    Map(Map),
}

/// Only the shape: any text may be a credential.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(_) => f.write_str("bool"),
            Value::Int(_) | Value::UInt(_) | Value::Float(_) => f.write_str("number"),
            Value::String(_) => f.write_str("string"),
            Value::List(items) => f.debug_list().entries(items).finish(),
            Value::Map(map) => f
                .debug_map()
                .entries(map.iter().map(|e| (&e.key, &e.value)))
                .finish(),
        }
    }
}

/// A mapping: keys are unique, the last of several equal keys has given the value.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Map {
    entries: Vec<Entry>,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key as text (`y: 1` has the key `true`).
    pub key: String,
    /// Where the key was written.
    pub key_pos: Pos,
    /// The value.
    pub value: Node,
}

impl Map {
    /// A mapping from entries whose keys are already unique.
    pub fn from_unique(entries: Vec<Entry>) -> Self {
        Map { entries }
    }

    /// The entries, in the order of first appearance.
    pub fn into_entries(self) -> Vec<Entry> {
        self.entries
    }

    /// The entries in the order of first appearance.
    pub fn iter(&self) -> std::slice::Iter<'_, Entry> {
        self.entries.iter()
    }

    /// The entry of a key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|e| e.key == key)
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|e| &e.value)
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
