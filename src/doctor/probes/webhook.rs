//! The webhook that adds the sidecar to pods.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::SignedDuration;

use super::controller::replica_failure;
use crate::controllers::ai_gateway::secret_data;
use crate::controllers::ai_gateway::settings::flags::{Id, Value};
use crate::doctor::case::{Case, Gateway, label};
use crate::doctor::certificate::{self, Certificate};
use crate::doctor::labels;
use crate::doctor::probe::{Diagnosis, object_name};
use crate::world::field::Field;
use crate::world::kind::Kind;
use crate::world::object::Object;

/// How the name of the webhook's object begins; the namespace of the controller follows.
const NAME: &str = "envoy-ai-gateway-gateway-pod-mutator";
/// From when on a certificate that runs out is worth a warning.
const SOON: SignedDuration = SignedDuration::from_hours(30 * 24);

fn objects<'w>(case: &Case<'w>) -> Vec<&'w Object> {
    let all = case.world.all(Kind::MutatingWebhookConfiguration);
    all.filter(|object| object.name().starts_with(NAME))
        .collect()
}

/// The webhook, where there is exactly one.
fn webhook<'w>(case: &Case<'w>) -> Option<(&'w Object, Field<'w>)> {
    let [object] = objects(case)[..] else {
        return None;
    };
    let first = object.field().get("webhooks").items().next()?;
    Some((object, first))
}

/// What is said where there is not exactly one webhook, which is told elsewhere.
fn no_webhook(case: &Case<'_>) -> Vec<Diagnosis> {
    match case.reads(Kind::MutatingWebhookConfiguration) {
        true => vec![Diagnosis::note("there is no single webhook to look at")],
        false => Vec::new(),
    }
}

fn restart(case: &Case<'_>) -> String {
    match case.controller() {
        Some(c) => format!(
            "kubectl -n {} rollout restart deployment/{}",
            c.namespace(),
            c.name()
        ),
        None => "restart the AI Gateway controller".to_string(),
    }
}

fn logs(case: &Case<'_>) -> String {
    let named = case.controller().map(|c| (c.namespace(), c.name()));
    let (namespace, name) = named.unwrap_or(("NAMESPACE", "ai-gateway-controller"));
    format!("kubectl -n {namespace} logs deployment/{name}")
}

/// The webhook's object exists.
///
/// Without a MutatingWebhookConfiguration `envoy-ai-gateway-gateway-pod-mutator.NAMESPACE` no pod gets
/// a sidecar, and the controller, which writes the CA into it when it starts, exits.
pub(in crate::doctor) fn webhook_present(case: &Case<'_>) -> Vec<Diagnosis> {
    if !case.reads(Kind::MutatingWebhookConfiguration) || !objects(case).is_empty() {
        return Vec::new();
    }
    let namespace = case
        .controller()
        .map_or("envoy-ai-gateway-system", |c| c.namespace());
    vec![
        Diagnosis::failure("the mutating webhook of the AI Gateway does not exist")
            .about_name(
                Kind::MutatingWebhookConfiguration,
                "",
                &format!("{NAME}.{namespace}"),
            )
            .so("pods that are created get no sidecar, and the controller exits when it starts")
            .fix(format!(
                "helm upgrade aieg oci://docker.io/envoyproxy/ai-gateway-helm -n {namespace} \
                 --reuse-values"
            ))
            .fix(restart(case))
            .after("controller-present"),
    ]
}

/// There is one object with one webhook.
///
/// The controller exits when its object has any other number of webhooks than one; two objects add the
/// same volume and container twice, and the API server refuses the pod.
pub(in crate::doctor) fn webhook_single(case: &Case<'_>) -> Vec<Diagnosis> {
    let objects = objects(case);
    let mut all = Vec::new();
    if let [first, second, ..] = objects[..] {
        all.push(
            Diagnosis::failure("there are two mutating webhooks of the AI Gateway")
                .about(second)
                .seen(first, "metadata.name", first.name())
                .seen(second, "metadata.name", second.name())
                .so("pods get the sidecar twice and are refused")
                .fix(format!(
                    "kubectl delete mutatingwebhookconfiguration {}  # the one whose namespace has \
                     no controller",
                    second.name()
                )),
        );
    }
    for object in objects {
        let count = object.field().get("webhooks").items().count();
        if count != 1 {
            all.push(
                Diagnosis::failure(format!("it has {count} webhooks instead of one"))
                    .about(object)
                    .seen(object, "webhooks", format!("{count} items"))
                    .so("the controller exits when it starts")
                    .fix("helm upgrade the controller's chart, which writes exactly one"),
            );
        }
    }
    all
}

/// The webhook is called for pods that are created.
pub(in crate::doctor) fn webhook_rules(case: &Case<'_>) -> Vec<Diagnosis> {
    let Some((object, webhook)) = webhook(case) else {
        return no_webhook(case);
    };
    let has = |rule: &Field<'_>, key: &'static str, words: &[&str]| {
        rule.get(key)
            .items()
            .any(|item| item.str().is_some_and(|text| words.contains(&text)))
    };
    let called = webhook.get("rules").items().any(|rule| {
        has(&rule, "operations", &["CREATE", "*"])
            && has(&rule, "resources", &["pods", "*", "*/*"])
            && has(&rule, "apiGroups", &["", "*"])
    });
    if called {
        return Vec::new();
    }
    vec![
        Diagnosis::failure("the webhook is not called when a pod is created")
            .about(object)
            .seen(object, "webhooks[0].rules", "no rule for CREATE of pods")
            .so("pods that are created get no sidecar")
            .fix("helm upgrade the controller's chart, which writes the rule"),
    ]
}

/// The Secret with the webhook's certificate exists and can be read.
///
/// The controller mounts it, so without it the controller's pod does not start.
pub(in crate::doctor) fn webhook_secret(case: &Case<'_>) -> Vec<Diagnosis> {
    if !case.reads(Kind::Deployment) {
        return Vec::new();
    }
    let Some((controller, name)) = case.certificate_secret() else {
        return vec![Diagnosis::note(
            "there is no controller that mounts a certificate",
        )];
    };
    let namespace = controller.namespace();
    let id = object_name(Kind::Secret, namespace, name);
    let Some(secret) = case.world.get(Kind::Secret, namespace, name) else {
        if case.may_exist(Kind::Secret, namespace, name) {
            return Vec::new();
        }
        let diagnosis = Diagnosis::failure("the Secret with the webhook's certificate is missing");
        return vec![
            diagnosis
                .about_name(Kind::Secret, namespace, name)
                .seen(controller, "spec.template.spec.volumes", name)
                .so("a pod of the controller cannot start, and nobody serves the webhook")
                .fix("helm upgrade the controller's chart, which makes a new pair")
                .fix(restart(case)),
        ];
    };
    let key = case.options.settings.plain(Id::TlsCertName);
    let readable =
        secret_data::value(secret, key).is_some_and(|(pem, _)| certificate::read(&pem).is_some());
    if readable {
        return Vec::new();
    }
    vec![
        Diagnosis::failure(format!("the key {key} holds no certificate"))
            .about(secret)
            .saw(id, format!("data[{key}]"), "(not a PEM certificate)")
            .so("the controller exits when it starts")
            .fix(format!("kubectl -n {namespace} delete secret {name}"))
            .fix("helm upgrade the controller's chart, which makes a new pair"),
    ]
}

/// The served certificates, the first one being the server's own.
fn served<'w>(case: &Case<'w>) -> Option<(&'w Object, Vec<Certificate>)> {
    let (controller, name) = case.certificate_secret()?;
    let secret = case.world.get(Kind::Secret, controller.namespace(), name)?;
    let key = case.options.settings.plain(Id::TlsCertName);
    let (pem, _) = secret_data::value(secret, key)?;
    Some((secret, certificate::read(&pem)?))
}

/// The API server trusts the certificate that the webhook serves.
///
/// The `caBundle` of the webhook must hold the authority that has signed `tls.crt` of the Secret that
/// the controller mounts. The controller writes it once, when it starts; whatever changes one side
/// later breaks the other. Two authorities may have the same name, so the signature is checked. Whether
/// `tls.key` fits is not looked at.
pub(in crate::doctor) fn webhook_ca(case: &Case<'_>) -> Vec<Diagnosis> {
    let Some((object, webhook)) = webhook(case) else {
        return no_webhook(case);
    };
    let field = "webhooks[0].clientConfig.caBundle";
    let so = "the API server cannot call the webhook: new Envoy pods are refused, or with \
              failurePolicy Ignore come up without a sidecar";
    let bundle = webhook.get("clientConfig").get("caBundle").str_or_empty();
    if bundle.is_empty() {
        return vec![
            Diagnosis::failure("the webhook has no caBundle")
                .about(object)
                .seen(object, field, "(empty)")
                .so(so)
                .fix(restart(case)),
        ];
    }
    let authorities = STANDARD
        .decode(bundle)
        .ok()
        .and_then(|pem| certificate::read(&pem));
    let Some(authorities) = authorities else {
        return vec![
            Diagnosis::failure("the webhook's caBundle holds no certificate")
                .about(object)
                .seen(object, field, "(not a PEM certificate)")
                .so(so)
                .fix(restart(case)),
        ];
    };
    let Some((secret, chain)) = served(case) else {
        let unread = case
            .certificate_secret()
            .filter(|(c, name)| case.may_exist(Kind::Secret, c.namespace(), name));
        let text = "the Secret with the webhook's certificate was not read";
        return match unread {
            Some(_) => vec![Diagnosis::unknown(text).about(object)],
            None => vec![Diagnosis::note("there is no certificate to look at").about(object)],
        };
    };
    if chain[0].is_signed_by(&authorities, &chain[1..]) {
        return Vec::new();
    }
    vec![
        Diagnosis::failure(
            "the webhook's caBundle is not the authority that signed the certificate it serves",
        )
        .about(object)
        .seen(object, field, "does not verify tls.crt")
        .seen(secret, "data[tls.crt]", "signed by another key")
        .so(so)
        .fix(restart(case)),
    ]
}

/// The webhook's certificate is for its Service, and valid.
///
/// The API server calls `SERVICE.NAMESPACE.svc`. The chart makes a certificate for 365 days and uses an
/// existing Secret again, so it is never renewed, and a renamed Service keeps the old names. Validity
/// is compared with the newest time in the input.
pub(in crate::doctor) fn webhook_certificate(case: &Case<'_>) -> Vec<Diagnosis> {
    let kinds = [Kind::MutatingWebhookConfiguration, Kind::Deployment];
    let unread = case
        .certificate_secret()
        .filter(|(controller, name)| case.may_exist(Kind::Secret, controller.namespace(), name));
    let seen = served(case).is_some() || unread.is_none();
    if !seen || !kinds.into_iter().all(|kind| case.reads(kind)) {
        return Vec::new();
    }
    let (Some((object, webhook)), Some((secret, chain))) = (webhook(case), served(case)) else {
        return vec![Diagnosis::note(
            "there is no certificate of a webhook to look at",
        )];
    };
    let leaf = &chain[0];
    let renew = |diagnosis: Diagnosis| {
        let secret = format!(
            "kubectl -n {} delete secret {}",
            secret.namespace(),
            secret.name()
        );
        diagnosis
            .fix(secret)
            .fix("helm upgrade the controller's chart, which makes a new pair")
            .fix(restart(case))
    };
    let so = "the API server refuses the webhook's certificate, and new Envoy pods with it";
    let mut all = Vec::new();
    let service = webhook.get("clientConfig").get("service");
    let host = format!(
        "{}.{}.svc",
        service.get("name").str_or_empty(),
        service.get("namespace").str_or_empty()
    );
    if service.is_set() && !leaf.is_for(&host) {
        let text = format!("the webhook's certificate is not for {host}");
        all.push(renew(
            Diagnosis::failure(text)
                .about(secret)
                .seen(secret, "data[tls.crt] DNS names", leaf.names.join(", "))
                .seen(object, "webhooks[0].clientConfig.service", &host)
                .so(so),
        ));
    }
    let Some(newest) = case.newest() else {
        return all;
    };
    let seen = |diagnosis: Diagnosis, field: &str, time: jiff::Timestamp| {
        diagnosis
            .about(secret)
            .seen(secret, format!("data[tls.crt] {field}"), time)
            .saw("the newest time in the input", "", newest)
    };
    match (leaf.not_before, leaf.not_after) {
        (_, Some(end)) if end <= newest => {
            let text = "the webhook's certificate has expired";
            all.push(renew(
                seen(Diagnosis::failure(text), "notAfter", end).so(so),
            ));
        }
        (_, Some(end)) if end.duration_since(newest) < SOON => {
            let text = "the webhook's certificate expires within 30 days";
            all.push(renew(
                seen(Diagnosis::warning(text), "notAfter", end).so(so),
            ));
        }
        (Some(start), _) if start > newest => {
            let text = "the webhook's certificate is not valid yet";
            all.push(renew(
                seen(Diagnosis::failure(text), "notBefore", start).so(so),
            ));
        }
        _ => {}
    }
    all
}

/// A pod cannot slip past the webhook.
///
/// With `failurePolicy: Ignore`, which charts up to v0.3 had, a pod that is created while the
/// controller is unreachable comes up without a sidecar and stays so. Fixed upstream in v0.4.0.
pub(in crate::doctor) fn webhook_failure_policy(case: &Case<'_>) -> Vec<Diagnosis> {
    let Some((object, webhook)) = webhook(case) else {
        return no_webhook(case);
    };
    let policy = webhook.get("failurePolicy").str().unwrap_or("Fail");
    if policy != "Ignore" {
        return Vec::new();
    }
    vec![
        Diagnosis::warning("pods are created without a sidecar while the webhook is unreachable")
            .about(object)
            .seen(object, "webhooks[0].failurePolicy", policy)
            .so("such a pod stays without a sidecar until it is replaced")
            .fix(format!(
                "kubectl patch mutatingwebhookconfiguration {} --type=json -p \
                 '[{{\"op\":\"replace\",\"path\":\"/webhooks/0/failurePolicy\",\"value\":\"Fail\"}}]'",
                object.name()
            )),
    ]
}

/// The webhook's selectors match the pods of a Gateway.
///
/// `objectSelector` is matched against the labels of the pods, `namespaceSelector` against those of
/// the namespace that they are in.
pub(in crate::doctor) fn webhook_selectors(case: &Case<'_>) -> Vec<Diagnosis> {
    let Some((object, webhook)) = webhook(case) else {
        let of_each = |gateway: &Gateway<'_>| {
            let notes = no_webhook(case).into_iter();
            notes
                .map(|note| note.gateway(&gateway.name))
                .collect::<Vec<_>>()
        };
        return case.gateways().iter().flat_map(of_each).collect();
    };
    let mut all = Vec::new();
    for gateway in case.gateways() {
        if gateway.pods.is_empty() && gateway.workloads.is_empty() {
            let text = "there is no pod or workload to match";
            all.push(Diagnosis::note(text).gateway(&gateway.name));
        }
        all.extend(object_selector(object, &webhook, gateway));
        all.extend(namespace_selector(case, object, &webhook, gateway));
    }
    all
}

/// The webhook is called for the pods of its own Envoy Gateway only.
///
/// The chart's `objectSelector` matches the pods of every Envoy Gateway in the cluster. With
/// `failurePolicy: Fail`, Envoys of another installation cannot start while this controller is down. They
/// are told apart by the `controllerName` of their GatewayClass.
pub(in crate::doctor) fn webhook_foreign_pods(case: &Case<'_>) -> Vec<Diagnosis> {
    let Some((object, webhook)) = webhook(case) else {
        return no_webhook(case);
    };
    let class = |of: &Object| {
        let name = of.spec().get("gatewayClassName").str()?;
        let class = case.world.get(Kind::GatewayClass, "", name)?;
        class.spec().get("controllerName").str()
    };
    let own = case.gateways().iter().filter_map(|g| g.outcome.object);
    let own: BTreeSet<&str> = own.filter_map(class).collect();
    let fails = webhook.get("failurePolicy").str() != Some("Ignore");
    if own.is_empty() || !fails {
        return Vec::new();
    }
    let mut found = BTreeMap::<&str, BTreeMap<&str, &Object>>::new();
    for pod in case.world.all(Kind::Pod) {
        let of = |key: &str| label(pod, &format!("gateway.envoyproxy.io/owning-gateway-{key}"));
        let (Some(namespace), Some(name)) = (of("namespace"), of("name")) else {
            continue;
        };
        let gateway = case.world.get(Kind::Gateway, namespace, name);
        let Some(other) = gateway.and_then(class).filter(|name| !own.contains(name)) else {
            continue;
        };
        if is_called_for(case, &webhook, pod) {
            let of_other = found.entry(other).or_default();
            of_other.entry(pod.namespace()).or_insert(pod);
        }
    }
    let say = |(other, pods): (&str, BTreeMap<&str, &Object>)| {
        let text = format!("the webhook is also called for pods of another Envoy Gateway, {other}");
        let names: Vec<&str> = pods.keys().copied().collect();
        let mut diagnosis = Diagnosis::warning(text).about(object).seen(
            object,
            "webhooks[0].namespaceSelector",
            "matches their namespaces",
        );
        for (namespace, pod) in &pods {
            diagnosis = diagnosis.seen(pod, "metadata.namespace", namespace);
        }
        diagnosis
            .so("while the AI Gateway controller is down, Envoys that it has nothing to do with \
                 cannot start")
            .fix(format!(
                "set controller.mutatingWebhook.namespaceSelector of the chart so that it leaves out \
                 {}",
                names.join(", ")
            ))
    };
    found.into_iter().map(say).collect()
}

fn is_called_for(case: &Case<'_>, webhook: &Field<'_>, pod: &Object) -> bool {
    let namespace = pod.namespace();
    let labelled = case.world.get(Kind::Namespace, "", namespace);
    let of_namespace = |key: &str| match key {
        "kubernetes.io/metadata.name" => Some(namespace),
        key => label(labelled?, key),
    };
    labels::matches(&webhook.get("objectSelector"), &|key| label(pod, key))
        && labels::matches(&webhook.get("namespaceSelector"), &of_namespace)
}

fn object_selector(
    object: &Object,
    webhook: &Field<'_>,
    gateway: &Gateway<'_>,
) -> Option<Diagnosis> {
    let selector = webhook.get("objectSelector");
    let fix = "leave app.kubernetes.io/managed-by: envoy-gateway on the pods (EnvoyProxy), or change \
               controller.mutatingWebhook.objectSelector of the chart";
    let say = |of: &Object, field: &str, unmet: String| {
        Diagnosis::failure("the webhook's objectSelector does not match the Gateway's pods")
            .gateway(&gateway.name)
            .about(of)
            .seen(object, "webhooks[0].objectSelector", &unmet)
            .seen(of, field, "does not match it")
            .so("pods that are created get no sidecar")
            .fix(fix)
    };
    let workloads = gateway.workloads.iter().find_map(|workload| {
        let template = workload
            .spec()
            .get("template")
            .get("metadata")
            .get("labels");
        let unmet = labels::unmet(&selector, &|key| template.get(key.to_string()).str())?;
        Some(say(workload, "spec.template.metadata.labels", unmet))
    });
    workloads.or_else(|| {
        gateway.live_pods().find_map(|pod| {
            let unmet = labels::unmet(&selector, &|key| label(pod, key))?;
            Some(say(pod, "metadata.labels", unmet))
        })
    })
}

fn namespace_selector(
    case: &Case<'_>,
    object: &Object,
    webhook: &Field<'_>,
    gateway: &Gateway<'_>,
) -> Option<Diagnosis> {
    let selector = webhook.get("namespaceSelector");
    let namespace = gateway.namespace.as_deref()?;
    let found = case.world.get(Kind::Namespace, "", namespace);
    let name = |key: &str| (key == "kubernetes.io/metadata.name").then_some(namespace);
    let unmet = match found {
        Some(found) => labels::unmet(&selector, &|key| label(found, key).or(name(key)))?,
        None => {
            labels::unmet(&selector, &name)?;
            let why = case.why_unread(Kind::Namespace)?;
            return Some(Diagnosis::unknown(why).gateway(&gateway.name).about(object));
        }
    };
    Some(
        Diagnosis::failure(format!(
            "the webhook's namespaceSelector does not match namespace {namespace}"
        ))
        .gateway(&gateway.name)
        .about_name(Kind::Namespace, "", namespace)
        .seen(object, "webhooks[0].namespaceSelector", &unmet)
        .saw(
            format!("Namespace {namespace}"),
            "metadata.labels",
            "does not match it",
        )
        .so("pods that are created there get no sidecar")
        .fix(format!("kubectl label namespace {namespace} {unmet}")),
    )
}

/// The webhook's Service leads to a controller that is ready.
///
/// The API server calls the Service and port that the webhook names. Without a ready endpoint behind
/// it every new Envoy pod is refused.
pub(in crate::doctor) fn webhook_service(case: &Case<'_>) -> Vec<Diagnosis> {
    let Some((object, webhook)) = webhook(case) else {
        return no_webhook(case);
    };
    let reference = webhook.get("clientConfig").get("service");
    if !reference.is_set() || !case.reads(Kind::Service) {
        return Vec::new();
    }
    let (namespace, name) = (
        reference.get("namespace").str_or_empty(),
        reference.get("name").str_or_empty(),
    );
    let so = "new Envoy pods are refused while failurePolicy is Fail";
    let Some(service) = case.world.get(Kind::Service, namespace, name) else {
        return vec![
            Diagnosis::failure("the webhook's Service does not exist")
                .about_name(Kind::Service, namespace, name)
                .seen(
                    object,
                    "webhooks[0].clientConfig.service",
                    format!("{namespace}/{name}"),
                )
                .so(so)
                .fix("helm upgrade the controller's chart")
                .after("controller-present"),
        ];
    };
    let port = reference.get("port").int().unwrap_or(443);
    let ports: Vec<i64> = service
        .spec()
        .get("ports")
        .items()
        .filter_map(|p| p.get("port").int())
        .collect();
    if !ports.contains(&port) {
        let listed: Vec<String> = ports.iter().map(ToString::to_string).collect();
        return vec![
            Diagnosis::failure(format!("the webhook's Service has no port {port}"))
                .about(service)
                .seen(object, "webhooks[0].clientConfig.service.port", port)
                .seen(service, "spec.ports", listed.join(", "))
                .so(so)
                .fix(format!(
                    "keep controller.service.ports and controller.mutatingWebhook.port ({port}) of \
                     the chart in step"
                )),
        ];
    }
    let listens = &case.options.settings.get(Id::WebhookPort).value;
    if let Some(target) = target(service, port).filter(|t| *listens != Value::Int(*t)) {
        return vec![
            Diagnosis::failure("the webhook's Service leads to a port that nobody serves")
                .about(service)
                .seen(service, "spec.ports.targetPort", target)
                .so(so)
                .fix("keep controller.service.ports and controller.mutatingWebhook.port in step"),
        ];
    }
    endpoints(case, service).into_iter().collect()
}

fn target(service: &Object, port: i64) -> Option<i64> {
    let mut ports = service.spec().get("ports").items();
    ports
        .find(|p| p.get("port").int() == Some(port))?
        .get("targetPort")
        .int()
}

fn endpoints(case: &Case<'_>, service: &Object) -> Option<Diagnosis> {
    if let Some(why) = case.why_unread(Kind::EndpointSlice) {
        return Some(Diagnosis::unknown(why).about(service));
    }
    let slices = case.world.all(Kind::EndpointSlice);
    let own = slices.filter(|slice| {
        slice.namespace() == service.namespace()
            && label(slice, "kubernetes.io/service-name") == Some(service.name())
    });
    let own: Vec<&Object> = own.collect();
    let mut ready = own
        .iter()
        .flat_map(|slice| slice.field().get("endpoints").items());
    // An endpoint without a condition is ready.
    if ready.any(|e| e.get("conditions").get("ready").bool() != Some(false)) {
        return None;
    }
    let mut diagnosis = Diagnosis::failure("no ready endpoint is behind the webhook's Service")
        .about(service)
        .so(
            "new Envoy pods are refused while failurePolicy is Fail, and Envoy Gateway cannot \
             reach its extension server",
        )
        .fix(format!(
            "kubectl -n {} get pods,endpointslices",
            service.namespace()
        ))
        .after("controller-present")
        .after("controller-running");
    for slice in own {
        diagnosis = diagnosis.seen(slice, "endpoints", "none is ready");
    }
    Some(diagnosis)
}

/// Pods of a Gateway are not refused.
///
/// A ReplicaSet that cannot create its pods says so in an event `FailedCreate` and in a condition
/// `ReplicaFailure` of itself and its Deployment, in the words of the API server.
pub(in crate::doctor) fn pods_refused(case: &Case<'_>) -> Vec<Diagnosis> {
    case.gateways()
        .iter()
        .filter_map(|gateway| refused(case, gateway))
        .collect()
}

fn refused(case: &Case<'_>, gateway: &Gateway<'_>) -> Option<Diagnosis> {
    let mut refusals = Vec::<(&Object, &'static str, &str)>::new();
    for workload in &gateway.workloads {
        if let Some(failure) = replica_failure(workload) {
            let message = failure.get("message").str_or_empty();
            refusals.push((
                workload,
                "status.conditions[ReplicaFailure].message",
                message,
            ));
        }
        let sets = case.replica_sets_of(workload).iter().copied();
        for object in sets.chain([*workload]) {
            // What was refused once and then created is history.
            let unmet = match object.kind() {
                Kind::ReplicaSet => wants_more(object, "replicas", "replicas"),
                _ => replica_failure(object).is_some(),
            };
            let mut events = case.events_of(object).iter();
            let last = events.rfind(|e| e.field().get("reason").str() == Some("FailedCreate"));
            if let (Some(event), true) = (last, unmet) {
                refusals.push((
                    event,
                    "message",
                    event.field().get("message").str_or_empty(),
                ));
            }
        }
    }
    let (object, _, message) = *refusals.first()?;
    let mut diagnosis = explained(case, message)
        .gateway(&gateway.name)
        .about(gateway.workloads.first().copied().unwrap_or(object))
        .so("new pods do not come up; those that exist keep running, and the rollout does not end");
    let mut told = BTreeSet::new();
    for (object, field, message) in refusals {
        if told.insert(object.id()) {
            diagnosis = diagnosis.seen(object, field, message);
        }
    }
    Some(diagnosis)
}

fn wants_more(object: &Object, wanted: &'static str, is: &'static str) -> bool {
    let wanted = object.spec().get(wanted).int().unwrap_or(1);
    object
        .field()
        .get("status")
        .get(is)
        .int()
        .unwrap_or_default()
        < wanted
}

/// What a message of the API server means.
fn explained(case: &Case<'_>, message: &str) -> Diagnosis {
    let has = |words: &str| message.contains(words);
    if has("must be no more than 63") || has("must be a DNS label") || has("must not contain dots")
    {
        return Diagnosis::failure("the sidecar's volume has a name that the API server refuses")
            .fix("give the Gateway a shorter name, without a dot");
    }
    if has("denied the request") {
        return Diagnosis::failure("a webhook denies the Gateway's pods")
            .fix(logs(case))
            .after("webhook-single");
    }
    if has("x509") {
        return Diagnosis::failure(
            "the API server does not trust the webhook, so pods are refused",
        )
        .fix(restart(case))
        .after("webhook-ca")
        .after("webhook-certificate");
    }
    if has("failed calling webhook") {
        return Diagnosis::failure("the webhook cannot be called, so pods are refused")
            .fix("nothing here: the pods are created once the webhook answers")
            .after("controller-present")
            .after("controller-running")
            .after("webhook-service")
            .after("webhook-ca")
            .after("webhook-certificate");
    }
    if has("exceeded quota") {
        return Diagnosis::failure("a ResourceQuota refuses the Gateway's pods")
            .fix("kubectl describe resourcequota -A");
    }
    if has("violates PodSecurity") {
        return Diagnosis::failure("the namespace's Pod Security level refuses the Gateway's pods")
            .fix("relax the level, or give the sidecar a securityContext with a GatewayConfig");
    }
    Diagnosis::failure("the API server refuses the Gateway's pods")
        .fix("kubectl get events -A --field-selector reason=FailedCreate")
        .after("webhook-single")
}
