//! What the filter config Secrets of a cluster hold, compared with what the controller would write.

use super::answer::{Answer, GatewayDiff, size};
use super::bundle::Bundle;
use super::cause::{Context, Sides};
use super::document::{self, How};
use super::value::{Scalar, Value};
use crate::controllers::ai_gateway::bundle::SECRET_BYTES;
use crate::controllers::ai_gateway::config::{Config, Text};
use crate::controllers::ai_gateway::names::{MAX_PARTS, MAX_SECRET_NAME, Names};
use crate::controllers::ai_gateway::outcome::Outcome;
use crate::controllers::ai_gateway::secret_data;
use crate::controllers::ai_gateway::unknown::Part;
use crate::manifest::node::{Node, Value as NodeValue};
use crate::manifest::{Limits, read_yaml};
use crate::secret::{Reveal, Secret};
use crate::world::World;
use crate::world::finding::{Finding, Severity};
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
pub(super) struct Look<'l, 'a> {
    secrets: &'a World,
    pub(super) answer: &'l Answer<'a>,
    pub(super) outcome: &'a Outcome<'a>,
    names: &'l Names,
    namespace: Option<String>,
}

impl<'a> Look<'_, 'a> {
    /// A Secret where the controller would write it. Where that cannot be told, in any namespace.
    pub(super) fn secret(&self, name: &str) -> Option<&'a Object> {
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
            let remark = legacy.and_then(|legacy| self.old_legacy(legacy, found.text.as_ref()));
            found.remarks.extend(remark);
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
                damage: Some(*damage),
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
    fn old_legacy(&self, legacy: &'a Object, bundle: Option<&Secret<Vec<u8>>>) -> Option<Finding> {
        let (bytes, _) = secret_data::value(legacy, "filter-config.yaml")?;
        let own = self.outcome.bytes()?;
        let is_same = match bundle {
            Some(bundle) => same_document(&bytes, bundle.reveal()),
            None => self.holds_what_is_written(&bytes),
        };
        if is_same {
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
    pub(super) fn holds_what_is_written(&self, bytes: &[u8]) -> bool {
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

pub(super) fn damage(code: &'static str, text: impl Into<String>, secret: &Object) -> Finding {
    Finding::new(code, Severity::Error, text)
        .about(secret)
        .help("the sidecar keeps its old configuration until the Secrets fit together again")
}

/// Whether two texts are the same document, whatever UUID they have.
fn same_document(a: &[u8], b: &[u8]) -> bool {
    let (Some(a), Some(b)) = (document(a), document(b)) else {
        return a == b;
    };
    let (a, b) = (Value::stored(&a), Value::stored(&b));
    let difference = document::compare(&a, &b, &Sides::default(), How::default());
    difference.changes.is_empty()
}

pub(super) fn document(bytes: &[u8]) -> Option<Node> {
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
