//! What the controller's trial with zeros cannot see.

use super::checker::Checked;
use super::source::Span;

/// What kind of surprise an accepted expression holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Concern {
    /// An unsigned subtraction can go below zero.
    Underflow,
}

impl Concern {
    /// The code of a finding about it.
    pub fn id(self) -> &'static str {
        match self {
            Concern::Underflow => "cel-underflow",
        }
    }
}

/// A warning about an accepted expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What kind it is.
    pub concern: Concern,
    /// Which part causes it.
    pub span: Span,
    /// What can happen, and what to do about it.
    pub message: String,
}

/// Everything worth a warning.
pub(super) fn warnings(_checked: &Checked, _text: &str) -> Vec<Warning> {
    Vec::new()
}
