//! The default output: what each Gateway gets, for people.
//!
//! Which rule a model or backend belongs to is read from the origins of the document's values.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Answer, workload};
use crate::controllers::ai_gateway::bundle::{BUNDLE_BYTES, SECRET_BYTES};
use crate::controllers::ai_gateway::config::{Auth, Backend, Config, Cost, Leaf, McpRoute};
use crate::controllers::ai_gateway::outcome::Outcome;
use crate::present::escape::escape;
use crate::present::finding;
use crate::present::noun::count;
use crate::present::style::Style;
use crate::secret::Reveal;
use crate::world::finding::{Finding, Severity};
use crate::world::path::Part;

/// Counts that end the output.
#[derive(Debug, Default)]
struct Totals {
    models: usize,
    backends: usize,
    refused: usize,
    waiting: usize,
    skipped: usize,
}

/// How to show the answer.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// Colours.
    pub style: Style,
    /// Findings of level info are shown too.
    pub verbose: bool,
    /// Everything that the webhook adds to a pod is shown.
    pub sidecar: bool,
}

/// The whole answer.
pub fn write(answer: &Answer<'_>, view: &View) -> String {
    let mut out = String::new();
    let mut totals = Totals::default();
    for outcome in answer.outcomes {
        gateway(&mut out, outcome, answer, view, &mut totals);
        out.push('\n');
    }
    let infos = findings(&mut out, answer, view.style, view.verbose);
    summary(&mut out, answer, &totals, infos);
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text)
        .expect("writing to a String cannot fail");
    out.push('\n');
}

fn gateway(
    out: &mut String,
    outcome: &Outcome<'_>,
    answer: &Answer<'_>,
    view: &View,
    totals: &mut Totals,
) {
    let style = view.style;
    let name = outcome.name();
    let assumed = if outcome.object.is_none() {
        " (assumed)"
    } else {
        ""
    };
    line(
        out,
        format_args!(
            "{}{assumed}",
            style.bold(&format!("Gateway {}", escape(&name)))
        ),
    );
    refusal(out, outcome, style);
    if outcome.refusal.is_some() {
        totals.refused += 1;
    } else if let Some(seconds) = outcome.requeue_seconds.filter(|_| outcome.stored.is_none()) {
        totals.waiting += 1;
        line(
            out,
            format_args!(
                "  waits: no pod, Deployment or DaemonSet carries its labels; looks again every \
                 {seconds} s, no Secret is written"
            ),
        );
    } else if outcome.config.is_none() && outcome.unknown.is_empty() {
        line(out, format_args!("  is never reconciled"));
    } else if let Some(config) = &outcome.config {
        totals.models += config.models.len();
        totals.backends += config.backends.len();
        routes(out, config, answer.reveal);
        costs(out, config);
        mcp(out, config);
        secrets(out, outcome, answer);
    }
    workload::write(out, outcome, view, answer.reveal);
    unknown(out, outcome);
    skipped(out, outcome, style, totals);
}

/// What a Gateway's document does not say: why it is refused, and what was skipped.
pub fn problems(outcome: &Outcome<'_>, style: Style) -> String {
    let mut out = String::new();
    refusal(&mut out, outcome, style);
    unknown(&mut out, outcome);
    skipped(&mut out, outcome, style, &mut Totals::default());
    match out.is_empty() {
        true => out,
        false => format!("Gateway {}\n{out}", escape(&outcome.name())),
    }
}

fn unknown(out: &mut String, outcome: &Outcome<'_>) {
    for unknown in &outcome.unknown {
        let because = unknown.because.iter().map(ToString::to_string);
        let because = because.collect::<Vec<_>>().join("; ");
        line(
            out,
            format_args!(
                "  could not tell its {}: {}",
                unknown.part.word(),
                escape(&because)
            ),
        );
    }
}

fn refusal(out: &mut String, outcome: &Outcome<'_>, style: Style) {
    let Some(refusal) = &outcome.refusal else {
        return;
    };
    let place = refusal
        .source
        .as_ref()
        .map(|s| format!("{}: ", escape(&s.location())));
    line(
        out,
        format_args!(
            "  {} refused, its Secrets stay as they are: {}{}",
            style.severity(Severity::Error),
            place.unwrap_or_default(),
            escape(&refusal.message)
        ),
    );
    if let Some(help) = &refusal.help {
        line(out, format_args!("    help: {}", escape(help)));
    }
}

/// The models and backends of one rule.
#[derive(Default)]
struct RuleRow<'c, 'w> {
    models: Vec<&'c str>,
    backends: Vec<&'c Backend<'w>>,
}

/// The route and rule that a leaf was written in.
fn rule_of(leaf: &Leaf<'_>) -> (String, usize) {
    let Some(source) = &leaf.origin.source else {
        return (String::new(), 0);
    };
    let index = source.path.parts().iter().find_map(|part| match part {
        Part::Index(index) => Some(*index),
        Part::Key(_) => None,
    });
    let route = format!("{}/{}", source.object.namespace(), source.object.name());
    (route, index.unwrap_or_default())
}

fn routes(out: &mut String, config: &Config<'_>, reveal: Reveal) {
    let mut rules = BTreeMap::<(String, usize), RuleRow<'_, '_>>::new();
    let shown = |leaf: &Leaf<'_>| leaf.shown(reveal).into_owned();
    let models: Vec<(String, usize, String)> = config
        .models
        .iter()
        .map(|m| {
            let (route, rule) = rule_of(&m.name);
            (route, rule, shown(&m.name))
        })
        .collect();
    for (route, rule, model) in &models {
        rules
            .entry((route.clone(), *rule))
            .or_default()
            .models
            .push(model);
    }
    for backend in &config.backends {
        rules
            .entry(rule_of(&backend.name))
            .or_default()
            .backends
            .push(backend);
    }
    let mut rows = vec![["MODEL", "RULE", "BACKEND", "AUTH", "SECRET"].map(str::to_string)];
    for ((route, rule), row) in &rules {
        rule_rows(&mut rows, &format!("{route} #{rule}"), row, reveal);
    }
    if rows.len() == 1 {
        return line(out, format_args!("  no models and no backends"));
    }
    columns(out, &rows);
}

fn rule_rows(rows: &mut Vec<[String; 5]>, rule: &str, row: &RuleRow<'_, '_>, reveal: Reveal) {
    for i in 0..row.models.len().max(row.backends.len()) {
        let mut cells = [const { String::new() }; 5];
        cells[0] = row.models.get(i).copied().unwrap_or_default().to_string();
        if i == 0 {
            cells[1] = rule.to_string();
        }
        if let Some(backend) = row.backends.get(i) {
            cells[2] = backend_cell(backend, reveal);
            if let Some(auth) = &backend.auth {
                cells[3] = auth.kind.to_string();
                cells[4] = secret_cell(auth);
            }
        }
        rows.push(cells);
    }
}

/// The ref's name with its schema and, where there is one, the model it is asked for.
fn backend_cell(backend: &Backend<'_>, reveal: Reveal) -> String {
    let name = backend.name.shown(reveal);
    let name = name.split('/').nth(1).unwrap_or_default();
    let schema = backend.schema.name.shown(reveal);
    let model = backend.model_name_override.shown(reveal);
    match &*model {
        "" => format!("{name} ({schema})"),
        model => format!("{name} ({schema}, as {model})"),
    }
}

fn secret_cell(auth: &Auth<'_>) -> String {
    let missing = auth.members.iter().any(|(_, leaf)| {
        matches!(
            leaf.text,
            crate::controllers::ai_gateway::config::Text::Missing(_)
        )
    });
    let note = if missing { " (assumed)" } else { "" };
    match &auth.secret {
        Some(secret) => format!("{}/{}[{}]{note}", secret.namespace, secret.name, secret.key),
        None => "none (default credentials)".to_string(),
    }
}

/// Rows in columns of equal width.
fn columns<const N: usize>(out: &mut String, rows: &[[String; N]]) {
    let rows: Vec<[String; N]> = rows
        .iter()
        .map(|r| r.each_ref().map(|c| escape(c).into_owned()))
        .collect();
    let mut widths = [0; N];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    for row in &rows {
        let mut text = String::from("  ");
        for (width, cell) in widths.iter().zip(row) {
            let pad = width - cell.chars().count();
            text.push_str(cell);
            text.push_str(&" ".repeat(pad + 2));
        }
        line(out, format_args!("{}", text.trim_end()));
    }
}

fn costs(out: &mut String, config: &Config<'_>) {
    let all = config.global_costs.iter().chain(&config.costs);
    for cost in all {
        line(out, format_args!("  cost {}", escape(&cost_text(cost))));
    }
}

fn cost_text(cost: &Cost<'_>) -> String {
    let shown = |leaf: &Leaf<'_>| leaf.shown(Reveal::default()).into_owned();
    let scope = match (&cost.route_name, &cost.backend) {
        (None, _) => "every route".to_string(),
        (Some(route), None) => shown(route),
        (Some(route), Some(backend)) => format!("{}, quota of {}", shown(route), shown(backend)),
    };
    let value = cost.cel.as_ref().unwrap_or(&cost.kind);
    format!("{} = {} ({scope})", shown(&cost.metadata_key), shown(value))
}

fn mcp(out: &mut String, config: &Config<'_>) {
    for route in config.mcp.iter().flat_map(|m| &m.routes) {
        line(out, format_args!("  MCP  {}", escape(&mcp_text(route))));
    }
}

fn mcp_text(route: &McpRoute<'_>) -> String {
    let shown = |leaf: &Leaf<'_>| leaf.shown(Reveal::default()).into_owned();
    let backends: Vec<String> = route.backends.iter().map(|b| shown(&b.name)).collect();
    let mut text = format!("{} → {}", shown(&route.name), backends.join(", "));
    if let Some(authorization) = &route.authorization {
        let action = shown(&authorization.default_action);
        let rules = authorization.rules.len();
        text.push_str(&format!(" (authorization: {rules} rules, else {action})"));
    }
    text
}

fn secrets(out: &mut String, outcome: &Outcome<'_>, answer: &Answer<'_>) {
    let (Some(stored), Some(bytes)) = (&outcome.stored, outcome.bytes()) else {
        return;
    };
    let splits = answer.options.profile().splits_config;
    let ceiling = if splits { BUNDLE_BYTES } else { SECRET_BYTES };
    line(
        out,
        format_args!(
            "  config {} KiB of at most {} KiB",
            bytes.div_ceil(1024),
            ceiling / 1024
        ),
    );
    for write in &stored.writes {
        let name = format!("{}/{}", write.namespace, write.name);
        line(
            out,
            format_args!("  {} Secret {}", write.verb.word(), escape(&name)),
        );
    }
}

fn skipped(out: &mut String, outcome: &Outcome<'_>, style: Style, totals: &mut Totals) {
    totals.skipped += outcome.skipped.len();
    for skip in &outcome.skipped {
        let source = &skip.source;
        let what = format!("{} {}", source.object.id(), source.path);
        line(
            out,
            format_args!(
                "  {} {}: skipped {}: {} [{}]",
                style.severity(Severity::Warning),
                escape(&source.location()),
                escape(&what),
                escape(&skip.text),
                skip.reason.id()
            ),
        );
        for (cause, note) in &skip.causes {
            let field = format!("{} {}", cause.object.id(), cause.path);
            line(
                out,
                format_args!(
                    "    {}: {note}: {}",
                    escape(&cause.location()),
                    escape(&field)
                ),
            );
        }
        if let Some(help) = &skip.help {
            line(out, format_args!("    help: {}", escape(help)));
        }
    }
}

/// Gives how many findings of level info were not shown.
fn findings(out: &mut String, answer: &Answer<'_>, style: Style, verbose: bool) -> usize {
    let all = answer
        .findings
        .iter()
        .chain(answer.outcomes.iter().flat_map(|o| &o.findings));
    let (shown, hidden): (Vec<&Finding>, Vec<&Finding>) =
        all.partition(|f| verbose || f.severity > Severity::Info || f.code.starts_with("assumed"));
    for f in &shown {
        out.push_str(&finding::text(f, style));
    }
    if !shown.is_empty() {
        out.push('\n');
    }
    hidden.len()
}

fn summary(out: &mut String, answer: &Answer<'_>, totals: &Totals, infos: usize) {
    let inventory = &answer.world.inventory;
    let mut parts = vec![
        count(answer.outcomes.len(), "Gateway"),
        count(totals.models, "model"),
        count(totals.backends, "backend"),
    ];
    let others: usize = inventory.other_kinds.values().sum();
    let not_objects: usize = inventory.not_objects.values().sum();
    for (amount, what) in [
        (totals.refused, "refused"),
        (totals.waiting, "waiting"),
        (totals.skipped, "skipped"),
        (others, "objects of kinds that do not matter here"),
        (not_objects, "documents that are no objects"),
        (infos, "remarks not shown (-v shows them)"),
    ] {
        if amount > 0 {
            parts.push(format!("{amount} {what}"));
        }
    }
    line(
        out,
        format_args!(
            "controller {}: {}",
            answer.options.version.version,
            parts.join(", ")
        ),
    );
}
