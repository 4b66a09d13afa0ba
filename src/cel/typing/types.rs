//! Static types, and how they are written.

use std::fmt;
use std::sync::Arc;

/// The type of an expression as the checker sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cel) enum Type {
    /// Decided when it is evaluated.
    Dyn,
    /// A packed message; the checker treats it as `dyn`.
    Any,
    /// Something wrong inside was reported already.
    Error,
    Null,
    Bool,
    Bytes,
    Double,
    Int,
    String,
    Uint,
    Duration,
    Timestamp,
    /// A primitive that may also be null: the wrapper messages.
    Wrapper(Primitive),
    List(Arc<Type>),
    Map(Arc<(Type, Type)>),
    Message(&'static str),
    Optional(Arc<Type>),
    /// The type of a type; of which one, if that is known.
    Meta(Option<Arc<Type>>),
    /// A type to be found out.
    Variable(u32),
    /// A type parameter in a declaration.
    Parameter(char),
}

/// The types that wrapper messages wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cel) enum Primitive {
    Bool,
    Bytes,
    Double,
    Int,
    String,
    Uint,
}

impl Primitive {
    /// The type without null.
    pub(in crate::cel) fn bare(self) -> Type {
        match self {
            Primitive::Bool => Type::Bool,
            Primitive::Bytes => Type::Bytes,
            Primitive::Double => Type::Double,
            Primitive::Int => Type::Int,
            Primitive::String => Type::String,
            Primitive::Uint => Type::Uint,
        }
    }
}

impl Type {
    pub(in crate::cel) fn list(element: Type) -> Type {
        Type::List(Arc::new(element))
    }

    pub(in crate::cel) fn map(key: Type, value: Type) -> Type {
        Type::Map(Arc::new((key, value)))
    }

    pub(in crate::cel) fn optional(value: Type) -> Type {
        Type::Optional(Arc::new(value))
    }

    pub(in crate::cel) fn type_of(of: Type) -> Type {
        Type::Meta(Some(Arc::new(of)))
    }

    /// A wrapper and what it wraps are the same type in most respects.
    pub(in crate::cel) fn unwrapped(&self) -> Type {
        match self {
            Type::Wrapper(primitive) => primitive.bare(),
            other => other.clone(),
        }
    }

    pub(in crate::cel) fn is_dyn(&self) -> bool {
        matches!(self, Type::Dyn | Type::Any)
    }

    pub(in crate::cel) fn is_dyn_or_error(&self) -> bool {
        self.is_dyn() || *self == Type::Error
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, room: &mut usize) -> fmt::Result {
        // A type can be far larger than any text that made it.
        let Some(left) = room.checked_sub(1) else {
            return f.write_str("…");
        };
        *room = left;
        let name = match self {
            Type::Dyn => "dyn",
            Type::Any => "any",
            Type::Error => "!error!",
            Type::Null => "null",
            Type::Bool => "bool",
            Type::Bytes => "bytes",
            Type::Double => "double",
            Type::Int => "int",
            Type::String => "string",
            Type::Uint => "uint",
            Type::Duration => "duration",
            Type::Timestamp => "timestamp",
            Type::Message(name) => name,
            Type::Meta(None) => "type",
            Type::Wrapper(primitive) => return write_one(f, "wrapper", &primitive.bare(), room),
            Type::List(element) => return write_one(f, "list", element, room),
            Type::Optional(value) => return write_one(f, "optional_type", value, room),
            Type::Meta(Some(of)) => return write_one(f, "type", of, room),
            Type::Variable(number) => return write!(f, "_var{number}"),
            Type::Parameter(letter) => return write!(f, "{letter}"),
            Type::Map(types) => {
                f.write_str("map(")?;
                types.0.write(f, room)?;
                f.write_str(", ")?;
                types.1.write(f, room)?;
                return f.write_str(")");
            }
        };
        f.write_str(name)
    }
}

fn write_one(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    inner: &Type,
    room: &mut usize,
) -> fmt::Result {
    write!(f, "{name}(")?;
    inner.write(f, room)?;
    f.write_str(")")
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, &mut 500)
    }
}
