//! Manifests as the API server reads them: every value keeps its position.
//!
//! Takes a file's bytes and gives [`Document`]s. Answers for apimachinery's `YAMLOrJSONDecoder`
//! (`stream`), `sigs.k8s.io/yaml` on go-yaml v2 (`yaml`), Go's `encoding/json` (`json`), and the
//! splitting of list objects (`list`).

mod chunks;
pub mod document;
pub mod emit;
pub mod go_json;
mod json;
pub mod limits;
mod list;
mod map_builder;
pub mod node;
mod number;
mod parsed;
mod position;
mod read;
mod stream;
mod template;
#[cfg(test)]
mod tests;
mod text;
mod yaml;

pub use document::{Document, DuplicateKey, Note, NoteKind, ReadError};
pub(crate) use emit::json_float;
pub use limits::Limits;
pub use node::{Entry, Map, Node, Pos, Value};
pub use read::{read, read_stream, read_yaml};
