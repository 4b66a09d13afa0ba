//! The MCP part of the document.

use std::collections::HashMap;

use super::build::Builder;
use super::config::{
    Authorization, AuthorizationRule, Claim, JwtSource, Leaf, McpBackend, McpConfig, McpRoute,
};
use super::origin::{Because, Origin, Rule};
use super::skip::{Skip, SkipReason};
use super::time::to_utc;
use crate::cel::Environment;
use crate::secret::Reveal;
use crate::world::field::Field;
use crate::world::finding::{Finding, Severity};
use crate::world::object::Object;

const LISTENER: &str = "http://127.0.0.1:10088";

/// Adds the MCP part. Gives whether any attached MCPRoute is live.
pub fn add<'w>(builder: &mut Builder<'w, '_>, routes: &[&'w Object]) -> bool {
    let Some(first) = routes.first() else {
        return false;
    };
    let parents = routes
        .iter()
        .flat_map(|r| r.spec().get("parentRefs").items());
    let because = Because::nothing().and(parents.map(|p| p.get("name").source()));
    let listener = Origin::new(Rule::Fixed, first.field().source(), &because);
    let mut mcp = McpConfig {
        backend_listener_addr: Leaf::plain(LISTENER, listener),
        routes: Vec::new(),
    };
    for route in in_priority_order(builder, routes) {
        if route.is_being_deleted() {
            builder.skipped.push(being_deleted(route));
        } else {
            mcp.routes.push(mcp_route(builder, route));
        }
    }
    let live = !mcp.routes.is_empty();
    builder.config.mcp = Some(mcp);
    live
}

/// A route that is being deleted gives nothing any more.
pub fn being_deleted(route: &Object) -> Skip<'_> {
    Skip {
        source: route.metadata().get("deletionTimestamp").source(),
        reason: SkipReason::RouteBeingDeleted,
        message: None,
        text: format!("{} is being deleted", route.id()),
        causes: Vec::new(),
        help: None,
    }
}

/// A route that the controller never sees. It says nothing about it.
pub fn not_watched<'w>(route: &'w Object, help: Option<String>) -> Skip<'w> {
    Skip {
        source: route.metadata().get("namespace").source(),
        reason: SkipReason::RouteNotWatched,
        message: None,
        text: format!(
            "{} is in a namespace that the controller does not watch",
            route.id()
        ),
        causes: Vec::new(),
        help,
    }
}

/// Oldest first; the proxy tries them in this order. Routes of the same second, or without a
/// creationTimestamp, come in an order that only the cluster knows: ours is by name.
fn in_priority_order<'w>(builder: &mut Builder<'w, '_>, routes: &[&'w Object]) -> Vec<&'w Object> {
    let created = |route: &Object| {
        let text = route.metadata().get("creationTimestamp").str_or_empty();
        to_utc(text).map(|t| t[..19].to_string())
    };
    let mut order: Vec<_> = routes.iter().map(|r| (created(r), *r)).collect();
    order.sort_by(|a, b| a.0.cmp(&b.0));
    for pair in order.windows(2) {
        let [(a, first), (b, second)] = pair else {
            continue;
        };
        if a == b || a.is_none() {
            let text = format!(
                "the order of {} and {} cannot be told: {}",
                first.id(),
                second.id(),
                if a.is_some() {
                    "they were created in the same second"
                } else {
                    "creation times are not known"
                },
            );
            builder
                .findings
                .push(Finding::new("mcp-order-unknown", Severity::Info, text).about(second));
        }
    }
    order.into_iter().map(|(_, route)| route).collect()
}

fn leaf<'w>(field: &Field<'w>, because: &Because<'w>) -> Leaf<'w> {
    Leaf::plain(
        field.str_or_empty(),
        Origin::new(Rule::Field, field.source(), because),
    )
}

fn leaf_or<'w>(field: &Field<'w>, default: &'static str, because: &Because<'w>) -> Leaf<'w> {
    match field.is_set() {
        true => leaf(field, because),
        false => Leaf::plain(default, Origin::new(Rule::Default, field.source(), because)),
    }
}

fn leaves<'w>(list: &Field<'w>, because: &Because<'w>) -> Vec<Leaf<'w>> {
    list.items().map(|item| leaf(&item, because)).collect()
}

fn mcp_route<'w>(builder: &mut Builder<'w, '_>, route: &'w Object) -> McpRoute<'w> {
    let because = builder.because_attached(route);
    let spec = route.spec();
    let name = format!("{}/{}", route.namespace(), route.name());
    let origin = Origin::new(
        Rule::Composed,
        route.metadata().get("name").source(),
        &because,
    );
    let security = spec.get("securityPolicy");
    let rules = security.get("authorization");
    let selector = spec.get("backendSelector");
    let has_selector = builder.profile().has_backend_selector && selector.is_set();
    McpRoute {
        name: Leaf::plain(name, origin),
        backends: spec
            .get("backendRefs")
            .items()
            .map(|b| backend(builder, &b, &because))
            .collect(),
        authorization: rules.is_set().then(|| {
            let mut made = authorization(builder, &rules, Environment::McpAuthorization, &because);
            made.resource_metadata_url = resource_metadata_url(&security.get("oauth"), &because);
            made
        }),
        backend_selector: has_selector.then(|| {
            authorization(
                builder,
                &selector,
                Environment::McpBackendSelector,
                &because,
            )
        }),
        forward_headers: forward_headers(builder, &security, &because),
    }
}

fn backend<'w>(
    builder: &mut Builder<'w, '_>,
    field: &Field<'w>,
    because: &Because<'w>,
) -> McpBackend<'w> {
    let name = field.get("name");
    let because = because.and([name.source()]);
    let selector = field.get("toolSelector");
    let lists = ["exclude", "excludeRegex", "include", "includeRegex"];
    for pattern in ["excludeRegex", "includeRegex"] {
        for item in selector.get(pattern).items() {
            builder.check_regex(&item);
        }
    }
    let forwards = field.get("forwardHeaders").items().map(|header| {
        let renamed = header.get("backendHeader");
        let given = !renamed.str_or_empty().is_empty();
        (
            leaf(&header.get("name"), &because),
            given.then(|| leaf(&renamed, &because)),
        )
    });
    McpBackend {
        name: leaf(&name, &because),
        forward_headers: forwards.collect(),
        tool_selector: selector.is_set().then(|| {
            lists
                .map(|key| (key, leaves(&selector.get(key), &because)))
                .into()
        }),
    }
}

fn authorization<'w>(
    builder: &mut Builder<'w, '_>,
    field: &Field<'w>,
    environment: Environment,
    because: &Because<'w>,
) -> Authorization<'w> {
    let rules = field.get("rules").items().map(|rule| {
        let cel = rule.get("cel");
        if cel.is_set() {
            builder.check_mcp_cel(environment, &cel);
        }
        let of_authorization = environment == Environment::McpAuthorization;
        AuthorizationRule {
            action: leaf_or(&rule.get("action"), "Allow", because),
            cel: cel.is_set().then(|| leaf(&cel, because)),
            source: of_authorization
                .then(|| jwt_source(&rule, because))
                .flatten(),
            target: of_authorization.then(|| target(&rule, because)).flatten(),
        }
    });
    Authorization {
        rules: rules.collect(),
        default_action: leaf_or(&field.get("defaultAction"), "Deny", because),
        resource_metadata_url: None,
    }
}

fn jwt_source<'w>(rule: &Field<'w>, because: &Because<'w>) -> Option<JwtSource<'w>> {
    let source = rule.get("source");
    let jwt = source.get("jwt");
    let claims = jwt.get("claims").items().map(|claim| Claim {
        name: leaf(&claim.get("name"), because),
        value_type: leaf_or(&claim.get("valueType"), "String", because),
        values: leaves(&claim.get("values"), because),
    });
    source.is_set().then(|| JwtSource {
        scopes: leaves(&jwt.get("scopes"), because),
        claims: claims.collect(),
    })
}

fn target<'w>(rule: &Field<'w>, because: &Because<'w>) -> Option<Vec<(Leaf<'w>, Leaf<'w>)>> {
    let target = rule.get("target");
    let tools = target.get("tools").items().map(|tool| {
        (
            leaf(&tool.get("backend"), because),
            leaf(&tool.get("tool"), because),
        )
    });
    target.is_set().then(|| tools.collect())
}

/// Where the metadata of the protected resource is served: the well-known path goes between the
/// host and the path of the resource.
fn resource_metadata_url<'w>(oauth: &Field<'w>, because: &Because<'w>) -> Option<Leaf<'w>> {
    if !oauth.is_set() {
        return None;
    }
    let field = oauth.get("protectedResourceMetadata").get("resource");
    let resource = field.str_or_empty();
    let resource = resource.strip_suffix('/').unwrap_or(resource);
    let scheme = ["http://", "https://"]
        .iter()
        .find(|s| resource.starts_with(**s));
    let skip = scheme.map_or(0, |s| s.len());
    let split = resource[skip..]
        .find('/')
        .map_or(resource.len(), |at| skip + at);
    let (base, path) = resource.split_at(split);
    let url = format!("{base}/.well-known/oauth-protected-resource{path}");
    Some(Leaf::plain(
        url,
        Origin::new(Rule::Composed, field.source(), because),
    ))
}

fn forward_headers<'w>(
    builder: &Builder<'w, '_>,
    security: &Field<'w>,
    because: &Because<'w>,
) -> Vec<Leaf<'w>> {
    let claims = security.get("oauth").get("claimToHeaders").items();
    let mut headers: Vec<Leaf<'w>> = claims
        .map(|claim| leaf(&claim.get("header"), because))
        .collect();
    if builder.profile().dedupes_forward_headers {
        let client_id = security.get("apiKeyAuth").get("forwardClientIDHeader");
        if !client_id.str_or_empty().is_empty() {
            headers.push(leaf(&client_id, because));
        }
        headers = deduped(headers);
    }
    headers
}

/// The first of equal headers stays.
fn deduped(headers: Vec<Leaf<'_>>) -> Vec<Leaf<'_>> {
    let mut slots = HashMap::<String, usize>::new();
    let mut kept: Vec<Leaf<'_>> = Vec::new();
    for header in headers {
        let text = header.shown(Reveal::default()).into_owned();
        match slots.get(&text) {
            Some(&slot) => kept[slot].origin.overrode.extend(header.overridden()),
            None => {
                slots.insert(text, kept.len());
                kept.push(header);
            }
        }
    }
    kept
}
