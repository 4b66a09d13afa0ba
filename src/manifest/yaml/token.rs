//! The tokens of YAML 1.1.

use std::borrow::Cow;

use crate::manifest::node::Pos;

/// A token and where it stands, in bytes.
#[derive(Debug)]
pub(super) struct Token<'a> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: Kind<'a>,
}

/// A tag as written: `!!str` has the handle `!!` and the suffix `str`. Bytes, because `%xx` escapes
/// may yield anything.
#[derive(Debug)]
pub(super) struct TagToken {
    pub(super) handle: Vec<u8>,
    pub(super) suffix: Vec<u8>,
}

#[derive(Debug)]
pub(super) enum Kind<'a> {
    StreamEnd,
    Version { major: u8, minor: u8 },
    TagDirective(Box<TagToken>),
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias(&'a str),
    Anchor(&'a str),
    Tag(Box<TagToken>),
    Scalar { value: Cow<'a, str>, plain: bool },
}

/// Why a text is not YAML as go-yaml reads it.
#[derive(Debug, Clone)]
pub(super) struct Fault {
    pub(super) at: At,
    /// What is wrong and, where it helps, what to do.
    pub(super) message: Cow<'static, str>,
}

/// A place in a text.
#[derive(Debug, Clone, Copy)]
pub(super) enum At {
    Offset(usize),
    Pos(Pos),
}

impl Fault {
    pub(super) fn new(offset: usize, message: impl Into<Cow<'static, str>>) -> Self {
        Fault {
            at: At::Offset(offset),
            message: message.into(),
        }
    }

    pub(super) fn at(pos: Pos, message: impl Into<Cow<'static, str>>) -> Self {
        Fault {
            at: At::Pos(pos),
            message: message.into(),
        }
    }
}

/// The result of reading a part of a text.
pub(super) type Reading<T> = Result<T, Fault>;
