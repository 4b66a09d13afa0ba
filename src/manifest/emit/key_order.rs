//! The order of mapping keys: go-yaml's "natural" order, in which numbers inside keys count by value.
//!
//! The comparison has cycles (`a10 < a1b < a9 < a10`). With such keys the original depends on Go's
//! random map order; here the result is always the same, and one that the original can reach.

use std::cmp::Ordering;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Up to this length Go's sort is an insertion sort.
const RUN: usize = 12;

/// Sorts by key in natural order.
///
/// The standard sort may panic when a comparison has cycles; this one only compares and merges.
pub(super) fn sort_by_key<T>(items: &mut Vec<T>, key: impl Fn(&T) -> &str) {
    items.sort_by(|a, b| key(a).cmp(key(b)));
    let letters_only = |item: &T| key(item).bytes().all(|b| b.is_ascii_alphabetic());
    if items.iter().all(letters_only) {
        return; // Natural order is byte order then.
    }
    let less = |a: &T, b: &T| compare(key(a), key(b)) == Ordering::Less;
    for run in items.chunks_mut(RUN) {
        insertion_sort(run, &less);
    }
    let mut width = RUN;
    while width < items.len() {
        *items = merge_runs(std::mem::take(items), width, &less);
        width *= 2;
    }
}

fn insertion_sort<T>(items: &mut [T], less: &impl Fn(&T, &T) -> bool) {
    for end in 1..items.len() {
        let mut at = end;
        while at > 0 && less(&items[at], &items[at - 1]) {
            items.swap(at, at - 1);
            at -= 1;
        }
    }
}

/// Merges neighbouring sorted runs of `width` items in pairs.
fn merge_runs<T>(items: Vec<T>, width: usize, less: &impl Fn(&T, &T) -> bool) -> Vec<T> {
    let mut merged = Vec::with_capacity(items.len());
    let mut rest = items.into_iter();
    while rest.len() > 0 {
        let mut left = rest
            .by_ref()
            .take(width)
            .collect::<Vec<_>>()
            .into_iter()
            .peekable();
        let mut right = rest
            .by_ref()
            .take(width)
            .collect::<Vec<_>>()
            .into_iter()
            .peekable();
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            let next = if less(b, a) {
                right.next()
            } else {
                left.next()
            };
            merged.extend(next);
        }
        merged.extend(left);
        merged.extend(right);
    }
    merged
}

/// Compares two keys at the first character in which they differ.
fn compare(a: &str, b: &str) -> Ordering {
    let same: usize = a
        .chars()
        .zip(b.chars())
        .take_while(|(x, y)| x == y)
        .map(|(x, _)| x.len_utf8())
        .sum();
    let (prefix, a, b) = (&a[..same], &a[same..], &b[same..]);
    let (Some(x), Some(y)) = (a.chars().next(), b.chars().next()) else {
        return a.len().cmp(&b.len());
    };
    match (is_letter(x), is_letter(y)) {
        (true, true) => x.cmp(&y),
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        (false, false) => {
            let start = i64::from((x == '0' || y == '0') && ends_in_number(prefix));
            number(a, start).cmp(&number(b, start)).then(x.cmp(&y))
        }
    }
}

/// Whether the digits at the end of the text hold one that is not zero: a zero after them has weight.
fn ends_in_number(text: &str) -> bool {
    text.chars()
        .rev()
        .take_while(|c| is_digit(*c))
        .any(|c| c != '0')
}

/// The digits at the start of the text as a number, and how many there are. The number wraps at 64 bits
/// and takes any script's digits at their distance from `0`, as Go's arithmetic does.
fn number(text: &str, start: i64) -> (i64, usize) {
    text.chars()
        .take_while(|c| is_digit(*c))
        .fold((start, 0), |(value, length), c| {
            let digit = i64::from(u32::from(c)) - i64::from(u32::from('0'));
            (value.wrapping_mul(10).wrapping_add(digit), length + 1)
        })
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic()
        || !c.is_ascii() && c.general_category_group() == GeneralCategoryGroup::Letter
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || !c.is_ascii() && c.general_category() == GeneralCategory::DecimalNumber
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(keys: &[&str]) -> Vec<String> {
        let mut keys: Vec<String> = keys.iter().map(|k| (*k).to_owned()).collect();
        sort_by_key(&mut keys, |k| k);
        keys
    }

    #[test]
    fn hostnames_come_in_natural_order() {
        let expected = [
            "*.example.com",
            "2.example.com",
            "10.example.com",
            "127.0.0.1",
            "API.example.com",
            "a",
            "a-b.example.com",
            "a.b.example.com",
            "a1",
            "a1b",
            "a01",
            "ab.example.com",
            "api.example.com",
            "api2.example.com",
            "api10.example.com",
        ];
        let mut shuffled = expected;
        shuffled.reverse();
        assert_eq!(sorted(&shuffled), expected);
    }

    #[test]
    fn many_keys_are_sorted_by_merging() {
        let keys: Vec<String> = (0..1000)
            .rev()
            .map(|n| format!("host-{n}.example.com"))
            .collect();
        let expected: Vec<String> = (0..1000).map(|n| format!("host-{n}.example.com")).collect();
        let mut actual = keys;
        sort_by_key(&mut actual, |k| k);
        assert_eq!(actual, expected);
    }

    #[test]
    fn cyclic_keys_do_not_depend_on_the_order_given() {
        let mut keys: Vec<String> = Vec::new();
        for n in 0..200 {
            keys.extend([format!("a{n}"), format!("a{n}b"), format!("a0{n}")]);
        }
        let mut reversed: Vec<String> = keys.iter().rev().cloned().collect();
        sort_by_key(&mut keys, |k| k);
        sort_by_key(&mut reversed, |k| k);
        assert_eq!(keys, reversed);
    }

    #[test]
    fn zeros_inside_a_number_keep_their_weight() {
        assert_eq!(compare("a1", "a01"), Ordering::Less);
        assert_eq!(compare("a100", "a11"), Ordering::Greater);
        assert_eq!(compare("a", "ab"), Ordering::Less);
        assert_eq!(compare("a", "a"), Ordering::Equal);
    }
}
