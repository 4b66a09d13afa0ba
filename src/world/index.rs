//! Objects by a namespace and a name: their own, or those that they refer to.

use std::collections::HashMap;

/// Slots of objects by namespace and name. Look-ups borrow.
#[derive(Debug, Default)]
pub(super) struct Index(HashMap<String, HashMap<String, Vec<usize>>>);

impl Index {
    /// The slots under a key, in the order of [`Index::sort_by`], else as added.
    pub(super) fn get(&self, namespace: &str, name: &str) -> &[usize] {
        let names = self.0.get(namespace);
        names
            .and_then(|names| names.get(name))
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// Adds a slot under a key, once.
    pub(super) fn add(&mut self, namespace: &str, name: &str, slot: usize) {
        let slots = self.slots(namespace, name);
        if slots.last() != Some(&slot) {
            slots.push(slot);
        }
    }

    /// The slots under a key, to be changed.
    pub(super) fn slots(&mut self, namespace: &str, name: &str) -> &mut Vec<usize> {
        if !self.0.contains_key(namespace) {
            self.0.insert(namespace.to_string(), HashMap::new());
        }
        let names = self
            .0
            .get_mut(namespace)
            .expect("the namespace was just added");
        if !names.contains_key(name) {
            names.insert(name.to_string(), Vec::new());
        }
        names.get_mut(name).expect("the name was just added")
    }

    /// The keys that have slots, in no order.
    pub(super) fn keys(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().flat_map(|(namespace, names)| {
            names
                .keys()
                .map(move |name| (namespace.as_str(), name.as_str()))
        })
    }

    /// Puts the slots of each key into an order.
    pub(super) fn sort_by<K: Ord>(&mut self, key: impl Fn(usize) -> K) {
        for slots in self.0.values_mut().flat_map(HashMap::values_mut) {
            slots.sort_by_key(|&slot| key(slot));
        }
    }
}
