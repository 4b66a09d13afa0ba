//! What is known about variables where a part of an expression is evaluated, because of the conditions around it.

use std::collections::BTreeMap;

use super::interval::{Bounds, Text};
use crate::cel::syntax::ast::{Ast, Expr, Literal, NodeId};
use crate::cel::syntax::operator;

/// What the conditions around a place say.
#[derive(Clone, Debug, Default)]
pub(in crate::cel) struct Facts {
    counts: BTreeMap<String, Bounds>,
    texts: BTreeMap<String, Text>,
    /// Of two parts the first is not less than the second.
    at_least: Vec<(NodeId, NodeId)>,
    /// The first part is a key of the second.
    keys: Vec<(NodeId, NodeId)>,
}

/// So many facts are kept.
const LIMIT: usize = 64;

impl Facts {
    pub(in crate::cel) fn count(&self, variable: &str) -> Option<Bounds> {
        self.counts.get(variable).copied()
    }

    pub(in crate::cel) fn text(&self, variable: &str) -> Option<&Text> {
        self.texts.get(variable)
    }

    /// Is it known that `left >= right`?
    pub(in crate::cel) fn is_at_least(&self, ast: &Ast, left: NodeId, right: NodeId) -> bool {
        self.at_least
            .iter()
            .any(|(more, less)| same(ast, *more, left) && same(ast, *less, right))
    }

    /// Is it known that `key` is in `map`?
    pub(in crate::cel) fn is_key(&self, ast: &Ast, key: NodeId, map: NodeId) -> bool {
        self.keys
            .iter()
            .any(|(known, of)| same(ast, *known, key) && same(ast, *of, map))
    }

    /// These facts, and that a condition is true (or false).
    pub(in crate::cel) fn and(&self, ast: &Ast, condition: NodeId, holds: bool) -> Facts {
        let mut facts = self.clone();
        facts.assume(ast, condition, holds);
        facts
    }

    fn assume(&mut self, ast: &Ast, condition: NodeId, holds: bool) {
        let Expr::Call {
            function,
            target: None,
            args,
        } = ast.expr(condition)
        else {
            return;
        };
        match (&**function, args.as_slice()) {
            (operator::NOT, [inner]) => self.assume(ast, *inner, !holds),
            (operator::AND, [left, right]) if holds => {
                self.assume(ast, *left, true);
                self.assume(ast, *right, true);
            }
            (operator::OR, [left, right]) if !holds => {
                self.assume(ast, *left, false);
                self.assume(ast, *right, false);
            }
            (operator::IN, [key, container]) if holds => self.keep_key(ast, *key, *container),
            (comparison, [left, right]) => {
                let relation = match (comparison, holds) {
                    (operator::EQUALS, true) | (operator::NOT_EQUALS, false) => Relation::Equal,
                    (operator::EQUALS, false) | (operator::NOT_EQUALS, true) => Relation::Different,
                    (operator::LESS, true) | (operator::GREATER_EQUALS, false) => Relation::Less,
                    (operator::LESS_EQUALS, true) | (operator::GREATER, false) => Relation::AtMost,
                    (operator::GREATER, true) | (operator::LESS_EQUALS, false) => Relation::More,
                    (operator::GREATER_EQUALS, true) | (operator::LESS, false) => Relation::AtLeast,
                    _ => return,
                };
                self.compare(ast, *left, *right, relation);
                self.compare(ast, *right, *left, relation.turned());
            }
            _ => {}
        }
    }

    fn keep_key(&mut self, ast: &Ast, key: NodeId, container: NodeId) {
        if self.keys.len() < LIMIT {
            self.keys.push((key, container));
        }
        if let (Expr::Ident(variable), Expr::List(elements)) = (ast.expr(key), ast.expr(container))
        {
            let texts = elements
                .iter()
                .map(|element| match ast.expr(element.value) {
                    Expr::Literal(Literal::String(text)) => Some((&**text).into()),
                    _ => None,
                });
            if let Some(texts) = texts.collect::<Option<_>>() {
                self.texts.insert(variable.to_string(), Text::OneOf(texts));
            }
        }
    }

    fn compare(&mut self, ast: &Ast, left: NodeId, right: NodeId, relation: Relation) {
        if relation.implies_at_least() && self.at_least.len() < LIMIT {
            self.at_least.push((left, right));
        }
        match (ast.expr(left), ast.expr(right)) {
            (Expr::Ident(variable), Expr::Literal(Literal::Uint(value))) => {
                let bounds = self.count(variable).unwrap_or(Bounds::UINT);
                if let Some(bounds) = relation.narrow(bounds, i128::from(*value)) {
                    self.counts.insert(variable.to_string(), bounds);
                }
            }
            (Expr::Ident(variable), Expr::Literal(Literal::String(text)))
                if relation == Relation::Equal =>
            {
                self.texts.insert(variable.to_string(), Text::is(text));
            }
            _ => {}
        }
    }

    /// Facts inside a loop: a loop variable can hide any name.
    pub(in crate::cel) fn without(&self, variable: &str) -> Facts {
        let mut facts = self.clone();
        facts.counts.remove(variable);
        facts.texts.remove(variable);
        facts.at_least.clear();
        facts.keys.clear();
        facts
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Equal,
    Different,
    Less,
    AtMost,
    More,
    AtLeast,
}

impl Relation {
    /// The relation of the right side to the left one.
    fn turned(self) -> Relation {
        match self {
            Relation::Less => Relation::More,
            Relation::AtMost => Relation::AtLeast,
            Relation::More => Relation::Less,
            Relation::AtLeast => Relation::AtMost,
            same => same,
        }
    }

    fn implies_at_least(self) -> bool {
        matches!(self, Relation::Equal | Relation::More | Relation::AtLeast)
    }

    /// The bounds of something in this relation to `value`; none when it can tell nothing.
    fn narrow(self, bounds: Bounds, value: i128) -> Option<Bounds> {
        let limits = match self {
            Relation::Equal => Bounds::exactly(value),
            Relation::Different if bounds.low == value => Bounds::new(value + 1, i128::MAX),
            Relation::Different if bounds.high == value => Bounds::new(i128::MIN, value - 1),
            Relation::Different => return None,
            Relation::Less => Bounds::new(i128::MIN, value - 1),
            Relation::AtMost => Bounds::new(i128::MIN, value),
            Relation::More => Bounds::new(value + 1, i128::MAX),
            Relation::AtLeast => Bounds::new(value, i128::MAX),
        };
        bounds.within(limits)
    }
}

/// Are two parts written the same way? Without loop variables they then have the same value.
pub(in crate::cel) fn same(ast: &Ast, left: NodeId, right: NodeId) -> bool {
    if left == right {
        return true;
    }
    let all_same = |left: &[NodeId], right: &[NodeId]| {
        left.len() == right.len()
            && left
                .iter()
                .zip(right)
                .all(|(left, right)| same(ast, *left, *right))
    };
    match (ast.expr(left), ast.expr(right)) {
        (Expr::Literal(left), Expr::Literal(right)) => match (left, right) {
            (Literal::Null, Literal::Null) => true,
            (Literal::Bool(left), Literal::Bool(right)) => left == right,
            (Literal::Int(left), Literal::Int(right)) => left == right,
            (Literal::Uint(left), Literal::Uint(right)) => left == right,
            (Literal::Double(left), Literal::Double(right)) => left.to_bits() == right.to_bits(),
            (Literal::String(left), Literal::String(right)) => left == right,
            (Literal::Bytes(left), Literal::Bytes(right)) => left == right,
            _ => false,
        },
        (Expr::Ident(left), Expr::Ident(right)) => left == right,
        (
            Expr::Select {
                operand: left,
                field: left_field,
                presence_test: left_test,
            },
            Expr::Select {
                operand: right,
                field: right_field,
                presence_test: right_test,
            },
        ) => left_field == right_field && left_test == right_test && same(ast, *left, *right),
        (
            Expr::Call {
                function: left,
                target: left_target,
                args: left_args,
            },
            Expr::Call {
                function: right,
                target: right_target,
                args: right_args,
            },
        ) => {
            let targets = match (left_target, right_target) {
                (Some(left), Some(right)) => same(ast, *left, *right),
                (None, None) => true,
                _ => false,
            };
            left == right && targets && all_same(left_args, right_args)
        }
        (Expr::List(left), Expr::List(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| {
                    left.optional == right.optional && same(ast, left.value, right.value)
                })
        }
        (Expr::Map(left), Expr::Map(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| {
                    left.optional == right.optional
                        && same(ast, left.key, right.key)
                        && same(ast, left.value, right.value)
                })
        }
        _ => false,
    }
}
