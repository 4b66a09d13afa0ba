//! What reading one document gives, before it is known to be a list of objects.

use std::borrow::Cow;
use std::collections::HashSet;

use super::document::{DuplicateKey, Note};
use super::node::{Node, Pos, Value};

/// A value read from a text.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) root: Node,
    pub(super) duplicates: Vec<DuplicateKey>,
    pub(super) notes: Vec<Note>,
    /// Bytes of the text.
    pub(super) bytes: usize,
    /// Items of lists that are larger than an object may be, if the text as a whole is.
    pub(super) oversized: HashSet<Pos>,
}

impl Parsed {
    /// A value about which there is nothing to say.
    pub(super) fn of(root: Node) -> Self {
        Parsed {
            root,
            duplicates: Vec::new(),
            notes: Vec::new(),
            bytes: 0,
            oversized: HashSet::new(),
        }
    }

    /// What a text without content is.
    pub(super) fn empty() -> Self {
        Parsed::of(Node {
            pos: Pos { line: 1, column: 1 },
            value: Value::Null,
        })
    }
}

/// Why a text cannot be read, and where.
#[derive(Debug, Clone)]
pub(super) struct SyntaxError {
    pub(super) pos: Pos,
    pub(super) message: Cow<'static, str>,
}
