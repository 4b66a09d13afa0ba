//! A file's bytes to the documents in it, split as apimachinery's `YAMLOrJSONDecoder` splits them.

use std::borrow::Cow;

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

/// Reads all documents and hands them over one by one.
pub(super) fn read(bytes: &[u8], limits: &Limits, take: &mut dyn FnMut(Piece)) {
    let start = Pos { line: 1, column: 1 };
    if looks_like_json(bytes) {
        read_json(bytes, limits, take);
    } else {
        Chunks {
            bytes,
            at: 0,
            pos: start,
        }
        .read(None, limits, take);
    }
}

fn looks_like_json(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(LOOK_AHEAD)];
    let text = String::from_utf8_lossy(head);
    text.trim_start().starts_with('{')
}

/// JSON values in a row. After none or one of them the text may turn out to be YAML.
fn read_json(bytes: &[u8], limits: &Limits, take: &mut dyn FnMut(Piece)) {
    let mut reader = json::Reader::new(bytes, limits);
    for count in 0usize.. {
        let before = (reader.offset(), reader.pos());
        match reader.next_value() {
            Ok(Some(Ok(parsed))) => take(Ok(Some(parsed))),
            Ok(Some(Err(error))) => take(Err(error.into())),
            Ok(None) => return,
            Err(error) => {
                let (at, pos) = before;
                let chunks = Chunks { bytes, at, pos };
                return after_json_error(chunks, error, count, limits, take);
            }
        }
    }
}

fn after_json_error(
    mut chunks: Chunks<'_>,
    error: SyntaxError,
    count: usize,
    limits: &Limits,
    take: &mut dyn FnMut(Piece),
) {
    if count <= 1 && chunks.skip_first_line_space() {
        chunks.read(Some(error), limits, take);
        return;
    }
    let at_separator = chunks.bytes[chunks.at..]
        .trim_ascii_start()
        .starts_with(b"---");
    let error = match at_separator {
        true => SyntaxError {
            message: "after two JSON values in a row Kubernetes takes no '---': put one between all of them"
                .into(),
            ..error
        },
        false => error,
    };
    take(Err(error.into()));
    // The API machinery stops here; what follows a separator can be read all the same.
    chunks.skip_to_separator();
    chunks.read(None, limits, take);
}

/// The rest of a file, to be cut at lines that start with `---`.
#[derive(Debug, Clone)]
struct Chunks<'a> {
    bytes: &'a [u8],
    at: usize,
    pos: Pos,
}

/// What the lines up to a separator are.
#[derive(Debug)]
struct Chunk<'a> {
    bytes: &'a [u8],
    pos: Pos,
    /// The separator after it, if it is one that the API machinery refuses.
    refused: Option<(Pos, Cow<'a, str>)>,
}

impl<'a> Chunks<'a> {
    /// Passes white space up to and including the first line feed, as the API machinery does
    /// between JSON and YAML. False: it would give up here.
    fn skip_first_line_space(&mut self) -> bool {
        loop {
            let rest = &self.bytes[self.at..];
            if rest.len() < 4 {
                return false;
            }
            let head = &rest[..4];
            let valid = match std::str::from_utf8(head) {
                Ok(text) => text,
                Err(error) => std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default(),
            };
            match valid.chars().next() {
                None | Some(char::REPLACEMENT_CHARACTER) => return false,
                Some('\n') => {
                    self.at += 1;
                    self.pos = Pos {
                        line: self.pos.line.saturating_add(1),
                        column: 1,
                    };
                    return true;
                }
                Some(space) if space.is_whitespace() => {
                    self.at += space.len_utf8();
                    self.pos.column = self.pos.column.saturating_add(1);
                }
                Some(_) => return true,
            }
        }
    }

    fn next_line(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let length = rest
            .iter()
            .position(|&b| b == b'\n')
            .map_or(rest.len(), |at| at + 1);
        self.at += length;
        self.pos = Pos {
            line: self.pos.line.saturating_add(1),
            column: 1,
        };
        &rest[..length]
    }

    fn skip_to_separator(&mut self) {
        self.next_line();
        while self.at < self.bytes.len() && !self.bytes[self.at..].starts_with(b"---") {
            self.next_line();
        }
    }

    fn next(&mut self) -> Option<Chunk<'a>> {
        let (start, pos) = (self.at, self.pos);
        while self.at < self.bytes.len() {
            let (line_start, line_pos) = (self.at, self.pos);
            let line = self.next_line();
            let Some(rest) = line.strip_prefix(b"---") else {
                continue;
            };
            let rest = trim(rest);
            let refused = !rest.is_empty() && !rest.starts_with('#');
            if refused {
                let bytes = &self.bytes[start..line_start];
                return Some(Chunk {
                    bytes,
                    pos,
                    refused: Some((line_pos, rest)),
                });
            }
            // A separator before anything else belongs to the document.
            if line_start > start {
                return Some(Chunk {
                    bytes: &self.bytes[start..line_start],
                    pos,
                    refused: None,
                });
            }
        }
        (self.at > start).then(|| Chunk {
            bytes: &self.bytes[start..self.at],
            pos,
            refused: None,
        })
    }

    /// Reads the documents. `json_error` is why the first of them is not JSON.
    fn read(
        mut self,
        json_error: Option<SyntaxError>,
        limits: &Limits,
        take: &mut dyn FnMut(Piece),
    ) {
        let mut json_error = json_error;
        let mut after_refused = false;
        while let Some(chunk) = self.next() {
            if !chunk.bytes.is_empty() {
                let parsed = chunk.parse(limits);
                match (parsed, json_error.take()) {
                    // The text of a document that has been refused: perhaps readable, if the
                    // separator was just too long.
                    (Ok(Some(parsed)), _) if after_refused && parsed.root.as_map().is_none() => {}
                    (Err(_), _) if after_refused => {}
                    (Err(_), Some(error)) if starts_json(chunk.bytes) => {
                        take(Err(error.into()));
                    }
                    (Err(error), _) => take(Err(error.into())),
                    (Ok(parsed), _) => take(Ok(parsed)),
                }
            }
            after_refused = chunk.refused.is_some();
            if let Some((pos, rest)) = chunk.refused {
                let message = format!(
                    "a line that starts with '---' separates documents, and '{rest}' cannot follow it: put it on the next line",
                );
                let error = SyntaxError {
                    pos,
                    message: message.into(),
                };
                take(Err(StreamError {
                    error,
                    lost_neighbour: !chunk.bytes.is_empty(),
                }));
            }
        }
    }
}

/// Whether a text is so much like JSON that what is wrong with it as JSON is what counts.
fn starts_json(bytes: &[u8]) -> bool {
    let rest = bytes
        .trim_ascii_start()
        .strip_prefix(b"{")
        .map(<[u8]>::trim_ascii_start);
    rest.is_some_and(|rest| matches!(rest.first(), Some(b'"' | b'}')))
}

fn trim(bytes: &[u8]) -> Cow<'_, str> {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => text.trim().into(),
        Cow::Owned(text) => text.trim().to_owned().into(),
    }
}

impl Chunk<'_> {
    fn parse(&self, limits: &Limits) -> Result<Option<Parsed>, SyntaxError> {
        let parsed = yaml::parse(&self.lines(), self.pos, limits);
        parsed.map_err(|error| template::explain(self.bytes, self.pos, error))
    }

    /// The API machinery reads line by line and ends each with a line feed.
    fn lines(&self) -> Cow<'_, [u8]> {
        let stray = self.bytes.contains(&b'\r') && self.bytes.windows(3).any(|w| w == b"\r\r\n");
        if !stray && self.bytes.ends_with(b"\n") {
            return self.bytes.into();
        }
        let mut lines = Vec::with_capacity(self.bytes.len() + 1);
        for line in self.bytes.split_inclusive(|&b| b == b'\n') {
            let line = line
                .strip_suffix(b"\n")
                .map_or(line, |line| line.strip_suffix(b"\r").unwrap_or(line));
            lines.extend_from_slice(line);
            lines.push(b'\n');
        }
        lines.into()
    }
}
