//! Answers that could not be told because something they depend on could not be read.

use super::outcome::Outcome;
use super::workload::WorkloadAnswer;
use crate::world::coverage::Unread;
use crate::world::kind::Kind;

/// A part of the answer for one Gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The document, and what was left out of it.
    Config,
    /// Which Secrets are written, where, and what else they hold.
    Secrets,
    /// What happens to the workload.
    Rollout,
}

impl Part {
    /// The word that outputs use.
    pub fn word(self) -> &'static str {
        match self {
            Part::Config => "config",
            Part::Secrets => "secrets",
            Part::Rollout => "rollout",
        }
    }
}

/// A part that could not be told, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// The part.
    pub part: Part,
    /// The reads that gave nothing, sorted.
    pub because: Vec<Unread>,
}

impl Outcome<'_> {
    /// Notes what a part depended on. Nothing is noted for nothing.
    pub(super) fn depends(&mut self, part: Part, unread: &[Unread]) {
        if unread.is_empty() {
            return;
        }
        match self.unknown.iter_mut().find(|u| u.part == part) {
            Some(known) => {
                known.because.extend(unread.iter().cloned());
                known.because.sort();
                known.because.dedup();
            }
            None => self.unknown.push(Unknown {
                part,
                because: unread.to_vec(),
            }),
        }
        self.unknown.sort_by_key(|u| u.part);
    }

    /// Whether a part could be told.
    pub fn knows(&self, part: Part) -> bool {
        self.unknown.iter().all(|u| u.part != part)
    }

    /// Takes back what would be a guess. A Secret that could not be read leaves the document as it
    /// is, with a placeholder that names it; anything else may change all of it.
    pub(super) fn forget_guesses(&mut self) {
        let guessed = |unknown: &super::unknown::Unknown| {
            unknown.part == Part::Config && unknown.because.iter().any(|u| u.kind != Kind::Secret)
        };
        if let Some(config) = self.unknown.iter().find(|u| guessed(u)) {
            let because = config.because.clone();
            self.config = None;
            self.document_bytes = None;
            self.stored = None;
            self.skipped.clear();
            self.findings.clear();
            self.refusal = None;
            self.requeue_seconds = None;
            self.depends(Part::Secrets, &because);
            self.depends(Part::Rollout, &because);
        }
        if !self.knows(Part::Rollout) {
            self.workload = WorkloadAnswer::default();
            self.requeue_seconds = None;
        }
    }
}
