//! The line of a manifest that made a value what it is now: the nearest place in the value's chain
//! that reads otherwise in the other answer.

use super::path::Step;
use super::value::Value;
use crate::controllers::ai_gateway::config::Leaf;
use crate::controllers::ai_gateway::origin::Rule;
use crate::controllers::ai_gateway::skip::{Skip, SkipReason};
use crate::manifest::node::Node;
use crate::world::World;
use crate::world::field::{Field, Source};
use crate::world::path::Part;

/// A place and the id of the rule by which it counts.
#[derive(Debug, Clone)]
pub struct Cause<'a> {
    /// The place.
    pub source: Source<'a>,
    /// The id of a rule of the merge, or `skipped` or `refused`.
    pub rule: &'static str,
}

/// One thing for each answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sides<T> {
    /// Of the old answer.
    pub old: T,
    /// Of the new answer.
    pub new: T,
}

/// What is known of an answer besides the document.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context<'a> {
    /// The objects; `None` for a document that was read from a Secret.
    pub world: Option<&'a World>,
    /// What was left out.
    pub skipped: &'a [Skip<'a>],
}

/// What caused a change from one value to another.
pub fn of<'a>(
    old: Option<&Value<'a>>,
    new: Option<&Value<'a>>,
    contexts: &Sides<Context<'a>>,
) -> Sides<Option<Cause<'a>>> {
    let (old_leaves, new_leaves) = (leaves(old), leaves(new));
    let own = |leaves: &[&'a Leaf<'a>], there: &Context<'a>| {
        leaves.iter().find_map(|leaf| differing(leaf, there))
    };
    if let Some((new, old)) = own(&new_leaves, &contexts.old) {
        let old = old.or_else(|| own(&old_leaves, &contexts.new).map(|found| found.0));
        let old = old.filter(|_| contexts.old.world.is_some());
        return Sides {
            old,
            new: Some(new),
        };
    }
    if let Some((old, new)) = own(&old_leaves, &contexts.new) {
        return Sides {
            old: Some(old),
            new,
        };
    }
    let (old, new) = (&contexts.old, &contexts.new);
    let skip = |leaves: &[&'a Leaf<'a>], there: &Context<'a>, here: &Context<'a>| {
        leaves.iter().find_map(|leaf| skip_of(leaf, there, here))
    };
    let first = |leaves: &[&'a Leaf<'a>]| leaves.iter().find_map(|leaf| whole(leaf));
    if let Some((there, here)) = skip(&old_leaves, new, old).filter(|_| new_leaves.is_empty()) {
        return Sides {
            old: here.or_else(|| first(&old_leaves)),
            new: Some(there),
        };
    }
    if let Some((there, here)) = skip(&new_leaves, old, new).filter(|_| old_leaves.is_empty()) {
        return Sides {
            old: Some(there),
            new: here.or_else(|| first(&new_leaves)),
        };
    }
    Sides {
        old: first(&old_leaves),
        new: first(&new_leaves),
    }
}

/// What caused a host to have models: the entry of some route's `hostnames`.
pub fn of_host<'a>(
    host: &str,
    old: Option<&Value<'a>>,
    new: Option<&Value<'a>>,
    contexts: &Sides<Context<'a>>,
) -> Sides<Option<Cause<'a>>> {
    let entry = |value: Option<&Value<'a>>| {
        leaves(value).iter().find_map(|leaf| {
            let route = leaf.origin.source.as_ref()?.object;
            let mut hosts = route.spec().get("hostnames").items();
            Some(hosts.find(|h| h.str() == Some(host))?.source())
        })
    };
    let rule = Rule::Field.id();
    let cause = |source: Source<'a>| Cause { source, rule };
    let there =
        |source: &Source<'a>, context: &Context<'a>| counterpart(source, context.world?).flatten();
    let (old, new) = (entry(old), entry(new));
    let other_old = new.as_ref().and_then(|new| there(new, &contexts.old));
    let other_new = old.as_ref().and_then(|old| there(old, &contexts.new));
    Sides {
        old: old.or(other_old).map(cause),
        new: new.or(other_new).map(cause),
    }
}

/// What caused a move: the object has another name, or whatever caused the new name.
pub fn of_move<'a>(
    old: &Value<'a>,
    new: &Value<'a>,
    contexts: &Sides<Context<'a>>,
) -> Sides<Option<Cause<'a>>> {
    let renamed = |value: &Value<'a>, there: &Context<'a>| {
        let leaf = value.scalar()?.leaf()?;
        let name = leaf.origin.because.sources().find(|source| {
            let id = source.object.id();
            source.path.to_string() == "metadata.name"
                && there
                    .world
                    .is_some_and(|w| w.get(id.kind, &id.namespace, &id.name).is_none())
        })?;
        let (source, rule) = (name.clone(), leaf.origin.rule.id());
        Some(Cause { source, rule })
    };
    match (renamed(old, &contexts.new), renamed(new, &contexts.old)) {
        (Some(old), Some(new)) => Sides {
            old: Some(old),
            new: Some(new),
        },
        // The same text at another place: each side has its own.
        _ => match (written(old), written(new)) {
            (Some(old), Some(new)) => Sides {
                old: Some(old),
                new: Some(new),
            },
            _ => of(Some(old), Some(new), contexts),
        },
    }
}

fn written<'a>(value: &Value<'a>) -> Option<Cause<'a>> {
    value.scalar()?.leaf().and_then(whole)
}

/// The name of an entry first: it is what the entry is there for.
fn leaves<'a>(value: Option<&Value<'a>>) -> Vec<&'a Leaf<'a>> {
    let (mut names, mut others) = (Vec::new(), Vec::new());
    if let Some(value) = value {
        value.leaves(&mut |steps, scalar| {
            let is_name = matches!(steps, [Step::Key(key)] if key.eq_ignore_ascii_case("name"));
            match is_name {
                true => names.extend(scalar.leaf()),
                false => others.extend(scalar.leaf()),
            }
        });
    }
    names.append(&mut others);
    names
}

fn whole<'a>(leaf: &'a Leaf<'a>) -> Option<Cause<'a>> {
    let source = leaf.origin.source.clone()?;
    let rule = leaf.origin.rule.id();
    Some(Cause { source, rule })
}

/// The first place of a chain that reads otherwise in the other answer, and that place there.
fn differing<'a>(
    leaf: &'a Leaf<'a>,
    there: &Context<'a>,
) -> Option<(Cause<'a>, Option<Cause<'a>>)> {
    let world = there.world?;
    let rule = leaf.origin.rule.id();
    let cause = |source: Source<'a>| Cause { source, rule };
    leaf.origin.chain().find_map(|source| {
        let other = counterpart(source, world)?;
        Some((cause(source.clone()), other.map(cause)))
    })
}

/// The place of another answer that reads otherwise than this one; `Some(None)` when the object is
/// not there at all.
fn counterpart<'a>(source: &Source<'_>, world: &'a World) -> Option<Option<Source<'a>>> {
    let id = source.object.id();
    let Some(object) = world.get(id.kind, &id.namespace, &id.name) else {
        return Some(None);
    };
    let there = at(object.field(), source);
    let here = at(source.object.field(), source);
    (!same(here.node(), there.node())).then(|| Some(there.source()))
}

/// The field of an object at a place's path.
fn at<'a>(root: Field<'a>, source: &Source<'_>) -> Field<'a> {
    let parts = source.path.parts();
    parts.into_iter().fold(root, |field, part| match part {
        Part::Key(key) => field.get(key.clone()),
        Part::Index(index) => field.item(*index),
    })
}

/// Whether two fields read the same. Of a mapping or a list only its presence counts: what matters in
/// it has a place of its own.
fn same(a: Option<&Node>, b: Option<&Node>) -> bool {
    let presence = |node: &Node| node.as_map().is_some() || node.as_list().is_some();
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => (presence(a) && presence(b)) || a.same_value(b),
        _ => false,
    }
}

/// Why the other answer does not have a value: of the causes of the skip one that is new there, and
/// that place here.
fn skip_of<'a>(
    leaf: &Leaf<'_>,
    there: &Context<'a>,
    here: &Context<'a>,
) -> Option<(Cause<'a>, Option<Cause<'a>>)> {
    let source = leaf.origin.source.as_ref()?;
    let skip = there.skipped.iter().find(|skip| {
        skip.source.object.id() == source.object.id()
            && (skip.reason == SkipReason::RouteBeingDeleted || is_in(&skip.source, source))
    })?;
    let rule = "skipped";
    let cause = |source: Source<'a>| Cause { source, rule };
    let causes = || skip.causes.iter().map(|(cause, _)| cause);
    let new = causes().chain([&skip.source]).find_map(|source| {
        let other = counterpart(source, here.world?)?;
        Some((cause(source.clone()), other.map(cause)))
    });
    new.or_else(|| {
        Some((
            cause(causes().next_back().unwrap_or(&skip.source).clone()),
            None,
        ))
    })
}

/// Whether a place lies in another one.
fn is_in(outer: &Source<'_>, inner: &Source<'_>) -> bool {
    let (outer, inner) = (outer.path.parts(), inner.path.parts());
    inner.starts_with(&outer)
}
