//! Header and body mutations of a backend and of the ref that uses it, merged.

use std::collections::BTreeMap;

use super::config::{Leaf, Mutation, Text};
use super::names::header_name;
use super::origin::{Because, Origin, Rule};
use crate::secret::Secret;
use crate::world::field::Field;

/// What differs between headers and bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Entries are named by `name`, without regard to case.
    Headers,
    /// Entries are named by `path`, literally.
    Body,
}

impl Target {
    fn key(self) -> &'static str {
        match self {
            Target::Headers => "name",
            Target::Body => "path",
        }
    }

    fn normalise(self, name: &str) -> String {
        match self {
            Target::Headers => header_name(name),
            Target::Body => name.to_string(),
        }
    }
}

/// Merges the mutation of the route's ref over the one of the backend. Where only one exists it is
/// taken as it is, in its own order; the merged one has no order of its own, so it is sorted.
pub fn merge<'w>(
    route: &Field<'w>,
    backend: &Field<'w>,
    target: Target,
    because: &Because<'w>,
) -> Option<Mutation<'w>> {
    match (route.is_set(), backend.is_set()) {
        (false, false) => None,
        (true, false) => Some(single(route, target, Rule::RouteMutation, because)),
        (false, true) => Some(single(backend, target, Rule::BackendMutation, because)),
        (true, true) => Some(merged(route, backend, target, because)),
    }
}

fn single<'w>(
    field: &Field<'w>,
    target: Target,
    rule: Rule,
    because: &Because<'w>,
) -> Mutation<'w> {
    Mutation {
        set: field
            .get("set")
            .items()
            .map(|entry| set_entry(&entry, target, rule, because))
            .collect(),
        remove: field
            .get("remove")
            .items()
            .map(|name| remove_entry(&name, target, rule, because))
            .collect(),
    }
}

fn set_entry<'w>(
    entry: &Field<'w>,
    target: Target,
    rule: Rule,
    because: &Because<'w>,
) -> (Leaf<'w>, Leaf<'w>) {
    let (name, value) = (entry.get(target.key()), entry.get("value"));
    let text = target.normalise(name.str_or_empty());
    let because = because.and([name.source()]);
    let hidden = Text::Mutation(Secret::new(value.str_or_empty().into()));
    (
        Leaf::plain(text, Origin::new(rule, name.source(), &because)),
        Leaf {
            text: hidden,
            origin: Origin::new(rule, value.source(), &because),
        },
    )
}

fn remove_entry<'w>(
    name: &Field<'w>,
    target: Target,
    rule: Rule,
    because: &Because<'w>,
) -> Leaf<'w> {
    let text = target.normalise(name.str_or_empty());
    Leaf::plain(text, Origin::new(rule, name.source(), because))
}

/// `set` and `remove` are merged apart from each other: a route that removes what the backend sets
/// does not cancel it.
fn merged<'w>(
    route: &Field<'w>,
    backend: &Field<'w>,
    target: Target,
    because: &Because<'w>,
) -> Mutation<'w> {
    let levels = [
        (backend, Rule::BackendMutation),
        (route, Rule::RouteMutation),
    ];
    let mut set = BTreeMap::<String, (Leaf<'w>, Leaf<'w>)>::new();
    let mut remove = BTreeMap::<String, Leaf<'w>>::new();
    for (level, rule) in levels {
        for entry in level.get("set").items() {
            let mut leaves = set_entry(&entry, target, rule, because);
            let name = target.normalise(entry.get(target.key()).str_or_empty());
            if let Some((old_name, old_value)) = set.remove(&name) {
                leaves.0.origin.overrode = old_name.overridden();
                leaves.1.origin.overrode = old_value.overridden();
            }
            set.insert(name, leaves);
        }
        for entry in level.get("remove").items() {
            let mut leaf = remove_entry(&entry, target, rule, because);
            let name = target.normalise(entry.str_or_empty());
            if let Some(old) = remove.remove(&name) {
                leaf.origin.overrode = old.overridden();
            }
            remove.insert(name, leaf);
        }
    }
    Mutation {
        set: set.into_values().collect(),
        remove: remove.into_values().collect(),
    }
}
