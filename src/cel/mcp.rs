//! MCP rules as the sidecar judges them when it loads its configuration: the text is trimmed, a blank one is no
//! condition, constants are computed at once. When a rule is evaluated there is a limit on the cost, and the
//! result must be a boolean.

use super::advice::hint;
use super::evaluation::evaluate::evaluate as evaluate_plan;
use super::evaluation::plan::plan;
use super::evaluation::value::{Failure, Value};
use super::part;
use super::problem::{Fault, Stage};
use super::refusal::{self, Refusal};
use super::request::{Place, Request};
use super::syntax::parser::{Syntax, parse};
use super::typing::checker::check as check_types;
use super::typing::env;
use super::{Accepted, Program};

/// cel-go's units of cost; about one for each selection.
const COST_LIMIT: u64 = 10_000;

/// The sidecar's judgement.
pub(super) fn check(given: &str) -> Result<Accepted, Refusal> {
    // White space is what Unicode calls so, in Go as in Rust.
    let offset = given.len() - given.trim_start().len();
    let text = given.trim();
    if text.is_empty() {
        return Ok(Accepted {
            result_type: String::new(),
            parts: Vec::new(),
            trial: None,
            warnings: Vec::new(),
            program: None,
        });
    }
    let place = refusal::Place { given, offset };
    let checked = parse(text, Syntax { optionals: true })
        .and_then(|parsed| check_types(parsed, &env::MCP))
        .map_err(|problem| {
            let mut refusal = Refusal::compile("failed to compile rule CEL", &problem, place);
            refusal.help = hint::for_problem(&problem, text, &env::MCP);
            refusal
        })?;
    plan(&checked, &env::MCP, true).map_err(|failure| {
        let prefix = "failed to build rule CEL program: ";
        Refusal::failure(prefix, Stage::Program, &failure, place)
    })?;
    Ok(Accepted {
        result_type: checked.type_of(checked.root).to_string(),
        parts: part::parts(&checked, offset, given),
        trial: None,
        warnings: Vec::new(),
        program: Some(Program {
            text: text.to_owned(),
            offset,
            checked,
        }),
    })
}

/// Does the rule match?
pub(super) fn evaluate(
    program: &Program,
    request: &Request,
    place: Place,
) -> Result<bool, Refusal> {
    let variables = [("request", request.activation(place))];
    let outcome = plan(&program.checked, &env::MCP, true)
        .and_then(|step| evaluate_plan(&step, &variables, Some(COST_LIMIT)));
    truth(outcome).map_err(|failure| {
        let text = refusal::Place {
            given: &program.text,
            offset: 0,
        };
        let mut refusal = Refusal::failure("", Stage::Eval, &failure, text);
        // The place is given in the text as it stands in the manifest only when nothing was trimmed.
        if program.offset > 0 {
            refusal.column += u32::try_from(program.offset).unwrap_or(0);
        }
        refusal
    })
}

fn truth(outcome: Result<Value, Failure>) -> Result<bool, Failure> {
    match outcome? {
        Value::Bool(value) => Ok(value),
        Value::Optional(Some(inner)) => truth(Ok((*inner).clone())),
        _ => {
            let message = "authorization CEL did not return a boolean";
            Err(Failure::new(Fault::NotBoolean, message))
        }
    }
}
