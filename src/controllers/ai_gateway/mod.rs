//! The AI Gateway's Gateway controller: what it would write and do for each Gateway.
//!
//! [`reconcile`] is one pass of the controller over one Gateway: which routes are attached
//! ([`crate::world`]), where the workload is ([`discovery`]), the document ([`build`] and the modules
//! it calls), its text ([`document`]) and its Secrets ([`bundle`]).

pub mod auth;
pub mod backends;
pub mod build;
pub mod bundle;
pub mod cache;
pub mod config;
pub mod config_hash;
pub mod costs;
pub mod discovery;
pub mod document;
pub mod gateway_config;
pub mod mcp;
pub mod models;
pub mod mutations;
pub mod names;
pub mod needed;
pub mod options;
pub mod origin;
pub mod outcome;
pub mod part;
pub mod quantity;
pub mod rollout;
pub mod secret_data;
pub mod settings;
pub mod sidecar;
pub mod skip;
pub mod time;
pub mod unknown;
pub mod workload;

use std::collections::BTreeSet;

use build::{Builder, Expressions, Halt};
use bundle::{SECRET_BYTES, SecretWrite, stored_bytes};
use cache::Cache;
use config::Config;
use discovery::{Workloads, discover};
use names::Names;
use options::Options;
use outcome::{Outcome, Stored};
use unknown::Part;
use workload::WorkloadAnswer;

use crate::secret::{Reveal, Secret};
use crate::world::finding::{Finding, Severity};
use crate::world::kind::Kind;
use crate::world::{NamespacedName, World};

/// After how many seconds the controller looks again while it waits.
const REQUEUE_SECONDS: u32 = 5;

/// One pass over every Gateway, by namespace and name. Without `complete`, Gateways that routes
/// point at and that are not in the input are answered for too.
pub fn reconcile_all<'w>(world: &'w World, options: &Options<'w>) -> Vec<Outcome<'w>> {
    let mut expressions = Expressions::new();
    let gateways = gateways(world, options);
    gateways
        .iter()
        .map(|g| reconcile(world, options, g, &mut expressions))
        .collect()
}

/// The Gateways that are answered for.
pub fn gateways(world: &World, options: &Options<'_>) -> Vec<NamespacedName> {
    let (present, unread) = world.observe(|| world.all(Kind::Gateway));
    let mut all: BTreeSet<NamespacedName> = present
        .map(|g| (g.namespace().to_string(), g.name().to_string()))
        .collect();
    if !options.complete || !unread.is_empty() {
        all.extend(world.parent_gateways());
    }
    all.into_iter().collect()
}

/// One pass over one Gateway.
pub fn reconcile<'w>(
    world: &'w World,
    options: &Options<'w>,
    gateway: &NamespacedName,
    expressions: &mut Expressions,
) -> Outcome<'w> {
    let ((object, gateway_config, need_mcp), unread) = world.observe(|| {
        let object = world.get(Kind::Gateway, &gateway.0, &gateway.1);
        let need_mcp = world.mcp_routes_of(gateway).next().is_some();
        (object, build::gateway_config(world, object), need_mcp)
    });
    let mut outcome = Outcome {
        gateway: gateway.clone(),
        object,
        gateway_config,
        refusal: None,
        requeue_seconds: None,
        config: None,
        document_bytes: None,
        stored: None,
        skipped: Vec::new(),
        findings: Vec::new(),
        workloads: Workloads::default(),
        assumed_workload: false,
        has_effective_route: false,
        workload: WorkloadAnswer::default(),
        need_mcp,
        unknown: Vec::new(),
    };
    outcome.depends(Part::Config, &unread);
    outcome.depends(Part::Config, &options.version_unread);
    if object.is_none() {
        let text = format!("Gateway {} is not in the input; assumed", outcome.name());
        outcome
            .findings
            .push(Finding::new("assumed-gateway", Severity::Info, text));
    }
    let cache = Cache::new(world, options);
    if let Some(remedy) = cache.remedy(&gateway.0) {
        outcome.findings.push(not_watched(&outcome, remedy));
        outcome.gateway_config = None;
    } else if let Err(halt) = write(world, options, expressions, &mut outcome) {
        outcome.refusal = Some(halt);
    }
    let (workload, unread) = world.observe(|| workload::answer(world, options, &outcome));
    outcome.workload = workload;
    outcome.findings.append(&mut outcome.workload.findings);
    outcome.depends(Part::Rollout, &unread);
    if let Some(rollout) = &mut outcome.workload.rollout {
        outcome.findings.append(&mut rollout.findings);
        if rollout.waits {
            outcome.requeue_seconds = Some(REQUEUE_SECONDS);
        }
    }
    outcome.forget_guesses();
    outcome
}

/// The controller never reconciles the Gateway, and says so nowhere.
fn not_watched(outcome: &Outcome<'_>, remedy: String) -> Finding {
    let text = format!(
        "Gateway {} is never reconciled: the controller does not watch its namespace",
        outcome.name()
    );
    let finding = Finding::new("gateway-not-watched", Severity::Warning, text).help(remedy);
    match outcome.object {
        Some(object) => finding.about(object),
        None => finding,
    }
}

/// The document of a Gateway as it would be if the costs that the controller refuses were not there.
/// `None` when the reconcile is refused for another reason.
pub fn config_without_refused_costs<'w>(
    world: &'w World,
    options: &Options<'w>,
    gateway: &NamespacedName,
) -> Option<Config<'w>> {
    let object = world.get(Kind::Gateway, &gateway.0, &gateway.1);
    let mut expressions = Expressions::new();
    let mut builder = Builder::new(world, options, gateway, &mut expressions);
    builder.lenient = true;
    builder.build(build::gateway_config(world, object)).ok()?;
    let config = builder.config;
    config.to_yaml(Reveal::ALL).ok()?;
    Some(config)
}

/// Finds the workload, builds the document and plans its Secrets.
fn write<'w>(
    world: &'w World,
    options: &Options<'w>,
    expressions: &mut Expressions,
    outcome: &mut Outcome<'w>,
) -> Result<(), Halt<'w>> {
    let (namespace, unread) = world.observe(|| secret_namespace(world, options, outcome));
    outcome.depends(Part::Secrets, &unread);
    outcome.depends(Part::Rollout, &unread);
    // The document does not hang on where it goes.
    let namespace = match unread.is_empty() {
        true => namespace?,
        false => Some(String::new()),
    };
    let Some(namespace) = namespace else {
        outcome.requeue_seconds = Some(REQUEUE_SECONDS);
        return Ok(());
    };
    let mut builder = Builder::new(world, options, &outcome.gateway, expressions);
    let (built, unread) = world.observe(|| builder.build(outcome.gateway_config));
    outcome.skipped.append(&mut builder.skipped);
    outcome.findings.append(&mut builder.findings);
    let config = builder.config;
    outcome.depends(Part::Config, &unread);
    outcome.has_effective_route = built?;
    let halt = |message: String| Halt {
        message,
        source: None,
        help: None,
    };
    let text = config
        .to_yaml(Reveal::ALL)
        .map_err(|e| halt(format!("failed to marshal extproc config: {e}")))?;
    outcome.config = Some(config);
    let names = Names::of(&outcome.gateway.0, &outcome.gateway.1);
    let profile = options.profile();
    let bytes = match &world.recorded {
        Some(recorded) => recorded.config_bytes(&outcome.gateway, text.len()),
        None => text.len(),
    };
    outcome.document_bytes = Some(bytes);
    let plan = || bundle::plan(world, profile, &names, &namespace, bytes);
    let (writes, unread) = world.observe(plan);
    let mut writes = writes.map_err(halt)?;
    if !outcome.knows(Part::Secrets) {
        writes.clear();
    }
    outcome.depends(Part::Secrets, &unread);
    outcome.stored = Some(Stored {
        text: Secret::new(text),
        names,
        writes,
    });
    check_writes(outcome);
    Ok(())
}

/// Where the Secrets go; `None` when the controller waits for a workload.
fn secret_namespace<'w>(
    world: &'w World,
    options: &Options<'w>,
    outcome: &mut Outcome<'w>,
) -> Result<Option<String>, Halt<'w>> {
    let shared = options.settings.envoy_gateway_namespace();
    let found = discover(world, options.profile(), &outcome.gateway, shared);
    outcome.workloads = found.map_err(|message| Halt {
        message,
        source: None,
        help: None,
    })?;
    if let Some(namespace) = outcome.workloads.namespace {
        return Ok(Some(namespace.to_string()));
    }
    if options.standalone {
        return Ok(Some(String::new()));
    }
    if options.complete {
        return Ok(None);
    }
    let namespace = options.assume_namespace.as_deref().unwrap_or(shared);
    outcome.assumed_workload = true;
    let text = format!(
        "no workload of Gateway {} is in the input, so its rollout cannot be told; one current \
         workload in namespace {namespace} is assumed",
        outcome.name()
    );
    outcome
        .findings
        .push(Finding::new("assumed-workload", Severity::Info, text));
    Ok(Some(namespace.to_string()))
}

/// Secrets that the API server would refuse.
fn check_writes(outcome: &mut Outcome<'_>) {
    let Some(stored) = &outcome.stored else {
        return;
    };
    let bytes = outcome.bytes().unwrap_or_default();
    let own = |write: &SecretWrite<'_>| match write.content {
        bundle::Content::Document => bytes,
        bundle::Content::Index | bundle::Content::Part(_) => 0,
    };
    let refused = stored.writes.iter().filter_map(|write| {
        let name = format!("Secret {}/{}", write.namespace, write.name);
        if own(write) > 0 && stored_bytes(write, own(write)) > SECRET_BYTES {
            let text = format!(
                "{name} would have more than 1 MiB, which the API server refuses; the old content \
                 stays"
            );
            return Some(
                Finding::new("secret-too-large", Severity::Error, text)
                    .help("spread the routes over several Gateways, or run controller v1.1.0"),
            );
        }
        // The document's UUID is another one each time, so there is always something to change.
        let immutable = write
            .existing
            .map(|secret| secret.field().get("immutable"))?;
        (write.verb == bundle::Verb::Update && immutable.bool() == Some(true)).then(|| {
            let text = format!("{name} is immutable: the API server refuses to update it");
            Finding::new("secret-immutable", Severity::Error, text)
                .at_field(&immutable.source())
                .help("delete the Secret; the controller makes it again")
        })
    });
    let refused: Vec<Finding> = refused.collect();
    outcome.findings.extend(refused);
}
