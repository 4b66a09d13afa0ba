//! The answer of `render` in each of its formats.

pub mod config;
pub mod json;
pub mod secret;
pub mod table;
pub mod workload;

use crate::controllers::ai_gateway::options::Options;
use crate::controllers::ai_gateway::outcome::Outcome;
use crate::secret::Reveal;
use crate::world::World;
use crate::world::finding::Finding;

/// Everything that a format may show.
#[derive(Debug)]
pub struct Answer<'a> {
    /// The objects.
    pub world: &'a World,
    /// What was asked.
    pub options: &'a Options<'a>,
    /// One for each Gateway that was asked for.
    pub outcomes: &'a [Outcome<'a>],
    /// Findings that belong to no Gateway.
    pub findings: &'a [Finding],
    /// What may be shown.
    pub reveal: Reveal,
}
