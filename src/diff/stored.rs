//! What the filter config Secrets of a cluster hold, compared with what the controller would write.

use sha2::{Digest, Sha256};

use super::answer::{Answer, GatewayDiff, size};
use super::cause::{Context, Sides};
use super::document::{self, How};
use super::value::{Scalar, Value};
use crate::controllers::ai_gateway::bundle::{Payload, SECRET_BYTES, hex};
use crate::controllers::ai_gateway::config::{Config, Text};
use crate::controllers::ai_gateway::names::{MAX_PARTS, MAX_SECRET_NAME, Names};
use crate::controllers::ai_gateway::outcome::Outcome;
use crate::controllers::ai_gateway::secret_data;
use crate::controllers::ai_gateway::unknown::Part;
use crate::finding::{Finding, Severity};
use crate::manifest::node::{Node, Value as NodeValue};
use crate::manifest::{Limits, read_yaml};
use crate::secret::{Reveal, Secret};
use crate::world::World;
use crate::world::kind::Kind;
use crate::world::object::Object;

/// What is to be said of a Gateway's Secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// They hold what would be written.
    Fresh,
    /// They hold something else.
    Stale,
    /// The reconcile is refused, so they stay as they are.
    Frozen,
    /// There are none.
    Absent,
    /// They do not fit together.
    Damaged,
    /// Nothing would be written, or some values are not known.
    Unknown,
}

impl Verdict {
    /// The word in every output.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Fresh => "fresh",
            Verdict::Stale => "stale",
            Verdict::Frozen => "frozen",
            Verdict::Absent => "absent",
            Verdict::Damaged => "damaged",
            Verdict::Unknown => "unknown",
        }
    }

    /// Whether something has to be done.
    pub fn is_wrong(self) -> bool {
        !matches!(self, Verdict::Fresh | Verdict::Unknown)
    }
}

/// A document that was found, and what is wrong with it.
#[derive(Debug, Default)]
struct Found {
    text: Option<Secret<Vec<u8>>>,
    damage: Option<Finding>,
    remarks: Vec<Finding>,
}

/// Compares the Secrets of a Gateway with its outcome. `hypothetical` is the document without the
/// costs for which the Gateway is refused.
pub fn compare<'a>(
    secrets: &'a World,
    answer: &Answer<'a>,
    outcome: &'a Outcome<'a>,
    hypothetical: Option<&'a Config<'a>>,
    how: How,
) -> GatewayDiff<'a> {
    let gateway = &outcome.gateway;
    let names = Names::of(&gateway.0, &gateway.1);
    let look = Look {
        secrets,
        answer,
        outcome,
        names: &names,
        namespace: namespace(answer, outcome),
    };
    let mut diff = GatewayDiff::of(outcome);
    diff.sizes.new = size(Some(outcome), answer);
    let found = look.find();
    diff.own_findings.extend(found.remarks);
    diff.own_findings.extend(look.left_over());
    let refused = outcome.refusal.is_some();
    let verdict = match (&found.damage, &found.text) {
        _ if look.is_unread() || !outcome.knows(Part::Secrets) => Verdict::Unknown,
        _ if !refused && outcome.stored.is_none() => Verdict::Unknown,
        (None, None) => Verdict::Absent,
        (Some(_), _) if !refused => Verdict::Damaged,
        _ if refused => Verdict::Frozen,
        _ => Verdict::Fresh,
    };
    let damaged = found.damage.is_some();
    diff.own_findings.extend(found.damage);
    diff.secret = Some(verdict);
    if verdict == Verdict::Absent && !refused {
        diff.own_findings.push(look.absent());
    }
    let config = if refused {
        hypothetical
    } else {
        outcome.config.as_ref()
    };
    if let (Some(text), Some(config), false) = (&found.text, config, damaged) {
        diff.hypothetical = refused;
        look.documents(&mut diff, text.reveal(), config, how);
    }
    diff
}

/// Where the controller would write; `None` when it cannot be told.
fn namespace<'a>(answer: &Answer<'a>, outcome: &'a Outcome<'a>) -> Option<String> {
    let planned = outcome.stored.as_ref().and_then(|s| s.writes.first());
    let found = planned
        .map(|write| write.namespace.as_str())
        .or(outcome.workloads.namespace);
    let options = answer.options;
    let assumed = || {
        let shared = options.settings.envoy_gateway_namespace();
        options.assume_namespace.as_deref().unwrap_or(shared)
    };
    match found {
        Some("") => None,
        Some(namespace) => Some(namespace.to_string()),
        None if options.standalone || options.complete => None,
        None => Some(assumed().to_string()),
    }
}

/// Where to look, and for what.
struct Look<'l, 'a> {
    secrets: &'a World,
    answer: &'l Answer<'a>,
    outcome: &'a Outcome<'a>,
    names: &'l Names,
    namespace: Option<String>,
}

impl<'a> Look<'_, 'a> {
    /// A Secret where the controller would write it. Where that cannot be told, in any namespace.
    fn secret(&self, name: &str) -> Option<&'a Object> {
        match &self.namespace {
            Some(namespace) => self.secrets.get(Kind::Secret, namespace, name),
            None => self.secrets.all(Kind::Secret).find(|s| s.name() == name),
        }
    }

    /// Whether one of the Secrets may exist and could not be read.
    fn is_unread(&self) -> bool {
        let names = [
            self.names.legacy_secret().to_string(),
            self.names.index_secret(),
        ];
        let namespace = self.namespace.as_deref();
        names.iter().any(|name| {
            self.secret(name).is_none()
                && namespace.is_some_and(|namespace| {
                    self.secrets
                        .coverage
                        .is_unread(Kind::Secret, namespace, name)
                })
        })
    }

    fn splits(&self) -> bool {
        self.answer.options.profile().splits_config
    }

    /// The document. Where there is a bundle it alone counts.
    fn find(&self) -> Found {
        let legacy = self.secret(self.names.legacy_secret());
        if !self.splits() {
            return self.whole(legacy);
        }
        if let Some(index) = self.secret(&self.names.index_secret()) {
            let mut found = self.bundle(index);
            found
                .remarks
                .extend(legacy.and_then(|legacy| self.old_legacy(legacy)));
            return found;
        }
        let part = (0..MAX_PARTS).find_map(|i| self.secret(&self.names.part_secret(i)));
        if let Some(part) = part {
            let text = format!(
                "the index {} of {} is missing",
                self.names.index_secret(),
                part.id()
            );
            return Found {
                damage: Some(damage("secret-index-missing", text, part)),
                ..Found::default()
            };
        }
        let mut found = self.whole(legacy);
        if let Some(legacy) = legacy {
            let text = format!(
                "{} is there and the index {} is not: this controller has not written it",
                legacy.id(),
                self.names.index_secret()
            );
            found
                .remarks
                .push(Finding::new("secret-no-bundle", Severity::Warning, text).about(legacy));
        }
        found
    }

    fn whole(&self, secret: Option<&'a Object>) -> Found {
        let Some(secret) = secret else {
            return Found::default();
        };
        match secret_data::value(secret, "filter-config.yaml") {
            Some((bytes, _)) => Found {
                text: Some(Secret::new(bytes.into_owned())),
                ..Found::default()
            },
            None => {
                let text = format!("{} has no key filter-config.yaml", secret.id());
                Found {
                    damage: Some(damage("secret-key-missing", text, secret)),
                    ..Found::default()
                }
            }
        }
    }

    fn bundle(&self, index: &'a Object) -> Found {
        match Bundle::read(self, index) {
            Err(damage) => Found {
                damage: Some(damage),
                ..Found::default()
            },
            Ok(bundle) => Found {
                damage: bundle.damage(self),
                text: Some(Secret::new(bundle.payload())),
                remarks: Vec::new(),
            },
        }
    }

    /// A legacy Secret beside a bundle that holds something else.
    fn old_legacy(&self, legacy: &'a Object) -> Option<Finding> {
        let (bytes, _) = secret_data::value(legacy, "filter-config.yaml")?;
        let own = self.outcome.bytes()?;
        if self.holds_what_is_written(&bytes) {
            return None;
        }
        let why = match own > SECRET_BYTES || legacy.name().len() > MAX_SECRET_NAME {
            true => "the document is too large for it",
            false => "the bundle beside it counts",
        };
        let text = format!("{} holds an old document: {why}", legacy.id());
        Some(
            Finding::new("secret-legacy-old", Severity::Warning, text)
                .about(legacy)
                .help("pods that still read it keep the old configuration until they are replaced"),
        )
    }

    /// Whether bytes are the document that would be written, whatever UUID they have.
    fn holds_what_is_written(&self, bytes: &[u8]) -> bool {
        let Some(config) = &self.outcome.config else {
            return false;
        };
        let Some(root) = document(bytes) else {
            return false;
        };
        let (old, new) = (Value::stored(&root), self.written(config));
        document::compare(&old, &new, &Sides::default(), How::default())
            .changes
            .is_empty()
    }

    /// The document that would be written, as it reads once it is written.
    fn written(&self, config: &'a Config<'a>) -> Value<'a> {
        let made = Value::of(config);
        let text = config.to_yaml(Reveal::ALL).unwrap_or_default();
        match document(text.as_bytes()) {
            Some(root) => reread(made, &root),
            None => made,
        }
    }

    fn documents(&self, diff: &mut GatewayDiff<'a>, text: &[u8], config: &'a Config<'a>, how: How) {
        let Some(root) = document(text) else {
            let text = "the stored document is no YAML, so the sidecar refuses it";
            diff.own_findings
                .push(Finding::new("secret-unreadable", Severity::Error, text));
            diff.secret = Some(Verdict::Damaged);
            return;
        };
        let (old, new) = (Value::stored(&root), self.written(config));
        let contexts = Sides {
            old: Context::default(),
            new: Context {
                world: Some(self.answer.world),
                skipped: &self.outcome.skipped,
            },
        };
        let found = document::compare(&old, &new, &contexts, how);
        let version = |value: &Value<'_>| value.get("version").map(|v| v.plain().to_string());
        let (was, is) = (version(&old), version(&new));
        let other_version = was != is;
        if other_version {
            let text = format!(
                "the stored document is of controller {}, not {}: sidecars of the one version \
                 refuse documents of the other",
                was.unwrap_or_default(),
                is.unwrap_or_default()
            );
            diff.own_findings
                .push(Finding::new("secret-version", Severity::Warning, text));
        }
        if diff.secret == Some(Verdict::Fresh) {
            let no_bundle = diff
                .own_findings
                .iter()
                .any(|f| f.code == "secret-no-bundle");
            diff.secret = Some(if !found.changes.is_empty() || other_version || no_bundle {
                Verdict::Stale
            } else if !found.unknown.is_empty() {
                Verdict::Unknown
            } else {
                Verdict::Fresh
            });
        }
        diff.changes = found.changes;
        diff.unknown = found.unknown;
        diff.documents = Sides {
            old: Some(old),
            new: Some(new),
        };
    }

    fn absent(&self) -> Finding {
        let name = match self.splits() {
            true => self.names.index_secret(),
            false => self.names.legacy_secret().to_string(),
        };
        let place = self.namespace.as_deref().map(|ns| format!("{ns}/"));
        let text = format!("there is no Secret {}{name}", place.unwrap_or_default());
        Finding::new("secret-absent", Severity::Warning, text)
            .help("the controller has not written it, or it was read from another namespace")
    }

    /// Secrets of the Gateway where the controller does not write.
    fn left_over(&self) -> Vec<Finding> {
        let Some(namespace) = &self.namespace else {
            return Vec::new();
        };
        let mut names = vec![
            (self.names.legacy_secret().to_string(), "filter-config.yaml"),
            (self.names.index_secret(), "index.yaml"),
        ];
        names.extend((0..MAX_PARTS).map(|i| (self.names.part_secret(i), "chunk")));
        let is_own = |secret: &Object, name: &str, key: &str| {
            secret.name() == name && secret_data::value(secret, key).is_some()
        };
        let others = self.secrets.all(Kind::Secret).filter(|secret| {
            secret.namespace() != namespace
                && names.iter().any(|(name, key)| is_own(secret, name, key))
        });
        others
            .map(|secret| {
                let text = format!(
                    "{} is left over: the Gateway's Secrets are written to namespace {namespace}",
                    secret.id()
                );
                Finding::new("secret-left-over", Severity::Info, text).about(secret)
            })
            .collect()
    }
}

fn damage(code: &'static str, text: impl Into<String>, secret: &Object) -> Finding {
    Finding::new(code, Severity::Error, text)
        .about(secret)
        .help("the sidecar keeps its old configuration until the Secrets fit together again")
}

fn document(bytes: &[u8]) -> Option<Node> {
    let document = read_yaml("filter-config.yaml".into(), bytes, &Limits::default()).ok()?;
    matches!(document.root.value, NodeValue::Map(_)).then_some(document.root)
}

/// A document with the values that were read instead of those that were written: the serializer
/// cannot write every text as it is.
fn reread<'a>(made: Value<'a>, read: &Node) -> Value<'a> {
    match (made, &read.value) {
        (Value::Map(members), NodeValue::Map(map)) => Value::Map(
            members
                .into_iter()
                .map(|(key, value)| match map.get(&key) {
                    Some(node) => (key, reread(value, node)),
                    None => (key, value),
                })
                .collect(),
        ),
        (Value::List(shape, items), NodeValue::List(nodes)) if items.len() == nodes.len() => {
            let items = items
                .into_iter()
                .zip(nodes)
                .map(|(item, node)| reread(item, node));
            Value::List(shape, items.collect())
        }
        (Value::Scalar(Scalar::Made(leaf)), NodeValue::String(text)) => {
            let text = match &leaf.text {
                Text::Plain(_) => Text::Plain(text.clone().into()),
                Text::Credential(_) => {
                    Text::Credential(Secret::new(text.clone().into_bytes().into()))
                }
                Text::Mutation(_) => Text::Mutation(Secret::new(text.clone().into())),
                Text::Bool(_) | Text::Missing(_) | Text::Unknown(_) => {
                    return Value::Scalar(Scalar::Made(leaf));
                }
            };
            Value::Scalar(Scalar::Read(text, Some(leaf)))
        }
        (made, _) => made,
    }
}

/// An index and the parts that it names.
struct Bundle<'a> {
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
    fn read(look: &Look<'_, 'a>, index: &'a Object) -> Result<Self, Finding> {
        let id = index.id();
        let unreadable = |problem: &str| {
            let text = format!("{id}: {problem}, so the sidecar refuses the bundle");
            damage("secret-index-unreadable", text, index)
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

    fn payload(&self) -> Vec<u8> {
        self.parts
            .iter()
            .flat_map(|p| p.bytes.iter().copied())
            .collect()
    }

    /// What does not fit, and which Secret it is.
    fn damage(&self, look: &Look<'_, 'a>) -> Option<Finding> {
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
        if let Some(text) = stored.map(|s| self.as_of_index(s.text.reveal(), look)) {
            if hex(&Sha256::digest(&text)) == self.checksum {
                let payload = Payload::new(&text, self.parts.len());
                let parts = self.parts.iter().enumerate();
                return parts
                    .filter(|(i, part)| part.bytes != payload.part(*i))
                    .map(|(_, part)| part)
                    .collect();
            }
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
    fn read(look: &Look<'_, 'a>, index: &'a Object, part: &Node) -> Result<Self, Finding> {
        let name = part.get("name").and_then(Node::as_str).unwrap_or_default();
        let missing = |text: String| damage("secret-part-missing", text, index);
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
