//! The conversion functions: `int(…)`, `string(…)`, `timestamp(…)` and their like.

use super::arithmetic::{int_overflow, uint_overflow};
use super::duration;
use super::number;
use super::time::{self, Timestamp};
use super::value::{Failure, Outcome, Value};
use crate::cel::problem::Fault;

/// Is it the name of a conversion? The gateway's optimizer evaluates those of constants at once.
pub(in crate::cel) fn is_conversion(function: &str) -> bool {
    matches!(
        function,
        "bool"
            | "bytes"
            | "double"
            | "duration"
            | "dyn"
            | "int"
            | "string"
            | "timestamp"
            | "type"
            | "uint"
    )
}

/// `function(value)` for a conversion.
pub(in crate::cel) fn apply(function: &str, value: Value) -> Outcome {
    match function {
        "dyn" => return Ok(value),
        "type" => return Ok(Value::Type(value.type_name().into())),
        _ => {}
    }
    if function == value.type_name() {
        return Ok(value);
    }
    match (function, &value) {
        ("duration", Value::Duration(_)) | ("timestamp", Value::Timestamp(_)) => Ok(value),
        ("bool", Value::String(text)) => boolean(text).map(Value::Bool).ok_or_else(|| bad("bool")),
        ("bytes", Value::String(text)) => Ok(Value::Bytes(text.as_bytes().into())),
        ("double", _) => to_double(&value),
        ("duration", Value::String(text)) => duration::parse(text)
            .map(Value::Duration)
            .ok_or_else(|| bad("google.protobuf.Duration")),
        ("int", _) => to_int(&value),
        ("string", _) => to_string(&value),
        ("timestamp", Value::Int(seconds)) => Timestamp::from_seconds(*seconds)
            .map(Value::Timestamp)
            .ok_or_else(time::overflow),
        ("timestamp", Value::String(text)) => time::parse(text)
            .ok_or_else(|| bad("google.protobuf.Timestamp"))?
            .map(Value::Timestamp),
        ("uint", _) => to_uint(&value),
        _ => Err(Failure::no_overload_for(function, &[value])),
    }
}

/// A text that is no value of the type.
fn bad(to: &str) -> Failure {
    let message = format!("type conversion error from 'string' to '{to}'");
    Failure::new(Fault::Conversion, message)
}

fn boolean(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Some(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Some(false),
        _ => None,
    }
}

fn to_double(value: &Value) -> Outcome {
    Ok(Value::Double(match value {
        Value::Int(value) => *value as f64,
        Value::Uint(value) => *value as f64,
        Value::String(text) => number::parse_double(text).ok_or_else(|| bad("double"))?,
        _ => {
            return Err(Failure::no_overload_for(
                "double",
                std::slice::from_ref(value),
            ));
        }
    }))
}

fn to_int(value: &Value) -> Outcome {
    Ok(Value::Int(match value {
        Value::Double(value) => number::double_to_int(*value).ok_or_else(int_overflow)?,
        Value::Uint(value) => i64::try_from(*value).map_err(|_| int_overflow())?,
        Value::Duration(value) => *value,
        Value::Timestamp(value) => value.seconds(),
        Value::String(text) => number::parse_int(text).ok_or_else(|| bad("int"))?,
        _ => return Err(Failure::no_overload_for("int", std::slice::from_ref(value))),
    }))
}

fn to_uint(value: &Value) -> Outcome {
    Ok(Value::Uint(match value {
        Value::Double(value) => number::double_to_uint(*value).ok_or_else(uint_overflow)?,
        Value::Int(value) => u64::try_from(*value).map_err(|_| uint_overflow())?,
        Value::String(text) => number::parse_uint(text).ok_or_else(|| bad("uint"))?,
        _ => {
            return Err(Failure::no_overload_for(
                "uint",
                std::slice::from_ref(value),
            ));
        }
    }))
}

fn to_string(value: &Value) -> Outcome {
    Ok(Value::string(&match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Uint(value) => value.to_string(),
        Value::Double(value) => number::format_double(*value),
        Value::Duration(value) => duration::format(*value),
        Value::Timestamp(value) => value.to_string(),
        Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => {
                let message = "invalid UTF-8 in bytes, cannot convert to string";
                return Err(Failure::new(Fault::InvalidUtf8, message));
            }
        },
        _ => {
            return Err(Failure::no_overload_for(
                "string",
                std::slice::from_ref(value),
            ));
        }
    }))
}
