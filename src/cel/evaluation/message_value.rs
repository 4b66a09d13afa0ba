//! Making the well-known messages: most become plain values at once.

use std::collections::BTreeMap;
use std::rc::Rc;

use base64::Engine as _;

use super::duration;
use super::time::Timestamp;
use super::value::{Failure, Map, Outcome, Value};
use super::wire;
use crate::cel::problem::Fault;
use crate::cel::typing::messages::{FieldKind, MessageType};

/// A message that stays one: it has no plain counterpart.
#[derive(Clone)]
pub(in crate::cel) struct Message {
    type_: &'static MessageType,
    fields: BTreeMap<String, Value>,
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{:?}", self.type_.name, self.fields)
    }
}

impl Message {
    pub(in crate::cel) fn type_name(&self) -> &str {
        self.type_.name
    }

    pub(in crate::cel) fn fields(&self) -> &BTreeMap<String, Value> {
        &self.fields
    }

    /// The value of a field, its default when it is not set; none when there is no such field.
    pub(in crate::cel) fn get(&self, name: &str) -> Option<Value> {
        let kind = self.type_.field(name)?;
        Some(
            self.fields
                .get(name)
                .cloned()
                .unwrap_or_else(|| default(kind)),
        )
    }

    /// Is the field set to something other than its default?
    pub(in crate::cel) fn is_set(&self, name: &str) -> Option<bool> {
        self.type_.field(name)?;
        let is_empty = |value: &Value| matches!(value, Value::String(text) if text.is_empty());
        let is_default = self.fields.get(name).is_none_or(is_empty);
        Some(!is_default)
    }
}

fn default(kind: FieldKind) -> Value {
    match kind {
        FieldKind::Bool => Value::Bool(false),
        FieldKind::Bytes => Value::Bytes(Rc::from([])),
        FieldKind::Double | FieldKind::Float => Value::Double(0.0),
        FieldKind::Int32 | FieldKind::Int64 | FieldKind::Enum => Value::Int(0),
        FieldKind::String => Value::string(""),
        FieldKind::Uint32 | FieldKind::Uint64 => Value::Uint(0),
        FieldKind::Message(_) => Value::Null,
        FieldKind::Repeated(_) => Value::list(Vec::new()),
        FieldKind::StringMap(_) => Value::Map(Rc::default()),
    }
}

/// The value of `type{fields}`.
pub(in crate::cel) fn make(type_: &'static MessageType, fields: Vec<(&str, Value)>) -> Outcome {
    let mut set = BTreeMap::new();
    let mut last = None;
    for (name, value) in fields {
        let kind = type_
            .field(name)
            .ok_or_else(|| Failure::new(Fault::MessageField, format!("no such field: {name}")))?;
        let fail = |message: String| Failure::new(Fault::MessageField, message);
        let place = format!("{}.{name}", type_.name);
        let is_container = match kind {
            FieldKind::Repeated(_) => matches!(value, Value::List(_)),
            FieldKind::StringMap(_) => matches!(value, Value::Map(_)),
            _ => true,
        };
        if !is_container {
            let found = value.type_text();
            return Err(fail(format!("unsupported field type for {place}: {found}")));
        }
        let converted = convert(kind, &value).map_err(|reason| {
            fail(format!(
                "field type conversion error for {place} value type: {reason}"
            ))
        })?;
        if let Some(value) = converted {
            set.insert(name.to_owned(), value);
            last = Some(name);
        }
    }
    let field = |name: &str| {
        let kind = type_.field(name).unwrap_or(FieldKind::Bool);
        set.get(name).cloned().unwrap_or_else(|| default(kind))
    };
    let seconds_and_nanos = || match (field("seconds"), field("nanos")) {
        (Value::Int(seconds), Value::Int(nanos)) => (seconds, i32::try_from(nanos).unwrap_or(0)),
        _ => (0, 0),
    };
    Ok(match type_.name.trim_start_matches("google.protobuf.") {
        "Any" => match (field("type_url"), field("value")) {
            (Value::String(url), Value::Bytes(bytes)) => wire::unpack(&url, &bytes),
            _ => None,
        }
        .ok_or_else(|| {
            let message = "unsupported conversion to ref.Val: (*dynamicpb.Message)";
            Failure::new(Fault::UnsupportedValue, message)
        })?,
        "Duration" => {
            let (seconds, nanos) = seconds_and_nanos();
            Value::Duration(
                seconds
                    .saturating_mul(1_000_000_000)
                    .saturating_add(i64::from(nanos)),
            )
        }
        "Timestamp" => {
            let (seconds, nanos) = seconds_and_nanos();
            Value::Timestamp(Timestamp::from_fields(seconds, nanos))
        }
        "ListValue" => field("values"),
        "Struct" => field("fields"),
        "Value" => match last {
            None | Some("null_value") => Value::Null,
            Some(name) => field(name),
        },
        "Empty" | "Struct.FieldsEntry" => Value::Message(Rc::new(Message { type_, fields: set })),
        _ => field("value"),
    })
}

/// A value as a field holds it; none when null leaves the field unset.
fn convert(kind: FieldKind, value: &Value) -> Result<Option<Value>, String> {
    let unfit = || {
        let (from, to) = (value.type_name(), kind.go_type());
        Err(format!("unsupported type conversion from '{from}' to {to}"))
    };
    let in_range = |fits: bool, what: &str| {
        if fits {
            Ok(Some(value.clone()))
        } else {
            Err(what.to_owned())
        }
    };
    match (kind, value) {
        (FieldKind::Bool, Value::Bool(_))
        | (FieldKind::Bytes, Value::Bytes(_))
        | (FieldKind::Double, Value::Double(_))
        | (FieldKind::Int64, Value::Int(_))
        | (FieldKind::String, Value::String(_))
        | (FieldKind::Uint64, Value::Uint(_)) => Ok(Some(value.clone())),
        (FieldKind::Float, Value::Double(value)) => {
            Ok(Some(Value::Double(f64::from(*value as f32))))
        }
        (FieldKind::Int32 | FieldKind::Enum, Value::Int(int)) => {
            in_range(i32::try_from(*int).is_ok(), "integer overflow")
        }
        (FieldKind::Uint32, Value::Uint(uint)) => {
            in_range(u32::try_from(*uint).is_ok(), "unsigned integer overflow")
        }
        (FieldKind::Repeated(_), Value::List(_)) | (FieldKind::StringMap(_), Value::Map(_)) => {
            Ok(Some(json(value)?))
        }
        (FieldKind::Message(name), _) => match (name, value) {
            ("google.protobuf.ListValue", Value::List(_))
            | ("google.protobuf.Struct", Value::Map(_))
            | ("google.protobuf.Value", _) => Ok(Some(json(value)?)),
            _ => unfit(),
        },
        _ => unfit(),
    }
}

/// A value as JSON holds it: numbers are doubles, large ones text, bytes and times text.
fn json(value: &Value) -> Result<Value, String> {
    const SAFE: u64 = (1 << 53) - 1;
    let unfit = || {
        Err(format!(
            "unsupported type conversion from '{}'",
            value.type_name()
        ))
    };
    Ok(match value {
        Value::Null | Value::Bool(_) | Value::Double(_) | Value::String(_) => value.clone(),
        Value::Int(int) if int.unsigned_abs() <= SAFE => Value::Double(*int as f64),
        Value::Int(int) => Value::string(&int.to_string()),
        Value::Uint(uint) if *uint <= SAFE => Value::Double(*uint as f64),
        Value::Uint(uint) => Value::string(&uint.to_string()),
        Value::Bytes(bytes) => {
            Value::string(&base64::engine::general_purpose::STANDARD.encode(bytes))
        }
        Value::Duration(nanoseconds) => Value::string(&duration::format(*nanoseconds)),
        Value::Timestamp(time) => Value::string(&time.to_string()),
        Value::List(elements) => Value::list(elements.iter().map(json).collect::<Result<_, _>>()?),
        Value::Map(map) => {
            let mut converted = Map::default();
            for (key, value) in map.entries() {
                if !matches!(key, Value::String(_)) {
                    return unfit();
                }
                converted
                    .insert(key.clone(), json(value)?)
                    .map_err(|failure| failure.message)?;
            }
            Value::Map(Rc::new(converted))
        }
        Value::Optional(Some(inner)) => json(inner)?,
        Value::Optional(None) => return Err("optional.none() dereference".to_owned()),
        Value::Type(_) | Value::Message(_) => return unfit(),
    })
}
