//! What no object of a cluster ever shows, and where to look for it.

use super::case::{Case, sidecar_of};
use super::probe::Diagnosis;
use crate::world::object::Object;

/// Something that cannot be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotVisible {
    /// Its id.
    pub id: &'static str,
    /// What it is.
    pub what: &'static str,
    /// The command that shows it.
    pub look: String,
    /// The line to look for; empty where there is none.
    pub line: &'static str,
    /// The rows of the catalogue of causes that it may decide.
    pub rows: &'static [&'static str],
}

/// Where something is to be looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The controller's log.
    ControllerLog,
    /// The log of a sidecar.
    SidecarLog,
    /// What a command shows.
    Command(&'static str),
}

/// An entry of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Its id.
    pub id: &'static str,
    /// What cannot be seen.
    pub what: &'static str,
    /// Where it can.
    pub place: Place,
    /// The line to look for; empty where there is none.
    pub line: &'static str,
    /// The rows of the catalogue of causes that it may decide.
    pub rows: &'static [&'static str],
    /// The probes whose faults point at it; empty for what every cluster may hide.
    pub symptoms: &'static [&'static str],
}

/// Every entry.
pub const ALL: &[Entry] = &[
    Entry {
        id: "controller-log",
        what: "the errors of the controller's reconciles",
        place: Place::ControllerLog,
        line: "Reconciler error",
        rows: &["S10", "H1", "H2", "H3", "H5", "H6"],
        symptoms: &[],
    },
    Entry {
        id: "controller-cache",
        what: "which routes and Secrets the controller's caches held when it looked",
        place: Place::ControllerLog,
        line: "filter config secret found, skipping mutation",
        rows: &["S9", "T5", "T16"],
        symptoms: &[
            "config-secret-current",
            "config-secret-present",
            "credential-current",
            "credential-rotation",
            "sidecar-present",
        ],
    },
    Entry {
        id: "secret-write",
        what: "a write of a Secret, or a patch of a pod, that the API server refused",
        place: Place::ControllerLog,
        line: "failed to patch pod",
        rows: &["H7", "H9"],
        symptoms: &[
            "config-hash",
            "config-refused",
            "config-secret-complete",
            "config-secret-current",
            "config-secret-present",
            "credential-current",
            "sidecar-current",
            "sidecar-present",
        ],
    },
    Entry {
        id: "webhook-handshake",
        what: "a TLS handshake of the API server with the webhook that fails",
        place: Place::ControllerLog,
        line: "http: TLS handshake error",
        rows: &["S3", "S4"],
        symptoms: &[
            "pods-refused",
            "rollout-blocked",
            "sidecar-present",
            "webhook-ca",
            "webhook-certificate",
            "webhook-secret",
        ],
    },
    Entry {
        id: "webhook-network",
        what: "a NetworkPolicy or firewall between the API server and port 9443",
        place: Place::Command("kubectl get events -A --field-selector reason=FailedCreate"),
        line: "failed calling webhook",
        rows: &["S8"],
        symptoms: &[
            "pods-refused",
            "rollout-blocked",
            "sidecar-present",
            "webhook-failure-policy",
            "webhook-service",
        ],
    },
    Entry {
        id: "sidecar-log",
        what: "the config that a sidecar has in memory, and why it refused a newer one",
        place: Place::SidecarLog,
        line: "failed to update config",
        rows: &["W3", "T9", "T10"],
        symptoms: &[],
    },
    Entry {
        id: "sidecar-start",
        what: "why a sidecar could not load its first config",
        place: Place::SidecarLog,
        line: "failed to load initial config",
        rows: &["W10"],
        symptoms: &[
            "config-refused",
            "rollout-blocked",
            "sidecar-ready",
            "sidecar-version",
        ],
    },
    Entry {
        id: "private-key",
        what: "whether tls.key fits the certificate that the webhook serves",
        place: Place::ControllerLog,
        line: "tls: private key does not match public key",
        rows: &["S4"],
        symptoms: &[],
    },
    Entry {
        id: "extension-crash",
        what: "a crash of the controller over a policy of Envoy Gateway that names a port its Service \
               lacks",
        place: Place::ControllerLog,
        line: "PostRouteModify",
        rows: &["F-26"],
        symptoms: &["controller-leader", "controller-running", "webhook-service"],
    },
    Entry {
        id: "kubelet-delay",
        what: "how long the kubelet takes to refresh a Secret in a pod, up to about a minute",
        place: Place::SidecarLog,
        line: "config updated",
        rows: &["S18"],
        symptoms: &[
            "config-secret-current",
            "credential-current",
            "rollout-blocked",
            "rollout-finished",
            "sidecar-version",
        ],
    },
];

const CONFIG_DUMP: Entry = Entry {
    id: "config-dump",
    what: "whether Envoy has the filter that asks the sidecar",
    place: Place::Command(
        "kubectl -n NAMESPACE port-forward POD 19000 & curl -s localhost:19000/config_dump > \
         dump.json; aigwctl doctor … --config-dump dump.json",
    ),
    line: "/etc/ai-gateway-extproc-uds/run.sock",
    rows: &["W11", "F-16"],
    symptoms: &[],
};

const DELETED_GATEWAYS: Entry = Entry {
    id: "left-over-secrets",
    what: "filter config Secrets of Gateways that are deleted: Secrets are read by name only",
    place: Place::Command("aigwctl doctor DUMP  # of a dump with Secrets"),
    line: "",
    rows: &["T12"],
    symptoms: &[],
};

/// What this case does not show: what every cluster may hide, and what a fault points at.
pub(super) fn list(case: &Case<'_>, found: &[Diagnosis]) -> Vec<NotVisible> {
    let is_wrong = |id: &&str| found.iter().any(|d| d.id == *id && d.status.is_wrong());
    let points = |entry: &&Entry| entry.symptoms.is_empty() || entry.symptoms.iter().any(is_wrong);
    let mut all: Vec<&Entry> = ALL.iter().filter(points).collect();
    if case.config_dump.is_none() {
        all.push(&CONFIG_DUMP);
    }
    if case.live {
        all.push(&DELETED_GATEWAYS);
    }
    let shown = all.into_iter().map(|entry| NotVisible {
        id: entry.id,
        what: entry.what,
        look: look(case, entry.place),
        line: entry.line,
        rows: entry.rows,
    });
    shown.collect()
}

fn look(case: &Case<'_>, place: Place) -> String {
    let name = |object: Option<&Object>, otherwise: &'static str| match object {
        Some(object) => (object.namespace().to_string(), object.name().to_string()),
        None => ("NAMESPACE".to_string(), otherwise.to_string()),
    };
    match place {
        Place::ControllerLog => {
            let (namespace, name) = name(case.controller(), "ai-gateway-controller");
            format!("kubectl -n {namespace} logs deployment/{name}")
        }
        Place::SidecarLog => {
            let mut pods = case.gateways().iter().flat_map(|g| g.live_pods());
            let (namespace, name) = name(pods.find(|pod| sidecar_of(pod).is_some()), "POD");
            format!("kubectl -n {namespace} logs {name} -c ai-gateway-extproc")
        }
        Place::Command(command) => command.to_string(),
    }
}
