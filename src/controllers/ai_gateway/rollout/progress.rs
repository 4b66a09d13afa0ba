//! Whether a rollout has ended.

use super::super::discovery::Workloads;
use crate::world::object::Object;

/// A workload whose rollout has not ended.
#[derive(Debug, Clone, Copy)]
pub struct InProgress<'w> {
    /// The Deployment or DaemonSet.
    pub object: &'w Object,
    /// By what it is known.
    pub lag: Lag,
}

/// What a workload's status lags behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lag {
    /// Its controller has not seen the newest generation.
    Unobserved {
        /// `status.observedGeneration`.
        observed: i64,
        /// `metadata.generation`.
        generation: i64,
    },
    /// Not all its pods are of the newest template.
    Outdated {
        /// How many are.
        updated: i64,
        /// How many there are.
        total: i64,
    },
}

impl Lag {
    /// What it is, for people.
    pub fn text(self) -> String {
        match self {
            Lag::Unobserved {
                observed,
                generation,
            } => {
                format!("generation {generation} is not yet seen, only {observed}")
            }
            Lag::Outdated { updated, total } => {
                format!("{updated} of {total} pods are of the newest template")
            }
        }
    }
}

/// The workloads whose rollout has not ended. Readiness does not count.
pub(super) fn in_progress<'w>(workloads: &Workloads<'w>) -> Vec<InProgress<'w>> {
    let deployments = workloads
        .deployments
        .iter()
        .map(|object| (*object, deployment_lag(object)));
    let daemon_sets = workloads
        .daemon_sets
        .iter()
        .map(|object| (*object, daemon_set_lag(object)));
    deployments
        .chain(daemon_sets)
        .filter_map(|(object, lag)| Some(InProgress { object, lag: lag? }))
        .collect()
}

fn deployment_lag(object: &Object) -> Option<Lag> {
    unobserved(object).or_else(|| outdated(object, "replicas", "updatedReplicas"))
}

/// A DaemonSet that its controller has never seen does not count.
fn daemon_set_lag(object: &Object) -> Option<Lag> {
    if status(object, "observedGeneration") == 0 {
        return None;
    }
    unobserved(object)
        .or_else(|| outdated(object, "currentNumberScheduled", "updatedNumberScheduled"))
}

fn unobserved(object: &Object) -> Option<Lag> {
    let observed = status(object, "observedGeneration");
    let generation = object
        .metadata()
        .get("generation")
        .int()
        .unwrap_or_default();
    (observed < generation).then_some(Lag::Unobserved {
        observed,
        generation,
    })
}

fn outdated(object: &Object, total: &'static str, updated: &'static str) -> Option<Lag> {
    let (total, updated) = (status(object, total), status(object, updated));
    (total > updated).then_some(Lag::Outdated { updated, total })
}

fn status(object: &Object, key: &'static str) -> i64 {
    object
        .field()
        .get("status")
        .get(key)
        .int()
        .unwrap_or_default()
}
