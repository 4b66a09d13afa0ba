//! Builds the document of one Gateway.
//!
//! Answers for the part of the Gateway reconcile between "which routes are attached" and "write the
//! Secret": global costs, then route by route models, backends and costs, then the MCP part.

use std::collections::HashMap;
use std::rc::Rc;

use super::cache::Cache;
use super::config::{Config, Leaf};
use super::models::Models;
use super::options::{MissingSecrets, Options};
use super::origin::{Because, Origin};
use super::skip::{Skip, SkipReason};
use super::{backends, costs, mcp};
use crate::cel::{self, Environment, Refusal};
use crate::controllers::profile::Profile;
use crate::world::build::parent_gateway;
use crate::world::field::{Field, Source};
use crate::world::finding::{Finding, Severity};
use crate::world::kind::Kind;
use crate::world::object::Object;
use crate::world::{NamespacedName, World};

/// The annotation that names a Gateway's GatewayConfig.
const GATEWAY_CONFIG: &str = "aigateway.envoyproxy.io/gateway-config";

/// A hard error: the reconcile stops, nothing is written, and it is tried again for ever.
#[derive(Debug, Clone)]
pub struct Halt<'w> {
    /// The controller's error.
    pub message: String,
    /// What caused it.
    pub source: Option<Source<'w>>,
    /// What to do.
    pub help: Option<String>,
}

/// What building a document gives.
#[derive(Debug)]
pub struct Built<'w> {
    /// The document.
    pub config: Config<'w>,
    /// Whether some attached route is live, usable or not.
    pub has_effective_route: bool,
}

/// A document under construction.
pub struct Builder<'w, 'o> {
    world: &'w World,
    cache: Cache<'w>,
    options: &'o Options<'w>,
    gateway: NamespacedName,
    expressions: &'o mut Expressions,
    /// Costs that the controller refuses are left out instead.
    pub(super) lenient: bool,
    pub(super) config: Config<'w>,
    pub(super) skipped: Vec<Skip<'w>>,
    pub(super) findings: Vec<Finding>,
}

/// Verdicts on expressions by text, since one price formula is often used by many routes.
pub type Expressions = HashMap<(Environment, String), Rc<Result<cel::Accepted, Refusal>>>;

impl<'w, 'o> Builder<'w, 'o> {
    /// An empty document for a Gateway.
    pub fn new(
        world: &'w World,
        options: &'o Options<'w>,
        gateway: &NamespacedName,
        expressions: &'o mut Expressions,
    ) -> Self {
        let option = |text: &str| Leaf::plain(text.to_string(), Origin::option());
        let config = Config {
            version: option(&options.version.version),
            uuid: option(&options.uuid),
            global_costs: Vec::new(),
            costs: Vec::new(),
            backends: Vec::new(),
            models: Vec::new(),
            models_by_host: Vec::new(),
            unscoped_models: Vec::new(),
            mcp: None,
        };
        Builder {
            world,
            cache: Cache::new(world, options),
            options,
            gateway: gateway.clone(),
            expressions,
            lenient: false,
            config,
            skipped: Vec::new(),
            findings: Vec::new(),
        }
    }

    /// Builds it.
    ///
    /// # Errors
    /// The controller's hard error. What was skipped until then stays in the builder.
    pub fn build(&mut self, config: Option<&'w Object>) -> Result<bool, Halt<'w>> {
        if let Some(config) = config {
            costs::add_global(self, config)?;
        }
        let mut live = false;
        let mut models = Models::default();
        let (routes, unseen) = self.cache.routes_of(&self.gateway);
        self.skip_unseen(&unseen);
        for route in routes {
            if route.is_being_deleted() {
                self.skipped.push(mcp::being_deleted(route));
            } else {
                live = true;
                self.add_route(route, &mut models)?;
            }
        }
        models.finish(&mut self.config);
        let (routes, unseen) = self.cache.mcp_routes_of(&self.gateway);
        self.skip_unseen(&unseen);
        Ok(mcp::add(self, &routes) || live)
    }

    fn skip_unseen(&mut self, routes: &[&'w Object]) {
        let cache = &self.cache;
        let skips = routes
            .iter()
            .map(|route| mcp::not_watched(route, cache.remedy(route.namespace())));
        self.skipped.extend(skips);
    }

    fn add_route(&mut self, route: &'w Object, models: &mut Models<'w>) -> Result<(), Halt<'w>> {
        let because = self.because_attached(route);
        let mut survived = Vec::new();
        for (index, rule) in route.spec().get("rules").items().enumerate() {
            models.add_rule(&mut self.config, &mut self.skipped, &rule, &because);
            survived.extend(backends::add_rule(self, &rule, index, &because)?);
        }
        if survived.is_empty() {
            self.skip_costs(route);
            return Ok(());
        }
        costs::add_route(self, route, &because.and(survived))
    }

    /// A route none of whose backends is usable loses its costs too, valid or not.
    fn skip_costs(&mut self, route: &'w Object) {
        let costs = route.spec().get("llmRequestCosts");
        if costs.items().next().is_some() {
            self.skipped.push(Skip {
                source: costs.source(),
                reason: SkipReason::CostsWithoutBackend,
                message: None,
                text: format!(
                    "no backend of {} is usable, so its costs are left out",
                    route.id()
                ),
                causes: Vec::new(),
                help: None,
            });
        }
    }

    /// The parentRefs that attach a route to this Gateway, and the route's own name.
    pub(super) fn because_attached(&self, route: &'w Object) -> Because<'w> {
        let parents = route.spec().get("parentRefs").items();
        let ours = parents.filter(|p| parent_gateway(p) == self.gateway);
        let mut sources = vec![route.metadata().get("name").source()];
        sources.push(route.metadata().get("namespace").source());
        for parent in ours {
            sources.push(parent.get("name").source());
            if parent.get("namespace").is_set() {
                sources.push(parent.get("namespace").source());
            }
        }
        Because::nothing().and(sources)
    }

    pub(super) fn profile(&self) -> &'static Profile {
        self.options.profile()
    }

    pub(super) fn cache(&self) -> &Cache<'w> {
        &self.cache
    }

    fn verdict(
        &mut self,
        environment: Environment,
        text: &str,
    ) -> Rc<Result<cel::Accepted, Refusal>> {
        let key = (environment, text.to_string());
        let check = || Rc::new(cel::check(environment, text));
        self.expressions.entry(key).or_insert_with(check).clone()
    }

    /// Whether the controller accepts an expression.
    pub(super) fn check_cel(
        &mut self,
        environment: Environment,
        field: &Field<'w>,
    ) -> Result<(), Refusal> {
        match &*self.verdict(environment, field.str_or_empty()) {
            Ok(accepted) => {
                let warnings = accepted.warnings.iter();
                self.findings
                    .extend(warnings.map(|w| unseen_by_trial(w, field)));
                Ok(())
            }
            Err(refusal) => Err(refusal.clone()),
        }
    }

    /// The controller does not look at MCP expressions; the sidecar refuses the whole document for
    /// a bad one.
    pub(super) fn check_mcp_cel(&mut self, environment: Environment, field: &Field<'w>) {
        if let Err(refusal) = &*self.verdict(environment, field.str_or_empty()) {
            let text = format!(
                "the sidecar refuses the whole document: {}",
                refusal.message
            );
            let mut finding =
                Finding::new("sidecar-refuses", Severity::Error, text).at_field(&field.source());
            finding.help = refusal.help.clone();
            self.findings.push(finding);
        }
    }

    /// The same for the regular expressions of tool selectors.
    pub(super) fn check_regex(&mut self, field: &Field<'w>) {
        if let Err(problem) = cel::check_re2(field.str_or_empty()) {
            let text = format!("the sidecar refuses the whole document: {problem}");
            self.findings.push(
                Finding::new("sidecar-refuses", Severity::Error, text).at_field(&field.source()),
            );
        }
    }

    /// Whether a Secret that is not in the input is taken as existing. Stated once a Secret.
    pub(super) fn assume_secret(
        &mut self,
        namespace: &str,
        name: &str,
        cause: &Source<'w>,
    ) -> bool {
        let unread = self.world.coverage.is_unread(Kind::Secret, namespace, name);
        let (severity, code) = match self.options.missing_secrets {
            _ if unread => (Severity::Info, "assumed-secret"),
            MissingSecrets::Skip => return false,
            MissingSecrets::Placeholder => (Severity::Info, "assumed-secret"),
            MissingSecrets::Fail => (Severity::Error, "missing-secret"),
        };
        let text = match severity {
            Severity::Info if unread => {
                format!("Secret {namespace}/{name} was not read; assumed")
            }
            Severity::Info => format!("Secret {namespace}/{name} is not in the input; assumed"),
            _ => format!("Secret {namespace}/{name} is not in the input"),
        };
        if !self
            .findings
            .iter()
            .any(|f| f.code == code && f.message == text)
        {
            self.findings
                .push(Finding::new(code, severity, text).at_field(cause));
        }
        true
    }
}

/// What can go wrong with an accepted cost once there are real token counts.
fn unseen_by_trial(warning: &cel::Warning, field: &Field<'_>) -> Finding {
    Finding::new(warning.concern.id(), Severity::Warning, &*warning.message)
        .at_field(&field.source())
}

/// The GatewayConfig that a Gateway's annotation names, in the Gateway's namespace.
pub fn gateway_config<'w>(world: &'w World, gateway: Option<&'w Object>) -> Option<&'w Object> {
    let gateway = gateway?;
    let name = gateway.metadata().get("annotations").get(GATEWAY_CONFIG);
    world.get(
        Kind::GatewayConfig,
        gateway.namespace(),
        name.str_or_empty(),
    )
}

/// What a pass builds until it ends, be it with an error: the backends of the routes before the one
/// that stops it, and of that one.
pub fn until_halt<'w>(
    world: &'w World,
    options: &Options<'w>,
    gateway: &NamespacedName,
    config: Option<&'w Object>,
) -> Config<'w> {
    let mut expressions = Expressions::new();
    let mut builder = Builder::new(world, options, gateway, &mut expressions);
    // The error is what the caller knows already.
    let _ = builder.build(config);
    builder.config
}

/// What the objects of a Gateway give, wherever a pass would end.
#[derive(Debug)]
pub struct Survey<'w> {
    /// What is left out, also behind the error.
    pub skipped: Vec<Skip<'w>>,
    /// The error with which a pass would end.
    pub halt: Option<Halt<'w>>,
    /// Whether everything was looked at.
    pub whole: bool,
}

/// Looks at everything that makes the document of a Gateway, although no pass gets that far.
pub fn survey<'w>(
    world: &'w World,
    options: &Options<'w>,
    gateway: &NamespacedName,
    config: Option<&'w Object>,
) -> Survey<'w> {
    let mut expressions = Expressions::new();
    let halt = Builder::new(world, options, gateway, &mut expressions).build(config);
    let mut builder = Builder::new(world, options, gateway, &mut expressions);
    builder.lenient = true;
    let whole = builder.build(config).is_ok();
    Survey {
        skipped: builder.skipped,
        halt: halt.err(),
        whole,
    }
}
