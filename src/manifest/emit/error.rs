//! Why a document cannot be written, in the words of the original.

use crate::manifest::go_json;
use std::fmt;

/// Why the original cannot write a document. The message is the original's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmitError {
    /// U+007F to U+009F (but U+0085), U+FFFE or U+FFFF in a string or key.
    ControlCharacter,
    /// A key of 1023 characters or more in JSON, or with U+0085. `line` counts the U+0085 up to its end.
    KeyNotSimple {
        /// Lines before the error.
        line: usize,
    },
    /// A string with `---` or `...` behind U+0085.
    DocumentMarker {
        /// The line of the error, from 1.
        line: usize,
    },
    /// More than 10,000 nested collections.
    TooDeep {
        /// Lines before the error.
        line: usize,
    },
    /// A number that is not finite, which JSON cannot write.
    NotFinite(&'static str),
}

impl fmt::Display for EmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EmitError::ControlCharacter => f.write_str("yaml: control characters are not allowed"),
            EmitError::KeyNotSimple { line: 0 } => {
                f.write_str("yaml: did not find expected ',' or '}'")
            }
            EmitError::KeyNotSimple { line } => {
                write!(f, "yaml: line {line}: did not find expected ',' or '}}'")
            }
            EmitError::DocumentMarker { line } => {
                write!(f, "yaml: line {line}: found unexpected document indicator")
            }
            EmitError::TooDeep { line: 0 } => f.write_str("yaml: exceeded max depth of 10000"),
            EmitError::TooDeep { line } => {
                write!(f, "yaml: line {}: exceeded max depth of 10000", line + 1)
            }
            EmitError::NotFinite(value) => {
                write!(
                    f,
                    "error marshaling into JSON: json: unsupported value: {value}"
                )
            }
        }
    }
}

impl std::error::Error for EmitError {}

impl From<go_json::NotFinite> for EmitError {
    fn from(error: go_json::NotFinite) -> Self {
        EmitError::NotFinite(error.0)
    }
}
