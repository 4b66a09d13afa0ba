//! `-o unified`: the documents as text, line by line.
//!
//! Credentials are numbered, so that a line tells a changed one from an unchanged one and nothing else.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;

use similar::TextDiff;

use super::Report;
use super::words;
use crate::controllers::ai_gateway::config::Text;
use crate::diff::answer::GatewayDiff;
use crate::diff::path::Step;
use crate::diff::shape::IGNORED;
use crate::diff::value::{Scalar, Value};
use crate::manifest::emit::{Tree, to_yaml};
use crate::present::escape::escape;
use crate::secret::Reveal;

/// The whole answer, with so many lines of context.
pub fn write(report: &Report<'_>, context: usize) -> String {
    let mut out = String::new();
    for gateway in report.gateways {
        remarks(&mut out, gateway);
        document(&mut out, report, gateway, context);
    }
    out
}

/// What is not part of the document, as lines that patch tools ignore.
fn remarks(out: &mut String, gateway: &GatewayDiff<'_>) {
    let name = gateway.name();
    let mut line = |text: String| {
        writeln!(out, "# Gateway {}: {}", escape(&name), escape(&text))
            .expect("writing to a String cannot fail");
    };
    if let Some(verdict) = gateway.secret.filter(|v| v.is_wrong()) {
        line(format!("its Secrets are {}", verdict.word()));
    }
    let refusals = gateway.refusals();
    if let Some(halt) = refusals.old {
        line(format!("no longer refused: {}", halt.message));
    }
    if let Some(halt) = refusals.new {
        line(format!(
            "refused, its Secrets stay as they are: {}",
            halt.message
        ));
    }
    for skip in &gateway.skipped.new {
        line(format!(
            "skipped {}: {}",
            skip.source.object.id(),
            skip.text
        ));
    }
    for skip in &gateway.skipped.old {
        line(format!("no longer skipped: {}", skip.text));
    }
    for workload in words::notable(gateway) {
        line(format!(
            "{}: {}",
            words::workload(workload),
            words::fates(workload)
        ));
    }
}

fn document(out: &mut String, report: &Report<'_>, gateway: &GatewayDiff<'_>, context: usize) {
    if gateway.changes.is_empty() {
        return;
    }
    let mut numbers = Numbers {
        report,
        seen: HashMap::new(),
    };
    let mut text = |value: &Option<Value<'_>>| match value {
        Some(value) => yaml(&numbers.tree(value, &mut Vec::new())),
        None => String::new(),
    };
    let (old, new) = (text(&gateway.documents.old), text(&gateway.documents.new));
    let name = gateway.name();
    let header = |side: &str| format!("{side}/{}", escape(&name));
    let diff = TextDiff::from_lines(&old, &new);
    let unified = diff
        .unified_diff()
        .context_radius(context)
        .header(&header("old"), &header("new"))
        .to_string();
    out.push_str(&unified);
}

/// The text, with everything that could drive a terminal escaped.
fn yaml(tree: &Tree<'_>) -> String {
    let text = to_yaml(tree).unwrap_or_else(|e| format!("# {e}\n"));
    let lines = text.split('\n').map(|line| escape(line));
    lines.collect::<Vec<_>>().join("\n")
}

struct Numbers<'r> {
    report: &'r Report<'r>,
    seen: HashMap<Vec<u8>, usize>,
}

impl Numbers<'_> {
    fn tree<'v>(&mut self, value: &'v Value<'_>, steps: &mut Vec<Step<'v>>) -> Tree<'v> {
        match value {
            Value::Null => Tree::Null,
            Value::Scalar(scalar) => self.scalar(scalar),
            Value::List(shape, items) => {
                let mut items: Vec<(Vec<Cow<'_, str>>, Tree<'v>)> = items
                    .iter()
                    .enumerate()
                    .map(|(index, item)| {
                        let step = Step::item(index, *shape, item);
                        let names = match &step {
                            Step::Item { names, .. } => names.iter().map(|n| n.1.clone()).collect(),
                            Step::Key(_) => Vec::new(),
                        };
                        steps.push(step);
                        let tree = self.tree(item, steps);
                        steps.pop();
                        (names, tree)
                    })
                    .collect();
                if !shape.is_ordered() && !self.report.question.how.raw {
                    items.sort_by(|a, b| a.0.cmp(&b.0));
                }
                Tree::List(items.into_iter().map(|item| item.1).collect())
            }
            Value::Map(members) => {
                let mut kept = Vec::new();
                for (key, member) in members {
                    let hidden = steps.is_empty()
                        && IGNORED.contains(&&**key)
                        && !self.report.question.how.raw;
                    steps.push(Step::Key(Cow::Borrowed(key)));
                    if !hidden && !self.ignored(steps) {
                        kept.push((Cow::Borrowed(&**key), self.tree(member, steps)));
                    }
                    steps.pop();
                }
                Tree::Map(kept)
            }
        }
    }

    fn ignored(&self, steps: &[Step<'_>]) -> bool {
        self.report.question.ignore.iter().any(|p| p.covers(steps))
    }

    fn scalar<'v>(&mut self, scalar: &'v Scalar<'_>) -> Tree<'v> {
        let reveal: Reveal = self.report.question.how.reveal;
        match scalar.text() {
            Text::Plain(text) => Tree::Str(Cow::Borrowed(text)),
            Text::Bool(value) => Tree::Bool(*value),
            Text::Unknown(text) => Tree::Str(Cow::Borrowed(text)),
            Text::Missing(secret) => Tree::Str(Cow::Owned(format!("<{secret}>"))),
            Text::Credential(secret) => self.hidden(secret.reveal().to_vec()),
            Text::Mutation(secret) if reveal.shows_mutations() => {
                Tree::Str(Cow::Owned(secret.reveal().to_string()))
            }
            Text::Mutation(secret) => self.hidden(secret.reveal().as_bytes().to_vec()),
        }
    }

    fn hidden<'v>(&mut self, value: Vec<u8>) -> Tree<'v> {
        let next = self.seen.len() + 1;
        let number = *self.seen.entry(value).or_insert(next);
        Tree::Str(Cow::Owned(format!("<redacted {number}>")))
    }
}
