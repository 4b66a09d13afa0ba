//! Follows an accepted cost expression with all token counts and names at once, and collects how it can fail.
//!
//! A part that is only reached under a condition is looked at with what the condition says. Of `a && b` a failure
//! shows only when the other operand is not false, so each is looked at as if the other one held.

use super::facts::{Facts, same};
use super::interval::{Bounds, Doubles, List, Possible, Single, Text, Truth};
use crate::cel::evaluation::evaluate::constant;
use crate::cel::evaluation::plan::plan_part;
use crate::cel::evaluation::value::Value;
use crate::cel::problem::Fault;
use crate::cel::syntax::ast::{Ast, Comprehension, Expr, NodeId};
use crate::cel::syntax::operator;
use crate::cel::typing::checker::{Checked, Reference};
use crate::cel::typing::env;
use crate::cel::typing::types::Type;

/// So many steps are taken; what lies behind them is not looked at.
const WORK_LIMIT: usize = 200_000;
/// So many failures are kept.
const LIMIT: usize = 100;
const TOKENS: Bounds = Bounds {
    low: 0,
    high: u32::MAX as i128,
};

/// What was found.
pub(in crate::cel) struct Findings {
    /// How a part can fail.
    pub(in crate::cel) failures: Vec<(Fault, NodeId)>,
    /// Parts whose value as a double can be inexact.
    pub(in crate::cel) inexact: Vec<NodeId>,
    /// What the whole can be.
    pub(in crate::cel) result: Possible,
}

/// Looks at the whole expression.
pub(in crate::cel) fn analyze(checked: &Checked) -> Findings {
    let mut analysis = Analysis {
        checked,
        ast: &checked.ast,
        scopes: Vec::new(),
        closed: closed_parts(&checked.ast, checked),
        failures: Vec::new(),
        inexact: Vec::new(),
        work: 0,
    };
    let result = analysis.part(checked.root, &Facts::default());
    let Analysis {
        failures, inexact, ..
    } = analysis;
    Findings {
        failures,
        inexact,
        result,
    }
}

pub(in crate::cel) struct Analysis<'a> {
    pub(in crate::cel) checked: &'a Checked,
    pub(in crate::cel) ast: &'a Ast,
    /// Loop variables, innermost last.
    scopes: Vec<(&'a str, Possible)>,
    /// For each node: it refers to no variable from outside itself.
    closed: Vec<bool>,
    failures: Vec<(Fault, NodeId)>,
    inexact: Vec<NodeId>,
    work: usize,
}

impl<'a> Analysis<'a> {
    pub(in crate::cel) fn fail(&mut self, fault: Fault, at: NodeId) {
        if self.failures.len() < LIMIT && !self.failures.contains(&(fault, at)) {
            self.failures.push((fault, at));
        }
    }

    /// Keeps a part whose value as a double can be inexact.
    pub(in crate::cel) fn is_inexact(&mut self, at: NodeId) {
        if self.inexact.len() < LIMIT {
            self.inexact.push(at);
        }
    }

    /// What values the part can have.
    pub(in crate::cel) fn part(&mut self, id: NodeId, facts: &Facts) -> Possible {
        self.work += 1;
        if self.work > WORK_LIMIT {
            return Possible::of_type(self.checked.type_of(id));
        }
        if self.closed[id.index()]
            && let Some(possible) = self.computed(id)
        {
            return possible;
        }
        let ast = self.ast;
        match ast.expr(id) {
            Expr::Broken => Possible::nothing(),
            Expr::Literal(_) => self.static_type(id),
            Expr::Ident(name) => self.variable(id, name, facts),
            Expr::Select {
                operand,
                field,
                presence_test,
            } => self.select(id, *operand, field, *presence_test, facts),
            Expr::Call {
                function,
                target,
                args,
            } => self.call(id, function, *target, args, facts),
            Expr::List(elements) => {
                let items = elements
                    .iter()
                    .map(|element| self.part(element.value, facts))
                    .collect();
                Possible::list(items)
            }
            Expr::Map(entries) => {
                let entries = entries
                    .iter()
                    .map(|entry| (self.part(entry.key, facts), self.part(entry.value, facts)));
                Possible::map(entries.collect())
            }
            Expr::Message { fields, .. } => {
                self.message(id, fields.iter().map(|it| it.value), facts)
            }
            Expr::Comprehension(comprehension) => self.comprehension(id, comprehension, facts),
        }
    }

    /// The value of a closed part is computed, not guessed.
    fn computed(&mut self, id: NodeId) -> Option<Possible> {
        let step = plan_part(self.checked, &env::COST, id).ok()?;
        match constant(&step)? {
            Ok(value) => Some(exactly(&value)),
            Err(failure) => {
                self.fail(failure.fault, id);
                Some(Possible::nothing())
            }
        }
    }

    pub(in crate::cel) fn static_type(&self, id: NodeId) -> Possible {
        Possible::of_type(self.checked.type_of(id))
    }

    fn variable(&mut self, id: NodeId, name: &str, facts: &Facts) -> Possible {
        if let Some((_, possible)) = self.scopes.iter().rev().find(|(bound, _)| *bound == name) {
            return possible.clone();
        }
        match self.checked.type_of(id) {
            Type::Uint => {
                let known = facts.count(name).and_then(|bounds| bounds.within(TOKENS));
                Possible::uint(known.unwrap_or(TOKENS))
            }
            Type::String => Possible::text(facts.text(name).cloned().unwrap_or(Text::Any)),
            other => Possible::of_type(other),
        }
    }

    fn message(
        &mut self,
        id: NodeId,
        fields: impl Iterator<Item = NodeId>,
        facts: &Facts,
    ) -> Possible {
        for field in fields {
            self.part(field, facts);
            if self.checked.type_of(field).is_dyn() {
                self.fail(Fault::MessageField, id);
            }
        }
        match self.checked.type_of(id) {
            // Only an unset field is null, never a wrapper that is written out.
            Type::Wrapper(primitive) => Possible::of_type(&primitive.bare()),
            other => Possible::of_type(other),
        }
    }

    fn select(
        &mut self,
        id: NodeId,
        operand: NodeId,
        field: &str,
        presence_test: bool,
        facts: &Facts,
    ) -> Possible {
        if self.checked.reference(id).is_some() {
            return self.static_type(id);
        }
        let map = self.part(operand, facts);
        let key = Possible::text(Text::is(field));
        let found = self.entry(id, &map, &key, presence_test);
        if presence_test {
            Possible::truth(Truth::BOTH)
        } else {
            found
        }
    }

    /// The value of a key. `lenient`: a missing one is no failure.
    fn entry(&mut self, id: NodeId, map: &Possible, key: &Possible, lenient: bool) -> Possible {
        let Some(entries) = &map.map else {
            if !lenient {
                self.fail(Fault::NoSuchKey, id);
            }
            return self.static_type(id);
        };
        let found = key
            .single()
            .zip(entries.known.as_ref())
            .map(|(key, known)| {
                known
                    .iter()
                    .rev()
                    .find(|(candidate, _)| candidate.single() == Some(key))
            });
        match found {
            Some(Some((_, value))) => value.clone(),
            Some(None) => {
                if !lenient {
                    self.fail(Fault::NoSuchKey, id);
                }
                // Keys that are not known could be it.
                entries.value.clone()
            }
            None => {
                if !lenient {
                    self.fail(Fault::NoSuchKey, id);
                }
                entries.value.clone()
            }
        }
    }

    fn call(
        &mut self,
        id: NodeId,
        function: &str,
        target: Option<NodeId>,
        args: &'a [NodeId],
        facts: &Facts,
    ) -> Possible {
        match (function, args) {
            (operator::CONDITIONAL, [condition, then, otherwise]) => {
                self.conditional(*condition, *then, *otherwise, facts)
            }
            (operator::AND, [left, right]) => self.logic(*left, *right, true, facts),
            (operator::OR, [left, right]) => self.logic(*left, *right, false, facts),
            (operator::INDEX, [operand, index]) => self.index(id, *operand, *index, facts),
            (operator::SUBTRACT, [left, right]) => {
                let operands = [self.part(*left, facts), self.part(*right, facts)];
                let never_below = facts.is_at_least(self.ast, *left, *right)
                    || same(self.ast, *left, *right) && self.scopes.is_empty();
                self.arithmetic(id, function, &operands, never_below)
            }
            (
                operator::ADD | operator::MULTIPLY | operator::DIVIDE | operator::MODULO,
                [left, right],
            ) => {
                let operands = [self.part(*left, facts), self.part(*right, facts)];
                self.arithmetic(id, function, &operands, false)
            }
            _ => {
                let operands: Vec<Possible> = target
                    .iter()
                    .chain(args)
                    .map(|arg| self.part(*arg, facts))
                    .collect();
                self.function(id, function, &operands)
            }
        }
    }

    fn conditional(
        &mut self,
        condition: NodeId,
        then: NodeId,
        otherwise: NodeId,
        facts: &Facts,
    ) -> Possible {
        let truth = self.part(condition, facts).truth;
        let mut result = Possible::nothing();
        if truth.yes {
            result = self.part(then, &facts.and(self.ast, condition, true));
        }
        if truth.no {
            let other = self.part(otherwise, &facts.and(self.ast, condition, false));
            result = result.join(&other);
        }
        result
    }

    /// `&&`, or with `and` false `||`.
    fn logic(&mut self, left: NodeId, right: NodeId, and: bool, facts: &Facts) -> Possible {
        let first = self.part(left, &facts.and(self.ast, right, and)).truth;
        let decided = if and {
            first.no && !first.yes
        } else {
            first.yes && !first.no
        };
        if decided {
            return Possible::truth(first);
        }
        let second = self.part(right, &facts.and(self.ast, left, and)).truth;
        // Each was looked at under the assumption that the other one leaves it to it.
        Possible::truth(match and {
            true => Truth {
                yes: first.yes && second.yes,
                no: !is_always(first) || !is_always(second),
            },
            false => Truth {
                yes: !is_never(first) || !is_never(second),
                no: first.no && second.no,
            },
        })
    }

    fn index(&mut self, id: NodeId, operand: NodeId, index: NodeId, facts: &Facts) -> Possible {
        let container = self.part(operand, facts);
        let key = self.part(index, facts);
        if let Some(list) = &container.list {
            return self.element(id, list, &key);
        }
        let is_guarded = facts.is_key(self.ast, index, operand);
        self.entry(id, &container, &key, is_guarded)
    }

    fn element(&mut self, id: NodeId, list: &List, index: &Possible) -> Possible {
        let bounds = index.whole_number().unwrap_or(Bounds::INT);
        let is_safe = bounds.low >= 0 && bounds.high < list.length.low;
        if !is_safe {
            self.fail(Fault::IndexOutOfBounds, id);
        }
        let single = bounds
            .single()
            .and_then(|index| usize::try_from(index).ok());
        match (single, &list.items) {
            (Some(index), Some(items)) => {
                items.get(index).cloned().unwrap_or_else(Possible::nothing)
            }
            _ => list.element.clone(),
        }
    }

    fn comprehension(
        &mut self,
        id: NodeId,
        comprehension: &'a Comprehension,
        facts: &Facts,
    ) -> Possible {
        let range = self.part(comprehension.range, facts);
        let (element, length) = match (&range.list, &range.map) {
            (Some(list), None) => (list.element.clone(), list.length),
            (None, Some(map)) => {
                let count = map
                    .known
                    .as_ref()
                    .map_or(i128::MAX, |known| known.len() as i128);
                (map.key.clone(), Bounds::new(0, count))
            }
            _ => {
                if self.checked.type_of(comprehension.range).is_dyn() {
                    self.fail(Fault::NotIterable, id);
                }
                (Possible::of_type(&Type::Dyn), Bounds::new(0, i128::MAX))
            }
        };
        let inside = facts.without(&comprehension.variable);
        let added = if length.high > 0 {
            self.scopes.push((
                &comprehension.accumulator,
                self.static_type(comprehension.init),
            ));
            self.scopes.push((&comprehension.variable, element));
            let added = self.added(comprehension, &inside);
            self.scopes.pop();
            self.scopes.pop();
            added
        } else {
            Some(Possible::nothing())
        };
        match (self.checked.type_of(id), added) {
            (Type::List(_), Some(element)) => {
                // `map` without a filter keeps the length.
                let low = if self.is_filtered(comprehension) {
                    0
                } else {
                    length.low
                };
                Possible::list_of(element, Bounds::new(low, length.high))
            }
            _ => self.static_type(id),
        }
    }

    /// Looks at one turn of a loop; what it adds to a list, if that is what it builds.
    fn added(&mut self, comprehension: &'a Comprehension, facts: &Facts) -> Option<Possible> {
        let mut facts = facts.clone();
        let mut step = comprehension.step;
        if let Expr::Call { function, args, .. } = self.ast.expr(step) {
            match (&**function, args.as_slice()) {
                // `filter`, and `map` with a filter.
                (operator::CONDITIONAL, [predicate, then, _])
                    if self.is_filtered(comprehension) =>
                {
                    self.part(*predicate, &facts);
                    facts = facts.and(self.ast, *predicate, true);
                    step = *then;
                }
                // `exists_one`, `all` and `exists` only count or combine their predicate.
                (operator::CONDITIONAL, [predicate, _, _])
                | (operator::AND | operator::OR, [_, predicate]) => {
                    self.part(*predicate, &facts);
                    return None;
                }
                _ => {}
            }
        }
        if let Expr::Call { args, .. } = self.ast.expr(step)
            && let [_, added] = args.as_slice()
            && let Expr::List(elements) = self.ast.expr(*added)
            && let [element] = elements.as_slice()
        {
            return Some(self.part(element.value, &facts));
        }
        self.part(step, &facts);
        None
    }

    /// Does the loop build a list from some of its elements only?
    fn is_filtered(&self, comprehension: &Comprehension) -> bool {
        let builds_list = matches!(self.checked.type_of(comprehension.init), Type::List(_));
        builds_list
            && matches!(
                self.ast.expr(comprehension.step),
                Expr::Call { function, .. } if **function == *operator::CONDITIONAL
            )
    }

    /// Is the type of an operand known only when it is evaluated?
    pub(in crate::cel) fn has_open_operand(&self, id: NodeId) -> bool {
        let Expr::Call { args, .. } = self.ast.expr(id) else {
            return false;
        };
        args.iter().any(|arg| self.checked.type_of(*arg).is_dyn())
    }
}

fn is_always(truth: Truth) -> bool {
    truth.yes && !truth.no
}

fn is_never(truth: Truth) -> bool {
    truth.no && !truth.yes
}

/// A value that is known.
fn exactly(value: &Value) -> Possible {
    match value {
        Value::Bool(value) => Possible::truth(Truth::is(*value)),
        Value::Int(value) => Possible::int(Bounds::exactly((*value).into())),
        Value::Uint(value) => Possible::uint(Bounds::exactly((*value).into())),
        Value::Double(value) => Possible::double(Doubles {
            low: *value,
            high: *value,
            nan: value.is_nan(),
        }),
        Value::String(text) => Possible::text(Text::is(text)),
        Value::List(elements) => Possible::list(elements.iter().map(exactly).collect()),
        Value::Map(map) => {
            let entries = map
                .entries()
                .map(|(key, value)| (exactly(key), exactly(value)));
            Possible::map(entries.collect())
        }
        _ => Possible::something_else(),
    }
}

/// Which nodes refer to no variable from outside themselves.
fn closed_parts(ast: &Ast, checked: &Checked) -> Vec<bool> {
    let mut finder = Finder {
        ast,
        checked,
        loops: Vec::new(),
        closed: vec![false; ast.len()],
    };
    finder.outermost(checked.root);
    finder.closed
}

/// Finds for each node the outermost variable that it refers to.
struct Finder<'a> {
    ast: &'a Ast,
    checked: &'a Checked,
    loops: Vec<&'a str>,
    closed: Vec<bool>,
}

/// It refers to no variable.
const NONE: usize = usize::MAX;

impl<'a> Finder<'a> {
    /// How many loops are around that variable; 0 for one of the environment.
    fn outermost(&mut self, id: NodeId) -> usize {
        let ast = self.ast;
        let outermost = match ast.expr(id) {
            Expr::Broken | Expr::Literal(_) => NONE,
            Expr::Ident(_) | Expr::Select { .. } if self.is_type(id) => NONE,
            Expr::Ident(name) => {
                let bound = self.loops.iter().rposition(|bound| **bound == **name);
                bound.map_or(0, |depth| depth + 1)
            }
            Expr::Select { operand, .. } => self.outermost(*operand),
            Expr::Call { target, args, .. } => {
                let all = target.iter().chain(args);
                all.fold(NONE, |all, arg| all.min(self.outermost(*arg)))
            }
            Expr::List(elements) => elements
                .iter()
                .fold(NONE, |all, element| all.min(self.outermost(element.value))),
            Expr::Map(entries) => entries.iter().fold(NONE, |all, entry| {
                all.min(self.outermost(entry.key))
                    .min(self.outermost(entry.value))
            }),
            Expr::Message { fields, .. } => fields
                .iter()
                .fold(NONE, |all, field| all.min(self.outermost(field.value))),
            Expr::Comprehension(comprehension) => self.inside(comprehension),
        };
        self.closed[id.index()] = outermost == NONE;
        outermost
    }

    fn is_type(&self, id: NodeId) -> bool {
        match self.checked.reference(id) {
            Some(Reference::Constant(_)) => true,
            Some(Reference::Name { .. }) => matches!(self.checked.type_of(id), Type::Meta(_)),
            _ => false,
        }
    }

    fn inside(&mut self, comprehension: &'a Comprehension) -> usize {
        let outside = self
            .outermost(comprehension.range)
            .min(self.outermost(comprehension.init));
        let depth = self.loops.len();
        self.loops.push(&comprehension.accumulator);
        self.loops.push(&comprehension.variable);
        let inside = [
            comprehension.condition,
            comprehension.step,
            comprehension.result,
        ]
        .into_iter()
        .fold(NONE, |all, part| all.min(self.outermost(part)));
        self.loops.truncate(depth);
        // Its own variables are not from outside.
        if inside > depth {
            outside
        } else {
            outside.min(inside)
        }
    }
}

/// Are two known values equal?
pub(in crate::cel) fn singles_equal(left: Single<'_>, right: Single<'_>) -> bool {
    left == right
}
