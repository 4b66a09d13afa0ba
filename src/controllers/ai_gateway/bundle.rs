//! The Secrets that hold the document, and what the controller does to each.

use std::borrow::Cow;
use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::names::{MAX_PARTS, MAX_SECRET_NAME, Names, part_path};
use super::secret_data;
use crate::controllers::profile::Profile;
use crate::manifest::emit::{Tree, to_yaml};
use crate::secret::{PLACEHOLDER, Reveal};
use crate::world::World;
use crate::world::kind::Kind;
use crate::world::object::Object;

/// How many bytes a part holds; parts are cut without regard to characters.
pub const PART_BYTES: usize = 700 * 1024;
/// How many bytes the data of a Secret may have.
pub const SECRET_BYTES: usize = 1024 * 1024;
/// How many bytes a document may have that is stored in parts.
pub const BUNDLE_BYTES: usize = PART_BYTES * MAX_PARTS;

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What is done to a Secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// It does not exist yet.
    Create,
    /// It exists.
    Update,
    /// Created or updated: whether it exists could not be read.
    Write,
    /// It is left over.
    Delete,
}

impl Verb {
    /// The request verb.
    pub fn word(self) -> &'static str {
        match self {
            Verb::Create => "create",
            Verb::Update => "update",
            Verb::Write => "write",
            Verb::Delete => "delete",
        }
    }
}

/// Which piece of the document a Secret holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// The whole document.
    Document,
    /// The index of the parts.
    Index,
    /// A part.
    Part(usize),
}

/// What the controller does to one Secret.
#[derive(Debug, Clone)]
pub struct SecretWrite<'w> {
    /// What is done.
    pub verb: Verb,
    /// Where it is.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// What it holds.
    pub content: Content,
    /// The Secret as it is now.
    pub existing: Option<&'w Object>,
}

/// A Secret after the write, ready to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretView {
    /// What was done.
    pub verb: Verb,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Only of a Secret that existed.
    pub kind: Option<String>,
    /// Labels that it had before; the controller sets none.
    pub labels: BTreeMap<String, String>,
    /// The same for annotations.
    pub annotations: BTreeMap<String, String>,
    /// Decoded data.
    pub data: BTreeMap<String, Vec<u8>>,
}

/// The Secrets that a document of that many bytes is written to, by name.
///
/// # Errors
/// The controller's text when the document needs more parts than there may be.
pub fn plan<'w>(
    world: &'w World,
    profile: &Profile,
    names: &Names,
    namespace: &str,
    bytes: usize,
) -> Result<Vec<SecretWrite<'w>>, String> {
    let write = |name: String, content: Content| {
        let existing = world.get(Kind::Secret, namespace, &name);
        let verb = match existing {
            Some(_) => Verb::Update,
            None if world.coverage.is_unread(Kind::Secret, namespace, &name) => Verb::Write,
            None => Verb::Create,
        };
        SecretWrite {
            verb,
            namespace: namespace.to_string(),
            name,
            content,
            existing,
        }
    };
    let legacy = write(names.legacy_secret().to_string(), Content::Document);
    if !profile.splits_config {
        return Ok(vec![legacy]);
    }
    let parts = part_count(bytes);
    if parts > MAX_PARTS {
        return Err(format!(
            "filter config requires {parts} shards, exceeds max supported slots {MAX_PARTS}"
        ));
    }
    let mut writes = vec![write(names.index_secret(), Content::Index)];
    for i in 0..MAX_PARTS {
        let mut part = write(names.part_secret(i), Content::Part(i));
        if i >= parts {
            if part.existing.is_none() {
                continue;
            }
            part.verb = Verb::Delete;
        }
        writes.push(part);
    }
    if names.legacy_secret().len() <= MAX_SECRET_NAME && bytes <= SECRET_BYTES {
        writes.push(legacy);
    }
    writes.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(writes)
}

/// How many parts a document of that many bytes has: an empty one has one.
pub fn part_count(bytes: usize) -> usize {
    bytes.div_ceil(PART_BYTES).max(1)
}

/// A document cut into parts. `parts` is the count for the true document, which a text with
/// placeholders need not have: its last part then takes what is left.
#[derive(Debug)]
pub struct Payload<'t> {
    text: &'t [u8],
    parts: usize,
}

impl<'t> Payload<'t> {
    /// A text as that many parts.
    pub fn new(text: &'t str, parts: usize) -> Self {
        Payload {
            text: text.as_bytes(),
            parts,
        }
    }

    /// A part.
    pub fn part(&self, index: usize) -> &'t [u8] {
        let start = (index * PART_BYTES).min(self.text.len());
        let end = match index + 1 == self.parts {
            true => self.text.len(),
            false => (start + PART_BYTES).min(self.text.len()),
        };
        &self.text[start..end]
    }

    /// The index document.
    pub fn index(&self, names: &Names, uuid: &str, version: &str) -> String {
        let text = |value: String| Tree::Str(Cow::Owned(value));
        let member = |key: &'static str, value| (Cow::Borrowed(key), value);
        let checksum = hex(&Sha256::digest(self.text));
        let parts = (0..self.parts).map(|i| {
            let mut part = vec![
                member("name", text(names.part_secret(i))),
                member("path", text(part_path(i))),
            ];
            let size = self.part(i).len();
            if size > 0 {
                part.push(member("sizeBytes", Tree::UInt(size as u64)));
            }
            Tree::Map(part)
        });
        let index = Tree::Map(vec![
            member("checksum", text(checksum)),
            member("parts", Tree::List(parts.collect())),
            member("uuid", text(uuid.to_string())),
            member("version", text(version.to_string())),
        ]);
        to_yaml(&index).expect("an index holds names, numbers and a version, which can be written")
    }
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

impl SecretWrite<'_> {
    /// The Secret after the write. `stringData` is laid over what the Secret holds; a part's data
    /// is replaced.
    pub fn view(&self, payload: &Payload<'_>, index: &str, reveal: Reveal) -> SecretView {
        let mut view = SecretView {
            verb: self.verb,
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            kind: None,
            labels: BTreeMap::new(),
            annotations: BTreeMap::new(),
            data: BTreeMap::new(),
        };
        if self.verb == Verb::Delete {
            return view;
        }
        if let Some(existing) = self.existing {
            keep(
                &mut view,
                existing,
                reveal,
                !matches!(self.content, Content::Part(_)),
            );
        }
        let (key, value) = match self.content {
            Content::Document => ("filter-config.yaml", payload.text),
            Content::Index => ("index.yaml", index.as_bytes()),
            Content::Part(i) => ("chunk", payload.part(i)),
        };
        view.data.insert(key.to_string(), value.to_vec());
        view
    }
}

/// What an update leaves as it was.
fn keep(view: &mut SecretView, existing: &Object, reveal: Reveal, with_data: bool) {
    let kind = existing.field().get("type").str().unwrap_or("Opaque");
    view.kind = Some(kind.to_string());
    let map = |key: &'static str| {
        let entries = existing.metadata().get(key);
        let entries = entries.entries();
        entries
            .map(|(k, v)| (k.to_string(), v.str_or_empty().to_string()))
            .collect()
    };
    view.labels = map("labels");
    view.annotations = map("annotations");
    if let Some(text) = view.annotations.get_mut(LAST_APPLIED)
        && !reveal.secrets
    {
        *text = PLACEHOLDER.to_string();
    }
    if with_data {
        for (key, value) in secret_data::all(existing) {
            let shown = if reveal.secrets {
                value
            } else {
                PLACEHOLDER.as_bytes().to_vec()
            };
            view.data.insert(key.to_string(), shown);
        }
    }
}

/// How many bytes the API server would count for a Secret after the write.
pub fn stored_bytes(write: &SecretWrite<'_>, own: usize) -> usize {
    let key = match write.content {
        Content::Document => "filter-config.yaml",
        Content::Index => "index.yaml",
        Content::Part(_) => return own,
    };
    let existing = write.existing.map(secret_data::all).unwrap_or_default();
    own + existing
        .iter()
        .filter(|(k, _)| **k != key)
        .map(|(_, v)| v.len())
        .sum::<usize>()
}
