//! The controller that the benchmarks ask.

use aigwctl::controllers::ai_gateway::options::{MissingSecrets, Options, PLACEHOLDER_UUID};
use aigwctl::controllers::ai_gateway::settings::{Inputs, resolve};
use aigwctl::controllers::ai_gateway::sidecar::Mode;
use aigwctl::controllers::profile::ControllerVersion;

/// The newest one with the chart's settings; what is not in the input is assumed.
pub(crate) fn options<'w>() -> Options<'w> {
    let version = ControllerVersion::newest();
    let (settings, _) = resolve(&version, &Inputs::default()).expect("defaults are valid");
    Options {
        version,
        uuid: PLACEHOLDER_UUID.to_string(),
        complete: false,
        missing_secrets: MissingSecrets::Placeholder,
        assume_namespace: None,
        standalone: false,
        settings,
        mode: Mode::Sidecar,
        version_unread: Vec::new(),
    }
}
