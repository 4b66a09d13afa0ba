//! The pods of a Gateway and their sidecars.

use super::config::document;
use super::controller::trouble;
use super::rollout::is_asked_for;
use crate::controllers::ai_gateway::part::Part as Value;
use crate::controllers::ai_gateway::rollout::SidecarState;
use crate::controllers::ai_gateway::sidecar::{Admission, CONTAINER};
use crate::controllers::ai_gateway::unknown::Part;
use crate::controllers::profile::ControllerVersion;
use crate::doctor::case::{Case, Gateway, sidecar_of};
use crate::doctor::probe::{Diagnosis, State};
use crate::doctor::stored::Stored;
use crate::doctor::times;
use crate::secret::Reveal;
use crate::world::kind::Kind;
use crate::world::object::Object;

fn wants_sidecar(gateway: &Gateway<'_>) -> bool {
    let live = |route: &Object| !route.is_being_deleted();
    let outcome = gateway.outcome;
    outcome.has_effective_route || (outcome.config.is_none() && outcome.object.is_some_and(live))
}

/// Every pod of a Gateway with AI routes has the sidecar.
///
/// A pod without one is in one of three states:
///
/// * *being repaired* (`in-progress`): it is older than the filter config Secret, and the controller has
///   asked for the rollout that replaces it. Wait. Controllers before v0.3.0 blocked such pods instead;
///   before v0.6.0 the rollout could be lost in a race or among mixed pods.
/// * *repaired at the next event* (`broken`): the Secret is there, and nothing was asked for. Pods and
///   workloads trigger no reconcile; a change of a route or a restart of the controller does. A pod
///   that is newer than the Secret was not seen by the webhook, or before v0.6.0 the webhook's cache had
///   no routes yet: see the probes of the webhook first.
/// * *dead end* (`broken`): there is no Secret, and nothing that would write one. Restart the controller,
///   unless it refuses every reconcile, such as v1.0.0 does for a Gateway in Envoy Gateway's namespace
///   (fixed in v1.1.0).
pub(in crate::doctor) fn sidecar_present(case: &Case<'_>) -> Vec<Diagnosis> {
    case.gateways()
        .iter()
        .filter_map(|gateway| missing(case, gateway))
        .collect()
}

fn missing(case: &Case<'_>, gateway: &Gateway<'_>) -> Option<Diagnosis> {
    if !wants_sidecar(gateway) {
        return None;
    }
    let without: Vec<&Object> = gateway
        .live_pods()
        .filter(|p| sidecar_of(p).is_none())
        .collect();
    let pod = without.first()?;
    let total = gateway.live_pods().count();
    let secret = match &gateway.stored {
        Some(Stored::Document(document)) => Some(document.object),
        Some(Stored::Damaged(object, _)) => Some(*object),
        _ => None,
    };
    let (born, written) = (times::created(pod), secret.and_then(times::created));
    // Where both are of the same second the pod may have come first.
    let older = born
        .zip(written)
        .is_some_and(|(born, written)| born <= written);
    let text = match (secret, older) {
        (None, _) if gateway.stored.is_none() => {
            "whether there was a filter config Secret for them is not in the input"
        }
        (None, _) => "its pods were created while there was no filter config Secret",
        (Some(_), true) => "its pods are older than its filter config Secret",
        (Some(_), false) => "its pods are newer than its filter config Secret and have no sidecar",
    };
    let mut diagnosis = Diagnosis::failure(format!(
        "{} of {total} pods have no sidecar: {text}",
        without.len()
    ))
    .gateway(&gateway.name)
    .about(pod)
    .so("Envoy's filter finds nobody at its socket, so requests to AI routes fail");
    for pod in without.iter().take(5) {
        diagnosis = diagnosis
            .seen(pod, "spec.initContainers", format!("no {CONTAINER}"))
            .seen(pod, "metadata.creationTimestamp", born_of(pod));
    }
    if let Some(secret) = secret {
        diagnosis = diagnosis.seen(secret, "metadata.creationTimestamp", born_of(secret));
    }
    diagnosis = diagnosis
        .after("config-secret-present")
        .after("discovery-namespace");
    if !older {
        for id in [
            "webhook-present",
            "webhook-single",
            "webhook-rules",
            "webhook-selectors",
            "webhook-failure-policy",
        ] {
            diagnosis = diagnosis.after(id);
        }
    }
    let asked = gateway
        .workloads
        .iter()
        .find(|workload| is_asked_for(workload));
    let planned = gateway.outcome.workload.rollout.as_ref();
    let planned = planned.is_some_and(|r| r.patches.iter().any(|p| p.rolls()));
    let restart = gateway.workloads.first().map(|w| restart(w));
    let unseen = gateway.stored.is_none();
    diagnosis = match (secret, asked) {
        (_, Some(workload)) if older || unseen => {
            let (generation, observed) = generations(workload);
            diagnosis
                .state(State::InProgress)
                .and_so("it is being repaired: the controller has asked for a rollout")
                .seen(workload, "metadata.generation", generation)
                .seen(workload, "status.observedGeneration", observed)
                .fix("wait for the rollout that the controller has asked for")
                .fix(format!(
                    "kubectl -n {} rollout status {}/{}",
                    workload.namespace(),
                    workload.kind().name().to_lowercase(),
                    workload.name()
                ))
        }
        (Some(_), _) if older && planned => diagnosis
            .and_so("the controller rolls the workload at the next reconcile of the Gateway")
            .fix(super::config::restart(case)),
        (None, _) if unseen => diagnosis.fixes(restart),
        (None, _) => diagnosis
            .and_so("nothing repairs it by itself: no event of pods makes the controller write")
            .fix(super::config::restart(case)),
        _ => diagnosis
            .and_so("the webhook did not add it; before v0.6.0 its cache could lack the routes")
            .fixes(restart),
    };
    Some(diagnosis.after("rollout-blocked"))
}

fn born_of(object: &Object) -> &str {
    object.metadata().get("creationTimestamp").str_or_empty()
}

pub(super) fn generations(workload: &Object) -> (i64, i64) {
    let generation = workload
        .metadata()
        .get("generation")
        .int()
        .unwrap_or_default();
    let observed = workload
        .field()
        .get("status")
        .get("observedGeneration")
        .int();
    (generation, observed.unwrap_or_default())
}

/// Every sidecar is the one that the controller expects.
///
/// It compares the image, the log level and, where an MCPRoute is attached, `-mcpAddr`; with live routes
/// a rollout follows at the next reconcile.
pub(in crate::doctor) fn sidecar_current(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    for gateway in case.gateways().iter().filter(|g| wants_sidecar(g)) {
        if !gateway.outcome.knows(Part::Rollout) {
            let why = gateway.outcome.unknown.iter().flat_map(|u| &u.because);
            let why: Vec<String> = why.map(ToString::to_string).collect();
            all.push(Diagnosis::unknown(why.join("; ")).gateway(&gateway.name));
            continue;
        }
        let other = gateway.live_pods().find_map(|pod| {
            let state = &gateway.state_of(pod)?.sidecar;
            let differs = !matches!(
                state,
                SidecarState::Current | SidecarState::Absent | SidecarState::WrongList
            );
            differs.then_some((pod, state))
        });
        let Some((pod, state)) = other else {
            continue;
        };
        let sidecar = sidecar_of(pod);
        let image = sidecar
            .as_ref()
            .map(|s| s.get("image").str_or_empty())
            .unwrap_or_default();
        let asked = gateway.workloads.iter().any(|w| is_asked_for(w));
        let mut diagnosis = match state {
            SidecarState::NoMcpAddress => Diagnosis::failure(format!("a pod {}", state.text()))
                .so("requests to MCP routes fail until the pod is replaced"),
            _ => Diagnosis::warning(format!("a pod {}", state.text()))
                .so("the controller rolls the workload at the next reconcile of the Gateway"),
        };
        if asked {
            diagnosis = diagnosis.state(State::InProgress);
        }
        all.push(
            diagnosis
                .gateway(&gateway.name)
                .about(pod)
                .seen(pod, format!("{CONTAINER}.image"), image)
                .fix(super::config::restart(case))
                .after("rollout-blocked")
                .after("rollout-finished")
                .after("rollout-repeats")
                .after("controller-running")
                .after("controller-leader")
                .after("config-refused"),
        );
    }
    all
}

/// The sidecars run with the settings that the controller has now.
///
/// Before v1.1.0 a change of flags or of the GatewayConfig does not roll the workload: arguments and
/// environment of a sidecar stay those of the day on which its pod was created.
pub(in crate::doctor) fn sidecar_settings(case: &Case<'_>) -> Vec<Diagnosis> {
    if case.options.profile().hashes_sidecar {
        return Vec::new();
    }
    let mut all = Vec::new();
    for gateway in case.gateways().iter().filter(|g| wants_sidecar(g)) {
        let other = gateway.live_pods().find_map(|pod| {
            let current = gateway.state_of(pod)?.sidecar == SidecarState::Current;
            let list = current.then(|| other_settings(gateway, pod))??;
            Some((pod, list))
        });
        let Some((pod, list)) = other else {
            continue;
        };
        all.push(
            Diagnosis::warning("a sidecar has other settings than a new pod would get")
                .gateway(&gateway.name)
                .about(pod)
                .seen(
                    pod,
                    format!("{CONTAINER}.{list}"),
                    "(not those of a new pod)",
                )
                .so("what was changed in flags or GatewayConfig counts once the pod is replaced")
                .fixes(gateway.workloads.first().map(|workload| restart(workload)))
                .after("rollout-finished")
                .after("gateway-config"),
        );
    }
    all
}

/// The list of a sidecar that a new pod would get with other content. Flags of MCP that are left
/// from a route of the past do no harm.
fn other_settings(gateway: &Gateway<'_>, pod: &Object) -> Option<&'static str> {
    let mut cases = gateway.outcome.workload.pods.iter();
    let injected = cases.find_map(|case| match &case.admission {
        Admission::Injected(injection) if case.namespace == pod.namespace() => Some(injection),
        _ => None,
    })?;
    let sidecar = sidecar_of(pod)?;
    let list = |key: &'static str| sidecar.get(key).items();
    let wanted = |key: &str| injected.container.get(key).map_or(&[][..], Value::items);
    let args: Vec<String> = list("args")
        .filter_map(|a| a.str().map(str::to_string))
        .collect();
    let new = wanted("args").iter().filter_map(|a| {
        let value = a.json(Reveal::ALL);
        value.as_str().map(str::to_string)
    });
    if without_mcp(args) != without_mcp(new.collect()) {
        return Some("args");
    }
    let env: Vec<_> = list("env")
        .filter_map(|e| Some(e.node()?.to_json()))
        .collect();
    let new: Vec<_> = wanted("env").iter().map(|e| e.json(Reveal::ALL)).collect();
    let named = |env: Vec<serde_json::Value>| -> Vec<(serde_json::Value, serde_json::Value)> {
        let pairs = env
            .into_iter()
            .map(|mut e| (e["name"].take(), e["value"].take()));
        pairs.collect()
    };
    (named(env) != named(new)).then_some("env")
}

fn without_mcp(args: Vec<String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        match arg.starts_with("-mcp") {
            true => drop(args.next()),
            false => kept.push(arg),
        }
    }
    kept
}

fn restart(workload: &Object) -> String {
    format!(
        "kubectl -n {} rollout restart {}/{}",
        workload.namespace(),
        workload.kind().name().to_lowercase(),
        workload.name()
    )
}

/// The sidecar is in the list of containers that this version of Kubernetes needs.
pub(in crate::doctor) fn sidecar_list(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    for gateway in case.gateways() {
        let wrong = gateway.live_pods().find(|pod| {
            let state = gateway.state_of(pod);
            state.is_some_and(|s| s.sidecar == SidecarState::WrongList)
        });
        let Some(pod) = wrong else {
            continue;
        };
        if case.world.kubernetes_version.is_none() {
            let text = "in which list the sidecar belongs depends on the version of Kubernetes, \
                        which is not in the input";
            all.push(Diagnosis::unknown(text).gateway(&gateway.name).about(pod));
            continue;
        }
        let lists = ["initContainers", "containers"];
        let list = lists.iter().find(|list| {
            let mut items = pod.spec().get(**list).items();
            items.any(|c| c.get("name").str() == Some(CONTAINER))
        });
        all.push(
            Diagnosis::warning("the sidecar is in the other list of containers than is expected")
                .gateway(&gateway.name)
                .about(pod)
                .seen(
                    pod,
                    format!("spec.{}", list.unwrap_or(&"containers")),
                    CONTAINER,
                )
                .so("the controller takes the pod for one without a sidecar and rolls the workload")
                .fix(super::config::restart(case))
                .after("rollout-finished"),
        );
    }
    all
}

/// Whether the sidecar refuses the document that the controller writes.
fn refuses_document(gateway: &Gateway<'_>) -> bool {
    let mut findings = gateway.outcome.findings.iter();
    findings.any(|finding| finding.code == "sidecar-refuses")
}

/// Every sidecar is ready.
///
/// A sidecar whose first load fails exits and is restarted: a config of another version, default
/// credentials that are not there, an expression that it refuses. Its log says `failed to load initial
/// config`.
pub(in crate::doctor) fn sidecar_ready(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    for gateway in case.gateways() {
        let found = gateway.live_pods().find_map(|pod| {
            let status = pod.field().get("status");
            let own = ["initContainerStatuses", "containerStatuses"];
            let mut own = own.into_iter().flat_map(|list| status.get(list).items());
            let own = own.find(|s| s.get("name").str() == Some(CONTAINER))?;
            let trouble = trouble(&own);
            let ready = own.get("ready").bool() != Some(false);
            (trouble.is_some() || !ready).then_some((pod, own, trouble))
        });
        let Some((pod, status, trouble)) = found else {
            continue;
        };
        let mut diagnosis = Diagnosis::failure("a sidecar is not ready")
            .gateway(&gateway.name)
            .about(pod)
            .seen(pod, format!("{CONTAINER}.ready"), "false");
        if let Some((field, reason)) = trouble {
            diagnosis = diagnosis.seen(pod, format!("{CONTAINER}.{field}"), reason);
        }
        if let Some(restarts) = status.get("restartCount").int() {
            diagnosis = diagnosis.seen(pod, format!("{CONTAINER}.restartCount"), restarts);
        }
        if refuses_document(gateway) {
            diagnosis = diagnosis.after("config-refused");
        }
        all.push(
            diagnosis
                .so("requests to AI routes fail in this pod")
                .fix(format!(
                    "kubectl -n {} logs {} -c {CONTAINER} --previous",
                    pod.namespace(),
                    pod.name()
                ))
                .after("sidecar-version")
                .after("config-secret-complete"),
        );
    }
    all
}

/// The config is of the version that the sidecars read.
///
/// A sidecar refuses a config of another version: one that runs keeps what it has in memory, one that
/// starts exits, again and again, until the pod is replaced.
pub(in crate::doctor) fn sidecar_version(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    for gateway in case.gateways() {
        let Some(document) = document(gateway) else {
            continue;
        };
        let other = gateway.live_pods().find_map(|pod| {
            let image = sidecar_of(pod)?.get("image").str_or_empty();
            let tag = image.split('@').next()?.rsplit_once(':')?.1;
            let own = ControllerVersion::parse(tag)?;
            let read = ControllerVersion::parse(&document.version)?;
            (own.version != read.version).then_some((pod, image))
        });
        let Some((pod, image)) = other else {
            continue;
        };
        let asked = gateway.workloads.iter().any(|w| is_asked_for(w));
        let state = if asked {
            State::InProgress
        } else {
            State::Broken
        };
        all.push(
            Diagnosis::warning(format!(
                "a sidecar of another version than the config, which is of {}",
                document.version
            ))
            .state(state)
            .gateway(&gateway.name)
            .about(pod)
            .seen(pod, format!("{CONTAINER}.image"), image)
            .seen(document.object, "version", &document.version)
            .so(
                "the sidecar refuses the config and keeps what it has in memory; one that is \
                 restarted exits until the pod is replaced",
            )
            .fix("let the rollout finish; do not restart single containers")
            .after("rollout-blocked")
            .after("rollout-finished")
            .after("sidecar-current")
            .after("config-refused")
            .after("controller-running"),
        );
    }
    all
}

/// No sidecar is left where no AI route is attached.
pub(in crate::doctor) fn sidecar_left(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    for gateway in case.gateways() {
        let known = gateway.outcome.config.is_some() && gateway.outcome.knows(Part::Config);
        if !known || gateway.outcome.has_effective_route {
            continue;
        }
        if let Some(pod) = gateway.live_pods().find(|pod| sidecar_of(pod).is_some()) {
            all.push(
                Diagnosis::note("no AI route is attached, and the pods still have a sidecar")
                    .gateway(&gateway.name)
                    .about(pod)
                    .seen(pod, "spec.initContainers", CONTAINER)
                    .so("it does no harm, except that the pod is ready only when the sidecar is"),
            );
        }
    }
    all
}

/// No pod that has ended is counted.
///
/// An evicted or failed pod object still counts as one without a sidecar, or with one, and makes the
/// controller roll the workload at every reconcile until somebody deletes it.
pub(in crate::doctor) fn pods_ended(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    for gateway in case.gateways() {
        let repeats = gateway
            .outcome
            .workload
            .rollout
            .iter()
            .flat_map(|r| &r.pods);
        let ended = repeats.filter(|p| p.has_ended() && !p.terminating);
        for pod in ended
            .filter(|p| p.sidecar != SidecarState::Current)
            .map(|p| p.object)
        {
            let phase = pod.field().get("status").get("phase").str_or_empty();
            all.push(
                Diagnosis::warning("a pod that has ended still counts as one without a sidecar")
                    .gateway(&gateway.name)
                    .about(pod)
                    .seen(pod, "status.phase", phase)
                    .so("the controller rolls the workload at every reconcile")
                    .fix(format!(
                        "kubectl -n {} delete pod {}",
                        pod.namespace(),
                        pod.name()
                    )),
            );
        }
    }
    all
}

/// The pods of Envoy Gateway carry the labels by which the controller knows them.
///
/// Without `gateway.envoyproxy.io/owning-gateway-name` and `-namespace` a pod belongs to no Gateway: it
/// gets no sidecar, and is not counted.
pub(in crate::doctor) fn pods_labelled(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    for pod in case.world.all(Kind::Pod) {
        let label = |key: &'static str| pod.label(key);
        let is_proxy = label("app.kubernetes.io/managed-by") == Some("envoy-gateway")
            && label("app.kubernetes.io/component") == Some("proxy");
        let owned = label(crate::world::OWNING_GATEWAY_NAME).is_some()
            && label(crate::world::OWNING_GATEWAY_NAMESPACE).is_some();
        let merged = label("gateway.envoyproxy.io/owning-gatewayclass").is_some();
        if is_proxy && !owned && !merged {
            all.push(
                Diagnosis::failure("a pod of Envoy Gateway lacks the labels of its Gateway")
                    .about(pod)
                    .seen(
                        pod,
                        "metadata.labels",
                        "no owning-gateway-name and -namespace",
                    )
                    .so("it belongs to no Gateway and gets no sidecar")
                    .fix("take the label overrides out of the EnvoyProxy"),
            );
        }
    }
    all
}
