//! Values files, merged as Helm merges them: mappings key by key, everything else as a whole, `null`
//! removes the chart's default.

use std::borrow::Cow;

use super::super::code;
use super::keys;
use crate::controllers::profile::Profile;
use crate::failure::Failure;
use crate::manifest::document::Document;
use crate::manifest::node::{Map, Node, Pos, Value};
use crate::world::finding::{Finding, Place, Severity};

/// The chart, under whose name an umbrella chart keeps its values.
const CHART: &str = "ai-gateway-helm";

/// Values files in the order given.
#[derive(Debug)]
pub struct Values<'v> {
    /// The chart's part of each file, with the file and the path of that part.
    files: Vec<ValuesFile<'v>>,
}

#[derive(Debug)]
struct ValuesFile<'v> {
    document: &'v Document,
    root: &'v Node,
    /// `ai-gateway-helm.` in the values of an umbrella chart.
    prefix: &'static str,
}

/// What the values say about a key.
enum Found<'v> {
    /// The chart's default holds.
    Default,
    /// Removed with `null`.
    Removed(Place),
    /// A value.
    Set(&'v Node, Place),
}

/// A key's value with the chart's default applied.
pub(super) enum Scalar<'v> {
    /// There is no value.
    Null,
    Text(Cow<'v, str>),
}

impl<'v> Values<'v> {
    /// The values of some files; later ones win.
    ///
    /// # Errors
    /// A file holds no mapping.
    pub fn of(documents: &[&'v Document]) -> Result<Self, Failure> {
        let files = documents.iter().map(|document| {
            let root = &document.root;
            let own = root
                .get(CHART)
                .filter(|node| matches!(node.value, Value::Map(_)));
            match &root.value {
                Value::Map(_) | Value::Null => Ok(ValuesFile {
                    document,
                    root: own.unwrap_or(root),
                    prefix: if own.is_some() {
                        "ai-gateway-helm."
                    } else {
                        ""
                    },
                }),
                _ => Err(Failure::new(format!(
                    "{}: Helm values are a mapping",
                    document.file
                ))),
            }
        });
        Ok(Values {
            files: files.collect::<Result<_, _>>()?,
        })
    }

    /// Looks a key up: the last file that says anything about it decides.
    fn find(&self, key: &str) -> Result<Found<'v>, Failure> {
        for file in self.files.iter().rev() {
            match file.find(key)? {
                Found::Default => {}
                found => return Ok(found),
            }
        }
        Ok(Found::Default)
    }

    pub(super) fn scalar(
        &self,
        key: &'static str,
        default: Option<&'static str>,
    ) -> Result<(Scalar<'v>, Option<Place>), Failure> {
        Ok(match self.find(key)? {
            Found::Default => (
                default.map_or(Scalar::Null, |text| Scalar::Text(text.into())),
                None,
            ),
            Found::Removed(place) => (Scalar::Null, Some(place)),
            Found::Set(node, place) => {
                let text = scalar_text(node)
                    .ok_or_else(|| wrong(key, "is a text or a number", Some(&place)))?;
                (Scalar::Text(text), Some(place))
            }
        })
    }

    pub(super) fn list(&self, key: &'static str) -> Result<(&'v [Node], Option<Place>), Failure> {
        Ok(match self.find(key)? {
            Found::Default => (&[], None),
            Found::Removed(place) => (&[], Some(place)),
            Found::Set(
                Node {
                    value: Value::List(items),
                    ..
                },
                place,
            ) => (items, Some(place)),
            Found::Set(_, place) => return Err(wrong(key, "is a list", Some(&place))),
        })
    }

    /// Keys that the chart does not have, with the nearest that it has.
    pub(in super::super) fn unknown_keys(&self, profile: &Profile) -> Vec<Finding> {
        let mut findings = Vec::new();
        for file in &self.files {
            if let Value::Map(map) = &file.root.value {
                file.unknown_keys("", map, profile, &mut findings);
            }
        }
        findings
    }
}

impl<'v> ValuesFile<'v> {
    fn place(&self, pos: Pos) -> Place {
        Place {
            file: self.document.file.clone(),
            pos: Some(pos),
            note: String::new(),
        }
    }

    fn find(&self, key: &str) -> Result<Found<'v>, Failure> {
        let mut node = self.root;
        let mut steps = key.split('.').peekable();
        while let Some(step) = steps.next() {
            let map = match &node.value {
                Value::Map(map) => map,
                Value::Null => return Ok(Found::Default),
                _ => {
                    let text = format!("{}: {key} stands in a mapping", self.place(node.pos));
                    return Err(Failure::new(text));
                }
            };
            let Some(entry) = map.entry(step) else {
                return Ok(Found::Default);
            };
            node = &entry.value;
            if node.value == Value::Null {
                let place = self.place(entry.key_pos);
                return match steps.peek() {
                    None => Ok(Found::Removed(place)),
                    Some(_) => Err(Failure::new(format!(
                        "{place}: {step} is null, and the chart cannot be rendered without it"
                    ))),
                };
            }
        }
        Ok(Found::Set(node, self.place(node.pos)))
    }

    fn unknown_keys(
        &self,
        parent: &str,
        map: &Map,
        profile: &Profile,
        findings: &mut Vec<Finding>,
    ) {
        for entry in map.iter() {
            let dot = if parent.is_empty() { "" } else { "." };
            let key = format!("{parent}{dot}{}", entry.key);
            match keys::meaning(&key, profile) {
                keys::Meaning::Section => {
                    if let Value::Map(map) = &entry.value.value {
                        self.unknown_keys(&key, map, profile, findings);
                    }
                }
                keys::Meaning::Value => {}
                keys::Meaning::Unknown { nearest } => {
                    let prefix = self.prefix;
                    let text = format!(
                        "the chart of {} has no key {prefix}{key}; it has no effect",
                        profile.release
                    );
                    let mut finding =
                        Finding::new(code::UNKNOWN_VALUES_KEY, Severity::Warning, text)
                            .at(self.place(entry.key_pos));
                    finding.field = format!("{prefix}{key}");
                    findings.push(match nearest {
                        Some(near) => finding.help(format!("did you mean {prefix}{near}?")),
                        None => finding,
                    });
                }
            }
        }
    }
}

/// A value of a type that the chart cannot be rendered with.
pub(super) fn wrong(key: &str, expected: &str, place: Option<&Place>) -> Failure {
    let place = place.map(|place| format!("{place}: ")).unwrap_or_default();
    Failure::new(format!("{place}{key} {expected}"))
}

/// A scalar as `{{ }}` prints it.
pub(super) fn scalar_text(node: &Node) -> Option<Cow<'_, str>> {
    Some(match &node.value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Int(number) => number.to_string().into(),
        Value::UInt(number) => number.to_string().into(),
        Value::Float(number) => number.to_string().into(),
        Value::Bool(value) => value.to_string().into(),
        Value::Null | Value::List(_) | Value::Map(_) => return None,
    })
}
