//! The credential of a backend, from its BackendSecurityPolicy and the policy's Secret.

use std::borrow::Cow;

use super::build::Builder;
use super::config::{Auth, CredentialOverride, Leaf, SecretKeyRef, Text};
use super::names::header_name;
use super::origin::{Because, Origin, Rule};
use super::skip::SkipReason;
use crate::secret::Secret;
use crate::world::field::{Field, Source};
use crate::world::kind::Kind;
use crate::world::object::Object;

/// Why a credential cannot be written.
#[derive(Debug)]
pub enum AuthError<'w> {
    /// The backend is left out.
    Skip {
        /// Why.
        reason: SkipReason,
        /// The controller's text.
        message: String,
        /// Where the cause is.
        cause: Source<'w>,
        /// What to do.
        help: Option<String>,
    },
    /// The controller dereferences a part that the policy lacks; the reconcile fails.
    Panic(Source<'w>),
}

/// How a type of policy finds its Secret and what the document calls it.
struct Shape {
    auth: &'static str,
    key: &'static str,
    member: &'static str,
    header: &'static str,
}

fn shape(kind: &str) -> Option<Shape> {
    let shape = |auth, key, member, header| {
        Some(Shape {
            auth,
            key,
            member,
            header,
        })
    };
    match kind {
        "APIKey" => shape("apiKey", "apiKey", "key", "x-aigw-api-key"),
        "AzureAPIKey" => shape("azureAPIKey", "apiKey", "key", "x-aigw-azure-api-key"),
        "AnthropicAPIKey" => shape(
            "anthropicAPIKey",
            "apiKey",
            "key",
            "x-aigw-anthropic-api-key",
        ),
        "AWSCredentials" => shape("aws", "credentials", "credentialFileLiteral", "x-aigw-aws-"),
        "AzureCredentials" => shape(
            "azure",
            "azureAccessToken",
            "accessToken",
            "x-aigw-azure-access-token",
        ),
        "GCPCredentials" => shape(
            "gcp",
            "gcpAccessToken",
            "accessToken",
            "x-aigw-gcp-access-token",
        ),
        _ => None,
    }
}

/// The `auth` of a backend with that policy.
///
/// # Errors
/// [`AuthError::Skip`] when the backend is left out, [`AuthError::Panic`] when the controller fails.
pub fn auth<'w>(
    builder: &mut Builder<'w, '_>,
    policy: &'w Object,
    because: &Because<'w>,
) -> Result<Auth<'w>, AuthError<'w>> {
    let spec = policy.spec();
    let kind = spec.get("type");
    let because = because.and([kind.source()]);
    let Some(shape) = shape(kind.str_or_empty()) else {
        return Err(AuthError::Skip {
            reason: SkipReason::UnknownPolicyType,
            message: format!(
                "invalid backend security type {} for policy {}",
                kind.str_or_empty(),
                policy.name()
            ),
            cause: kind.source(),
            help: None,
        });
    };
    let part = part(&spec, kind.str_or_empty());
    let mut auth = Auth {
        kind: shape.auth,
        members: Vec::new(),
        secret: None,
        credential_override: None,
    };
    match secret_name(policy, &part, kind.str_or_empty())? {
        Some((name, cause)) => {
            let because = because.and([cause.clone()]);
            let leaf = builder.credential(policy, &name, shape.key, &cause, &because)?;
            auth.members.push((shape.member, leaf));
            auth.secret = Some(SecretKeyRef {
                namespace: policy.namespace().to_string(),
                name,
                key: shape.key,
            });
        }
        // Application default credentials: the empty token is written all the same.
        None if shape.auth == "gcp" => {
            let origin = Origin::new(Rule::Default, part.source(), &because);
            auth.members.push((shape.member, Leaf::plain("", origin)));
        }
        None => {}
    }
    for member in members(shape.auth) {
        let field = part.get(*member);
        let origin = Origin::new(Rule::Field, field.source(), &because);
        auth.members
            .push((member, Leaf::plain(field.str_or_empty(), origin)));
    }
    if builder.profile().has_credential_override && policy.version() != "v1alpha1" {
        auth.credential_override = credential_override(policy, &shape, &auth, &because)?;
    }
    Ok(auth)
}

fn part<'w>(spec: &Field<'w>, kind: &str) -> Field<'w> {
    spec.get(match kind {
        "APIKey" => "apiKey",
        "AzureAPIKey" => "azureAPIKey",
        "AnthropicAPIKey" => "anthropicAPIKey",
        "AWSCredentials" => "awsCredentials",
        "AzureCredentials" => "azureCredentials",
        _ => "gcpCredentials",
    })
}

fn members(auth: &str) -> &'static [&'static str] {
    match auth {
        "aws" => &["region"],
        "gcp" => &["region", "projectName"],
        _ => &[],
    }
}

type SecretName<'w> = Option<(String, Source<'w>)>;

/// The name of the Secret, in the policy's namespace whatever `secretRef.namespace` says, and the
/// field that decides it.
fn secret_name<'w>(
    policy: &'w Object,
    part: &Field<'w>,
    kind: &str,
) -> Result<SecretName<'w>, AuthError<'w>> {
    let direct = |holder: Field<'w>| {
        let reference = holder.get("secretRef");
        if !reference.is_set() {
            return Err(AuthError::Panic(holder.source()));
        }
        let name = reference.get("name");
        Ok(Some((name.str_or_empty().to_string(), name.source())))
    };
    // Rotated credentials are kept in a Secret named for the policy.
    let generated = |decides: Field<'w>| {
        Ok(Some((
            format!("ai-eg-bsp-{}", policy.name()),
            decides.source(),
        )))
    };
    if !part.is_set() && kind != "AzureCredentials" {
        return Err(AuthError::Panic(policy.spec().get("type").source()));
    }
    match kind {
        "AWSCredentials" => {
            let (file, oidc) = (part.get("credentialsFile"), part.get("oidcExchangeToken"));
            match (file.is_set(), oidc.is_set()) {
                (true, _) => direct(file),
                (false, true) => generated(oidc),
                (false, false) => Ok(None),
            }
        }
        "AzureCredentials" => generated(policy.metadata().get("name")),
        "GCPCredentials" => {
            let (file, wif) = (
                part.get("credentialsFile"),
                part.get("workloadIdentityFederationConfig"),
            );
            match (file.is_set(), wif.is_set()) {
                (true, _) => generated(file),
                (false, true) => generated(wif),
                (false, false) => Ok(None),
            }
        }
        _ => direct(part.clone()),
    }
}

fn credential_override<'w>(
    policy: &'w Object,
    shape: &Shape,
    auth: &Auth<'w>,
    because: &Because<'w>,
) -> Result<Option<CredentialOverride<'w>>, AuthError<'w>> {
    let field = policy.spec().get("credentialOverride");
    if !field.is_set() {
        return Ok(None);
    }
    let (headers, metadata) = (
        field.get("fromRequestHeaders"),
        field.get("fromDynamicMetadata"),
    );
    let made = if headers.is_set() {
        from_headers(&headers, shape, because)
    } else if metadata.is_set() {
        from_metadata(&metadata, shape, because)
    } else {
        let origin = Origin::new(Rule::Default, field.source(), because);
        CredentialOverride {
            header_name: None,
            metadata_namespace: None,
            metadata_key: None,
            fallback: Leaf {
                text: Text::Bool(false),
                origin,
            },
            input_headers_to_remove: Vec::new(),
        }
    };
    // Only application default credentials of GCP count as having no static credential.
    let has_static = shape.auth != "gcp" || auth.secret.is_some();
    if matches!(made.fallback.text, Text::Bool(true)) && !has_static {
        let cause = made
            .fallback
            .origin
            .source
            .clone()
            .unwrap_or_else(|| field.source());
        return Err(AuthError::Skip {
            reason: SkipReason::InvalidCredentialOverride,
            message: format!(
                "invalid credentialOverride for policy {}: credentialOverride with \
                 fallbackToConfigured=true requires a static credential to be configured",
                policy.name()
            ),
            cause,
            help: Some("set fallbackToConfigured: false, or configure a credential".into()),
        });
    }
    Ok(Some(made))
}

fn fallback<'w>(field: &Field<'w>, because: &Because<'w>) -> Leaf<'w> {
    let fallback = field.get("fallbackToConfigured");
    let rule = if fallback.is_set() {
        Rule::Field
    } else {
        Rule::Default
    };
    Leaf {
        text: Text::Bool(fallback.bool().unwrap_or(true)),
        origin: Origin::new(rule, fallback.source(), because),
    }
}

/// The configured text, or the default of the policy's type.
fn or_default<'w>(
    field: &Field<'w>,
    default: &'static str,
    because: &Because<'w>,
) -> (Cow<'w, str>, Origin<'w>) {
    match field.str_or_empty() {
        "" => (
            default.into(),
            Origin::new(Rule::Default, field.source(), because),
        ),
        text => (
            text.into(),
            Origin::new(Rule::Field, field.source(), because),
        ),
    }
}

fn from_headers<'w>(
    headers: &Field<'w>,
    shape: &Shape,
    because: &Because<'w>,
) -> CredentialOverride<'w> {
    let (name, origin) = or_default(&headers.get("header"), shape.header, because);
    let name = header_name(&name);
    // For AWS the name is the prefix of three headers.
    let suffixes: &[&str] = match shape.auth {
        "aws" => &["access-key-id", "secret-access-key", "session-token"],
        _ => &[""],
    };
    let remove = suffixes
        .iter()
        .map(|suffix| Leaf::plain(format!("{name}{suffix}"), origin.clone()));
    CredentialOverride {
        input_headers_to_remove: remove.collect(),
        header_name: Some(Leaf::plain(name.clone(), origin)),
        metadata_namespace: None,
        metadata_key: None,
        fallback: fallback(headers, because),
    }
}

fn from_metadata<'w>(
    metadata: &Field<'w>,
    shape: &Shape,
    because: &Because<'w>,
) -> CredentialOverride<'w> {
    let default = if shape.auth == "aws" {
        "x-aigw-aws-credentials"
    } else {
        shape.header
    };
    let (key, origin) = or_default(&metadata.get("key"), default, because);
    let namespace = metadata.get("namespace");
    let from = Origin::new(Rule::Field, namespace.source(), because);
    let present = |text: &str| !text.is_empty();
    CredentialOverride {
        header_name: None,
        metadata_namespace: Some(namespace.str_or_empty())
            .filter(|t| present(t))
            .map(|text| Leaf::plain(text, from)),
        metadata_key: Some(Leaf::plain(key, origin)),
        fallback: fallback(metadata, because),
        input_headers_to_remove: Vec::new(),
    }
}

impl<'w> Builder<'w, '_> {
    /// A key of a Secret in the policy's namespace, as a leaf.
    fn credential(
        &mut self,
        policy: &'w Object,
        name: &str,
        key: &'static str,
        cause: &Source<'w>,
        because: &Because<'w>,
    ) -> Result<Leaf<'w>, AuthError<'w>> {
        let namespace = policy.namespace();
        let Some(secret) = self.cache().get(Kind::Secret, namespace, name) else {
            return self.missing_secret(namespace, name, key, cause, because);
        };
        match super::secret_data::value(secret, key) {
            Some((bytes, source)) => Ok(Leaf {
                text: Text::Credential(Secret::new(bytes)),
                origin: Origin::new(Rule::SecretKey, source, because),
            }),
            None => {
                let message = format!("secret {name} does not contain key {key}");
                Err(AuthError::Skip {
                    reason: SkipReason::SecretKeyMissing,
                    message: self.secret_error(name, message),
                    cause: secret.field().get("data").source(),
                    help: super::secret_data::nearest_key(secret, key),
                })
            }
        }
    }

    fn missing_secret(
        &mut self,
        namespace: &str,
        name: &str,
        key: &'static str,
        cause: &Source<'w>,
        because: &Because<'w>,
    ) -> Result<Leaf<'w>, AuthError<'w>> {
        if self.assume_secret(namespace, name, cause) {
            return Ok(Leaf {
                text: Text::Missing(SecretKeyRef {
                    namespace: namespace.to_string(),
                    name: name.to_string(),
                    key,
                }),
                origin: Origin::new(Rule::SecretKey, cause.clone(), because),
            });
        }
        let message = format!("failed to get secret {name}: secrets \"{name}\" not found");
        Err(AuthError::Skip {
            reason: SkipReason::SecretNotFound,
            message: self.secret_error(name, message),
            cause: cause.clone(),
            help: Some(format!("the Secret is looked for in namespace {namespace}")),
        })
    }

    /// v1.0.0 wraps the error of the read a second time.
    fn secret_error(&self, name: &str, message: String) -> String {
        if self.profile().doubles_secret_error {
            format!("failed to get secret {name}: {message}")
        } else {
            message
        }
    }
}
