//! Which kinds an answer is made from.

use crate::world::kind::Kind;

/// A kind that an answer needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Need {
    /// The kind.
    pub kind: Kind,
    /// The label without which an object is of no interest.
    pub label: Option<&'static str>,
}

impl Need {
    /// Every object of the kind.
    pub const fn all(kind: Kind) -> Self {
        Need { kind, label: None }
    }

    /// The objects with a label.
    pub const fn labelled(kind: Kind, label: &'static str) -> Self {
        Need {
            kind,
            label: Some(label),
        }
    }
}
