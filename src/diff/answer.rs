//! The differences of two answers, Gateway by Gateway.

use std::collections::{BTreeMap, HashMap};

use super::cause::{Cause, Context, Sides};
use super::document::{self, Change, ChangeKind, DocumentDiff, How};
use super::path::{Path, Pattern};
use super::stored::Verdict;
use super::upgrade;
use super::value::Value;
use super::workload::{self, WorkloadDiff};
use crate::controllers::ai_gateway::build::Halt;
use crate::controllers::ai_gateway::bundle::{BUNDLE_BYTES, SECRET_BYTES, part_count};
use crate::controllers::ai_gateway::options::Options;
use crate::controllers::ai_gateway::outcome::Outcome;
use crate::controllers::ai_gateway::skip::Skip;
use crate::controllers::ai_gateway::unknown::Part;
use crate::world::finding::{Finding, Severity};
use crate::world::{NamespacedName, World};

/// One of the two answers.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// The objects.
    pub world: &'a World,
    /// What was asked.
    pub options: &'a Options<'a>,
    /// One for each Gateway that was asked for.
    pub outcomes: &'a [Outcome<'a>],
}

/// How full a Gateway's config is, in whole KiB: more would tell the length of credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// The document.
    pub kib: usize,
    /// The most that the controller can store.
    pub ceiling_kib: usize,
    /// In how many parts it is stored.
    pub parts: usize,
}

/// The differences of one Gateway.
#[derive(Debug)]
pub struct GatewayDiff<'a> {
    /// Namespace and name.
    pub gateway: NamespacedName,
    /// What each answer has for it; `None` where it does not know the Gateway.
    pub outcomes: Sides<Option<&'a Outcome<'a>>>,
    /// The documents, where both are needed as a whole.
    pub documents: Sides<Option<Value<'a>>>,
    /// Differences of the documents.
    pub changes: Vec<Change<'a>>,
    /// Places that could not be compared.
    pub unknown: Vec<Path>,
    /// The changes are against a document that the controller does not write.
    pub hypothetical: bool,
    /// Skips that only one answer has.
    pub skipped: Sides<Vec<&'a Skip<'a>>>,
    /// Findings that only the new answer has.
    pub findings: Vec<&'a Finding>,
    /// Sizes of the documents.
    pub sizes: Sides<Option<Size>>,
    /// What happens to pods and workloads.
    pub workloads: Vec<WorkloadDiff>,
    /// The verdict on the Gateway's Secrets, where these were asked for.
    pub secret: Option<Verdict>,
    /// Findings that the comparison itself made.
    pub own_findings: Vec<Finding>,
}

impl<'a> GatewayDiff<'a> {
    /// Nothing yet but the new outcome.
    pub fn of(new: &'a Outcome<'a>) -> Self {
        let outcomes = Sides {
            old: None,
            new: Some(new),
        };
        GatewayDiff::between(&new.gateway, outcomes)
    }

    fn between(name: &NamespacedName, outcomes: Sides<Option<&'a Outcome<'a>>>) -> Self {
        GatewayDiff {
            gateway: name.clone(),
            outcomes,
            documents: Sides::default(),
            changes: Vec::new(),
            unknown: Vec::new(),
            hypothetical: false,
            skipped: Sides::default(),
            findings: Vec::new(),
            sizes: Sides::default(),
            workloads: Vec::new(),
            secret: None,
            own_findings: Vec::new(),
        }
    }

    /// Findings that are new.
    pub fn all_findings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().copied().chain(&self.own_findings)
    }

    /// `namespace/name`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.gateway.0, self.gateway.1)
    }

    /// Refusals that only one answer has.
    pub fn refusals(&self) -> Sides<Option<&'a Halt<'a>>> {
        let refusal = |side: Option<&'a Outcome<'a>>| side.and_then(|o| o.refusal.as_ref());
        let (old, new) = (refusal(self.outcomes.old), refusal(self.outcomes.new));
        if old.map(|h| &h.message) == new.map(|h| &h.message) {
            return Sides::default();
        }
        Sides { old, new }
    }

    /// Whether the answers differ.
    pub fn differs(&self) -> bool {
        let refusals = self.refusals();
        !self.changes.is_empty()
            || refusals.old.is_some()
            || refusals.new.is_some()
            || !self.skipped.old.is_empty()
            || !self.skipped.new.is_empty()
            || self.workloads.iter().any(WorkloadDiff::differs)
            || self.secret.is_some_and(Verdict::is_wrong)
    }
}

/// What is asked of a comparison.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// How documents are compared.
    pub how: How,
    /// Changes at or below these places do not count.
    pub ignore: Vec<Pattern>,
}

/// Compares two answers, by namespace and name of the Gateways.
pub fn compare<'a>(
    old: &Answer<'a>,
    new: &Answer<'a>,
    question: &Question,
) -> Vec<GatewayDiff<'a>> {
    let mut gateways = BTreeMap::<&NamespacedName, Sides<Option<&'a Outcome<'a>>>>::new();
    for outcome in old.outcomes {
        gateways.entry(&outcome.gateway).or_default().old = Some(outcome);
    }
    for outcome in new.outcomes {
        gateways.entry(&outcome.gateway).or_default().new = Some(outcome);
    }
    let answers = Sides {
        old: *old,
        new: *new,
    };
    gateways
        .into_iter()
        .map(|(name, outcomes)| gateway(name, outcomes, &answers, question))
        .collect()
}

fn gateway<'a>(
    name: &NamespacedName,
    outcomes: Sides<Option<&'a Outcome<'a>>>,
    answers: &Sides<Answer<'a>>,
    question: &Question,
) -> GatewayDiff<'a> {
    let mut diff = GatewayDiff::between(name, outcomes);
    diff.skipped = skipped(&diff.outcomes);
    diff.findings = findings(&diff.outcomes);
    diff.sizes = Sides {
        old: size(diff.outcomes.old, &answers.old),
        new: size(diff.outcomes.new, &answers.new),
    };
    diff.workloads = workload::compare(&diff.outcomes, answers);
    let contexts = Sides {
        old: context(diff.outcomes.old, &answers.old),
        new: context(diff.outcomes.new, &answers.new),
    };
    documents(&mut diff, &contexts, question.how);
    ignore(&mut diff, &question.ignore);
    diff.own_findings = upgrade::findings(&diff, answers);
    diff.own_findings.extend(stands_still(&diff.outcomes));
    diff
}

/// A Gateway that gets no config before and none after: whatever changed has no effect.
fn stands_still(outcomes: &Sides<Option<&Outcome<'_>>>) -> Option<Finding> {
    let (old, new) = (outcomes.old?, outcomes.new?);
    if old.stored.is_some() || new.stored.is_some() || !new.unknown.is_empty() {
        return None;
    }
    let name = new.name();
    let finding = |code, text| Finding::new(code, Severity::Warning, text);
    let Some(halt) = old.refusal.as_ref().and(new.refusal.as_ref()) else {
        let waits = old.requeue_seconds.and(new.requeue_seconds).is_some();
        let text = format!(
            "Gateway {name} waits for a workload before and after, so no change to its config has \
             an effect"
        );
        return waits.then(|| finding("stays-waiting", text));
    };
    let text = format!(
        "Gateway {name} is refused before and after, so no change to its config has an effect: {}",
        halt.message
    );
    let finding = finding("stays-refused", text);
    let finding = match &halt.source {
        Some(source) => finding.at_field(source),
        None => finding,
    };
    Some(match &halt.help {
        Some(help) => finding.help(help),
        None => finding,
    })
}

/// Leaves out what does not count.
pub fn ignore(diff: &mut GatewayDiff<'_>, patterns: &[Pattern]) {
    let counts = |path: &Path| !patterns.iter().any(|p| p.covers(&path.0));
    diff.changes.retain(|change| counts(&change.path));
    diff.unknown.retain(counts);
}

/// What is known of one answer for one Gateway.
pub fn context<'a>(outcome: Option<&'a Outcome<'a>>, answer: &Answer<'a>) -> Context<'a> {
    Context {
        world: Some(answer.world),
        skipped: outcome.map(|o| &o.skipped[..]).unwrap_or_default(),
    }
}

fn documents<'a>(diff: &mut GatewayDiff<'a>, contexts: &Sides<Context<'a>>, how: How) {
    let guessed =
        |o: Option<&Outcome<'_>>| o.is_some_and(|o| !o.knows(Part::Config) && o.config.is_none());
    if guessed(diff.outcomes.old) || guessed(diff.outcomes.new) {
        diff.unknown.push(Path::default());
        return;
    }
    let written = |outcome: Option<&'a Outcome<'a>>| outcome.filter(|o| o.stored.is_some());
    let (old, new) = (written(diff.outcomes.old), written(diff.outcomes.new));
    let document = |outcome: &'a Outcome<'a>| outcome.config.as_ref().map(Value::of);
    if let (Some(old), Some(new)) = (old, new) {
        // The text is the document, so there is nothing more to look at.
        if text(old) == text(new) {
            if let Some(document) = document(new) {
                diff.unknown = document::unknown(&document);
            }
            return;
        }
    }
    diff.documents = Sides {
        old: old.and_then(document),
        new: new.and_then(document),
    };
    match (&diff.documents.old, &diff.documents.new) {
        (Some(old), Some(new)) => {
            let DocumentDiff { changes, unknown } = document::compare(old, new, contexts, how);
            diff.changes = changes;
            diff.unknown = unknown;
        }
        (None, None) => {}
        (old, new) => {
            let kind = match new {
                Some(_) => ChangeKind::Added,
                None => ChangeKind::Removed,
            };
            let origin = Sides {
                old: whole(diff.outcomes.old),
                new: whole(diff.outcomes.new),
            };
            diff.changes.push(Change {
                path: Path::default(),
                kind,
                old: old.as_ref().map(|v| v.json(how.reveal)),
                new: new.as_ref().map(|v| v.json(how.reveal)),
                origin,
            });
        }
    }
}

fn text<'a>(outcome: &'a Outcome<'_>) -> Option<&'a str> {
    outcome.stored.as_ref().map(|s| s.text.reveal().as_str())
}

/// Why a Gateway has a document, or has none.
fn whole<'a>(outcome: Option<&'a Outcome<'a>>) -> Option<Cause<'a>> {
    let outcome = outcome?;
    let refused = outcome.refusal.as_ref().and_then(|r| r.source.clone());
    let (source, rule) = match refused {
        Some(source) => (source, "refused"),
        None => (outcome.object?.field().source(), "gateway"),
    };
    Some(Cause { source, rule })
}

/// How full the config of an outcome is.
pub fn size(outcome: Option<&Outcome<'_>>, answer: &Answer<'_>) -> Option<Size> {
    let bytes = outcome?.bytes()?;
    let splits = answer.options.profile().splits_config;
    Some(Size {
        kib: bytes.div_ceil(1024),
        ceiling_kib: if splits { BUNDLE_BYTES } else { SECRET_BYTES } / 1024,
        parts: if splits { part_count(bytes) } else { 1 },
    })
}

/// Skips are the same when object, reason and text are: positions shift.
fn skipped<'a>(outcomes: &Sides<Option<&'a Outcome<'a>>>) -> Sides<Vec<&'a Skip<'a>>> {
    let list =
        |outcome: Option<&'a Outcome<'a>>| outcome.map(|o| &o.skipped[..]).unwrap_or_default();
    let key = |skip: &&'a Skip<'a>| (skip.source.object.id(), skip.reason.id(), &skip.text);
    let (old, new) = (list(outcomes.old), list(outcomes.new));
    // A refused reconcile ends before it has met everything that it would skip.
    let refused = outcomes.new.is_some_and(|o| o.refusal.is_some());
    let gone = if refused { &[] } else { old };
    Sides {
        old: only_in(gone, new, key),
        new: only_in(new, old, key),
    }
}

fn findings<'a>(outcomes: &Sides<Option<&'a Outcome<'a>>>) -> Vec<&'a Finding> {
    let list =
        |outcome: Option<&'a Outcome<'a>>| outcome.map(|o| &o.findings[..]).unwrap_or_default();
    only_in(list(outcomes.new), list(outcomes.old), |f| {
        (f.code, &f.message)
    })
}

/// The items of a list that another list does not have, counting equal ones.
pub fn only_in<'a, T, K: std::hash::Hash + Eq>(
    list: &'a [T],
    other: &'a [T],
    key: impl Fn(&&'a T) -> K,
) -> Vec<&'a T> {
    let mut counts = HashMap::<K, usize>::new();
    for item in other {
        *counts.entry(key(&item)).or_default() += 1;
    }
    let mut only = Vec::new();
    for item in list {
        match counts.get_mut(&key(&item)) {
            Some(count) if *count > 0 => *count -= 1,
            _ => only.push(item),
        }
    }
    only
}
