//! The AI Gateway controller: there, running, leading, configured.

use std::collections::BTreeSet;

use jiff::SignedDuration;

use crate::controllers::ai_gateway::settings::code;
use crate::controllers::ai_gateway::settings::flags::Id;
use crate::doctor::case::{Case, Gateway, condition};
use crate::doctor::probe::Diagnosis;
use crate::doctor::times;
use crate::world::field::Field;
use crate::world::finding::Severity;
use crate::world::kind::Kind;
use crate::world::object::Object;

/// The lease of the controller's leader.
const LEASE: &str = "envoy-ai-gateway-controller";

/// There is a Deployment of the controller.
///
/// It is known by the label of its chart or by its image. Without it nobody writes filter configs,
/// serves the webhook or answers Envoy Gateway.
pub(in crate::doctor) fn controller_present(case: &Case<'_>) -> Vec<Diagnosis> {
    if !case.controllers().is_empty() || !case.reads(Kind::Deployment) {
        return Vec::new();
    }
    vec![
        Diagnosis::failure("there is no Deployment of the AI Gateway controller")
            .so("nobody writes filter configs, serves the webhook or answers Envoy Gateway")
            .fix(
                "helm upgrade -i aieg oci://docker.io/envoyproxy/ai-gateway-helm --version VERSION \
                 -n envoy-ai-gateway-system --create-namespace",
            ),
    ]
}

/// The controller runs.
///
/// While no pod of it is available, no config is written, `failurePolicy: Fail` keeps every new Envoy
/// pod from being created, and Envoy Gateway, whose extension server is the same process, cannot
/// translate. Pods that exist keep the config that they have.
pub(in crate::doctor) fn controller_running(case: &Case<'_>) -> Vec<Diagnosis> {
    case.controllers()
        .iter()
        .filter(|deployment| !is_available(deployment))
        .map(|deployment| down(case, deployment))
        .collect()
}

/// Whether some pod of a Deployment is available.
pub(super) fn is_available(deployment: &Object) -> bool {
    let available = deployment.field().get("status").get("availableReplicas");
    deployment.spec().get("replicas").int() != Some(0) && available.int().unwrap_or_default() > 0
}

fn down(case: &Case<'_>, deployment: &Object) -> Diagnosis {
    let (namespace, name) = (deployment.namespace(), deployment.name());
    let so = "configs are not written, new Envoy pods cannot be created while failurePolicy is \
              Fail, and Envoy Gateway cannot translate; pods that exist keep what they have";
    if deployment.spec().get("replicas").int() == Some(0) {
        return Diagnosis::failure("the AI Gateway controller is scaled to 0")
            .about(deployment)
            .seen(deployment, "spec.replicas", 0)
            .so(so)
            .fix(format!(
                "kubectl -n {namespace} scale deployment/{name} --replicas=1"
            ));
    }
    let mut diagnosis = Diagnosis::failure("no pod of the AI Gateway controller is available")
        .about(deployment)
        .seen(deployment, "status.availableReplicas", 0)
        .so(so);
    let mut out_of_memory = false;
    for pod in case.pods_of(deployment) {
        let status = pod.field().get("status");
        for container in status.get("containerStatuses").items() {
            if let Some((field, reason)) = trouble(&container) {
                out_of_memory |= reason == "OOMKilled";
                let field = format!("status.containerStatuses.{field}");
                diagnosis = diagnosis.seen(pod, field, reason);
            }
            let last = container.get("lastState").get("terminated").get("reason");
            if let Some(reason) = last.str() {
                out_of_memory |= reason == "OOMKilled";
                let field = "status.containerStatuses.lastState.terminated.reason";
                diagnosis = diagnosis.seen(pod, field, reason);
            }
        }
    }
    if out_of_memory {
        diagnosis.because += ": it runs out of memory";
        return diagnosis.fix(format!(
            "kubectl -n {namespace} set resources deployment/{name} --limits=memory=1Gi"
        ));
    }
    let diagnosis = diagnosis
        .fix(format!(
            "kubectl -n {namespace} logs deployment/{name} --previous"
        ))
        .fix(format!("kubectl -n {namespace} describe pods"));
    match case.pods_of(deployment).into_iter().any(runs) {
        // What keeps a controller from starting does not explain one that has started.
        true => diagnosis,
        false => diagnosis
            .after("controller-settings")
            .after("webhook-present")
            .after("webhook-single")
            .after("webhook-secret")
            .after("crds-served"),
    }
}

/// Whether every container of a pod runs, ready or not.
fn runs(pod: &Object) -> bool {
    let mut all = pod.field().get("status").get("containerStatuses").items();
    let running = |c: Field<'_>| c.get("state").get("running").is_set();
    let some = all.next().is_some_and(running);
    some && all.all(running)
}

/// Why a container does not run.
pub(super) fn trouble<'o>(status: &Field<'o>) -> Option<(&'static str, &'o str)> {
    let state = status.get("state");
    let waiting = state.get("waiting").get("reason").str();
    let ended = state.get("terminated").get("reason").str();
    let waiting = waiting.filter(|r| !matches!(*r, "ContainerCreating" | "PodInitializing"));
    let waiting = waiting.map(|reason| ("state.waiting.reason", reason));
    waiting.or(ended.map(|reason| ("state.terminated.reason", reason)))
}

/// The controller has a leader.
///
/// Only the leader writes configs. The lease is compared with the newest time in the input, never with
/// the clock of this machine, and a controller that is available gets some grace, since the objects of
/// a dump are read one after the other; so it does where some other lease was renewed about when this
/// one was.
pub(in crate::doctor) fn controller_leader(case: &Case<'_>) -> Vec<Diagnosis> {
    if !case.reads(Kind::Deployment) || !case.reads(Kind::Lease) {
        return Vec::new();
    }
    let Some(controller) = case.controller() else {
        return vec![Diagnosis::note("there is no controller to lead")];
    };
    let Some(lease) = case.world.get(Kind::Lease, controller.namespace(), LEASE) else {
        return vec![
            Diagnosis::failure("the AI Gateway controller never had a leader")
                .about_name(Kind::Lease, controller.namespace(), LEASE)
                .so("configs are not written")
                .fix(format!(
                    "kubectl -n {} logs deployment/{}",
                    controller.namespace(),
                    controller.name()
                ))
                .after("controller-running"),
        ];
    };
    let renewed = times::of(&lease.spec().get("renewTime"));
    let seconds = lease.spec().get("leaseDurationSeconds").int().unwrap_or(15);
    let (Some(renewed), Some(newest)) = (renewed, case.newest()) else {
        return vec![Diagnosis::unknown("the lease has no renewTime").about(lease)];
    };
    let grace = if is_available(controller) { 4 } else { 1 };
    let allowed = SignedDuration::from_secs(seconds.clamp(1, 86_400) * grace);
    if newest.duration_since(renewed) <= allowed {
        return Vec::new();
    }
    // A dump may take minutes, and leases may be read long before what is newest.
    let others = case.world.all(Kind::Lease).filter(|o| o.id() != lease.id());
    let other = others
        .filter_map(|o| times::of(&o.spec().get("renewTime")))
        .max();
    let alike = other.is_some_and(|other| other.duration_since(renewed).abs() <= allowed);
    if is_available(controller) && alike {
        return Vec::new();
    }
    vec![
        Diagnosis::failure("the lease of the controller's leader has run out")
            .about(lease)
            .seen(lease, "spec.renewTime", renewed)
            .saw("the newest time in the input", "", newest)
            .seen(
                lease,
                "spec.holderIdentity",
                lease.spec().get("holderIdentity").str_or_empty(),
            )
            .so("nobody writes configs, so a change of routes or credentials has no effect")
            .fix(format!(
                "kubectl -n {} rollout restart deployment/{}",
                controller.namespace(),
                controller.name()
            ))
            .after("controller-present")
            .after("controller-running"),
    ]
}

/// The controller starts with its arguments.
///
/// Go's flag reader exits at an unknown flag or a value that it cannot read, and reads no flag behind
/// an argument that is none.
pub(in crate::doctor) fn controller_settings(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    for finding in case.findings {
        let mut diagnosis = match (finding.code, finding.severity) {
            (code::REFUSED_ARGUMENT, _) => {
                Diagnosis::failure(&finding.message).so("the controller exits as soon as it starts")
            }
            (code::UNREAD_ARGUMENTS, _) => Diagnosis::warning(&finding.message),
            (code::UNKNOWN_ARGUMENT_VALUE, Severity::Warning) => Diagnosis::note(&finding.message),
            _ => continue,
        };
        diagnosis.object = finding.object.as_ref().map(ToString::to_string);
        diagnosis.remedy.extend(finding.help.clone());
        if let (Some(object), false) = (&diagnosis.object, finding.field.is_empty()) {
            // The value of an argument may be a credential.
            let object = object.clone();
            diagnosis = diagnosis.saw(object, &finding.field, "(not shown)");
        }
        all.push(diagnosis);
    }
    let seed = case.options.settings.seed(Id::McpSessionEncryptionSeed);
    if *seed.reveal() == "default-insecure-seed" && case.world.all(Kind::MCPRoute).next().is_some()
    {
        let mut note =
            Diagnosis::note("MCP sessions are encrypted with the seed of the source code")
                .fix("set controller.mcp.sessionEncryption.seed in the chart's values");
        note.object = case.controller().map(|c| c.id().to_string());
        all.push(note);
    }
    all
}

/// The controller watches the namespaces of a Gateway and of its routes.
///
/// `--watchNamespaces` limits what the controller reads. A Gateway outside is never reconciled, though
/// the webhook still sees its pods; a route outside is as good as absent.
pub(in crate::doctor) fn controller_watches(case: &Case<'_>) -> Vec<Diagnosis> {
    let settings = &case.options.settings;
    let watched = settings.watch_namespaces().join(",");
    let flag = |diagnosis: Diagnosis| match case.controller() {
        Some(controller) => diagnosis.seen(controller, "--watchNamespaces", &watched),
        None => diagnosis,
    };
    let mut all = Vec::new();
    for gateway in case.gateways() {
        let mut told = BTreeSet::new();
        for (namespace, object) in parts_of(case, gateway) {
            if settings.watches(&namespace) || !told.insert(namespace.clone()) {
                continue;
            }
            let text = format!("the controller does not watch namespace {namespace}");
            let mut diagnosis = flag(
                Diagnosis::failure(text)
                    .gateway(&gateway.name)
                    .so("the controller never sees it: it has no part in any config")
                    .fix(format!(
                        "add {namespace} to controller.watch.namespaces of the chart"
                    )),
            );
            diagnosis.object = Some(object);
            all.push(diagnosis);
        }
    }
    all
}

/// A Gateway, its routes and the backends that are there, each with its namespace.
fn parts_of(case: &Case<'_>, gateway: &Gateway<'_>) -> Vec<(String, String)> {
    let mut all = vec![(gateway.key.0.clone(), gateway.object())];
    let mcp = case.world.mcp_routes_of(gateway.key);
    let routes: Vec<&Object> = case.world.routes_of(gateway.key).collect();
    let named = |o: &Object| (o.namespace().to_string(), o.id().to_string());
    all.extend(routes.iter().copied().chain(mcp).map(named));
    for route in routes {
        let rules = route.spec().get("rules").items();
        for reference in rules.flat_map(|rule| rule.get("backendRefs").items()) {
            let namespace = reference.get("namespace").str();
            let namespace = namespace.unwrap_or(route.namespace());
            let name = reference.get("name").str_or_empty();
            let backend = case.world.get(Kind::AIServiceBackend, namespace, name);
            all.extend(backend.map(named));
        }
    }
    all
}

/// Whether a Deployment cannot create pods.
pub(super) fn replica_failure<'o>(object: &'o Object) -> Option<Field<'o>> {
    condition(object, "ReplicaFailure").filter(|c| c.get("status").str() == Some("True"))
}
