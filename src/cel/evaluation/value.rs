//! Values while an expression is evaluated: equality, order, map keys, and how they are written.

use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use super::message_value::Message;
use super::number;
use super::time::Timestamp;
use crate::cel::problem::Fault;

/// A value of any type.
#[derive(Clone, Debug)]
pub(in crate::cel) enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(Rc<str>),
    Bytes(Rc<[u8]>),
    Timestamp(Timestamp),
    /// In nanoseconds.
    Duration(i64),
    List(Rc<Vec<Value>>),
    Map(Rc<Map>),
    /// A type, by the name that it has at run time.
    Type(Rc<str>),
    Optional(Option<Rc<Value>>),
    Message(Rc<Message>),
}

/// Why an evaluation fails.
#[derive(Clone, Debug)]
pub(in crate::cel) struct Failure {
    pub(in crate::cel) fault: Fault,
    pub(in crate::cel) message: String,
    /// Nothing absorbs it: the evaluation was stopped.
    pub(in crate::cel) fatal: bool,
    /// Where in the text, if that is known.
    pub(in crate::cel) at: Option<usize>,
}

impl Failure {
    pub(in crate::cel) fn new(fault: Fault, message: impl Into<String>) -> Failure {
        Failure {
            fault,
            message: message.into(),
            fatal: false,
            at: None,
        }
    }

    pub(in crate::cel) fn fatal(fault: Fault, message: impl Into<String>) -> Failure {
        Failure {
            fatal: true,
            ..Failure::new(fault, message)
        }
    }

    pub(in crate::cel) fn no_such_overload() -> Failure {
        Failure::new(Fault::NoSuchOverload, "no such overload")
    }

    pub(in crate::cel) fn no_such_key(key: &Value) -> Failure {
        Failure::new(Fault::NoSuchKey, format!("no such key: {}", Shown(key)))
    }

    /// The function exists, but not for values like these.
    pub(in crate::cel) fn no_overload_for(function: &str, args: &[Value]) -> Failure {
        let types: Vec<&str> = args.iter().map(Value::type_name).collect();
        let message = format!("no such overload: {function}({})", types.join(", "));
        Failure::new(Fault::NoSuchOverload, message)
    }
}

pub(in crate::cel) type Outcome = Result<Value, Failure>;

/// A map in the order of its making; repeated keys keep the last value.
#[derive(Debug, Default)]
pub(in crate::cel) struct Map {
    entries: Vec<(Value, Value)>,
    index: HashMap<Key, usize>,
    /// Not built by the expression: all keys are texts, and any other key is merely not there.
    is_native: bool,
}

/// A map key as it is compared: by type and value, containers by identity.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(u64),
    String(Rc<str>),
    Timestamp(Timestamp),
    Duration(i64),
    Type(Rc<str>),
    Identity(usize),
}

/// The key of a value; none when it equals nothing, not even itself.
fn key(value: &Value) -> Result<Option<Key>, Failure> {
    let key = match value {
        Value::Null => Key::Null,
        Value::Bool(value) => Key::Bool(*value),
        Value::Int(value) => Key::Int(*value),
        Value::Uint(value) => Key::Uint(*value),
        Value::Double(value) if value.is_nan() => return Ok(None),
        Value::Double(value) => Key::Double((value + 0.0).to_bits()),
        Value::String(value) => Key::String(value.clone()),
        Value::Timestamp(value) => Key::Timestamp(*value),
        Value::Duration(value) => Key::Duration(*value),
        Value::Type(value) => Key::Type(value.clone()),
        Value::List(value) => Key::Identity(Rc::as_ptr(value).addr()),
        Value::Map(value) => Key::Identity(Rc::as_ptr(value).addr()),
        Value::Message(value) => Key::Identity(Rc::as_ptr(value).addr()),
        Value::Optional(Some(value)) => Key::Identity(Rc::as_ptr(value).addr()),
        Value::Optional(None) => Key::Identity(0),
        Value::Bytes(_) => {
            return Err(Failure::fatal(
                Fault::UnhashableKey,
                "internal error: runtime error: hash of unhashable type types.Bytes",
            ));
        }
    };
    Ok(Some(key))
}

impl Map {
    /// Sets a key. Bytes can be no key.
    pub(in crate::cel) fn insert(&mut self, key_value: Value, value: Value) -> Result<(), Failure> {
        let Some(key) = key(&key_value)? else {
            self.entries.push((key_value, value));
            return Ok(());
        };
        match self.index.get(&key) {
            Some(at) => self.entries[*at].1 = value,
            None => {
                self.index.insert(key, self.entries.len());
                self.entries.push((key_value, value));
            }
        }
        Ok(())
    }

    /// Takes a key out again.
    pub(in crate::cel) fn remove(&mut self, key_value: &Value) -> Result<(), Failure> {
        let Some(at) = key(key_value)?.and_then(|key| self.index.remove(&key)) else {
            return Ok(());
        };
        self.entries.remove(at);
        for position in self.index.values_mut().filter(|position| **position > at) {
            *position -= 1;
        }
        Ok(())
    }

    pub(in crate::cel) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(in crate::cel) fn keys(&self) -> impl Iterator<Item = &Value> {
        self.entries.iter().map(|(key, _)| key)
    }

    pub(in crate::cel) fn entries(&self) -> impl Iterator<Item = &(Value, Value)> {
        self.entries.iter()
    }

    /// The value of a key; numbers of another type find it too when they are equal without loss.
    pub(in crate::cel) fn find(&self, wanted: &Value) -> Result<Option<&Value>, Failure> {
        if self.entries.is_empty() || self.is_native && !matches!(wanted, Value::String(_)) {
            return Ok(None);
        }
        let exact = key(wanted)?;
        let alike: [Option<Key>; 2] = match wanted {
            Value::Double(value) => [
                number::double_to_int_exactly(*value).map(Key::Int),
                number::double_to_uint_exactly(*value).map(Key::Uint),
            ],
            Value::Int(value) => [u64::try_from(*value).ok().map(Key::Uint), None],
            Value::Uint(value) => [i64::try_from(*value).ok().map(Key::Int), None],
            _ => [None, None],
        };
        let found = exact.into_iter().chain(alike.into_iter().flatten());
        Ok(found
            .filter_map(|key| self.index.get(&key))
            .map(|at| &self.entries[*at].1)
            .next())
    }
}

impl FromIterator<(Value, Value)> for Map {
    /// A map of Go's own, whose keys are texts.
    fn from_iter<I: IntoIterator<Item = (Value, Value)>>(entries: I) -> Map {
        let mut map = Map {
            is_native: true,
            ..Map::default()
        };
        for (key, value) in entries {
            // A text cannot fail as a key.
            let _ = map.insert(key, value);
        }
        map
    }
}

impl Value {
    pub(in crate::cel) fn string(text: &str) -> Value {
        Value::String(text.into())
    }

    pub(in crate::cel) fn list(elements: Vec<Value>) -> Value {
        Value::List(Rc::new(elements))
    }

    pub(in crate::cel) fn some(value: Value) -> Value {
        Value::Optional(Some(Rc::new(value)))
    }

    /// The name of the value's type at run time.
    pub(in crate::cel) fn type_name(&self) -> &str {
        match self {
            Value::Null => "null_type",
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Uint(_) => "uint",
            Value::Double(_) => "double",
            Value::String(_) => "string",
            Value::Bytes(_) => "bytes",
            Value::Timestamp(_) => "google.protobuf.Timestamp",
            Value::Duration(_) => "google.protobuf.Duration",
            Value::List(_) => "list",
            Value::Map(_) => "map",
            Value::Type(_) => "type",
            Value::Optional(_) => "optional_type",
            Value::Message(message) => message.type_name(),
        }
    }

    /// The type of the value as the controller writes it.
    pub(in crate::cel) fn type_text(&self) -> String {
        match self {
            Value::List(_) => "list(dyn)".to_owned(),
            Value::Map(_) => "map(dyn, dyn)".to_owned(),
            Value::Optional(_) => "optional_type(dyn)".to_owned(),
            other => other.type_name().to_owned(),
        }
    }

    /// The text that Go finds when it asks for the plain value: of a type its name, of an optional what is inside.
    pub(in crate::cel) fn plain_text(&self) -> Option<&Rc<str>> {
        match self {
            Value::String(text) | Value::Type(text) => Some(text),
            Value::Optional(Some(inner)) => inner.plain_text(),
            _ => None,
        }
    }

    /// What Go code makes of the value inside an optional when it is read out and wrapped again.
    pub(in crate::cel) fn rewrapped(&self) -> Value {
        match self {
            Value::Type(name) => Value::String(name.clone()),
            Value::Optional(Some(inner)) => inner.rewrapped(),
            Value::Optional(None) => Value::Null,
            other => other.clone(),
        }
    }
}

/// A value as Go prints it inside an error message.
pub(in crate::cel) struct Shown<'a>(pub(in crate::cel) &'a Value);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("0"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Uint(value) => write!(f, "{value}"),
            Value::Double(value) => f.write_str(&number::format_double(*value)),
            Value::String(value) => f.write_str(value),
            Value::Bytes(value) => {
                let bytes: Vec<String> = value.iter().map(u8::to_string).collect();
                write!(f, "[{}]", bytes.join(" "))
            }
            Value::Timestamp(value) => write!(f, "{value}"),
            Value::Duration(value) => f.write_str(&super::duration::format(*value)),
            Value::Type(name) => f.write_str(name),
            other => f.write_str(other.type_name()),
        }
    }
}
