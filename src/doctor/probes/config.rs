//! The filter config Secrets of a Gateway.

use std::collections::{BTreeMap, BTreeSet};

use jiff::SignedDuration;

use super::controller::is_available;
use crate::controllers::ai_gateway::build::until_halt;
use crate::controllers::ai_gateway::bundle::SECRET_BYTES;
use crate::controllers::ai_gateway::names::{MAX_PARTS, MAX_SECRET_NAME, Names};
use crate::controllers::ai_gateway::secret_data;
use crate::controllers::ai_gateway::skip::Skip;
use crate::controllers::ai_gateway::unknown::Part;
use crate::doctor::case::{Case, Gateway, sidecar_of};
use crate::doctor::probe::{Diagnosis, State, object_name};
use crate::doctor::stored::{Difference, Document, Stored, read_written};
use crate::doctor::times;
use crate::secret::Reveal;
use crate::world::kind::Kind;
use crate::world::object::Object;

/// Nothing stops the controller from writing the config.
///
/// A cost expression that is refused, a value that cannot be written, a config that is too large: the
/// reconcile of the whole Gateway ends there, its Secrets stay as they are, and no status says so.
pub(in crate::doctor) fn config_refused(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    for gateway in case.gateways() {
        let outcome = gateway.outcome;
        if let Some(refusal) = &gateway.refusal {
            let mut diagnosis =
                Diagnosis::failure(format!("every reconcile is refused: {}", refusal.message))
                    .gateway(&gateway.name)
                    .so(
                        "the Gateway's Secrets keep their old content, whatever changes, and every \
                     status stays Accepted",
                    );
            diagnosis.object = Some(gateway.object());
            if let Some(source) = &refusal.source {
                diagnosis = diagnosis.about(source.object).seen(
                    source.object,
                    source.path.to_string(),
                    value_at(source),
                );
            }
            diagnosis.remedy.extend(refusal.help.clone());
            if diagnosis.remedy.is_empty() {
                diagnosis = diagnosis.fix("correct what the message names; no restart is needed");
            }
            all.push(diagnosis);
        }
        let found = outcome.findings.iter();
        for finding in found.filter(|f| matches!(f.code, "secret-too-large" | "sidecar-refuses")) {
            let so = match finding.code {
                "secret-too-large" => "the API server refuses the Secret, so its old content stays",
                _ => "the sidecar refuses the whole document and keeps the one before",
            };
            let mut diagnosis = Diagnosis::failure(&finding.message)
                .gateway(&gateway.name)
                .so(so);
            let object = finding.object.as_ref().map(ToString::to_string);
            diagnosis.object = object.or_else(|| Some(gateway.object()));
            diagnosis.remedy.extend(finding.help.clone());
            all.push(diagnosis);
        }
    }
    all
}

/// The text of a field, where it is an expression or another plain value of a manifest.
fn value_at(source: &crate::world::field::Source<'_>) -> String {
    let parts = source.path.parts();
    let field = parts
        .into_iter()
        .fold(source.object.field(), |at, part| match part {
            crate::world::path::Part::Key(key) => at.get(key.clone()),
            crate::world::path::Part::Index(i) => {
                at.items().nth(*i).unwrap_or_else(|| at.get("(absent)"))
            }
        });
    match (source.object.kind(), field.str()) {
        (Kind::Secret, _) => "(not shown)".to_string(),
        (_, Some(text)) => text.to_string(),
        (_, None) => "(see the manifest)".to_string(),
    }
}

/// The Gateway's Secret exists where its pods are.
///
/// The webhook mounts it into new pods and lets a pod pass without a sidecar where there is none. The
/// controller writes it when it reconciles the Gateway; pods and workloads trigger no reconcile.
pub(in crate::doctor) fn config_secret_present(case: &Case<'_>) -> Vec<Diagnosis> {
    case.gateways()
        .iter()
        .filter_map(|gateway| absent(case, gateway))
        .collect()
}

fn absent(case: &Case<'_>, gateway: &Gateway<'_>) -> Option<Diagnosis> {
    let namespace = match (&gateway.stored, &gateway.namespace) {
        (Some(Stored::Absent), Some(namespace)) => namespace,
        (Some(_), _) => return None,
        (None, _) => {
            let why = case.why_not_stored(gateway);
            // What has no pods has no Secret either, and that is told elsewhere.
            let faulty = gateway.namespace.is_none() && case.reads(Kind::Pod);
            let diagnosis = match faulty {
                true => {
                    Diagnosis::failure("the controller does not know where to write the Secret")
                        .so("pods that are created get no sidecar, or one with an old config")
                        .fix(restart(case))
                        .after("discovery-namespace")
                }
                false => Diagnosis::unknown(why),
            };
            return Some(diagnosis.gateway(&gateway.name));
        }
    };
    let name = match case.options.profile().splits_config {
        true => gateway.names.index_secret(),
        false => gateway.names.legacy_secret().to_string(),
    };
    let elsewhere = case.world.all(Kind::Secret).find(|s| s.name() == name);
    let mut diagnosis = Diagnosis::failure(format!(
        "there is no filter config Secret in namespace {namespace}, where the Gateway's pods are"
    ))
    .gateway(&gateway.name)
    .about_name(Kind::Secret, namespace, &name)
    .saw(object_name(Kind::Secret, namespace, &name), "", "absent")
    .so("pods that are created get no sidecar, and requests to AI routes fail");
    if let Some(other) = elsewhere {
        diagnosis = diagnosis.seen(other, "metadata.namespace", other.namespace());
    }
    for pod in gateway.live_pods().take(1) {
        diagnosis = diagnosis.seen(pod, "metadata.namespace", pod.namespace());
    }
    diagnosis = diagnosis
        .after("controller-present")
        .after("controller-running")
        .after("controller-watches")
        .after("discovery-namespace")
        .after("config-refused");
    let young = elsewhere.is_none() && is_young(case, gateway);
    let runs = case.controller().is_some_and(is_available);
    Some(match young && runs && gateway.outcome.refusal.is_none() {
        true => diagnosis
            .state(State::InProgress)
            .fix("wait: the controller looks for the pods every 5 seconds"),
        false => diagnosis.fix(restart(case)),
    })
}

/// Whether the oldest pod of a Gateway is so young that the controller may not have met it yet.
fn is_young(case: &Case<'_>, gateway: &Gateway<'_>) -> bool {
    let oldest = gateway
        .pods
        .iter()
        .filter_map(|pod| times::created(pod))
        .min();
    let (Some(oldest), Some(newest)) = (oldest, case.newest()) else {
        return false;
    };
    newest.duration_since(oldest) < SignedDuration::from_secs(6)
}

pub(super) fn restart(case: &Case<'_>) -> String {
    match case.controller() {
        Some(c) => format!(
            "kubectl -n {} rollout restart deployment/{}  # it reconciles every Gateway when it starts",
            c.namespace(),
            c.name()
        ),
        None => "restart the AI Gateway controller".to_string(),
    }
}

/// The Gateway's Secrets fit together.
///
/// The index names the parts and the checksum of what they hold together. While they are being written
/// that may be wrong for a moment; after a change by hand it stays so.
pub(in crate::doctor) fn config_secret_complete(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    for gateway in case.gateways() {
        let Some(stored) = &gateway.stored else {
            let why = case.why_not_stored(gateway);
            // Without pods there is no place for Secrets, and that is told elsewhere.
            let diagnosis = match gateway.namespace.is_none() && case.reads(Kind::Pod) {
                true => Diagnosis::note(why),
                false => Diagnosis::unknown(why),
            };
            all.push(diagnosis.gateway(&gateway.name));
            continue;
        };
        if let Stored::Damaged(object, what) = stored {
            all.push(
                Diagnosis::failure(format!("the Gateway's Secrets do not fit together: {what}"))
                    .gateway(&gateway.name)
                    .about(object)
                    .seen(object, "data", what)
                    .so("a running sidecar keeps the config it has; one that starts has none")
                    .fix(restart(case)),
            );
        }
        for secret in own_secrets(case, gateway) {
            if secret.field().get("immutable").bool() == Some(true) {
                all.push(
                    Diagnosis::failure("a Secret of the Gateway is immutable")
                        .gateway(&gateway.name)
                        .about(secret)
                        .seen(secret, "immutable", true)
                        .so("the controller cannot write it, so its content stays old")
                        .fix(format!(
                            "kubectl -n {} delete secret {}",
                            secret.namespace(),
                            secret.name()
                        ))
                        .fix(restart(case)),
                );
            }
        }
    }
    all
}

fn own_secrets<'w>(case: &Case<'w>, gateway: &Gateway<'w>) -> Vec<&'w Object> {
    let Some(namespace) = &gateway.namespace else {
        return Vec::new();
    };
    let found = names(&gateway.names).into_iter();
    let found = found.filter_map(|name| case.world.get(Kind::Secret, namespace, &name));
    found.collect()
}

fn names(names: &Names) -> Vec<String> {
    let mut all = vec![names.legacy_secret().to_string(), names.index_secret()];
    all.extend((0..MAX_PARTS).map(|i| names.part_secret(i)));
    all
}

/// The document that a Gateway's Secrets hold.
pub(super) fn document<'c, 'w>(gateway: &'c Gateway<'w>) -> Option<&'c Document<'w>> {
    match &gateway.stored {
        Some(Stored::Document(document)) => Some(document),
        _ => None,
    }
}

/// How the stored document differs from what would be written; `None` where that cannot be told.
pub(super) fn differences(case: &Case<'_>, gateway: &Gateway<'_>) -> Option<Vec<Difference>> {
    let document = document(gateway)?;
    let outcome = gateway.outcome;
    if outcome.refusal.is_some() {
        let config = until_halt(
            case.world,
            case.options,
            gateway.key,
            outcome.gateway_config,
        );
        let written = read_written(&config.to_yaml(Reveal::ALL).ok()?)?;
        let mut all = document.backend_differences(&written);
        all.extend(missing_models(case, gateway, document));
        return Some(all);
    }
    if !outcome.knows(Part::Config) {
        return None;
    }
    document.differences(&outcome.text(Reveal::ALL)?)
}

/// Models that routes match and the document does not list.
fn missing_models(
    case: &Case<'_>,
    gateway: &Gateway<'_>,
    document: &Document<'_>,
) -> Vec<Difference> {
    let listed = document.models();
    let mut missing = BTreeSet::new();
    for route in case.world.routes_of(gateway.key) {
        for model in super::routes::models(route) {
            if !listed.contains(model) {
                missing.insert(model);
            }
        }
    }
    let difference = |model: &str| Difference {
        path: format!("models[{model}]"),
        text: "is missing".to_string(),
        credential: false,
        extra: false,
    };
    missing.into_iter().map(difference).collect()
}

/// The Gateway's Secrets hold what its objects render to.
///
/// What the controller leaves to chance, the UUID and the order of lists, is no difference. Some changes
/// trigger no reconcile: a parentRef or targetRef that is taken away, an annotation of the Gateway, a
/// Secret, GatewayConfig or grant that is deleted, a Secret that is edited by hand.
pub(in crate::doctor) fn config_secret_current(case: &Case<'_>) -> Vec<Diagnosis> {
    case.gateways()
        .iter()
        .filter_map(|gateway| current(case, gateway))
        .collect()
}

fn current(case: &Case<'_>, gateway: &Gateway<'_>) -> Option<Diagnosis> {
    let Some(document) = document(gateway) else {
        // That there is none, or a damaged one, is told elsewhere.
        let why = match gateway.stored {
            None => case.why_not_stored(gateway),
            Some(_) => "there is no document to compare".to_string(),
        };
        let told =
            gateway.stored.is_some() || (gateway.namespace.is_none() && case.reads(Kind::Pod));
        let diagnosis = match told {
            true => Diagnosis::note(why),
            false => Diagnosis::unknown(why),
        };
        return Some(diagnosis.gateway(&gateway.name));
    };
    let Some(differences) = differences(case, gateway) else {
        let unknown = gateway.outcome.unknown.iter().flat_map(|u| &u.because);
        let why: BTreeSet<String> = unknown.map(ToString::to_string).collect();
        let why = match why.is_empty() {
            true => "what the controller would write is not known".to_string(),
            false => why.into_iter().collect::<Vec<_>>().join("; "),
        };
        return Some(
            Diagnosis::unknown(why)
                .gateway(&gateway.name)
                .about(document.object),
        );
    };
    let own: Vec<&Difference> = differences.iter().filter(|d| !d.credential).collect();
    let version = &case.options.version.version;
    let other_version = document.version != *version;
    let no_index = case.options.profile().splits_config
        && document.object.name() == gateway.names.legacy_secret();
    if own.is_empty() && !other_version && !no_index {
        return None;
    }
    let extra = own.iter().all(|d| d.extra) && !own.is_empty();
    let text = match (own.is_empty(), extra) {
        (true, _) if no_index => {
            "the config is there only as an older controller wrote it".to_string()
        }
        (true, _) => format!("the config was written by controller {}", document.version),
        (_, true) => "the config holds what its objects no longer give".to_string(),
        (_, false) => "the config is old: its objects render to something else".to_string(),
    };
    let mut diagnosis = Diagnosis::failure(text)
        .gateway(&gateway.name)
        .about(document.object)
        .so("sidecars work with the old config");
    for difference in own.iter().take(20) {
        diagnosis = diagnosis.seen(document.object, &difference.path, &difference.text);
    }
    if own.len() > 20 {
        let more = format!("{} more differences", own.len() - 20);
        diagnosis = diagnosis.seen(document.object, "", more);
    }
    if other_version {
        diagnosis = diagnosis.seen(document.object, "version", &document.version);
    }
    let places: Vec<&str> = own.iter().map(|d| d.path.as_str()).collect();
    diagnosis = explain(case, gateway, diagnosis, &own, &places);
    Some(
        stale_causes(diagnosis)
            .fix(restart(case))
            .after("config-secret-complete")
            .after("config-secret-shared"),
    )
}

/// Names what explains every difference. A fault that explains only some of them stands beside.
fn explain(
    case: &Case<'_>,
    gateway: &Gateway<'_>,
    mut diagnosis: Diagnosis,
    differences: &[&Difference],
    places: &[&str],
) -> Diagnosis {
    let left_out: Vec<String> = gateway.skipped.iter().filter_map(left_out).collect();
    let skips = differences.iter().all(|d| {
        let backend = d.path.starts_with("backends[");
        d.extra && (!backend || left_out.iter().any(|suffix| d.path.ends_with(suffix)))
    });
    if skips {
        for id in [
            "backend-missing",
            "backend-policies",
            "credential-missing",
            "credential-key",
            "policy-usable",
        ] {
            diagnosis = diagnosis.after(id);
        }
    }
    let global = |place: &&str| place.starts_with("globalLLMRequestCosts");
    if places.iter().all(global) {
        diagnosis = diagnosis.after("gateway-config");
    }
    let routes = case.world.all(Kind::AIGatewayRoute);
    let mute: Vec<&Object> = routes
        .filter(|route| super::routes::is_mute(case, route))
        .collect();
    let of = |place: &str, route: &Object| {
        place.contains(&format!("/route/{}/rule/", route.name()))
            || place.contains(&format!("[{}/{} ", route.namespace(), route.name()))
            || place.starts_with("models")
            || place.starts_with("unscopedModels")
    };
    if places
        .iter()
        .all(|place| mute.iter().any(|route| of(place, route)))
    {
        for route in mute {
            let id = route.id().to_string();
            diagnosis = diagnosis
                .after_object("routes-accepted", &id)
                .after_object("routes-attached", &id);
        }
    }
    after_policies(case, diagnosis, places, &["policies-attached"])
}

/// The end of the place of a backend that is left out.
fn left_out(skip: &Skip<'_>) -> Option<String> {
    let mut indexes = Vec::new();
    for part in skip.source.path.parts() {
        if let crate::world::path::Part::Index(i) = part {
            indexes.push(*i);
        }
    }
    let [rule, reference] = indexes[..] else {
        return None;
    };
    let route = skip.source.object.name();
    Some(format!("/route/{route}/rule/{rule}/ref/{reference}]"))
}

/// The same, which may follow from what probes say of the one policy, or of the Secret made for it,
/// whose targets are everything that differs.
pub(super) fn after_policies(
    case: &Case<'_>,
    mut diagnosis: Diagnosis,
    places: &[&str],
    probes: &[&'static str],
) -> Diagnosis {
    let kinds = [Kind::BackendSecurityPolicy, Kind::QuotaPolicy];
    for policy in kinds.into_iter().flat_map(|kind| case.world.all(kind)) {
        let is_quota = policy.kind() == Kind::QuotaPolicy;
        let concerns = |place: &str| {
            let mut targets = policy.spec().get("targetRefs").items();
            targets.any(|target| {
                let name = target.get("name").str_or_empty();
                place.contains(&format!("[{}/{name}/", policy.namespace()))
            }) || (is_quota && place.contains("quota_cost"))
        };
        if !places.iter().all(|place| concerns(place)) {
            continue;
        }
        let secret = object_name(
            Kind::Secret,
            policy.namespace(),
            &format!("ai-eg-bsp-{}", policy.name()),
        );
        for id in probes {
            diagnosis = diagnosis
                .after_object(id, policy.id().to_string())
                .after_object(id, &secret);
        }
    }
    diagnosis
}

/// What keeps a config from being written.
pub(super) fn stale_causes(diagnosis: Diagnosis) -> Diagnosis {
    let mut diagnosis = diagnosis;
    let mut first: Vec<_> = std::mem::take(&mut diagnosis.causes);
    for id in [
        "config-refused",
        "discovery-namespace",
        "controller-present",
        "controller-running",
        "controller-leader",
        "controller-watches",
    ] {
        diagnosis = diagnosis.after(id);
    }
    diagnosis.causes.append(&mut first);
    diagnosis
}

/// The legacy Secret beside the parts is not left behind.
///
/// v1.1.0 also writes the one Secret that older sidecars read, while the config has room in it: up to
/// 1 MiB. A larger config leaves it as it was, in silence. Pods of v1.1.0 do not read it, but mount it:
/// without it none of them can start again.
pub(in crate::doctor) fn config_secret_legacy(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    for gateway in case.gateways() {
        let Some(document) = document(gateway) else {
            continue;
        };
        let Some(legacy) = document.legacy_is_old else {
            all.extend(legacy_missing(case, gateway));
            continue;
        };
        let reader = gateway.live_pods().find(|pod| reads_legacy(pod));
        let bytes = gateway.outcome.bytes().unwrap_or_default();
        let too_large = bytes > SECRET_BYTES || legacy.name().len() > MAX_SECRET_NAME;
        let text = match too_large {
            true => "the legacy Secret is old: the config is over 1 MiB and no longer fits into it",
            false => "the legacy Secret holds something else than the parts beside it",
        };
        let mut diagnosis = match reader {
            Some(pod) => Diagnosis::failure(text)
                .seen(pod, "args", "-configPath")
                .so("pods that read the legacy Secret keep its old config"),
            None => Diagnosis::warning(text)
                .so("nothing now, pods read the parts; a controller before v1.1.0 could not go on"),
        };
        diagnosis = diagnosis
            .gateway(&gateway.name)
            .about(legacy)
            .seen(legacy, "data[filter-config.yaml]", "differs from the parts")
            .fix("before a rollback to v1.0.0 make the config smaller")
            .fix("do not delete the Secret while a pod mounts it: the volume is not optional");
        all.push(match too_large {
            true => diagnosis,
            false => diagnosis.fix(restart(case)),
        });
    }
    all
}

/// A pod that mounts the legacy Secret, which is not there.
fn legacy_missing(case: &Case<'_>, gateway: &Gateway<'_>) -> Option<Diagnosis> {
    let name = gateway.names.legacy_secret();
    let mounts = |pod: &&Object| {
        let mut volumes = pod.spec().get("volumes").items();
        volumes.any(|volume| {
            let secret = volume.get("secret");
            secret.get("secretName").str() == Some(name)
                && secret.get("optional").bool() != Some(true)
        })
    };
    let pod = gateway.live_pods().find(mounts)?;
    let namespace = pod.namespace();
    let is_there = case.world.get(Kind::Secret, namespace, name).is_some();
    if is_there || case.may_exist(Kind::Secret, namespace, name) {
        return None;
    }
    let text = "the legacy Secret is missing, and pods mount it";
    Some(
        Diagnosis::warning(text)
            .gateway(&gateway.name)
            .about_name(Kind::Secret, namespace, name)
            .seen(pod, "spec.volumes", name)
            .so("pods that run go on; one that has to start again, such as on a node that restarts, \
                 cannot")
            .fix(restart(case)),
    )
}

fn reads_legacy(pod: &Object) -> bool {
    let sidecar = sidecar_of(pod);
    let args = sidecar.iter().flat_map(|s| s.get("args").items());
    let args: Vec<&str> = args.filter_map(|a| a.str()).collect();
    args.contains(&"-configPath") && !args.contains(&"-configBundlePath")
}

/// No two Gateways write the same Secret.
///
/// A Secret is named `NAME-NAMESPACE` after its Gateway, so `a-b` in `c` and `a` in `b-c` share one
/// where their pods are in one namespace.
pub(in crate::doctor) fn config_secret_shared(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut owners = BTreeMap::<(String, &str), Vec<&Gateway<'_>>>::new();
    for gateway in case.gateways() {
        if let Some(namespace) = &gateway.namespace {
            let key = (namespace.clone(), gateway.names.legacy_secret());
            owners.entry(key).or_default().push(gateway);
        }
    }
    let shared = owners
        .into_iter()
        .filter(|(_, gateways)| gateways.len() > 1);
    let mut all = Vec::new();
    for ((namespace, name), gateways) in shared {
        for gateway in &gateways {
            let others: Vec<&str> = gateways.iter().map(|g| g.name.as_str()).collect();
            let text = format!(
                "the Gateways {} write the same Secret",
                others.join(" and ")
            );
            all.push(
                Diagnosis::failure(text)
                    .gateway(&gateway.name)
                    .about_name(Kind::Secret, &namespace, name)
                    .so("each overwrites the other's config")
                    .fix("rename one of the Gateways"),
            );
        }
    }
    all
}

/// No filter config Secret is left over.
///
/// Nobody deletes the Secrets of a Gateway that is deleted, or whose pods moved to another namespace.
/// They hold credentials.
pub(in crate::doctor) fn config_secret_left_over(case: &Case<'_>) -> Vec<Diagnosis> {
    if !case.reads(Kind::Gateway) || case.world.coverage.is_list_unread(Kind::Secret) {
        return Vec::new();
    }
    let mut wanted = BTreeMap::<String, Option<String>>::new();
    for outcome in case.outcomes {
        let own = Names::of(&outcome.gateway.0, &outcome.gateway.1);
        let gateway = case.gateways().iter().find(|g| g.key == &outcome.gateway);
        let namespace = gateway.and_then(|g| g.namespace.clone());
        for name in names(&own) {
            wanted.insert(name, namespace.clone());
        }
    }
    let mut by_namespace = BTreeMap::<&str, Vec<&Object>>::new();
    for secret in case.world.all(Kind::Secret).filter(|s| is_config(s)) {
        let left = match wanted.get(secret.name()) {
            None => true,
            Some(None) => false,
            Some(Some(namespace)) => namespace != secret.namespace(),
        };
        if left {
            by_namespace
                .entry(secret.namespace())
                .or_default()
                .push(secret);
        }
    }
    let say = |(namespace, secrets): (&str, Vec<&Object>)| {
        let mut diagnosis = Diagnosis::warning(format!(
            "{} filter config Secrets in namespace {namespace} belong to no pods any more",
            secrets.len()
        ))
        .about(secrets[0])
        .so("nobody updates or deletes them, and they hold credentials");
        let list: Vec<&str> = secrets.iter().map(|s| s.name()).collect();
        for secret in &secrets {
            diagnosis = diagnosis.seen(secret, "metadata.name", secret.name());
        }
        diagnosis.fix(format!(
            "kubectl -n {namespace} delete secret {}",
            list.join(" ")
        ))
    };
    by_namespace.into_iter().map(say).collect()
}

/// Whether a Secret is a filter config by its content.
fn is_config(secret: &Object) -> bool {
    let has = |key: &str| secret_data::value(secret, key).is_some();
    let own = secret.metadata().get("ownerReferences");
    own.items().next().is_none()
        && (has("filter-config.yaml")
            || (has("index.yaml"))
            || (has("chunk") && secret.name().contains("-part-")))
}
