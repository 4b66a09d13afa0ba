//! The backends of a rule.

use super::auth::{AuthError, auth};
use super::build::{Builder, Halt};
use super::config::{Auth, Backend, Leaf, Mutation, Schema};
use super::mutations::{Target, merge};
use super::origin::{Because, Origin, Rule};
use super::skip::{Skip, SkipReason};
use crate::world::field::{Field, Source};
use crate::world::kind::Kind;
use crate::world::object::Object;

const POOL_GROUP: &str = "inference.networking.k8s.io";

/// A ref of a rule: what it points at and where.
struct Ref<'w> {
    field: Field<'w>,
    name: &'w str,
    namespace: &'w str,
    is_pool: bool,
}

impl<'w> Ref<'w> {
    fn new(field: Field<'w>) -> Self {
        let pool = field.get("group").str() == Some(POOL_GROUP)
            && field.get("kind").str() == Some("InferencePool");
        let namespace = match field.get("namespace").str_or_empty() {
            "" => field.object().namespace(),
            namespace => namespace,
        };
        Ref {
            name: field.get("name").str_or_empty(),
            namespace,
            is_pool: pool,
            field,
        }
    }

    fn because(&self, because: &Because<'w>) -> Because<'w> {
        let mut sources = vec![self.field.get("name").source()];
        for key in ["namespace", "group", "kind"] {
            let field = self.field.get(key);
            if field.is_set() {
                sources.push(field.source());
            }
        }
        because.and(sources)
    }
}

/// Why a backend is not in the document.
enum Lost<'w> {
    Skip(Box<Skip<'w>>),
    Halt(Box<Halt<'w>>),
}

impl<'w> From<Skip<'w>> for Lost<'w> {
    fn from(skip: Skip<'w>) -> Self {
        Lost::Skip(Box::new(skip))
    }
}

/// Adds the backends of one rule. Gives the places of the refs that survived.
///
/// # Errors
/// When the controller's reconcile fails.
pub fn add_rule<'w>(
    builder: &mut Builder<'w, '_>,
    rule: &Field<'w>,
    rule_index: usize,
    because: &Because<'w>,
) -> Result<Vec<Source<'w>>, Halt<'w>> {
    let mut survived = Vec::new();
    for (ref_index, field) in rule.get("backendRefs").items().enumerate() {
        let reference = Ref::new(field);
        match backend(builder, &reference, rule_index, ref_index, because) {
            Ok(backend) => {
                survived.push(reference.field.get("name").source());
                builder.config.backends.push(backend);
            }
            Err(Lost::Skip(skip)) => builder.skipped.push(*skip),
            Err(Lost::Halt(halt)) => return Err(*halt),
        }
    }
    Ok(survived)
}

fn backend<'w>(
    builder: &mut Builder<'w, '_>,
    reference: &Ref<'w>,
    rule_index: usize,
    ref_index: usize,
    because: &Because<'w>,
) -> Result<Backend<'w>, Lost<'w>> {
    let route = reference.field.object();
    let because = reference.because(because);
    // The first segment is the route's namespace, also for a backend of another one.
    let name = format!(
        "{}/{}/route/{}/rule/{rule_index}/ref/{ref_index}",
        route.namespace(),
        reference.name,
        route.name()
    );
    let origin = Origin::new(
        Rule::Composed,
        reference.field.get("name").source(),
        &because,
    );
    let mut backend = Backend {
        name: Leaf::plain(name, origin),
        model_name_override: model_name_override(&reference.field, &because),
        schema: pool_schema(reference, &because),
        auth: None,
        header_mutation: None,
        body_mutation: None,
    };
    if !reference.is_pool {
        let object = find_backend(builder, reference)?;
        backend.schema = schema(object, &because);
        let level = |key| (reference.field.get(key), object.spec().get(key));
        let (route, own) = level("headerMutation");
        backend.header_mutation = merge(&route, &own, Target::Headers, &because);
        let (route, own) = level("bodyMutation");
        backend.body_mutation = merge(&route, &own, Target::Body, &because);
    }
    backend.auth = policy_auth(builder, reference, &because)?;
    strip_override_headers(&mut backend);
    Ok(backend)
}

fn model_name_override<'w>(field: &Field<'w>, because: &Because<'w>) -> Leaf<'w> {
    let name = field.get("modelNameOverride");
    let rule = if name.is_set() {
        Rule::Field
    } else {
        Rule::Default
    };
    Leaf::plain(
        name.str_or_empty(),
        Origin::new(rule, name.source(), because),
    )
}

fn pool_schema<'w>(reference: &Ref<'w>, because: &Because<'w>) -> Schema<'w> {
    let origin = Origin::new(Rule::Fixed, reference.field.get("kind").source(), because);
    let leaf = |text| Leaf::plain(text, origin.clone());
    Schema {
        name: leaf("OpenAI"),
        version: Some(leaf("v1")),
        prefix: Some(leaf("v1")),
    }
}

fn schema<'w>(backend: &'w Object, because: &Because<'w>) -> Schema<'w> {
    let schema = backend.spec().get("schema");
    let (name, version, prefix) = (
        schema.get("name"),
        schema.get("version"),
        schema.get("prefix"),
    );
    let because = because.and([name.source()]);
    let field = |field: &Field<'w>| {
        let text = field.str_or_empty();
        let origin = Origin::new(Rule::Field, field.source(), &because);
        (!text.is_empty()).then(|| Leaf::plain(text, origin))
    };
    let has_prefix = matches!(name.str_or_empty(), "OpenAI" | "Anthropic");
    let default_prefix =
        || Leaf::plain("v1", Origin::new(Rule::Default, prefix.source(), &because));
    Schema {
        name: Leaf::plain(
            name.str_or_empty(),
            Origin::new(Rule::Field, name.source(), &because),
        ),
        version: field(&version).filter(|_| !has_prefix),
        prefix: has_prefix.then(|| field(&prefix).unwrap_or_else(default_prefix)),
    }
}

fn find_backend<'w>(
    builder: &Builder<'w, '_>,
    reference: &Ref<'w>,
) -> Result<&'w Object, Lost<'w>> {
    let found = builder
        .cache()
        .get(Kind::AIServiceBackend, reference.namespace, reference.name);
    found.ok_or_else(|| {
        let skip = Skip {
            source: reference.field.get("name").source(),
            reason: SkipReason::BackendNotFound,
            message: Some(format!(
                "aiservicebackends.aigateway.envoyproxy.io \"{}\" not found",
                reference.name
            )),
            text: format!(
                "there is no AIServiceBackend {}/{}",
                reference.namespace, reference.name
            ),
            causes: Vec::new(),
            help: builder.cache().remedy(reference.namespace),
        };
        skip.into()
    })
}

fn policy_auth<'w>(
    builder: &mut Builder<'w, '_>,
    reference: &Ref<'w>,
    because: &Because<'w>,
) -> Result<Option<Auth<'w>>, Lost<'w>> {
    let targets = matching_targets(builder, reference);
    let (policy, target) = match &targets[..] {
        [] => return Ok(None),
        [one] => one,
        many => return Err(multiple_policies(reference, many).into()),
    };
    let because = because.and([target.get("name").source()]);
    auth(builder, policy, &because)
        .map(Some)
        .map_err(|error| without_credential(reference, policy, error))
}

fn without_credential<'w>(
    reference: &Ref<'w>,
    policy: &'w Object,
    error: AuthError<'w>,
) -> Lost<'w> {
    match error {
        AuthError::Panic(source) => Lost::Halt(Box::new(Halt {
            message: "panic: runtime error: invalid memory address or nil pointer dereference \
                      [recovered]"
                .into(),
            source: Some(source),
            help: Some("the policy lacks the part that its type needs".into()),
        })),
        AuthError::Skip {
            reason,
            message,
            cause,
            help,
        } => Lost::from(Skip {
            source: reference.field.get("name").source(),
            reason,
            text: format!(
                "the credential of {} cannot be read: {message}",
                policy.id()
            ),
            message: Some(message),
            causes: vec![(cause, "the cause")],
            help,
        }),
    }
}

/// Each matching targetRef counts, also two of one policy.
fn matching_targets<'w>(
    builder: &Builder<'w, '_>,
    reference: &Ref<'w>,
) -> Vec<(&'w Object, Field<'w>)> {
    let (group, kind) = match reference.is_pool {
        true => (POOL_GROUP, "InferencePool"),
        false => ("aigateway.envoyproxy.io", "AIServiceBackend"),
    };
    let mut found = Vec::new();
    for policy in builder
        .cache()
        .policies_targeting(reference.namespace, reference.name)
    {
        for target in policy.spec().get("targetRefs").items() {
            let matches = target.get("name").str_or_empty() == reference.name
                && target.get("group").str_or_empty() == group
                && target.get("kind").str_or_empty() == kind;
            if matches {
                found.push((policy, target));
            }
        }
    }
    found
}

fn multiple_policies<'w>(reference: &Ref<'w>, many: &[(&'w Object, Field<'w>)]) -> Skip<'w> {
    let name = reference.name;
    let message = match reference.is_pool {
        true => format!(
            "multiple BackendSecurityPolicies found for inference pool {name} in namespace {}",
            reference.namespace
        ),
        false => format!("multiple BackendSecurityPolicies found for backend {name}"),
    };
    let causes = many
        .iter()
        .map(|(_, target)| (target.get("name").source(), "a targetRef"));
    Skip {
        source: reference.field.get("name").source(),
        reason: SkipReason::MultiplePolicies,
        text: format!(
            "{} targetRefs of BackendSecurityPolicies match {name}",
            many.len()
        ),
        message: Some(message),
        causes: causes.collect(),
        help: Some("leave exactly one targetRef to it".into()),
    }
}

/// Headers that carry the caller's own credential must not reach the backend.
fn strip_override_headers(backend: &mut Backend<'_>) {
    let source = backend
        .auth
        .as_ref()
        .and_then(|auth| auth.credential_override.as_ref());
    let Some(source) = source.filter(|s| !s.input_headers_to_remove.is_empty()) else {
        return;
    };
    let remove = source.input_headers_to_remove.clone();
    backend
        .header_mutation
        .get_or_insert_with(Mutation::default)
        .remove
        .extend(remove);
}
