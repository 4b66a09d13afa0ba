//! Rewrites a cost expression step by step until the controller accepts it.

use super::hint::{call_at, signature, similar, undeclared_name};
use crate::cel::cost;
use crate::cel::evaluation::value::Failure;
use crate::cel::problem::{Fault, Problem};
use crate::cel::source::Span;
use crate::cel::syntax::ast::{Ast, Expr, Literal, NodeId};
use crate::cel::syntax::operator;
use crate::cel::syntax::parser::{Parsed, Syntax, parse};
use crate::cel::typing::checker::check as check_types;
use crate::cel::typing::env;

/// So many problems are fixed one after the other.
const STEP_LIMIT: usize = 12;
/// Longer texts are not for rewriting.
const TEXT_LIMIT: usize = 400;

/// A text that does what this one seems to mean and is accepted; none when no fix is known.
pub(in crate::cel) fn rewrite(text: &str) -> Option<String> {
    let mut current = text.to_owned();
    for step in 0..=STEP_LIMIT {
        if current.len() > TEXT_LIMIT {
            return None;
        }
        let parsed = parse(&current, Syntax { optionals: false }).ok()?;
        let edit = match check_types(parsed.clone(), &env::COST) {
            Err(problem) => for_problem(&problem, &current, &parsed)?,
            Ok(checked) => match cost::trial_failure(&checked) {
                None => return (step > 0).then_some(current),
                Some(failure) => for_failure(&failure, &current, &parsed)?,
            },
        };
        current.replace_range(edit.span, &edit.text);
    }
    None
}

/// A piece of text to put in place of another.
struct Edit {
    span: Span,
    text: String,
}

struct Source<'t> {
    text: &'t str,
    ast: &'t Ast,
}

impl Source<'_> {
    fn of(&self, id: NodeId) -> &str {
        self.text
            .get(self.ast.node(id).span.clone())
            .unwrap_or_default()
    }

    /// The text of an operand, in parentheses where another operator would tear it apart.
    fn operand(&self, id: NodeId) -> String {
        let text = self.of(id);
        let is_operation = match self.ast.expr(id) {
            Expr::Call { function, .. } => {
                operator::symbol(function).is_some() || **function == *operator::CONDITIONAL
            }
            _ => false,
        };
        if is_operation && !text.starts_with('(') {
            format!("({text})")
        } else {
            text.to_owned()
        }
    }

    /// The text of a part without parentheses around it.
    fn bare(&self, id: NodeId) -> &str {
        let text = self.of(id);
        let inner = text
            .strip_prefix('(')
            .and_then(|text| text.strip_suffix(')'));
        match (self.ast.expr(id), inner) {
            // The parentheses belong to each other only when the part itself has none at its ends.
            (Expr::Call { target: None, .. }, Some(inner)) if !inner.contains(['(', ')']) => inner,
            _ => text,
        }
    }

    fn edit(&self, id: NodeId, text: String) -> Edit {
        Edit {
            span: self.ast.node(id).span.clone(),
            text,
        }
    }

    /// An int as a uint: a literal gets its suffix.
    fn as_uint(&self, id: NodeId) -> Option<String> {
        let text = self.of(id);
        match self.ast.expr(id) {
            Expr::Literal(Literal::Int(value)) if *value >= 0 => Some(format!("{text}u")),
            Expr::Literal(Literal::Int(_)) => None,
            _ => Some(format!("uint({})", self.bare(id))),
        }
    }

    /// A number as a double: a literal gets its point.
    fn as_double(&self, id: NodeId) -> String {
        match self.ast.expr(id) {
            Expr::Literal(Literal::Int(value)) => format!("{value}.0"),
            Expr::Literal(Literal::Uint(value)) => format!("{value}.0"),
            _ => format!("double({})", self.bare(id)),
        }
    }
}

fn for_problem(problem: &Problem, text: &str, parsed: &Parsed) -> Option<Edit> {
    let source = Source {
        text,
        ast: &parsed.ast,
    };
    let at = problem.at.offset();
    if problem.class.fault == Fault::UndeclaredReference {
        let name = undeclared_name(problem)?;
        let known = similar(name, &env::COST)?;
        let is_there = text.get(at..at + name.len()) == Some(name);
        return is_there.then(|| Edit {
            span: at..at + name.len(),
            text: known.to_owned(),
        });
    }
    let (function, types) = signature(problem)?;
    let (id, args) = call_at(parsed, at, function)?;
    match (function, args.as_slice(), types.as_slice()) {
        (operator::CONDITIONAL, [_, _, otherwise], ["bool", "uint", "int"]) => source
            .as_uint(*otherwise)
            .map(|text| source.edit(*otherwise, text)),
        (operator::CONDITIONAL, [_, then, _], ["bool", "int", "uint"]) => {
            source.as_uint(*then).map(|text| source.edit(*then, text))
        }
        (operator::CONDITIONAL, [_, then, _], ["bool", "double", "uint" | "int"]) => {
            Some(source.edit(*then, format!("uint({})", source.of(*then))))
        }
        (operator::CONDITIONAL, [_, _, otherwise], ["bool", "uint" | "int", "double"]) => {
            Some(source.edit(*otherwise, format!("uint({})", source.of(*otherwise))))
        }
        (operator::IN, [_, list], ["uint", "list(int)"]) => {
            let Expr::List(elements) = parsed.ast.expr(*list) else {
                return None;
            };
            let texts = elements.iter().map(|element| source.as_uint(element.value));
            let texts: Vec<String> = texts.collect::<Option<_>>()?;
            Some(source.edit(*list, format!("[{}]", texts.join(", "))))
        }
        (_, [left, right], [left_type, right_type]) => {
            let symbol = operator::symbol(function)?;
            numbers(
                &source,
                id,
                symbol,
                (*left, *right),
                (left_type, right_type),
            )
        }
        _ => None,
    }
}

/// Brings two numbers of different types together.
fn numbers(
    source: &Source<'_>,
    id: NodeId,
    symbol: &str,
    (left, right): (NodeId, NodeId),
    types: (&str, &str),
) -> Option<Edit> {
    let is_arithmetic = matches!(symbol, "+" | "-" | "*" | "/" | "%");
    let joined = |left: String, right: String| {
        let text = format!("{left} {symbol} {right}");
        // A price per token is a double, the cost is whole again.
        source.edit(
            id,
            if is_arithmetic {
                format!("uint({text})")
            } else {
                text
            },
        )
    };
    match types {
        ("uint", "int") => source.as_uint(right).map(|text| source.edit(right, text)),
        ("int", "uint") => source.as_uint(left).map(|text| source.edit(left, text)),
        ("uint" | "int", "double") => Some(joined(source.as_double(left), source.operand(right))),
        ("double", "uint" | "int") => Some(joined(source.operand(left), source.as_double(right))),
        _ => None,
    }
}

fn for_failure(failure: &Failure, text: &str, parsed: &Parsed) -> Option<Edit> {
    let source = Source {
        text,
        ast: &parsed.ast,
    };
    let whole = |text: String| source.edit(parsed.root, text);
    let at = failure.at.unwrap_or(0);
    let operands = |function: &str| {
        let (id, args) = call_at(parsed, at, function)?;
        let [left, right] = args[..] else { return None };
        Some((id, source.operand(left), source.operand(right)))
    };
    let guarded = |id: NodeId, text: String| {
        let is_whole = id == parsed.root;
        source.edit(id, if is_whole { text } else { format!("({text})") })
    };
    match failure.fault {
        Fault::NotInteger if failure.message.ends_with("got double") => {
            Some(whole(format!("uint({})", source.of(parsed.root))))
        }
        Fault::NotInteger if failure.message.ends_with("got bool") => {
            Some(whole(format!("{} ? 1u : 0u", source.of(parsed.root))))
        }
        Fault::UintOverflow => {
            let (id, left, right) = operands(operator::SUBTRACT)?;
            Some(guarded(
                id,
                format!("{left} >= {right} ? {left} - {right} : 0u"),
            ))
        }
        Fault::DivisionByZero | Fault::ModulusByZero => {
            let (function, symbol) = match failure.fault {
                Fault::DivisionByZero => (operator::DIVIDE, '/'),
                _ => (operator::MODULO, '%'),
            };
            let (id, left, right) = operands(function)?;
            Some(guarded(
                id,
                format!("{right} == 0u ? 0u : {left} {symbol} {right}"),
            ))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::rewrite;
    use crate::cel::{Environment, check};

    #[test]
    fn rewrites_are_accepted() {
        for (text, expected) in [
            ("input_tokens * 0.1", "uint(double(input_tokens) * 0.1)"),
            ("input_tokens * 2", "input_tokens * 2u"),
            (
                "input_tokens + cached_input_tokens * 0.1 + output_tokens * 6",
                "input_tokens + uint(double(cached_input_tokens) * 0.1) + output_tokens * 6u",
            ),
            (
                "input_tokens > 100 ? 1u : 0",
                "input_tokens > 100u ? 1u : 0u",
            ),
            ("output_token * 2u", "output_tokens * 2u"),
            (
                "size(model) * input_tokens",
                "uint(size(model)) * input_tokens",
            ),
            (
                "input_tokens in [1, 2] ? 1u : 0u",
                "input_tokens in [1u, 2u] ? 1u : 0u",
            ),
            (
                "double(input_tokens) * 0.1",
                "uint(double(input_tokens) * 0.1)",
            ),
            ("input_tokens > 3u", "input_tokens > 3u ? 1u : 0u"),
            (
                "input_tokens - 1u",
                "input_tokens >= 1u ? input_tokens - 1u : 0u",
            ),
            (
                "(input_tokens + output_tokens) * 1.5",
                "uint(double(input_tokens + output_tokens) * 1.5)",
            ),
            (
                "input_tokens / output_tokens + 1u",
                "(output_tokens == 0u ? 0u : input_tokens / output_tokens) + 1u",
            ),
        ] {
            assert_eq!(rewrite(text).as_deref(), Some(expected), "{text}");
            assert!(check(Environment::Cost, expected).is_ok(), "{expected}");
        }
        for hopeless in ["-1", "input_tokens *", "foo(1)", "'a' + 1", ""] {
            assert_eq!(rewrite(hopeless), None, "{hopeless}");
        }
    }
}
