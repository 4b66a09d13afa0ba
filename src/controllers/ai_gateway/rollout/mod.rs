//! What happens to the workload of a Gateway once its Secrets are written.
//!
//! Takes the pods, Deployments and DaemonSets of the Gateway; gives what would be patched and why, or
//! that the controller waits.

mod forever;
mod pod;
mod progress;

pub use pod::{PodState, SidecarState};
pub use progress::{InProgress, Lag};

use super::discovery::Workloads;
use super::sidecar::{CONTAINER, Webhook};
use crate::world::finding::Finding;
use crate::world::object::Object;

/// The annotation on pods and pod templates that changes with every write.
pub const UUID_ANNOTATION: &str = "aigateway.envoyproxy.io/uuid";
/// The annotation on pod templates that holds the hash of the sidecar's configuration.
pub const HASH_ANNOTATION: &str = "aigateway.envoyproxy.io/extproc-config-hash";
/// The type of every patch.
pub const PATCH_TYPE: &str = "application/merge-patch+json";

/// What the decision depends on.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a, 'w> {
    /// The controller's settings and the GatewayConfig.
    pub webhook: &'a Webhook<'a, 'w>,
    /// The Gateway's pods and workloads.
    pub workloads: &'a Workloads<'w>,
    /// Some attached route is not being deleted.
    pub has_effective_route: bool,
    /// The hash that workloads must carry, where the version has one.
    pub desired_hash: Option<&'a str>,
    /// The UUID of this write.
    pub uuid: &'a str,
}

/// What happens to the workload.
#[derive(Debug)]
pub struct Rollout<'w> {
    /// Workloads whose rollout has not ended; while there are any, nothing is patched.
    pub in_progress: Vec<InProgress<'w>>,
    /// Whether the controller looks again in a few seconds.
    pub waits: bool,
    /// What each pod was found to have.
    pub pods: Vec<PodState<'w>>,
    /// What all pods together have.
    pub fleet: Fleet,
    /// What is patched, by resource, namespace and name.
    pub patches: Vec<Patch<'w>>,
    /// Decisions that will be the same again every time.
    pub findings: Vec<Finding>,
}

/// What the live pods have, all in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fleet {
    /// There is no live pod.
    NoPods,
    /// All have a current sidecar.
    Current,
    /// None has one.
    WithoutSidecar,
    /// Some have one.
    Mixed,
}

impl Fleet {
    fn of(pods: &[PodState<'_>]) -> Self {
        let live = || pods.iter().filter(|pod| !pod.terminating);
        let with = live()
            .filter(|pod| pod.sidecar == SidecarState::Current)
            .count();
        match (live().count(), with) {
            (0, _) => Fleet::NoPods,
            (_, 0) => Fleet::WithoutSidecar,
            (live, with) if live == with => Fleet::Current,
            _ => Fleet::Mixed,
        }
    }
}

/// A patch of a pod or of the template of a workload.
#[derive(Debug, Clone)]
pub struct Patch<'w> {
    /// What is patched.
    pub object: &'w Object,
    /// The annotations that are set.
    pub annotations: Vec<(&'static str, String)>,
    /// Why.
    pub reasons: Vec<Reason>,
}

/// Why something is patched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// A live pod: every write annotates it, so that the kubelet reads the Secrets again.
    Refresh,
    /// There are live routes and no live pod has a current sidecar.
    SidecarMissing,
    /// There are live routes and no live pod at all.
    NoPods,
    /// There is no live route and the pods have a sidecar.
    SidecarLeft,
    /// The rollout has ended and only some pods have a current sidecar.
    Mixed,
    /// The template has no hash of the sidecar's configuration.
    HashMissing,
    /// The template has another hash.
    HashDiffers(String),
}

impl Reason {
    /// The id for machines.
    pub fn id(&self) -> &'static str {
        match self {
            Reason::Refresh => "refresh",
            Reason::SidecarMissing => "sidecar-missing",
            Reason::NoPods => "no-pods",
            Reason::SidecarLeft => "sidecar-left",
            Reason::Mixed => "mixed-pods",
            Reason::HashMissing => "hash-missing",
            Reason::HashDiffers(_) => "hash-differs",
        }
    }

    /// The reason for people.
    pub fn text(&self) -> String {
        let text = match self {
            Reason::Refresh => {
                "every live pod is annotated, so that it sees the new Secrets sooner"
            }
            Reason::SidecarMissing => "routes are attached and no live pod has a current sidecar",
            Reason::NoPods => "routes are attached and there is no live pod",
            Reason::SidecarLeft => "no live route is attached and the pods still have a sidecar",
            Reason::Mixed => "only some of the live pods have a current sidecar",
            Reason::HashMissing => "the template has no hash of the sidecar's configuration yet",
            Reason::HashDiffers(found) => {
                return format!("the sidecar's configuration has changed since hash {found}");
            }
        };
        text.to_string()
    }
}

impl Patch<'_> {
    /// The body of the merge patch.
    pub fn body(&self) -> serde_json::Value {
        let annotations: serde_json::Map<_, _> = self
            .annotations
            .iter()
            .map(|(k, v)| (k.to_string(), v.as_str().into()))
            .collect();
        let metadata = serde_json::json!({ "metadata": { "annotations": annotations } });
        if self.rolls() {
            serde_json::json!({ "spec": { "template": metadata } })
        } else {
            metadata
        }
    }

    /// Whether pods are replaced: the patch is one of a template.
    pub fn rolls(&self) -> bool {
        self.object.kind() != crate::world::kind::Kind::Pod
    }
}

/// The decision.
pub fn decide<'w>(inputs: &Inputs<'_, 'w>) -> Rollout<'w> {
    let pods: Vec<_> = inputs
        .workloads
        .pods
        .iter()
        .map(|pod| PodState::of(pod, inputs.webhook))
        .collect();
    let in_progress = progress::in_progress(inputs.workloads);
    let fleet = Fleet::of(&pods);
    let waits = !in_progress.is_empty();
    let mut rollout = Rollout {
        in_progress,
        waits,
        pods,
        fleet,
        patches: Vec::new(),
        findings: Vec::new(),
    };
    if !waits {
        rollout.patches = patches(inputs, &rollout.pods, fleet);
    }
    rollout.findings = forever::findings(inputs, &rollout);
    rollout
}

fn patches<'w>(inputs: &Inputs<'_, 'w>, pods: &[PodState<'w>], fleet: Fleet) -> Vec<Patch<'w>> {
    let workloads = inputs.workloads;
    let templates = workloads.daemon_sets.iter().chain(&workloads.deployments);
    let mut patches: Vec<_> = templates
        .filter_map(|object| template_patch(inputs, object, fleet))
        .collect();
    let live = pods.iter().filter(|pod| !pod.terminating);
    patches.extend(live.map(|pod| Patch {
        object: pod.object,
        annotations: vec![(UUID_ANNOTATION, inputs.uuid.to_string())],
        reasons: vec![Reason::Refresh],
    }));
    patches.sort_by_key(|patch| {
        (
            patch.object.kind().plural(),
            patch.object.namespace(),
            patch.object.name(),
        )
    });
    patches
}

/// The patch of a workload's template; `None` when it is left alone.
fn template_patch<'w>(
    inputs: &Inputs<'_, 'w>,
    object: &'w Object,
    fleet: Fleet,
) -> Option<Patch<'w>> {
    let (mut annotations, mut reasons) = (Vec::new(), Vec::new());
    if let Some(reason) = state_reason(inputs.has_effective_route, fleet) {
        annotations.push((UUID_ANNOTATION, inputs.uuid.to_string()));
        reasons.push(reason);
    }
    if let Some((reason, desired)) = hash_reason(inputs, object) {
        annotations.push((HASH_ANNOTATION, desired.to_string()));
        reasons.push(reason);
    }
    (!reasons.is_empty()).then_some(Patch {
        object,
        annotations,
        reasons,
    })
}

/// Why the pods must be replaced; the same for every workload of the Gateway.
fn state_reason(has_effective_route: bool, fleet: Fleet) -> Option<Reason> {
    match (fleet, has_effective_route) {
        (Fleet::Mixed, _) => Some(Reason::Mixed),
        (Fleet::Current, false) => Some(Reason::SidecarLeft),
        (Fleet::WithoutSidecar, true) => Some(Reason::SidecarMissing),
        (Fleet::NoPods, true) => Some(Reason::NoPods),
        (Fleet::Current, true) | (Fleet::WithoutSidecar | Fleet::NoPods, false) => None,
    }
}

/// Why the workload's hash must be written; hashes are looked at only when there are live routes.
fn hash_reason<'a>(inputs: &Inputs<'a, '_>, object: &Object) -> Option<(Reason, &'a str)> {
    let desired = inputs.desired_hash.filter(|_| inputs.has_effective_route)?;
    match template_annotation(object, HASH_ANNOTATION) {
        Some(found) if found == desired => None,
        Some(found) if !found.is_empty() => Some((Reason::HashDiffers(found.to_string()), desired)),
        _ => Some((Reason::HashMissing, desired)),
    }
}

/// An annotation of a workload's pod template.
pub fn template_annotation<'w>(object: &'w Object, key: &'static str) -> Option<&'w str> {
    object
        .spec()
        .get("template")
        .get("metadata")
        .get("annotations")
        .get(key)
        .str()
}
