//! What each command reads from a cluster: the lists it makes, and whether it reads Secrets.
//!
//! The live commands read by this table and `aigwctl rbac` prints it, so that they cannot differ.

use crate::source::need::Need;
use crate::world::OWNING_GATEWAY_NAME;
use crate::world::kind::Kind;

/// What a command needs of a cluster.
#[derive(Debug, Clone, Copy)]
pub struct Needs {
    /// The name of the command.
    pub command: &'static str,
    /// The kinds that are listed.
    pub lists: &'static [Need],
    /// Whether single Secrets are read.
    pub secrets: bool,
}

/// `render`: the objects that make the document, the workloads of the Gateways, and the controller.
pub const RENDER: Needs = Needs {
    command: "render",
    lists: &[
        Need::all(Kind::AIGatewayRoute),
        Need::all(Kind::AIServiceBackend),
        Need::all(Kind::BackendSecurityPolicy),
        Need::all(Kind::GatewayConfig),
        Need::all(Kind::MCPRoute),
        Need::all(Kind::QuotaPolicy),
        Need::all(Kind::Gateway),
        // The controller is one of them, so a label does not do.
        Need::all(Kind::Deployment),
        Need::labelled(Kind::DaemonSet, OWNING_GATEWAY_NAME),
        Need::labelled(Kind::Pod, OWNING_GATEWAY_NAME),
    ],
    secrets: true,
};

/// `doctor`: everything that some probe looks at.
pub const DOCTOR: Needs = Needs {
    command: "doctor",
    lists: &[
        Need::all(Kind::AIGatewayRoute),
        Need::all(Kind::AIServiceBackend),
        Need::all(Kind::BackendSecurityPolicy),
        Need::all(Kind::GatewayConfig),
        Need::all(Kind::MCPRoute),
        Need::all(Kind::QuotaPolicy),
        Need::all(Kind::Gateway),
        Need::all(Kind::GatewayClass),
        Need::all(Kind::HTTPRoute),
        Need::all(Kind::ReferenceGrant),
        Need::all(Kind::InferencePool),
        Need::all(Kind::EnvoyProxy),
        Need::all(Kind::ConfigMap),
        Need::all(Kind::Namespace),
        Need::all(Kind::Service),
        Need::all(Kind::EndpointSlice),
        Need::all(Kind::Pod),
        Need::all(Kind::Deployment),
        Need::all(Kind::DaemonSet),
        Need::all(Kind::ReplicaSet),
        Need::all(Kind::Event),
        Need::all(Kind::Lease),
        Need::all(Kind::MutatingWebhookConfiguration),
        Need::all(Kind::CustomResourceDefinition),
    ],
    secrets: true,
};

/// `collect`: what `doctor` needs, which is what any command does.
pub const COLLECT: Needs = Needs {
    command: "collect",
    ..DOCTOR
};

/// `diff`: what `render` needs.
pub const DIFF: Needs = Needs {
    command: "diff",
    ..RENDER
};

/// `why`: what `render` needs.
pub const WHY: Needs = Needs {
    command: "why",
    ..RENDER
};

/// Every command that reads a cluster.
pub const ALL: &[Needs] = &[COLLECT, DIFF, DOCTOR, RENDER, WHY];
