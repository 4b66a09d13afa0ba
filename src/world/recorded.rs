//! Answers that were recorded beside objects whose credentials are placeholders, where a credential is
//! itself an input of an answer.

use std::collections::BTreeMap;

use super::NamespacedName;

/// What was recorded. A world that has it holds everything that its answers need.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recorded {
    /// By Gateway.
    pub gateways: BTreeMap<NamespacedName, RecordedGateway>,
}

/// What was recorded for one Gateway.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordedGateway {
    /// Bytes of the document: the true one, and the one with placeholders.
    pub config_bytes: Option<(usize, usize)>,
    /// Hash of the sidecar's configuration: the true one, and the one with placeholders.
    pub config_hash: Option<(String, String)>,
}

impl Recorded {
    /// The bytes of a Gateway's true document, from those of the one with placeholders: what the
    /// credentials add is the same in every version of the document.
    pub fn config_bytes(&self, gateway: &NamespacedName, shown: usize) -> usize {
        let recorded = self.gateways.get(gateway).and_then(|g| g.config_bytes);
        match recorded {
            Some((whole, hidden)) => (shown + whole).saturating_sub(hidden),
            None => shown,
        }
    }

    /// The true hash, from the one with placeholders; as it is when it is not the recorded one.
    pub fn config_hash(&self, gateway: &NamespacedName, shown: String) -> String {
        let recorded = self
            .gateways
            .get(gateway)
            .and_then(|g| g.config_hash.as_ref());
        match recorded {
            Some((whole, hidden)) if *hidden == shown => whole.clone(),
            _ => shown,
        }
    }
}
