//! The answer of `why` in each of its formats.

pub mod json;
pub mod text;

use super::diff::Report;
use crate::controllers::ai_gateway::outcome::Outcome;
use crate::diff::why::Explanation;
use crate::world::object::ObjectId;

/// The values of one Gateway's answer that were asked for.
#[derive(Debug)]
pub struct Explained<'a> {
    /// The Gateway's answer.
    pub outcome: &'a Outcome<'a>,
    /// The values.
    pub values: Vec<Explanation<'a>>,
}

/// What an object is good for.
#[derive(Debug)]
pub struct Impact<'a> {
    /// The object.
    pub object: &'a ObjectId,
    /// What hangs on it.
    pub hangs: &'a [Explained<'a>],
    /// The answer with it and without it.
    pub report: &'a Report<'a>,
}
