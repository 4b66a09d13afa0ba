//! A bundle as Secrets hold it: an index and the parts that it names, and which of them does not fit.

use sha2::{Digest, Sha256};

use super::stored::{Look, damage, document};
use crate::controllers::ai_gateway::bundle::{Payload, hex};
use crate::controllers::ai_gateway::secret_data;
use crate::manifest::node::Node;
use crate::world::finding::Finding;
use crate::world::object::Object;

/// An index and the parts that it names.
pub(super) struct Bundle<'a> {
    index: &'a Object,
    checksum: String,
    uuid: String,
    version: String,
    parts: Vec<BundlePart<'a>>,
}

struct BundlePart<'a> {
    secret: &'a Object,
    bytes: Vec<u8>,
    size: Option<i64>,
}

impl<'a> Bundle<'a> {
    /// Reads the index and the parts.
    ///
    /// # Errors
    /// What the sidecar would refuse the bundle for.
    pub(super) fn read(look: &Look<'_, 'a>, index: &'a Object) -> Result<Self, Box<Finding>> {
        let id = index.id();
        let unreadable = |problem: &str| {
            let text = format!("{id}: {problem}, so the sidecar refuses the bundle");
            Box::new(damage("secret-index-unreadable", text, index))
        };
        let (bytes, _) = secret_data::value(index, "index.yaml")
            .ok_or_else(|| unreadable("the key index.yaml is missing"))?;
        let root = document(&bytes).ok_or_else(|| unreadable("index.yaml is no mapping"))?;
        let text = |key: &str| {
            root.get(key)
                .and_then(Node::as_str)
                .unwrap_or_default()
                .to_string()
        };
        let listed = root
            .get("parts")
            .and_then(Node::as_list)
            .unwrap_or_default();
        let checksum = text("checksum").to_lowercase();
        if checksum.is_empty() {
            return Err(unreadable("the checksum is empty"));
        }
        if listed.is_empty() {
            return Err(unreadable("it names no part"));
        }
        let parts = listed
            .iter()
            .map(|part| BundlePart::read(look, index, part));
        Ok(Bundle {
            index,
            checksum,
            uuid: text("uuid"),
            version: text("version"),
            parts: parts.collect::<Result<_, _>>()?,
        })
    }

    /// The document.
    pub(super) fn payload(&self) -> Vec<u8> {
        self.parts
            .iter()
            .flat_map(|p| p.bytes.iter().copied())
            .collect()
    }

    /// What does not fit, and which Secret it is.
    pub(super) fn damage(&self, look: &Look<'_, 'a>) -> Option<Finding> {
        let payload = self.payload();
        if hex(&Sha256::digest(&payload)) == self.checksum {
            return None;
        }
        let uuid =
            document(&payload).and_then(|root| Some(root.get("uuid")?.as_str()?.to_string()));
        let other_write = uuid.is_some_and(|uuid| uuid != self.uuid);
        if other_write || look.holds_what_is_written(&payload) {
            let text = format!(
                "{} is old: its checksum is not that of its parts, which were written later",
                self.index.id()
            );
            return Some(damage("secret-index-old", text, self.index));
        }
        let wrong = self.wrong_parts(look);
        let ids: Vec<String> = wrong.iter().map(|p| p.secret.id().to_string()).collect();
        let text = match &ids[..] {
            [one] => format!(
                "{one} was changed: the checksum in {} is another",
                self.index.id()
            ),
            many => format!(
                "one of {} was changed: the checksum in {} is another",
                many.join(", "),
                self.index.id()
            ),
        };
        let first = wrong.first().map_or(self.index, |part| part.secret);
        Some(damage("secret-part-changed", text, first))
    }

    /// The parts that are not as the index says: known from the document where that is the one of
    /// the index, else from sizes, else all.
    fn wrong_parts(&self, look: &Look<'_, 'a>) -> Vec<&BundlePart<'a>> {
        let stored = look.outcome.stored.as_ref();
        let text = stored.map(|s| self.as_of_index(s.text.reveal(), look));
        if let Some(text) = text.filter(|text| hex(&Sha256::digest(text)) == self.checksum) {
            let payload = Payload::new(&text, self.parts.len());
            let parts = self.parts.iter().enumerate();
            return parts
                .filter(|(i, part)| part.bytes != payload.part(*i))
                .map(|(_, part)| part)
                .collect();
        }
        let other_size = |part: &&BundlePart<'_>| {
            part.size
                .is_some_and(|size| i64::try_from(part.bytes.len()) != Ok(size))
        };
        let by_size: Vec<_> = self.parts.iter().filter(other_size).collect();
        match by_size.is_empty() {
            true => self.parts.iter().collect(),
            false => by_size,
        }
    }

    /// The document that would be written, with the UUID and version of the index.
    fn as_of_index(&self, text: &str, look: &Look<'_, 'a>) -> String {
        let options = look.answer.options;
        let own = format!(
            "\nuuid: {}\nversion: {}\n",
            options.uuid, options.version.version
        );
        let theirs = format!("\nuuid: {}\nversion: {}\n", self.uuid, self.version);
        text.replacen(&own, &theirs, 1)
    }
}

impl<'a> BundlePart<'a> {
    fn read(look: &Look<'_, 'a>, index: &'a Object, part: &Node) -> Result<Self, Box<Finding>> {
        let name = part.get("name").and_then(Node::as_str).unwrap_or_default();
        let missing = |text: String| Box::new(damage("secret-part-missing", text, index));
        let secret = look.secret(name).ok_or_else(|| {
            missing(format!(
                "Secret {name}, a part of {}, is missing",
                index.id()
            ))
        })?;
        let (bytes, _) = secret_data::value(secret, "chunk")
            .ok_or_else(|| missing(format!("{} has no key chunk", secret.id())))?;
        Ok(BundlePart {
            secret,
            bytes: bytes.into_owned(),
            size: part.get("sizeBytes").and_then(Node::as_i64),
        })
    }
}
