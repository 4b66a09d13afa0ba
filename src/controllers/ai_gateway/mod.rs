//! The AI Gateway's Gateway controller.

pub mod origin;
pub mod outcome;
