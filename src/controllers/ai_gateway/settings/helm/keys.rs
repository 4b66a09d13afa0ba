//! The keys of the chart's values.

use crate::controllers::profile::Profile;

/// Keys with a value of their own, or with a mapping whose keys the user chooses.
const KEYS: &[&str] = &[
    "global",
    "endpointConfig.rootPrefix",
    "endpointConfig.openai",
    "endpointConfig.cohere",
    "endpointConfig.anthropic",
    "extProc.image.repository",
    "extProc.image.tag",
    "extProc.imagePullPolicy",
    "extProc.imagePullSecrets",
    "extProc.logLevel",
    "extProc.enableRedaction",
    "extProc.extraEnvVars",
    "controller.logLevel",
    "controller.nameOverride",
    "controller.fullnameOverride",
    "controller.quotaRateLimitServiceAddr",
    "controller.quotaRateLimitTimeout",
    "controller.quotaRateLimitFailureModeDeny",
    "controller.requestHeaderAttributes",
    "controller.spanRequestHeaderAttributes",
    "controller.metricsRequestHeaderAttributes",
    "controller.logRequestHeaderAttributes",
    "controller.serviceAccount.create",
    "controller.serviceAccount.annotations",
    "controller.serviceAccount.name",
    "controller.leaderElection.enabled",
    "controller.watch.namespaces",
    "controller.watch.cacheSyncTimeout",
    "controller.image.repository",
    "controller.image.tag",
    "controller.imagePullPolicy",
    "controller.imagePullSecrets",
    "controller.replicaCount",
    "controller.podAnnotations",
    "controller.podSecurityContext",
    "controller.securityContext",
    "controller.podEnv",
    "controller.extraEnvVars",
    "controller.volumes",
    "controller.service.type",
    "controller.service.ports",
    "controller.mutatingWebhook.port",
    "controller.mutatingWebhook.tlsCertSecretName",
    "controller.mutatingWebhook.tlsCertName",
    "controller.mutatingWebhook.tlsKeyName",
    "controller.mutatingWebhook.caBundleName",
    "controller.mutatingWebhook.certManager.enable",
    "controller.mutatingWebhook.certManager.issuerName",
    "controller.mutatingWebhook.certManager.certificateName",
    "controller.mutatingWebhook.objectSelector",
    "controller.mutatingWebhook.namespaceSelector",
    "controller.hostNetwork",
    "controller.resources",
    "controller.nodeSelector",
    "controller.tolerations",
    "controller.affinity",
    "controller.maxRecvMsgSize",
    "controller.mcp.sessionEncryption.seed",
    "controller.mcp.sessionEncryption.iterations",
    "controller.mcp.sessionEncryption.fallback.seed",
    "controller.mcp.sessionEncryption.fallback.iterations",
    "envoyGateway.namespace",
];

/// Keys that came with the log format.
const LATER_KEYS: &[&str] = &[
    "extProc.logFormat",
    "controller.logFormat",
    "controller.podLabels",
    "controller.podDisruptionBudget",
    "controller.topologySpreadConstraints",
];

/// What the chart makes of a key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// There are keys below it.
    Section,
    /// It has a value, or a mapping that is passed through.
    Value,
    /// Nothing.
    Unknown {
        /// The key that was probably meant.
        nearest: Option<&'static str>,
    },
}

/// What the chart of a version makes of a key.
pub(super) fn meaning(key: &str, profile: &Profile) -> Meaning {
    let later = if profile.has_log_format {
        LATER_KEYS
    } else {
        &[]
    };
    let keys = || KEYS.iter().chain(later).copied();
    if keys().any(|known| known == key) {
        return Meaning::Value;
    }
    if keys().any(|known| below(known, key)) {
        return Meaning::Section;
    }
    let all: Vec<_> = keys().chain(keys().flat_map(sections)).collect();
    Meaning::Unknown {
        nearest: nearest(key, &all),
    }
}

/// Whether `key` stands below `section`.
fn below(key: &str, section: &str) -> bool {
    key.strip_prefix(section)
        .is_some_and(|rest| rest.starts_with('.'))
}

/// The sections that a key stands in.
fn sections(key: &'static str) -> impl Iterator<Item = &'static str> {
    key.match_indices('.').map(|(at, _)| &key[..at])
}

/// A key with the same last part, in whatever section; else one whose last part is spelled much the
/// same, first in the same section; else one that is much the same but for the sections. Of several
/// the one with the most similar path.
fn nearest(key: &str, known: &[&'static str]) -> Option<&'static str> {
    let (section, last) = split(key);
    let rank = |candidate: &'static str| {
        let (its_section, its_last) = split(candidate);
        let path = strsim::damerau_levenshtein(key, candidate);
        Some((distance(last, its_last)?, its_section != section, path))
    };
    let by_last_part = known
        .iter()
        .filter_map(|&known| Some((rank(known)?, known)));
    let by_last_part = by_last_part.min().map(|(_, known)| known);
    let without_sections = |path: &str| path.replace('.', "");
    let by_path = known.iter().filter_map(|&known| {
        Some((
            distance(&without_sections(key), &without_sections(known))?,
            known,
        ))
    });
    by_last_part.or_else(|| by_path.min().map(|(_, known)| known))
}

/// How far a spelling is from a known one; `None` when they have little in common.
fn distance(text: &str, known: &str) -> Option<usize> {
    let distance = strsim::damerau_levenshtein(&text.to_lowercase(), &known.to_lowercase());
    (distance <= known.len() / 4).then_some(distance)
}

fn split(key: &str) -> (&str, &str) {
    key.rsplit_once('.').unwrap_or(("", key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::profile::{V1_0_0, V1_1_0};

    #[test]
    fn a_key_that_is_misplaced_or_misspelt_has_a_nearest_one() {
        for (key, expected) in [
            ("mutatingWebhook", Some("controller.mutatingWebhook")),
            ("controller.rootPrefix", Some("endpointConfig.rootPrefix")),
            ("logLevel", Some("extProc.logLevel")),
            ("extproc", Some("extProc")),
            ("extProc.loglevel", Some("extProc.logLevel")),
            ("extProc.imagePulPolicy", Some("extProc.imagePullPolicy")),
            ("controller.envoyGateway", Some("envoyGateway")),
            (
                "controller.mcp.seed",
                Some("controller.mcp.sessionEncryption.seed"),
            ),
            (
                "controller.mcpSessionEncryptionSeed",
                Some("controller.mcp.sessionEncryption.seed"),
            ),
            (
                "controller.metricsRequestHeaderLabels",
                Some("controller.metricsRequestHeaderAttributes"),
            ),
            ("certificates", None),
        ] {
            assert_eq!(
                meaning(key, &V1_1_0),
                Meaning::Unknown { nearest: expected },
                "{key}"
            );
        }
    }

    #[test]
    fn keys_belong_to_versions() {
        assert_eq!(meaning("extProc.logFormat", &V1_1_0), Meaning::Value);
        assert!(matches!(
            meaning("extProc.logFormat", &V1_0_0),
            Meaning::Unknown { .. }
        ));
        assert_eq!(meaning("controller", &V1_0_0), Meaning::Section);
    }
}
