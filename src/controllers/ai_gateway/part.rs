//! A part of a Kubernetes object that the controller makes: keys in the order of the Go structs,
//! leaves that know where they came from and whether they may be shown.

use std::borrow::Cow;

use serde_json::Value as Json;

use super::origin::Origin;
use super::settings::Settings;
use super::settings::flags::Id;
use crate::manifest::emit::Tree;
use crate::secret::{PLACEHOLDER, Reveal, Secret};

/// A value with origins.
#[derive(Debug, Clone)]
pub enum Part<'w> {
    /// `null`.
    Null,
    /// A scalar.
    Leaf(Leaf<'w>),
    /// A list.
    List(Vec<Part<'w>>),
    /// A mapping in the order in which Go writes it.
    Map(Vec<(Cow<'w, str>, Part<'w>)>),
}

/// A scalar and where it came from.
#[derive(Debug, Clone)]
pub struct Leaf<'w> {
    /// The value.
    pub value: Scalar<'w>,
    /// Where it came from.
    pub origin: Origin<'w>,
    /// The controller's flag that gave the value.
    pub setting: Option<&'static str>,
}

/// A scalar value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scalar<'w> {
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A text that may be shown.
    Text(Cow<'w, str>),
    /// A session seed or the value of an environment variable.
    Hidden(Secret<Cow<'w, str>>),
}

impl Scalar<'_> {
    /// The value as JSON, a hidden one as a placeholder unless it is to be revealed.
    pub fn json(&self, reveal: Reveal) -> Json {
        match self {
            Scalar::Bool(value) => Json::from(*value),
            Scalar::Int(value) => Json::from(*value),
            Scalar::Text(text) => Json::from(text.as_ref()),
            Scalar::Hidden(text) if reveal.secrets => Json::from(text.reveal().as_ref()),
            Scalar::Hidden(_) => Json::from(PLACEHOLDER),
        }
    }
}

impl<'w> Part<'w> {
    /// A scalar from an object.
    pub fn leaf(value: Scalar<'w>, origin: Origin<'w>) -> Self {
        Part::Leaf(Leaf {
            value,
            origin,
            setting: None,
        })
    }

    /// A text that the controller puts there itself.
    pub fn fixed(text: impl Into<Cow<'w, str>>) -> Self {
        Part::leaf(Scalar::Text(text.into()), Origin::option())
    }

    /// A number that the controller puts there itself.
    pub fn number(value: i64) -> Self {
        Part::leaf(Scalar::Int(value), Origin::option())
    }

    /// A boolean that the controller puts there itself.
    pub fn bool(value: bool) -> Self {
        Part::leaf(Scalar::Bool(value), Origin::option())
    }

    /// A value that a setting of the controller gave.
    pub fn given(value: Scalar<'w>, settings: &Settings<'w>, id: Id) -> Self {
        let (origin, setting) = (settings.origin(id), Some(id.flag().name));
        Part::Leaf(Leaf {
            value,
            origin,
            setting,
        })
    }

    /// A text that a setting of the controller gave.
    pub fn setting(text: impl Into<Cow<'w, str>>, settings: &Settings<'w>, id: Id) -> Self {
        Part::given(Scalar::Text(text.into()), settings, id)
    }

    /// A mapping.
    pub fn map(members: impl IntoIterator<Item = (&'static str, Part<'w>)>) -> Self {
        Part::Map(
            members
                .into_iter()
                .map(|(key, part)| (Cow::Borrowed(key), part))
                .collect(),
        )
    }

    /// A member of a mapping.
    pub fn get(&self, key: &str) -> Option<&Part<'w>> {
        match self {
            Part::Map(members) => members.iter().find(|(k, _)| k == key).map(|(_, part)| part),
            _ => None,
        }
    }

    /// The items of a list.
    pub fn items(&self) -> &[Part<'w>] {
        match self {
            Part::List(items) => items,
            _ => &[],
        }
    }

    /// The text of a scalar that may be shown.
    pub fn text(&self) -> Option<&str> {
        match self {
            Part::Leaf(Leaf {
                value: Scalar::Text(text),
                ..
            }) => Some(text),
            _ => None,
        }
    }

    /// A number or boolean as the text that a command line has.
    pub fn into_text(mut self) -> Self {
        if let Part::Leaf(leaf) = &mut self {
            match leaf.value {
                Scalar::Bool(value) => leaf.value = Scalar::Text(value.to_string().into()),
                Scalar::Int(value) => leaf.value = Scalar::Text(value.to_string().into()),
                Scalar::Text(_) | Scalar::Hidden(_) => {}
            }
        }
        self
    }

    /// Whether a value may not be shown.
    pub fn is_hidden(&self) -> bool {
        match self {
            Part::Null => false,
            Part::Leaf(leaf) => matches!(leaf.value, Scalar::Hidden(_)),
            Part::List(items) => items.iter().any(Part::is_hidden),
            Part::Map(members) => members.iter().any(|(_, part)| part.is_hidden()),
        }
    }

    /// Every scalar with its path, in order.
    pub fn leaves<'a>(&'a self, each: &mut dyn FnMut(&str, &'a Leaf<'w>)) {
        self.walk(&mut String::new(), each);
    }

    fn walk<'a>(&'a self, path: &mut String, each: &mut dyn FnMut(&str, &'a Leaf<'w>)) {
        let length = path.len();
        let mut step = |step: String, part: &'a Part<'w>| {
            path.push_str(&step);
            part.walk(path, each);
            path.truncate(length);
        };
        match self {
            Part::Null => {}
            Part::Leaf(leaf) => each(path, leaf),
            Part::List(items) => {
                items
                    .iter()
                    .enumerate()
                    .for_each(|(i, item)| step(format!("[{i}]"), item));
            }
            Part::Map(members) => {
                let dot = if length == 0 { "" } else { "." };
                members
                    .iter()
                    .for_each(|(key, part)| step(format!("{dot}{key}"), part));
            }
        }
    }

    /// The tree that the writer of Go's JSON takes, hidden values in clear.
    pub fn tree(&self) -> Tree<'_> {
        match self {
            Part::Null => Tree::Null,
            Part::Leaf(leaf) => match &leaf.value {
                Scalar::Bool(value) => Tree::Bool(*value),
                Scalar::Int(value) => Tree::Int(*value),
                Scalar::Text(text) => Tree::from(text.as_ref()),
                Scalar::Hidden(text) => Tree::from(text.reveal().as_ref()),
            },
            Part::List(items) => Tree::List(items.iter().map(Part::tree).collect()),
            Part::Map(members) => Tree::Map(
                members
                    .iter()
                    .map(|(key, part)| (key.clone(), part.tree()))
                    .collect(),
            ),
        }
    }

    /// The value as JSON, with hidden values as placeholders unless they are to be revealed.
    pub fn json(&self, reveal: Reveal) -> Json {
        match self {
            Part::Null => Json::Null,
            Part::Leaf(leaf) => leaf.value.json(reveal),
            Part::List(items) => items.iter().map(|item| item.json(reveal)).collect(),
            Part::Map(members) => members
                .iter()
                .map(|(key, part)| (key.to_string(), part.json(reveal)))
                .collect(),
        }
    }
}
