//! `-o markdown`: a comment on a pull request.

use std::fmt::Write;

use super::Report;
use super::words;
use crate::diff::answer::GatewayDiff;
use crate::diff::document::ChangeKind;
use crate::diff::workload::Fate;
use crate::present::escape::escape;
use crate::present::noun::count;
use crate::world::finding::{Finding, Severity};

/// GitHub takes no comment of more than 65 536 characters.
const MOST: usize = 60_000;
/// The most of one value that is shown.
const MOST_OF_A_VALUE: usize = 400;

/// The whole answer.
pub fn write(report: &Report<'_>) -> String {
    let mut out = format!(
        "**aigwctl diff** ({}): {}\n",
        escape(&words::controllers(report)),
        words::summary(report)
    );
    let sections = report.gateways.iter().filter(|g| g.differs() || notable(g));
    let mut left_out = 0;
    for gateway in sections {
        let body = body(gateway);
        let heading = html(&format!("Gateway {}: {}", gateway.name(), heading(gateway)));
        let section = format!("\n<details><summary>{heading}</summary>\n\n{body}\n</details>\n");
        if out.len() + section.len() <= MOST {
            out.push_str(&section);
        } else if let Some(cut) = cut(&section, MOST.saturating_sub(out.len())) {
            out.push_str(&cut);
            left_out += 1;
        } else {
            left_out += 1;
        }
    }
    let own = report.gateways.iter().flat_map(|g| g.all_findings());
    let findings = report.findings.iter().chain(own);
    for finding in findings.filter(|f| f.severity > Severity::Info || f.code.starts_with("upgrade"))
    {
        let text = finding_line(finding);
        if out.len() + text.len() > MOST + 2_000 {
            left_out += 1;
            continue;
        }
        out.push_str(&text);
    }
    if left_out > 0 {
        let count = count(left_out, "section");
        line(
            &mut out,
            &format!("\n{count} cut or left out: too long for a comment; see `-o json`."),
        );
    }
    out
}

fn line(out: &mut String, text: &str) {
    writeln!(out, "{text}").expect("writing to a String cannot fail");
}

fn notable(gateway: &GatewayDiff<'_>) -> bool {
    words::notable(gateway).next().is_some()
}

/// A section that ends early, at the end of a line.
fn cut(section: &str, room: usize) -> Option<String> {
    const END: &str = "\n- …\n</details>\n";
    let mut at = room.checked_sub(END.len() + 200)?;
    while !section.is_char_boundary(at) {
        at -= 1;
    }
    let end = section[..at].rfind("\n- ")?;
    Some(format!("{}{END}", &section[..end]))
}

fn heading(gateway: &GatewayDiff<'_>) -> String {
    let mut parts = vec![count(gateway.changes.len(), "change")];
    if gateway.refusals().new.is_some() {
        parts.push("**refused**".to_string());
    }
    if let Some(verdict) = gateway.secret {
        parts.push(format!("Secrets {}", verdict.word()));
    }
    let skipped = gateway.skipped.new.len();
    if skipped > 0 {
        parts.push(format!("{skipped} newly skipped"));
    }
    let rolls = gateway
        .workloads
        .iter()
        .filter(|w| w.fates.new == Fate::Rolls)
        .count();
    if rolls > 0 {
        parts.push(format!("{} rolled", count(rolls, "workload")));
    }
    parts.join(", ").replace("**", "")
}

fn body(gateway: &GatewayDiff<'_>) -> String {
    let mut out = String::new();
    let refusals = gateway.refusals();
    if let Some(halt) = refusals.new {
        let place = halt
            .source
            .as_ref()
            .map(|s| format!(" at {}", code(&s.location())));
        line(
            &mut out,
            &format!(
                "- **refused**, its Secrets stay as they are: {}{}",
                code(&halt.message),
                place.unwrap_or_default()
            ),
        );
    }
    if let Some(halt) = refusals.old {
        line(
            &mut out,
            &format!("- no longer refused: {}", code(&halt.message)),
        );
    }
    if gateway.hypothetical {
        line(
            &mut out,
            "- against the document without the refused costs, which is not written:",
        );
    }
    for change in &gateway.changes {
        let word = match change.kind {
            ChangeKind::Added | ChangeKind::Removed | ChangeKind::Moved => {
                format!("{} ", change.kind.word())
            }
            ChangeKind::Changed => String::new(),
        };
        let cause = words::cause(&change.origin).map(|cause| format!(" – {}", code(&cause)));
        let text = format!(
            "- {word}{}: {}{}",
            code(&words::path(change)),
            code(&words::what(change)),
            cause.unwrap_or_default()
        );
        line(&mut out, &text);
    }
    for skip in &gateway.skipped.new {
        let text = format!(
            "- newly skipped: {} at {}",
            code(&skip.text),
            code(&skip.source.location())
        );
        line(&mut out, &text);
    }
    for skip in &gateway.skipped.old {
        line(
            &mut out,
            &format!("- no longer skipped: {}", code(&skip.text)),
        );
    }
    for workload in words::notable(gateway) {
        let text = format!(
            "- {}: {}",
            code(&words::workload(workload)),
            code(&words::fates(workload))
        );
        line(&mut out, &text);
    }
    if let Some(size) = words::size(&gateway.sizes) {
        line(&mut out, &format!("- config {size}"));
    }
    out
}

fn finding_line(finding: &Finding) -> String {
    let place = finding
        .at
        .as_ref()
        .map(|at| format!(" ({})", code(&at.to_string())));
    let help = finding
        .help
        .as_ref()
        .map(|help| format!(" – {}", code(help)));
    format!(
        "\n- {} {}: {}{}{}\n",
        finding.severity,
        finding.code,
        code(&finding.message),
        place.unwrap_or_default(),
        help.unwrap_or_default()
    )
}

/// Text as code: nothing in it is markup, and it cannot end the code.
fn code(text: &str) -> String {
    let text = escape(text);
    let shown: String = text.chars().take(MOST_OF_A_VALUE).collect();
    let more = if shown.len() < text.len() { "…" } else { "" };
    let mut longest = 0;
    let mut run = 0;
    for c in shown.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    let space = if shown.starts_with('`') || shown.ends_with('`') || shown.is_empty() {
        " "
    } else {
        ""
    };
    format!("{fence}{space}{shown}{more}{space}{fence}")
}

fn html(text: &str) -> String {
    escape(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{code, html};

    #[test]
    fn nothing_leaves_its_code_span() {
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`x`"), "`` `x` ``");
        assert_eq!(code("a\n- b"), "`a\\n- b`");
        assert!(code(&"x".repeat(1000)).len() < 500);
        assert_eq!(html("<b>&"), "&lt;b&gt;&amp;");
    }
}
