//! YAML byte for byte as the controller's serializer writes it.
//!
//! Takes a [`Tree`]; gives the text of `sigs.k8s.io/yaml`'s `Marshal`: Go's JSON, read again by
//! go-yaml v2 ([`reread`]), written by go-yaml v2. Every mapping comes out in [`key_order`], every
//! string in the style that [`scalar`] chooses.

mod key_order;
mod number;
mod reread;
mod resolve;
mod scalar;
mod tree;
mod writer;

pub use tree::Tree;

pub(crate) use number::json_float;
pub(crate) use tree::text_of_bytes;

use super::go_json;
use number::Number;
use reread::Refused;
use std::borrow::Cow;
use std::fmt;
use writer::{INDENT, Writer};

/// Why the original cannot write a document. The message is the original's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmitError {
    /// U+007F to U+009F (but U+0085), U+FFFE or U+FFFF in a string or key.
    ControlCharacter,
    /// A key of 1023 characters or more in JSON, or with U+0085. `line` counts the U+0085 up to its end.
    KeyNotSimple {
        /// Lines before the error.
        line: usize,
    },
    /// A string with `---` or `...` behind U+0085.
    DocumentMarker {
        /// The line of the error, from 1.
        line: usize,
    },
    /// More than 10,000 nested collections.
    TooDeep {
        /// Lines before the error.
        line: usize,
    },
    /// A number that is not finite, which JSON cannot write.
    NotFinite(&'static str),
}

impl fmt::Display for EmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EmitError::ControlCharacter => f.write_str("yaml: control characters are not allowed"),
            EmitError::KeyNotSimple { line: 0 } => {
                f.write_str("yaml: did not find expected ',' or '}'")
            }
            EmitError::KeyNotSimple { line } => {
                write!(f, "yaml: line {line}: did not find expected ',' or '}}'")
            }
            EmitError::DocumentMarker { line } => {
                write!(f, "yaml: line {line}: found unexpected document indicator")
            }
            EmitError::TooDeep { line: 0 } => f.write_str("yaml: exceeded max depth of 10000"),
            EmitError::TooDeep { line } => {
                write!(f, "yaml: line {}: exceeded max depth of 10000", line + 1)
            }
            EmitError::NotFinite(value) => {
                write!(
                    f,
                    "error marshaling into JSON: json: unsupported value: {value}"
                )
            }
        }
    }
}

impl std::error::Error for EmitError {}

impl From<go_json::NotFinite> for EmitError {
    fn from(error: go_json::NotFinite) -> Self {
        EmitError::NotFinite(error.0)
    }
}

/// The YAML text of a tree, as `sigs.k8s.io/yaml` v1.6.0 writes it.
///
/// # Errors
///
/// What the original refuses; see [`EmitError`].
pub fn to_yaml(tree: &Tree<'_>) -> Result<String, EmitError> {
    match Emitter::new().document(tree) {
        Ok(text) => Ok(text),
        // Where the reader stops depends on the JSON text as a whole, so that is only made now.
        Err(Refused) => Err(reread::refusal(&go_json::to_string(tree)?)),
    }
}

/// A collection that has been started.
enum Open<'t> {
    List {
        items: std::slice::Iter<'t, Tree<'t>>,
        indent: usize,
    },
    Map {
        entries: std::vec::IntoIter<(&'t str, &'t Tree<'t>)>,
        indent: usize,
    },
}

/// Where a node stands.
#[derive(Clone, Copy)]
enum Place {
    Root,
    /// In a list whose `-` stands at this column.
    Item(usize),
    /// In a mapping whose keys start at this column.
    Value(usize),
}

impl Place {
    /// Where the lines of a collection or a folded scalar start.
    fn inner_indent(self) -> usize {
        match self {
            Place::Root => INDENT,
            Place::Item(indent) | Place::Value(indent) => indent + INDENT,
        }
    }
}

/// Walks the tree with a stack of its own, so that no nesting can exhaust the thread's.
struct Emitter<'t> {
    writer: Writer,
    open: Vec<Open<'t>>,
}

impl<'t> Emitter<'t> {
    fn new() -> Self {
        Emitter {
            writer: Writer::new(),
            open: Vec::new(),
        }
    }

    fn document(mut self, tree: &'t Tree<'t>) -> Result<String, Refused> {
        self.node(tree, Place::Root)?;
        while let Some(open) = self.open.last_mut() {
            match open {
                Open::List { items, indent } => {
                    let (next, indent) = (items.next(), *indent);
                    match next {
                        Some(item) => self.item(item, indent)?,
                        None => drop(self.open.pop()),
                    }
                }
                Open::Map { entries, indent } => {
                    let (next, indent) = (entries.next(), *indent);
                    match next {
                        Some((key, value)) => self.entry(key, value, indent)?,
                        None => drop(self.open.pop()),
                    }
                }
            }
        }
        Ok(self.writer.finish())
    }

    fn item(&mut self, item: &'t Tree<'t>, indent: usize) -> Result<(), Refused> {
        self.writer.start_line(indent);
        self.writer.block_indicator('-');
        self.node(item, Place::Item(indent))
    }

    fn entry(&mut self, key: &str, value: &'t Tree<'t>, indent: usize) -> Result<(), Refused> {
        /// Bytes of a key that may stand on one line with its value.
        const MAX_SIMPLE_KEY: usize = 128;
        reread::check_key(key)?;
        let analysis = scalar::analyze(key);
        self.writer.start_line(indent);
        if key.len() <= MAX_SIMPLE_KEY && !analysis.multiline {
            self.writer.string(key, analysis.style, None);
            self.writer.key_end();
        } else {
            self.writer.block_indicator('?');
            self.writer
                .string(key, analysis.style, Some(indent + INDENT));
            self.writer.start_line(indent);
            self.writer.block_indicator(':');
        }
        self.node(value, Place::Value(indent))
    }

    /// Writes a scalar or empty collection, or opens a collection.
    fn node(&mut self, tree: &'t Tree<'t>, place: Place) -> Result<(), Refused> {
        match tree {
            Tree::Null => self.writer.word("null"),
            Tree::Bool(true) => self.writer.word("true"),
            Tree::Bool(false) => self.writer.word("false"),
            Tree::Int(value) => self.writer.word(&value.to_string()),
            Tree::UInt(value) => self.writer.word(&value.to_string()),
            Tree::Float(value) if !value.is_finite() => return Err(Refused),
            Tree::Float(value) => self.number(&json_float(*value)),
            Tree::Number(text) => self.number(text),
            Tree::Str(text) => self.string(&reread::value(text)?, place),
            Tree::Bytes(bytes) => self.string(&reread::value(&text_of_bytes(bytes))?, place),
            Tree::List(items) => self.list(items, place)?,
            Tree::Map(entries) => self.map(entries, place)?,
        }
        Ok(())
    }

    /// Writes what go-yaml reads in JSON's number text; beyond the range of floats that is a string.
    fn number(&mut self, json: &str) {
        let text = match number::read(json) {
            Some(Number::Int(value)) => Cow::Owned(value.to_string()),
            Some(Number::UInt(value)) => Cow::Owned(value.to_string()),
            Some(Number::Float(value)) => Cow::Owned(number::yaml_float(value)),
            None => Cow::Borrowed(json),
        };
        self.writer.word(&text);
    }

    fn string(&mut self, text: &str, place: Place) {
        let style = scalar::analyze(text).style;
        self.writer.string(text, style, Some(place.inner_indent()));
    }

    fn list(&mut self, items: &'t [Tree<'t>], place: Place) -> Result<(), Refused> {
        reread::check_depth(self.open.len() + 1)?;
        if items.is_empty() {
            self.writer.word("[]");
            return Ok(());
        }
        let indent = match place {
            Place::Root => 0,
            // Below a key on its own line, the items stand in the column of the key.
            Place::Value(indent) if !self.writer.is_indenting() => indent,
            Place::Value(_) | Place::Item(_) => place.inner_indent(),
        };
        self.open.push(Open::List {
            items: items.iter(),
            indent,
        });
        Ok(())
    }

    fn map(
        &mut self,
        entries: &'t [(Cow<'t, str>, Tree<'t>)],
        place: Place,
    ) -> Result<(), Refused> {
        reread::check_depth(self.open.len() + 1)?;
        if entries.is_empty() {
            self.writer.word("{}");
            return Ok(());
        }
        let indent = match place {
            Place::Root => 0,
            Place::Value(_) | Place::Item(_) => place.inner_indent(),
        };
        let mut entries: Vec<_> = entries
            .iter()
            .map(|(key, value)| (key.as_ref(), value))
            .collect();
        key_order::sort_by_key(&mut entries, |(key, _)| key);
        self.open.push(Open::Map {
            entries: entries.into_iter(),
            indent,
        });
        Ok(())
    }
}
