//! The filter config as the controller builds it, with the origin of every value.
//!
//! Answers for the `filterapi` types: which keys there are, which are left out when empty. The text
//! that is stored comes from [`Config::document`] and the serializer.

use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

use super::origin::Origin;
use crate::secret::{PLACEHOLDER, Reveal, Secret};
use crate::world::field::Source;

/// A scalar of the document and where it came from.
#[derive(Debug, Clone)]
pub struct Leaf<'w> {
    /// The value.
    pub text: Text<'w>,
    /// Where it came from.
    pub origin: Origin<'w>,
}

/// A scalar value, by how much of it may be shown.
#[derive(Debug, Clone)]
pub enum Text<'w> {
    /// Shown as it is.
    Plain(Cow<'w, str>),
    /// A boolean.
    Bool(bool),
    /// A credential: bytes, since a Secret may hold any.
    Credential(Secret<Cow<'w, [u8]>>),
    /// The set-value of a header or body mutation; often a key.
    Mutation(Secret<Cow<'w, str>>),
    /// A credential whose Secret is not in the input; the placeholder names the Secret.
    Missing(SecretKeyRef),
    /// A value that the input does not give, in angle brackets.
    Unknown(&'static str),
}

impl<'w> Leaf<'w> {
    /// A plain value.
    pub fn plain(text: impl Into<Cow<'w, str>>, origin: Origin<'w>) -> Self {
        Leaf {
            text: Text::Plain(text.into()),
            origin,
        }
    }

    /// What a value that wins over this one overrode: this one, and what it had won over.
    pub fn overridden(self) -> Vec<Source<'w>> {
        let mut all = self.origin.overrode;
        all.extend(self.origin.source);
        all
    }

    /// The text of a plain value; a placeholder for everything else.
    pub fn shown(&self, reveal: Reveal) -> Cow<'_, str> {
        match &self.text {
            Text::Plain(text) => Cow::Borrowed(text),
            Text::Bool(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
            Text::Credential(secret) if reveal.secrets => String::from_utf8_lossy(secret.reveal()),
            Text::Mutation(secret) if reveal.shows_mutations() => Cow::Borrowed(secret.reveal()),
            Text::Credential(_) | Text::Mutation(_) => Cow::Borrowed(PLACEHOLDER),
            Text::Missing(secret) => Cow::Owned(format!("<{secret}>")),
            Text::Unknown(text) => Cow::Borrowed(text),
        }
    }
}

/// The whole document. Absent optional values are `None`; lists that are left out when empty are
/// plain `Vec`s.
#[derive(Debug, Clone)]
pub struct Config<'w> {
    /// Of the controller that writes.
    pub version: Leaf<'w>,
    /// Of this write.
    pub uuid: Leaf<'w>,
    /// From the GatewayConfig.
    pub global_costs: Vec<Cost<'w>>,
    /// From routes and QuotaPolicies.
    pub costs: Vec<Cost<'w>>,
    /// One for each usable backendRef.
    pub backends: Vec<Backend<'w>>,
    /// Every declared model.
    pub models: Vec<Rc<Model<'w>>>,
    /// Models by hostname, in order of first appearance.
    pub models_by_host: Vec<(&'w str, Vec<Rc<Model<'w>>>)>,
    /// Models of routes without hostnames; only given when some route has hostnames.
    pub unscoped_models: Vec<Rc<Model<'w>>>,
    /// The MCP part, present when any MCPRoute is attached.
    pub mcp: Option<McpConfig<'w>>,
}

/// A declared model.
#[derive(Debug, Clone)]
pub struct Model<'w> {
    /// The header's value.
    pub name: Leaf<'w>,
    /// The owner that `/v1/models` shows.
    pub owned_by: Leaf<'w>,
    /// RFC 3339, UTC.
    pub created_at: Leaf<'w>,
}

/// A request cost, global, of a route or of a quota.
#[derive(Debug, Clone)]
pub struct Cost<'w> {
    /// The metadata key; `None` never occurs.
    pub metadata_key: Leaf<'w>,
    /// The type as written.
    pub kind: Leaf<'w>,
    /// The expression of type `CEL`.
    pub cel: Option<Leaf<'w>>,
    /// `<namespace>/<name>` of the route; absent for global costs.
    pub route_name: Option<Leaf<'w>>,
    /// `<namespace>/<name>` of the backend; quota costs only.
    pub backend: Option<Leaf<'w>>,
    /// The model; quota costs only.
    pub model: Option<Leaf<'w>>,
}

/// A backend of a rule.
#[derive(Debug, Clone)]
pub struct Backend<'w> {
    /// `<routeNs>/<ref>/route/<route>/rule/<i>/ref/<j>`.
    pub name: Leaf<'w>,
    /// Empty when the ref has none.
    pub model_name_override: Leaf<'w>,
    /// The API schema.
    pub schema: Schema<'w>,
    /// The credential.
    pub auth: Option<Auth<'w>>,
    /// Header edits.
    pub header_mutation: Option<Mutation<'w>>,
    /// Body edits.
    pub body_mutation: Option<Mutation<'w>>,
}

/// An API schema.
#[derive(Debug, Clone)]
pub struct Schema<'w> {
    /// Such as `OpenAI`.
    pub name: Leaf<'w>,
    /// Left out when empty.
    pub version: Option<Leaf<'w>>,
    /// Left out when empty.
    pub prefix: Option<Leaf<'w>>,
}

/// The credential of a backend: the key of the document, its members in document order, and what
/// v1.1.0 may take from the request instead.
#[derive(Debug, Clone)]
pub struct Auth<'w> {
    /// `apiKey`, `aws`, `azure`, `azureAPIKey`, `anthropicAPIKey` or `gcp`.
    pub kind: &'static str,
    /// The members.
    pub members: Vec<(&'static str, Leaf<'w>)>,
    /// The Secret and key that the credential is read from; `None` when none is.
    pub secret: Option<SecretKeyRef>,
    /// `credentialOverride`.
    pub credential_override: Option<CredentialOverride<'w>>,
}

/// A key of a Secret.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SecretKeyRef {
    /// Namespace of the Secret.
    pub namespace: String,
    /// Name of the Secret.
    pub name: String,
    /// Key in its data.
    pub key: &'static str,
}

impl fmt::Display for SecretKeyRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SecretKeyRef {
            namespace,
            name,
            key,
        } = self;
        write!(f, "Secret {namespace}/{name} key {key}")
    }
}

/// Where the sidecar may take the credential from instead.
#[derive(Debug, Clone)]
pub struct CredentialOverride<'w> {
    /// The request header.
    pub header_name: Option<Leaf<'w>>,
    /// Envoy dynamic metadata.
    pub metadata_namespace: Option<Leaf<'w>>,
    /// See `metadata_namespace`.
    pub metadata_key: Option<Leaf<'w>>,
    /// Whether the static credential is used when there is none.
    pub fallback: Leaf<'w>,
    /// Headers that never reach the backend.
    pub input_headers_to_remove: Vec<Leaf<'w>>,
}

/// Edits of headers or of the body. Present but empty is written as `{}`.
#[derive(Debug, Clone, Default)]
pub struct Mutation<'w> {
    /// Name or path, and value.
    pub set: Vec<(Leaf<'w>, Leaf<'w>)>,
    /// Names or paths.
    pub remove: Vec<Leaf<'w>>,
}

/// The MCP part.
#[derive(Debug, Clone)]
pub struct McpConfig<'w> {
    /// Where the proxy listens for its backends.
    pub backend_listener_addr: Leaf<'w>,
    /// Oldest first.
    pub routes: Vec<McpRoute<'w>>,
}

/// An MCPRoute.
#[derive(Debug, Clone)]
pub struct McpRoute<'w> {
    /// `<namespace>/<name>`.
    pub name: Leaf<'w>,
    /// In spec order.
    pub backends: Vec<McpBackend<'w>>,
    /// From `securityPolicy.authorization`.
    pub authorization: Option<Authorization<'w>>,
    /// From `backendSelector`.
    pub backend_selector: Option<Authorization<'w>>,
    /// Headers that carry claims.
    pub forward_headers: Vec<Leaf<'w>>,
}

/// An MCP backend.
#[derive(Debug, Clone)]
pub struct McpBackend<'w> {
    /// Without namespace.
    pub name: Leaf<'w>,
    /// `exclude`, `excludeRegex`, `include`, `includeRegex`; empty lists are left out.
    pub tool_selector: Option<Vec<(&'static str, Vec<Leaf<'w>>)>>,
    /// Name, and name towards the backend.
    pub forward_headers: Vec<(Leaf<'w>, Option<Leaf<'w>>)>,
}

/// Authorization rules, also those of a backend selector.
#[derive(Debug, Clone)]
pub struct Authorization<'w> {
    /// `Allow` or `Deny`.
    pub default_action: Leaf<'w>,
    /// The first match decides.
    pub rules: Vec<AuthorizationRule<'w>>,
    /// Where clients learn how to authenticate.
    pub resource_metadata_url: Option<Leaf<'w>>,
}

/// An authorization rule.
#[derive(Debug, Clone)]
pub struct AuthorizationRule<'w> {
    /// `Allow` or `Deny`.
    pub action: Leaf<'w>,
    /// A condition; an explicitly empty one is kept.
    pub cel: Option<Leaf<'w>>,
    /// JWT scopes and claims.
    pub source: Option<JwtSource<'w>>,
    /// Backend and tool pairs.
    pub target: Option<Vec<(Leaf<'w>, Leaf<'w>)>>,
}

/// What a token must hold.
#[derive(Debug, Clone)]
pub struct JwtSource<'w> {
    /// Scopes.
    pub scopes: Vec<Leaf<'w>>,
    /// Claims.
    pub claims: Vec<Claim<'w>>,
}

/// A claim and the values it may have.
#[derive(Debug, Clone)]
pub struct Claim<'w> {
    /// Name.
    pub name: Leaf<'w>,
    /// `String` or `StringArray`.
    pub value_type: Leaf<'w>,
    /// Written as `null` when empty.
    pub values: Vec<Leaf<'w>>,
}
