//! What stands in place of a credential.

use std::cell::RefCell;
use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::controllers::ai_gateway::bundle::hex;
use crate::controllers::ai_gateway::settings::flags::FLAGS;
use crate::manifest::emit::{EmitError, Tree, to_yaml};
use crate::secret::Reveal;

/// A random key that lives for one run, so that placeholders of two runs tell nothing of each other.
pub type Key = [u8; 32];

/// How every placeholder begins.
const PREFIX: &str = "redacted-";

/// Gives equal credentials equal placeholders.
pub(super) struct Placeholders {
    key: Key,
    public: Vec<String>,
    known: RefCell<BTreeMap<Vec<u8>, String>>,
}

impl Placeholders {
    pub(super) fn new(key: Key) -> Self {
        let defaults = FLAGS.iter().filter(|flag| flag.is_hidden());
        Placeholders {
            key,
            // What the code says is no secret.
            public: defaults
                .filter_map(|flag| flag.default().shown(Reveal::ALL))
                .collect(),
            known: RefCell::new(BTreeMap::new()),
        }
    }

    /// The placeholder of a value. An empty value hides nothing, and a placeholder stays as it is. A
    /// value that the controller cannot serialize has a placeholder that it cannot serialize.
    pub(super) fn of(&self, value: &[u8]) -> String {
        let text = as_stored(value);
        if text.is_empty() || self.public.contains(&text) || is_placeholder(&text) {
            return text;
        }
        let mut known = self.known.borrow_mut();
        let make = || self.make(&text);
        known
            .entry(text.clone().into_bytes())
            .or_insert_with(make)
            .clone()
    }

    fn make(&self, text: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(self.key);
        hash.update(text);
        // Hashed twice, so that nothing can be appended to what was hashed first.
        let digest = Sha256::digest(hash.finalize());
        let plain = format!("{PREFIX}{}", hex(&digest[..8]));
        match to_yaml(&Tree::from(text)) {
            Ok(_) => plain,
            // The line in the controller's message counts these line breaks.
            Err(EmitError::DocumentMarker { line }) => {
                format!("{plain}{}--- ", "\u{85}".repeat(line.saturating_sub(1)))
            }
            Err(_) => format!("{plain}\u{7F}"),
        }
    }
}

fn is_placeholder(text: &str) -> bool {
    text.strip_prefix(PREFIX)
        .is_some_and(|rest| rest.len() == 16 && rest.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// The value as it is once the controller has written it and somebody has read it again.
fn as_stored(value: &[u8]) -> String {
    let lossy = match String::from_utf8_lossy(value) {
        std::borrow::Cow::Borrowed(text) if !text.contains('\u{85}') => return text.to_string(),
        lossy => lossy.into_owned(),
    };
    let tree = Tree::Bytes(value.into());
    let Ok(yaml) = to_yaml(&tree) else {
        return lossy;
    };
    let read = crate::manifest::read_yaml("".into(), yaml.as_bytes(), &Default::default());
    let text = read.ok().and_then(|d| d.root.as_str().map(str::to_string));
    text.unwrap_or(lossy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_equal_placeholders_within_a_run() {
        let (a, b) = (Placeholders::new([1; 32]), Placeholders::new([2; 32]));
        assert_eq!(a.of(b"key-1"), a.of(b"key-1"));
        assert_ne!(a.of(b"key-1"), a.of(b"key-2"));
        assert_ne!(a.of(b"key-1"), b.of(b"key-1"));
        assert_eq!(a.of(&a.of(b"key-1").into_bytes()), a.of(b"key-1"));
        assert_eq!(a.of(b""), "");
        assert_eq!(a.of(b"default-insecure-seed"), "default-insecure-seed");
        assert_eq!(a.of(b"k").len(), a.of(&[b'k'; 999]).len());
    }

    #[test]
    fn what_cannot_be_written_has_a_placeholder_that_cannot_be_written() {
        let placeholders = Placeholders::new([1; 32]);
        for value in ["a\u{7F}b", "a\u{85}b\u{85}--- b", "a\u{FFFE}"] {
            let hidden = placeholders.of(value.as_bytes());
            let outcome = |text: &str| to_yaml(&Tree::from(text)).map(drop);
            assert_eq!(outcome(&hidden), outcome(value), "{value:?}");
            assert!(outcome(&hidden).is_err());
        }
    }
}
