//! What follows from what: the second pass over the diagnoses.

use std::collections::HashMap;

use super::probe::{CausedBy, Diagnosis, State, Status};

/// Where something went wrong first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootCause {
    /// The probe.
    pub id: &'static str,
    /// The Gateway; `None` for what concerns all.
    pub gateway: Option<String>,
    /// The object.
    pub object: Option<String>,
    /// In what state it is.
    pub state: State,
    /// Failure or warning.
    pub status: Status,
    /// What it is.
    pub message: String,
}

/// Sets for every fault which other one it follows from.
pub(super) fn link(diagnoses: &mut [Diagnosis]) {
    let mut faults = HashMap::<&'static str, Vec<usize>>::new();
    for (i, diagnosis) in diagnoses.iter().enumerate() {
        if diagnosis.status.is_wrong() {
            faults.entry(diagnosis.id).or_default().push(i);
        }
    }
    let mut cause_of = vec![None; diagnoses.len()];
    for i in 0..diagnoses.len() {
        if !diagnoses[i].status.is_wrong() {
            continue;
        }
        cause_of[i] = find(diagnoses, &faults, i).filter(|cause| !leads_to(&cause_of, *cause, i));
    }
    for (i, cause) in cause_of.into_iter().enumerate() {
        diagnoses[i].caused_by = cause.map(|cause| {
            let cause = &diagnoses[cause];
            CausedBy {
                id: cause.id,
                gateway: cause.gateway.clone(),
                object: cause.object.clone(),
            }
        });
    }
}

fn find(
    diagnoses: &[Diagnosis],
    faults: &HashMap<&'static str, Vec<usize>>,
    of: usize,
) -> Option<usize> {
    let follower = &diagnoses[of];
    follower.causes.iter().find_map(|cause| {
        let candidates = faults.get(cause.id)?;
        candidates.iter().copied().find(|&i| {
            let candidate = &diagnoses[i];
            let same_gateway = candidate.gateway.is_none()
                || follower.gateway.is_none()
                || candidate.gateway == follower.gateway;
            let same_object = cause.object.is_none() || cause.object == candidate.object;
            i != of && same_gateway && same_object
        })
    })
}

fn leads_to(cause_of: &[Option<usize>], from: usize, to: usize) -> bool {
    let mut at = Some(from);
    while let Some(i) = at {
        if i == to {
            return true;
        }
        at = cause_of[i];
    }
    false
}

/// The faults that follow from no other, failures first, each in the order of the probes.
pub(super) fn root_causes(diagnoses: &[Diagnosis]) -> Vec<RootCause> {
    let faults = diagnoses
        .iter()
        .filter(|d| d.status.is_wrong() && d.caused_by.is_none());
    let mut causes: Vec<RootCause> = faults
        .map(|d| RootCause {
            id: d.id,
            gateway: d.gateway.clone(),
            object: d.object.clone(),
            state: d.state,
            status: d.status,
            message: d.because.clone(),
        })
        .collect();
    causes.sort_by_key(|cause| std::cmp::Reverse(cause.status));
    causes
}
