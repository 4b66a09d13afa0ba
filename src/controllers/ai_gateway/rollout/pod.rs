//! Whether a pod has the sidecar that the controller expects.

use super::super::sidecar::{Mode, Webhook, image};
use super::CONTAINER;
use crate::world::field::Field;
use crate::world::object::Object;

/// What a pod was found to have.
#[derive(Debug, Clone)]
pub struct PodState<'w> {
    /// The pod.
    pub object: &'w Object,
    /// It is being deleted and does not count.
    pub terminating: bool,
    /// Its sidecar.
    pub sidecar: SidecarState<'w>,
}

/// The sidecar of a pod, as the controller compares it: image, log level and `-mcpAddr`, nothing
/// else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SidecarState<'w> {
    /// As expected.
    Current,
    /// There is none.
    Absent,
    /// It is an ordinary container and should be an init container, or the other way round.
    WrongList,
    /// It has another image.
    OtherImage {
        /// The pod's image.
        found: &'w str,
        /// The image that the controller looks for.
        expected: String,
    },
    /// It has another log level.
    OtherLogLevel {
        /// The pod's level.
        found: &'w str,
        /// The level that the controller looks for.
        expected: String,
    },
    /// An MCPRoute is attached and the sidecar has no `-mcpAddr`.
    NoMcpAddress,
}

impl SidecarState<'_> {
    /// The id for machines.
    pub fn id(&self) -> &'static str {
        match self {
            SidecarState::Current => "current",
            SidecarState::Absent => "absent",
            SidecarState::WrongList => "wrong-list",
            SidecarState::OtherImage { .. } => "other-image",
            SidecarState::OtherLogLevel { .. } => "other-log-level",
            SidecarState::NoMcpAddress => "no-mcp-address",
        }
    }

    /// The state for people.
    pub fn text(&self) -> String {
        match self {
            SidecarState::Current => "has a current sidecar".to_string(),
            SidecarState::Absent => "has no sidecar".to_string(),
            SidecarState::WrongList => {
                "has the sidecar in the other list of containers than this cluster's version needs"
                    .to_string()
            }
            SidecarState::OtherImage { found, expected } => {
                format!("has a sidecar with image {found}, not {expected}")
            }
            SidecarState::OtherLogLevel { found, expected } => {
                format!("has a sidecar with log level {found}, not {expected}")
            }
            SidecarState::NoMcpAddress => {
                "has a sidecar without -mcpAddr, though an MCPRoute is attached".to_string()
            }
        }
    }
}

impl<'w> PodState<'w> {
    pub(super) fn of(object: &'w Object, webhook: &Webhook<'_, 'w>) -> Self {
        PodState {
            object,
            terminating: object.is_being_deleted(),
            sidecar: sidecar(object, webhook),
        }
    }

    /// Whether the pod has ended (evicted or completed). It counts like any other.
    pub fn has_ended(&self) -> bool {
        let phase = self.object.field().get("status").get("phase");
        matches!(phase.str(), Some("Failed" | "Succeeded"))
    }
}

/// The image that a pod must have.
pub(super) fn expected_image(webhook: &Webhook<'_, '_>) -> String {
    if !webhook.profile.resolves_expected_image {
        return webhook.settings.image().to_string();
    }
    image(webhook.settings, webhook.ext_proc)
        .text()
        .unwrap_or_default()
        .to_string()
}

fn sidecar<'w>(pod: &'w Object, webhook: &Webhook<'_, 'w>) -> SidecarState<'w> {
    let (list, other) = match webhook.mode {
        Mode::Sidecar => ("initContainers", "containers"),
        Mode::Container => ("containers", "initContainers"),
    };
    let named = |list: &'static str| {
        pod.spec()
            .get(list)
            .items()
            .filter(|c| c.get("name").str() == Some(CONTAINER))
    };
    let expected = expected_image(webhook);
    let image = |container: &Field<'w>| container.get("image").str_or_empty();
    match named(list).find(|container| image(container) == expected) {
        Some(container) => arguments(&container, webhook),
        None => match (named(list).next(), named(other).next()) {
            (Some(container), _) => SidecarState::OtherImage {
                found: image(&container),
                expected,
            },
            (None, Some(_)) => SidecarState::WrongList,
            (None, None) => SidecarState::Absent,
        },
    }
}

/// Compares the arguments. Only a flag and its value as two elements are seen.
fn arguments<'w>(container: &Field<'w>, webhook: &Webhook<'_, 'w>) -> SidecarState<'w> {
    let args: Vec<&str> = container
        .get("args")
        .items()
        .map(|arg| arg.str_or_empty())
        .collect();
    let expected = webhook.settings.log_level();
    let mut has_mcp_address = false;
    for (flag, value) in args.iter().zip(args.iter().skip(1)) {
        match *flag {
            "-logLevel" if *value != expected => {
                return SidecarState::OtherLogLevel {
                    found: value,
                    expected: expected.to_string(),
                };
            }
            "-mcpAddr" => has_mcp_address = true,
            _ => {}
        }
    }
    if webhook.has_mcp_routes && !has_mcp_address {
        return SidecarState::NoMcpAddress;
    }
    SidecarState::Current
}
