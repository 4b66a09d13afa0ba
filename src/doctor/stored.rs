//! What the filter config Secrets of a Gateway hold, and how it differs from what would be written.
//! Values are compared, never kept: a difference names its place only.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use crate::controllers::ai_gateway::bundle::hex;
use crate::controllers::ai_gateway::names::Names;
use crate::controllers::ai_gateway::secret_data;
use crate::manifest::{Limits, read_yaml};
use crate::secret::Secret;
use crate::world::World;
use crate::world::kind::Kind;
use crate::world::object::Object;

/// A document that was found.
#[derive(Debug)]
pub(super) struct Document<'w> {
    /// The Secret that says which version and write it is: the index, or the only Secret.
    pub(super) object: &'w Object,
    /// Of the controller that wrote it.
    pub(super) version: String,
    /// The legacy Secret beside a bundle holds something else.
    pub(super) legacy_is_old: Option<&'w Object>,
    content: Secret<Json>,
}

/// What was found.
#[derive(Debug)]
pub(super) enum Stored<'w> {
    /// There is no Secret of the Gateway.
    Absent,
    /// They do not fit together, and why.
    Damaged(&'w Object, String),
    /// A document.
    Document(Document<'w>),
}

/// Reads the document of a Gateway in a namespace.
pub(super) fn read<'w>(
    world: &'w World,
    names: &Names,
    namespace: &str,
    splits: bool,
) -> Stored<'w> {
    let secret = |name: &str| world.get(Kind::Secret, namespace, name);
    let legacy = secret(names.legacy_secret());
    match secret(&names.index_secret()).filter(|_| splits) {
        Some(index) => bundle(index, legacy, &secret),
        None => match legacy {
            Some(legacy) => whole(legacy),
            None => Stored::Absent,
        },
    }
}

fn whole(legacy: &Object) -> Stored<'_> {
    match secret_data::value(legacy, "filter-config.yaml") {
        Some((bytes, _)) => document(legacy, &bytes, None),
        None => Stored::Damaged(legacy, "it has no key filter-config.yaml".to_string()),
    }
}

fn document<'w>(object: &'w Object, bytes: &[u8], legacy_is_old: Option<&'w Object>) -> Stored<'w> {
    let Some(content) = parse(bytes) else {
        let text = "the document is no YAML mapping".to_string();
        return Stored::Damaged(object, text);
    };
    Stored::Document(Document {
        object,
        version: text(&content, "version"),
        legacy_is_old,
        content: Secret::new(content),
    })
}

fn bundle<'w>(
    index: &'w Object,
    legacy: Option<&'w Object>,
    secret: &dyn Fn(&str) -> Option<&'w Object>,
) -> Stored<'w> {
    let damaged = |text: String| Stored::Damaged(index, text);
    let bytes = secret_data::value(index, "index.yaml").map(|(bytes, _)| bytes);
    let Some(bytes) = bytes else {
        return damaged("it has no key index.yaml".to_string());
    };
    let Some(listed) = parse(&bytes) else {
        return damaged("the index is no YAML mapping".to_string());
    };
    let mut payload = Vec::new();
    for part in listed["parts"].as_array().into_iter().flatten() {
        let name = part["name"].as_str().unwrap_or_default();
        let Some(part) = secret(name) else {
            return damaged(format!("its part {name} is missing"));
        };
        let Some((chunk, _)) = secret_data::value(part, "chunk") else {
            return Stored::Damaged(part, "it has no key chunk".to_string());
        };
        payload.extend_from_slice(&chunk);
    }
    let checksum = text(&listed, "checksum").to_lowercase();
    if hex(&Sha256::digest(&payload)) != checksum {
        return damaged("its checksum is not that of its parts".to_string());
    }
    let old = legacy.filter(|legacy| {
        let bytes = secret_data::value(legacy, "filter-config.yaml");
        bytes.is_some_and(|(bytes, _)| *bytes != *payload)
    });
    document(index, &payload, old)
}

fn parse(bytes: &[u8]) -> Option<Json> {
    let document = read_yaml("filter-config.yaml".into(), bytes, &Limits::default()).ok()?;
    Some(document.root.to_json()).filter(Json::is_object)
}

fn text(value: &Json, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_string()
}

/// A place of the document that is not as it would be written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Difference {
    /// The place.
    pub(super) path: String,
    /// What is different, without values.
    pub(super) text: String,
    /// Only a credential differs.
    pub(super) credential: bool,
    /// The stored document has it and the written one would not.
    pub(super) extra: bool,
}

impl Document<'_> {
    /// How it differs from the text that would be written. `None` when that text cannot be read
    /// again.
    pub(super) fn differences(&self, written: &str) -> Option<Vec<Difference>> {
        let written = parse(written.as_bytes())?;
        let stored = self.content.reveal();
        let mut all = Vec::new();
        backends(stored, &written, &mut all);
        let keys: BTreeSet<&String> = [stored, &written]
            .into_iter()
            .filter_map(Json::as_object)
            .flat_map(|o| o.keys())
            .collect();
        for key in keys {
            match key.as_str() {
                "uuid" | "version" | "backends" => {}
                key => member(key, &stored[key], &written[key], &mut all),
            }
        }
        Some(all)
    }

    /// How its backends differ from some that would be written.
    pub(super) fn backend_differences(&self, written: &Json) -> Vec<Difference> {
        let mut all = Vec::new();
        backends(self.content.reveal(), written, &mut all);
        all.retain(|d| !d.extra);
        all
    }

    /// The models that it lists.
    pub(super) fn models(&self) -> BTreeSet<&str> {
        let models = self.content.reveal()["models"].as_array();
        let names = models.into_iter().flatten().map(|m| m["Name"].as_str());
        names.flatten().collect()
    }
}

/// Reads a text that would be written, to compare a document with it.
pub(super) fn read_written(text: &str) -> Option<Json> {
    parse(text.as_bytes())
}

fn by_name(document: &Json) -> BTreeMap<&str, &Json> {
    let all = document["backends"].as_array().into_iter().flatten();
    all.filter_map(|b| Some((b["name"].as_str()?, b))).collect()
}

fn backends(stored: &Json, written: &Json, all: &mut Vec<Difference>) {
    let (stored, written) = (by_name(stored), by_name(written));
    let names: BTreeSet<&str> = stored.keys().chain(written.keys()).copied().collect();
    for name in names {
        let path = format!("backends[{name}]");
        let (text, credential, extra) = match (stored.get(name), written.get(name)) {
            (Some(stored), Some(written)) => match differing(stored, written) {
                keys if keys.is_empty() => continue,
                keys => {
                    let credential = keys == ["auth"];
                    (format!("{} differs", keys.join(", ")), credential, false)
                }
            },
            (None, _) => ("is missing".to_string(), false, false),
            (_, None) => ("should not be there".to_string(), false, true),
        };
        all.push(Difference {
            path,
            text,
            credential,
            extra,
        });
    }
}

/// The members that differ, whatever the order of what the controller leaves to chance.
fn differing(stored: &Json, written: &Json) -> Vec<String> {
    let members = |value: &Json| -> BTreeSet<String> {
        let object = value.as_object();
        object.into_iter().flat_map(|o| o.keys().cloned()).collect()
    };
    let keys: BTreeSet<String> = &members(stored) | &members(written);
    keys.into_iter()
        .filter(|key| canonical(&stored[key]) != canonical(&written[key]))
        .collect()
}

fn member(key: &str, stored: &Json, written: &Json, all: &mut Vec<Difference>) {
    let mut push = |path: String, text: &str, extra: bool| {
        all.push(Difference {
            path,
            text: text.to_string(),
            credential: false,
            extra,
        });
    };
    match (stored, written) {
        (Json::Array(_) | Json::Null, Json::Array(_) | Json::Null) if key != "mcpConfig" => {
            let (stored, written) = (items(stored), items(written));
            for (item, count) in &written {
                if stored.get(item).is_none_or(|n| n < count) {
                    push(format!("{key}[{}]", label(item)), "is missing", false);
                }
            }
            for (item, count) in &stored {
                if written.get(item).is_none_or(|n| n < count) {
                    push(
                        format!("{key}[{}]", label(item)),
                        "should not be there",
                        true,
                    );
                }
            }
        }
        _ if canonical(stored) != canonical(written) => {
            let extra = written.is_null();
            push(key.to_string(), "differs", extra);
        }
        _ => {}
    }
}

fn items(list: &Json) -> BTreeMap<String, usize> {
    let mut items = BTreeMap::new();
    for item in list.as_array().into_iter().flatten() {
        *items.entry(canonical(item)).or_default() += 1;
    }
    items
}

/// What names an item of a list, which never is a credential.
fn label(item: &str) -> String {
    let item: Json = serde_json::from_str(item).unwrap_or_default();
    let of = |key: &str| item[key].as_str().map(str::to_string);
    let route = of("routeName").map(|route| format!("{route} "));
    let name = of("Name")
        .or_else(|| of("metadataKey"))
        .or_else(|| of("name"));
    format!("{}{}", route.unwrap_or_default(), name.unwrap_or_default())
}

/// A text that is equal for values that mean the same: lists are sorted.
fn canonical(value: &Json) -> String {
    fn sorted(value: &Json) -> Json {
        match value {
            Json::Array(items) => {
                let mut items: Vec<Json> = items.iter().map(sorted).collect();
                items.sort_by_cached_key(Json::to_string);
                Json::Array(items)
            }
            Json::Object(members) => {
                let mut members: Vec<_> = members
                    .iter()
                    .map(|(k, v)| (k.clone(), sorted(v)))
                    .collect();
                members.sort_by(|a, b| a.0.cmp(&b.0));
                Json::Object(members.into_iter().collect())
            }
            other => other.clone(),
        }
    }
    sorted(value).to_string()
}
