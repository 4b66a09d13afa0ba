//! What the mutating webhook does to a pod of a Gateway.
//!
//! Takes the settings, the GatewayConfig and which Secrets exist; gives whether a pod is changed and
//! everything that is added to it.

mod container;
mod image;
mod pod;
mod volumes;

pub(super) use container::extra_env;
pub use image::image;
pub use pod::{Case, cases, sample};

use super::names::Names;
use super::part::Part;
use super::settings::Settings;
use crate::controllers::profile::Profile;
use crate::world::KubernetesVersion;

/// The sidecar's name.
pub const CONTAINER: &str = "ai-gateway-extproc";
/// The port of the MCP proxy in the sidecar.
const MCP_ADDRESS: &str = ":9856";
/// The socket that Envoy and the sidecar share.
pub(super) const UDS_PATH: &str = "/etc/ai-gateway-extproc-uds/run.sock";

/// How the sidecar runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// As an init container that is restarted, from Kubernetes 1.33 on.
    Sidecar,
    /// As an ordinary container.
    Container,
}

impl Mode {
    /// The mode that the controller chooses for an API server. Both numbers are read strictly:
    /// `33+` is no number, and the mode is [`Mode::Container`].
    pub fn of(version: &KubernetesVersion) -> Self {
        let at_least = |text: &str, least: i64| text.parse::<i64>().is_ok_and(|n| n >= least);
        if at_least(&version.major, 1) && at_least(&version.minor, 33) {
            Mode::Sidecar
        } else {
            Mode::Container
        }
    }
}

/// Reads `1.33`, `v1.33.4` or `1.33+` into what an API server of that version reports.
pub fn kubernetes_version(text: &str) -> Option<KubernetesVersion> {
    let mut numbers = text.strip_prefix('v').unwrap_or(text).split('.');
    let (major, minor) = (numbers.next()?, numbers.next()?);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let reads = digits(major) && digits(minor.strip_suffix('+').unwrap_or(minor));
    reads.then(|| KubernetesVersion {
        major: major.to_string(),
        minor: minor.to_string(),
    })
}

/// Which filter config Secrets there are in the pod's namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ConfigSecrets {
    /// The one with the whole document.
    pub legacy: bool,
    /// The bundle's index. The parts are not looked at.
    pub index: bool,
}

/// What the webhook knows about a Gateway.
#[derive(Debug, Clone, Copy)]
pub struct Webhook<'a, 'w> {
    /// The controller's version.
    pub profile: &'a Profile,
    /// The controller's settings.
    pub settings: &'a Settings<'w>,
    /// How the sidecar runs.
    pub mode: Mode,
    /// `spec.extProc` of the GatewayConfig.
    pub ext_proc: &'a Part<'w>,
    /// Names of the Gateway's Secrets and volumes.
    pub names: &'a Names,
    /// Some AIGatewayRoute is attached; being deleted does not matter.
    pub has_routes: bool,
    /// Some MCPRoute is attached; being deleted does not matter.
    pub has_mcp_routes: bool,
}

/// What the webhook does to a pod.
#[derive(Debug, Clone)]
pub enum Admission<'w> {
    /// The pod passes as it is.
    Untouched(Untouched),
    /// The sidecar is added.
    Injected(Box<Injection<'w>>),
}

/// Why a pod passes as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untouched {
    /// No AIGatewayRoute and no MCPRoute is attached to the Gateway.
    NoRoutes,
    /// The pod's namespace has no filter config Secret of the Gateway.
    NoSecret,
}

impl Untouched {
    /// The reason for people.
    pub fn text(self) -> &'static str {
        match self {
            Untouched::NoRoutes => "no AIGatewayRoute and no MCPRoute is attached to the Gateway",
            Untouched::NoSecret => "the pod's namespace has no filter config Secret of the Gateway",
        }
    }
}

/// Everything that is added to a pod.
#[derive(Debug, Clone)]
pub struct Injection<'w> {
    /// How the sidecar runs, and so to which list it is added.
    pub mode: Mode,
    /// Added to `spec.volumes`.
    pub volumes: Vec<Part<'w>>,
    /// Added to `spec.initContainers` or `spec.containers`.
    pub container: Part<'w>,
    /// Added to `volumeMounts` of every container named `envoy`.
    pub envoy_mount: Part<'w>,
    /// Added to `spec.imagePullSecrets`.
    pub image_pull_secrets: Vec<Part<'w>>,
}

impl Injection<'_> {
    /// Why the API server refuses the changed pod, if it does.
    pub fn refusal(&self) -> Option<String> {
        volumes::refusal(&self.volumes)
    }
}

impl<'w> Webhook<'_, 'w> {
    /// What happens to a pod of the Gateway that is created now.
    pub fn admit(&self, secrets: ConfigSecrets) -> Admission<'w> {
        let secrets = ConfigSecrets {
            index: secrets.index && self.profile.splits_config,
            ..secrets
        };
        if !self.has_routes && !self.has_mcp_routes {
            return Admission::Untouched(Untouched::NoRoutes);
        }
        if secrets == ConfigSecrets::default() {
            return Admission::Untouched(Untouched::NoSecret);
        }
        Admission::Injected(Box::new(self.inject(secrets)))
    }

    fn inject(&self, secrets: ConfigSecrets) -> Injection<'w> {
        Injection {
            mode: self.mode,
            volumes: volumes::volumes(self.profile, self.names, secrets),
            container: container::container(self, secrets),
            envoy_mount: volumes::uds_mount(),
            image_pull_secrets: image_pull_secrets(self.settings),
        }
    }
}

/// The configured names as the pod refers to them.
pub(super) fn image_pull_secrets<'w>(settings: &Settings<'w>) -> Vec<Part<'w>> {
    let id = super::settings::flags::Id::ExtProcImagePullSecrets;
    let names = settings.image_pull_secrets();
    let references = names
        .into_iter()
        .map(|name| Part::map([("name", Part::setting(name.to_string(), settings, id))]));
    references.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_follows_the_version_as_strictly_as_the_controller_reads_it() {
        use Mode::{Container, Sidecar};
        for (text, mode) in [
            ("1.33", Some(Sidecar)),
            ("v1.33.4", Some(Sidecar)),
            ("1.34", Some(Sidecar)),
            ("1.40", Some(Sidecar)),
            ("1.32", Some(Container)),
            ("1.9", Some(Container)),
            ("1.33+", Some(Container)),
            ("v1.33.4-gke.100", Some(Sidecar)),
            ("2.0", Some(Container)),
            ("2.40", Some(Sidecar)),
            ("0.40", Some(Container)),
            ("1", None),
            ("", None),
            ("1.x", None),
            ("latest", None),
            ("1.33-eks", None),
        ] {
            let read = kubernetes_version(text);
            assert_eq!(read.map(|version| Mode::of(&version)), mode, "{text:?}");
        }
    }

    #[test]
    fn a_version_that_is_no_number_means_an_ordinary_container() {
        for (major, minor) in [("", ""), ("1", ""), ("invalid", "33"), ("1", "invalid")] {
            let version = KubernetesVersion {
                major: major.to_string(),
                minor: minor.to_string(),
            };
            assert_eq!(Mode::of(&version), Mode::Container, "{major}.{minor}");
        }
    }
}
