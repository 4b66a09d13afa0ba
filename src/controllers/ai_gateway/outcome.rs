//! What the controller would do with one Gateway.

use super::build::Halt;
use super::bundle::{Payload, SecretView, SecretWrite, part_count};
use super::config::Config;
use super::discovery::Workloads;
use super::names::Names;
use super::skip::Skip;
use super::unknown::Unknown;
use super::workload::WorkloadAnswer;
use crate::secret::{Reveal, Secret};
use crate::world::NamespacedName;
use crate::world::finding::Finding;
use crate::world::object::Object;

/// What the controller would do with one Gateway, and why.
#[derive(Debug)]
pub struct Outcome<'w> {
    /// Namespace and name of the Gateway.
    pub gateway: NamespacedName,
    /// The Gateway; `None` when it is assumed because routes point at it.
    pub object: Option<&'w Object>,
    /// Its GatewayConfig.
    pub gateway_config: Option<&'w Object>,
    /// The hard error that stops the reconcile.
    pub refusal: Option<Halt<'w>>,
    /// After how many seconds it asks to be called again.
    pub requeue_seconds: Option<u32>,
    /// The document; `None` when it was not built.
    pub config: Option<Config<'w>>,
    /// How many bytes the document has, also when it is not stored. Not those of the text where
    /// credentials are placeholders and the true size was recorded.
    pub document_bytes: Option<usize>,
    /// The document as it would be stored; `None` when none would be.
    pub stored: Option<Stored<'w>>,
    /// What was left out.
    pub skipped: Vec<Skip<'w>>,
    /// Remarks on this Gateway.
    pub findings: Vec<Finding>,
    /// Pods, Deployments and DaemonSets.
    pub workloads: Workloads<'w>,
    /// No workload is in the input, and one current workload is assumed.
    pub assumed_workload: bool,
    /// Whether some attached route is live.
    pub has_effective_route: bool,
    /// Whether any MCPRoute is attached, live or not.
    pub need_mcp: bool,
    /// The parts that could not be told.
    pub unknown: Vec<Unknown>,
    /// What happens to the workload, and to pods that are created.
    pub workload: WorkloadAnswer<'w>,
}

/// The document as it would be stored.
#[derive(Debug)]
pub struct Stored<'w> {
    /// The exact text, credentials included.
    pub text: Secret<String>,
    /// The names of the Gateway's Secrets.
    pub names: Names,
    /// The Secrets, by name.
    pub writes: Vec<SecretWrite<'w>>,
}

impl Outcome<'_> {
    /// `namespace/name`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.gateway.0, self.gateway.1)
    }

    /// The text of the document with hidden values as placeholders, unless they are to be revealed.
    /// `None` when no document would be stored.
    pub fn text(&self, reveal: Reveal) -> Option<String> {
        let stored = self.stored.as_ref()?;
        if reveal.secrets {
            return Some(stored.text.reveal().clone());
        }
        let config = self.config.as_ref()?;
        Some(config.to_yaml(reveal).expect(
            "placeholders can be written, and everything else could be when the text was made",
        ))
    }

    /// The Secrets after the write.
    pub fn secrets(&self, reveal: Reveal) -> Vec<SecretView> {
        let (Some(stored), Some(config), Some(text)) =
            (&self.stored, &self.config, self.text(reveal))
        else {
            return Vec::new();
        };
        let payload = Payload::new(&text, part_count(self.bytes().unwrap_or_default()));
        let index = payload.index(
            &stored.names,
            &config.uuid.shown(reveal),
            &config.version.shown(reveal),
        );
        stored
            .writes
            .iter()
            .map(|w| w.view(&payload, &index, reveal))
            .collect()
    }

    /// How many bytes the document has; `None` when it is not stored.
    pub fn bytes(&self) -> Option<usize> {
        self.document_bytes.filter(|_| self.stored.is_some())
    }
}
