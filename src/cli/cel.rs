//! `aigwctl cel`.

use std::fs;
use std::io::Read;

use clap::{Args, ValueEnum};

use crate::cel::{self, CostInputs, Environment, Place, Request};
use crate::failure::{Exit, Failure};
use crate::present::cel::{Evaluated, Verdict, json, text};
use crate::present::output::write;

/// Say whether an expression is accepted, of what type its parts are, and what value it has
#[derive(Debug, Clone, Args)]
pub struct CelArgs {
    /// The expression itself; after -- it may begin with -
    #[arg(
        value_name = "EXPR",
        required_unless_present = "file",
        conflicts_with = "file"
    )]
    pub expression: Option<String>,
    /// Read the expression from a file, or from standard input with -
    #[arg(short, long, value_name = "FILE")]
    pub file: Option<String>,
    /// Where the expression stands
    #[arg(long, value_enum, default_value_t = Env::Cost)]
    pub env: Env,
    /// A value for a cost: model, backend, route_name or a token count; may be repeated [default:
    /// the values of the controller's trial]
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// A request for an MCP expression, as JSON
    #[arg(long, value_name = "FILE")]
    pub request: Option<String>,
    /// Format of the answer
    #[arg(short, long, value_enum, default_value_t = Format::Text)]
    pub output: Format,
}

/// Values of `--env`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Env {
    /// A cost of a route, a GatewayConfig or a QuotaPolicy
    Cost,
    /// An authorization rule of an MCPRoute
    Mcp,
    /// A rule of an MCPRoute's backendSelector
    McpSelector,
}

/// Values of `-o`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

/// Runs the command: 0 when the expression is accepted, 1 when it is refused.
///
/// # Errors
/// When a file cannot be read or a value is none that can be set.
pub fn run(args: &CelArgs) -> Result<Exit, Failure> {
    let expression = expression(args)?;
    let environment = match args.env {
        Env::Cost => Environment::Cost,
        Env::Mcp => Environment::McpAuthorization,
        Env::McpSelector => Environment::McpBackendSelector,
    };
    let inputs = inputs(args)?;
    let request = request(args)?;
    let checked = cel::check(environment, &expression);
    let evaluated = checked
        .as_ref()
        .ok()
        .and_then(|accepted| match (args.env, &request) {
            (Env::Cost, _) => Some(accepted.cost(&inputs).map(Evaluated::Cost)),
            (Env::Mcp, Some(request)) => Some(
                accepted
                    .matches(request, Place::Authorization)
                    .map(Evaluated::Matches),
            ),
            (Env::McpSelector, Some(request)) => Some(
                accepted
                    .matches(request, Place::BackendSelector)
                    .map(Evaluated::Matches),
            ),
            (Env::Mcp | Env::McpSelector, None) => None,
        });
    let verdict = Verdict {
        expression: &expression,
        checked: &checked,
        evaluated: &evaluated,
    };
    let shown = match args.output {
        Format::Text => text(&verdict),
        Format::Json => json(&verdict),
    };
    write(None, shown.as_bytes())?;
    Ok(if checked.is_ok() {
        Exit::Clean
    } else {
        Exit::Findings
    })
}

fn expression(args: &CelArgs) -> Result<String, Failure> {
    let Some(file) = &args.file else {
        return Ok(args.expression.clone().unwrap_or_default());
    };
    let bytes = read(file)?;
    String::from_utf8(bytes).map_err(|_| {
        Failure::new(format!(
            "{file} is no UTF-8 text, so it holds no expression"
        ))
    })
}

fn read(file: &str) -> Result<Vec<u8>, Failure> {
    let failure = |e: std::io::Error| Failure::new(format!("cannot read {file}: {e}"));
    if file != "-" {
        return fs::read(file).map_err(failure);
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(failure)?;
    Ok(bytes)
}

fn inputs(args: &CelArgs) -> Result<CostInputs, Failure> {
    let mut inputs = CostInputs::default();
    for setting in &args.set {
        if args.env != Env::Cost {
            return Err(Failure::new("--set gives values to a cost")
                .hint("an MCP expression takes its values from --request"));
        }
        let (name, value) = setting
            .split_once('=')
            .ok_or_else(|| Failure::new(format!("--set {setting}: give it as NAME=VALUE")))?;
        inputs
            .set(name, value)
            .map_err(|problem| Failure::new(format!("--set {setting}: {problem}")))?;
    }
    Ok(inputs)
}

fn request(args: &CelArgs) -> Result<Option<Request>, Failure> {
    let Some(file) = &args.request else {
        return Ok(None);
    };
    if args.env == Env::Cost {
        return Err(Failure::new("--request is for MCP expressions").hint("give --env mcp"));
    }
    let failure = |e: &dyn std::fmt::Display| Failure::new(format!("{file}: {e}"));
    let value = serde_json::from_slice(&read(file)?).map_err(|e| failure(&e))?;
    Request::from_json(value).map(Some).map_err(|e| failure(&e))
}
