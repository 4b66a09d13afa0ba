//! What differs between versions of the AI Gateway controller, as data.
//!
//! Code asks a profile for a behaviour (`profile.splits_config`), never for a version.

use std::fmt;

/// The behaviour of one controller version.
#[derive(Debug, PartialEq, Eq)]
pub struct Profile {
    /// The release that the answers were recorded from, such as `v1.1.0`.
    pub release: &'static str,
    /// The document is stored as an index and parts, beside the legacy Secret (recorded).
    pub splits_config: bool,
    /// A Gateway in Envoy Gateway's own namespace has its objects counted twice and is always
    /// refused (recorded).
    pub counts_shared_namespace_twice: bool,
    /// The text of a credential error repeats `failed to get secret <name>: ` (recorded).
    pub doubles_secret_error: bool,
    /// BackendSecurityPolicies may take the credential from the request (recorded).
    pub has_credential_override: bool,
    /// MCPRoutes may select backends by expression (recorded).
    pub has_backend_selector: bool,
    /// `forwardHeaders` of an MCPRoute lose duplicates and gain the API key's client id header
    /// (recorded).
    pub dedupes_forward_headers: bool,
    /// The image that a pod is compared with is the one the GatewayConfig gives, not the flag's
    /// (recorded).
    pub resolves_expected_image: bool,
    /// The HTTPRoute of a route honours the namespace of a ref to an InferencePool, and a
    /// ReferenceGrant is needed for it (reading only).
    pub honours_pool_namespace: bool,
    /// Workloads carry a hash of the sidecar's settings and roll when it differs (recorded).
    pub hashes_sidecar: bool,
    /// The flags `-logFormat` and `--extProcLogFormat` exist (recorded).
    pub has_log_format: bool,
}

/// v1.0.0 and its patch releases.
pub const V1_0_0: Profile = Profile {
    release: "v1.0.0",
    splits_config: false,
    counts_shared_namespace_twice: true,
    doubles_secret_error: true,
    has_credential_override: false,
    has_backend_selector: false,
    dedupes_forward_headers: false,
    resolves_expected_image: false,
    honours_pool_namespace: false,
    hashes_sidecar: false,
    has_log_format: false,
};

/// v1.1.0 and its patch releases.
pub const V1_1_0: Profile = Profile {
    release: "v1.1.0",
    splits_config: true,
    counts_shared_namespace_twice: false,
    doubles_secret_error: false,
    has_credential_override: true,
    has_backend_selector: true,
    dedupes_forward_headers: true,
    resolves_expected_image: true,
    honours_pool_namespace: true,
    hashes_sidecar: true,
    has_log_format: true,
};

/// Every supported release, oldest first.
pub const ALL: &[&Profile] = &[&V1_0_0, &V1_1_0];

/// A controller version: a profile, and the version string that the controller writes into its
/// documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControllerVersion {
    /// Its behaviour.
    pub profile: &'static Profile,
    /// The version as it would report itself, such as `v1.0.2`.
    pub version: String,
}

impl ControllerVersion {
    /// The newest version with recorded answers.
    pub fn newest() -> Self {
        let profile = ALL.last().expect("the list is not empty");
        ControllerVersion {
            profile,
            version: profile.release.to_string(),
        }
    }

    /// Reads `v1.1.0`, `1.1.0`, `v1.1` or a patch or pre-release of a supported minor. `None` for
    /// everything else.
    pub fn parse(text: &str) -> Option<Self> {
        let bare = text.strip_prefix('v').unwrap_or(text);
        let core = bare.split(['-', '+']).next().unwrap_or(bare);
        let numbers: Vec<u32> = core
            .split('.')
            .map(|n| n.parse().ok())
            .collect::<Option<_>>()?;
        let (major, minor) = match numbers[..] {
            [major, minor] | [major, minor, _] => (major, minor),
            _ => return None,
        };
        let prefix = format!("v{major}.{minor}.");
        let profile = ALL.iter().find(|p| p.release.starts_with(&prefix))?;
        let version = if numbers.len() == 2 {
            format!("v{bare}.0")
        } else {
            format!("v{bare}")
        };
        Some(ControllerVersion { profile, version })
    }
}

impl fmt::Display for ControllerVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patch_releases_have_the_behaviour_of_their_minor() {
        let parsed =
            |text: &str| ControllerVersion::parse(text).map(|v| (v.profile.release, v.version));
        assert_eq!(parsed("v1.1.0"), Some(("v1.1.0", "v1.1.0".to_string())));
        assert_eq!(parsed("1.0.3"), Some(("v1.0.0", "v1.0.3".to_string())));
        assert_eq!(parsed("v1.0"), Some(("v1.0.0", "v1.0.0".to_string())));
        assert_eq!(
            parsed("v1.1.0-rc.1"),
            Some(("v1.1.0", "v1.1.0-rc.1".to_string()))
        );
        for unknown in ["latest", "v2.0.0", "v0.9.1", "v1", "", "v1.x.0", "1.1.0.0"] {
            assert_eq!(parsed(unknown), None, "{unknown}");
        }
    }
}
