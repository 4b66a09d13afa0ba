//! The cost of an evaluation as cel-go counts it, with the limit that the gateway sets for MCP rules.
//!
//! Values wait on a stack under their node's id until the step that uses them is counted; what is not found there
//! costs nothing. Both is upstream's way, oddities included.

use super::plan::{Attribute, Base, Call, Kind, Step};
use super::value::{Failure, Outcome, Value};
use crate::cel::problem::Fault;
use crate::cel::syntax::ast::NodeId;

pub(in crate::cel) struct Tracker {
    cost: u64,
    limit: u64,
    stack: Vec<(NodeId, Option<Value>)>,
}

impl Tracker {
    pub(in crate::cel) fn new(limit: u64) -> Tracker {
        Tracker {
            cost: 0,
            limit,
            stack: Vec::new(),
        }
    }

    /// Counts a step that has just been evaluated.
    pub(in crate::cel) fn step(&mut self, step: &Step, outcome: &Outcome) -> Result<(), Failure> {
        match &step.kind {
            Kind::Constant(_) | Kind::SetMembership { .. } | Kind::OptionalOr { .. } => {}
            Kind::Attribute(attribute) => self.attribute(attribute),
            Kind::Logic { terms, .. } => {
                for term in terms {
                    self.drop(term.value_id());
                }
            }
            Kind::Equality { args, .. } => {
                if let Some(values) = self.take(args.iter()) {
                    self.cost += traversal(size(&values[0]).min(size(&values[1])));
                }
            }
            Kind::Call(call) => {
                if let Some(values) = self.take(call.args.iter()) {
                    self.cost += call_cost(call, &values);
                }
            }
            Kind::List { elements } => {
                self.take(elements.iter().map(|(step, _)| step));
                self.cost += 10;
            }
            Kind::Map { entries } => {
                self.take(entries.iter().flat_map(|(key, value, _)| [key, value]));
                self.cost += 30;
            }
            Kind::Message { fields, .. } => {
                self.take(fields.iter().map(|(_, step, _)| step));
                self.cost += 40;
            }
            Kind::Fold(fold) => {
                self.drop(fold.range.value_id());
            }
        }
        self.push(step.value_id(), outcome)
    }

    fn attribute(&mut self, attribute: &Attribute) {
        match &attribute.base {
            Base::Conditional {
                condition,
                then,
                otherwise,
            } => {
                self.drop(otherwise.id());
                self.drop(then.id());
                self.drop(condition.value_id());
            }
            _ => {
                self.drop(attribute.id());
                self.cost += 1;
            }
        }
    }

    /// Counts one selection or index.
    pub(in crate::cel) fn qualifier(
        &mut self,
        id: NodeId,
        outcome: &Outcome,
    ) -> Result<(), Failure> {
        self.cost += 1;
        self.push(id, outcome)
    }

    fn push(&mut self, id: NodeId, outcome: &Outcome) -> Result<(), Failure> {
        self.stack.push((id, outcome.as_ref().ok().cloned()));
        if self.cost > self.limit {
            let message = "operation cancelled: actual cost limit exceeded";
            return Err(Failure::fatal(Fault::CostLimit, message));
        }
        Ok(())
    }

    /// Takes the value of a node, and all above it, off the stack.
    fn drop(&mut self, id: NodeId) -> Option<Option<Value>> {
        let at = self.stack.iter().rposition(|(known, _)| *known == id)?;
        let value = self.stack[at].1.take();
        self.stack.truncate(at);
        Some(value)
    }

    /// The values of arguments, last first; none when one is missing.
    fn take<'s>(
        &mut self,
        args: impl DoubleEndedIterator<Item = &'s Step>,
    ) -> Option<Vec<Option<Value>>> {
        let mut values = Vec::new();
        for arg in args.rev() {
            values.push(self.drop(arg.value_id())?);
        }
        values.reverse();
        Some(values)
    }
}

/// A tenth of the size, rounded up.
fn traversal(size: u64) -> u64 {
    size.div_ceil(10)
}

/// The size of what has one, else 1.
fn size(value: &Option<Value>) -> u64 {
    match value {
        Some(Value::String(text)) => text.chars().count() as u64,
        Some(Value::Bytes(bytes)) => bytes.len() as u64,
        Some(Value::List(elements)) => elements.len() as u64,
        Some(Value::Map(map)) => map.len() as u64,
        Some(Value::Optional(Some(inner))) => size(&Some((**inner).clone())),
        _ => 1,
    }
}

fn call_cost(call: &Call, args: &[Option<Value>]) -> u64 {
    let Some(overload) = call.overload else {
        return 1;
    };
    match overload {
        "starts_with_string" | "ends_with_string" | "string_to_bytes" | "bytes_to_string" => {
            traversal(size(&args[0]))
        }
        "in_list" => size(&args[1]),
        "less_string"
        | "greater_string"
        | "less_equals_string"
        | "greater_equals_string"
        | "less_bytes"
        | "greater_bytes"
        | "less_equals_bytes"
        | "greater_equals_bytes" => traversal(size(&args[0]).min(size(&args[1]))),
        "add_string" | "add_bytes" => traversal(size(&args[0]) + size(&args[1])),
        "matches_string" => traversal(1 + size(&args[0])) * size(&args[1]).div_ceil(4),
        "contains_string" => traversal(size(&args[0])) * traversal(size(&args[1])),
        _ => 1,
    }
}
