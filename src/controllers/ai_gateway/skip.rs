//! What the controller leaves out of a document, and why.

use crate::world::field::Source;

/// Why something is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkipReason {
    /// The route has a deletionTimestamp.
    RouteBeingDeleted,
    /// The controller does not watch the route's namespace.
    RouteNotWatched,
    /// The AIServiceBackend does not exist.
    BackendNotFound,
    /// Two or more targetRefs of BackendSecurityPolicies match the backend.
    MultiplePolicies,
    /// The Secret does not exist.
    SecretNotFound,
    /// The Secret lacks the key.
    SecretKeyMissing,
    /// The policy's type is none that the controller knows.
    UnknownPolicyType,
    /// A credentialOverride falls back to a credential that the policy does not have.
    InvalidCredentialOverride,
    /// The expression of a QuotaPolicy is refused.
    InvalidQuotaExpression,
    /// The model header is written in a way that the controller does not recognise.
    ModelNotListed,
    /// No backend of the route is usable, so its costs are left out too.
    CostsWithoutBackend,
}

impl SkipReason {
    /// The id in machine-readable output.
    pub fn id(self) -> &'static str {
        match self {
            SkipReason::RouteBeingDeleted => "route-being-deleted",
            SkipReason::RouteNotWatched => "route-not-watched",
            SkipReason::BackendNotFound => "backend-not-found",
            SkipReason::MultiplePolicies => "multiple-policies",
            SkipReason::SecretNotFound => "secret-not-found",
            SkipReason::SecretKeyMissing => "secret-key-missing",
            SkipReason::UnknownPolicyType => "unknown-policy-type",
            SkipReason::InvalidCredentialOverride => "invalid-credential-override",
            SkipReason::InvalidQuotaExpression => "invalid-quota-expression",
            SkipReason::ModelNotListed => "model-not-listed",
            SkipReason::CostsWithoutBackend => "costs-without-backend",
        }
    }
}

/// One thing that is left out.
#[derive(Debug, Clone)]
pub struct Skip<'w> {
    /// What is left out: the object and field that declare it.
    pub source: Source<'w>,
    /// Why.
    pub reason: SkipReason,
    /// The `error` that the controller logs; `None` where it says nothing at error level.
    pub message: Option<String>,
    /// The same for people.
    pub text: String,
    /// What caused it, where that is elsewhere.
    pub causes: Vec<(Source<'w>, &'static str)>,
    /// What to do.
    pub help: Option<String>,
}
