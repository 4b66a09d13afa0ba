//! A mapping under construction.

use std::collections::HashMap;

use super::node::{Entry, Map};

/// From this size on keys are found by hash.
const INDEXED: usize = 16;

/// Entries in the order of first appearance, found by key.
#[derive(Debug, Default)]
pub(super) struct MapBuilder {
    entries: Vec<Entry>,
    index: HashMap<String, usize>,
}

impl MapBuilder {
    /// The first entry with this key.
    pub(super) fn find(&mut self, key: &str) -> Option<&mut Entry> {
        let at = if self.index.is_empty() {
            self.entries.iter().position(|entry| entry.key == key)?
        } else {
            *self.index.get(key)?
        };
        Some(&mut self.entries[at])
    }

    /// Adds an entry, whatever its key.
    pub(super) fn push(&mut self, entry: Entry) {
        self.entries.push(entry);
        if self.entries.len() < INDEXED {
            return;
        }
        let from = if self.index.is_empty() {
            0
        } else {
            self.entries.len() - 1
        };
        for (at, entry) in self.entries.iter().enumerate().skip(from) {
            self.index.entry(entry.key.clone()).or_insert(at);
        }
    }

    pub(super) fn finish(mut self) -> Map {
        self.entries.shrink_to_fit();
        Map::from_unique(self.entries)
    }
}
