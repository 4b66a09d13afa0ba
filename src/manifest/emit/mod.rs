//! YAML byte for byte as the controller's serializer writes it.
//!
//! Takes a [`Tree`]; gives the text of `sigs.k8s.io/yaml`'s `Marshal`: Go's JSON, read again by
//! go-yaml v2 (`reread`), written by go-yaml v2. Every mapping comes out in natural order (`key_order`),
//! every string in the style that `scalar` chooses.

mod error;
mod key_order;
mod number;
mod reread;
mod resolve;
mod scalar;
mod tree;
mod writer;

pub use error::EmitError;
pub use tree::Tree;

pub(crate) use number::json_float;
pub(crate) use tree::text_of_bytes;

use super::go_json;
use number::Number;
use reread::Refused;
use std::borrow::Cow;
use writer::{INDENT, Writer};

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

#[cfg(test)]
mod tests {
    use super::*;

    fn map<'a>(entries: impl IntoIterator<Item = (&'a str, Tree<'a>)>) -> Tree<'a> {
        Tree::Map(
            entries
                .into_iter()
                .map(|(key, value)| (Cow::Borrowed(key), value))
                .collect(),
        )
    }

    #[test]
    fn layout_of_nested_collections() {
        let tree = map([
            (
                "b",
                Tree::List(vec![
                    Tree::List(vec!["x".into(), Tree::Null]),
                    Tree::List(vec![]),
                ]),
            ),
            (
                "a",
                map([(
                    "c",
                    Tree::List(vec![map([("d", "e".into()), ("f", map([]))])]),
                )]),
            ),
        ]);
        let expected = "a:\n  c:\n  - d: e\n    f: {}\nb:\n- - x\n  - null\n- []\n";
        assert_eq!(to_yaml(&tree).unwrap(), expected);
    }

    #[test]
    fn long_and_multi_line_keys_stand_on_a_line_of_their_own() {
        let long = "k".repeat(129);
        let tree = map([
            (long.as_str(), Tree::List(vec![Tree::Int(1)])),
            ("a\nb", Tree::Bool(true)),
        ]);
        assert_eq!(
            to_yaml(&tree).unwrap(),
            format!("? |-\n  a\n  b\n: true\n? {long}\n: - 1\n")
        );
    }

    #[test]
    fn a_document_ends_as_its_last_text_does() {
        for (text, expected) in [
            ("a", "a\n"),
            ("a\n", "|\n  a\n"),
            ("a\n\n", "|+\n  a\n\n"),
            ("\n", "|2+\n\n"),
            ("a\nb\u{2028}", "|\n  a\n  b\u{2028}"),
        ] {
            assert_eq!(to_yaml(&text.into()).unwrap(), expected);
        }
    }

    #[test]
    fn a_next_line_character_is_folded_in_a_value() {
        for (text, expected) in [
            ("a\u{85}b", "a b\n"),
            ("a \u{85} b", "a b\n"),
            ("a\u{85} \u{85}b", "|-\n  a\n  b\n"),
            ("\u{85}---b", "' ---b'\n"),
        ] {
            assert_eq!(to_yaml(&text.into()).unwrap(), expected, "{text:?}");
        }
    }

    #[test]
    fn errors_read_as_in_the_original() {
        let nested = |depth| (0..depth).fold(Tree::Null, |inner, _| Tree::List(vec![inner]));
        let long = "<".repeat(171);
        for (tree, expected) in [
            (
                Tree::from("a\u{7F}"),
                "yaml: control characters are not allowed",
            ),
            (
                map([(long.as_str(), Tree::Null)]),
                "yaml: did not find expected ',' or '}'",
            ),
            (
                Tree::List(vec!["a\u{85}b".into(), map([("a\u{85}b", Tree::Null)])]),
                "yaml: line 2: did not find expected ',' or '}'",
            ),
            (
                "a\u{85}--- b".into(),
                "yaml: line 2: found unexpected document indicator",
            ),
            (nested(10_001), "yaml: exceeded max depth of 10000"),
            (
                Tree::List(vec!["\u{85}".into(), nested(10_000)]),
                "yaml: line 2: exceeded max depth of 10000",
            ),
            (
                Tree::Float(f64::INFINITY),
                "error marshaling into JSON: json: unsupported value: +Inf",
            ),
        ] {
            assert_eq!(to_yaml(&tree).unwrap_err().to_string(), expected);
        }
        assert!(to_yaml(&map([("<".repeat(170).as_str(), Tree::Null)])).is_ok());
    }

    #[test]
    fn of_several_errors_the_first_that_the_reader_meets_is_told() {
        let key = map([("a\u{85}b", Tree::Null)]);
        let far: String = "x".repeat(512);
        let near = Tree::List(vec![key.clone(), "\u{7F}".into()]);
        let apart = Tree::List(vec![key, far.as_str().into(), "\u{7F}".into()]);
        assert_eq!(to_yaml(&near), Err(EmitError::ControlCharacter));
        assert_eq!(to_yaml(&apart), Err(EmitError::KeyNotSimple { line: 1 }));
    }
}
