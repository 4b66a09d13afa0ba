//! Credentials that turn up where none belong: in a status, an annotation, an argument.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::fields::{map_strings, rewrite};
use super::placeholder::Placeholders;
use super::{is_public, stored};
use crate::controllers::ai_gateway::secret_data;
use crate::manifest::node::Node;
use crate::world::World;
use crate::world::kind::Kind;

/// Keys of Secrets under which the controller looks for a credential.
const READ: [&str; 4] = [
    "apiKey",
    "azureAccessToken",
    "credentials",
    "gcpAccessToken",
];
/// Shorter values are ordinary words more often than they are credentials.
const SHORTEST: usize = 8;
/// The same for a credential of [`READ`] in a field that an answer may depend on.
const SHORTEST_ANYWHERE: usize = 16;

/// Finds known credentials in texts.
pub(super) struct Sweep {
    /// Where nothing but notes stand: all of them.
    notes: Words,
    /// Everywhere: what is a credential for certain.
    anywhere: Words,
}

impl Sweep {
    /// Knows the credentials of a world.
    pub(super) fn of(world: &World, placeholders: &Placeholders) -> Self {
        let (mut notes, mut anywhere) = (BTreeMap::new(), BTreeMap::new());
        for secret in world.all(Kind::Secret) {
            for (key, value) in secret_data::all(secret) {
                if is_public(key, &value) || stored::KEYS.contains(&key) {
                    continue;
                }
                learn(&mut notes, &value, placeholders, SHORTEST);
                if READ.contains(&key) {
                    learn(&mut anywhere, &value, placeholders, SHORTEST_ANYWHERE);
                }
            }
        }
        for object in world.objects().iter().filter(|o| o.kind() != Kind::Secret) {
            rewrite(object.root(), &mut |value| {
                learn(&mut notes, value.as_bytes(), placeholders, SHORTEST);
                String::new()
            });
        }
        Sweep {
            notes: Words::new(notes),
            anywhere: Words::new(anywhere),
        }
    }

    /// An object without known credentials.
    pub(super) fn node(&self, root: &Node) -> Node {
        map_strings(root, &mut |path, text| match path {
            ["metadata", "annotations", ..] | ["status", ..] => self.notes.replace(text),
            _ => self.anywhere.replace(text),
        })
    }
}

type Known = BTreeMap<Vec<u8>, String>;

/// Learns a value and its base64 form.
fn learn(known: &mut Known, value: &[u8], placeholders: &Placeholders, shortest: usize) {
    let hidden = placeholders.of(value);
    if value.len() >= shortest && hidden.as_bytes() != value {
        known.insert(STANDARD.encode(value).into(), STANDARD.encode(&hidden));
        known.insert(value.to_vec(), hidden);
    }
}

/// Words and what replaces each.
struct Words {
    searcher: Option<AhoCorasick>,
    replacements: Vec<String>,
}

impl Words {
    fn new(known: Known) -> Self {
        let (words, replacements): (Vec<_>, Vec<_>) = known.into_iter().unzip();
        let mut builder = AhoCorasick::builder();
        let searcher = builder.match_kind(MatchKind::LeftmostLongest).build(words);
        Words {
            searcher: searcher.ok(),
            replacements,
        }
    }

    /// A text with the words replaced; `None` when it has none.
    fn replace(&self, text: &str) -> Option<String> {
        let Some(searcher) = &self.searcher else {
            // Better no text than one that was not looked through.
            return Some(String::new());
        };
        searcher
            .is_match(text)
            .then(|| searcher.replace_all(text, &self.replacements))
    }
}
