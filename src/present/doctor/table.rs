//! The report for a terminal.

use std::collections::BTreeMap;

use super::{followers, page, roots, summary};
use crate::doctor::Report;
use crate::doctor::probe::{Diagnosis, Status};
use crate::present::escape::escape;
use crate::present::style::Style;
use crate::world::finding::Severity;

/// Root causes with what follows folded under them, then what could not be told, notes, and with
/// `verbose` also what passed.
pub fn write(report: &Report, style: Style, verbose: bool) -> String {
    let mut out = String::new();
    for root in roots(report) {
        fault(&mut out, report, root, style, verbose);
    }
    grouped(&mut out, report, Status::Unknown, style);
    grouped(&mut out, report, Status::Note, style);
    if verbose {
        grouped(&mut out, report, Status::Pass, style);
        line(&mut out, 0, &style.bold("not visible in any object"));
        for hidden in &report.not_visible {
            line(&mut out, 1, hidden.what);
            line(&mut out, 2, &hidden.look);
            if !hidden.line.is_empty() {
                line(&mut out, 2, &format!("look for: {}", hidden.line));
            }
        }
        out.push('\n');
    } else {
        let ids: Vec<&str> = report.not_visible.iter().map(|n| n.id).collect();
        line(
            &mut out,
            0,
            &style.dim(&format!(
                "not visible in any object (-v says where to look): {}",
                ids.join(", ")
            )),
        );
    }
    line(&mut out, 0, &summary(report));
    out
}

fn line(out: &mut String, depth: usize, text: &str) {
    out.push_str(&"  ".repeat(depth));
    out.push_str(text.trim_end());
    out.push('\n');
}

fn word(status: Status, style: Style) -> String {
    match status {
        Status::Failure => style.severity(Severity::Error).replace("error", "failure"),
        Status::Warning => style.severity(Severity::Warning),
        status => status.word().to_string(),
    }
}

fn place(diagnosis: &Diagnosis) -> String {
    let parts = [&diagnosis.gateway, &diagnosis.object];
    let parts = parts.into_iter().flatten().map(|p| escape(p).into_owned());
    parts.collect::<Vec<_>>().join("  ")
}

fn fault(out: &mut String, report: &Report, root: &Diagnosis, style: Style, verbose: bool) {
    let head = format!(
        "{} {} ({})  {}",
        word(root.status, style),
        style.bold(root.id),
        root.state.word(),
        place(root)
    );
    line(out, 0, &head);
    line(out, 1, &escape(&root.because));
    evidence(out, root, 1, style);
    if !root.consequence.is_empty() {
        line(out, 1, &format!("so: {}", escape(&root.consequence)));
    }
    for remedy in &root.remedy {
        line(out, 1, &format!("fix: {}", escape(remedy)));
    }
    line(out, 1, &style.dim(&format!("see: {}", page(root.id))));
    let followers = followers(report, root);
    if !followers.is_empty() {
        line(out, 1, "what follows:");
    }
    for follower in followers {
        let text = format!(
            "{} {}  {}: {}",
            follower.status.word(),
            follower.id,
            place(follower),
            escape(&follower.because)
        );
        line(out, 2, &text);
        if verbose {
            evidence(out, follower, 3, style);
        }
    }
    out.push('\n');
}

fn evidence(out: &mut String, diagnosis: &Diagnosis, depth: usize, style: Style) {
    for seen in &diagnosis.evidence {
        let field = match seen.field.is_empty() {
            true => String::new(),
            false => format!(" {}", escape(&seen.field)),
        };
        let text = format!("{}{field}: {}", escape(&seen.object), escape(&seen.value));
        line(out, depth, &style.dim(&text));
    }
}

/// Those of a status, with equal words once.
fn grouped(out: &mut String, report: &Report, status: Status, style: Style) {
    let mut groups = BTreeMap::<(&str, &str), Vec<String>>::new();
    let mut order = Vec::new();
    for diagnosis in report.probes.iter().filter(|d| d.status == status) {
        let key = (diagnosis.id, diagnosis.because.as_str());
        let places = groups.entry(key).or_insert_with(|| {
            order.push(key);
            Vec::new()
        });
        places.push(place(diagnosis));
    }
    if order.is_empty() {
        return;
    }
    line(out, 0, &style.bold(status.word()));
    for (id, because) in order {
        let places = groups[&(id, because)].join(", ");
        line(out, 1, &format!("{id}: {}  {places}", escape(because)));
    }
    out.push('\n');
}
