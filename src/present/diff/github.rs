//! `-o github`: annotations of a workflow run, at the lines that cause a change.

use super::Report;
use super::words;
use crate::diff::answer::GatewayDiff;
use crate::diff::cause::Cause;
use crate::present::escape::escape;
use crate::world::finding::{Finding, Severity};

/// The whole answer.
pub fn write(report: &Report<'_>) -> String {
    let mut out = String::new();
    for gateway in report.gateways {
        changes(&mut out, gateway);
        others(&mut out, gateway);
    }
    let own = report.gateways.iter().flat_map(|g| g.all_findings());
    for finding in report.findings.iter().chain(own) {
        self::finding(&mut out, finding);
    }
    out
}

/// A line that the runner reads.
fn command(
    out: &mut String,
    level: &str,
    place: Option<(&str, u32, u32)>,
    title: &str,
    text: &str,
) {
    let mut properties = Vec::new();
    // What stands in a revision is not in the working tree that is annotated.
    if let Some((file, line, column)) = place.filter(|(file, ..)| !file.starts_with("git:")) {
        properties.push(format!("file={}", property(file)));
        properties.push(format!("line={line}"));
        properties.push(format!("col={column}"));
    }
    properties.push(format!("title={}", property(title)));
    out.push_str(&format!(
        "::{level} {}::{}\n",
        properties.join(","),
        data(text)
    ));
}

fn data(text: &str) -> String {
    escape(text).replace('%', "%25")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

fn changes(out: &mut String, gateway: &GatewayDiff<'_>) {
    for change in &gateway.changes {
        let cause = change.origin.new.as_ref().or(change.origin.old.as_ref());
        let place = |cause: &Cause<'_>| {
            let source = &cause.source;
            (
                source.object.file().to_string(),
                source.pos.line,
                source.pos.column,
            )
        };
        let place = cause.map(place);
        let place = place
            .as_ref()
            .map(|(file, line, column)| (file.as_str(), *line, *column));
        let title = format!("Gateway {} {}", gateway.name(), change.kind.word());
        let text = format!("{}: {}", words::path(change), words::what(change));
        command(out, "notice", place, &title, &text);
    }
}

fn others(out: &mut String, gateway: &GatewayDiff<'_>) {
    let title = format!("Gateway {}", gateway.name());
    if let Some(verdict) = gateway.secret.filter(|v| v.is_wrong()) {
        let text = format!("its Secrets are {}", verdict.word());
        command(out, "error", None, &title, &text);
    }
    if let Some(halt) = gateway.refusals().new {
        let source = halt.source.as_ref();
        let place = source.map(|s| (&**s.object.file(), s.pos.line, s.pos.column));
        let text = format!("refused, its Secrets stay as they are: {}", halt.message);
        command(out, "error", place, &title, &text);
    }
    if let Some(halt) = gateway.refusals().old {
        let text = format!("no longer refused: {}", halt.message);
        command(out, "notice", None, &title, &text);
    }
    for skip in &gateway.skipped.new {
        let source = &skip.source;
        let place = (&**source.object.file(), source.pos.line, source.pos.column);
        let text = format!("skipped: {}", skip.text);
        command(out, "warning", Some(place), &title, &text);
    }
    for skip in &gateway.skipped.old {
        command(
            out,
            "notice",
            None,
            &title,
            &format!("no longer skipped: {}", skip.text),
        );
    }
    for workload in words::notable(gateway) {
        let text = format!("{}: {}", words::workload(workload), words::fates(workload));
        command(out, "notice", None, &title, &text);
    }
}

fn finding(out: &mut String, finding: &Finding) {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    };
    let place = finding.at.as_ref().and_then(|at| {
        let pos = at.pos?;
        Some((&*at.file, pos.line, pos.column))
    });
    command(out, level, place, finding.code, &finding.message);
}
