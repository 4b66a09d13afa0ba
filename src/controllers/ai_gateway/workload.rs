//! The second half of a reconcile: the workload of a Gateway, and the pods that it will make.

use super::bundle::Verb;
use super::config_hash::HashInputs;
use super::gateway_config;
use super::names::Names;
use super::options::Options;
use super::outcome::Outcome;
use super::rollout::{self, Rollout};
use super::sidecar::{self, Admission, Case, ConfigSecrets, Webhook};
use crate::world::World;
use crate::world::finding::{Finding, Severity};
use crate::world::kind::Kind;

/// What happens to the workload of a Gateway.
#[derive(Debug, Default)]
pub struct WorkloadAnswer<'w> {
    /// What the hash of the sidecar's configuration is made from, where the version has one.
    pub hash_inputs: Option<HashInputs<'w>>,
    /// [`WorkloadAnswer::hash_inputs`] as the annotation has it.
    pub config_hash: Option<String>,
    /// What the webhook does to a pod, before the reconcile and after it.
    pub pods: Vec<Case<'w>>,
    /// What is patched; `None` when the reconcile ends before that.
    pub rollout: Option<Rollout<'w>>,
    /// Remarks on the pods.
    pub findings: Vec<Finding>,
}

/// Goes on where [`super::reconcile`] ended.
pub fn answer<'w>(
    world: &'w World,
    options: &Options<'w>,
    outcome: &Outcome<'w>,
) -> WorkloadAnswer<'w> {
    let profile = options.profile();
    let names = Names::of(&outcome.gateway.0, &outcome.gateway.1);
    let ext_proc = gateway_config::ext_proc(outcome.gateway_config);
    let webhook = Webhook {
        profile,
        settings: &options.settings,
        mode: options.mode,
        ext_proc: &ext_proc,
        names: &names,
        has_routes: world.routes_of(&outcome.gateway).next().is_some(),
        has_mcp_routes: outcome.need_mcp,
    };
    let hash_inputs = profile.hashes_sidecar.then(|| HashInputs::of(&webhook));
    let config_hash = hash_inputs.as_ref().map(HashInputs::sha256);
    let config_hash = match &world.recorded {
        Some(recorded) => config_hash.map(|hash| recorded.config_hash(&outcome.gateway, hash)),
        None => config_hash,
    };
    // Of an assumed workload nothing is known.
    let ended = outcome.refusal.is_some() || outcome.stored.is_none() || outcome.assumed_workload;
    let rollout = (!ended).then(|| {
        rollout::decide(&rollout::Inputs {
            webhook: &webhook,
            workloads: &outcome.workloads,
            has_effective_route: outcome.has_effective_route,
            desired_hash: config_hash.as_deref(),
            uuid: &options.uuid,
        })
    });
    let before = |namespace: &str| before(world, &names, namespace);
    let after = |namespace: &str| after(before(namespace), outcome, &names, namespace);
    let pods = sidecar::cases(&webhook, &outcome.gateway.0, &before, &after);
    let findings = pods
        .iter()
        .find_map(|case| refused_pod(case, outcome))
        .into_iter()
        .collect();
    WorkloadAnswer {
        hash_inputs,
        config_hash,
        pods,
        rollout,
        findings,
    }
}

/// A pod that cannot be created once the sidecar is added.
fn refused_pod(case: &Case<'_>, outcome: &Outcome<'_>) -> Option<Finding> {
    let Admission::Injected(injection) = &case.admission else {
        return None;
    };
    let text = format!(
        "the API server refuses every pod of Gateway {} with the sidecar: {}",
        outcome.name(),
        injection.refusal()?
    );
    let finding = Finding::new("sidecar-refused", Severity::Warning, text)
        .help("give the Gateway a shorter name, without a dot");
    Some(match outcome.object {
        Some(object) => finding.about(object),
        None => finding,
    })
}

/// The filter config Secrets that the input holds.
fn before(world: &World, names: &Names, namespace: &str) -> ConfigSecrets {
    let exists = |name: &str| world.get(Kind::Secret, namespace, name).is_some();
    ConfigSecrets {
        legacy: exists(names.legacy_secret()),
        index: exists(&names.index_secret()),
    }
}

/// The filter config Secrets once the Gateway's are written.
fn after(
    before: ConfigSecrets,
    outcome: &Outcome<'_>,
    names: &Names,
    namespace: &str,
) -> ConfigSecrets {
    let writes = outcome.stored.iter().flat_map(|stored| &stored.writes);
    let exists = |before: bool, name: &str| {
        let mut own = writes
            .clone()
            .filter(|w| w.namespace == namespace && w.name == name);
        own.next()
            .map_or(before, |write| write.verb != Verb::Delete)
    };
    ConfigSecrets {
        legacy: exists(before.legacy, names.legacy_secret()),
        index: exists(before.index, &names.index_secret()),
    }
}
