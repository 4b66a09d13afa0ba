//! Request costs: global ones, those of a route, and those of QuotaPolicies.

use std::collections::{BTreeMap, HashSet};

use super::build::{Builder, Halt};
use super::config::{Cost, Leaf};
use super::origin::{Because, Origin, Rule};
use super::skip::{Skip, SkipReason};
use crate::cel::{Environment, Refusal};
use crate::world::field::{Field, Source};
use crate::world::object::Object;

/// Global costs of the GatewayConfig, in list order.
///
/// # Errors
/// The first cost that the controller refuses, which freezes the whole Gateway.
pub fn add_global<'w>(builder: &mut Builder<'w, '_>, config: &'w Object) -> Result<(), Halt<'w>> {
    for field in config.spec().get("globalLLMRequestCosts").items() {
        let cost = convert_or_leave_out(builder, &field, Rule::Field, &Because::nothing())
            .map_err(|e| e.halt("failed to convert global LLMRequestCosts".into()))?;
        builder.config.global_costs.extend(cost);
    }
    Ok(())
}

/// Costs of a route that kept a backend: those of QuotaPolicies first, then its own.
///
/// # Errors
/// The first own cost that the controller refuses.
pub fn add_route<'w>(
    builder: &mut Builder<'w, '_>,
    route: &'w Object,
    because: &Because<'w>,
) -> Result<(), Halt<'w>> {
    let own = own_costs(builder, route, because)?;
    let quota = quota_costs(builder, route, because);
    builder.config.costs.extend(quota);
    builder.config.costs.extend(own);
    Ok(())
}

/// All entries are checked before the later of two with one key wins, so a bad one that would be
/// overridden still counts. The controller keeps no order; ours is by key.
fn own_costs<'w>(
    builder: &mut Builder<'w, '_>,
    route: &'w Object,
    because: &Because<'w>,
) -> Result<Vec<Cost<'w>>, Halt<'w>> {
    let mut by_key = BTreeMap::<&str, Cost<'w>>::new();
    for field in route.spec().get("llmRequestCosts").items() {
        let cost = convert_or_leave_out(builder, &field, Rule::LastCost, because).map_err(|e| {
            e.halt(format!(
                "failed to convert LLMRequestCosts for route {}",
                route.name()
            ))
        })?;
        let Some(mut cost) = cost else { continue };
        let because = because.and([field.get("metadataKey").source()]);
        cost.route_name = Some(route_name(route, &because));
        let key = field.get("metadataKey").str_or_empty();
        if let Some(old) = by_key.remove(key) {
            overrides(&mut cost, old);
        }
        by_key.insert(key, cost);
    }
    Ok(by_key.into_values().collect())
}

/// Every value of the cost that wins remembers the one it replaced.
fn overrides<'w>(cost: &mut Cost<'w>, old: Cost<'w>) {
    let pairs = [
        (Some(&mut cost.metadata_key), Some(old.metadata_key)),
        (Some(&mut cost.kind), Some(old.kind)),
        (cost.cel.as_mut(), old.cel),
        (cost.route_name.as_mut(), old.route_name),
    ];
    let mut homeless = Vec::new();
    for (new, old) in pairs {
        let Some(old) = old else { continue };
        match new {
            Some(new) => new.origin.overrode = old.overridden(),
            None => homeless = old.overridden(),
        }
    }
    cost.metadata_key.origin.overrode.extend(homeless);
}

fn route_name<'w>(route: &'w Object, because: &Because<'w>) -> Leaf<'w> {
    let text = format!("{}/{}", route.namespace(), route.name());
    let source = route.metadata().get("name").source();
    Leaf::plain(text, Origin::new(Rule::Composed, source, because))
}

/// Why a cost is refused.
enum CostError<'w> {
    Missing(Source<'w>),
    Invalid(Source<'w>, Refusal),
}

impl<'w> CostError<'w> {
    fn halt(self, prefix: String) -> Halt<'w> {
        match self {
            CostError::Missing(source) => Halt {
                message: format!("{prefix}: missing CEL expression"),
                source: Some(source),
                help: Some("a cost of type CEL needs the field cel".into()),
            },
            CostError::Invalid(source, refusal) => Halt {
                message: format!("{prefix}: invalid CEL expression: {}", refusal.message),
                source: Some(source),
                help: refusal.help,
            },
        }
    }
}

/// `None` for a cost that is refused, where those are to be left out.
fn convert_or_leave_out<'w>(
    builder: &mut Builder<'w, '_>,
    field: &Field<'w>,
    rule: Rule,
    because: &Because<'w>,
) -> Result<Option<Cost<'w>>, CostError<'w>> {
    match convert(builder, field, rule, because) {
        Err(_) if builder.lenient => Ok(None),
        converted => converted.map(Some),
    }
}

fn convert<'w>(
    builder: &mut Builder<'w, '_>,
    field: &Field<'w>,
    rule: Rule,
    because: &Because<'w>,
) -> Result<Cost<'w>, CostError<'w>> {
    let (key, kind, cel) = (
        field.get("metadataKey"),
        field.get("type"),
        field.get("cel"),
    );
    let because = because.and([key.source(), kind.source()]);
    let leaf =
        |f: &Field<'w>| Leaf::plain(f.str_or_empty(), Origin::new(rule, f.source(), &because));
    let mut cost = Cost {
        metadata_key: leaf(&key),
        kind: leaf(&kind),
        cel: None,
        route_name: None,
        backend: None,
        model: None,
    };
    // An expression beside another type is dropped unread.
    if kind.str_or_empty() == "CEL" {
        let text = cel
            .str()
            .ok_or_else(|| CostError::Missing(field.source()))?;
        builder
            .check_cel(Environment::Cost, &cel)
            .map_err(|refusal| CostError::Invalid(cel.source(), refusal))?;
        // Go leaves out an empty expression; one is refused before it gets here.
        cost.cel = (!text.is_empty()).then(|| leaf(&cel));
    }
    Ok(cost)
}

/// Quota costs for the backends of a route: policies of the route's namespace with a targetRef that
/// is named like any of its backendRefs, whatever kind or namespace that ref has.
fn quota_costs<'w>(
    builder: &mut Builder<'w, '_>,
    route: &'w Object,
    because: &Because<'w>,
) -> Vec<Cost<'w>> {
    let refs = route
        .spec()
        .get("rules")
        .items()
        .flat_map(|r| r.get("backendRefs").items());
    let refs: Vec<Field<'w>> = refs.collect();
    let mut overrides = BTreeMap::<&str, Vec<Source<'w>>>::new();
    for name in refs.iter().map(|r| r.get("modelNameOverride")) {
        if !name.str_or_empty().is_empty() {
            overrides
                .entry(name.str_or_empty())
                .or_default()
                .push(name.source());
        }
    }
    let mut by_name = BTreeMap::<&str, Vec<&Field<'w>>>::new();
    for reference in &refs {
        by_name
            .entry(reference.get("name").str_or_empty())
            .or_default()
            .push(reference);
    }
    let mut costs = Vec::new();
    let mut seen = HashSet::new();
    for policy in builder.cache().quotas_in(route.namespace()) {
        let matched = matched_refs(policy, &by_name);
        if matched.is_empty() {
            continue;
        }
        let because = because.and(matched);
        for quota in policy.spec().get("perModelQuotas").items() {
            let model = quota.get("modelName");
            let Some(name) = model.str() else { continue };
            let allowed = overrides.get(name);
            if !overrides.is_empty() && allowed.is_none() {
                continue;
            }
            let allowed = allowed.into_iter().flatten().cloned();
            let because = because.and(allowed.chain([model.source()]));
            let Some(cel) = quota_expression(builder, policy, &quota, &because) else {
                continue;
            };
            for target in policy.spec().get("targetRefs").items() {
                if seen.insert((name, target.get("name").str_or_empty())) {
                    costs.push(quota_cost(route, &quota, &target, cel.clone(), &because));
                }
            }
        }
    }
    costs
}

fn matched_refs<'w>(policy: &'w Object, refs: &BTreeMap<&str, Vec<&Field<'w>>>) -> Vec<Source<'w>> {
    let mut matched = Vec::new();
    for target in policy.spec().get("targetRefs").items() {
        let name = target.get("name");
        if let Some(found) = refs.get(name.str_or_empty()) {
            matched.push(name.source());
            matched.extend(found.iter().map(|r| r.get("name").source()));
        }
    }
    matched
}

fn quota_expression<'w>(
    builder: &mut Builder<'w, '_>,
    policy: &'w Object,
    quota: &Field<'w>,
    because: &Because<'w>,
) -> Option<Leaf<'w>> {
    let field = quota.get("quota").get("costExpression");
    let Some(text) = field.str() else {
        let origin = Origin::new(Rule::Default, field.source(), because);
        return Some(Leaf::plain("total_tokens", origin));
    };
    match builder.check_cel(Environment::Cost, &field) {
        Ok(()) => Some(Leaf::plain(
            text,
            Origin::new(Rule::Field, field.source(), because),
        )),
        Err(refusal) => {
            builder.skipped.push(Skip {
                source: field.source(),
                reason: SkipReason::InvalidQuotaExpression,
                text: format!("the cost expression of {} is refused", policy.id()),
                message: Some(refusal.message),
                causes: Vec::new(),
                help: refusal.help,
            });
            None
        }
    }
}

fn quota_cost<'w>(
    route: &'w Object,
    quota: &Field<'w>,
    target: &Field<'w>,
    cel: Leaf<'w>,
    because: &Because<'w>,
) -> Cost<'w> {
    let (model, name) = (quota.get("modelName"), target.get("name"));
    let because = because.and([model.source(), name.source()]);
    let fixed = || Origin::new(Rule::Fixed, quota.source(), &because);
    let backend = format!("{}/{}", route.namespace(), name.str_or_empty());
    Cost {
        metadata_key: Leaf::plain("quota_cost", fixed()),
        kind: Leaf::plain("CEL", fixed()),
        cel: Some(cel),
        route_name: Some(route_name(route, &because)),
        backend: Some(Leaf::plain(
            backend,
            Origin::new(Rule::Quota, name.source(), &because),
        )),
        model: Some(Leaf::plain(
            model.str_or_empty(),
            Origin::new(Rule::Quota, model.source(), &because),
        )),
    }
}
