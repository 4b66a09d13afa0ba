//! The protobuf messages that an expression can name: the well-known types and nothing else.

use super::types::{Primitive, Type};

/// What kind of value a message field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cel) enum FieldKind {
    Bool,
    Bytes,
    Double,
    Float,
    Int32,
    Int64,
    String,
    Uint32,
    Uint64,
    /// An enumeration, an int here.
    Enum,
    Message(&'static str),
    /// A list of messages.
    Repeated(&'static str),
    /// A map from text to messages.
    StringMap(&'static str),
}

#[derive(Debug)]
pub(in crate::cel) struct MessageType {
    pub(in crate::cel) name: &'static str,
    pub(in crate::cel) fields: &'static [(&'static str, FieldKind)],
}

const VALUE: &str = "google.protobuf.Value";

macro_rules! messages {
    ($($name:literal { $($field:literal: $kind:expr),* })*) => {
        const MESSAGES: &[MessageType] =
            &[$(MessageType { name: $name, fields: &[$(($field, $kind)),*] }),*];
    };
}

messages! {
    "google.protobuf.Any" { "type_url": FieldKind::String, "value": FieldKind::Bytes }
    "google.protobuf.BoolValue" { "value": FieldKind::Bool }
    "google.protobuf.BytesValue" { "value": FieldKind::Bytes }
    "google.protobuf.DoubleValue" { "value": FieldKind::Double }
    "google.protobuf.Duration" { "seconds": FieldKind::Int64, "nanos": FieldKind::Int32 }
    "google.protobuf.Empty" { }
    "google.protobuf.FloatValue" { "value": FieldKind::Float }
    "google.protobuf.Int32Value" { "value": FieldKind::Int32 }
    "google.protobuf.Int64Value" { "value": FieldKind::Int64 }
    "google.protobuf.ListValue" { "values": FieldKind::Repeated(VALUE) }
    "google.protobuf.StringValue" { "value": FieldKind::String }
    "google.protobuf.Struct" { "fields": FieldKind::StringMap(VALUE) }
    "google.protobuf.Struct.FieldsEntry" {
        "key": FieldKind::String, "value": FieldKind::Message(VALUE)
    }
    "google.protobuf.Timestamp" { "seconds": FieldKind::Int64, "nanos": FieldKind::Int32 }
    "google.protobuf.UInt32Value" { "value": FieldKind::Uint32 }
    "google.protobuf.UInt64Value" { "value": FieldKind::Uint64 }
    "google.protobuf.Value" {
        "null_value": FieldKind::Enum,
        "number_value": FieldKind::Double,
        "string_value": FieldKind::String,
        "bool_value": FieldKind::Bool,
        "struct_value": FieldKind::Message("google.protobuf.Struct"),
        "list_value": FieldKind::Message("google.protobuf.ListValue")
    }
}

/// The only enumeration value among the well-known types; it is zero.
pub(in crate::cel) const NULL_VALUE: &str = "google.protobuf.NullValue.NULL_VALUE";

pub(in crate::cel) fn find(name: &str) -> Option<&'static MessageType> {
    MESSAGES.iter().find(|message| message.name == name)
}

impl MessageType {
    pub(in crate::cel) fn field(&self, name: &str) -> Option<FieldKind> {
        self.fields
            .iter()
            .find(|(field, _)| *field == name)
            .map(|(_, kind)| *kind)
    }

    /// The type that values of this message have; most well-known messages are plain values.
    pub(in crate::cel) fn value_type(&self) -> Type {
        match self.name.trim_start_matches("google.protobuf.") {
            "Any" => Type::Any,
            "BoolValue" => Type::Wrapper(Primitive::Bool),
            "BytesValue" => Type::Wrapper(Primitive::Bytes),
            "DoubleValue" | "FloatValue" => Type::Wrapper(Primitive::Double),
            "Int32Value" | "Int64Value" => Type::Wrapper(Primitive::Int),
            "StringValue" => Type::Wrapper(Primitive::String),
            "UInt32Value" | "UInt64Value" => Type::Wrapper(Primitive::Uint),
            "Duration" => Type::Duration,
            "Timestamp" => Type::Timestamp,
            "ListValue" => Type::list(Type::Dyn),
            "Struct" => Type::map(Type::String, Type::Dyn),
            "Value" => Type::Dyn,
            _ => Type::Message(self.name),
        }
    }
}

impl FieldKind {
    /// The type of the field in an expression.
    pub(in crate::cel) fn value_type(self) -> Type {
        let of = |name| find(name).map_or(Type::Error, MessageType::value_type);
        match self {
            FieldKind::Bool => Type::Bool,
            FieldKind::Bytes => Type::Bytes,
            FieldKind::Double | FieldKind::Float => Type::Double,
            FieldKind::Int32 | FieldKind::Int64 | FieldKind::Enum => Type::Int,
            FieldKind::String => Type::String,
            FieldKind::Uint32 | FieldKind::Uint64 => Type::Uint,
            FieldKind::Message(name) => of(name),
            FieldKind::Repeated(name) => Type::list(of(name)),
            FieldKind::StringMap(name) => Type::map(Type::String, of(name)),
        }
    }

    /// The Go type that holds the field, which some messages show.
    pub(in crate::cel) fn go_type(self) -> &'static str {
        match self {
            FieldKind::Bool => "bool",
            FieldKind::Bytes => "[]uint8",
            FieldKind::Double => "float64",
            FieldKind::Float => "float32",
            FieldKind::Int32 => "int32",
            FieldKind::Int64 => "int64",
            FieldKind::String => "string",
            FieldKind::Uint32 => "uint32",
            FieldKind::Uint64 => "uint64",
            FieldKind::Enum => "protoreflect.EnumNumber",
            FieldKind::Message(_) | FieldKind::Repeated(_) | FieldKind::StringMap(_) => "a message",
        }
    }
}
