//! A text cut at lines that start with `---`, as apimachinery's `YAMLReader` does it, before any
//! YAML is parsed.

use std::borrow::Cow;

use super::node::Pos;

/// The line reader's buffer: a last line without line feed that fills it exactly gets lost.
const LINE_BUFFER: usize = 4096;

/// What is left of a file.
#[derive(Debug, Clone)]
pub(super) struct Chunks<'a> {
    bytes: &'a [u8],
    at: usize,
    pos: Pos,
    /// There is a last line that the API machinery loses. It is not in `bytes`.
    line_lost: bool,
}

/// The lines between two separators. A separator before anything else belongs to the chunk.
#[derive(Debug)]
pub(super) struct Chunk<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) pos: Pos,
    /// Where the separator after it stands, if it is one that the API machinery refuses.
    pub(super) refused: Option<Pos>,
    /// Where the line stands that would follow, but is lost.
    pub(super) lost_line: Option<Pos>,
}

impl<'a> Chunks<'a> {
    /// The text from `at` on, which has the position `pos`.
    pub(super) fn new(bytes: &'a [u8], at: usize, pos: Pos) -> Self {
        Chunks {
            bytes,
            at,
            pos,
            line_lost: false,
        }
    }

    /// Cuts off a last line that the API machinery loses.
    pub(super) fn drop_lost_line(&mut self) {
        let line_feed = self.bytes[self.at..].iter().rposition(|&b| b == b'\n');
        let last_line = line_feed.map_or(self.at, |line_feed| self.at + line_feed + 1);
        let (before, line) = self.bytes.split_at(last_line);
        let separator = line.strip_prefix(b"---");
        if !is_lost(line) || separator.is_some_and(|rest| !may_follow_separator(rest)) {
            return;
        }
        self.bytes = before;
        // Of a separator or comment nothing is missed.
        self.line_lost = separator.is_none() && !line.trim_ascii_start().starts_with(b"#");
    }

    /// Whether a separator comes next, after white space.
    pub(super) fn at_separator(&self) -> bool {
        self.bytes[self.at..].trim_ascii_start().starts_with(b"---")
    }

    /// Passes white space up to and including the first line feed, as the API machinery does
    /// between JSON and YAML. False: it would give up here.
    pub(super) fn skip_first_line_space(&mut self) -> bool {
        loop {
            let Some(head) = self.bytes.get(self.at..self.at + 4) else {
                return false;
            };
            let text = head.utf8_chunks().next().map_or("", |chunk| chunk.valid());
            match text.chars().next() {
                None | Some(char::REPLACEMENT_CHARACTER) => return false,
                Some('\n') => {
                    self.next_line();
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

    /// Passes this line and those after it, up to the next separator.
    pub(super) fn skip_to_separator(&mut self) {
        self.next_line();
        while self.at < self.bytes.len() && !self.bytes[self.at..].starts_with(b"---") {
            self.next_line();
        }
    }

    fn next_line(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let line_feed = rest.iter().position(|&b| b == b'\n');
        let length = line_feed.map_or(rest.len(), |at| at + 1);
        self.at += length;
        let line = self.pos.line.saturating_add(1);
        self.pos = Pos { line, column: 1 };
        &rest[..length]
    }

    pub(super) fn next(&mut self) -> Option<Chunk<'a>> {
        let (start, pos) = (self.at, self.pos);
        let mut end = start;
        let mut refused = None;
        while self.at < self.bytes.len() {
            end = self.at;
            let line_pos = self.pos;
            if let Some(rest) = self.next_line().strip_prefix(b"---") {
                refused = (!may_follow_separator(rest)).then_some(line_pos);
                if refused.is_some() || end > start {
                    break;
                }
            }
            end = self.at;
        }
        let bytes = &self.bytes[start..end];
        let at_end = self.at >= self.bytes.len() && refused.is_none();
        let lost_line = (at_end && std::mem::take(&mut self.line_lost)).then_some(self.pos);
        let chunk = Chunk {
            bytes,
            pos,
            refused,
            lost_line,
        };
        (!bytes.is_empty() || refused.is_some() || lost_line.is_some()).then_some(chunk)
    }
}

/// Only blanks and comments may follow `---`.
fn may_follow_separator(rest: &[u8]) -> bool {
    let text = String::from_utf8_lossy(rest);
    let text = text.trim();
    text.is_empty() || text.starts_with('#')
}

/// Whether a last line without line feed fills the buffer exactly, any number of times.
fn is_lost(mut line: &[u8]) -> bool {
    if line.is_empty() {
        return false;
    }
    while let Some(full) = line.get(..LINE_BUFFER) {
        // A carriage return at the end waits for a line feed.
        let taken = LINE_BUFFER - usize::from(full.ends_with(b"\r"));
        line = &line[taken..];
    }
    line.is_empty()
}

impl Chunk<'_> {
    /// The chunk as the API machinery puts it together: each line ends with one line feed.
    pub(super) fn lines(&self) -> Cow<'_, [u8]> {
        // CR LF means a line feed to YAML anyway.
        let stray = self.bytes.contains(&b'\r') && self.bytes.windows(3).any(|w| w == b"\r\r\n");
        if !stray && self.bytes.ends_with(b"\n") {
            return self.bytes.into();
        }
        let mut lines = Vec::with_capacity(self.bytes.len() + 1);
        for line in self.bytes.split_inclusive(|&b| b == b'\n') {
            let text = match line.strip_suffix(b"\n") {
                Some(line) => line.strip_suffix(b"\r").unwrap_or(line),
                None => line,
            };
            lines.extend_from_slice(text);
            lines.push(b'\n');
        }
        lines.into()
    }
}
