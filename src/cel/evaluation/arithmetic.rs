//! The arithmetic operators. Types never mix; results out of range are errors.

use std::rc::Rc;

use super::budget::Budget;
use super::compare::unordered;
use super::value::{Failure, Outcome, Value};
use crate::cel::problem::Fault;
use crate::cel::syntax::operator;

pub(in crate::cel) fn int_overflow() -> Failure {
    Failure::new(Fault::IntOverflow, "integer overflow")
}

pub(in crate::cel) fn uint_overflow() -> Failure {
    Failure::new(Fault::UintOverflow, "unsigned integer overflow")
}

fn division_by_zero() -> Failure {
    Failure::new(Fault::DivisionByZero, "division by zero")
}

fn modulus_by_zero() -> Failure {
    Failure::new(Fault::ModulusByZero, "modulus by zero")
}

/// `left function right` for one of the five operators.
pub(in crate::cel) fn apply(
    function: &str,
    left: Value,
    right: Value,
    budget: &mut Budget,
) -> Outcome {
    use Value::{Double, Duration, Int, Timestamp, Uint};
    let int = |value: Option<i64>| value.map(Int).ok_or_else(int_overflow);
    let uint = |value: Option<u64>| value.map(Uint).ok_or_else(uint_overflow);
    let duration = |value: Option<i64>| value.map(Duration).ok_or_else(int_overflow);
    match (function, left, right) {
        (operator::ADD, Int(left), Int(right)) => int(left.checked_add(right)),
        (operator::ADD, Uint(left), Uint(right)) => uint(left.checked_add(right)),
        (operator::ADD, Double(left), Double(right)) => Ok(Double(left + right)),
        (operator::ADD, Duration(left), Duration(right)) => duration(left.checked_add(right)),
        (operator::ADD, Duration(duration), Timestamp(time))
        | (operator::ADD, Timestamp(time), Duration(duration)) => {
            Ok(Timestamp(time.add(duration)?))
        }
        (operator::ADD, left, right) => concatenate(left, right, budget),
        (operator::SUBTRACT, Int(left), Int(right)) => int(left.checked_sub(right)),
        (operator::SUBTRACT, Uint(left), Uint(right)) => uint(left.checked_sub(right)),
        (operator::SUBTRACT, Double(left), Double(right)) => Ok(Double(left - right)),
        (operator::SUBTRACT, Duration(left), Duration(right)) => duration(left.checked_sub(right)),
        (operator::SUBTRACT, Timestamp(time), Duration(duration)) => {
            let back = duration.checked_neg().ok_or_else(int_overflow)?;
            Ok(Timestamp(time.add(back)?))
        }
        (operator::SUBTRACT, Timestamp(left), Timestamp(right)) => duration(left.since(right)),
        (operator::MULTIPLY, Int(left), Int(right)) => int(left.checked_mul(right)),
        (operator::MULTIPLY, Uint(left), Uint(right)) => uint(left.checked_mul(right)),
        (operator::MULTIPLY, Double(left), Double(right)) => Ok(Double(left * right)),
        (operator::DIVIDE, Int(_), Int(0)) | (operator::DIVIDE, Uint(_), Uint(0)) => {
            Err(division_by_zero())
        }
        (operator::DIVIDE, Int(left), Int(right)) => int(left.checked_div(right)),
        (operator::DIVIDE, Uint(left), Uint(right)) => Ok(Uint(left / right)),
        (operator::DIVIDE, Double(left), Double(right)) => Ok(Double(left / right)),
        (operator::MODULO, Int(_), Int(0)) | (operator::MODULO, Uint(_), Uint(0)) => {
            Err(modulus_by_zero())
        }
        (operator::MODULO, Int(left), Int(right)) => int(left.checked_rem(right)),
        (operator::MODULO, Uint(left), Uint(right)) => Ok(Uint(left % right)),
        (_, left, _) => Err(wrong_operands(function, &left)),
    }
}

/// Two operands that no form of the operator takes: the words depend on the left one.
fn wrong_operands(function: &str, left: &Value) -> Failure {
    let takes_part = match left {
        Value::Int(_) | Value::Uint(_) => true,
        Value::Double(_) => function != operator::MODULO,
        // Text and times have methods, so upstream asks them, and they say it more briefly.
        Value::String(_) | Value::Timestamp(_) | Value::Duration(_) => true,
        _ => false,
    };
    if takes_part {
        Failure::no_such_overload()
    } else {
        unordered(function)
    }
}

fn concatenate(left: Value, right: Value, budget: &mut Budget) -> Outcome {
    match (left, right) {
        (Value::String(left), Value::String(right)) => {
            budget.spend_bytes(left.len() + right.len())?;
            Ok(Value::string(&[&*left, &*right].concat()))
        }
        (Value::Bytes(left), Value::Bytes(right)) => {
            budget.spend_bytes(left.len() + right.len())?;
            Ok(Value::Bytes([&*left, &*right].concat().into()))
        }
        (Value::List(mut left), Value::List(right)) => {
            // A loop's own list is not shared and grows in place.
            let copied = if Rc::strong_count(&left) == 1 {
                0
            } else {
                left.len()
            };
            budget.spend((copied + right.len()) as u64)?;
            Rc::make_mut(&mut left).extend(right.iter().cloned());
            Ok(Value::List(left))
        }
        (Value::Bytes(_) | Value::List(_), _) => Err(Failure::no_such_overload()),
        (left, _) => Err(wrong_operands(operator::ADD, &left)),
    }
}

/// `-value`
pub(in crate::cel) fn negate(value: &Value) -> Outcome {
    match value {
        Value::Int(value) => value.checked_neg().map(Value::Int).ok_or_else(int_overflow),
        Value::Double(value) => Ok(Value::Double(-value)),
        Value::Duration(value) => value
            .checked_neg()
            .map(Value::Duration)
            .ok_or_else(int_overflow),
        Value::Bool(_) | Value::String(_) | Value::Timestamp(_) => Err(Failure::no_such_overload()),
        _ => Err(unordered(operator::NEGATE)),
    }
}
