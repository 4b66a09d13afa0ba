//! The answer of `cel`, for people and as JSON.

use std::fmt::Write;

use serde::Serialize;

use super::escape::escape;
use crate::cel::{Accepted, Refusal};

/// The value of an accepted expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evaluated {
    /// Of a cost.
    Cost(u64),
    /// Of an MCP rule: whether it matches the request.
    Matches(bool),
}

/// Everything that is known of an expression.
#[derive(Debug)]
pub struct Verdict<'a> {
    /// The expression as given.
    pub expression: &'a str,
    /// Whether it is accepted.
    pub checked: &'a Result<Accepted, Refusal>,
    /// Its value for the given inputs; `None` where nothing was evaluated.
    pub evaluated: &'a Option<Result<Evaluated, Refusal>>,
}

/// For people.
pub fn text(verdict: &Verdict<'_>) -> String {
    let mut out = String::new();
    match verdict.checked {
        Err(refusal) => refused(&mut out, verdict.expression, "refused", refusal),
        Ok(accepted) => {
            line(
                &mut out,
                format_args!("accepted, of type {}", type_name(accepted)),
            );
            types(&mut out, verdict.expression, accepted);
            warnings(&mut out, accepted);
            match verdict.evaluated {
                Some(Ok(Evaluated::Cost(value))) => line(&mut out, format_args!("value {value}")),
                Some(Ok(Evaluated::Matches(true))) => line(&mut out, format_args!("matches")),
                Some(Ok(Evaluated::Matches(false))) => {
                    line(&mut out, format_args!("does not match"));
                }
                Some(Err(refusal)) => {
                    refused(
                        &mut out,
                        verdict.expression,
                        "no value for these inputs",
                        refusal,
                    );
                }
                None => {}
            }
        }
    }
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text)
        .expect("writing to a String cannot fail");
    out.push('\n');
}

fn type_name(accepted: &Accepted) -> &str {
    match accepted.result_type.as_str() {
        "" => "nothing: the rule has no condition and matches everything",
        name => name,
    }
}

fn refused(out: &mut String, expression: &str, what: &str, refusal: &Refusal) {
    line(
        out,
        format_args!("{what} [{}]: {}", refusal.class, escape(&refusal.message)),
    );
    let number = refusal.line;
    if let Some(source) = expression
        .split('\n')
        .nth(number.saturating_sub(1) as usize)
    {
        let before = source
            .chars()
            .take(refusal.column.saturating_sub(1) as usize);
        let pad: usize = before
            .map(|c| escape(c.encode_utf8(&mut [0; 4])).chars().count())
            .sum();
        line(out, format_args!("{number:>4} | {}", escape(source)));
        line(out, format_args!("     | {}^", " ".repeat(pad)));
    }
    if let Some(help) = &refusal.help {
        line(out, format_args!("help: {}", escape(help)));
    }
}

fn types(out: &mut String, expression: &str, accepted: &Accepted) {
    let width = accepted
        .parts
        .iter()
        .map(|p| p.type_name.chars().count())
        .max()
        .unwrap_or(0);
    for part in &accepted.parts {
        line(
            out,
            format_args!(
                "  {}:{:<4} {:<width$}  {}",
                part.line,
                part.column,
                part.type_name,
                escape(part.text(expression))
            ),
        );
    }
}

fn warnings(out: &mut String, accepted: &Accepted) {
    for warning in &accepted.warnings {
        line(
            out,
            format_args!(
                "{}:{}: warning[{}]: {}",
                warning.line,
                warning.column,
                warning.concern,
                escape(&warning.message)
            ),
        );
    }
}

#[derive(Serialize)]
struct VerdictJson<'a> {
    ok: bool,
    class: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    result_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<serde_json::Value>,
    parts: Vec<PartJson<'a>>,
    warnings: Vec<WarningJson<'a>>,
}

#[derive(Serialize)]
struct PartJson<'a> {
    line: u32,
    column: u32,
    text: &'a str,
    #[serde(rename = "type")]
    type_name: &'a str,
}

#[derive(Serialize)]
struct WarningJson<'a> {
    code: String,
    line: u32,
    column: u32,
    message: &'a str,
}

/// For programs.
pub fn json(verdict: &Verdict<'_>) -> String {
    let accepted = verdict.checked.as_ref().ok();
    let failure = match (verdict.checked, verdict.evaluated) {
        (Err(refusal), _) | (_, Some(Err(refusal))) => Some(refusal),
        _ => None,
    };
    let class = failure.map(|f| f.class.to_string());
    let class = class
        .or_else(|| accepted.map(|a| a.class().to_string()))
        .unwrap_or_default();
    let value = match verdict.evaluated {
        Some(Ok(Evaluated::Cost(value))) => Some((*value).into()),
        Some(Ok(Evaluated::Matches(value))) => Some((*value).into()),
        _ => None,
    };
    let root = VerdictJson {
        ok: accepted.is_some(),
        class,
        message: failure.map(|f| f.message.as_str()),
        line: failure.map(|f| f.line),
        column: failure.map(|f| f.column),
        help: failure.and_then(|f| f.help.as_deref()),
        result_type: accepted.map(|a| a.result_type.as_str()),
        value,
        parts: accepted
            .map(|a| parts(verdict.expression, a))
            .unwrap_or_default(),
        warnings: accepted.map(|a| warnings_json(a)).unwrap_or_default(),
    };
    let mut text = serde_json::to_string_pretty(&root).expect("strings and numbers are JSON");
    text.push('\n');
    text
}

fn parts<'a>(expression: &'a str, accepted: &'a Accepted) -> Vec<PartJson<'a>> {
    let parts = accepted.parts.iter().map(|part| PartJson {
        line: part.line,
        column: part.column,
        text: part.text(expression),
        type_name: &part.type_name,
    });
    parts.collect()
}

fn warnings_json(accepted: &Accepted) -> Vec<WarningJson<'_>> {
    let warnings = accepted.warnings.iter().map(|warning| WarningJson {
        code: warning.concern.to_string(),
        line: warning.line,
        column: warning.column,
        message: &warning.message,
    });
    warnings.collect()
}
