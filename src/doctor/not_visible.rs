//! What no object of a cluster ever shows, and where to look for it.

use super::case::Case;
use super::probe::Diagnosis;

/// Something that cannot be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotVisible {
    /// Its id.
    pub id: &'static str,
    /// What it is.
    pub what: &'static str,
    /// The command that shows it.
    pub look: &'static str,
    /// The line to look for; empty where there is none.
    pub line: &'static str,
    /// The rows of the catalogue of causes that it may decide.
    pub rows: &'static [&'static str],
}

const CONTROLLER_LOG: &str =
    "kubectl -n envoy-ai-gateway-system logs deployment/ai-gateway-controller";
const SIDECAR_LOG: &str = "kubectl -n NAMESPACE logs POD -c ai-gateway-extproc";

/// Everything of the kind.
pub const ALL: &[NotVisible] = &[
    NotVisible {
        id: "controller-log",
        what: "the errors of the controller's reconciles",
        look: CONTROLLER_LOG,
        line: "Reconciler error",
        rows: &["S10", "H1", "H2", "H3", "H5", "H6"],
    },
    NotVisible {
        id: "controller-cache",
        what: "which routes and Secrets the controller's caches held when it looked",
        look: CONTROLLER_LOG,
        line: "filter config secret found, skipping mutation",
        rows: &["S9", "T5", "T16"],
    },
    NotVisible {
        id: "secret-write",
        what: "a write of a Secret, or a patch of a pod, that the API server refused",
        look: CONTROLLER_LOG,
        line: "failed to patch pod",
        rows: &["H7", "H9"],
    },
    NotVisible {
        id: "webhook-handshake",
        what: "a TLS handshake of the API server with the webhook that fails",
        look: CONTROLLER_LOG,
        line: "http: TLS handshake error",
        rows: &["S3", "S4"],
    },
    NotVisible {
        id: "webhook-network",
        what: "a NetworkPolicy or firewall between the API server and port 9443",
        look: "kubectl get events -A --field-selector reason=FailedCreate",
        line: "failed calling webhook",
        rows: &["S8"],
    },
    NotVisible {
        id: "sidecar-log",
        what: "the config that a sidecar has in memory, and why it refused a newer one",
        look: SIDECAR_LOG,
        line: "failed to update config",
        rows: &["W3", "T9", "T10"],
    },
    NotVisible {
        id: "sidecar-start",
        what: "why a sidecar could not load its first config",
        look: SIDECAR_LOG,
        line: "failed to load initial config",
        rows: &["W10"],
    },
    NotVisible {
        id: "private-key",
        what: "whether tls.key fits the certificate that the webhook serves",
        look: CONTROLLER_LOG,
        line: "tls: private key does not match public key",
        rows: &["S4"],
    },
    NotVisible {
        id: "kubelet-delay",
        what: "how long the kubelet takes to refresh a Secret in a pod, up to about a minute",
        look: SIDECAR_LOG,
        line: "config updated",
        rows: &["S18"],
    },
];

const CONFIG_DUMP: NotVisible = NotVisible {
    id: "config-dump",
    what: "whether Envoy has the filter that asks the sidecar",
    look: "kubectl -n NAMESPACE port-forward POD 19000 & curl -s localhost:19000/config_dump > \
           dump.json; aigwctl doctor … --config-dump dump.json",
    line: "/etc/ai-gateway-extproc-uds/run.sock",
    rows: &["W11"],
};

const DELETED_GATEWAYS: NotVisible = NotVisible {
    id: "left-over-secrets",
    what: "filter config Secrets of Gateways that are deleted: Secrets are read by name only",
    look: "aigwctl doctor DUMP  # of a dump with Secrets",
    line: "",
    rows: &["T12"],
};

/// What this case does not show.
pub(super) fn list(case: &Case<'_>, _: &[Diagnosis]) -> Vec<NotVisible> {
    let mut all = ALL.to_vec();
    if case.config_dump.is_none() {
        all.push(CONFIG_DUMP);
    }
    if case.live {
        all.push(DELETED_GATEWAYS);
    }
    all
}
