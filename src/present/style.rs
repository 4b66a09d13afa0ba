//! Colours, where the reader is a terminal that wants them.

use crate::world::finding::Severity;

/// Whether to colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    /// Colours are on.
    pub color: bool,
}

impl Style {
    fn paint(self, code: &str, text: &str) -> String {
        if self.color {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_string()
        }
    }

    /// A heading.
    pub fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// Something of less weight.
    pub fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// The mark of a change in the colour of what happened.
    pub fn change(self, kind: &str, mark: &str) -> String {
        let code = match kind {
            "added" => "32",
            "removed" => "31",
            _ => "33",
        };
        self.paint(code, mark)
    }

    /// The word of a severity in its colour.
    pub fn severity(self, severity: Severity) -> String {
        let code = match severity {
            Severity::Error => "1;31",
            Severity::Warning => "1;33",
            Severity::Info => "36",
        };
        self.paint(code, severity.word())
    }
}
