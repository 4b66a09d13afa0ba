//! The default output: what changes in each Gateway, for people.

use std::fmt::Write;

use super::Report;
use super::words;
use crate::diff::answer::GatewayDiff;
use crate::diff::document::{Change, ChangeKind};
use crate::present::escape::escape;
use crate::present::finding;
use crate::present::style::Style;
use crate::world::finding::Severity;

/// The whole answer. `verbose` adds findings of level info.
pub fn write(report: &Report<'_>, style: Style, verbose: bool) -> String {
    let mut out = String::new();
    for gateway in report.gateways {
        let before = out.len();
        section(&mut out, gateway, style);
        if out.len() > before {
            out.push('\n');
        }
    }
    let own = report.gateways.iter().flat_map(|g| g.all_findings());
    let findings = report.findings.iter().chain(own);
    for f in findings.filter(|f| verbose || f.severity > Severity::Info) {
        out.push_str(&finding::text(f, style));
    }
    line(
        &mut out,
        &format!("{}: {}", words::controllers(report), words::summary(report)),
    );
    out
}

fn line(out: &mut String, text: &str) {
    writeln!(out, "{text}").expect("writing to a String cannot fail");
}

fn section(out: &mut String, gateway: &GatewayDiff<'_>, style: Style) {
    let mut body = String::new();
    if let Some(verdict) = gateway.secret {
        line(&mut body, &format!("  Secrets: {}", verdict.word()));
    }
    changes(&mut body, gateway, style);
    refusals(&mut body, gateway, style);
    skips(&mut body, gateway, style);
    for workload in words::notable(gateway) {
        let text = format!("{}: {}", words::workload(workload), words::fates(workload));
        line(&mut body, &format!("  {}", escape(&text)));
    }
    if body.is_empty() {
        return;
    }
    if let Some(size) = words::size(&gateway.sizes).filter(|_| gateway.secret.is_none()) {
        line(&mut body, &format!("  config {size}"));
    }
    line(
        out,
        &style.bold(&format!("Gateway {}", escape(&gateway.name()))),
    );
    out.push_str(&body);
}

fn changes(out: &mut String, gateway: &GatewayDiff<'_>, style: Style) {
    if gateway.hypothetical {
        line(
            out,
            "  against the document without the refused costs, which is not written:",
        );
    }
    for change in &gateway.changes {
        let text = format!(
            "  {} {}: {}",
            style.change(change.kind.word(), mark(change)),
            escape(&words::path(change)),
            escape(&words::what(change))
        );
        line(out, &text);
        if let Some(cause) = words::cause(&change.origin) {
            line(out, &style.dim(&format!("      {}", escape(&cause))));
        }
    }
}

fn mark(change: &Change<'_>) -> &'static str {
    match change.kind {
        ChangeKind::Added => "+",
        ChangeKind::Removed => "-",
        ChangeKind::Changed => "~",
        ChangeKind::Moved => ">",
    }
}

fn refusals(out: &mut String, gateway: &GatewayDiff<'_>, style: Style) {
    let refusals = gateway.refusals();
    if let Some(halt) = refusals.old {
        let text = format!("  no longer refused: {}", halt.message);
        line(out, &escape(&text));
    }
    if let Some(halt) = refusals.new {
        let place = halt.source.as_ref().map(|s| format!("{}: ", s.location()));
        let text = format!(
            "{}refused, its Secrets stay as they are: {}",
            place.unwrap_or_default(),
            halt.message
        );
        line(
            out,
            &format!("  {} {}", style.severity(Severity::Error), escape(&text)),
        );
        if let Some(help) = &halt.help {
            line(out, &format!("    help: {}", escape(help)));
        }
    }
}

fn skips(out: &mut String, gateway: &GatewayDiff<'_>, style: Style) {
    for skip in &gateway.skipped.new {
        let text = format!(
            "{}: skipped {} {}: {} [{}]",
            skip.source.location(),
            skip.source.object.id(),
            skip.source.path,
            skip.text,
            skip.reason.id()
        );
        line(
            out,
            &format!("  {} {}", style.severity(Severity::Warning), escape(&text)),
        );
        if let Some(help) = &skip.help {
            line(out, &format!("    help: {}", escape(help)));
        }
    }
    for skip in &gateway.skipped.old {
        let text = format!("  no longer skipped: {} [{}]", skip.text, skip.reason.id());
        line(out, &escape(&text));
    }
}
