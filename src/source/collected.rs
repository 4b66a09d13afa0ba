//! The file that `aigwctl collect` puts beside the objects: what was read, and what the credentials
//! that are not there would have told.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::world::build::Builder;
use crate::world::coverage::{Coverage, Reach, Reason, Unread, Verb, resource};
use crate::world::kind::Kind;
use crate::world::recorded::{Recorded, RecordedGateway};

/// The name of the file.
pub const FILE: &str = "aigwctl-collect.json";
/// The form of the file.
const FORMAT: u32 = 1;

/// The content of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Collected {
    format: u32,
    /// The program that wrote it.
    program: String,
    /// Kinds of which only the objects that matter are here.
    partly: Vec<String>,
    /// Kinds that the cluster does not know.
    not_installed: Vec<String>,
    /// Reads that gave nothing.
    unread: Vec<UnreadRecord>,
    /// Answers that hang on credentials, by Gateway.
    gateways: BTreeMap<String, GatewayRecord>,
}

#[derive(Debug, Serialize, Deserialize)]
struct UnreadRecord {
    verb: String,
    resource: String,
    namespace: Option<String>,
    name: Option<String>,
    reason: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct GatewayRecord {
    #[serde(skip_serializing_if = "Option::is_none", default)]
    config_bytes: Option<Sizes>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    config_hash: Option<Hashes>,
}

/// Of the true document and of the one with placeholders.
#[derive(Debug, Serialize, Deserialize)]
struct Sizes {
    whole: usize,
    shown: usize,
}

/// Of the true configuration and of the one with placeholders.
#[derive(Debug, Serialize, Deserialize)]
struct Hashes {
    whole: String,
    shown: String,
}

const FORBIDDEN: &str = "forbidden";
const NO_SECRETS: &str = "--no-secrets";
const NOT_SHOWN: &str = "not shown";

fn find_kind(name: &str) -> Option<Kind> {
    let mut kinds = Kind::ALL.iter().copied();
    kinds.find(|kind| resource(*kind) == name)
}

impl Collected {
    /// What is to be written. `partly` are the kinds of which not every object is written.
    pub fn new(coverage: &Coverage, partly: &[Kind], recorded: &Recorded) -> Self {
        let names = |kinds: &mut dyn Iterator<Item = Kind>| kinds.map(resource).collect();
        let absent = |kind: &Kind| coverage.of(*kind) == Some(&Reach::NotInstalled);
        let unread = coverage.unread().map(|u| UnreadRecord {
            verb: u.verb.word().to_string(),
            resource: u.resource(),
            namespace: u.namespace.clone(),
            name: u.name.clone(),
            reason: match &u.reason {
                Reason::Forbidden => FORBIDDEN.to_string(),
                Reason::NotWanted(flag) => flag.to_string(),
                Reason::Failed(words) => words.clone(),
                Reason::NotShown => NOT_SHOWN.to_string(),
            },
        });
        let gateways = recorded
            .gateways
            .iter()
            .map(|((namespace, name), gateway)| {
                let record = GatewayRecord {
                    config_bytes: gateway
                        .config_bytes
                        .map(|(whole, shown)| Sizes { whole, shown }),
                    config_hash: gateway
                        .config_hash
                        .clone()
                        .map(|(whole, shown)| Hashes { whole, shown }),
                };
                (format!("{namespace}/{name}"), record)
            });
        Collected {
            format: FORMAT,
            program: format!("aigwctl {}", env!("CARGO_PKG_VERSION")),
            partly: names(&mut partly.iter().copied()),
            not_installed: names(&mut Kind::ALL.iter().copied().filter(absent)),
            unread: unread.collect(),
            gateways: gateways.collect(),
        }
    }

    /// The file's text.
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("strings and numbers are JSON");
        text.push('\n');
        text
    }

    /// Reads the file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let read: Self = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
        match read.format {
            FORMAT => Ok(read),
            other => Err(format!(
                "its form is {other}, and {FORMAT} is what this version reads"
            )),
        }
    }

    /// Tells a world what was read and recorded.
    pub(super) fn tell(self, builder: &mut Builder) {
        let coverage = builder.coverage();
        let find = |names: &[String]| {
            names
                .iter()
                .filter_map(|n| find_kind(n))
                .collect::<Vec<_>>()
        };
        for kind in find(&self.not_installed) {
            coverage.add(kind, Reach::NotInstalled);
        }
        for kind in find(&self.partly) {
            coverage.set_partly(kind);
        }
        for record in self.unread {
            let Some(kind) = find_kind(&record.resource) else {
                continue;
            };
            coverage.add_unread(Unread {
                verb: match &*record.verb {
                    "list" => Verb::List,
                    _ => Verb::Get,
                },
                kind,
                namespace: record.namespace,
                name: record.name,
                reason: match &*record.reason {
                    FORBIDDEN => Reason::Forbidden,
                    NO_SECRETS => Reason::NotWanted(NO_SECRETS),
                    NOT_SHOWN => Reason::NotShown,
                    _ => Reason::Failed(record.reason),
                },
            });
        }
        let gateways = self.gateways.into_iter().filter_map(|(name, record)| {
            let (namespace, name) = name.split_once('/')?;
            let gateway = RecordedGateway {
                config_bytes: record.config_bytes.map(|s| (s.whole, s.shown)),
                config_hash: record.config_hash.map(|h| (h.whole, h.shown)),
            };
            Some(((namespace.to_string(), name.to_string()), gateway))
        });
        builder.set_recorded(Recorded {
            gateways: gateways.collect(),
        });
    }
}
