//! What the answer depends on besides the objects.

use super::settings::Settings;
use super::sidecar::Mode;
use crate::controllers::profile::{ControllerVersion, Profile};
use crate::world::coverage::Unread;

/// The UUID of a document where none is asked for: a constant that is visibly none of a controller.
pub const PLACEHOLDER_UUID: &str = "00000000-0000-0000-0000-000000000000";

/// What to do with a credential whose Secret is not in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingSecrets {
    /// Assume it, and write a placeholder that names it.
    #[default]
    Placeholder,
    /// Leave the backend out, as the controller does when the Secret does not exist.
    Skip,
    /// Assume it, and report an error.
    Fail,
}

/// Options of one answer.
#[derive(Debug, Clone)]
pub struct Options<'w> {
    /// The controller.
    pub version: ControllerVersion,
    /// The UUID of the document.
    pub uuid: String,
    /// The input is everything that the cluster holds.
    pub complete: bool,
    /// Secrets that are not in the input.
    pub missing_secrets: MissingSecrets,
    /// Where the workload of a Gateway is assumed; `None` for Envoy Gateway's namespace.
    pub assume_namespace: Option<String>,
    /// The controller runs without workloads.
    pub standalone: bool,
    /// The controller's own settings.
    pub settings: Settings<'w>,
    /// How the sidecar runs.
    pub mode: Mode,
    /// Reads that gave nothing and that the controller's version was to be made out from.
    pub version_unread: Vec<Unread>,
}

impl Options<'_> {
    /// The behaviour of the controller's version.
    pub fn profile(&self) -> &'static Profile {
        self.version.profile
    }
}
