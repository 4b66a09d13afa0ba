//! Rollouts of a Gateway's workloads.

use super::controller::replica_failure;
use super::pods::generations;
use crate::controllers::ai_gateway::rollout::{
    HASH_ANNOTATION, Lag, UUID_ANNOTATION, template_annotation,
};
use crate::doctor::case::{Case, Gateway, condition};
use crate::doctor::probe::{Diagnosis, State};
use crate::world::kind::Kind;
use crate::world::object::Object;

/// Whether the controller has asked for a rollout that has not started.
pub(super) fn is_asked_for(workload: &Object) -> bool {
    let (generation, observed) = generations(workload);
    let annotated = |key| template_annotation(workload, key).is_some();
    observed < generation && (annotated(UUID_ANNOTATION) || annotated(HASH_ANNOTATION))
}

/// A rollout of the Gateway's pods can come to its end.
///
/// While one is under way the controller comes back every 5 seconds, writes the Secrets with a new UUID
/// and stops before it patches anything. The Secrets are current; a rollout that becomes necessary is
/// not asked for.
pub(in crate::doctor) fn rollout_blocked(case: &Case<'_>) -> Vec<Diagnosis> {
    case.gateways()
        .iter()
        .filter_map(|gateway| blocked(case, gateway))
        .collect()
}

fn blocked(case: &Case<'_>, gateway: &Gateway<'_>) -> Option<Diagnosis> {
    gateway.workloads.iter().find_map(|workload| {
        let lags = lag(workload).is_some();
        let diagnosis = paused(workload)
            .filter(|_| lags)
            .or_else(|| on_delete(workload).filter(|_| lags))
            .or_else(|| failing(case, gateway, workload))?;
        Some(diagnosis.gateway(&gateway.name).about(workload).so(
            "the rollout does not end: the controller comes back every 5 seconds, writes \
                     the Secrets again and patches nothing; the config itself is current",
        ))
    })
}

fn paused(workload: &Object) -> Option<Diagnosis> {
    let paused = workload.spec().get("paused").bool() == Some(true);
    paused.then(|| {
        Diagnosis::failure("the Deployment is paused in the middle of a rollout")
            .seen(workload, "spec.paused", true)
            .fix(format!(
                "kubectl -n {} rollout resume deployment/{}",
                workload.namespace(),
                workload.name()
            ))
    })
}

fn on_delete(workload: &Object) -> Option<Diagnosis> {
    let kind = workload.spec().get("updateStrategy").get("type");
    (kind.str() == Some("OnDelete")).then(|| {
        Diagnosis::failure("the DaemonSet replaces its pods only when they are deleted")
            .seen(workload, "spec.updateStrategy.type", "OnDelete")
            .fix(format!(
                "kubectl -n {} delete pod …  # one after the other",
                workload.namespace()
            ))
    })
}

fn failing(case: &Case<'_>, gateway: &Gateway<'_>, workload: &Object) -> Option<Diagnosis> {
    let unfinished = lag(workload)?;
    let mut diagnosis = None;
    if let Some(failure) = replica_failure(workload) {
        let message = failure.get("message").str_or_empty();
        diagnosis = Some(
            Diagnosis::failure("the workload's new pods are refused")
                .seen(workload, "status.conditions[ReplicaFailure]", message)
                .after("pods-refused"),
        );
    }
    let pods = gateway
        .pods
        .iter()
        .filter(|pod| pod.namespace() == workload.namespace());
    for pod in pods {
        if let Some((text, field, reason)) = stuck(pod) {
            let new = diagnosis.take().unwrap_or_else(|| Diagnosis::failure(text));
            let mut new = new.seen(pod, field, reason);
            for event in case.events_of(pod) {
                let reason = event.field().get("reason").str_or_empty();
                if matches!(
                    reason,
                    "FailedScheduling" | "Failed" | "BackOff" | "FailedMount"
                ) {
                    let message = event.field().get("message").str_or_empty();
                    new = new.seen(event, "message", message);
                }
            }
            let fix = match reason {
                "Unschedulable" => {
                    "give the pod room: lower its requests, add nodes, or undo the change"
                }
                _ => "repair the new pod, or undo the change",
            };
            if new.remedy.is_empty() {
                new = new.fix(fix).fix(format!(
                    "kubectl -n {} describe pod {}",
                    pod.namespace(),
                    pod.name()
                ));
            }
            diagnosis = Some(new.after("sidecar-ready"));
            break;
        }
    }
    let exceeded = condition(workload, "Progressing")
        .filter(|c| c.get("reason").str() == Some("ProgressDeadlineExceeded"));
    if let Some(progressing) = exceeded {
        let new = diagnosis.take().unwrap_or_else(|| {
            Diagnosis::failure("the workload's rollout has passed its deadline").fix(format!(
                "kubectl -n {} rollout status deployment/{}",
                workload.namespace(),
                workload.name()
            ))
        });
        let reason = progressing.get("reason").str_or_empty();
        diagnosis = Some(new.seen(workload, "status.conditions[Progressing].reason", reason));
    }
    let diagnosis = diagnosis?.seen(workload, "status", unfinished.text());
    Some(match diagnosis.remedy.is_empty() {
        true => diagnosis.fix(format!(
            "kubectl -n {} describe {}/{}",
            workload.namespace(),
            workload.kind().name().to_lowercase(),
            workload.name()
        )),
        false => diagnosis,
    })
}

/// Why a pod does not come up.
fn stuck(pod: &Object) -> Option<(&'static str, &'static str, &str)> {
    let scheduled =
        condition(pod, "PodScheduled").filter(|c| c.get("status").str() == Some("False"));
    if let Some(scheduled) = scheduled {
        let reason = scheduled.get("reason").str_or_empty();
        let field = "status.conditions[PodScheduled].reason";
        return Some(("a new pod cannot be scheduled", field, reason));
    }
    let status = pod.field().get("status");
    let lists = ["initContainerStatuses", "containerStatuses"];
    let mut all = lists.into_iter().flat_map(|list| status.get(list).items());
    let (field, reason) = all.find_map(|s| super::controller::trouble(&s))?;
    Some(("a new pod does not start", field, reason))
}

/// What a workload's status lags behind, as the controller sees it.
fn lag(workload: &Object) -> Option<Lag> {
    let (generation, observed) = generations(workload);
    let is_deployment = workload.kind() == Kind::Deployment;
    if observed < generation && (is_deployment || observed > 0) {
        return Some(Lag::Unobserved {
            observed,
            generation,
        });
    }
    let status = workload.field().get("status");
    let number = |key: &'static str| status.get(key).int().unwrap_or_default();
    let (total, updated) = match is_deployment {
        true => (number("replicas"), number("updatedReplicas")),
        false => (
            number("currentNumberScheduled"),
            number("updatedNumberScheduled"),
        ),
    };
    (total > updated).then_some(Lag::Outdated { updated, total })
}

/// The rollouts of the Gateway's pods have ended.
pub(in crate::doctor) fn rollout_finished(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    for gateway in case.gateways() {
        let found = gateway.workloads.iter().find_map(|w| Some((*w, lag(w)?)));
        let Some((workload, lag)) = found else {
            continue;
        };
        let text = match lag {
            Lag::Unobserved { .. } if is_asked_for(workload) => {
                "a rollout was asked for and has not started"
            }
            Lag::Unobserved { .. } => "a change of the workload has not been seen yet",
            Lag::Outdated { .. } => "a rollout is under way",
        };
        let (generation, observed) = generations(workload);
        all.push(
            Diagnosis::warning(text)
                .state(State::InProgress)
                .gateway(&gateway.name)
                .about(workload)
                .seen(workload, "metadata.generation", generation)
                .seen(workload, "status.observedGeneration", observed)
                .seen(workload, "status", lag.text())
                .so(
                    "until it ends the controller writes the Secrets every 5 seconds and \
                     annotates no pod, which is normal",
                )
                .fix(format!(
                    "kubectl -n {} rollout status {}/{}",
                    workload.namespace(),
                    workload.kind().name().to_lowercase(),
                    workload.name()
                ))
                .fix(
                    "if it does not start, look at the kube-controller-manager, not at the Gateway",
                )
                .after("pods-refused")
                .after("rollout-blocked")
                .after("sidecar-present"),
        );
    }
    all
}

/// The controller comes to rest.
///
/// Some decisions come out the same at every reconcile: a workload with no pods, an image that the
/// GatewayConfig sets and a controller before v1.1.0 does not expect.
pub(in crate::doctor) fn rollout_repeats(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    for gateway in case.gateways() {
        let found = gateway.outcome.findings.iter();
        for finding in found.filter(|f| f.code == "rollout-repeats") {
            let object = finding.object.as_ref();
            if object.is_some_and(|o| o.kind == Kind::Pod) {
                continue;
            }
            let mut diagnosis = Diagnosis::warning(&finding.message)
                .gateway(&gateway.name)
                .so("the workload gets a new revision at every reconcile");
            diagnosis.object = object.map(ToString::to_string);
            diagnosis.remedy.extend(finding.help.clone());
            all.push(diagnosis);
        }
    }
    all
}

/// The workload's template carries the hash of the sidecar's settings.
///
/// From v1.1.0 on, a change of flags or GatewayConfig changes the hash, and the controller rolls the
/// workload at its next reconcile of the Gateway.
pub(in crate::doctor) fn config_hash(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    for gateway in case
        .gateways()
        .iter()
        .filter(|g| g.outcome.has_effective_route)
    {
        let Some(desired) = &gateway.outcome.workload.config_hash else {
            continue;
        };
        for workload in &gateway.workloads {
            let found = template_annotation(workload, HASH_ANNOTATION).unwrap_or_default();
            if found == desired {
                continue;
            }
            let text = match found {
                "" => "the workload's template has no hash of the sidecar's settings",
                _ => "the workload was rolled for other settings of the sidecar",
            };
            all.push(
                Diagnosis::warning(text)
                    .gateway(&gateway.name)
                    .about(workload)
                    .seen(
                        workload,
                        "template annotation",
                        if found.is_empty() { "(none)" } else { found },
                    )
                    .saw("the controller", "desired hash", desired)
                    .so(
                        "pods run with old settings until the controller rolls the workload, which \
                         it does at the next reconcile of the Gateway",
                    )
                    .fix(super::config::restart(case))
                    .after("rollout-blocked")
                    .after("rollout-finished")
                    .after("config-refused")
                    .after("controller-running")
                    .after("controller-leader")
                    .after("config-secret-present")
                    .after("sidecar-present")
                    .after("sidecar-current")
                    .after("sidecar-list")
                    .after("gateway-config")
                    .after("controller-present"),
            );
        }
    }
    all
}
