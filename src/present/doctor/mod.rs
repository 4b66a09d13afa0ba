//! What `aigwctl doctor` found, in every format.

pub mod json;
pub mod markdown;
pub mod short;
pub mod table;

use crate::doctor::Report;
use crate::doctor::probe::{Diagnosis, Status};

/// The page of a probe.
pub fn page(id: &str) -> String {
    format!("docs/doctor/{id}.md")
}

/// The diagnosis of a root cause.
fn roots(report: &Report) -> Vec<&Diagnosis> {
    let causes = report.root_causes.iter();
    causes
        .filter_map(|cause| {
            let mut all = report.probes.iter();
            all.find(|d| {
                d.id == cause.id
                    && d.gateway == cause.gateway
                    && d.object == cause.object
                    && d.because == cause.message
            })
        })
        .collect()
}

/// Everything that follows from a diagnosis, directly or not.
fn followers<'r>(report: &'r Report, root: &Diagnosis) -> Vec<&'r Diagnosis> {
    let mut all: Vec<&Diagnosis> = Vec::new();
    let mut known = vec![root];
    while let Some(cause) = known.pop() {
        for diagnosis in &report.probes {
            let follows = diagnosis.caused_by.as_ref().is_some_and(|by| {
                by.id == cause.id && by.gateway == cause.gateway && by.object == cause.object
            });
            if follows && !all.iter().any(|d| std::ptr::eq(*d, diagnosis)) {
                all.push(diagnosis);
                known.push(diagnosis);
            }
        }
    }
    let order = |d: &&Diagnosis| report.probes.iter().position(|p| std::ptr::eq(p, *d));
    all.sort_by_key(order);
    all
}

fn count(report: &Report, status: Status) -> usize {
    report.probes.iter().filter(|d| d.status == status).count()
}

/// The outcome in one line.
fn summary(report: &Report) -> String {
    let parts = [
        (Status::Failure, "failures"),
        (Status::Warning, "warnings"),
        (Status::Unknown, "could not tell"),
        (Status::Note, "notes"),
        (Status::Pass, "passed"),
    ];
    let parts = parts.map(|(status, word)| format!("{} {word}", count(report, status)));
    parts.join(", ")
}
