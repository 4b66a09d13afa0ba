//! Documents: what a file holds, one by one.

use std::fmt;
use std::sync::Arc;

use super::node::{Node, Pos};

/// A value read from a file: one YAML document, one JSON value, or one item of a list object.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The file, as the caller named it.
    pub file: Arc<str>,
    /// Which document of the file, from 0; empty ones do not count. The items of a list share it.
    pub index: usize,
    /// Which item, from 0, where the document is a list object.
    pub item: Option<usize>,
    /// The value.
    pub root: Node,
    /// Keys that were given twice; the later value counts.
    pub duplicates: Vec<DuplicateKey>,
    /// What the API machinery does to this document without a word.
    pub notes: Vec<Note>,
}

/// A key that appears twice in a mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicateKey {
    /// The key.
    pub key: String,
    /// Where it was first.
    pub first: Pos,
    /// Where it was given again: the later key, or the `<<` that brought it.
    pub again: Pos,
    /// The later one came with a merge (`<<`).
    pub merged: bool,
}

/// Something that happens to a document in silence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Where.
    pub pos: Pos,
    /// What.
    pub kind: NoteKind,
}

/// See [`Note`]. `Display` is a sentence for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteKind {
    /// From here on the text is never read.
    Unread,
    /// The file's last line has no line feed and fills a buffer of 4096 bytes exactly: it is lost.
    LostLine,
    /// Two keys that YAML tells apart, such as `1` and `"1"`, are one in JSON; which value counts is
    /// left to chance. Here it is the later one.
    CollidingKey {
        /// The key in JSON.
        key: String,
        /// The other one.
        first: Pos,
    },
    /// A key such as `y` or `on` is a boolean in YAML 1.1 and became `true` or `false`.
    BooleanKey {
        /// The key as written.
        written: String,
        /// The key in JSON.
        key: String,
    },
    /// U+0085, U+2028 and U+2029 end a line in YAML 1.1; U+FEFF inside a text is a character like
    /// others.
    OddCharacter {
        /// The character. This is its first place in the document.
        character: char,
    },
}

impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoteKind::Unread => f.write_str(
                "the document ended before this: Kubernetes ignores the rest without a message; check the indentation, or add a '---' line",
            ),
            NoteKind::LostLine => f.write_str(
                "Kubernetes loses this last line, for its length and because no line feed ends it: add one",
            ),
            NoteKind::CollidingKey { key, first } => write!(
                f,
                "this key and the one in line {} are both '{key}' in JSON, and which value counts is left to chance",
                first.line
            ),
            NoteKind::BooleanKey { written, key } => write!(
                f,
                "'{written}' is a boolean in YAML 1.1: the key became '{key}'; quote it if it is meant as a word"
            ),
            NoteKind::OddCharacter { character: '\u{FEFF}' } => f.write_str(
                "an invisible byte order mark (U+FEFF) inside the document is part of the text",
            ),
            NoteKind::OddCharacter { character } => {
                let code = u32::from(*character);
                write!(f, "an invisible U+{code:04X} ends the line here as a line feed does")
            }
        }
    }
}

/// A document that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// The file, as the caller named it.
    pub file: Arc<str>,
    /// Where reading failed.
    pub pos: Option<Pos>,
    /// What is wrong and what to do, for a person.
    pub message: String,
    /// The API machinery would lose the document before this one, too.
    pub lost_neighbour: bool,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file)?;
        if let Some(Pos { line, column }) = self.pos {
            write!(f, "{line}:{column}:")?;
        }
        write!(f, " {}", self.message)
    }
}

impl std::error::Error for ReadError {}
