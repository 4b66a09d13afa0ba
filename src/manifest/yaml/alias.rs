//! Anchors, aliases, and how much they may cost.

use std::collections::{HashMap, HashSet};

use super::key::KeyType;
use super::parser::{EventKind, Parser, Scalar};
use super::token::{Fault, Reading};
use crate::manifest::limits::Limits;
use crate::manifest::node::Node;

/// What an anchor stands for.
#[derive(Debug)]
pub(super) enum Anchored {
    /// Its value is still being read.
    Open,
    Done(Box<AnchoredNode>),
}

#[derive(Debug)]
pub(super) struct AnchoredNode {
    pub(super) node: Node,
    /// A scalar as a key.
    pub(super) key: Option<(String, KeyType)>,
    pub(super) cost: Cost,
    /// Levels of collections.
    pub(super) height: usize,
}

/// The numbers of the anchors (counted from 0 in the order of the text) that have aliases. Only
/// their values are kept: to keep every one would take quadratic time where they are nested.
pub(super) fn aliased_anchors(text: &str) -> HashSet<usize> {
    let mut aliased = HashSet::new();
    if !(text.contains('&') && text.contains('*')) {
        return aliased;
    }
    let mut latest = HashMap::new();
    let mut count = 0;
    let mut parser = Parser::new(text);
    // Whatever is wrong here is found again, and reported, when the document is built.
    if parser.start().unwrap_or(false) {
        while let Ok(event) = parser.next() {
            let anchor = match event.kind {
                EventKind::End => break,
                EventKind::Alias(name) => {
                    aliased.extend(latest.get(name));
                    None
                }
                EventKind::Scalar(Scalar { anchor, .. })
                | EventKind::SequenceStart(anchor)
                | EventKind::MappingStart(anchor) => anchor,
                EventKind::SequenceEnd | EventKind::MappingEnd => None,
            };
            if let Some(name) = anchor {
                latest.insert(name, count);
                count += 1;
            }
        }
    }
    aliased
}

/// What a node costs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cost {
    /// Steps of go-yaml's decoder: nodes, with aliases and what they stand for.
    pub(super) steps: u64,
    /// Nodes and bytes of text.
    pub(super) weight: u64,
}

impl Cost {
    /// One node without text.
    pub(super) const SMALLEST: Cost = Cost {
        steps: 1,
        weight: 1,
    };

    pub(super) fn since(self, earlier: Cost) -> Cost {
        Cost {
            steps: self.steps - earlier.steps,
            weight: self.weight - earlier.weight,
        }
    }
}

/// Counts what a document costs, and refuses aliases that multiply it.
#[derive(Debug)]
pub(super) struct Budget {
    total: Cost,
    /// The part that aliases brought.
    aliased: Cost,
    /// What the values weigh that were kept for aliases.
    kept_weight: u64,
    allowed_weight: u64,
}

/// A document counts as at least this large when its aliases are weighed.
const SMALLEST_DOCUMENT: usize = 64 << 10;

impl Budget {
    pub(super) fn new(bytes: usize, limits: &Limits) -> Self {
        let allowed = bytes
            .max(SMALLEST_DOCUMENT)
            .saturating_mul(limits.alias_expansion);
        Budget {
            // The document itself is a step.
            total: Cost {
                steps: 1,
                weight: 0,
            },
            aliased: Cost::default(),
            kept_weight: 0,
            allowed_weight: allowed as u64,
        }
    }

    pub(super) fn total(&self) -> Cost {
        self.total
    }

    /// Counts a node at `offset` with its bytes of text.
    pub(super) fn add_node(&mut self, offset: usize, bytes: usize) -> Reading<()> {
        self.total.steps += 1;
        self.total.weight += 1 + bytes as u64;
        self.check_ratio(offset)
    }

    /// Counts an alias at `offset` and what it stands for.
    pub(super) fn add_alias(&mut self, offset: usize, cost: Cost) -> Reading<()> {
        self.total.steps += 1 + cost.steps;
        self.total.weight += cost.weight;
        self.aliased.steps += cost.steps;
        self.aliased.weight += cost.weight;
        self.check_weight(offset, self.aliased.weight)?;
        self.check_ratio(offset)
    }

    /// Counts a value at `offset` of which a copy is kept. Nested anchors would add up otherwise.
    pub(super) fn add_kept(&mut self, offset: usize, cost: Cost) -> Reading<()> {
        self.kept_weight += cost.weight;
        self.check_weight(offset, self.kept_weight)
    }

    fn check_weight(&self, offset: usize, weight: u64) -> Reading<()> {
        if weight <= self.allowed_weight {
            return Ok(());
        }
        Err(Fault::new(
            offset,
            "the aliases make this document many times larger than its text (see the limit on alias expansion)",
        ))
    }

    /// go-yaml's rule: up to 400 000 steps 99 % may come from aliases, then less and less.
    fn check_ratio(&self, offset: usize) -> Reading<()> {
        let Cost { steps, .. } = self.total;
        if self.aliased.steps <= 100 || steps <= 1000 {
            return Ok(());
        }
        let beyond = (steps as f64 - 400_000.0) / 3_600_000.0;
        let allowed = 0.99 - 0.89 * beyond.clamp(0.0, 1.0);
        if self.aliased.steps as f64 / steps as f64 > allowed {
            return Err(Fault::new(
                offset,
                "too much of this document consists of aliases: the YAML reader of Kubernetes refuses it",
            ));
        }
        Ok(())
    }
}
