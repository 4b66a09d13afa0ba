//! The program could not run: bad usage, an unreadable file, a value that means nothing.
//!
//! A problem *in* a manifest is a [`crate::world::finding::Finding`]; a [`Failure`] means that there is no
//! answer at all.

use std::fmt;

/// Why there is no answer, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What is wrong.
    pub message: String,
    /// What to do next.
    pub hints: Vec<String>,
}

impl Failure {
    /// A failure.
    pub fn new(message: impl Into<String>) -> Self {
        Failure {
            message: message.into(),
            hints: Vec::new(),
        }
    }

    /// The user has stopped the run.
    pub fn interrupted() -> Self {
        Failure::new("interrupted")
    }

    /// The same failure with advice.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// How a run ended. One table for every command and format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Nothing to report at or above the threshold.
    Clean,
    /// Differences, or findings at or above the threshold.
    Findings,
    /// Could not run.
    Failed,
    /// Ran, but something could not be told.
    Incomplete,
}

impl Exit {
    /// The process's exit code.
    pub fn code(self) -> u8 {
        match self {
            Exit::Clean => 0,
            Exit::Findings => 1,
            Exit::Failed => 2,
            Exit::Incomplete => 3,
        }
    }
}
