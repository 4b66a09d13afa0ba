//! How much one document may ask of the reader.

/// Limits that keep a hostile document from taking memory or stack. The input as a whole has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one object. A list has no limit of its own, its items have.
    pub object_bytes: usize,
    /// Collections inside collections. Values above [`Limits::MAX_NESTING`] count as that.
    pub nesting: usize,
    /// How much aliases may add to a document, as a multiple of its bytes (a document counts as at
    /// least 64 KiB). go-yaml's own rule against aliases applies as well.
    pub alias_expansion: usize,
}

impl Limits {
    /// The nesting at which go-yaml gives up; deeper documents are refused whatever the limit.
    pub const MAX_NESTING: usize = 10_000;

    /// The nesting that is applied.
    pub(super) fn depth(&self) -> usize {
        self.nesting.min(Self::MAX_NESTING)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            object_bytes: 16 << 20,
            nesting: 1000,
            alias_expansion: 10,
        }
    }
}
