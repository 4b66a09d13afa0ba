//! What another version of the controller, or a config that has grown, means for a Gateway.

use super::answer::{Answer, GatewayDiff, Size};
use super::cause::Sides;
use crate::controllers::ai_gateway::bundle::SECRET_BYTES;
use crate::controllers::ai_gateway::gateway_config;
use crate::controllers::ai_gateway::names::Names;
use crate::controllers::ai_gateway::outcome::Outcome;
use crate::controllers::ai_gateway::sidecar;
use crate::controllers::profile::ControllerVersion;
use crate::world::World;
use crate::world::field::Field;
use crate::world::finding::{Finding, Severity};
use crate::world::kind::Kind;

/// Above how many KiB a single Secret is close to what the API server takes.
const NEAR_SECRET_KIB: usize = 900;
/// From how many parts on a bundle is close to its end.
const NEAR_PARTS: usize = 7;
/// The longest name of a volume.
const MAX_VOLUME_NAME: usize = 63;
const POOL_GROUP: &str = "inference.networking.k8s.io";

/// What there is to say about one Gateway.
pub fn findings(diff: &GatewayDiff<'_>, answers: &Sides<Answer<'_>>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = room(diff, answers).into_iter().collect();
    let Some(new) = diff.outcomes.new else {
        return findings;
    };
    if answers.old.options.version != answers.new.options.version {
        findings.extend(pinned_image(new, answers));
        findings.extend(storage(diff, answers));
        findings.extend(shared_namespace(diff, answers));
        findings.extend(hash_rollout(diff, answers));
        findings.extend(pools(new, answers));
        findings.extend(new_fields(diff, answers));
    }
    findings
}

/// A config that has come close to what can be stored.
fn room(diff: &GatewayDiff<'_>, answers: &Sides<Answer<'_>>) -> Option<Finding> {
    let near = |size: Option<Size>, answer: &Answer<'_>| {
        let size = size?;
        match answer.options.profile().splits_config {
            true => (size.parts >= NEAR_PARTS).then_some(size),
            false => (size.kib > NEAR_SECRET_KIB).then_some(size),
        }
    };
    let size = near(diff.sizes.new, &answers.new)?;
    if near(diff.sizes.old, &answers.old).is_some() {
        return None;
    }
    let left = size.ceiling_kib.saturating_sub(size.kib);
    let text = format!(
        "the config of Gateway {} has {} KiB, {left} KiB below the most that the controller stores",
        diff.name(),
        size.kib
    );
    Some(
        Finding::new("config-near-limit", Severity::Warning, text)
            .help("spread the routes over several Gateways"),
    )
}

/// A sidecar whose image is not of the new version refuses the new version's document.
fn pinned_image(new: &Outcome<'_>, answers: &Sides<Answer<'_>>) -> Option<Finding> {
    let options = answers.new.options;
    let ext_proc = gateway_config::ext_proc(new.gateway_config);
    let part = sidecar::image(&options.settings, &ext_proc);
    let image = part.text()?;
    let tag = tag(image).and_then(ControllerVersion::parse)?;
    if tag.version == options.version.version || !new.has_effective_route {
        return None;
    }
    let text = format!(
        "the sidecar of Gateway {} stays at {image}, which refuses documents of controller {}",
        new.name(),
        options.version
    );
    let mut finding = Finding::new("upgrade-image-pinned", Severity::Error, text)
        .help("let image and controller have the same version");
    let pinned = new.gateway_config.map(|config| {
        let kubernetes = config.spec().get("extProc").get("kubernetes");
        kubernetes.get("image")
    });
    if let Some(field) = pinned.filter(Field::is_set) {
        finding = finding.at_field(&field.source());
    }
    Some(finding)
}

fn tag(image: &str) -> Option<&str> {
    let base = image.split('@').next()?.rsplit('/').next()?;
    base.split_once(':').map(|(_, tag)| tag)
}

/// Which Secrets hold the document.
fn storage(diff: &GatewayDiff<'_>, answers: &Sides<Answer<'_>>) -> Vec<Finding> {
    let splits = |answer: &Answer<'_>| answer.options.profile().splits_config;
    let Some(size) = diff.sizes.new else {
        return Vec::new();
    };
    let name = diff.name();
    let info = |text: String| Finding::new("upgrade-storage", Severity::Info, text);
    match (splits(&answers.old), splits(&answers.new)) {
        (false, true) => {
            let mut findings = vec![info(format!(
                "the config of Gateway {name} is stored as an index and parts too ({} now); new pods \
                 read those",
                size.parts
            ))];
            if size.kib > SECRET_BYTES / 1024 {
                let text = format!(
                    "the config of Gateway {name} is above 1 MiB: the Secret {} is not written any \
                     more, and pods that still read it keep an old configuration",
                    Names::of(&diff.gateway.0, &diff.gateway.1).legacy_secret()
                );
                findings.push(Finding::new(
                    "upgrade-legacy-secret",
                    Severity::Warning,
                    text,
                ));
            }
            let volume = Names::of(&diff.gateway.0, &diff.gateway.1).plain_volume();
            if volume.len() > MAX_VOLUME_NAME {
                findings.push(info(format!(
                    "the volume of Gateway {name} had a name of more than {MAX_VOLUME_NAME} \
                     characters, with which no pod can be made; now it is shortened"
                )));
            }
            findings
        }
        (true, false) => vec![info(format!(
            "the config of Gateway {name} is stored in one Secret again; its index and parts are \
             left over"
        ))],
        _ => Vec::new(),
    }
}

/// A Gateway in Envoy Gateway's own namespace, in which one version finds everything twice.
fn shared_namespace(diff: &GatewayDiff<'_>, answers: &Sides<Answer<'_>>) -> Option<Finding> {
    let twice = |answer: &Answer<'_>| {
        let options = answer.options;
        options.profile().counts_shared_namespace_twice
            && options.settings.envoy_gateway_namespace() == diff.gateway.0
    };
    let name = diff.name();
    let (severity, text) = match (twice(&answers.old), twice(&answers.new)) {
        (true, false) => (
            Severity::Info,
            format!(
                "Gateway {name} is in Envoy Gateway's namespace, where {} finds its workload twice \
                 and refuses it; {} does not",
                answers.old.options.version, answers.new.options.version
            ),
        ),
        (false, true) => (
            Severity::Error,
            format!(
                "Gateway {name} is in Envoy Gateway's namespace: {} finds its workload twice, \
                 refuses it for ever and leaves its Secrets as they are",
                answers.new.options.version
            ),
        ),
        _ => return None,
    };
    Some(
        Finding::new("upgrade-shared-namespace", severity, text)
            .help("move the Gateway to a namespace of its own"),
    )
}

/// The one rollout for the hash that workloads do not carry yet.
fn hash_rollout(diff: &GatewayDiff<'_>, answers: &Sides<Answer<'_>>) -> Option<Finding> {
    let hashes = |answer: &Answer<'_>| answer.options.profile().hashes_sidecar;
    let effective = diff.outcomes.new.is_some_and(|o| o.has_effective_route);
    if hashes(&answers.old) || !hashes(&answers.new) || !effective {
        return None;
    }
    let text = format!(
        "every workload of Gateway {} rolls once after the upgrade: {} marks workloads with a hash \
         of the sidecar's configuration, by which later changes of it reach running pods",
        diff.name(),
        answers.new.options.version
    );
    Some(
        Finding::new("upgrade-rollout", Severity::Info, text)
            .help("check PodDisruptionBudgets and maxSurge before the upgrade"),
    )
}

/// References to InferencePools of other namespaces.
fn pools(new: &Outcome<'_>, answers: &Sides<Answer<'_>>) -> Vec<Finding> {
    let honours = |answer: &Answer<'_>| answer.options.profile().honours_pool_namespace;
    let (old_honours, new_honours) = (honours(&answers.old), honours(&answers.new));
    if old_honours == new_honours {
        return Vec::new();
    }
    let world = answers.new.world;
    let mut findings = Vec::new();
    for route in world
        .routes_of(&new.gateway)
        .filter(|r| !r.is_being_deleted())
    {
        let rules = route.spec().get("rules").items();
        for reference in rules.flat_map(|rule| rule.get("backendRefs").items()) {
            let namespace = reference.get("namespace").str_or_empty();
            let is_pool = reference.get("group").str() == Some(POOL_GROUP)
                && reference.get("kind").str() == Some("InferencePool");
            if is_pool && !namespace.is_empty() && namespace != route.namespace() {
                findings.extend(pool(&reference, namespace, new_honours, world, answers));
            }
        }
    }
    findings
}

fn pool(
    reference: &Field<'_>,
    namespace: &str,
    honoured: bool,
    world: &World,
    answers: &Sides<Answer<'_>>,
) -> Option<Finding> {
    let route = reference.object();
    let name = reference.get("name").str_or_empty();
    let version = &answers.new.options.version;
    let (severity, text, help) = if !honoured {
        (
            Severity::Error,
            format!(
                "{version} looks for InferencePool {name} in namespace {}, not in {namespace}",
                route.namespace()
            ),
            "move the route to the pool's namespace".to_string(),
        )
    } else if has_grant(world, route.namespace(), namespace) {
        (
            Severity::Info,
            format!(
                "{version} looks for InferencePool {name} in namespace {namespace}, as the route says; \
                 {} looked in {}",
                answers.old.options.version,
                route.namespace()
            ),
            String::new(),
        )
    } else {
        (
            Severity::Warning,
            format!(
                "{version} needs a ReferenceGrant in namespace {namespace} for InferencePool {name}, \
                 and none is in the input"
            ),
            format!(
                "grant from group aigateway.envoyproxy.io, kind AIGatewayRoute, namespace {} to group \
                 {POOL_GROUP}, kind InferencePool",
                route.namespace()
            ),
        )
    };
    let finding = Finding::new("upgrade-pool-namespace", severity, text)
        .at_field(&reference.get("namespace").source());
    Some(match help.is_empty() {
        true => finding,
        false => finding.help(help),
    })
}

/// Whether some grant of a namespace lets routes of another one refer to its pools.
fn has_grant(world: &World, from: &str, to: &str) -> bool {
    let text = |field: &Field<'_>, key: &'static str| field.get(key).str_or_empty().to_string();
    let mut grants = world
        .all(Kind::ReferenceGrant)
        .filter(|g| g.namespace() == to);
    grants.any(|grant| {
        let from = grant.spec().get("from").items().any(|f| {
            text(&f, "group") == "aigateway.envoyproxy.io"
                && text(&f, "kind") == "AIGatewayRoute"
                && text(&f, "namespace") == from
        });
        let mut targets = grant.spec().get("to").items();
        from && targets
            .any(|t| text(&t, "group") == POOL_GROUP && text(&t, "kind") == "InferencePool")
    })
}

/// Fields that only one of the versions reads.
fn new_fields(diff: &GatewayDiff<'_>, answers: &Sides<Answer<'_>>) -> Vec<Finding> {
    let (old, new) = (answers.old.options.profile(), answers.new.options.profile());
    let fields = [
        (
            "credentialOverride",
            old.has_credential_override,
            new.has_credential_override,
            "credentials may come from the request",
        ),
        (
            "backendSelector",
            old.has_backend_selector,
            new.has_backend_selector,
            "an MCPRoute selects its backends by expression",
        ),
        (
            "forwardHeaders",
            old.dedupes_forward_headers,
            new.dedupes_forward_headers,
            "duplicates are left out and the header with the API key's client is added",
        ),
    ];
    let mentions = |field: &str| {
        diff.changes
            .iter()
            .filter(|change| change.path.to_string().contains(field))
            .count()
    };
    fields
        .iter()
        .filter(|(field, was, is, _)| was != is && mentions(field) > 0)
        .map(|(field, _, is, what)| {
            let (reader, other) = match is {
                true => (&answers.new.options.version, &answers.old.options.version),
                false => (&answers.old.options.version, &answers.new.options.version),
            };
            let text = format!(
                "{} of Gateway {}: {reader} has it and {other} has not: {what}",
                field,
                diff.name()
            );
            Finding::new("upgrade-field", Severity::Info, text)
        })
        .collect()
}
