//! Collections under construction, and where the next node goes.

use super::alias::Cost;
use super::key::KeyType;
use crate::manifest::map_builder::MapBuilder;
use crate::manifest::node::{Node, Pos, Value};

/// A collection that is being read.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    pub(super) start: usize,
    pub(super) pos: Pos,
    /// Its anchor, if that has aliases.
    pub(super) anchor: Option<&'a str>,
    /// The costs before it.
    pub(super) cost: Cost,
    /// Levels of collections inside.
    pub(super) height: usize,
    pub(super) content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    List {
        items: Vec<Node>,
        /// It is the value of a `<<` key.
        merged: bool,
    },
    Map {
        map: MapBuilder,
        key: Option<Key>,
    },
}

/// A key whose value comes next.
#[derive(Debug)]
pub(super) enum Key {
    Plain(String, KeyType, Pos),
    Merge(Pos),
}

/// What the next node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Key,
    /// The value of `<<`.
    MergeValue,
    /// An item of a list that is the value of `<<`.
    MergeItem,
    /// Any other value.
    Value,
}

impl Content {
    pub(super) fn list(merged: bool) -> Self {
        let items = Vec::new();
        Content::List { items, merged }
    }

    pub(super) fn map() -> Self {
        let map = MapBuilder::default();
        Content::Map { map, key: None }
    }

    pub(super) fn next_role(&self) -> Role {
        match self {
            Content::Map { key: None, .. } => Role::Key,
            Content::Map {
                key: Some(Key::Merge(_)),
                ..
            } => Role::MergeValue,
            Content::List { merged: true, .. } => Role::MergeItem,
            _ => Role::Value,
        }
    }

    pub(super) fn set_key(&mut self, new: Key) {
        if let Content::Map { key, .. } = self {
            *key = Some(new);
        }
    }

    pub(super) fn finish(self) -> Value {
        match self {
            Content::List { mut items, .. } => {
                items.shrink_to_fit();
                Value::List(items)
            }
            Content::Map { map, .. } => Value::Map(map.finish()),
        }
    }
}

/// A node that is complete, on its way to its parent.
pub(super) struct Complete {
    pub(super) node: Node,
    pub(super) start: usize,
    /// Bytes of text.
    pub(super) size: usize,
    /// Levels of collections.
    pub(super) height: usize,
}
