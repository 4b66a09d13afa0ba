//! Which items of two lists belong together.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::BuildHasher;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::shape::Shape;
use super::value::Value;
use crate::world::object::ObjectId;

/// Items of two lists, by position in their list.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Pairing {
    /// Items that belong together, by position in the new list.
    pub pairs: Vec<(usize, usize)>,
    /// Items that only the old list has.
    pub removed: Vec<usize>,
    /// Items that only the new list has.
    pub added: Vec<usize>,
}

impl Pairing {
    /// The pairs, and what is left of lists of these lengths.
    pub fn of(mut pairs: Vec<(usize, usize)>, old: usize, new: usize) -> Self {
        pairs.sort_by_key(|&(old, new)| (new, old));
        let (mut has_old, mut has_new) = (vec![false; old], vec![false; new]);
        for &(old, new) in &pairs {
            (has_old[old], has_new[new]) = (true, true);
        }
        let missing = |has: Vec<bool>| (0..has.len()).filter(|&i| !has[i]).collect();
        Pairing {
            pairs,
            removed: missing(has_old),
            added: missing(has_new),
        }
    }
}

/// Items with the same name belong together; of several with one name first those that are equal
/// and come from the same place, then those that are equal, then in order.
pub fn by_name<'v>(
    shape: Shape,
    old: &'v [Value<'v>],
    new: &'v [Value<'v>],
    hasher: &impl BuildHasher,
) -> Pairing {
    let mut groups = BTreeMap::<Vec<Cow<'_, str>>, [Vec<usize>; 2]>::new();
    for (side, items) in [old, new].into_iter().enumerate() {
        for (i, item) in items.iter().enumerate() {
            groups.entry(name(shape, item)).or_default()[side].push(i);
        }
    }
    let mut pairs = Vec::new();
    for [olds, news] in groups.into_values() {
        match (&olds[..], &news[..]) {
            ([old], [new]) => pairs.push((*old, *new)),
            _ => {
                let print = |items: &[Value<'_>], i: usize| items[i].fingerprint(hasher);
                let place = |items: &[Value<'_>], i: usize| (print(items, i), place(&items[i]));
                let (olds, news) =
                    equal(olds, news, &mut pairs, |i| place(old, i), |i| place(new, i));
                let (olds, news) =
                    equal(olds, news, &mut pairs, |i| print(old, i), |i| print(new, i));
                pairs.extend(olds.into_iter().zip(news));
            }
        }
    }
    Pairing::of(pairs, old.len(), new.len())
}

/// The object and field that an item was read from, where that is known.
fn place(item: &Value<'_>) -> Option<(ObjectId, String)> {
    let named = item.get("Name").or(item.get("name")).unwrap_or(item);
    let source = named.scalar()?.leaf()?.origin.source.as_ref()?;
    Some((source.object.id().clone(), source.path.to_string()))
}

fn name<'v>(shape: Shape, item: &'v Value<'_>) -> Vec<Cow<'v, str>> {
    let keys = shape.keys();
    if keys.is_empty() {
        return vec![Cow::Borrowed(item.plain())];
    }
    let member = |key: &&str| Cow::Borrowed(item.get(key).map_or("", Value::plain));
    keys.iter().map(member).collect()
}

/// Pairs items whose number is the same, in order. Gives what is left.
pub fn equal<K: std::hash::Hash + Eq>(
    olds: Vec<usize>,
    news: Vec<usize>,
    pairs: &mut Vec<(usize, usize)>,
    old_key: impl Fn(usize) -> K,
    new_key: impl Fn(usize) -> K,
) -> (Vec<usize>, Vec<usize>) {
    let mut by_key = HashMap::<K, VecDeque<usize>>::new();
    for &i in &news {
        by_key.entry(new_key(i)).or_default().push_back(i);
    }
    let mut taken = std::collections::HashSet::new();
    let mut left = Vec::new();
    for i in olds {
        let found = by_key.get_mut(&old_key(i)).and_then(VecDeque::pop_front);
        match found {
            Some(new) => {
                taken.insert(new);
                pairs.push((i, new));
            }
            None => left.push(i),
        }
    }
    let news = news.into_iter().filter(|i| !taken.contains(i)).collect();
    (left, news)
}

/// Items of sequences: equal ones in the same order, then what stands in the same place, then equal
/// ones that have moved.
pub fn by_place(old: &[Value<'_>], new: &[Value<'_>], hasher: &impl BuildHasher) -> Pairing {
    let prints =
        |items: &[Value<'_>]| -> Vec<u64> { items.iter().map(|i| i.fingerprint(hasher)).collect() };
    let (old_prints, new_prints) = (prints(old), prints(new));
    let mut pairs = Vec::new();
    let mut replaced = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &old_prints, &new_prints) {
        match op {
            DiffOp::Equal {
                old_index,
                new_index,
                len,
            } => pairs.extend((0..len).map(|i| (old_index + i, new_index + i))),
            DiffOp::Replace { .. } | DiffOp::Delete { .. } | DiffOp::Insert { .. } => {
                replaced.push((op.old_range(), op.new_range()));
            }
        }
    }
    let olds = replaced.iter().flat_map(|(old, _)| old.clone()).collect();
    let news = replaced.iter().flat_map(|(_, new)| new.clone()).collect();
    let (olds, news) = equal(olds, news, &mut pairs, |i| old_prints[i], |i| new_prints[i]);
    for (old, new) in replaced {
        let olds = olds.iter().filter(|i| old.contains(i));
        let news = news.iter().filter(|i| new.contains(i));
        pairs.extend(olds.copied().zip(news.copied()));
    }
    Pairing::of(pairs, old.len(), new.len())
}

/// The pairs that are out of order: all but the longest run of pairs whose order is the same. Takes
/// the old positions in the new order, gives positions in that list.
pub fn out_of_order(old: &[usize]) -> Vec<usize> {
    let mut tails: Vec<usize> = Vec::new();
    let mut before = vec![None; old.len()];
    for (i, &at) in old.iter().enumerate() {
        let place = tails.partition_point(|&tail| old[tail] < at);
        before[i] = place.checked_sub(1).map(|p| tails[p]);
        match place == tails.len() {
            true => tails.push(i),
            false => tails[place] = i,
        }
    }
    let mut kept = vec![false; old.len()];
    let mut at = tails.last().copied();
    while let Some(i) = at {
        kept[i] = true;
        at = before[i];
    }
    (0..old.len()).filter(|&i| !kept[i]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_items_are_out_of_order() {
        assert_eq!(out_of_order(&[0, 1, 2]), [] as [usize; 0]);
        assert_eq!(out_of_order(&[2, 0, 1]), [0]);
        assert_eq!(out_of_order(&[1, 2, 0]), [2]);
        assert_eq!(out_of_order(&[1, 0]).len(), 1);
    }

    #[test]
    fn equal_items_come_together_first() {
        let mut pairs = Vec::new();
        let left = equal(
            vec![0, 1],
            vec![0, 1],
            &mut pairs,
            |i| [7, 8][i],
            |i| [8, 9][i],
        );
        assert_eq!((pairs, left), (vec![(1, 0)], (vec![0], vec![1])));
    }
}
