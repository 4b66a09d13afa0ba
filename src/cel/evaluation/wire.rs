//! Reading a packed message (`google.protobuf.Any`) in protobuf's wire format.

use std::rc::Rc;

use super::message_value::make;
use super::value::{Map, Value};
use crate::cel::typing::messages::{self, FieldKind, MessageType};

/// So deep may packed messages nest.
const DEPTH_LIMIT: usize = 100;

/// The value of a packed message of a type that we know; none when it is not one.
pub(in crate::cel) fn unpack(type_url: &str, bytes: &[u8]) -> Option<Value> {
    let name = type_url.rsplit('/').next()?;
    message(messages::find(name)?, bytes, DEPTH_LIMIT)
}

fn message(type_: &'static MessageType, bytes: &[u8], depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    let mut reader = Reader { bytes };
    let mut fields: Vec<(&str, Value)> = Vec::new();
    while !reader.bytes.is_empty() {
        let tag = reader.varint()?;
        let raw = reader.field(tag & 7)?;
        // The well-known messages number their fields in order.
        let index = usize::try_from(tag >> 3).ok()?.checked_sub(1)?;
        let Some((name, kind)) = type_.fields.get(index) else {
            continue;
        };
        let Some(value) = value(*kind, raw, depth)? else {
            continue;
        };
        let known = fields.iter().position(|(known, _)| known == name);
        match known.map(|at| fields.remove(at).1) {
            Some(before) => fields.push((name, merged(before, value)?)),
            None => fields.push((name, value)),
        }
    }
    make(type_, fields).ok()
}

/// A repeated field grows; of any other the last value counts.
fn merged(before: Value, value: Value) -> Option<Value> {
    Some(match (before, value) {
        (Value::List(before), Value::List(more)) => {
            Value::list(before.iter().chain(more.iter()).cloned().collect())
        }
        (Value::Map(before), Value::Map(more)) => {
            let entries = before.entries().chain(more.entries()).cloned();
            Value::Map(Rc::new(entries.collect::<Map>()))
        }
        (_, value) => value,
    })
}

enum Raw<'b> {
    Number(u64),
    Bytes(&'b [u8]),
}

/// The value of a field; `Some(None)` when its form is another one, which a reader skips.
fn value(kind: FieldKind, raw: Raw<'_>, depth: usize) -> Option<Option<Value>> {
    let nested = |name: &str, bytes| message(messages::find(name)?, bytes, depth);
    Some(Some(match (kind, raw) {
        (FieldKind::Bool, Raw::Number(number)) => Value::Bool(number != 0),
        (FieldKind::Int64, Raw::Number(number)) => Value::Int(number as i64),
        (FieldKind::Int32 | FieldKind::Enum, Raw::Number(number)) => {
            Value::Int((number as i32).into())
        }
        (FieldKind::Uint64, Raw::Number(number)) => Value::Uint(number),
        (FieldKind::Uint32, Raw::Number(number)) => Value::Uint((number as u32).into()),
        (FieldKind::Double, Raw::Number(number)) => Value::Double(f64::from_bits(number)),
        (FieldKind::Float, Raw::Number(number)) => {
            Value::Double(f32::from_bits(number as u32).into())
        }
        (FieldKind::String, Raw::Bytes(bytes)) => Value::string(std::str::from_utf8(bytes).ok()?),
        (FieldKind::Bytes, Raw::Bytes(bytes)) => Value::Bytes(bytes.into()),
        (FieldKind::Message(name), Raw::Bytes(bytes)) => nested(name, bytes)?,
        (FieldKind::Repeated(name), Raw::Bytes(bytes)) => Value::list(vec![nested(name, bytes)?]),
        (FieldKind::StringMap(_), Raw::Bytes(bytes)) => {
            let Value::Message(entry) = nested("google.protobuf.Struct.FieldsEntry", bytes)? else {
                return None;
            };
            let entry = (entry.get("key")?, entry.get("value")?);
            Value::Map(Rc::new([entry].into_iter().collect::<Map>()))
        }
        _ => return Some(None),
    }))
}

struct Reader<'b> {
    bytes: &'b [u8],
}

impl<'b> Reader<'b> {
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..70).step_by(7) {
            let (byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            value |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    fn field(&mut self, form: u64) -> Option<Raw<'b>> {
        Some(match form {
            0 => Raw::Number(self.varint()?),
            1 => Raw::Number(u64::from_le_bytes(self.take(8)?.try_into().ok()?)),
            2 => {
                let length = usize::try_from(self.varint()?).ok()?;
                Raw::Bytes(self.take(length)?)
            }
            5 => Raw::Number(u32::from_le_bytes(self.take(4)?.try_into().ok()?).into()),
            _ => return None,
        })
    }
}
