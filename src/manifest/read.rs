//! Files to documents.

use std::sync::Arc;

use super::document::{Document, ReadError};
use super::limits::Limits;
use super::list;
use super::node::{Node, Pos, Value};
use super::parsed::Parsed;
use super::stream::{self, StreamError};
use super::yaml;

/// Reads a file's bytes. List objects become their items; empty documents are left out.
///
/// A document that cannot be read is an error among the others and does not hide them.
pub fn read(file: Arc<str>, bytes: &[u8], limits: &Limits) -> Vec<Result<Document, ReadError>> {
    let mut documents = Vec::new();
    let mut index = 0;
    stream::read(bytes, limits, &mut |piece| {
        let origin = Origin {
            file: &file,
            index,
            limits,
        };
        match piece {
            Ok(parsed) => match parsed.filter(|parsed| !parsed.root.is_null()) {
                Some(parsed) => origin.documents(parsed, &mut documents),
                None => return,
            },
            Err(error) => documents.push(Err(origin.stream_error(error))),
        }
        index += 1;
    });
    documents
}

/// Reads a file's bytes as `kubectl` and the upstream tools see them: lists as they are, empty
/// documents as null.
pub fn read_stream(
    file: Arc<str>,
    bytes: &[u8],
    limits: &Limits,
) -> Vec<Result<Document, ReadError>> {
    let mut documents = Vec::new();
    stream::read(bytes, limits, &mut |piece| {
        let origin = Origin {
            file: &file,
            index: documents.len(),
            limits,
        };
        documents.push(match piece {
            Ok(Some(parsed)) => Ok(origin.document(parsed)),
            Ok(None) => Ok(origin.document(Parsed::empty())),
            Err(error) => Err(origin.stream_error(error)),
        });
    });
    documents
}

/// Reads one YAML document as `sigs.k8s.io/yaml` does, for example a ConfigMap's entry. What
/// follows the first document is ignored (and noted); a text without content is null.
pub fn read_yaml(file: Arc<str>, bytes: &[u8], limits: &Limits) -> Result<Document, ReadError> {
    let origin = Origin {
        file: &file,
        index: 0,
        limits,
    };
    let start = Pos { line: 1, column: 1 };
    match yaml::parse(bytes, start, limits) {
        Ok(parsed) => Ok(origin.document(parsed.unwrap_or_else(Parsed::empty))),
        Err(error) => Err(origin.stream_error(error.into())),
    }
}

/// Where documents come from.
struct Origin<'a> {
    file: &'a Arc<str>,
    index: usize,
    limits: &'a Limits,
}

impl Origin<'_> {
    fn document(&self, parsed: Parsed) -> Document {
        let Parsed {
            root,
            duplicates,
            notes,
            ..
        } = parsed;
        Document {
            file: Arc::clone(self.file),
            index: self.index,
            item: None,
            root,
            duplicates,
            notes,
        }
    }

    fn stream_error(
        &self,
        StreamError {
            error,
            lost_neighbour,
        }: StreamError,
    ) -> ReadError {
        ReadError {
            file: Arc::clone(self.file),
            pos: Some(error.pos),
            message: error.message.into_owned(),
            lost_neighbour,
        }
    }

    fn too_large(&self, pos: Pos) -> ReadError {
        let limit = self.limits.object_bytes;
        ReadError {
            file: Arc::clone(self.file),
            pos: Some(pos),
            message: format!("this object is larger than {limit} bytes (see the limit on objects)"),
            lost_neighbour: false,
        }
    }

    /// The document, or the items of the list that it is.
    fn documents(&self, mut parsed: Parsed, out: &mut Vec<Result<Document, ReadError>>) {
        let root = Node {
            pos: parsed.root.pos,
            value: Value::Null,
        };
        let root = std::mem::replace(&mut parsed.root, root);
        let items = match list::items(root, &parsed.oversized) {
            Ok(items) => items,
            Err(root) if parsed.bytes > self.limits.object_bytes => {
                out.push(Err(self.too_large(root.pos)));
                return;
            }
            Err(root) => {
                out.push(Ok(self.document(Parsed { root, ..parsed })));
                return;
            }
        };
        let first = out.len();
        let starts: Vec<Pos> = items.iter().map(|item| item.root.pos).collect();
        for (number, item) in items.into_iter().enumerate() {
            out.push(match item.oversized {
                true => Err(self.too_large(item.root.pos)),
                false => {
                    let document = self.document(Parsed::of(item.root));
                    Ok(Document {
                        item: Some(number),
                        ..document
                    })
                }
            });
        }
        // What was noticed in the list belongs to the item in whose text it is.
        let item_at = |pos: Pos| first + starts.partition_point(|&start| start <= pos).max(1) - 1;
        for duplicate in parsed.duplicates {
            if let Some(Ok(document)) = out.get_mut(item_at(duplicate.again)) {
                document.duplicates.push(duplicate);
            }
        }
        for note in parsed.notes {
            if let Some(Ok(document)) = out.get_mut(item_at(note.pos)) {
                document.notes.push(note);
            }
        }
    }
}
