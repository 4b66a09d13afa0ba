//! Warnings about accepted cost expressions: what the controller's one trial, with dummies and zeros, cannot see.

use std::fmt;

use super::analysis::{Findings, analyze};
use crate::cel::problem::Fault;
use crate::cel::source::{Positions, Span};
use crate::cel::syntax::ast::{Ast, Expr, Literal, NodeId};
use crate::cel::syntax::operator;
use crate::cel::typing::checker::Checked;
use crate::cel::typing::types::Type;

/// What kind of surprise an accepted expression holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Concern {
    /// For some token counts or names the evaluation fails in this way. The sidecar then drops all cost metadata
    /// of the request.
    Fails(Fault),
    /// A comparison that no real value can satisfy.
    NeverTrue,
    /// It treats the trial's dummy name specially, so the trial says nothing about real names.
    DummyName,
    /// A whole number becomes a double that cannot hold all its digits.
    Precision,
}

impl fmt::Display for Concern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Concern::Fails(fault) => write!(f, "{fault}"),
            Concern::NeverTrue => f.write_str("never-true"),
            Concern::DummyName => f.write_str("dummy-name"),
            Concern::Precision => f.write_str("precision"),
        }
    }
}

impl Concern {
    /// The code of a finding about it.
    pub fn id(self) -> &'static str {
        match self {
            Concern::Fails(_) => "cel-may-fail",
            Concern::NeverTrue => "cel-never-true",
            Concern::DummyName => "cel-dummy-name",
            Concern::Precision => "cel-precision",
        }
    }
}

/// A warning about an accepted expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What kind it is.
    pub concern: Concern,
    /// Which part causes it.
    pub span: Span,
    /// Line of its start, from 1.
    pub line: u32,
    /// Column of its start in characters, from 1.
    pub column: u32,
    /// What can happen, and what to do about it.
    pub message: String,
}

/// Nobody reads more warnings of a kind than this.
const LIMIT: usize = 100;
const DROPPED: &str = "the evaluation fails and the request's cost metadata is dropped";

/// Everything worth a warning, in the order of the text.
pub(in crate::cel) fn warnings(checked: &Checked, text: &str) -> Vec<Warning> {
    let advisor = Advisor {
        checked,
        ast: &checked.ast,
        text,
    };
    let findings = analyze(checked);
    let mut warnings = advisor.failures(&findings);
    warnings.extend(advisor.inexact(&findings));
    warnings.extend(advisor.comparisons());
    warnings.sort_by_key(|warning| (warning.span.start, warning.span.end, warning.concern));
    warnings.dedup();
    let mut positions = Positions::new(text);
    for warning in &mut warnings {
        (warning.line, warning.column) = positions.find(warning.span.start);
    }
    warnings
}

struct Advisor<'a> {
    checked: &'a Checked,
    ast: &'a Ast,
    text: &'a str,
}

impl Advisor<'_> {
    fn warning(&self, concern: Concern, id: NodeId, message: String) -> Warning {
        let span = self.ast.node(id).span.clone();
        Warning {
            concern,
            span,
            line: 0,
            column: 0,
            message,
        }
    }

    /// The text of a part, shortened.
    fn shown(&self, id: NodeId) -> String {
        let text = self
            .text
            .get(self.ast.node(id).span.clone())
            .unwrap_or_default();
        match text.char_indices().nth(60) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.to_owned(),
        }
    }

    fn failures(&self, findings: &Findings) -> Vec<Warning> {
        let mut warnings: Vec<Warning> = findings
            .failures
            .iter()
            .map(|(fault, id)| self.warning(Concern::Fails(*fault), *id, self.failure(*fault, *id)))
            .collect();
        let root = self.checked.root;
        let result = &findings.result;
        if result.int.is_some_and(|bounds| bounds.low < 0) {
            let shown = self.shown(root);
            let message = format!(
                "`{shown}` can be negative, and a cost cannot: then {DROPPED}. Use unsigned \
                 arithmetic with a guard, for example `a >= b ? a - b : 0u`"
            );
            warnings.push(self.warning(Concern::Fails(Fault::Negative), root, message));
        }
        let is_number = result.whole_number().is_some();
        let is_reached = result.int.is_some() || result.uint.is_some();
        if !is_number && is_reached {
            let message = format!(
                "the result is not a whole number for every model, backend and token count: where \
                 it is not, {DROPPED}. Wrap the whole in `uint(…)`"
            );
            warnings.push(self.warning(Concern::Fails(Fault::NotInteger), root, message));
        }
        warnings
    }

    /// How a part fails, and what helps.
    fn failure(&self, fault: Fault, id: NodeId) -> String {
        let shown = self.shown(id);
        let operands = match self.ast.expr(id) {
            Expr::Call { args, .. } => args.iter().map(|arg| self.shown(*arg)).collect(),
            _ => Vec::new(),
        };
        match (fault, operands.as_slice()) {
            (Fault::UintOverflow, [left, right]) if self.is(id, operator::SUBTRACT) => format!(
                "`{shown}` goes below zero when `{right}` is larger than `{left}`, and an unsigned \
                 number cannot: {DROPPED}. Guard it: `{left} >= {right} ? {left} - {right} : 0u`"
            ),
            (Fault::UintOverflow, [_, _]) => format!(
                "`{shown}` can exceed 18446744073709551615, the largest unsigned number: {DROPPED}"
            ),
            (Fault::UintOverflow, _) => format!(
                "`{shown}` fails for values below zero, for NaN and beyond 64 bits: then {DROPPED}. \
                 Make sure that its argument is not negative"
            ),
            (Fault::IntOverflow, _) => {
                format!("`{shown}` can leave the range of 64-bit integers: then {DROPPED}")
            }
            (Fault::DivisionByZero | Fault::ModulusByZero, [left, right]) => {
                self.division(fault, id, left, right)
            }
            (Fault::NoSuchKey, [map, key]) => format!(
                "`{shown}` fails for every `{key}` that is not a key of the map: then {DROPPED}. \
                 Guard it: `{key} in {map} ? {shown} : 0u`"
            ),
            (Fault::IndexOutOfBounds, _) => {
                format!("`{shown}` asks for an element that may not be there: then {DROPPED}")
            }
            (Fault::Conversion, _) => format!(
                "`{shown}` fails for every text that does not spell such a value: then {DROPPED}"
            ),
            (Fault::NanOrder, _) => {
                format!(
                    "`{shown}` can compare NaN (as from 0.0 / 0.0), which has no order: then {DROPPED}"
                )
            }
            (Fault::Regex, _) => {
                format!("the pattern of `{shown}` may be none that RE2 accepts: then {DROPPED}")
            }
            (Fault::NoSuchOverload, _) => format!(
                "`{shown}` mixes types that are known only when it is evaluated: {DROPPED} where \
                 they differ"
            ),
            _ => format!("`{shown}` can fail ({fault}): then {DROPPED}"),
        }
    }

    fn division(&self, fault: Fault, id: NodeId, left: &str, right: &str) -> String {
        let operator = if fault == Fault::DivisionByZero {
            '/'
        } else {
            '%'
        };
        let zero = match self.checked.type_of(id) {
            Type::Uint => "0u",
            _ => "0",
        };
        if right.trim_end_matches('u') == "0" {
            return format!(
                "`{left} {operator} {right}` always fails where it is reached: {DROPPED}"
            );
        }
        format!(
            "`{right}` can be zero: then {DROPPED}. Guard it: \
             `{right} == {zero} ? {zero} : {left} {operator} {right}`"
        )
    }

    fn is(&self, id: NodeId, name: &str) -> bool {
        matches!(self.ast.expr(id), Expr::Call { function, .. } if **function == *name)
    }

    /// Of conversions around each other only the innermost is named.
    fn inexact(&self, findings: &Findings) -> Vec<Warning> {
        let span = |id: &NodeId| &self.ast.node(*id).span;
        let is_inside = |inner: &NodeId, outer: &NodeId| {
            span(outer).start <= span(inner).start
                && span(inner).end <= span(outer).end
                && span(inner) != span(outer)
        };
        let all = &findings.inexact;
        let innermost = all
            .iter()
            .filter(|id| !all.iter().any(|other| is_inside(other, id)));
        innermost.map(|id| self.precision(*id)).collect()
    }

    fn precision(&self, id: NodeId) -> Warning {
        let shown = self.shown(id);
        let message = format!(
            "`{shown}` goes through a double beyond 9007199254740992, where not every whole number \
             has one: the cost can be off by some units"
        );
        self.warning(Concern::Precision, id, message)
    }

    /// Comparisons of names with texts.
    fn comparisons(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for (id, node) in self.ast.iter() {
            if warnings.len() >= LIMIT {
                break;
            }
            let Expr::Call {
                function,
                target,
                args,
            } = &node.expr
            else {
                continue;
            };
            match (&**function, target, args.as_slice()) {
                (operator::EQUALS | operator::NOT_EQUALS, None, [left, right]) => {
                    for (name, text) in [(*left, *right), (*right, *left)] {
                        warnings.extend(self.comparison(id, function, name, &[text]));
                    }
                }
                (operator::IN, None, [name, container]) => {
                    let texts = self.members(*container);
                    warnings.extend(self.comparison(id, function, *name, &texts));
                }
                (operator::INDEX, None, [map, name]) => {
                    let keys = self.members(*map);
                    warnings.extend(self.dummy(id, *name, &keys));
                }
                ("startsWith" | "endsWith" | "contains", Some(name), [text]) => {
                    warnings.extend(self.dummy(id, *name, &[*text]));
                }
                _ => {}
            }
        }
        warnings
    }

    /// The elements of a list, the keys of a map.
    fn members(&self, container: NodeId) -> Vec<NodeId> {
        match self.ast.expr(container) {
            Expr::List(elements) => elements.iter().map(|element| element.value).collect(),
            Expr::Map(entries) => entries.iter().map(|entry| entry.key).collect(),
            _ => Vec::new(),
        }
    }

    fn name(&self, id: NodeId) -> Option<&str> {
        match self.ast.expr(id) {
            Expr::Ident(name) if ["model", "backend", "route_name"].contains(&&**name) => {
                Some(name)
            }
            _ => None,
        }
    }

    fn literal(&self, id: NodeId) -> Option<&str> {
        match self.ast.expr(id) {
            Expr::Literal(Literal::String(text)) => Some(text),
            _ => None,
        }
    }

    fn comparison(
        &self,
        id: NodeId,
        function: &str,
        name: NodeId,
        texts: &[NodeId],
    ) -> Option<Warning> {
        let dummy = self.dummy(id, name, texts);
        if dummy.is_some() {
            return dummy;
        }
        let variable = self.name(name)?;
        let texts: Option<Vec<&str>> = texts.iter().map(|text| self.literal(*text)).collect();
        let texts = texts.filter(|texts| !texts.is_empty())?;
        if texts.iter().any(|text| can_be(variable, text)) {
            return None;
        }
        let always = if function == operator::NOT_EQUALS {
            "true"
        } else {
            "false"
        };
        let (form, example) = form(variable, texts[0]);
        let shown = self.shown(id);
        let message = format!(
            "`{shown}` is always {always}: the value of `{variable}` is {form}. Write `{example}`"
        );
        Some(self.warning(Concern::NeverTrue, id, message))
    }

    fn dummy(&self, id: NodeId, name: NodeId, texts: &[NodeId]) -> Option<Warning> {
        let variable = self.name(name)?;
        let is_dummy = |text: &str| text.len() > 2 && "dummy".starts_with(text);
        texts
            .iter()
            .filter_map(|text| self.literal(*text))
            .find(|text| is_dummy(text))?;
        let message = format!(
            "the controller tries the expression once, with `{variable}` = \"dummy\"; `{}` treats \
             that name specially, so the trial says nothing about real names",
            self.shown(id)
        );
        Some(self.warning(Concern::DummyName, id, message))
    }
}

/// Can the variable have this value in a running gateway?
fn can_be(variable: &str, text: &str) -> bool {
    let parts: Vec<&str> = text.split('/').collect();
    match (variable, parts.as_slice()) {
        ("model", _) => true,
        ("route_name", [namespace, name]) => !namespace.is_empty() && !name.is_empty(),
        ("backend", [namespace, name, "route", rest @ ..]) => {
            !namespace.is_empty() && !name.is_empty() && rest.len() >= 5
        }
        _ => false,
    }
}

/// The form of a variable's values, and a comparison that works.
fn form(variable: &str, text: &str) -> (&'static str, String) {
    if variable == "route_name" {
        let name = text.rsplit('/').next().unwrap_or(text);
        return (
            "`namespace/name` of the route",
            format!("route_name == '<namespace>/{name}'"),
        );
    }
    let prefix = match (text.split_once('/'), text.rsplit_once('.')) {
        (Some((namespace, name)), _) => {
            format!("{namespace}/{}", name.split('/').next().unwrap_or(name))
        }
        (None, Some((name, namespace))) => format!("{namespace}/{name}"),
        _ => format!("<namespace>/{text}"),
    };
    (
        "`namespace/name/route/…/rule/…/ref/…`, not `name.namespace`",
        format!("backend.startsWith('{prefix}/')"),
    )
}
