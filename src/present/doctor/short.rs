//! The report as a chat message.

use super::{count, followers, roots, summary};
use crate::doctor::Report;
use crate::doctor::probe::Status;
use crate::present::escape::escape;

/// A few lines: root causes, and the first thing to do for each.
pub fn write(report: &Report) -> String {
    let mut out = format!(
        "aigwctl doctor {}: {}\n",
        env!("CARGO_PKG_VERSION"),
        summary(report)
    );
    let roots = roots(report);
    for root in roots.iter().take(10) {
        let mut line = format!("- {} {}", root.status.word(), root.id);
        for part in [&root.gateway, &root.object].into_iter().flatten() {
            line.push_str(&format!(" [{}]", escape(part)));
        }
        line.push_str(&format!(": {}", escape(&root.because)));
        let follow = followers(report, root).len();
        if follow > 0 {
            line.push_str(&format!(" (and {follow} that follow)"));
        }
        out.push_str(&line);
        out.push('\n');
        if let Some(remedy) = root.remedy.first() {
            out.push_str(&format!("  fix: {}\n", escape(remedy)));
        }
    }
    if roots.len() > 10 {
        out.push_str(&format!("- {} more\n", roots.len() - 10));
    }
    if roots.is_empty() {
        out.push_str(match count(report, Status::Unknown) {
            0 => "nothing is wrong\n",
            _ => "nothing wrong was seen, and not everything could be\n",
        });
    }
    out
}
