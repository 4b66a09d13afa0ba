//! What functions and operators make of possible values, and how they can fail.

use super::analysis::{Analysis, singles_equal};
use super::interval::{Bounds, Doubles, Possible, Text, Truth};
use crate::cel::evaluation::{number, re2, time};
use crate::cel::problem::Fault;
use crate::cel::syntax::ast::NodeId;
use crate::cel::syntax::operator;

/// Whole numbers up to here are exact as doubles.
const EXACT: i128 = 1 << 53;
const LARGEST_TIME: i128 = 253_402_300_799;
const SMALLEST_TIME: i128 = -62_135_596_800;

impl Analysis<'_> {
    /// `left function right`. `never_below`: a difference is known not to be negative.
    pub(in crate::cel) fn arithmetic(
        &mut self,
        id: NodeId,
        function: &str,
        operands: &[Possible; 2],
        never_below: bool,
    ) -> Possible {
        let [left, right] = operands;
        let mut result = Possible::nothing();
        if let (Some(left), Some(right)) = (left.int, right.int) {
            let bounds = self.whole(id, function, left, right, Bounds::INT, Fault::IntOverflow);
            result.int = bounds;
        }
        if let (Some(left), Some(right)) = (left.uint, right.uint) {
            let limits = if never_below {
                Bounds::new(i128::MIN, Bounds::UINT.high)
            } else {
                Bounds::UINT
            };
            let bounds = self.whole(id, function, left, right, limits, Fault::UintOverflow);
            result.uint = bounds.and_then(|bounds| bounds.within(Bounds::UINT));
        }
        if let (Some(left), Some(right)) = (left.double, right.double) {
            result.double = doubles(function, left, right);
        }
        if let (Some(_), Some(_)) = (&left.text, &right.text) {
            result.text = Some(Text::Any);
        }
        if let (Some(left), Some(right)) = (&left.list, &right.list) {
            let element = left.element.join(&right.element);
            let low = left.length.low + right.length.low;
            let high = left.length.high.saturating_add(right.length.high);
            result.list = Possible::list_of(element, Bounds::new(low, high)).list;
        }
        result.other = left.other && right.other;
        if self.has_open_operand(id) && (mixes(left, right) || left.other || right.other) {
            self.fail(Fault::NoSuchOverload, id);
        }
        result
    }

    /// Whole numbers: the range of the results that are in `limits`.
    fn whole(
        &mut self,
        id: NodeId,
        function: &str,
        left: Bounds,
        right: Bounds,
        limits: Bounds,
        overflow: Fault,
    ) -> Option<Bounds> {
        let right = match function {
            operator::DIVIDE | operator::MODULO => {
                if right.contains(0) {
                    let fault = match function {
                        operator::DIVIDE => Fault::DivisionByZero,
                        _ => Fault::ModulusByZero,
                    };
                    self.fail(fault, id);
                }
                without_zero(right)?
            }
            _ => right,
        };
        let result = match function {
            operator::ADD => Bounds::new(left.low + right.low, left.high + right.high),
            operator::SUBTRACT => Bounds::new(left.low - right.high, left.high - right.low),
            operator::MULTIPLY => corners(left, right, i128::saturating_mul),
            operator::DIVIDE => quotient(left, right),
            _ => remainder(left, right),
        };
        if !result.is_within(limits) {
            self.fail(overflow, id);
        }
        result.within(limits)
    }

    /// Any function but the arithmetic operators.
    pub(in crate::cel) fn function(
        &mut self,
        id: NodeId,
        function: &str,
        args: &[Possible],
    ) -> Possible {
        match (function, args) {
            (operator::NOT, [value]) => {
                let Truth { yes, no } = value.truth;
                Possible::truth(Truth { yes: no, no: yes })
            }
            (operator::NEGATE, [value]) => self.negate(id, value),
            (operator::EQUALS | operator::NOT_EQUALS, [left, right]) => {
                let truth = equality(left, right);
                let Truth { yes, no } = truth;
                let is_equal = function == operator::EQUALS;
                Possible::truth(if is_equal {
                    truth
                } else {
                    Truth { yes: no, no: yes }
                })
            }
            (
                operator::LESS
                | operator::LESS_EQUALS
                | operator::GREATER
                | operator::GREATER_EQUALS,
                [left, right],
            ) => self.order(id, function, left, right),
            (operator::IN, [element, container]) => membership(element, container),
            ("size", [value]) => Possible::int(size(value)),
            ("dyn", [value]) => value.clone(),
            ("int" | "uint" | "double" | "string", [value]) => self.convert(id, function, value),
            ("bool" | "duration", [value]) => {
                if value.text.is_some() {
                    self.fail(Fault::Conversion, id);
                }
                self.static_type(id)
            }
            ("timestamp", [value]) => {
                self.timestamp(id, value);
                self.static_type(id)
            }
            ("matches", [text, pattern]) => self.matches(id, text, pattern),
            ("contains" | "startsWith" | "endsWith", [text, part]) => {
                text_part(function, text, part)
            }
            (getter, [_, zone]) if getter.starts_with("get") => {
                let known = zone.text.as_ref().and_then(Text::single);
                let epoch = time::Timestamp::from_seconds(0);
                let is_zone = known
                    .zip(epoch)
                    .is_some_and(|(zone, epoch)| epoch.component("getHours", zone).is_ok());
                if !is_zone {
                    self.fail(Fault::Timezone, id);
                }
                time_part(getter).unwrap_or_else(|| self.static_type(id))
            }
            (getter, [_]) => time_part(getter).unwrap_or_else(|| self.static_type(id)),
            _ => self.static_type(id),
        }
    }

    fn negate(&mut self, id: NodeId, value: &Possible) -> Possible {
        let mut result = Possible {
            other: value.other,
            ..Possible::nothing()
        };
        if let Some(bounds) = value.int {
            let negated = Bounds::new(-bounds.high, -bounds.low);
            if !negated.is_within(Bounds::INT) {
                self.fail(Fault::IntOverflow, id);
            }
            result.int = negated.within(Bounds::INT);
        }
        result.double = value.double.map(|doubles| Doubles {
            low: -doubles.high,
            high: -doubles.low,
            ..doubles
        });
        result
    }

    fn order(&mut self, id: NodeId, function: &str, left: &Possible, right: &Possible) -> Possible {
        let nan = |value: &Possible| value.double.is_some_and(|doubles| doubles.nan);
        if nan(left) || nan(right) {
            self.fail(Fault::NanOrder, id);
        }
        let (Some(left), Some(right)) = (left.whole_number(), right.whole_number()) else {
            return Possible::truth(Truth::BOTH);
        };
        let (left, right, or_equal) = match function {
            operator::LESS => (left, right, false),
            operator::LESS_EQUALS => (left, right, true),
            operator::GREATER => (right, left, false),
            _ => (right, left, true),
        };
        Possible::truth(match or_equal {
            true => Truth {
                yes: left.low <= right.high,
                no: left.high > right.low,
            },
            false => Truth {
                yes: left.low < right.high,
                no: left.high >= right.low,
            },
        })
    }

    fn convert(&mut self, id: NodeId, function: &str, value: &Possible) -> Possible {
        let (limits, overflow) = match function {
            "int" => (Bounds::INT, Fault::IntOverflow),
            "uint" => (Bounds::UINT, Fault::UintOverflow),
            "double" => return self.as_double(id, value),
            _ => return Possible::text(Text::Any),
        };
        let mut found: Vec<Bounds> = Vec::new();
        found.extend(value.int);
        found.extend(value.uint);
        if let Some(doubles) = value.double {
            found.push(self.truncated(id, doubles, overflow));
        }
        if value.text.is_some() {
            let text = value.text.as_ref().and_then(Text::single);
            let number = text.and_then(|text| match function {
                "int" => number::parse_int(text).map(i128::from),
                _ => number::parse_uint(text).map(i128::from),
            });
            match number {
                Some(number) => found.push(Bounds::exactly(number)),
                None => {
                    self.fail(Fault::Conversion, id);
                    found.push(limits);
                }
            }
        }
        if value.other {
            found.push(limits);
        }
        let mut result = Possible::nothing();
        for bounds in found {
            if !bounds.is_within(limits) {
                self.fail(overflow, id);
            }
            if let Some(bounds) = bounds.within(limits) {
                let one = if function == "int" {
                    Possible::int(bounds)
                } else {
                    Possible::uint(bounds)
                };
                result = result.join(&one);
            }
        }
        result
    }

    /// The whole numbers that doubles truncate to.
    fn truncated(&mut self, id: NodeId, doubles: Doubles, overflow: Fault) -> Bounds {
        if doubles.nan {
            self.fail(overflow, id);
        }
        // Truncation towards zero: only what is below zero counts as such.
        let (low, high) = (doubles.low as i128, doubles.high as i128);
        if high > EXACT || low < -EXACT {
            self.is_inexact(id);
        }
        if overflow == Fault::UintOverflow && doubles.low < 0.0 {
            return Bounds::new(low.min(-1), high);
        }
        Bounds::new(low, high)
    }

    fn as_double(&mut self, id: NodeId, value: &Possible) -> Possible {
        let mut result = Possible {
            double: value.double,
            ..Possible::nothing()
        };
        for bounds in value.int.iter().chain(&value.uint) {
            if bounds.high > EXACT || bounds.low < -EXACT {
                self.is_inexact(id);
            }
            let doubles = Doubles {
                low: bounds.low as f64,
                high: bounds.high as f64,
                nan: false,
            };
            result = result.join(&Possible::double(doubles));
        }
        if let Some(text) = &value.text {
            match text.single().and_then(number::parse_double) {
                Some(number) => {
                    let doubles = Doubles {
                        low: number,
                        high: number,
                        nan: number.is_nan(),
                    };
                    result = result.join(&Possible::double(doubles));
                }
                None => {
                    self.fail(Fault::Conversion, id);
                    result.double = Some(Doubles::ANY);
                }
            }
        }
        if value.other {
            result.double = Some(Doubles::ANY);
        }
        result
    }

    fn timestamp(&mut self, id: NodeId, value: &Possible) {
        let limits = Bounds::new(SMALLEST_TIME, LARGEST_TIME);
        if value.int.is_some_and(|bounds| !bounds.is_within(limits)) {
            self.fail(Fault::TimestampOverflow, id);
        }
        if let Some(text) = &value.text {
            match text.single().and_then(time::parse) {
                None => self.fail(Fault::Conversion, id),
                Some(Err(_)) => self.fail(Fault::TimestampOverflow, id),
                Some(Ok(_)) => {}
            }
        }
    }

    fn matches(&mut self, id: NodeId, text: &Possible, pattern: &Possible) -> Possible {
        let known = pattern.text.as_ref().and_then(Text::single);
        let Some(regex) = known.and_then(|pattern| re2::compile(pattern).ok()) else {
            self.fail(Fault::Regex, id);
            return Possible::truth(Truth::BOTH);
        };
        let text = text.text.as_ref().and_then(Text::single);
        Possible::truth(match text {
            Some(text) => Truth::is(regex.is_match(text.as_bytes())),
            None => Truth::BOTH,
        })
    }
}

/// Can the two be of different types?
fn mixes(left: &Possible, right: &Possible) -> bool {
    let kinds = |value: &Possible| {
        [
            value.int.is_some(),
            value.uint.is_some(),
            value.double.is_some(),
            value.text.is_some(),
            value.list.is_some(),
            value.truth.any() || value.map.is_some(),
        ]
    };
    let (left, right) = (kinds(left), kinds(right));
    (0..left.len())
        .any(|one| (0..right.len()).any(|other| one != other && left[one] && right[other]))
}

fn corners(left: Bounds, right: Bounds, apply: impl Fn(i128, i128) -> i128) -> Bounds {
    let values = [
        apply(left.low, right.low),
        apply(left.low, right.high),
        apply(left.high, right.low),
        apply(left.high, right.high),
    ];
    Bounds::new(
        values.iter().copied().min().unwrap_or(i128::MIN),
        values.iter().copied().max().unwrap_or(i128::MAX),
    )
}

fn without_zero(bounds: Bounds) -> Option<Bounds> {
    let low = if bounds.low == 0 { 1 } else { bounds.low };
    let high = if bounds.high == 0 { -1 } else { bounds.high };
    (low <= high).then_some(Bounds::new(low, high))
}

/// The divisor's range may still have zero inside; the extremes are then at -1 and 1.
fn quotient(left: Bounds, right: Bounds) -> Bounds {
    let mut result = None;
    for divisor in [right.low, right.high, 1, -1] {
        if right.contains(divisor) && divisor != 0 {
            let one = corners(left, Bounds::exactly(divisor), |left, right| left / right);
            result = Some(result.map_or(one, |all: Bounds| {
                Bounds::new(all.low.min(one.low), all.high.max(one.high))
            }));
        }
    }
    result.unwrap_or(left)
}

fn remainder(left: Bounds, right: Bounds) -> Bounds {
    let most = right.low.abs().max(right.high.abs()) - 1;
    let low = if left.low < 0 {
        (-most).max(left.low)
    } else {
        0
    };
    let high = if left.high > 0 {
        most.min(left.high)
    } else {
        0
    };
    Bounds::new(low, high)
}

fn doubles(function: &str, left: Doubles, right: Doubles) -> Option<Doubles> {
    let nan = left.nan || right.nan;
    let apply: fn(f64, f64) -> f64 = match function {
        operator::ADD => |left, right| left + right,
        operator::SUBTRACT => |left, right| left - right,
        operator::MULTIPLY => |left, right| left * right,
        operator::DIVIDE => {
            if right.low <= 0.0 && right.high >= 0.0 {
                return Some(Doubles::ANY);
            }
            |left, right| left / right
        }
        _ => return None,
    };
    let values = [
        apply(left.low, right.low),
        apply(left.low, right.high),
        apply(left.high, right.low),
        apply(left.high, right.high),
    ];
    Some(Doubles::corners(values, nan))
}

/// Can the two be equal, can they differ?
fn equality(left: &Possible, right: &Possible) -> Truth {
    if let (Some(left), Some(right)) = (left.single(), right.single()) {
        return Truth::is(singles_equal(left, right));
    }
    let numbers = left.whole_number().zip(right.whole_number());
    if let Some((left, right)) = numbers
        && left.within(right).is_none()
    {
        return Truth::is(false);
    }
    if let (Some(Text::OneOf(left)), Some(Text::OneOf(right))) = (&left.text, &right.text)
        && left.is_disjoint(right)
    {
        return Truth::is(false);
    }
    Truth::BOTH
}

fn membership(element: &Possible, container: &Possible) -> Possible {
    let candidates: Option<Vec<&Possible>> = match (&container.list, &container.map) {
        (Some(list), None) => list.items.as_ref().map(|items| items.iter().collect()),
        (None, Some(map)) => map
            .known
            .as_ref()
            .map(|known| known.iter().map(|(key, _)| key).collect()),
        _ => None,
    };
    let truths = candidates.map(|candidates| {
        candidates
            .into_iter()
            .map(|candidate| equality(element, candidate))
            .collect::<Vec<_>>()
    });
    Possible::truth(match truths {
        Some(truths) if truths.iter().all(|truth| !truth.yes) => Truth::is(false),
        Some(truths) if truths.iter().any(|truth| !truth.no) => Truth::is(true),
        _ => Truth::BOTH,
    })
}

fn size(value: &Possible) -> Bounds {
    match (&value.list, &value.map, &value.text) {
        (Some(list), None, None) => list.length,
        (None, Some(map), None) => match &map.known {
            Some(known) => Bounds::new(known.len().min(1) as i128, known.len() as i128),
            None => Bounds::new(0, Bounds::INT.high),
        },
        (None, None, Some(text)) => match text.single() {
            Some(text) => Bounds::exactly(text.chars().count() as i128),
            // A name in Kubernetes or HTTP is never longer.
            None => Bounds::new(0, i128::from(u32::MAX)),
        },
        _ => Bounds::new(0, Bounds::INT.high),
    }
}

fn text_part(function: &str, text: &Possible, part: &Possible) -> Possible {
    let single = |value: &Possible| {
        value
            .text
            .as_ref()
            .and_then(Text::single)
            .map(str::to_owned)
    };
    let truth = match (single(text), single(part)) {
        (_, Some(part)) if part.is_empty() => Truth::is(true),
        (Some(text), Some(part)) => Truth::is(match function {
            "contains" => text.contains(&part),
            "startsWith" => text.starts_with(&part),
            _ => text.ends_with(&part),
        }),
        _ => Truth::BOTH,
    };
    Possible::truth(truth)
}

fn time_part(function: &str) -> Option<Possible> {
    let (low, high) = match function {
        "getFullYear" => (0, 10_000),
        "getMonth" => (0, 11),
        "getDayOfYear" => (0, 365),
        "getDayOfMonth" => (0, 30),
        "getDate" => (1, 31),
        "getDayOfWeek" => (0, 6),
        _ => return None,
    };
    Some(Possible::int(Bounds::new(low, high)))
}
