//! Which backends of two documents belong together.
//!
//! A backend's name holds the position of its rule and ref, so one rule more at the top renames every
//! backend of a route. What stayed the same under another position has moved.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::BuildHasher;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::lists::{Pairing, equal};
use super::value::Value;

/// A name, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Name<'v> {
    /// `<namespace>/<ref>`.
    backend: &'v str,
    route: &'v str,
    rule: usize,
    reference: usize,
}

impl<'v> Name<'v> {
    /// Any other text is a name without position.
    fn parse(text: &'v str) -> Self {
        let parsed = || {
            let (rest, reference) = text.rsplit_once("/ref/")?;
            let (rest, rule) = rest.rsplit_once("/rule/")?;
            let (backend, route) = rest.rsplit_once("/route/")?;
            Some(Name {
                backend,
                route,
                rule: rule.parse().ok()?,
                reference: reference.parse().ok()?,
            })
        };
        parsed().unwrap_or(Name {
            backend: text,
            route: "",
            rule: 0,
            reference: 0,
        })
    }
}

/// One side's backends.
struct Side<'v> {
    names: Vec<Name<'v>>,
    /// Of everything but the name.
    prints: Vec<u64>,
}

impl<'v> Side<'v> {
    fn of(backends: &'v [Value<'_>], hasher: &impl BuildHasher) -> Self {
        let name = |backend: &'v Value<'_>| backend.get("name").map_or("", Value::plain);
        Side {
            names: backends.iter().map(|b| Name::parse(name(b))).collect(),
            prints: backends
                .iter()
                .map(|b| b.fingerprint_without("name", hasher))
                .collect(),
        }
    }
}

/// The pairs that are known, and what is left to be paired.
struct Work<'v> {
    old: Side<'v>,
    new: Side<'v>,
    pairs: Vec<(usize, usize)>,
    olds: Vec<usize>,
    news: Vec<usize>,
}

/// Pairs backends: equal ones of one name; equal ones of one ref and route that have moved; those of
/// one name, or of the name that the moves before make likely; those of one ref and route; equal
/// ones at the same position of a route that has another name now.
pub fn pair(old: &[Value<'_>], new: &[Value<'_>], hasher: &impl BuildHasher) -> Pairing {
    let mut work = Work {
        old: Side::of(old, hasher),
        new: Side::of(new, hasher),
        pairs: Vec::new(),
        olds: (0..old.len()).collect(),
        news: (0..new.len()).collect(),
    };
    work.equal_by(|side, i| (side.names[i], side.prints[i]));
    if !work.is_done() {
        work.in_order(hasher);
        work.equal_by(|side, i| {
            let name = side.names[i];
            (name.backend, name.route, side.prints[i])
        });
        work.shifted();
        work.equal_by(|side, i| side.names[i]);
        work.equal_by(|side, i| (side.names[i].backend, side.names[i].route));
        work.renamed_routes();
    }
    Pairing::of(work.pairs, old.len(), new.len())
}

impl<'v> Work<'v> {
    fn is_done(&self) -> bool {
        self.olds.is_empty() || self.news.is_empty()
    }

    fn equal_by<K: std::hash::Hash + Eq>(&mut self, key: impl Fn(&Side<'v>, usize) -> K) {
        let (olds, news) = (
            std::mem::take(&mut self.olds),
            std::mem::take(&mut self.news),
        );
        let (old, new) = (&self.old, &self.new);
        (self.olds, self.news) = equal(
            olds,
            news,
            &mut self.pairs,
            |i| key(old, i),
            |i| key(new, i),
        );
    }

    /// Equal backends of one ref and route whose order among the others stayed the same: what a rule
    /// more or less leaves.
    fn in_order(&mut self, hasher: &impl BuildHasher) {
        let by_position = |side: &Side<'v>, items: &[usize]| -> Vec<usize> {
            let mut items = items.to_vec();
            let position = |i: &usize| {
                let name = side.names[*i];
                (name.route, name.rule, name.reference)
            };
            items.sort_by_key(position);
            items
        };
        let keys = |side: &Side<'v>, items: &[usize]| -> Vec<u64> {
            let key = |&i: &usize| {
                let name = side.names[i];
                hasher.hash_one((name.backend, name.route, side.prints[i]))
            };
            items.iter().map(key).collect()
        };
        let olds = by_position(&self.old, &self.olds);
        let news = by_position(&self.new, &self.news);
        let (old_keys, new_keys) = (keys(&self.old, &olds), keys(&self.new, &news));
        for op in capture_diff_slices(Algorithm::Myers, &old_keys, &new_keys) {
            if let DiffOp::Equal {
                old_index,
                new_index,
                len,
            } = op
            {
                self.pairs
                    .extend((0..len).map(|i| (olds[old_index + i], news[new_index + i])));
            }
        }
        let old_paired: BTreeSet<usize> = self.pairs.iter().map(|pair| pair.0).collect();
        let new_paired: BTreeSet<usize> = self.pairs.iter().map(|pair| pair.1).collect();
        self.olds.retain(|i| !old_paired.contains(i));
        self.news.retain(|i| !new_paired.contains(i));
    }

    /// A backend that changed in a rule that moved: the move is that of the rule before it.
    fn shifted(&mut self) {
        let mut rules = BTreeMap::<(&str, usize), usize>::new();
        for &(old, new) in &self.pairs {
            let (old, new) = (self.old.names[old], self.new.names[new]);
            rules.entry((old.route, old.rule)).or_insert(new.rule);
        }
        let target = |name: &Name<'v>| {
            let before = rules
                .range((name.route, 0)..=(name.route, name.rule))
                .next_back();
            let rule = before.map_or(Some(name.rule), |((_, from), to)| {
                (name.rule + to).checked_sub(*from)
            });
            Name {
                rule: rule.unwrap_or(name.rule),
                ..*name
            }
        };
        let targets: HashMap<usize, Name<'v>> = self
            .olds
            .iter()
            .map(|&i| (i, target(&self.old.names[i])))
            .collect();
        let new_names = &self.new.names;
        let (olds, news) = (
            std::mem::take(&mut self.olds),
            std::mem::take(&mut self.news),
        );
        (self.olds, self.news) = equal(
            olds,
            news,
            &mut self.pairs,
            |i| targets[&i],
            |i| new_names[i],
        );
    }

    /// A route with another name: its backends are where they were, and the old route has none left.
    fn renamed_routes(&mut self) {
        let routes =
            |names: &[Name<'v>]| -> BTreeSet<&'v str> { names.iter().map(|n| n.route).collect() };
        let (old_routes, new_routes) = (routes(&self.old.names), routes(&self.new.names));
        let gone = |side: &Side<'v>, i: usize| {
            let route = side.names[i].route;
            old_routes.contains(route) != new_routes.contains(route)
        };
        self.equal_by(|side, i| {
            let name = side.names[i];
            let position = (name.backend, name.rule, name.reference, side.prints[i]);
            // A route that both have keeps to itself.
            (position, if gone(side, i) { "" } else { name.route })
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;
    use std::hash::RandomState;

    use crate::controllers::ai_gateway::config::Text;
    use crate::diff::value::Scalar;

    fn text(text: &str) -> Value<'static> {
        let text = Text::Plain(Cow::Owned(text.to_string()));
        Value::Scalar(Scalar::Read(text, None))
    }

    /// Backends written as `name=content`.
    fn backends(list: &[&str]) -> Vec<Value<'static>> {
        let backend = |item: &&str| {
            let (name, content) = item.split_once('=').unwrap();
            let name = match name.split_once(':') {
                Some((reference, rule)) => format!("ns/{reference}/route/r/rule/{rule}/ref/0"),
                None => name.to_string(),
            };
            Value::Map(vec![
                ("modelNameOverride".into(), text(content)),
                ("name".into(), text(&name)),
            ])
        };
        list.iter().map(backend).collect()
    }

    fn pairs(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
        pair(&backends(old), &backends(new), &RandomState::new()).pairs
    }

    #[test]
    fn a_rule_more_moves_the_others() {
        let old = ["a:0=x", "b:1=y", "c:2=z"];
        assert_eq!(
            pairs(&old, &["n:0=n", "a:1=x", "b:2=y", "c:3=z"]),
            [(0, 1), (1, 2), (2, 3)]
        );
        let same_ref = ["a:0=x", "a:1=y", "a:2=z"];
        assert_eq!(
            pairs(&same_ref, &["a:0=n", "a:1=x", "a:2=other", "a:3=z"]),
            [(0, 1), (1, 2), (2, 3)]
        );
    }

    #[test]
    fn a_rule_like_another_does_not_confuse_the_order() {
        let old = ["p:0=x", "a:1=1.5", "a:2=", "a:3=o1"];
        let new = ["a:0=", "p:1=x", "a:2=1.5", "a:3=", "a:4=o1"];
        assert_eq!(pairs(&old, &new), [(0, 1), (1, 2), (2, 3), (3, 4)]);
    }

    #[test]
    fn a_change_in_place_is_no_move() {
        assert_eq!(
            pairs(&["a:0=x", "a:1=y"], &["a:0=y", "a:1=y"]),
            [(0, 0), (1, 1)]
        );
        assert_eq!(pairs(&["a:0=x", "b:1=x"], &["b:0=x", "b:1=x"]), [(1, 1)]);
    }

    #[test]
    fn a_route_may_get_another_name() {
        let (old, new) = (["a:0=x"], ["ns/a/route/r2/rule/0/ref/0=x"]);
        assert_eq!(pairs(&old, &new), [(0, 0)]);
        let both = ["a:0=x", "ns/a/route/r2/rule/0/ref/0=x"];
        assert_eq!(pairs(&old, &both), [(0, 0)]);
    }
}
