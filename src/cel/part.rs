//! The parts of an expression with their types.

use super::ast::Expr;
use super::checker::Checked;
use super::source::{Span, line_column};

/// A sub-expression that the author wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Where it is in the text.
    pub span: Span,
    /// Line of its start, from 1.
    pub line: u32,
    /// Column of its start in characters, from 1.
    pub column: u32,
    /// Its text.
    pub text: String,
    /// Its static type, as cel-go writes it.
    pub type_name: String,
}

/// Every written part, in the order of the text, outer before inner.
pub(super) fn parts(checked: &Checked, text: &str, offset: usize, given: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = checked
        .ast
        .iter()
        .filter(|(_, node)| node.written && !matches!(node.expr, Expr::Broken))
        .filter_map(|(id, node)| {
            let part_text = text.get(node.span.clone())?;
            let span = node.span.start + offset..node.span.end + offset;
            let (line, column) = line_column(given, span.start);
            let type_name = checked.type_of(id).to_string();
            Some(Part {
                span,
                line,
                column,
                text: part_text.to_owned(),
                type_name,
            })
        })
        .collect();
    parts.sort_by_key(|part| (part.span.start, std::cmp::Reverse(part.span.end)));
    parts.dedup();
    parts
}
