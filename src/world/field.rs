//! A cursor into an object: the value of a field together with the place it was written.

use std::borrow::Cow;

use super::object::Object;
use super::path::FieldPath;
use crate::manifest::node::{Node, Pos, Value};

/// A field of an object, present or not. `null` counts as absent, as the API server drops it.
#[derive(Debug, Clone)]
pub struct Field<'w> {
    object: &'w Object,
    node: Option<&'w Node>,
    near: Pos,
    path: FieldPath,
}

/// Where a value was written: object, field and position.
#[derive(Debug, Clone)]
pub struct Source<'w> {
    /// The object.
    pub object: &'w Object,
    /// The field.
    pub path: FieldPath,
    /// The position of the value; of the nearest enclosing value when the field is absent.
    pub pos: Pos,
}

impl<'w> Field<'w> {
    /// The object as a whole.
    pub fn root(object: &'w Object) -> Self {
        let node = object.root();
        Field {
            object,
            node: Some(node),
            near: node.pos,
            path: FieldPath::root(),
        }
    }

    /// A member. Absent when this field is absent or not a mapping.
    pub fn get(&self, key: impl Into<Cow<'static, str>>) -> Field<'w> {
        let key = key.into();
        let node = match self.node.map(|n| &n.value) {
            Some(Value::Map(map)) => map.get(&key).filter(|n| n.value != Value::Null),
            _ => None,
        };
        self.child(node, self.path.key(key))
    }

    fn child(&self, node: Option<&'w Node>, path: FieldPath) -> Field<'w> {
        Field {
            object: self.object,
            node,
            near: node.map_or(self.near, |n| n.pos),
            path,
        }
    }

    /// The items of a list; none when the field is absent or no list.
    pub fn items(&self) -> impl Iterator<Item = Field<'w>> + use<'w> {
        let nodes: &'w [Node] = match self.node.map(|n| &n.value) {
            Some(Value::List(list)) => list,
            _ => &[],
        };
        let this = self.clone();
        nodes
            .iter()
            .enumerate()
            .map(move |(i, node)| this.child(Some(node), this.path.index(i)))
    }

    /// An item of a list. Absent when this field is no list or too short.
    pub fn item(&self, index: usize) -> Field<'w> {
        let node = match self.node.map(|n| &n.value) {
            Some(Value::List(list)) => list.get(index),
            _ => None,
        };
        self.child(node, self.path.index(index))
    }

    /// The members of a mapping in the order written; none when the field is absent or no mapping.
    pub fn entries(&self) -> impl Iterator<Item = (&'w str, Field<'w>)> + use<'w> {
        let entries = match self.node.map(|n| &n.value) {
            Some(Value::Map(map)) => Some(map.iter()),
            _ => None,
        };
        let this = self.clone();
        entries.into_iter().flatten().map(move |e| {
            let path = this.path.key(e.key.to_string());
            (&*e.key, this.child(Some(&e.value), path))
        })
    }

    /// Whether the field is present and not `null`.
    pub fn is_set(&self) -> bool {
        self.node.is_some()
    }

    /// The text of a string field.
    pub fn str(&self) -> Option<&'w str> {
        match self.node.map(|n| &n.value) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// The text of a string field, empty when absent: what Go's zero value gives.
    pub fn str_or_empty(&self) -> &'w str {
        self.str().unwrap_or_default()
    }

    /// The value of a boolean field.
    pub fn bool(&self) -> Option<bool> {
        match self.node.map(|n| &n.value) {
            Some(Value::Bool(b)) => Some(*b),
            _ => None,
        }
    }

    /// The value of an integer field. A float without fraction counts, as the API server reads it.
    pub fn int(&self) -> Option<i64> {
        match self.node.map(|n| &n.value) {
            Some(Value::Int(n)) => Some(*n),
            Some(Value::Float(f)) if f.fract() == 0.0 && f.abs() < 9.0e15 => Some(*f as i64),
            _ => None,
        }
    }

    /// The value itself.
    pub fn node(&self) -> Option<&'w Node> {
        self.node
    }

    /// The object that the field belongs to.
    pub fn object(&self) -> &'w Object {
        self.object
    }

    /// The path of the field.
    pub fn path(&self) -> &FieldPath {
        &self.path
    }

    /// Where the field was written.
    pub fn source(&self) -> Source<'w> {
        Source {
            object: self.object,
            path: self.path.clone(),
            pos: self.near,
        }
    }
}

impl Source<'_> {
    /// `file:line:column`, as editors and compilers write it; object and field of a value that was
    /// read from a cluster.
    pub fn location(&self) -> String {
        match self.pos.known() {
            Some(Pos { line, column }) => format!("{}:{line}:{column}", self.object.file()),
            None => format!("{} {}", self.object.id(), self.path),
        }
    }
}
