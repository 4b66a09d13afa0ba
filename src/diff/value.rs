//! A document as a tree that can be compared: the one that the controller would write, or one that a
//! Secret holds.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash, Hasher};

use serde_json::{Map as JsonMap, Value as Json, json};

use super::path::Step;
use super::shape::{Shape, is_hidden, shape};
use crate::controllers::ai_gateway::config::{Config, Leaf, Text};
use crate::controllers::ai_gateway::document::Doc;
use crate::controllers::ai_gateway::origin::Rule;
use crate::manifest::node::{Node, Value as NodeValue};
use crate::secret::{Reveal, Secret};
use crate::world::path::Part;

/// A part of a document.
#[derive(Debug, Clone)]
pub enum Value<'a> {
    /// `null`.
    Null,
    /// A scalar.
    Scalar(Scalar<'a>),
    /// A list and what its order means.
    List(Shape, Vec<Value<'a>>),
    /// A mapping, sorted by key.
    Map(Vec<(Cow<'a, str>, Value<'a>)>),
}

/// A scalar.
#[derive(Debug, Clone)]
pub enum Scalar<'a> {
    /// A leaf of a document that a controller would write.
    Made(&'a Leaf<'a>),
    /// A value that was read, and the leaf that it was written from, where that is known.
    Read(Text<'a>, Option<&'a Leaf<'a>>),
}

/// What comparing two scalars gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// They are the same.
    Same,
    /// They differ.
    Differs,
    /// One of them is not known.
    Unknown,
}

/// The Secret and key that a credential is read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretKey {
    /// Namespace and name.
    pub secret: String,
    /// The key.
    pub key: String,
}

impl<'a> Value<'a> {
    /// The document that a controller would write.
    pub fn of(config: &'a Config<'a>) -> Self {
        from_doc(config.document(), &mut Vec::new())
    }

    /// A document that was read. Everything that may be a credential is hidden, and so is every
    /// value under a key that no supported version writes.
    pub fn stored(root: &Node) -> Self {
        from_node(root, &mut Vec::new())
    }

    /// A member of a mapping.
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        match self {
            Value::Map(members) => members
                .binary_search_by(|(k, _)| (**k).cmp(key))
                .ok()
                .map(|at| &members[at].1),
            _ => None,
        }
    }

    /// The scalar, if this is one.
    pub fn scalar(&self) -> Option<&Scalar<'a>> {
        match self {
            Value::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The text of a scalar that may be shown; empty for everything else.
    pub fn plain(&self) -> &str {
        match self.scalar().map(Scalar::text) {
            Some(Text::Plain(text)) => text,
            _ => "",
        }
    }

    /// Calls `each` with every scalar and the steps that lead to it.
    pub fn leaves<'v>(&'v self, each: &mut dyn FnMut(&[Step<'v>], &'v Scalar<'a>)) {
        self.walk(&mut Vec::new(), each);
    }

    fn walk<'v>(
        &'v self,
        steps: &mut Vec<Step<'v>>,
        each: &mut dyn FnMut(&[Step<'v>], &'v Scalar<'a>),
    ) {
        let mut below = |step, value: &'v Value<'a>| {
            steps.push(step);
            value.walk(steps, each);
            steps.pop();
        };
        match self {
            Value::Null => {}
            Value::Scalar(scalar) => each(steps, scalar),
            Value::List(shape, items) => {
                for (index, item) in items.iter().enumerate() {
                    below(Step::item(index, *shape, item), item);
                }
            }
            Value::Map(members) => {
                for (key, value) in members {
                    below(Step::Key(Cow::Borrowed(key)), value);
                }
            }
        }
    }

    /// A number that equal values share; those of lists without order do not depend on it.
    pub fn fingerprint(&self, hasher: &impl BuildHasher) -> u64 {
        match self {
            Value::Null => hasher.hash_one(0u8),
            Value::Scalar(scalar) => hasher.hash_one(scalar),
            Value::List(shape, items) => {
                let items = items.iter().map(|item| item.fingerprint(hasher));
                match shape.is_ordered() {
                    true => hasher.hash_one(items.collect::<Vec<_>>()),
                    false => hasher.hash_one(items.fold(1u64, u64::wrapping_add)),
                }
            }
            Value::Map(_) => self.fingerprint_without("", hasher),
        }
    }

    /// The same, of a mapping without one of its members.
    pub fn fingerprint_without(&self, without: &str, hasher: &impl BuildHasher) -> u64 {
        let Value::Map(members) = self else {
            return self.fingerprint(hasher);
        };
        let members = members.iter().filter(|(key, _)| key != without);
        let members: Vec<_> = members
            .map(|(key, value)| (key.as_ref(), value.fingerprint(hasher)))
            .collect();
        hasher.hash_one((2u8, members))
    }

    /// The value for machines. A credential is an object that names its Secret and key.
    pub fn json(&self, reveal: Reveal) -> Json {
        match self {
            Value::Null => Json::Null,
            Value::Scalar(scalar) => scalar.json(reveal),
            Value::List(_, items) => items.iter().map(|item| item.json(reveal)).collect(),
            Value::Map(members) => Json::Object(
                members
                    .iter()
                    .map(|(key, value)| (key.to_string(), value.json(reveal)))
                    .collect(),
            ),
        }
    }
}

impl<'a> Scalar<'a> {
    /// The value.
    pub fn text(&self) -> &Text<'a> {
        match self {
            Scalar::Made(leaf) => &leaf.text,
            Scalar::Read(text, _) => text,
        }
    }

    /// The leaf, where it is known.
    pub fn leaf(&self) -> Option<&'a Leaf<'a>> {
        match self {
            Scalar::Made(leaf) => Some(leaf),
            Scalar::Read(_, leaf) => *leaf,
        }
    }

    /// Whether two scalars are the same. Credentials are compared by value where both are known; two
    /// that are not known differ when they are read from different Secrets.
    pub fn compare(&self, other: &Scalar<'_>) -> Verdict {
        let same = match (self.text(), other.text()) {
            (Text::Unknown(_), _) | (_, Text::Unknown(_)) => return Verdict::Unknown,
            (Text::Missing(_), Text::Missing(_) | Text::Credential(_))
            | (Text::Credential(_), Text::Missing(_)) => {
                return match (self.secret_key(), other.secret_key()) {
                    (Some(old), Some(new)) if old != new => Verdict::Differs,
                    _ => Verdict::Unknown,
                };
            }
            (Text::Plain(old), Text::Plain(new)) => old == new,
            (Text::Bool(old), Text::Bool(new)) => old == new,
            (Text::Credential(old), Text::Credential(new)) => old == new,
            (Text::Mutation(old), Text::Mutation(new)) => old == new,
            // An empty token is shown as what it is, and read back as a credential.
            (Text::Plain(plain), Text::Credential(secret))
            | (Text::Credential(secret), Text::Plain(plain)) => {
                **secret.reveal() == *plain.as_bytes()
            }
            _ => false,
        };
        if same {
            Verdict::Same
        } else {
            Verdict::Differs
        }
    }

    /// Whether the value itself is not given by the input.
    pub fn is_unknown(&self) -> bool {
        matches!(self.text(), Text::Missing(_) | Text::Unknown(_))
    }

    /// The Secret and key that a credential is read from, where that is known.
    pub fn secret_key(&self) -> Option<SecretKey> {
        if let Text::Missing(reference) = self.text() {
            return Some(SecretKey {
                secret: format!("{}/{}", reference.namespace, reference.name),
                key: reference.key.to_string(),
            });
        }
        let origin = &self.leaf()?.origin;
        let source = origin
            .source
            .as_ref()
            .filter(|_| origin.rule == Rule::SecretKey)?;
        let Some(Part::Key(key)) = source.path.parts().pop().cloned() else {
            return None;
        };
        Some(SecretKey {
            secret: format!("{}/{}", source.object.namespace(), source.object.name()),
            key: key.into_owned(),
        })
    }

    /// The value for machines.
    pub fn json(&self, reveal: Reveal) -> Json {
        match self.text() {
            Text::Plain(text) => json!(text),
            Text::Bool(value) => json!(value),
            Text::Unknown(text) => json!(text),
            Text::Mutation(secret) if reveal.shows_mutations() => json!(secret.reveal()),
            Text::Credential(_) | Text::Missing(_) | Text::Mutation(_) => {
                let mut hidden = JsonMap::new();
                hidden.insert("changed".into(), json!(true));
                if let Some(SecretKey { secret, key }) = self.secret_key() {
                    hidden.insert("secret".into(), json!(secret));
                    hidden.insert("key".into(), json!(key));
                }
                Json::Object(hidden)
            }
        }
    }
}

/// Values that are the same have the same hash. What is not known has one of its own.
impl Hash for Scalar<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self.text() {
            Text::Plain(text) => text.as_bytes().hash(state),
            Text::Bool(value) => value.hash(state),
            Text::Credential(secret) => secret.reveal().hash(state),
            Text::Mutation(secret) => secret.reveal().as_bytes().hash(state),
            Text::Missing(reference) => reference.to_string().hash(state),
            Text::Unknown(text) => (3u8, text).hash(state),
        }
    }
}

type Keys<'a> = Vec<Cow<'a, str>>;

fn from_doc<'a>(doc: Doc<'a, 'a>, keys: &mut Keys<'a>) -> Value<'a> {
    match doc {
        Doc::Null => Value::Null,
        Doc::Leaf(leaf) => Value::Scalar(Scalar::Made(leaf)),
        Doc::List(items) => Value::List(
            shape(keys),
            items.into_iter().map(|item| from_doc(item, keys)).collect(),
        ),
        Doc::Map(members) => map(members, keys, from_doc),
    }
}

fn from_node<'a>(node: &Node, keys: &mut Keys<'a>) -> Value<'a> {
    match &node.value {
        NodeValue::Null => Value::Null,
        NodeValue::List(items) => Value::List(
            shape(keys),
            items.iter().map(|item| from_node(item, keys)).collect(),
        ),
        NodeValue::Map(members) => {
            let members = members.iter().map(|e| (e.key.clone().into(), &e.value));
            map(members.collect(), keys, from_node)
        }
        NodeValue::Bool(value) if !is_hidden(keys) => stored(Text::Bool(*value)),
        NodeValue::String(text) => stored(hide(text, keys)),
        other => stored(hide(&scalar_text(other), keys)),
    }
}

fn stored<'a>(text: Text<'a>) -> Value<'a> {
    Value::Scalar(Scalar::Read(text, None))
}

fn hide<'a>(text: &str, keys: &Keys<'_>) -> Text<'a> {
    let is_mutation = keys.len() > 2 && keys[keys.len() - 2] == "set";
    match is_hidden(keys) {
        true if is_mutation => Text::Mutation(Secret::new(Cow::Owned(text.to_string()))),
        true => Text::Credential(Secret::new(Cow::Owned(text.as_bytes().to_vec()))),
        false => Text::Plain(Cow::Owned(text.to_string())),
    }
}

/// No supported version writes numbers; they are compared as they are spelled.
fn scalar_text(value: &NodeValue) -> String {
    match value {
        NodeValue::Bool(value) => value.to_string(),
        NodeValue::Int(value) => value.to_string(),
        NodeValue::UInt(value) => value.to_string(),
        NodeValue::Float(value) => value.to_string(),
        _ => String::new(),
    }
}

fn map<'a, T>(
    members: Vec<(Cow<'a, str>, T)>,
    keys: &mut Keys<'a>,
    convert: fn(T, &mut Keys<'a>) -> Value<'a>,
) -> Value<'a> {
    let mut converted: Vec<_> = members
        .into_iter()
        .map(|(key, value)| {
            keys.push(key.clone());
            let value = convert(value, keys);
            keys.pop();
            (key, value)
        })
        .collect();
    converted.sort_by(|a, b| a.0.cmp(&b.0));
    Value::Map(converted)
}
