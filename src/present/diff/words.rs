//! What the formats for people say in the same words.

use serde_json::Value as Json;

use super::Report;
use crate::diff::answer::{GatewayDiff, Size};
use crate::diff::cause::{Cause, Sides};
use crate::diff::document::{Change, ChangeKind};
use crate::diff::workload::{Fate, WorkloadDiff};
use crate::present::noun::count;

/// The path of a change; the document as a whole has a name of its own.
pub fn path(change: &Change<'_>) -> String {
    match change.path.0.is_empty() {
        true => "the document".to_string(),
        false => change.path.to_string(),
    }
}

/// A value in one line. A hidden one is named by the Secret that it comes from.
pub fn value(json: &Json) -> String {
    match hidden(json) {
        Some(text) => text,
        None => match json {
            Json::Array(items) => {
                let items: Vec<String> = items.iter().map(value).collect();
                format!("[{}]", items.join(", "))
            }
            Json::Object(members) => {
                let members: Vec<String> = members
                    .iter()
                    .map(|(key, v)| format!("{key}: {}", value(v)))
                    .collect();
                format!("{{{}}}", members.join(", "))
            }
            scalar => scalar.to_string(),
        },
    }
}

/// What stands for a credential or the value of a mutation.
fn hidden(json: &Json) -> Option<String> {
    let members = json.as_object()?;
    if members.get("changed") != Some(&Json::Bool(true)) {
        return None;
    }
    let text = |key: &str| members.get(key).and_then(Json::as_str);
    Some(match (text("secret"), text("key")) {
        (Some(secret), Some(key)) => format!("<redacted> (Secret {secret} key {key})"),
        _ => "<redacted>".to_string(),
    })
}

/// What happened, after the path.
pub fn what(change: &Change<'_>) -> String {
    let (old, new) = (change.old.as_ref(), change.new.as_ref());
    match (change.kind, old, new) {
        (_, None, Some(new)) if change.path.0.is_empty() => format!("is written: {}", whole(new)),
        (_, Some(old), None) if change.path.0.is_empty() => {
            format!("is no longer written; it had {}", whole(old))
        }
        (ChangeKind::Moved, Some(Json::Number(old)), Some(Json::Number(new))) => {
            format!("moved from position {old} to {new}")
        }
        (ChangeKind::Moved, Some(old), Some(_)) => format!("moved, was {}", value(old)),
        (_, Some(old), Some(new)) if hidden(old).is_some() && old == new => {
            format!("changed: {}", value(new))
        }
        (_, Some(old), Some(new)) => format!("{} → {}", value(old), value(new)),
        (_, None, Some(new)) => value(new),
        (_, Some(old), None) => value(old),
        (_, None, None) => String::new(),
    }
}

/// How much stands in a document, such as `2 backends, 3 models`: nobody reads all of it in one line.
fn whole(document: &Json) -> String {
    let members = document.as_object().into_iter().flatten();
    let lists = members.filter_map(|(key, value)| Some((key, value.as_array()?.len())));
    let counts: Vec<String> = lists.map(|(key, len)| format!("{len} {key}")).collect();
    match counts.is_empty() {
        true => "no routes".to_string(),
        false => counts.join(", "),
    }
}

/// The line that caused a change, on both sides.
pub fn cause(origin: &Sides<Option<Cause<'_>>>) -> Option<String> {
    let place = |cause: &Cause<'_>| cause.source.location();
    let nearest = origin.new.as_ref().or(origin.old.as_ref())?;
    let places = match (&origin.old, &origin.new) {
        (Some(old), Some(new)) if place(old) != place(new) => {
            format!("{} → {}", place(old), place(new))
        }
        _ => place(nearest),
    };
    let source = &nearest.source;
    Some(format!("{places}  {} {}", source.object.id(), source.path))
}

/// How a workload is called.
pub fn workload(diff: &WorkloadDiff) -> String {
    let kind = match diff.resource {
        "deployments" => "Deployment",
        "daemonsets" => "DaemonSet",
        _ => "Pod",
    };
    match diff.name.is_empty() {
        true => format!(
            "the workload in namespace {}, assumed to be current",
            diff.namespace
        ),
        false => format!("{kind} {}/{}", diff.namespace, diff.name),
    }
}

/// What happens to a workload in both answers.
pub fn fates(diff: &WorkloadDiff) -> String {
    let Sides { old, new } = diff.fates;
    let fates = match old == new {
        true => new.word().to_string(),
        false => format!("{} → {}", old.word(), new.word()),
    };
    match diff.reason.is_empty() {
        true => fates,
        false => format!("{fates}, {}", diff.reason),
    }
}

/// Workloads about which there is something to say: pods are annotated by every write.
pub fn notable<'r>(gateway: &'r GatewayDiff<'_>) -> impl Iterator<Item = &'r WorkloadDiff> {
    gateway
        .workloads
        .iter()
        .filter(|w| w.differs() || matches!(w.fates.new, Fate::Rolls | Fate::Waits))
}

/// How full the config is, and what room is left.
pub fn size(sizes: &Sides<Option<Size>>) -> Option<String> {
    let new = sizes.new?;
    let left = new.ceiling_kib.saturating_sub(new.kib);
    let before = match sizes.old {
        Some(old) if old.kib != new.kib => format!("{} KiB → ", old.kib),
        _ => String::new(),
    };
    let parts = if new.parts > 1 {
        format!(" in {} parts", new.parts)
    } else {
        String::new()
    };
    Some(format!(
        "{before}{} KiB{parts}, {left} KiB left of {} KiB",
        new.kib, new.ceiling_kib
    ))
}

/// The answer in one line.
pub fn summary(report: &Report<'_>) -> String {
    let gateways = report.gateways;
    let differing = gateways.iter().filter(|g| g.differs()).count();
    let changes: usize = gateways.iter().map(|g| g.changes.len()).sum();
    let mut parts = vec![match differing {
        0 => format!("no differences in {}", count(gateways.len(), "Gateway")),
        _ => {
            let changes = count(changes, "change");
            format!(
                "{changes} in {differing} of {}",
                count(gateways.len(), "Gateway")
            )
        }
    }];
    let rolling = |w: &&WorkloadDiff| w.fates.new == Fate::Rolls;
    let rolls = gateways
        .iter()
        .flat_map(|g| &g.workloads)
        .filter(rolling)
        .count();
    let asked_for_secrets = gateways.iter().any(|g| g.secret.is_some());
    match rolls {
        0 if asked_for_secrets => {}
        0 => parts.push("nothing rolls".to_string()),
        _ => parts.push(format!("{} rolled", count(rolls, "workload"))),
    }
    let wrong = gateways
        .iter()
        .filter(|g| g.secret.is_some_and(|v| v.is_wrong()))
        .count();
    let frozen = gateways
        .iter()
        .filter(|g| g.refusals().new.is_some())
        .count();
    let skipped: usize = gateways.iter().map(|g| g.skipped.new.len()).sum();
    let unknown = report.unknown();
    for (n, text) in [
        (wrong, count(wrong, "Gateway") + " without fresh Secrets"),
        (frozen, count(frozen, "Gateway") + " would freeze"),
        (skipped, format!("{skipped} newly skipped")),
        (unknown, count(unknown, "value") + " could not be told"),
    ] {
        if n > 0 {
            parts.push(text);
        }
    }
    parts.join(", ")
}

/// The versions of the two controllers.
pub fn controllers(report: &Report<'_>) -> String {
    let version = |answer: &crate::diff::answer::Answer<'_>| answer.options.version.to_string();
    let (old, new) = (version(&report.answers.old), version(&report.answers.new));
    match old == new {
        true => format!("controller {new}"),
        false => format!("controller {old} → {new}"),
    }
}
