//! Manifests as the API server reads them: every value keeps its position.

pub mod document;
pub mod emit;
pub mod go_json;
pub mod limits;
pub mod node;
#[allow(missing_docs)]
pub fn read(
    _: std::sync::Arc<str>,
    _: &[u8],
    _: &limits::Limits,
) -> Vec<Result<document::Document, document::ReadError>> {
    vec![]
}
