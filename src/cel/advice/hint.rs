//! Help for a person: what a refusal means, and what to write instead.
//!
//! A rewrite is only given when it works: the fixes for the problems found one after the other are applied to the
//! text until the controller would accept it.

use super::fix;
use crate::cel::evaluation::value::Failure;
use crate::cel::problem::{Fault, Problem};
use crate::cel::syntax::ast::{Expr, NodeId};
use crate::cel::syntax::operator;
use crate::cel::syntax::parser::{Parsed, Syntax, parse};
use crate::cel::typing::checker::Checked;
use crate::cel::typing::env::{self, Env};

/// Help for a text that does not compile.
pub(in crate::cel) fn for_problem(problem: &Problem, text: &str, env: &Env) -> Option<String> {
    let meaning = match problem.class.fault {
        Fault::Syntax => syntax(problem, text),
        Fault::Literal => Some(
            "numbers are 64 bit: from -9223372036854775808 to 9223372036854775807, unsigned \
             (`5u`) to 18446744073709551615"
                .to_owned(),
        ),
        Fault::ReservedIdentifier => {
            Some("this word is reserved; a choice is written `condition ? a : b`".to_owned())
        }
        Fault::Macro if problem.message.contains("has()") => Some(
            "`has` takes a selection: `has(map.key)`; for other keys write `'key' in map`"
                .to_owned(),
        ),
        Fault::Macro => Some("the first argument names the loop variable".to_owned()),
        Fault::UnsupportedSyntax => {
            Some("optional values are not available in cost expressions".to_owned())
        }
        Fault::UndeclaredReference => undeclared(problem, text, env),
        Fault::NoOverload => no_overload(problem, text, env),
        Fault::ComprehensionRange => Some("only lists and maps can be looped over".to_owned()),
        Fault::NoFieldSelection => Some("only maps and messages have fields".to_owned()),
        Fault::TypeMismatch => Some(
            "`&&`, `||` and the predicates of macros take booleans; compare first: `x != 0u`"
                .to_owned(),
        ),
        _ => None,
    };
    with_rewrite(meaning, text, env)
}

/// Help for an expression whose trial fails.
pub(in crate::cel) fn for_trial(
    failure: &Failure,
    checked: &Checked,
    text: &str,
) -> Option<String> {
    const TRIAL: &str = "the controller tries every cost once, with all token counts 0 and model, \
                         backend and route_name \"dummy\"";
    let meaning = match failure.fault {
        Fault::Negative => "a cost is stored as an unsigned number, so it can never be negative; \
                            compare before you subtract, or leave the minus away"
            .to_owned(),
        Fault::NotInteger => {
            let type_ = checked.type_of(checked.root);
            format!(
                "a cost is a whole number (int or uint), and the type of this expression is {type_}"
            )
        }
        Fault::UintOverflow => format!("{TRIAL}, and unsigned numbers cannot go below zero"),
        Fault::DivisionByZero | Fault::ModulusByZero => {
            format!("{TRIAL}, so dividing by a token count needs a guard")
        }
        Fault::NoSuchKey => format!("{TRIAL}, and the map has no such key"),
        Fault::NanOrder => {
            format!("{TRIAL}; 0.0 / 0.0 is NaN, which is neither smaller nor larger than anything")
        }
        Fault::NoSuchOverload => format!(
            "{TRIAL}; with `dyn` the types are compared only then, and arithmetic never mixes them"
        ),
        Fault::Regex => {
            "patterns are RE2: no look-around, no backreferences, repeat counts up to 1000"
                .to_owned()
        }
        Fault::IndexOutOfBounds | Fault::Conversion | Fault::Limit => TRIAL.to_owned(),
        _ => return None,
    };
    with_rewrite(Some(meaning), text, &env::COST)
}

fn with_rewrite(meaning: Option<String>, text: &str, env: &Env) -> Option<String> {
    let rewrite = if env.has_optionals() {
        None
    } else {
        fix::rewrite(text)
    };
    match (meaning, rewrite) {
        (Some(meaning), Some(rewrite)) => {
            let stop = if meaning.ends_with('?') { "" } else { "." };
            Some(format!("{meaning}{stop} Write `{rewrite}`"))
        }
        (None, Some(rewrite)) => Some(format!("write `{rewrite}`")),
        (meaning, None) => meaning,
    }
}

fn syntax(problem: &Problem, text: &str) -> Option<String> {
    let (before, rest) = text
        .split_at_checked(problem.at.offset())
        .unwrap_or((text, ""));
    let word = rest
        .split(|c: char| !c.is_ascii_alphanumeric())
        .next()
        .unwrap_or_default();
    let help = match rest.chars().next() {
        _ if text.trim().is_empty() => "the expression is empty",
        None => "the expression ends too early",
        Some('=') => "equality is written `==`",
        Some('&') => "both conditions: `a && b`",
        Some('|') => "either condition: `a || b`",
        Some(';') => "an expression has no semicolon",
        Some('^' | '*') if rest.starts_with("**") || rest.starts_with('^') => {
            "there is no power operator"
        }
        Some(',') => "numbers have no thousands separators; lists stand in brackets: `[a, b]`",
        Some('"' | '\'') if problem.message.contains("token recognition error") => {
            "the text has no closing quote of the same kind on this line"
        }
        Some('_') if before.ends_with(|c: char| c.is_ascii_digit()) => {
            "numbers have no digit separators"
        }
        Some('×' | '·') => "multiplication is written `*`",
        Some('“' | '”' | '‘' | '’') => "texts stand in straight quotes: 'text' or \"text\"",
        Some('?') => "inside the middle of `a ? b : c` another choice needs parentheses",
        Some(_) => match word.to_ascii_lowercase().as_str() {
            "and" => "both conditions: `a && b`",
            "or" => "either condition: `a || b`",
            "not" => "negation is written `!a`",
            "then" | "else" => "a choice is written `condition ? a : b`",
            _ => return None,
        },
    };
    Some(help.to_owned())
}

/// The name that an undeclared reference has, out of cel-go's words.
pub(in crate::cel) fn undeclared_name(problem: &Problem) -> Option<&str> {
    problem
        .message
        .strip_prefix("undeclared reference to '")?
        .split('\'')
        .next()
}

/// The known name that is spelled most like it.
pub(in crate::cel) fn similar(name: &str, env: &Env) -> Option<&'static str> {
    let known = env.variable_names().chain(env.function_names());
    known
        .filter(|known| known.starts_with(|first: char| first.is_ascii_alphabetic()))
        .map(|known| (strsim::damerau_levenshtein(name, known), known))
        .filter(|(distance, known)| *distance <= 1 + known.len() / 6)
        .min()
        .map(|(_, known)| known)
}

fn undeclared(problem: &Problem, text: &str, env: &Env) -> Option<String> {
    let name = undeclared_name(problem)?;
    let before = text
        .get(..problem.at.offset())
        .unwrap_or_default()
        .trim_end();
    if env.has_optionals() && before.ends_with('-') && before.contains("headers.") {
        return Some("a header with a dash is an index: `request.headers['x-name']`".to_owned());
    }
    if let Some(similar) = similar(name, env) {
        return Some(format!("did you mean `{similar}`?"));
    }
    let variables: Vec<&str> = env.variable_names().collect();
    Some(match name {
        "max" | "greatest" => "there is no maximum: write `a > b ? a : b`".to_owned(),
        "min" | "least" => "there is no minimum: write `a < b ? a : b`".to_owned(),
        "ceil" | "floor" | "round" | "math" => {
            "there are no mathematical functions: `uint(x)` cuts off the \
                                                fraction, `uint(x + 0.5)` rounds"
                .to_owned()
        }
        "completion_tokens" | "prompt_tokens" | "cached_tokens" => {
            let known = match name {
                "completion_tokens" => "output_tokens",
                "prompt_tokens" => "input_tokens",
                _ => "cached_input_tokens",
            };
            format!("the name here is `{known}`")
        }
        "bind" | "cel" => "`cel.bind` is an extension that is not available here".to_owned(),
        "optional" | "of" if !env.has_optionals() => {
            "optional values are not available in cost expressions".to_owned()
        }
        "lower" | "upper" | "lowerAscii" | "upperAscii" | "split" | "replace" | "substring"
        | "trim" | "join" | "indexOf" | "format" => {
            "the extensions for texts are not available here; there are \
                                   contains, startsWith, endsWith, matches and size"
                .to_owned()
        }
        _ => format!("the variables here are {}", variables.join(", ")),
    })
}

/// The operand types in cel-go's words.
pub(in crate::cel) fn signature(problem: &Problem) -> Option<(&str, Vec<&str>)> {
    let rest = problem
        .message
        .strip_prefix("found no matching overload for '")?;
    let (function, rest) = rest.split_once("' applied to '(")?;
    Some((function, rest.strip_suffix(")'")?.split(", ").collect()))
}

/// The call that a problem is about.
pub(in crate::cel) fn call_at(
    parsed: &Parsed,
    at: usize,
    function: &str,
) -> Option<(NodeId, Vec<NodeId>)> {
    parsed.ast.iter().find_map(|(id, node)| match &node.expr {
        Expr::Call {
            function: name,
            args,
            ..
        } if node.at == at && **name == *function => Some((id, args.clone())),
        _ => None,
    })
}

fn no_overload(problem: &Problem, text: &str, env: &Env) -> Option<String> {
    let (function, types) = signature(problem)?;
    let parsed = parse(
        text,
        Syntax {
            optionals: env.has_optionals(),
        },
    )
    .ok()?;
    let (_, args) = call_at(&parsed, problem.at.offset(), function)?;
    let source = |id: &NodeId| {
        text.get(parsed.ast.node(*id).span.clone())
            .unwrap_or_default()
    };
    let shown = |id: &NodeId| {
        let text = source(id);
        if text.chars().count() > 40 {
            "it".to_owned()
        } else {
            format!("`{text}`")
        }
    };
    Some(
        match (
            operator::symbol(function),
            args.as_slice(),
            types.as_slice(),
        ) {
            (Some(symbol), [left, right], [left_type, right_type]) => format!(
                "{} is {}, {} is {}, and `{symbol}` takes no such pair{}",
                shown(left),
                article(left_type),
                shown(right),
                article(right_type),
                pair_advice(symbol, left_type, right_type),
            ),
            (None, [text, part], ["string", "string"])
                if ["contains", "startsWith", "endsWith"].contains(&function) =>
            {
                format!(
                    "it is a method of the text: `{}.{function}({})`",
                    source(text),
                    source(part)
                )
            }
            (None, [operand], [type_]) if function == operator::NOT => {
                format!(
                    "{} is {}, and `!` takes a bool: compare first",
                    shown(operand),
                    article(type_)
                )
            }
            (None, [_, then, otherwise], [condition, then_type, otherwise_type])
                if function == operator::CONDITIONAL =>
            {
                if *condition == "bool" {
                    format!(
                        "both branches need one type: {} is {}, {} is {}",
                        shown(then),
                        article(then_type),
                        shown(otherwise),
                        article(otherwise_type),
                    )
                } else {
                    format!("the condition is {} and must be a bool", article(condition))
                }
            }
            (None, [operand], [type_]) if function == operator::NEGATE => format!(
                "{} is {}, which has no minus{}",
                shown(operand),
                article(type_),
                if *type_ == "uint" {
                    ": a cost can never be negative"
                } else {
                    ""
                },
            ),
            _ => return None,
        },
    )
}

/// Why an operator does not take the two types.
fn pair_advice(symbol: &str, left: &str, right: &str) -> &'static str {
    match (left, right) {
        _ if symbol == "in" && right == "string" => {
            ": `in` looks into lists and maps; for a part of a text write `text.contains(part)`"
        }
        _ if symbol == "in" && !right.contains('(') => ": `in` looks into lists and maps",
        ("null", _) | (_, "null") => ": it is never null",
        ("string", _) | (_, "string") => ": texts stand in quotes and go with texts only",
        _ => ": numbers are never converted silently",
    }
}

fn article(type_: &str) -> String {
    let article = if type_.starts_with(['a', 'e', 'i', 'o']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {type_}")
}
