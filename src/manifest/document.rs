//! One document of a file.

use std::sync::Arc;

use super::node::Node;

/// A document and where it was read.
#[derive(Debug, Clone)]
pub struct Document {
    /// The file as the user named it.
    pub file: Arc<str>,
    /// Its value.
    pub root: Node,
}
