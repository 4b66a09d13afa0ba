//! Why a sidecar is missing, why a config is stale: probes in the order in which things break.
//!
//! Takes the objects of a cluster and what the controller would do with them, gives [`Report`]: one
//! [`Diagnosis`] for everything that a probe looked at, the root causes among them, and what no object
//! ever shows. Nothing here reads, prints or knows the time: ages are those within the objects.

mod case;
mod certificate;
mod config_dump;
mod labels;
mod link;
pub mod not_visible;
pub mod probe;
mod probes;
pub mod registry;
mod stored;
mod times;

use std::collections::BTreeSet;

pub use case::Case;
pub use config_dump::ConfigDump;
pub use link::RootCause;
use not_visible::NotVisible;
use probe::{Diagnosis, Status};

use crate::world::NamespacedName;

/// What is asked besides the objects.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// Only these Gateways; all that routes attach to when empty.
    pub gateways: Vec<NamespacedName>,
    /// Ids of probes that are left out.
    pub skip: BTreeSet<String>,
}

/// Everything that was found.
#[derive(Debug)]
pub struct Report {
    /// Where things went wrong first, failures first, then in the order of the probes.
    pub root_causes: Vec<RootCause>,
    /// By probe, Gateway and object.
    pub probes: Vec<Diagnosis>,
    /// What no object shows.
    pub not_visible: Vec<NotVisible>,
}

impl Report {
    /// Whether a diagnosis has the status.
    pub fn has(&self, status: Status) -> bool {
        self.probes.iter().any(|d| d.status == status)
    }
}

/// Runs the probes.
pub fn diagnose(case: &Case<'_>, question: &Question) -> Report {
    let mut probes = Vec::new();
    let wanted = registry::PROBES
        .iter()
        .filter(|probe| !question.skip.contains(probe.id))
        // Without a dump there is nothing to look at, and that is no fault of the source.
        .filter(|probe| probe.id != "envoy-filter" || case.config_dump.is_some());
    for probe in wanted {
        probes.extend(probe.diagnose(case));
    }
    link::link(&mut probes);
    Report {
        root_causes: link::root_causes(&probes),
        not_visible: not_visible::list(case, &probes),
        probes,
    }
}
