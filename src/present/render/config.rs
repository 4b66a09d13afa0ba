//! `-o config`: the document itself.

use super::Answer;

/// The documents. A single one is exactly the text that the controller stores; several are
/// separated and headed by a comment with their Gateway.
pub fn write(answer: &Answer<'_>) -> String {
    let documents: Vec<(String, String)> = answer
        .outcomes
        .iter()
        .filter_map(|o| Some((o.name(), o.text(answer.reveal)?)))
        .collect();
    if let [(_, only)] = &documents[..] {
        return only.clone();
    }
    documents
        .iter()
        .map(|(name, text)| format!("---\n# Gateway {name}\n{text}"))
        .collect()
}
