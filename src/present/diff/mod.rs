//! The answer of `diff` in each of its formats.

pub mod github;
pub mod json;
pub mod markdown;
pub mod tree;
pub mod unified;
pub mod words;

use crate::diff::answer::{Answer, GatewayDiff, Question};
use crate::diff::cause::Sides;
use crate::world::finding::Finding;

/// Everything that a format may show.
#[derive(Debug)]
pub struct Report<'a> {
    /// The two answers.
    pub answers: Sides<Answer<'a>>,
    /// What each side was read from.
    pub sources: Sides<String>,
    /// The differences, by Gateway.
    pub gateways: &'a [GatewayDiff<'a>],
    /// Findings that belong to no Gateway.
    pub findings: &'a [Finding],
    /// What was asked.
    pub question: &'a Question,
}

impl Report<'_> {
    /// Whether anything differs.
    pub fn differs(&self) -> bool {
        self.gateways.iter().any(GatewayDiff::differs)
    }

    /// How many values could not be compared.
    pub fn unknown(&self) -> usize {
        self.gateways.iter().map(|g| g.unknown.len()).sum()
    }
}
