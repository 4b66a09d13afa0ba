//! Routes: attached, accepted, translated.

use crate::doctor::case::{Case, condition};
use crate::doctor::probe::{Diagnosis, Evidence, State, object_name};
use crate::world::NamespacedName;
use crate::world::build::parent_gateway;
use crate::world::coverage::resource;
use crate::world::field::Field;
use crate::world::kind::Kind;
use crate::world::object::Object;

/// The header that holds the model.
const MODEL: &str = "x-ai-eg-model";
/// The group of the AI Gateway's kinds.
const GROUP: &str = "aigateway.envoyproxy.io";

/// The models that a route matches exactly.
pub(super) fn models(route: &Object) -> Vec<&str> {
    let rules = route.spec().get("rules").items();
    rules.flat_map(|rule| rule_models(&rule)).collect()
}

fn rule_models<'w>(rule: &Field<'w>) -> Vec<&'w str> {
    let headers = rule
        .get("matches")
        .items()
        .flat_map(|m| m.get("headers").items());
    let exact = headers.filter(|h| {
        let kind = h.get("type").str().unwrap_or("Exact");
        h.get("name").str() == Some(MODEL) && kind == "Exact"
    });
    exact.filter_map(|h| h.get("value").str()).collect()
}

fn routes<'w>(case: &Case<'w>) -> Vec<&'w Object> {
    let all = case.world.all(Kind::AIGatewayRoute);
    all.chain(case.world.all(Kind::MCPRoute)).collect()
}

/// The only Gateway of a route, where it has one.
fn gateway_of(route: &Object) -> Option<String> {
    let parents = route.spec().get("parentRefs").items();
    let mut parents: Vec<NamespacedName> = parents.map(|p| parent_gateway(&p)).collect();
    parents.dedup();
    match &parents[..] {
        [(namespace, name)] => Some(format!("{namespace}/{name}")),
        _ => None,
    }
}

/// Whether a route does not tell its Gateways of changes: it is not accepted, or a parent is missing.
pub(super) fn is_mute(case: &Case<'_>, route: &Object) -> bool {
    let exists = |parent: Field<'_>| {
        let (namespace, name) = parent_gateway(&parent);
        case.world.get(Kind::Gateway, &namespace, &name).is_some()
    };
    condition(route, "NotAccepted").is_some() || !route.spec().get("parentRefs").items().all(exists)
}

fn of_route(mut diagnosis: Diagnosis, route: &Object) -> Diagnosis {
    diagnosis.gateway = gateway_of(route);
    diagnosis.about(route)
}

/// Routes name Gateways that exist.
///
/// A parentRef without `namespace` means the route's own. From v1.0.0 on the first parent that does not
/// exist makes the route NotAccepted, and Gateways named behind it are not told of the route's changes.
pub(in crate::doctor) fn routes_attached(case: &Case<'_>) -> Vec<Diagnosis> {
    if !case.reads(Kind::Gateway) {
        return Vec::new();
    }
    let mut all = Vec::new();
    for route in routes(case) {
        for parent in route.spec().get("parentRefs").items() {
            let (namespace, name) = parent_gateway(&parent);
            if case.world.get(Kind::Gateway, &namespace, &name).is_some() {
                continue;
            }
            let text = format!("the route names Gateway {namespace}/{name}, which does not exist");
            let mut diagnosis = of_route(Diagnosis::failure(text), route)
                .seen(route, parent.path().to_string(), format!("{namespace}/{name}"))
                .so("the route has no part in any config, and Gateways that it names behind this one \
                     are not told of its changes");
            diagnosis.gateway = None;
            let same_name = case.world.all(Kind::Gateway).find(|g| g.name() == name);
            diagnosis = match same_name {
                Some(other) => diagnosis
                    .seen(other, "metadata.namespace", other.namespace())
                    .fix(format!(
                        "give the parentRef namespace: {}",
                        other.namespace()
                    )),
                None => diagnosis.fix("correct the parentRef, or create the Gateway"),
            };
            all.push(diagnosis);
        }
    }
    all
}

/// Routes are accepted by the controller.
///
/// The only condition of a route is `Accepted` or `NotAccepted`. It carries no generation: one of
/// before a change looks like a fresh one. A route that is not accepted tells no Gateway of its changes.
pub(in crate::doctor) fn routes_accepted(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    for route in routes(case) {
        let Some(refused) = condition(route, "NotAccepted") else {
            if condition(route, "Accepted").is_none() {
                let text = "the controller has given the route no status";
                all.push(of_route(Diagnosis::unknown(text), route));
            }
            continue;
        };
        let message = refused.get("message").str_or_empty();
        let mut diagnosis = of_route(
            Diagnosis::failure(format!(
                "the controller does not accept the route: {message}"
            )),
            route,
        )
        .seen(route, "status.conditions[NotAccepted].message", message)
        .so("its HTTPRoute is not written, and its Gateways are not told of its changes")
        .fix("correct what the message names")
        .after_object("routes-attached", route.id().to_string());
        for rule in route.spec().get("rules").items() {
            for reference in rule.get("backendRefs").items() {
                let namespace = reference
                    .get("namespace")
                    .str()
                    .unwrap_or(route.namespace());
                let name = reference.get("name").str_or_empty();
                let backend = object_name(Kind::AIServiceBackend, namespace, name);
                if message.contains(name) {
                    diagnosis = diagnosis.after_object("backend-missing", backend);
                }
            }
        }
        for (_, (namespace, name)) in super::pools::references_of(route) {
            let pool = object_name(Kind::InferencePool, &namespace, &name);
            let crd = object_name(
                Kind::CustomResourceDefinition,
                "",
                &resource(Kind::InferencePool),
            );
            diagnosis = diagnosis
                .after_object("inference-pools", pool)
                .after_object("inference-pools", crd);
        }
        all.push(diagnosis.after_object("routes-granted", route.id().to_string()));
    }
    all
}

/// References into other namespaces are granted.
///
/// The HTTPRoute of a route with a reference that no ReferenceGrant allows is not written. The config
/// holds the backend all the same.
pub(in crate::doctor) fn routes_granted(case: &Case<'_>) -> Vec<Diagnosis> {
    if !case.reads(Kind::ReferenceGrant) {
        return Vec::new();
    }
    let mut all = Vec::new();
    for route in case.world.all(Kind::AIGatewayRoute) {
        for rule in route.spec().get("rules").items() {
            for reference in rule.get("backendRefs").items() {
                let namespace = reference
                    .get("namespace")
                    .str()
                    .unwrap_or(route.namespace());
                if namespace == route.namespace() || is_granted(case, route, &reference, namespace)
                {
                    continue;
                }
                let name = reference.get("name").str_or_empty();
                let text =
                    format!("no ReferenceGrant in {namespace} allows the reference to {name}");
                let diagnosis = of_route(Diagnosis::failure(text), route)
                    .seen(route, reference.path().to_string(), format!("{namespace}/{name}"))
                    .so("the route's HTTPRoute is not written: Envoy has no route for its models")
                    .fix(format!(
                        "create a ReferenceGrant in {namespace}: from {GROUP} AIGatewayRoute in {} to \
                         AIServiceBackend",
                        route.namespace()
                    ));
                all.push(diagnosis);
            }
        }
    }
    all
}

fn is_granted(case: &Case<'_>, route: &Object, reference: &Field<'_>, namespace: &str) -> bool {
    let group = match reference.get("group").str_or_empty() {
        "" => GROUP,
        group => group,
    };
    let kind = reference.get("kind").str().unwrap_or(match group {
        GROUP => "AIServiceBackend",
        _ => "InferencePool",
    });
    let mut grants = case
        .world
        .all(Kind::ReferenceGrant)
        .filter(|g| g.namespace() == namespace);
    grants.any(|grant| {
        let is = |f: &Field<'_>, key: &'static str, text: &str| f.get(key).str() == Some(text);
        let mut from = grant.spec().get("from").items();
        let mut to = grant.spec().get("to").items();
        from.any(|f| {
            is(&f, "group", GROUP)
                && is(&f, "kind", "AIGatewayRoute")
                && is(&f, "namespace", route.namespace())
        }) && to.any(|t| {
            let name = t.get("name").str();
            is(&t, "group", group)
                && is(&t, "kind", kind)
                && name.is_none_or(|name| reference.get("name").str() == Some(name))
        })
    })
}

/// Policies of an InferencePool that is called like a backend: the controller counts them too, though
/// the config does not.
fn same_named(case: &Case<'_>, backend: &Object, message: &str) -> Vec<Evidence> {
    if !message.contains("multiple BackendSecurityPolicies") {
        return Vec::new();
    }
    let policies = case.world.all(Kind::BackendSecurityPolicy);
    let own = policies.filter(|p| p.namespace() == backend.namespace());
    let targets = own.flat_map(|policy| {
        let targets = policy.spec().get("targetRefs").items();
        targets.map(move |target| (policy, target))
    });
    let pools = targets.filter(|(_, target)| {
        target.get("kind").str() == Some("InferencePool")
            && target.get("name").str() == Some(backend.name())
    });
    let seen = pools.map(|(policy, target)| Evidence {
        object: policy.id().to_string(),
        field: target.path().to_string(),
        value: "an InferencePool of the same name, which counts here".to_string(),
    });
    seen.collect()
}

/// Backends and policies are accepted by the controller.
pub(in crate::doctor) fn policies_accepted(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    let kinds = [
        Kind::AIServiceBackend,
        Kind::BackendSecurityPolicy,
        Kind::QuotaPolicy,
        Kind::GatewayConfig,
    ];
    for object in kinds.into_iter().flat_map(|kind| case.world.all(kind)) {
        let Some(refused) = condition(object, "NotAccepted") else {
            continue;
        };
        let message = refused.get("message").str_or_empty();
        let id = object.id().to_string();
        all.push(
            Diagnosis::failure(format!("the controller does not accept it: {message}"))
                .about(object)
                .saw_all(same_named(case, object, message))
                .seen(object, "status.conditions[NotAccepted].message", message)
                .so("its changes are not passed on to routes and Gateways")
                .fix("correct what the message names")
                .after_object("backend-policies", id)
                .after("credential-rotation")
                .after("backend-missing"),
        );
    }
    for policy in case.world.all(Kind::QuotaPolicy) {
        let finalizers = policy.metadata().get("finalizers");
        if policy.spec().get("serviceQuota").is_set() || finalizers.items().next().is_some() {
            continue;
        }
        all.push(
            Diagnosis::note("a QuotaPolicy without serviceQuota gets no finalizer; it is in force")
                .about(policy)
                .seen(policy, "metadata.finalizers", "(none)")
                .so("its deletion may not reach the Gateways at once"),
        );
    }
    all
}

/// The HTTPRoute of every route is there, and current.
///
/// The controller writes an HTTPRoute of the same name and namespace; Envoy routes by it. Weights are
/// only there: the config has none.
pub(in crate::doctor) fn http_routes(case: &Case<'_>) -> Vec<Diagnosis> {
    if !case.reads(Kind::HTTPRoute) {
        return Vec::new();
    }
    let mut all = Vec::new();
    for route in case.world.all(Kind::AIGatewayRoute) {
        if route.is_being_deleted() {
            continue;
        }
        let id = route.id().to_string();
        let written = case
            .world
            .get(Kind::HTTPRoute, route.namespace(), route.name());
        let diagnosis = match written {
            None => of_route(Diagnosis::failure("the route has no HTTPRoute"), route)
                .saw(
                    object_name(Kind::HTTPRoute, route.namespace(), route.name()),
                    "",
                    "absent",
                )
                .so("Envoy has no route for its models: requests get 404"),
            Some(written) => match outdated(route, written) {
                None => continue,
                Some((field, what)) => {
                    let text = "the HTTPRoute is older than the route that it is made from";
                    of_route(Diagnosis::failure(text), route)
                        .seen(written, field, what)
                        .so("Envoy still routes as before the change")
                }
            },
        };
        all.push(
            diagnosis
                .fix(super::config::restart(case))
                .after_object("routes-attached", id.clone())
                .after_object("routes-granted", id.clone())
                .after_object("routes-accepted", id)
                .after("controller-present")
                .after("controller-running")
                .after("controller-leader")
                .after("controller-watches"),
        );
    }
    all
}

/// The first thing of a route that its HTTPRoute lacks.
fn outdated(route: &Object, written: &Object) -> Option<(String, String)> {
    let rules: Vec<Field<'_>> = written.spec().get("rules").items().collect();
    for rule in route.spec().get("rules").items() {
        for model in rule_models(&rule) {
            let Some(found) = rules.iter().find(|r| rule_models(r).contains(&model)) else {
                return Some((
                    "spec.rules".to_string(),
                    format!("no rule for model {model}"),
                ));
            };
            let weights = |rule: &Field<'_>| -> Vec<i64> {
                let references = rule.get("backendRefs").items();
                references
                    .map(|r| r.get("weight").int().unwrap_or(1))
                    .collect()
            };
            let (wanted, is) = (weights(&rule), weights(found));
            if wanted != is && wanted.len() == is.len() {
                let text = format!("weights {is:?} instead of {wanted:?}");
                return Some((found.get("backendRefs").path().to_string(), text));
            }
        }
    }
    None
}

/// No HTTPRoute is left of a backend that an MCPRoute no longer has.
///
/// The controller writes an HTTPRoute `ai-eg-mcp-br-ROUTE-BACKEND` for each backend of an MCPRoute. Before
/// v0.6.0 it did not delete that of a backend that was taken out; it goes only with the MCPRoute.
pub(in crate::doctor) fn mcp_http_routes(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    for route in case.world.all(Kind::MCPRoute) {
        // Which backends a selector finds is not known here.
        if route.is_being_deleted() || route.spec().get("backendSelector").is_set() {
            continue;
        }
        let start = format!("ai-eg-mcp-br-{}-", route.name());
        let backends = route.spec().get("backendRefs").items();
        let backends: Vec<&str> = backends.filter_map(|b| b.get("name").str()).collect();
        let written = case.world.all(Kind::HTTPRoute);
        let written = written.filter(|w| w.namespace() == route.namespace());
        for written in written.filter(|w| is_owned_by(w, route)) {
            let Some(backend) = written.name().strip_prefix(&start) else {
                continue;
            };
            if backends.contains(&backend) {
                continue;
            }
            let text =
                format!("an HTTPRoute is left of backend {backend}, which the MCPRoute lacks");
            all.push(
                of_route(Diagnosis::warning(text), route)
                    .about(written)
                    .seen(route, "spec.backendRefs", format!("no {backend}"))
                    .so(
                        "once its Backend is gone it cannot be resolved, and it stays until the \
                         MCPRoute goes",
                    )
                    .fix(format!(
                        "kubectl -n {} delete httproute {}",
                        written.namespace(),
                        written.name()
                    ))
                    .after("controller-present")
                    .after("controller-running")
                    .after("controller-leader")
                    .after_object("routes-accepted", route.id().to_string()),
            );
        }
    }
    all
}

fn is_owned_by(object: &Object, owner: &Object) -> bool {
    let mut owners = object.metadata().get("ownerReferences").items();
    owners.any(|o| {
        o.get("kind").str() == Some(owner.kind().name())
            && o.get("name").str() == Some(owner.name())
    })
}

/// The listeners of the Gateways accept the routes.
pub(in crate::doctor) fn listeners_accept(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    for route in routes(case) {
        let Some(written) = case
            .world
            .get(Kind::HTTPRoute, route.namespace(), route.name())
        else {
            continue;
        };
        for parent in written.field().get("status").get("parents").items() {
            for refused in parent.get("conditions").items() {
                let kind = refused.get("type").str_or_empty();
                let is_false = refused.get("status").str() == Some("False");
                if !is_false || !matches!(kind, "Accepted" | "ResolvedRefs") {
                    continue;
                }
                let reason = refused.get("reason").str_or_empty();
                let message = refused.get("message").str_or_empty();
                let text = match (kind, reason) {
                    ("Accepted", "NotAllowedByListeners") => {
                        "no listener of the Gateway allows routes of this namespace"
                    }
                    ("Accepted", "NoMatchingListenerHostname") => {
                        "no listener of the Gateway has a hostname of the route"
                    }
                    ("Accepted", _) => "the Gateway does not accept the route",
                    _ => "a backend of the route cannot be resolved",
                };
                let fix = match reason {
                    "NotAllowedByListeners" => {
                        "allow the namespace in allowedRoutes of the listener".to_string()
                    }
                    "NoMatchingListenerHostname" => {
                        "give route and listener a common hostname".to_string()
                    }
                    _ => format!(
                        "kubectl -n {} describe httproute {}",
                        written.namespace(),
                        written.name()
                    ),
                };
                all.push(
                    of_route(Diagnosis::failure(text), route)
                        .seen(
                            written,
                            format!("status.parents.conditions[{kind}].reason"),
                            reason,
                        )
                        .seen(
                            written,
                            format!("status.parents.conditions[{kind}].message"),
                            message,
                        )
                        .so("Envoy does not route to it")
                        .fix(fix)
                        .after("envoy-gateway-backend-api")
                        .after("envoy-gateway-pools"),
                );
            }
        }
    }
    all.dedup();
    all
}

/// Envoy Gateway accepts the Gateways and has programmed them.
pub(in crate::doctor) fn gateway_programmed(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    for gateway in case.gateways() {
        let Some(object) = gateway.outcome.object else {
            continue;
        };
        if condition(object, "Programmed").is_none() {
            let text = "the Gateway has no status";
            all.push(
                Diagnosis::unknown(text)
                    .gateway(&gateway.name)
                    .about(object),
            );
            continue;
        }
        for kind in ["Accepted", "Programmed"] {
            let found = condition(object, kind);
            let Some(refused) = found.filter(|c| c.get("status").str() == Some("False")) else {
                continue;
            };
            let reason = refused.get("reason").str_or_empty();
            let text = format!("the Gateway is not {}: {reason}", kind.to_lowercase());
            let diagnosis = match reason {
                "AddressNotAssigned" => Diagnosis::warning(text).state(State::InProgress),
                _ => Diagnosis::failure(text),
            };
            all.push(
                diagnosis
                    .gateway(&gateway.name)
                    .about(object)
                    .seen(object, format!("status.conditions[{kind}].reason"), reason)
                    .seen(
                        object,
                        format!("status.conditions[{kind}].message"),
                        refused.get("message").str_or_empty(),
                    )
                    .so("Envoy does not serve it as it is written")
                    .fix(format!(
                        "kubectl -n {} describe gateway {}",
                        object.namespace(),
                        object.name()
                    ))
                    .after("envoy-gateway-running")
                    .after("envoy-gateway-extension")
                    .after("envoy-gateway-listeners")
                    .after("controller-running"),
            );
            break;
        }
    }
    all
}

/// The GatewayConfig that a Gateway names exists, in the Gateway's namespace.
pub(in crate::doctor) fn gateway_config(case: &Case<'_>) -> Vec<Diagnosis> {
    if !case.reads(Kind::GatewayConfig) {
        return Vec::new();
    }
    let mut all = Vec::new();
    for gateway in case.gateways() {
        let Some(object) = gateway.outcome.object else {
            continue;
        };
        let annotation = "aigateway.envoyproxy.io/gateway-config";
        let name = object
            .metadata()
            .get("annotations")
            .get(annotation)
            .str_or_empty();
        if name.is_empty() || gateway.outcome.gateway_config.is_some() {
            continue;
        }
        let mut diagnosis = Diagnosis::failure(format!("GatewayConfig {name} does not exist"))
            .gateway(&gateway.name)
            .about_name(Kind::GatewayConfig, object.namespace(), name)
            .seen(object, format!("metadata.annotations[{annotation}]"), name)
            .so("the sidecar has default settings, and global costs are not counted")
            .fix("create it in the Gateway's namespace, or correct the annotation");
        let mut elsewhere = case.world.all(Kind::GatewayConfig);
        if let Some(other) = elsewhere.find(|c| c.name() == name) {
            diagnosis = diagnosis.seen(other, "metadata.namespace", other.namespace());
        }
        all.push(diagnosis);
    }
    all
}

/// Policies target backends that exist, in their own namespace.
///
/// A BackendSecurityPolicy that targets nothing leaves the backend without a credential: requests go
/// out unauthenticated. A QuotaPolicy that targets nothing counts nothing.
pub(in crate::doctor) fn policies_attached(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    let kinds = [Kind::BackendSecurityPolicy, Kind::QuotaPolicy];
    for policy in kinds.into_iter().flat_map(|kind| case.world.all(kind)) {
        for target in policy.spec().get("targetRefs").items() {
            let name = target.get("name").str_or_empty();
            let kind = match (
                target.get("group").str_or_empty(),
                target.get("kind").str_or_empty(),
            ) {
                (GROUP, "AIServiceBackend") => Kind::AIServiceBackend,
                ("inference.networking.k8s.io", "InferencePool") => Kind::InferencePool,
                (group, kind) => {
                    let text =
                        format!("the policy targets a {kind} of group {group:?}, which it cannot");
                    all.push(
                        Diagnosis::failure(text)
                            .about(policy)
                            .seen(policy, target.path().to_string(), name)
                            .so("it has no effect: requests are sent without its credential")
                            .fix("target an AIServiceBackend or an InferencePool"),
                    );
                    continue;
                }
            };
            if !case.reads(kind) || case.world.get(kind, policy.namespace(), name).is_some() {
                continue;
            }
            let object = object_name(kind, policy.namespace(), name);
            let mut diagnosis =
                Diagnosis::warning(format!("the policy targets {object}, which does not exist"))
                    .about(policy)
                    .seen(policy, target.path().to_string(), name)
                    .so("it has no effect on that target")
                    .fix("correct the targetRef, or delete the policy")
                    .after_object("backend-missing", object.clone())
                    .after_object("inference-pools", object);
            if let Some(other) = case.world.all(kind).find(|o| o.name() == name) {
                diagnosis = diagnosis.seen(other, "metadata.namespace", other.namespace());
            }
            all.push(diagnosis);
        }
    }
    all.extend(counting_nothing(case));
    all
}

/// Quotas of which no route of the policy's namespace makes a cost: the routes refer to none of its
/// targets, or set other models.
fn counting_nothing(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    for policy in case.world.all(Kind::QuotaPolicy) {
        let targets = policy.spec().get("targetRefs").items();
        let targets: Vec<&str> = targets.filter_map(|t| t.get("name").str()).collect();
        let routes = case.world.all(Kind::AIGatewayRoute);
        let routes = routes.filter(|r| r.namespace() == policy.namespace());
        let using: Vec<Vec<&str>> = routes.filter_map(|r| overrides(r, &targets)).collect();
        for quota in policy.spec().get("perModelQuotas").items() {
            let Some(model) = quota.get("modelName").str() else {
                continue;
            };
            if using.iter().any(|o| o.is_empty() || o.contains(&model)) {
                continue;
            }
            let text = match using.is_empty() {
                true => "no route of the QuotaPolicy's namespace uses its backends".to_string(),
                false => format!("no route sets the model {model} of the quota"),
            };
            all.push(
                Diagnosis::note(text)
                    .about(policy)
                    .seen(policy, quota.get("modelName").path().to_string(), model)
                    .so("nothing is counted for it"),
            );
        }
    }
    all
}

/// The models that a route sets, where it refers to one of the names.
fn overrides<'w>(route: &'w Object, names: &[&str]) -> Option<Vec<&'w str>> {
    let rules = route.spec().get("rules").items();
    let references: Vec<Field<'w>> = rules.flat_map(|r| r.get("backendRefs").items()).collect();
    let mut named = references.iter().filter_map(|r| r.get("name").str());
    named.any(|name| names.contains(&name)).then(|| {
        let models = references
            .iter()
            .filter_map(|r| r.get("modelNameOverride").str());
        models.filter(|model| !model.is_empty()).collect()
    })
}
