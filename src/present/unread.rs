//! Reads that gave nothing, in machine-readable output.

use serde::Serialize;

use crate::world::coverage::{Reason, Unread};

/// A read that gave nothing.
#[derive(Debug, Serialize)]
pub struct UnreadJson<'u> {
    verb: &'static str,
    resource: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'u str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'u str>,
    reason: &'u str,
}

impl<'u> From<&'u Unread> for UnreadJson<'u> {
    fn from(unread: &'u Unread) -> Self {
        UnreadJson {
            verb: unread.verb.word(),
            resource: unread.resource(),
            namespace: unread.namespace.as_deref(),
            name: unread.name.as_deref(),
            reason: match &unread.reason {
                Reason::Forbidden => "forbidden",
                Reason::Failed(words) => words,
                Reason::NotWanted(flag) => flag,
                Reason::NotShown => "not in the dump",
            },
        }
    }
}
