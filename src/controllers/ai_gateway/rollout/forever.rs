//! Decisions that come out the same every time, so that the controller never finds rest.

use super::super::part::{Leaf, Part};
use super::super::sidecar::image;
use super::{Fleet, Inputs, PodState, Rollout, SidecarState};
use crate::world::finding::{Finding, Severity};
use crate::world::kind::Kind;
use crate::world::object::Object;

/// What repeats, and what would end it.
pub(super) fn findings(inputs: &Inputs<'_, '_>, rollout: &Rollout<'_>) -> Vec<Finding> {
    let stuck = rollout
        .in_progress
        .iter()
        .filter_map(|progress| stuck(progress.object));
    let mut findings: Vec<_> = stuck.collect();
    if !rollout.waits && inputs.has_effective_route {
        findings.extend(scaled_to_zero(inputs, rollout.fleet));
        findings.extend(pinned_image(inputs));
    }
    findings.extend(
        rollout
            .pods
            .iter()
            .filter_map(|pod| ended(pod, inputs.has_effective_route)),
    );
    findings
}

/// A rollout that waits for a person.
fn stuck(object: &Object) -> Option<Finding> {
    let spec = object.spec();
    let paused = spec.get("paused");
    let strategy = spec.get("updateStrategy").get("type");
    let (field, text, help) = match object.kind() {
        Kind::Deployment if paused.bool() == Some(true) => {
            (paused, "is paused", "resume it: kubectl rollout resume")
        }
        Kind::DaemonSet if strategy.str() == Some("OnDelete") => (
            strategy,
            "replaces pods only when they are deleted",
            "delete its old pods",
        ),
        _ => return None,
    };
    let text = format!(
        "{} {text}, so its rollout does not end by itself; until it does, the controller writes \
         the Secrets every 5 seconds and patches nothing",
        object.id()
    );
    Some(
        Finding::new("rollout-stuck", Severity::Warning, text)
            .at_field(&field.source())
            .help(help),
    )
}

/// With no pod there is none with a sidecar, and the template is patched at every reconcile.
fn scaled_to_zero(inputs: &Inputs<'_, '_>, fleet: Fleet) -> Option<Finding> {
    let workloads = inputs.workloads;
    let object = workloads
        .deployments
        .iter()
        .chain(&workloads.daemon_sets)
        .next()?;
    if fleet != Fleet::NoPods || !workloads.pods.is_empty() {
        return None;
    }
    let text = format!(
        "{} has no pods, so the controller patches its template at every reconcile",
        object.id()
    );
    Some(
        Finding::new("rollout-repeats", Severity::Warning, text)
            .about(object)
            .help("let it have at least one pod, or detach the routes while it has none"),
    )
}

/// A version that expects the flag's image never finds it where a GatewayConfig gives another.
fn pinned_image(inputs: &Inputs<'_, '_>) -> Option<Finding> {
    let webhook = inputs.webhook;
    if webhook.profile.resolves_expected_image || inputs.workloads.is_empty() {
        return None;
    }
    let Part::Leaf(Leaf { origin, .. }) = image(webhook.settings, webhook.ext_proc) else {
        return None;
    };
    let injected = image(webhook.settings, webhook.ext_proc);
    if injected.text() == Some(webhook.settings.image()) {
        return None;
    }
    let text = format!(
        "pods get image {}, but this controller expects {}: it rolls the workload at every \
         reconcile",
        injected.text().unwrap_or_default(),
        webhook.settings.image()
    );
    let finding = Finding::new("rollout-repeats", Severity::Warning, text)
        .help("set the image with the controller's flag extProcImage, or run controller v1.1.0");
    Some(match &origin.source {
        Some(source) => finding.at_field(source),
        None => finding,
    })
}

/// A pod that has ended keeps the sidecar it had, and still counts.
fn ended(pod: &PodState<'_>, has_effective_route: bool) -> Option<Finding> {
    let is_current = pod.sidecar == SidecarState::Current;
    if pod.terminating || !pod.has_ended() || is_current == has_effective_route {
        return None;
    }
    let text = format!(
        "{} has ended but still counts: as long as it exists, the workload is rolled at every \
         reconcile",
        pod.object.id()
    );
    Some(
        Finding::new("rollout-repeats", Severity::Warning, text)
            .about(pod.object)
            .help("delete the pod"),
    )
}
