//! Equality, order and membership of values.

use std::cmp::Ordering;

use super::budget::Budget;
use super::number;
use super::value::{Failure, Map, Value};
use crate::cel::problem::Fault;

/// Are two values equal? Numbers of all types compare by value, everything else within its type.
pub(in crate::cel) fn equal(
    left: &Value,
    right: &Value,
    budget: &mut Budget,
) -> Result<bool, Failure> {
    use Value::{
        Bool, Bytes, Double, Duration, Int, List, Map, Message, Null, Optional, String, Timestamp,
        Type, Uint,
    };
    budget.spend(1)?;
    Ok(match (left, right) {
        (Null, Null) => true,
        (Bool(left), Bool(right)) => left == right,
        (Int(_) | Uint(_) | Double(_), Int(_) | Uint(_) | Double(_)) => {
            order_numbers(left, right) == Some(Ordering::Equal)
        }
        (String(left), String(right)) => {
            budget.spend_bytes(left.len().min(right.len()))?;
            left == right
        }
        (Bytes(left), Bytes(right)) => {
            budget.spend_bytes(left.len().min(right.len()))?;
            left == right
        }
        (Timestamp(left), Timestamp(right)) => left.moment() == right.moment(),
        (Duration(left), Duration(right)) => left == right,
        (Type(left), Type(right)) => left == right,
        (List(left), List(right)) => {
            left.len() == right.len() && all_equal(left.iter().zip(right.iter()), budget)?
        }
        (Map(left), Map(right)) => left.len() == right.len() && maps_equal(left, right, budget)?,
        (Optional(None), Optional(None)) => true,
        (Optional(Some(left)), Optional(Some(right))) => equal(left, right, budget)?,
        (Message(left), Message(right)) => {
            left.type_name() == right.type_name()
                && left.fields().keys().eq(right.fields().keys())
                && all_equal(left.fields().values().zip(right.fields().values()), budget)?
        }
        _ => false,
    })
}

fn all_equal<'v>(
    pairs: impl Iterator<Item = (&'v Value, &'v Value)>,
    budget: &mut Budget,
) -> Result<bool, Failure> {
    for (left, right) in pairs {
        if !equal(left, right, budget)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn maps_equal(left: &Map, right: &Map, budget: &mut Budget) -> Result<bool, Failure> {
    for (key, value) in left.entries() {
        match right.find(key)? {
            Some(other) if equal(value, other, budget)? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// The order of two numbers; none when one is NaN.
fn order_numbers(left: &Value, right: &Value) -> Option<Ordering> {
    use Value::{Double, Int, Uint};
    Some(match (left, right) {
        (Int(left), Int(right)) => left.cmp(right),
        (Uint(left), Uint(right)) => left.cmp(right),
        (Int(left), Uint(right)) => number::compare_int_uint(*left, *right),
        (Uint(left), Int(right)) => number::compare_int_uint(*right, *left).reverse(),
        (Double(left), _) if left.is_nan() => return None,
        (_, Double(right)) if right.is_nan() => return None,
        (Double(left), Double(right)) => number::compare_doubles(*left, *right),
        (Double(left), Int(right)) => number::compare_double_int(*left, *right),
        (Double(left), Uint(right)) => number::compare_double_uint(*left, *right),
        (Int(left), Double(right)) => number::compare_double_int(*right, *left).reverse(),
        (Uint(left), Double(right)) => number::compare_double_uint(*right, *left).reverse(),
        _ => return None,
    })
}

/// The order of two values that have one.
pub(in crate::cel) fn order(
    left: &Value,
    right: &Value,
    function: &str,
) -> Result<Ordering, Failure> {
    use Value::{Bool, Bytes, Double, Duration, Int, String, Timestamp, Uint};
    Ok(match (left, right) {
        (Bool(left), Bool(right)) => left.cmp(right),
        (String(left), String(right)) => left.cmp(right),
        (Bytes(left), Bytes(right)) => left.cmp(right),
        (Timestamp(left), Timestamp(right)) => left.moment().cmp(&right.moment()),
        (Duration(left), Duration(right)) => left.cmp(right),
        (Double(left), _) if left.is_nan() => return Err(no_order()),
        (Int(_) | Uint(_) | Double(_), Int(_) | Uint(_) | Double(_)) => {
            order_numbers(left, right).ok_or_else(no_order)?
        }
        (
            Bool(_) | String(_) | Bytes(_) | Timestamp(_) | Duration(_) | Int(_) | Uint(_)
            | Double(_),
            _,
        ) => return Err(Failure::no_such_overload()),
        _ => return Err(unordered(function)),
    })
}

fn no_order() -> Failure {
    Failure::new(Fault::NanOrder, "NaN values cannot be ordered")
}

/// The left operand's type does not take part in the operation at all.
pub(in crate::cel) fn unordered(function: &str) -> Failure {
    Failure::new(
        Fault::NoSuchOverload,
        format!("no such overload: {function}"),
    )
}

/// `element in container`
pub(in crate::cel) fn contains(
    element: &Value,
    container: &Value,
    budget: &mut Budget,
) -> Result<bool, Failure> {
    match container {
        Value::List(elements) => {
            for other in elements.iter() {
                if equal(element, other, budget)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Value::Map(map) => Ok(map.find(element)?.is_some()),
        _ => Err(Failure::no_such_overload()),
    }
}

/// Membership in a constant list, which the gateway's optimizer turns into a set of keys: numbers of another
/// type are in it only when the conversion is exact.
pub(in crate::cel) fn set_contains(element: &Value, set: &[Value]) -> Result<bool, Failure> {
    use Value::{Bool, Bytes, Double, Int, String, Uint};
    if matches!(element, Bytes(_)) {
        return Err(Failure::fatal(
            Fault::UnhashableKey,
            "internal error: runtime error: hash of unhashable type types.Bytes",
        ));
    }
    let is = |member: &Value| match (element, member) {
        (Bool(left), Bool(right)) => left == right,
        (String(left), String(right)) => left == right,
        (Double(left), Double(right)) => left == right,
        (Int(left), Int(right)) => left == right,
        (Uint(left), Uint(right)) => left == right,
        (Int(left), Uint(right)) | (Uint(right), Int(left)) => {
            number::compare_int_uint(*left, *right) == Ordering::Equal
        }
        (Double(left), Int(right)) => *left == *right as f64,
        (Double(left), Uint(right)) => *left == *right as f64,
        (Int(left), Double(right)) => number::double_to_int_exactly(*right) == Some(*left),
        (Uint(left), Double(right)) => number::double_to_uint_exactly(*right) == Some(*left),
        _ => false,
    };
    Ok(set.iter().any(is))
}
