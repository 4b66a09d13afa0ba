//! Values that must not be shown. Secrecy is a property of the type, not of a printer.

use std::fmt;

/// What stands in place of a hidden value. Its width is fixed, so it says nothing of the value's length.
pub const PLACEHOLDER: &str = "<redacted>";

/// A value that is never printed by accident: no `Display`, no `Serialize`, a redacted `Debug`.
///
/// [`Secret::reveal`] is the only way to the value; every call of it is a place to audit.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Hides a value.
    pub fn new(value: T) -> Self {
        Secret(value)
    }

    /// The value itself. Callers must not let it reach an output unless the user asked to see it.
    pub fn reveal(&self) -> &T {
        &self.0
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PLACEHOLDER)
    }
}

/// Which hidden values the user asked to see. The default shows none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reveal {
    /// `--show-secrets`: everything.
    pub secrets: bool,
    /// `--show-mutations`: the set-values of header and body mutations.
    pub mutations: bool,
}

impl Reveal {
    /// Shows everything; the controller's own view.
    pub const ALL: Reveal = Reveal {
        secrets: true,
        mutations: true,
    };

    /// Whether set-values of mutations are shown.
    pub fn shows_mutations(self) -> bool {
        self.secrets || self.mutations
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_does_not_show_the_value() {
        let hidden = format!("{:?}", Secret::new("hunter2"));
        assert_eq!(hidden, PLACEHOLDER);
    }
}
