//! What a serializer is given: the JSON data model with borrowed text and ordered fields.

use std::borrow::Cow;

/// A JSON-like value. Text may be borrowed, so that a large document is not copied before it is written.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree<'a> {
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    UInt(u64),
    /// A floating-point number; it must be finite.
    Float(f64),
    /// A number as its literal JSON text.
    Number(Cow<'a, str>),
    /// A string.
    Str(Cow<'a, str>),
    /// A string whose bytes need not be UTF-8: every byte that is not becomes one U+FFFD.
    Bytes(Cow<'a, [u8]>),
    /// A list.
    List(Vec<Tree<'a>>),
    /// A mapping in the order in which JSON has it. The keys are unique.
    Map(Vec<(Cow<'a, str>, Tree<'a>)>),
}

impl<'a> From<&'a str> for Tree<'a> {
    fn from(text: &'a str) -> Self {
        Tree::Str(Cow::Borrowed(text))
    }
}

impl From<String> for Tree<'_> {
    fn from(text: String) -> Self {
        Tree::Str(Cow::Owned(text))
    }
}

/// The bytes as text. Unlike the standard library's lossy conversion, which replaces a truncated
/// sequence as a whole, Go replaces every byte of it.
pub(crate) fn text_of_bytes(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    Cow::Owned(text)
}
