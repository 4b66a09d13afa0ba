//! What the controller leaves out of a config without a word in any status.

use std::collections::BTreeMap;

use crate::controllers::ai_gateway::skip::{Skip, SkipReason};
use crate::doctor::case::{Case, Gateway, Unseen};
use crate::doctor::probe::{Diagnosis, object_name};
use crate::world::kind::Kind;

/// One diagnosis for each object that is to blame, with every place that is left out because of it.
fn skipped(
    case: &Case<'_>,
    reason: SkipReason,
    say: impl Fn(&Skip<'_>, &str) -> Diagnosis,
) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    for gateway in case.gateways() {
        let mut by_object = BTreeMap::<String, Diagnosis>::new();
        let skips = gateway.skipped.iter().filter(|s| s.reason == reason);
        for skip in skips {
            let object = blamed(skip, gateway);
            let source = &skip.source;
            let mut diagnosis = by_object.remove(&object).unwrap_or_else(|| {
                let mut diagnosis = say(skip, &object).gateway(&gateway.name);
                for (cause, note) in &skip.causes {
                    diagnosis = diagnosis.seen(cause.object, cause.path.to_string(), note);
                }
                diagnosis
            });
            let place = source.path.to_string();
            diagnosis = diagnosis.seen(source.object, place, "left out of the config");
            diagnosis.object = Some(object.clone());
            by_object.insert(object, diagnosis);
        }
        if by_object.is_empty() {
            all.extend(not_built(gateway));
        }
        all.extend(by_object.into_values());
    }
    all
}

/// What is said of a Gateway whose config was not looked at to its end, so that nothing may be missing.
pub(super) fn not_built(gateway: &Gateway<'_>) -> Option<Diagnosis> {
    let diagnosis = match gateway.unseen.as_ref()? {
        Unseen::Ends => {
            Diagnosis::note("the config was not built to its end, which is told elsewhere")
        }
        Unseen::Unread(why) => Diagnosis::unknown(why),
    };
    Some(diagnosis.gateway(&gateway.name))
}

/// The object that has to change: the backend that is referred to, or the Secret.
fn blamed(skip: &Skip<'_>, gateway: &Gateway<'_>) -> String {
    let source = &skip.source;
    let field = source.object.field();
    let mut parts = source.path.parts();
    // The place is the name in a reference; the namespace stands beside it.
    if matches!(parts.last(), Some(crate::world::path::Part::Key(key)) if key == "name") {
        parts.pop();
    }
    let reference = parts.into_iter().fold(field, |at, part| match part {
        crate::world::path::Part::Key(key) => at.get(key.clone()),
        crate::world::path::Part::Index(i) => {
            at.items().nth(*i).unwrap_or_else(|| at.get("(absent)"))
        }
    });
    let secret = skip
        .causes
        .iter()
        .find(|(cause, _)| cause.object.kind() == Kind::Secret);
    match (skip.reason, secret) {
        (_, Some((secret, _))) => secret.object.id().to_string(),
        (SkipReason::SecretNotFound, None) => {
            let name = quoted_secret(&skip.text).or_else(|| policy_secret(skip));
            name.unwrap_or_else(|| source.object.id().to_string())
        }
        (SkipReason::BackendNotFound | SkipReason::MultiplePolicies, _) => {
            let own = source.object.namespace();
            let namespace = reference.get("namespace").str().unwrap_or(own);
            let name = reference.get("name").str_or_empty();
            object_name(Kind::AIServiceBackend, namespace, name)
        }
        _ => match skip.causes.first() {
            Some((cause, _)) => cause.object.id().to_string(),
            None if source.object.kind() == Kind::Gateway => gateway.object(),
            None => source.object.id().to_string(),
        },
    }
}

/// `Secret namespace/name` as a text names it.
fn quoted_secret(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("Secret ")?;
    let name = rest.split_whitespace().next()?;
    let name = name.trim_matches(|c: char| matches!(c, ',' | ':' | ';' | '"'));
    name.contains('/').then(|| format!("Secret {name}"))
}

fn policy_secret(skip: &Skip<'_>) -> Option<String> {
    let mut policies = skip
        .causes
        .iter()
        .filter(|(cause, _)| cause.object.kind() == Kind::BackendSecurityPolicy);
    let (policy, _) = policies.next()?;
    let mut members = policy.object.spec().entries();
    let name = members.find_map(|(_, member)| member.get("secretRef").get("name").str())?;
    Some(object_name(Kind::Secret, policy.object.namespace(), name))
}

fn helped(mut diagnosis: Diagnosis, skip: &Skip<'_>) -> Diagnosis {
    diagnosis.remedy.extend(skip.help.clone());
    diagnosis
}

const LEFT_OUT: &str = "the backend is left out of the config with a log line only; requests that \
                        Envoy sends to it fail";

/// The backends that routes refer to exist.
///
/// A backendRef to an AIServiceBackend that does not exist is left out of the config, and the HTTPRoute
/// of the whole route is not written: Envoy has no route for any of its models.
pub(in crate::doctor) fn backend_missing(case: &Case<'_>) -> Vec<Diagnosis> {
    skipped(case, SkipReason::BackendNotFound, |skip, object| {
        let unwatched = exists(case, object);
        let text = match unwatched {
            true => format!("{object} is not seen by the controller"),
            false => format!("{object} does not exist"),
        };
        helped(
            Diagnosis::failure(text).so(
                "the backend is left out of the config, and the route's HTTPRoute is not written: \
                 Envoy has no route for its models",
            ),
            skip,
        )
        .fix("create it, or take it out of the route")
        .after_object("controller-watches", object)
    })
}

/// Whether a backend is there although the controller finds none.
fn exists(case: &Case<'_>, backend: &str) -> bool {
    let mut all = case.world.all(Kind::AIServiceBackend);
    all.any(|found| found.id().to_string() == backend)
}

/// One policy is in force for each backend.
///
/// With two BackendSecurityPolicies, or one that names a backend twice, the controller takes none and
/// leaves the backend out.
pub(in crate::doctor) fn backend_policies(case: &Case<'_>) -> Vec<Diagnosis> {
    skipped(case, SkipReason::MultiplePolicies, |skip, object| {
        let text = format!("several BackendSecurityPolicies target {object}");
        helped(Diagnosis::failure(text).so(LEFT_OUT), skip)
            .fix("delete all but one of the policies")
    })
}

/// The Secrets that policies refer to exist.
///
/// They are looked for in the policy's own namespace, whatever `secretRef.namespace` says.
pub(in crate::doctor) fn credential_missing(case: &Case<'_>) -> Vec<Diagnosis> {
    skipped(case, SkipReason::SecretNotFound, |skip, object| {
        let generated = object.contains("/ai-eg-bsp-");
        let text = format!("{object} does not exist: {}", skip.text);
        let diagnosis = helped(Diagnosis::failure(text).so(LEFT_OUT), skip);
        match generated {
            true => diagnosis
                .fix("look at the status of the BackendSecurityPolicy: the controller makes it")
                .after("policies-accepted")
                .after("controller-running"),
            false => diagnosis.fix("create the Secret with the key that the policy's type needs"),
        }
    })
}

/// The Secrets that policies refer to have the key that is read.
///
/// The names are fixed: `apiKey`, not `api-key` or `key`.
pub(in crate::doctor) fn credential_key(case: &Case<'_>) -> Vec<Diagnosis> {
    skipped(case, SkipReason::SecretKeyMissing, |skip, object| {
        let text = format!("{object} lacks the key that is read: {}", skip.text);
        helped(Diagnosis::failure(text).so(LEFT_OUT), skip)
            .fix("give the Secret the key, named exactly so")
    })
}

/// Policies are of a type that the controller knows, and complete.
pub(in crate::doctor) fn policy_usable(case: &Case<'_>) -> Vec<Diagnosis> {
    let say = |skip: &Skip<'_>, _: &str| {
        helped(Diagnosis::failure(&skip.text).so(LEFT_OUT), skip)
            .fix("correct the BackendSecurityPolicy")
    };
    let mut all = skipped(case, SkipReason::UnknownPolicyType, say);
    all.extend(skipped(case, SkipReason::InvalidCredentialOverride, say));
    all
}

/// The quotas of QuotaPolicies are counted.
pub(in crate::doctor) fn quota_expression(case: &Case<'_>) -> Vec<Diagnosis> {
    skipped(case, SkipReason::InvalidQuotaExpression, |skip, _| {
        helped(
            Diagnosis::failure(&skip.text)
                .so("the quota's cost is left out, so nothing is counted"),
            skip,
        )
        .fix("correct the expression of the QuotaPolicy")
    })
}

/// The costs of a route are counted.
///
/// A route none of whose backends is usable loses its costs too; its models stay listed.
pub(in crate::doctor) fn costs_counted(case: &Case<'_>) -> Vec<Diagnosis> {
    skipped(case, SkipReason::CostsWithoutBackend, |skip, _| {
        Diagnosis::failure(&skip.text)
            .so("no cost of the route is counted; its models stay listed")
            .fix("repair one of its backends")
            .after("backend-missing")
            .after("backend-policies")
            .after("credential-missing")
            .after("credential-key")
            .after("policy-usable")
    })
}

/// The models of a route are listed.
///
/// `/v1/models` lists what a rule matches exactly in the header `x-ai-eg-model`; a regular expression
/// or another spelling may route all the same.
pub(in crate::doctor) fn models_listed(case: &Case<'_>) -> Vec<Diagnosis> {
    skipped(case, SkipReason::ModelNotListed, |skip, _| {
        helped(Diagnosis::note(&skip.text), skip)
    })
}
