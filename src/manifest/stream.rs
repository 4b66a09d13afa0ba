//! A file's bytes to the documents in it, as apimachinery's `YAMLOrJSONDecoder` finds them.

use super::chunks::{Chunk, Chunks};
use super::document::{Note, NoteKind};
use super::json;
use super::limits::Limits;
use super::node::Pos;
use super::parsed::{Parsed, SyntaxError};
use super::template;
use super::yaml;

/// How far the API machinery looks for the `{` that makes a file JSON.
const LOOK_AHEAD: usize = 4096;

/// Why a document cannot be read.
#[derive(Debug)]
pub(super) struct StreamError {
    pub(super) error: SyntaxError,
    pub(super) lost_neighbour: bool,
}

impl From<SyntaxError> for StreamError {
    fn from(error: SyntaxError) -> Self {
        StreamError {
            error,
            lost_neighbour: false,
        }
    }
}

/// One document, `None` where there is none between two separators.
pub(super) type Piece = Result<Option<Parsed>, StreamError>;

/// Takes the documents of a file, one by one.
pub(super) type Sink<'s> = &'s mut dyn FnMut(Piece);

/// Reads all documents of a file.
pub(super) fn read(bytes: &[u8], limits: &Limits, sink: Sink<'_>) {
    if looks_like_json(bytes) {
        read_json(bytes, limits, sink);
    } else {
        let start = Pos { line: 1, column: 1 };
        read_yaml(Chunks::new(bytes, 0, start), None, limits, sink);
    }
}

fn looks_like_json(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(LOOK_AHEAD)];
    String::from_utf8_lossy(head).trim_start().starts_with('{')
}

/// JSON values in a row. After none or one of them the text may turn out to be YAML.
fn read_json(bytes: &[u8], limits: &Limits, sink: Sink<'_>) {
    let mut reader = json::Reader::new(bytes, limits);
    for count in 0usize.. {
        let (at, pos) = (reader.offset(), reader.pos());
        match reader.next_value() {
            Ok(Some(Ok(parsed))) => sink(Ok(Some(parsed))),
            Ok(Some(Err(error))) => sink(Err(error.into())),
            Ok(None) => return,
            Err(error) => {
                let mut rest = Chunks::new(bytes, at, pos);
                if count <= 1 && rest.skip_first_line_space() {
                    return read_yaml(rest, Some(error), limits, sink);
                }
                sink(Err(after_json(error, &rest).into()));
                // The API machinery stops here; what follows a separator can be read all the same.
                rest.skip_to_separator();
                return read_yaml(rest, None, limits, sink);
            }
        }
    }
}

/// What to say about text that follows JSON values.
fn after_json(error: SyntaxError, rest: &Chunks<'_>) -> SyntaxError {
    if !rest.at_separator() {
        return error;
    }
    let message =
        "after two JSON values in a row Kubernetes takes no '---': put one between all of them";
    SyntaxError {
        message: message.into(),
        ..error
    }
}

/// Chunks of YAML. `json_error` says why the first of them is not JSON.
fn read_yaml(
    mut chunks: Chunks<'_>,
    mut json_error: Option<SyntaxError>,
    limits: &Limits,
    sink: Sink<'_>,
) {
    chunks.drop_lost_line();
    let mut after_refused = false;
    while let Some(chunk) = chunks.next() {
        let piece = parse(&chunk, json_error.take(), limits);
        let useful = match &piece {
            _ if chunk.bytes.is_empty() && chunk.lost_line.is_none() => false,
            // The text of a document whose separator was refused. Where that was just a line of
            // dashes, what follows is an object.
            Ok(parsed) if after_refused => parsed
                .as_ref()
                .is_some_and(|parsed| parsed.root.as_map().is_some()),
            Err(_) => !after_refused,
            Ok(_) => true,
        };
        if useful {
            sink(piece.map_err(StreamError::from));
        }
        after_refused = chunk.refused.is_some();
        if let Some(pos) = chunk.refused {
            let message =
                "only a comment can follow '---' in a line: put the rest on the next line";
            let error = SyntaxError {
                pos,
                message: message.into(),
            };
            let lost_neighbour = !chunk.bytes.is_empty();
            sink(Err(StreamError {
                error,
                lost_neighbour,
            }));
        }
    }
}

fn parse(
    chunk: &Chunk<'_>,
    json_error: Option<SyntaxError>,
    limits: &Limits,
) -> Result<Option<Parsed>, SyntaxError> {
    let parsed = yaml::parse(&chunk.lines(), chunk.pos, limits)
        .map_err(|error| {
            json_error
                .filter(|_| starts_json(chunk.bytes))
                .unwrap_or(error)
        })
        .map_err(|error| template::explain(chunk.bytes, chunk.pos, error));
    let Some(pos) = chunk.lost_line else {
        return parsed;
    };
    let kind = NoteKind::LostLine;
    match parsed? {
        Some(mut parsed) => {
            parsed.notes.push(Note { pos, kind });
            Ok(Some(parsed))
        }
        None => Err(SyntaxError {
            pos,
            message: kind.to_string().into(),
        }),
    }
}

/// Whether a text is so much like JSON that what is wrong with it as JSON is what counts.
fn starts_json(bytes: &[u8]) -> bool {
    let inside = bytes.trim_ascii_start().strip_prefix(b"{");
    let first = inside.and_then(|inside| inside.trim_ascii_start().first());
    matches!(first, Some(b'"' | b'}'))
}
