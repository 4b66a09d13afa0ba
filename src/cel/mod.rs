//! CEL exactly as the gateway accepts, refuses and evaluates it (cel-go v0.28.1).
//!
//! [`check`] is the door: it takes the text of an expression and gives back what the controller (for costs) or the
//! sidecar (for MCP rules) would make of it. A refusal carries their words, a class and a place; an accepted
//! expression carries the type of each part, warnings about what no trial can see, and can be evaluated.
//!
//! ```text
//! text ──syntax──▶ tree ──typing──▶ types ──evaluation──▶ value
//!
//! cost: a trial with dummies and zeros, a rule for the result; advice on what the trial cannot see
//! mcp:  trimmed text, constants computed at once, a limit on the cost, a boolean as result
//! ```
//!
//! Nothing here panics or runs without end: sizes, nesting and work are bounded as upstream bounds them, and where
//! it does not, by limits of our own that no real expression meets.

mod advice;
mod cost;
mod evaluation;
mod mcp;
mod part;
mod problem;
mod refusal;
mod request;
mod source;
mod stack;
mod syntax;
mod typing;

pub use advice::warning::{Concern, Warning};
pub use cost::CostInputs;
pub use part::Part;
pub use problem::{Class, Fault, Stage};
pub use refusal::Refusal;
pub use request::{Place, Request};
pub use source::{Span, line_column};

use syntax::parser;
use typing::checker::Checked;

/// Where an expression stands, which decides what it can name and how it is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Environment {
    /// `llmRequestCosts`, `globalLLMRequestCosts`, a quota's `costExpression`: judged by the controller.
    Cost,
    /// `cel` of a rule in an MCPRoute's `authorization`: judged by the sidecar when it loads its configuration.
    McpAuthorization,
    /// `cel` of a rule in an MCPRoute's `backendSelector`: likewise.
    McpBackendSelector,
}

/// An expression that is accepted.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// The static type of the whole, as cel-go writes it; empty for a blank rule.
    pub result_type: String,
    /// Every part that the author wrote, outer before inner at the same start.
    pub parts: Vec<Part>,
    /// The result of the controller's trial; costs only.
    pub trial: Option<u64>,
    /// What the trial cannot see; costs only.
    pub warnings: Vec<Warning>,
    program: Option<Program>,
}

/// An accepted expression that has something to evaluate.
#[derive(Clone, Debug)]
struct Program {
    /// The text as it was compiled, without what was trimmed.
    text: String,
    /// How much was trimmed in front.
    offset: usize,
    checked: Checked,
}

impl Accepted {
    /// `ok`, or `ok-blank` for an MCP rule without a condition: it matches everything.
    pub fn class(&self) -> &'static str {
        if self.program.is_some() {
            "ok"
        } else {
            "ok-blank"
        }
    }

    /// Evaluates a cost as the sidecar does after a response.
    ///
    /// # Errors
    /// Why there is no cost for these inputs, with a class `eval/…`.
    pub fn cost(&self, inputs: &CostInputs) -> Result<u64, Refusal> {
        let Some(program) = &self.program else {
            return Ok(0);
        };
        stack::with_room(&program.text, || cost::evaluate(program, inputs))
    }

    /// Does an MCP rule with this condition match the request?
    ///
    /// # Errors
    /// Why the condition has no answer, with a class `eval/…`; the sidecar logs it and the rule does not match.
    pub fn matches(&self, request: &Request, place: Place) -> Result<bool, Refusal> {
        let Some(program) = &self.program else {
            return Ok(true);
        };
        stack::with_room(&program.text, || mcp::evaluate(program, request, place))
    }
}

/// What the gateway makes of an expression.
///
/// # Errors
/// Why it is refused: by the controller for a cost, by the sidecar for an MCP rule.
pub fn check(environment: Environment, text: &str) -> Result<Accepted, Refusal> {
    stack::with_room(text, || match environment {
        Environment::Cost => cost::check(text),
        Environment::McpAuthorization | Environment::McpBackendSelector => mcp::check(text),
    })
}

/// Whether the sidecar can compile a regular expression, as it does for tool selectors.
///
/// # Errors
/// What is wrong with it.
pub fn check_re2(pattern: &str) -> Result<(), String> {
    evaluation::re2::compile(pattern)
        .map(drop)
        .map_err(|failure| failure.message)
}

/// Is the text an expression at all? Its names and types are not looked at; blank text is none.
pub fn is_expression(environment: Environment, text: &str) -> bool {
    let optionals = environment != Environment::Cost;
    stack::with_room(text, || {
        parser::parse(text, parser::Syntax { optionals }).is_ok()
    })
}
