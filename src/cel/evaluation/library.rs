//! The functions that are neither operators nor conversions.

use super::budget::Budget;
use super::compare::unordered;
use super::duration;
use super::re2::Patterns;
use super::value::{Failure, Outcome, Value};
use crate::cel::problem::Fault;

/// `function(args)`, the receiver of a method being the first of `args`.
pub(in crate::cel) fn apply(
    function: &str,
    args: &[Value],
    patterns: &mut Patterns,
    budget: &mut Budget,
) -> Outcome {
    match (function, args) {
        ("size", [value]) => size(value, budget),
        ("contains" | "startsWith" | "endsWith", [text, part]) => {
            text_part(function, text, part, budget)
        }
        ("matches", [text, pattern]) => matches(text, pattern, patterns, budget),
        ("optional.of", [value]) => Ok(Value::some(value.clone())),
        ("optional.ofNonZeroValue", [value]) => Ok(if is_zero(value) {
            Value::Optional(None)
        } else {
            Value::some(value.clone())
        }),
        ("optional.none", []) => Ok(Value::Optional(None)),
        ("value", [Value::Optional(Some(value))]) => Ok((**value).clone()),
        ("value", [Value::Optional(None)]) => Err(Failure::new(
            Fault::OptionalNone,
            "optional.none() dereference",
        )),
        ("hasValue", [Value::Optional(value)]) => Ok(Value::Bool(value.is_some())),
        ("first", [Value::List(elements)]) => Ok(optional(elements.first())),
        ("last", [Value::List(elements)]) => Ok(optional(elements.last())),
        ("optional.unwrap" | "unwrapOpt", [Value::List(elements)]) => unwrap(function, elements),
        _ => time_part(function, args),
    }
}

fn optional(value: Option<&Value>) -> Value {
    value.map_or(Value::Optional(None), |value| Value::some(value.clone()))
}

fn size(value: &Value, budget: &mut Budget) -> Outcome {
    let length = match value {
        Value::String(text) => {
            budget.spend_bytes(text.len())?;
            text.chars().count()
        }
        Value::Bytes(bytes) => bytes.len(),
        Value::List(elements) => elements.len(),
        Value::Map(map) => map.len(),
        Value::Timestamp(_) | Value::Duration(_) => return Err(Failure::no_such_overload()),
        _ => return Err(unordered("size")),
    };
    Ok(Value::Int(i64::try_from(length).unwrap_or(i64::MAX)))
}

fn text_part(function: &str, text: &Value, part: &Value, budget: &mut Budget) -> Outcome {
    let (Value::String(text), Value::String(part)) = (text, part) else {
        return Err(Failure::no_such_overload());
    };
    budget.spend_bytes(text.len())?;
    Ok(Value::Bool(match function {
        "contains" => text.contains(&**part),
        "startsWith" => text.starts_with(&**part),
        _ => text.ends_with(&**part),
    }))
}

fn matches(text: &Value, pattern: &Value, patterns: &mut Patterns, budget: &mut Budget) -> Outcome {
    let Value::String(text) = text else {
        return Err(match text {
            Value::Timestamp(_) | Value::Duration(_) => Failure::no_such_overload(),
            _ => unordered("matches"),
        });
    };
    let Value::String(pattern) = pattern else {
        return Err(Failure::no_such_overload());
    };
    budget.spend(1 + (text.len() as u64 * pattern.len() as u64) / 64)?;
    patterns.is_match(pattern, text).map(Value::Bool)
}

/// Empty and zero values count as absent.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Int(value) | Value::Duration(value) => *value == 0,
        Value::Uint(value) => *value == 0,
        Value::Double(value) => *value == 0.0,
        Value::String(text) => text.is_empty(),
        Value::Bytes(bytes) => bytes.is_empty(),
        Value::List(elements) => elements.is_empty(),
        Value::Map(map) => map.len() == 0,
        // Go's zero time is the first moment of the year 1.
        Value::Timestamp(time) => time.moment() == (-62_135_596_800, 0),
        Value::Message(message) => message.fields().is_empty(),
        Value::Type(_) | Value::Optional(_) => false,
    }
}

fn unwrap(function: &str, elements: &[Value]) -> Outcome {
    if elements
        .first()
        .is_some_and(|first| !matches!(first, Value::Optional(_)))
    {
        let args = [Value::list(elements.to_vec())];
        return Err(Failure::no_overload_for(function, &args));
    }
    let mut values = Vec::new();
    for element in elements {
        match element {
            Value::Optional(Some(value)) => values.push((**value).clone()),
            Value::Optional(None) => {}
            _ => return Err(Failure::new(Fault::Conversion, "value is not optional")),
        }
    }
    Ok(Value::list(values))
}

fn time_part(function: &str, args: &[Value]) -> Outcome {
    let found = match args {
        [Value::Timestamp(time)] => time.component(function, "UTC")?,
        [Value::Timestamp(time), Value::String(zone)] => time.component(function, zone)?,
        [Value::Duration(nanoseconds)] => duration::component(*nanoseconds, function),
        _ => None,
    };
    found
        .map(Value::Int)
        .ok_or_else(|| Failure::no_overload_for(function, args))
}
