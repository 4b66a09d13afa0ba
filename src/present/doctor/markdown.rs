//! The report for an issue or a pull request.

use super::{followers, page, roots, summary};
use crate::doctor::Report;
use crate::doctor::probe::{Diagnosis, Status};
use crate::present::escape::escape;

/// The report as Markdown.
pub fn write(report: &Report) -> String {
    let mut out = format!("## aigwctl doctor\n\n{}\n", summary(report));
    for root in roots(report) {
        out.push_str(&format!(
            "\n### {}: {} ({})\n\n{}\n",
            root.status.word(),
            root.id,
            root.state.word(),
            text(&root.because)
        ));
        details(&mut out, root);
        let followers = followers(report, root);
        if !followers.is_empty() {
            out.push_str("\nWhat follows:\n\n");
        }
        for follower in followers {
            let place = follower.object.as_deref().or(follower.gateway.as_deref());
            out.push_str(&format!(
                "* {} `{}` {}: {}\n",
                follower.status.word(),
                follower.id,
                code(place.unwrap_or_default()),
                text(&follower.because)
            ));
        }
        out.push_str(&format!("\nSee `{}`.\n", page(root.id)));
    }
    for (status, title) in [(Status::Unknown, "Could not tell"), (Status::Note, "Notes")] {
        let all: Vec<&Diagnosis> = report
            .probes
            .iter()
            .filter(|d| d.status == status)
            .collect();
        if all.is_empty() {
            continue;
        }
        out.push_str(&format!("\n### {title}\n\n"));
        for diagnosis in all {
            let place = diagnosis.object.as_deref().or(diagnosis.gateway.as_deref());
            out.push_str(&format!(
                "* `{}` {}: {}\n",
                diagnosis.id,
                code(place.unwrap_or_default()),
                text(&diagnosis.because)
            ));
        }
    }
    out
}

fn details(out: &mut String, root: &Diagnosis) {
    if !root.evidence.is_empty() {
        out.push_str("\n| object | field | value |\n| --- | --- | --- |\n");
    }
    for seen in &root.evidence {
        let cells = [&seen.object, &seen.field, &seen.value].map(|cell| code(cell));
        out.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    if !root.consequence.is_empty() {
        out.push_str(&format!("\n{}.\n", text(&root.consequence)));
    }
    if !root.remedy.is_empty() {
        out.push_str("\n```sh\n");
    }
    for remedy in &root.remedy {
        // What is no command is a comment, so that the block can be pasted.
        let is_command = ["kubectl ", "helm upgrade -i ", "aigwctl "];
        let is_command = is_command.iter().any(|start| remedy.starts_with(start));
        let mark = if is_command { "" } else { "# " };
        let line = escape(remedy).replace("```", "'''");
        out.push_str(&format!("{mark}{line}\n"));
    }
    if !root.remedy.is_empty() {
        out.push_str("```\n");
    }
}

/// Text whose characters have no meaning in Markdown.
fn text(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in escape(text).chars() {
        if "\\`*_{}[]<>#|!@".contains(c) {
            safe.push('\\');
        }
        safe.push(c);
    }
    safe
}

fn code(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    format!("`{}`", escape(text).replace('`', "'").replace('|', "\\|"))
}
