//! InferencePools and other services that routes lean on.

use crate::doctor::case::{Case, label};
use crate::doctor::probe::{Diagnosis, object_name};
use crate::doctor::times;
use crate::world::coverage::resource;
use crate::world::kind::Kind;
use crate::world::object::Object;

/// A route, and the namespace and name of an InferencePool that it refers to.
type Reference<'w> = (&'w Object, (String, String));

/// Every reference of a route to an InferencePool.
pub(super) fn references<'w>(case: &Case<'w>) -> Vec<Reference<'w>> {
    let routes = case.world.all(Kind::AIGatewayRoute);
    routes.flat_map(references_of).collect()
}

/// The references of one route.
pub(super) fn references_of(route: &Object) -> Vec<Reference<'_>> {
    let rules = route.spec().get("rules").items();
    let references = rules.flat_map(|rule| rule.get("backendRefs").items());
    let pools = references.filter(|reference| {
        let group = reference.get("group").str_or_empty();
        group.starts_with("inference.networking.")
    });
    let named = pools.map(|reference| {
        let namespace = reference.get("namespace").str();
        let namespace = namespace.unwrap_or(route.namespace());
        let name = reference.get("name").str_or_empty();
        (route, (namespace.to_string(), name.to_string()))
    });
    named.collect()
}

/// The InferencePools that routes refer to exist and are accepted.
///
/// The controller only watches pools if their CRD existed when it started.
pub(in crate::doctor) fn inference_pools(case: &Case<'_>) -> Vec<Diagnosis> {
    let references = references(case);
    let Some((route, _)) = references.first() else {
        return Vec::new();
    };
    let crd = resource(Kind::InferencePool);
    let mut all = Vec::new();
    if case.reads(Kind::CustomResourceDefinition) {
        match case.world.get(Kind::CustomResourceDefinition, "", &crd) {
            None => all.push(
                Diagnosis::failure(format!(
                    "a route refers to an InferencePool, and the CRD {crd} is not installed"
                ))
                .about_name(Kind::CustomResourceDefinition, "", &crd)
                .seen(route, "spec.rules.backendRefs", "InferencePool")
                .so("the route leads nowhere")
                .fix("install the Gateway API Inference Extension, then restart the controller")
                .fix(super::config::restart(case)),
            ),
            Some(found) => all.extend(installed_later(case, found)),
        }
    }
    if !case.reads(Kind::InferencePool) {
        let why = case.why_unread(Kind::InferencePool).unwrap_or_default();
        all.push(Diagnosis::unknown(why));
        return all;
    }
    for (route, (namespace, name)) in &references {
        let Some(pool) = case.world.get(Kind::InferencePool, namespace, name) else {
            let id = object_name(Kind::InferencePool, namespace, name);
            all.push(
                Diagnosis::failure(format!("{id} does not exist"))
                    .about_name(Kind::InferencePool, namespace, name)
                    .seen(route, "spec.rules.backendRefs", name)
                    .so("the rule leads nowhere")
                    .fix("create the InferencePool, or take it out of the route"),
            );
            continue;
        };
        for parent in pool.field().get("status").get("parents").items() {
            for refused in parent.get("conditions").items() {
                if refused.get("status").str() != Some("False") {
                    continue;
                }
                let kind = refused.get("type").str_or_empty();
                let message = refused.get("message").str_or_empty();
                all.push(
                    Diagnosis::failure(format!("the InferencePool is not {kind}: {message}"))
                        .about(pool)
                        .seen(
                            pool,
                            format!("status.parents.conditions[{kind}].message"),
                            message,
                        )
                        .so("requests to it fail")
                        .fix(format!(
                            "kubectl -n {namespace} describe inferencepool {name}"
                        )),
                );
            }
        }
        all.extend(picker(case, pool));
    }
    all
}

fn installed_later(case: &Case<'_>, crd: &Object) -> Option<Diagnosis> {
    let controller = case.controller()?;
    let pods = case.pods_of(controller);
    let started = pods.iter().filter_map(|pod| times::created(pod)).max()?;
    let installed = times::created(crd)?;
    (installed > started).then(|| {
        Diagnosis::failure(
            "the InferencePool CRD is newer than the controller's pod, which does not watch it",
        )
        .about(crd)
        .seen(crd, "metadata.creationTimestamp", installed)
        .saw(controller.id().to_string(), "newest pod", started)
        .so("changes of InferencePools have no effect")
        .fix(super::config::restart(case))
    })
}

/// The endpoint picker of a pool: what it leads to is not the AI Gateway's.
fn picker(case: &Case<'_>, pool: &Object) -> Option<Diagnosis> {
    let reference = pool.spec().get("endpointPickerRef");
    let name = reference.get("name").str()?;
    if !case.reads(Kind::Service) || !case.reads(Kind::EndpointSlice) {
        return None;
    }
    let service = case.world.get(Kind::Service, pool.namespace(), name);
    let slices = case.world.all(Kind::EndpointSlice).filter(|s| {
        s.namespace() == pool.namespace() && label(s, "kubernetes.io/service-name") == Some(name)
    });
    let mut endpoints = slices.flat_map(|s| s.field().get("endpoints").items());
    let ready = endpoints.any(|e| e.get("conditions").get("ready").bool() != Some(false));
    let text = match (service, ready) {
        (None, _) => "the endpoint picker of the InferencePool has no Service",
        (Some(_), false) => "the endpoint picker of the InferencePool has no ready endpoint",
        _ => return None,
    };
    Some(
        Diagnosis::note(text)
            .about(pool)
            .seen(pool, "spec.endpointPickerRef.name", name)
            .so("requests to the pool fail, depending on its failureMode"),
    )
}

/// The rate-limit service of QuotaPolicies exists.
pub(in crate::doctor) fn quota_service(case: &Case<'_>) -> Vec<Diagnosis> {
    use crate::controllers::ai_gateway::settings::flags::Id;
    let Some(policy) = case.world.all(Kind::QuotaPolicy).next() else {
        return Vec::new();
    };
    let address = case.options.settings.plain(Id::QuotaRateLimitServiceAddr);
    let host = address.split(':').next().unwrap_or_default();
    let mut parts = host.split('.');
    let (Some(name), Some(namespace)) = (parts.next(), parts.next()) else {
        return Vec::new();
    };
    if !case.reads(Kind::Service) || case.world.get(Kind::Service, namespace, name).is_some() {
        return Vec::new();
    }
    vec![
        Diagnosis::note("there is a QuotaPolicy, and its rate-limit service does not exist")
            .about_name(Kind::Service, namespace, name)
            .seen(policy, "kind", "QuotaPolicy")
            .so("quotas are not enforced"),
    ]
}
