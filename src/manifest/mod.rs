//! Manifests as the API server reads them: every value keeps its position.

pub mod document;
pub mod node;
