//! Manifests as the API server reads them: every value keeps its position.

pub mod document;
pub mod emit;
pub mod go_json;
pub mod node;
