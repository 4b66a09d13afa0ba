//! A refusal: class, words, place, help.

use super::evaluation::value::Failure;
use super::problem::{At, Class, Problem, Stage};
use super::source::line_column;

/// Why an expression is refused, or has no value for given inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Stage and fault, for example `check/no-overload`.
    pub class: Class,
    /// The first line of the controller's (or sidecar's) own words, with its prefixes.
    pub message: String,
    /// Line inside the expression, from 1.
    pub line: u32,
    /// Column inside that line in characters, from 1.
    pub column: u32,
    /// What it means and a rewrite that works, where one is known.
    pub help: Option<String>,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

/// The text that was compiled and how much of the given one was trimmed before it.
#[derive(Clone, Copy)]
pub(super) struct Place<'t> {
    pub(super) given: &'t str,
    pub(super) offset: usize,
}

impl Place<'_> {
    fn compiled(&self) -> &str {
        &self.given[self.offset..]
    }
}

impl Refusal {
    /// A problem of the parser or the checker.
    pub(super) fn compile(prefix: &str, problem: &Problem, place: Place<'_>) -> Refusal {
        let (shown_line, shown_column) = match problem.at {
            // What cel-go prints for a problem without a place.
            At::Whole => (-1, 0),
            At::Start => (1, 0),
            // Upstream's parser counts from one place less when there is nothing at all.
            At::Offset(_) if place.compiled().is_empty() => (1, 0),
            At::Offset(at) => {
                let (line, column) = line_column(place.compiled(), at);
                (i64::from(line), i64::from(column))
            }
        };
        let message = &problem.message;
        let (line, column) = line_column(place.given, place.offset + problem.at.offset());
        Refusal {
            class: problem.class,
            message: format!("{prefix}: ERROR: <input>:{shown_line}:{shown_column}: {message}"),
            line,
            column,
            help: None,
        }
    }

    /// A failure when planning or evaluating.
    pub(super) fn failure(
        prefix: &str,
        stage: Stage,
        failure: &Failure,
        place: Place<'_>,
    ) -> Refusal {
        let (line, column) = line_column(place.given, place.offset + failure.at.unwrap_or(0));
        Refusal {
            class: Class {
                stage,
                fault: failure.fault,
            },
            message: format!("{prefix}{}", failure.message),
            line,
            column,
            help: None,
        }
    }
}
