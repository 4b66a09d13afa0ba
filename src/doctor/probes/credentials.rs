//! Credentials: by comparison only, no value is ever kept or shown.

use std::collections::BTreeSet;

use super::config::{after_policies, differences, document, stale_causes};
use crate::doctor::case::{Case, Gateway, condition};
use crate::doctor::probe::Diagnosis;
use crate::doctor::stored::Difference;
use crate::doctor::times;
use crate::world::kind::Kind;
use crate::world::object::Object;

/// The annotation that says when a generated token expires.
const EXPIRES: &str = "rotators/expiration-time";

/// The config holds the credentials that the Secrets hold now.
///
/// A Secret that is deleted, one that the controller generated and that was edited by hand, a policy of
/// an InferencePool: changes that trigger no reconcile. v1.1.0 may also stay one token behind after a
/// rotation.
pub(in crate::doctor) fn credential_current(case: &Case<'_>) -> Vec<Diagnosis> {
    case.gateways()
        .iter()
        .filter_map(|gateway| current(case, gateway))
        .collect()
}

fn current(case: &Case<'_>, gateway: &Gateway<'_>) -> Option<Diagnosis> {
    let document = document(gateway)?;
    let Some(differences) = differences(case, gateway) else {
        let unknown = gateway.outcome.unknown.iter().flat_map(|u| &u.because);
        let why: BTreeSet<String> = unknown.map(ToString::to_string).collect();
        let why = why.into_iter().collect::<Vec<_>>().join("; ");
        return (!why.is_empty()).then(|| Diagnosis::unknown(why).gateway(&gateway.name));
    };
    let own: Vec<&Difference> = differences.iter().filter(|d| d.credential).collect();
    if own.is_empty() {
        return None;
    }
    let mut diagnosis = Diagnosis::failure("the config holds other credentials than the Secrets")
        .gateway(&gateway.name)
        .about(document.object)
        .so("requests to these backends are made with the old credential");
    for difference in own.iter().take(20) {
        diagnosis = diagnosis.seen(
            document.object,
            format!("{}.auth", difference.path),
            "different",
        );
    }
    let places: Vec<&str> = own.iter().map(|d| d.path.as_str()).collect();
    let probes = ["credential-rotation", "policies-attached"];
    let diagnosis = after_policies(case, diagnosis, &places, &probes);
    Some(stale_causes(diagnosis).fix(super::config::restart(case)))
}

/// Credentials that the controller rotates are fresh.
///
/// AWS OIDC, Azure and GCP credentials are exchanged for tokens in Secrets `ai-eg-bsp-POLICY`, five
/// minutes before they expire. Expiry is compared with the newest time in the input.
pub(in crate::doctor) fn credential_rotation(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    for policy in case.world.all(Kind::BackendSecurityPolicy) {
        let failed = condition(policy, "NotAccepted");
        let failed = failed.map(|c| c.get("message").str_or_empty());
        if let Some(message) = failed.filter(|m| m.contains("rotation")) {
            all.push(
                Diagnosis::failure("the controller cannot rotate the policy's credential")
                    .about(policy)
                    .seen(policy, "status.conditions[NotAccepted].message", message)
                    .so(
                        "the old token is used until it expires, and no other change of the policy \
                         has an effect",
                    )
                    .fix(
                        "correct what the message names: the token endpoint, the role, the client",
                    ),
            );
        }
        let name = format!("ai-eg-bsp-{}", policy.name());
        if let Some(secret) = case.world.get(Kind::Secret, policy.namespace(), &name) {
            all.extend(expired(case, policy, secret));
        }
    }
    all
}

fn expired(case: &Case<'_>, policy: &Object, secret: &Object) -> Option<Diagnosis> {
    let field = secret.metadata().get("annotations").get(EXPIRES);
    let (expires, newest) = (times::of(&field)?, case.newest()?);
    if expires <= newest {
        return Some(
            Diagnosis::failure("a token has expired and was not rotated")
                .about(secret)
                .seen(secret, format!("metadata.annotations[{EXPIRES}]"), expires)
                .saw("the newest time in the input", "", newest)
                .so("the provider refuses the requests")
                .fix(format!(
                    "kubectl -n {} delete secret {}",
                    secret.namespace(),
                    secret.name()
                ))
                .after("controller-present")
                .after("controller-running")
                .after("controller-leader"),
        );
    }
    let (changed, made) = (times::specified(policy)?, times::written(secret)?);
    (changed > made).then(|| {
        Diagnosis::warning("a token is older than the policy that it is made from")
            .about(secret)
            .seen(policy, "metadata.managedFields", changed)
            .seen(secret, "metadata.managedFields", made)
            .so("what changed in the policy counts only once the token is due")
            .fix(format!(
                "kubectl -n {} delete secret {}",
                secret.namespace(),
                secret.name()
            ))
    })
}
