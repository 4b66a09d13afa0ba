//! JSON as Go's `encoding/json` reads it, with positions.

use std::collections::HashSet;

use super::document::DuplicateKey;
use super::limits::Limits;
use super::map_builder::MapBuilder;
use super::node::{Entry, Node, Pos, Value};
use super::number;
use super::parsed::{Parsed, SyntaxError};
use super::text::replace_invalid;

/// Reads JSON values that follow each other in a text.
#[derive(Debug)]
pub(super) struct Reader<'a, 'l> {
    bytes: &'a [u8],
    at: usize,
    line: u32,
    /// Where the line starts.
    line_start: usize,
    /// UTF-8 continuation bytes in the line so far.
    wide: usize,
    limits: &'l Limits,
    duplicates: Vec<DuplicateKey>,
    /// The first number that no float can hold.
    too_large: Option<Pos>,
    /// List items that are larger than an object may be.
    oversized: HashSet<Pos>,
}

/// A collection that is being read.
enum Frame {
    List {
        pos: Pos,
        start: usize,
        items: Vec<Node>,
    },
    Map {
        pos: Pos,
        start: usize,
        map: MapBuilder,
        key: String,
        key_pos: Pos,
    },
}

/// What the grammar allows next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Value,
    ValueOrEnd,
    KeyOrEnd,
    Key,
    CommaOrEnd,
}

impl<'a, 'l> Reader<'a, 'l> {
    /// `bytes` start at the beginning of a file.
    pub(super) fn new(bytes: &'a [u8], limits: &'l Limits) -> Self {
        Reader {
            bytes,
            at: 0,
            line: 1,
            line_start: 0,
            wide: 0,
            limits,
            duplicates: Vec::new(),
            too_large: None,
            oversized: HashSet::new(),
        }
    }

    /// Bytes read so far.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// The position of the next byte.
    pub(super) fn pos(&self) -> Pos {
        let column = self.at - self.line_start - self.wide + 1;
        Pos {
            line: self.line,
            column: u32::try_from(column).unwrap_or(u32::MAX),
        }
    }

    /// The next value; `None` at the end. After an error nothing more can be read. An inner error
    /// is about this value alone: it is JSON, and no value that could be used.
    pub(super) fn next_value(
        &mut self,
    ) -> Result<Option<Result<Parsed, SyntaxError>>, SyntaxError> {
        self.skip_space();
        if self.at == self.bytes.len() {
            return Ok(None);
        }
        self.duplicates.clear();
        self.oversized.clear();
        let start = self.at;
        self.too_large = None;
        let root = self.value()?;
        if let Some(pos) = self.too_large {
            let message = "this number is too large".into();
            return Ok(Some(Err(SyntaxError { pos, message })));
        }
        Ok(Some(Ok(Parsed {
            bytes: self.at - start,
            duplicates: std::mem::take(&mut self.duplicates),
            oversized: std::mem::take(&mut self.oversized),
            ..Parsed::of(root)
        })))
    }

    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn skip_space(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\n' => {
                    self.at += 1;
                    self.line = self.line.saturating_add(1);
                    self.line_start = self.at;
                    self.wide = 0;
                }
                _ => return,
            }
        }
    }

    fn error<T>(&self, message: &'static str) -> Result<T, SyntaxError> {
        let message = match self.at >= self.bytes.len() {
            true => "the JSON text ends too early",
            false => message,
        };
        Err(SyntaxError {
            pos: self.pos(),
            message: message.into(),
        })
    }

    fn value(&mut self) -> Result<Node, SyntaxError> {
        let mut frames: Vec<Frame> = Vec::new();
        let mut next = Next::Value;
        loop {
            self.skip_space();
            let pos = self.pos();
            let start = self.at;
            let byte = self.peek();
            let complete = match (next, byte) {
                (Next::CommaOrEnd, b',') => {
                    self.at += 1;
                    next = match frames.last() {
                        Some(Frame::Map { .. }) => Next::Key,
                        _ => Next::Value,
                    };
                    None
                }
                (Next::CommaOrEnd | Next::ValueOrEnd, b']')
                | (Next::CommaOrEnd | Next::KeyOrEnd, b'}') => {
                    let map = matches!(frames.last(), Some(Frame::Map { .. }));
                    if map != (byte == b'}') {
                        return self.error("the wrong closing bracket");
                    }
                    self.at += 1;
                    frames.pop().map(|frame| self.close(frame))
                }
                (Next::CommaOrEnd, _) => {
                    return self.error("a ',' or the closing bracket is missing before this");
                }
                (Next::KeyOrEnd | Next::Key, b'"') => {
                    let text = self.string()?;
                    if let Some(Frame::Map { key, key_pos, .. }) = frames.last_mut() {
                        *key = text;
                        *key_pos = pos;
                    }
                    self.skip_space();
                    if self.peek() != b':' {
                        return self.error("a ':' is missing after the key");
                    }
                    self.at += 1;
                    next = Next::Value;
                    None
                }
                (Next::KeyOrEnd | Next::Key, _) => {
                    return self.error("a key in double quotes must stand here");
                }
                (Next::Value | Next::ValueOrEnd, b'[' | b'{') => {
                    if frames.len() >= self.limits.depth() {
                        return self.error(
                            "lists and mappings are nested too deeply (see the limit on nesting)",
                        );
                    }
                    self.at += 1;
                    if byte == b'[' {
                        next = Next::ValueOrEnd;
                        frames.push(Frame::List {
                            pos,
                            start,
                            items: Vec::new(),
                        });
                    } else {
                        next = Next::KeyOrEnd;
                        let map = MapBuilder::default();
                        frames.push(Frame::Map {
                            pos,
                            start,
                            map,
                            key: String::new(),
                            key_pos: pos,
                        });
                    }
                    None
                }
                (Next::Value | Next::ValueOrEnd, _) => {
                    let value = self.scalar()?;
                    Some((Node { pos, value }, start))
                }
            };
            if let Some((node, start)) = complete {
                match frames.last_mut() {
                    None => return Ok(node),
                    Some(frame) => self.put(frame, node, start),
                }
                next = Next::CommaOrEnd;
            }
        }
    }

    fn close(&mut self, frame: Frame) -> (Node, usize) {
        match frame {
            Frame::List {
                pos,
                start,
                mut items,
            } => {
                items.shrink_to_fit();
                (
                    Node {
                        pos,
                        value: Value::List(items),
                    },
                    start,
                )
            }
            Frame::Map {
                pos, start, map, ..
            } => (
                Node {
                    pos,
                    value: Value::Map(map.finish()),
                },
                start,
            ),
        }
    }

    fn put(&mut self, frame: &mut Frame, node: Node, start: usize) {
        match frame {
            Frame::List { items, .. } => {
                if self.at - start > self.limits.object_bytes {
                    self.oversized.insert(node.pos);
                }
                items.push(node);
            }
            Frame::Map {
                map, key, key_pos, ..
            } => {
                let entry = Entry {
                    key: std::mem::take(key),
                    key_pos: *key_pos,
                    value: node,
                };
                match map.find(&entry.key) {
                    None => map.push(entry),
                    Some(earlier) => {
                        let (key, first) = (entry.key.clone(), earlier.key_pos);
                        let again = entry.key_pos;
                        self.duplicates.push(DuplicateKey {
                            key,
                            first,
                            again,
                            merged: false,
                        });
                        *earlier = entry;
                    }
                }
            }
        }
    }

    fn scalar(&mut self) -> Result<Value, SyntaxError> {
        match self.peek() {
            b'"' => self.string().map(Value::String),
            b'-' | b'0'..=b'9' => self.number(),
            _ => {
                for (word, value) in [
                    ("true", Value::Bool(true)),
                    ("false", Value::Bool(false)),
                    ("null", Value::Null),
                ] {
                    if self.bytes[self.at..].starts_with(word.as_bytes()) {
                        self.at += word.len();
                        return Ok(value);
                    }
                }
                self.error("this is no JSON value")
            }
        }
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        self.at - start
    }

    fn number(&mut self) -> Result<Value, SyntaxError> {
        let (start, pos) = (self.at, self.pos());
        if self.peek() == b'-' {
            self.at += 1;
        }
        if self.peek() == b'0' {
            self.at += 1;
        } else if self.digits() == 0 {
            return self.error("a digit must follow '-'");
        }
        if self.peek() == b'.' {
            self.at += 1;
            if self.digits() == 0 {
                return self.error("a digit must follow the decimal point");
            }
        }
        if matches!(self.peek(), b'e' | b'E') {
            self.at += 1;
            if matches!(self.peek(), b'+' | b'-') {
                self.at += 1;
            }
            if self.digits() == 0 {
                return self.error("the exponent has no digits");
            }
        }
        let text = std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or_default();
        Ok(number::from_json_text(text).unwrap_or_else(|| {
            self.too_large.get_or_insert(pos);
            Value::Null
        }))
    }

    /// The string that starts with the quote at this place.
    fn string(&mut self) -> Result<String, SyntaxError> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let start = self.at;
            while let Some(&byte) = self.bytes.get(self.at) {
                if byte < 0x20 || byte == b'"' || byte == b'\\' {
                    break;
                }
                self.wide += usize::from(byte & 0xC0 == 0x80);
                self.at += 1;
            }
            let run = &self.bytes[start..self.at];
            match std::str::from_utf8(run) {
                Ok(run) => text.push_str(run),
                Err(_) => text.push_str(&replace_invalid(run)),
            }
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    text.shrink_to_fit();
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escape()?),
                _ => return self.error("a control character inside a JSON string"),
            }
        }
    }

    fn escape(&mut self) -> Result<char, SyntaxError> {
        self.at += 1;
        let plain = match self.peek() {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\x08',
            b'f' => '\x0C',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.at += 1;
                return self.unicode_escape();
            }
            _ => return self.error("unknown escape after '\\'"),
        };
        self.at += 1;
        Ok(plain)
    }

    /// `\uXXXX`, with the second half of a surrogate pair. Half a pair is U+FFFD.
    fn unicode_escape(&mut self) -> Result<char, SyntaxError> {
        let Some(first) = self.hex4(self.at) else {
            return self.error("'\\u' needs 4 hexadecimal digits");
        };
        self.at += 4;
        if let Some(character) = char::from_u32(first) {
            return Ok(character);
        }
        if first < 0xDC00
            && self.bytes[self.at..].starts_with(b"\\u")
            && let Some(second @ 0xDC00..=0xDFFF) = self.hex4(self.at + 2)
        {
            self.at += 6;
            let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn hex4(&self, at: usize) -> Option<u32> {
        let digits = self.bytes.get(at..at + 4)?;
        digits.iter().try_fold(0, |code, &byte| {
            Some(code << 4 | char::from(byte).to_digit(16)?)
        })
    }
}
