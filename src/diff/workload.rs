//! What happens to pods and workloads in two answers, and what tips it.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::answer::Answer;
use super::cause::Sides;
use crate::controllers::ai_gateway::outcome::Outcome;
use crate::controllers::ai_gateway::rollout::{
    HASH_ANNOTATION, Patch, Reason, Rollout, SidecarState,
};
use crate::controllers::ai_gateway::unknown::Part;
use crate::world::object::Object;

/// What happens to a pod or workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is not among the objects.
    Absent,
    /// Nothing.
    Unchanged,
    /// A pod is annotated.
    Annotated,
    /// The template is patched, so every pod is replaced.
    Rolls,
    /// The controller waits until a rollout has ended.
    Waits,
    /// The reconcile ends before.
    Refused,
    /// What it depends on could not be read.
    Unknown,
}

impl Fate {
    /// The word in every output.
    pub fn word(self) -> &'static str {
        match self {
            Fate::Absent => "absent",
            Fate::Unchanged => "unchanged",
            Fate::Annotated => "annotated",
            Fate::Rolls => "rolls",
            Fate::Waits => "waits",
            Fate::Refused => "refused",
            Fate::Unknown => "unknown",
        }
    }
}

/// One pod or workload in two answers.
#[derive(Debug)]
pub struct WorkloadDiff {
    /// `deployments`, `daemonsets` or `pods`.
    pub resource: &'static str,
    /// Namespace.
    pub namespace: String,
    /// Name; empty for a workload that is assumed.
    pub name: String,
    /// What happens.
    pub fates: Sides<Fate>,
    /// Bodies of the patches.
    pub patches: Sides<Option<Json>>,
    /// What tips it, for people; empty where nothing happens.
    pub reason: String,
}

impl WorkloadDiff {
    /// Whether something else happens, or the same to another end: a roll to another sidecar.
    pub fn differs(&self) -> bool {
        let Sides { old, new } = self.fates;
        let known = old != Fate::Unknown && new != Fate::Unknown;
        let hash = |patch: &Option<Json>| {
            let annotations = patch
                .as_ref()?
                .pointer("/spec/template/metadata/annotations")?;
            annotations.get(HASH_ANNOTATION).cloned()
        };
        known && (old != new || hash(&self.patches.old) != hash(&self.patches.new))
    }
}

/// Every pod and workload of a Gateway, by resource, namespace and name.
pub fn compare(
    outcomes: &Sides<Option<&Outcome<'_>>>,
    answers: &Sides<Answer<'_>>,
) -> Vec<WorkloadDiff> {
    let assumed = |outcome: Option<&Outcome<'_>>| outcome.is_some_and(|o| o.assumed_workload);
    if assumed(outcomes.old) && assumed(outcomes.new) {
        return assumed_workload(outcomes, answers).into_iter().collect();
    }
    let mut objects = BTreeMap::<_, Sides<Option<&Object>>>::new();
    let key = |object: &Object| {
        let (namespace, name) = (object.namespace().to_string(), object.name().to_string());
        (object.kind().plural(), namespace, name)
    };
    for object in owned(outcomes.old) {
        objects.entry(key(object)).or_default().old = Some(object);
    }
    for object in owned(outcomes.new) {
        objects.entry(key(object)).or_default().new = Some(object);
    }
    // An answer that ends early has not met the workload, which is there all the same.
    for objects in objects.values_mut() {
        let Some(id) = objects.old.or(objects.new).map(Object::id) else {
            continue;
        };
        let old = answers.old.world.get(id.kind, &id.namespace, &id.name);
        let new = answers.new.world.get(id.kind, &id.namespace, &id.name);
        objects.old = objects.old.or(old.filter(|_| outcomes.old.is_some()));
        objects.new = objects.new.or(new.filter(|_| outcomes.new.is_some()));
    }
    let differing = differing_inputs(outcomes);
    let diff = |((resource, namespace, name), objects): (_, Sides<Option<&Object>>)| {
        let patches = Sides {
            old: patch(outcomes.old, objects.old),
            new: patch(outcomes.new, objects.new),
        };
        let fates = Sides {
            old: fate(outcomes.old, objects.old, patches.old),
            new: fate(outcomes.new, objects.new, patches.new),
        };
        WorkloadDiff {
            resource,
            namespace,
            name,
            reason: reason(&fates, &patches, outcomes, &differing),
            fates,
            patches: Sides {
                old: patches.old.map(Patch::body),
                new: patches.new.map(Patch::body),
            },
        }
    };
    objects.into_iter().map(diff).collect()
}

fn owned<'a>(outcome: Option<&'a Outcome<'a>>) -> impl Iterator<Item = &'a Object> {
    outcome.into_iter().flat_map(|outcome| {
        let workloads = &outcome.workloads;
        let templates = workloads.deployments.iter().chain(&workloads.daemon_sets);
        templates.chain(&workloads.pods).copied()
    })
}

fn rollout<'a>(outcome: Option<&'a Outcome<'a>>) -> Option<&'a Rollout<'a>> {
    outcome?.workload.rollout.as_ref()
}

fn patch<'a>(outcome: Option<&'a Outcome<'a>>, object: Option<&Object>) -> Option<&'a Patch<'a>> {
    let object = object?;
    let mut patches = rollout(outcome)?.patches.iter();
    patches.find(|patch| patch.object.id() == object.id())
}

fn fate(outcome: Option<&Outcome<'_>>, object: Option<&Object>, patch: Option<&Patch<'_>>) -> Fate {
    if object.is_none() {
        return Fate::Absent;
    }
    match (rollout(outcome), patch) {
        _ if outcome.is_some_and(|o| !o.knows(Part::Rollout)) => Fate::Unknown,
        (None, _) if outcome.is_some_and(|o| o.refusal.is_some()) => Fate::Refused,
        (None, _) => Fate::Unchanged,
        (_, Some(patch)) if patch.rolls() => Fate::Rolls,
        (_, Some(_)) => Fate::Annotated,
        (Some(rollout), None) if rollout.waits => Fate::Waits,
        (Some(_), None) => Fate::Unchanged,
    }
}

/// What tips the new answer; where nothing happens any more, what tipped the old one.
fn reason(
    fates: &Sides<Fate>,
    patches: &Sides<Option<&Patch<'_>>>,
    outcomes: &Sides<Option<&Outcome<'_>>>,
    differing: &[&'static str],
) -> String {
    match (fates.old, fates.new) {
        (_, Fate::Rolls) => tipped_by(patches.new, outcomes.new, differing),
        (_, Fate::Waits) => lag(outcomes.new),
        (_, Fate::Refused) => "the reconcile is refused, so nothing happens".to_string(),
        (_, Fate::Annotated) => Reason::Refresh.text(),
        (Fate::Rolls, _) => {
            let because = tipped_by(patches.old, outcomes.old, &[]);
            format!("no longer: {because}")
        }
        (Fate::Waits, _) => "no rollout is under way any more".to_string(),
        _ => String::new(),
    }
}

fn tipped_by(
    patch: Option<&Patch<'_>>,
    outcome: Option<&Outcome<'_>>,
    differing: &[&'static str],
) -> String {
    let mut texts = Vec::new();
    for reason in patch.iter().flat_map(|patch| &patch.reasons) {
        texts.push(reason.text());
        match reason {
            Reason::SidecarMissing | Reason::Mixed => texts.extend(pod_states(outcome)),
            Reason::HashDiffers(_) if !differing.is_empty() => {
                texts.push(format!("changed: {}", differing.join(", ")));
            }
            _ => {}
        }
    }
    texts.join("; ")
}

/// What the pods lack, each once.
fn pod_states(outcome: Option<&Outcome<'_>>) -> Vec<String> {
    let pods = rollout(outcome).into_iter().flat_map(|r| &r.pods);
    let mut texts: Vec<String> = Vec::new();
    for pod in pods.filter(|pod| !pod.terminating) {
        let text = match &pod.sidecar {
            SidecarState::OtherImage { found, expected } => {
                format!("extproc image {found} → {expected}")
            }
            SidecarState::OtherLogLevel { found, expected } => {
                format!("log level {found} → {expected}")
            }
            SidecarState::NoMcpAddress => "the sidecar has no -mcpAddr yet".to_string(),
            SidecarState::WrongList => pod.sidecar.text(),
            SidecarState::Current | SidecarState::Absent => continue,
        };
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

fn lag(outcome: Option<&Outcome<'_>>) -> String {
    let progress = rollout(outcome).into_iter().flat_map(|r| &r.in_progress);
    let texts: Vec<String> = progress
        .map(|p| format!("{}: {}", p.object.id(), p.lag.text()))
        .collect();
    format!("a rollout is under way: {}", texts.join("; "))
}

/// The inputs of the sidecar's hash that differ, by name.
fn differing_inputs(outcomes: &Sides<Option<&Outcome<'_>>>) -> Vec<&'static str> {
    let (Some(old), Some(new)) = (outcomes.old, outcomes.new) else {
        return Vec::new();
    };
    match (&old.workload.hash_inputs, &new.workload.hash_inputs) {
        (Some(old), Some(new)) => old.differing(new),
        _ => Vec::new(),
    }
}

/// A workload that is in neither input and was current in the old answer.
fn assumed_workload(
    outcomes: &Sides<Option<&Outcome<'_>>>,
    answers: &Sides<Answer<'_>>,
) -> Option<WorkloadDiff> {
    let (old, new) = (outcomes.old?, outcomes.new?);
    let namespace = new.stored.as_ref()?.writes.first()?.namespace.clone();
    let reason = assumed_tips(old, new, answers).join("; ");
    let rolls = !reason.is_empty();
    Some(WorkloadDiff {
        resource: "deployments",
        namespace,
        name: String::new(),
        fates: Sides {
            old: Fate::Unchanged,
            new: if rolls { Fate::Rolls } else { Fate::Unchanged },
        },
        patches: Sides::default(),
        reason,
    })
}

fn assumed_tips(old: &Outcome<'_>, new: &Outcome<'_>, answers: &Sides<Answer<'_>>) -> Vec<String> {
    let mut tips = Vec::new();
    if old.has_effective_route != new.has_effective_route {
        let reason = match new.has_effective_route {
            true => Reason::SidecarMissing,
            false => Reason::SidecarLeft,
        };
        return vec![reason.text()];
    }
    if !new.has_effective_route {
        return tips;
    }
    let (was, is) = (answers.old.options, answers.new.options);
    let (was_image, is_image) = (image(old, &answers.old), image(new, &answers.new));
    if was_image != is_image {
        tips.push(format!("extproc image {was_image} → {is_image}"));
    }
    let levels = (was.settings.log_level(), is.settings.log_level());
    if levels.0 != levels.1 {
        tips.push(format!("log level {} → {}", levels.0, levels.1));
    }
    if new.need_mcp && !old.need_mcp {
        tips.push("the first MCPRoute is attached and the sidecar has no -mcpAddr".to_string());
    }
    if was.mode != is.mode {
        tips.push("the sidecar moves to the other list of containers".to_string());
    }
    match (&old.workload.hash_inputs, &new.workload.hash_inputs) {
        (None, Some(_)) => tips.push(Reason::HashMissing.text()),
        (Some(old), Some(new)) => {
            let differing = old.differing(new);
            if !differing.is_empty() {
                let names = differing.join(", ");
                tips.push(format!("the sidecar's configuration changes: {names}"));
            }
        }
        _ => {}
    }
    tips
}

/// The image that pods of an answer are expected to have.
fn image(outcome: &Outcome<'_>, answer: &Answer<'_>) -> String {
    let resolved = outcome.workload.hash_inputs.as_ref().and_then(|inputs| {
        let input = inputs.iter().find(|input| input.name == "Image")?;
        input.value.text().map(str::to_string)
    });
    resolved.unwrap_or_else(|| answer.options.settings.image().to_string())
}
