//! The parts of an expression with their types.

use super::source::{Positions, Span};
use super::syntax::ast::Expr;
use super::typing::checker::Checked;

/// A sub-expression that the author wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Where it is in the text.
    pub span: Span,
    /// Line of its start, from 1.
    pub line: u32,
    /// Column of its start in characters, from 1.
    pub column: u32,
    /// Its static type, as cel-go writes it.
    pub type_name: String,
}

impl Part {
    /// The text of the part, out of the expression that was checked.
    pub fn text<'t>(&self, expression: &'t str) -> &'t str {
        expression.get(self.span.clone()).unwrap_or_default()
    }
}

/// Every written part, in the order of the text, outer before inner. `offset`: how much of `given` was trimmed.
pub(super) fn parts(checked: &Checked, offset: usize, given: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = checked
        .ast
        .iter()
        .filter(|(_, node)| node.written && !matches!(node.expr, Expr::Broken))
        .map(|(id, node)| {
            let span = node.span.start + offset..node.span.end + offset;
            let type_name = checked.type_of(id).to_string();
            Part {
                span,
                line: 0,
                column: 0,
                type_name,
            }
        })
        .collect();
    parts.sort_by_key(|part| (part.span.start, std::cmp::Reverse(part.span.end)));
    parts.dedup();
    let mut positions = Positions::new(given);
    for part in &mut parts {
        (part.line, part.column) = positions.find(part.span.start);
    }
    parts
}
