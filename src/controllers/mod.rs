//! What the controllers would do: pure functions from a world, a profile and options to an outcome.

pub mod ai_gateway;
pub mod profile;
