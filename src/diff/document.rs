//! The differences of two documents.

use std::collections::{BTreeSet, HashMap};
use std::hash::RandomState;

use serde_json::Value as Json;

use super::backends;
use super::cause::{self, Cause, Context, Sides};
use super::lists::{Pairing, by_name, by_place, out_of_order};
use super::path::{Path, Step};
use super::shape::{IGNORED, Shape};
use super::value::{Value, Verdict};
use crate::secret::Reveal;

/// What happened to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// Only the new document has it.
    Added,
    /// Only the old document has it.
    Removed,
    /// It has another value.
    Changed,
    /// It stands elsewhere: a backend under another rule or ref, an item of an ordered list.
    Moved,
}

impl ChangeKind {
    /// The word in every output.
    pub fn word(self) -> &'static str {
        match self {
            ChangeKind::Added => "added",
            ChangeKind::Removed => "removed",
            ChangeKind::Changed => "changed",
            ChangeKind::Moved => "moved",
        }
    }
}

/// One difference.
#[derive(Debug, Clone)]
pub struct Change<'a> {
    /// Where; in the new document, if it is there. Empty: the document as a whole.
    pub path: Path,
    /// What happened.
    pub kind: ChangeKind,
    /// The old value, hidden where it must not be shown; the old name or position of what moved.
    pub old: Option<Json>,
    /// The new one.
    pub new: Option<Json>,
    /// The lines that caused it.
    pub origin: Sides<Option<Cause<'a>>>,
}

/// The differences of two documents.
#[derive(Debug, Default)]
pub struct DocumentDiff<'a> {
    /// By path.
    pub changes: Vec<Change<'a>>,
    /// Places whose values could not be compared.
    pub unknown: Vec<Path>,
}

/// How documents are compared.
#[derive(Debug, Clone, Copy, Default)]
pub struct How {
    /// UUID, version and every order count too.
    pub raw: bool,
    /// What may be shown.
    pub reveal: Reveal,
}

/// Compares two documents.
pub fn compare<'a>(
    old: &Value<'a>,
    new: &Value<'a>,
    contexts: &Sides<Context<'a>>,
    how: How,
) -> DocumentDiff<'a> {
    let mut walk = Walk {
        contexts,
        how,
        hasher: RandomState::new(),
        steps: Vec::new(),
        diff: DocumentDiff::default(),
    };
    walk.values(old, new);
    walk.diff
}

/// The places of a document whose values are not known.
pub fn unknown(document: &Value<'_>) -> Vec<Path> {
    let mut unknown = Vec::new();
    document.leaves(&mut |steps, scalar| {
        if scalar.is_unknown() {
            unknown.push(Path::of(steps));
        }
    });
    unknown
}

struct Walk<'v, 'a> {
    contexts: &'v Sides<Context<'a>>,
    how: How,
    hasher: RandomState,
    steps: Vec<Step<'v>>,
    diff: DocumentDiff<'a>,
}

impl<'v, 'a> Walk<'v, 'a> {
    fn values(&mut self, old: &'v Value<'a>, new: &'v Value<'a>) {
        match (old, new) {
            (Value::Null, Value::Null) => {}
            (Value::Map(olds), Value::Map(news)) => self.maps(olds, news),
            (Value::List(shape, olds), Value::List(_, news)) => self.lists(*shape, olds, news),
            (Value::Scalar(a), Value::Scalar(b)) => match a.compare(b) {
                Verdict::Same => {}
                Verdict::Unknown => self.diff.unknown.push(Path::of(&self.steps)),
                Verdict::Differs => self.change(Some(old), Some(new)),
            },
            _ => self.change(Some(old), Some(new)),
        }
    }

    /// Whether the place is a host: there is none without models.
    fn is_host(&self) -> bool {
        matches!(&self.steps[..], [Step::Key(key), Step::Key(_)] if key == "modelsByHost")
    }

    fn change(&mut self, old: Option<&Value<'a>>, new: Option<&Value<'a>>) {
        self.change_with(old, new, cause::of(old, new, self.contexts));
    }

    fn change_with(
        &mut self,
        old: Option<&Value<'a>>,
        new: Option<&Value<'a>>,
        origin: Sides<Option<Cause<'a>>>,
    ) {
        let kind = match (old, new) {
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Removed,
            _ => ChangeKind::Changed,
        };
        let json = |value: Option<&Value<'a>>| value.map(|v| v.json(self.how.reveal));
        self.diff.changes.push(Change {
            path: Path::of(&self.steps),
            kind,
            old: json(old),
            new: json(new),
            origin,
        });
    }

    fn moved(&mut self, place: (Json, Json), old: &Value<'a>, new: &Value<'a>) {
        self.diff.changes.push(Change {
            path: Path::of(&self.steps),
            kind: ChangeKind::Moved,
            old: Some(place.0),
            new: Some(place.1),
            origin: cause::of_move(old, new, self.contexts),
        });
    }

    fn maps(&mut self, olds: &'v [Member<'a>], news: &'v [Member<'a>]) {
        let (mut i, mut j) = (0, 0);
        while i < olds.len() || j < news.len() {
            let order = match (olds.get(i), news.get(j)) {
                (Some(old), Some(new)) => old.0.cmp(&new.0),
                (Some(_), None) => std::cmp::Ordering::Less,
                _ => std::cmp::Ordering::Greater,
            };
            let old = olds.get(i).filter(|_| order.is_le());
            let new = news.get(j).filter(|_| order.is_ge());
            i += usize::from(old.is_some());
            j += usize::from(new.is_some());
            if let Some(key) = old.or(new).map(|member| &*member.0) {
                self.member(key, old.map(|m| &m.1), new.map(|m| &m.1));
            }
        }
    }

    fn member(&mut self, key: &'v str, old: Option<&'v Value<'a>>, new: Option<&'v Value<'a>>) {
        if self.steps.is_empty() && IGNORED.contains(&key) && !self.how.raw {
            return;
        }
        self.steps.push(Step::Key(key.into()));
        match (old, new) {
            (Some(old), Some(new)) => self.values(old, new),
            // A list that is left out when empty: its items are what is new or gone.
            (Some(Value::List(..)), None) | (None, Some(Value::List(..))) if self.is_host() => {
                self.change_with(old, new, cause::of_host(key, old, new, self.contexts));
            }
            (Some(Value::List(shape, items)), None) if has_names(*shape) => {
                self.lists(*shape, items, &[]);
            }
            (None, Some(Value::List(shape, items))) if has_names(*shape) => {
                self.lists(*shape, &[], items);
            }
            _ => self.change(old, new),
        }
        self.steps.pop();
    }

    fn lists(&mut self, shape: Shape, olds: &'v [Value<'a>], news: &'v [Value<'a>]) {
        let pairing = match shape {
            Shape::Backends => backends::pair(olds, news, &self.hasher),
            Shape::Sequence => by_place(olds, news, &self.hasher),
            shape => by_name(shape, olds, news, &self.hasher),
        };
        self.order(shape, &pairing, olds, news);
        for &i in &pairing.removed {
            self.item(i, shape, &olds[i], |walk| walk.change(Some(&olds[i]), None));
        }
        for &i in &pairing.added {
            self.item(i, shape, &news[i], |walk| walk.change(None, Some(&news[i])));
        }
        for &(i, j) in &pairing.pairs {
            let (old, new) = (&olds[i], &news[j]);
            self.item(j, shape, new, |walk| match shape {
                Shape::Backends => walk.backend(old, new),
                _ => walk.values(old, new),
            });
        }
    }

    fn item(
        &mut self,
        index: usize,
        shape: Shape,
        item: &'v Value<'a>,
        then: impl FnOnce(&mut Self),
    ) {
        self.steps.push(Step::item(index, shape, item));
        then(self);
        self.steps.pop();
    }

    /// A name that differs is a move; everything else is compared as ever.
    fn backend(&mut self, old: &'v Value<'a>, new: &'v Value<'a>) {
        let (Value::Map(olds), Value::Map(news)) = (old, new) else {
            return self.values(old, new);
        };
        let (Some(old_name), Some(new_name)) = (old.get("name"), new.get("name")) else {
            return self.values(old, new);
        };
        if old_name.plain() == new_name.plain() {
            return self.values(old, new);
        }
        let names = (
            old_name.json(self.how.reveal),
            new_name.json(self.how.reveal),
        );
        self.moved(names, old_name, new_name);
        let keys: BTreeSet<&str> = olds.iter().chain(news).map(|m| &*m.0).collect();
        for key in keys.into_iter().filter(|key| *key != "name") {
            self.member(key, old.get(key), new.get(key));
        }
    }

    /// Items that stand in another order, where the order matters.
    fn order(
        &mut self,
        shape: Shape,
        pairing: &Pairing,
        olds: &'v [Value<'a>],
        news: &'v [Value<'a>],
    ) {
        if !shape.is_ordered() && !self.how.raw {
            return;
        }
        let mut pairs = pairing.pairs.clone();
        let mut old_order: Vec<usize> = pairs.iter().map(|p| p.0).collect();
        old_order.sort_unstable();
        if shape == Shape::Routes && !self.how.raw {
            untie(&mut pairs, &mut old_order, olds, news);
        }
        let rank: HashMap<usize, usize> = old_order.iter().copied().zip(0..).collect();
        let ranks: Vec<usize> = pairs.iter().map(|p| rank[&p.0]).collect();
        for at in out_of_order(&ranks) {
            let (i, j) = pairs[at];
            self.item(j, shape, &news[j], |walk| {
                walk.moved((i.into(), j.into()), &olds[i], &news[j]);
            });
        }
    }
}

type Member<'a> = (std::borrow::Cow<'a, str>, Value<'a>);

fn has_names(shape: Shape) -> bool {
    shape != Shape::Sequence
}

/// Routes of the same second come in an order that is left to chance: here in that of their names,
/// on both sides.
fn untie(
    pairs: &mut [(usize, usize)],
    old_order: &mut [usize],
    olds: &[Value<'_>],
    news: &[Value<'_>],
) {
    let news_of: HashMap<usize, usize> = pairs.iter().copied().collect();
    let age = |i: usize, j: usize| created(&news[j]).or_else(|| created(&olds[i]));
    let by_name = |i: &usize| olds[*i].get("name").map_or("", Value::plain).to_string();
    for run in old_order.chunk_by_mut(|a, b| age(*a, news_of[a]) == age(*b, news_of[b])) {
        run.sort_by_key(by_name);
    }
    for run in pairs.chunk_by_mut(|a, b| age(a.0, a.1) == age(b.0, b.1)) {
        run.sort_by_key(|(i, _)| by_name(i));
    }
}

/// The second in which the route of an item was created, where the item says from which object it
/// came.
fn created(route: &Value<'_>) -> Option<String> {
    let source = route
        .get("name")?
        .scalar()?
        .leaf()?
        .origin
        .source
        .as_ref()?;
    let text = source.object.metadata().get("creationTimestamp");
    Some(text.str_or_empty().to_string())
}
