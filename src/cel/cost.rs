//! LLM cost expressions as the controller judges them: compile, plan, one trial with dummies and zeros, and the
//! result must be a whole number that is not negative. The text is not trimmed.

use super::advice::hint;
use super::advice::warning;
use super::evaluation::evaluate::evaluate as evaluate_plan;
use super::evaluation::plan::plan;
use super::evaluation::value::{Failure, Outcome, Value};
use super::part;
use super::problem::{Fault, Stage};
use super::refusal::{Place, Refusal};
use super::syntax::parser::{Syntax, parse};
use super::typing::checker::{Checked, check as check_types};
use super::typing::env;
use super::{Accepted, Program};

/// What a cost expression can refer to. Unless set, everything is as in the controller's trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostInputs {
    /// The model after a `modelNameOverride`.
    pub model: String,
    /// The full name of the backend reference: `namespace/name/route/…/rule/…/ref/…`.
    pub backend: String,
    /// `namespace/name` of the route.
    pub route_name: String,
    /// Tokens of the request, in tokens like all counts.
    pub input_tokens: u32,
    /// Those of them that were read from a cache.
    pub cached_input_tokens: u32,
    /// Those of them that were written to a cache.
    pub cache_creation_input_tokens: u32,
    /// Tokens of the response.
    pub output_tokens: u32,
    /// Both together.
    pub total_tokens: u32,
    /// Tokens of reasoning in the response.
    pub reasoning_tokens: u32,
}

impl Default for CostInputs {
    fn default() -> CostInputs {
        let dummy = || "dummy".to_owned();
        CostInputs {
            model: dummy(),
            backend: dummy(),
            route_name: dummy(),
            input_tokens: 0,
            cached_input_tokens: 0,
            cache_creation_input_tokens: 0,
            output_tokens: 0,
            total_tokens: 0,
            reasoning_tokens: 0,
        }
    }
}

impl CostInputs {
    /// The names of the variables, in the order of their declaration.
    pub fn names() -> impl Iterator<Item = &'static str> {
        env::COST.variable_names()
    }

    /// Sets a variable by its name.
    ///
    /// # Errors
    /// The name is not one of [`CostInputs::names`], or the text is no 32-bit count for one that counts tokens.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let count = || {
            value.parse().map_err(|_| {
                format!(
                    "{name} is a token count: a whole number from 0 to {}",
                    u32::MAX
                )
            })
        };
        match name {
            "model" => self.model = value.to_owned(),
            "backend" => self.backend = value.to_owned(),
            "route_name" => self.route_name = value.to_owned(),
            "input_tokens" => self.input_tokens = count()?,
            "cached_input_tokens" => self.cached_input_tokens = count()?,
            "cache_creation_input_tokens" => self.cache_creation_input_tokens = count()?,
            "output_tokens" => self.output_tokens = count()?,
            "total_tokens" => self.total_tokens = count()?,
            "reasoning_tokens" => self.reasoning_tokens = count()?,
            _ => {
                let names: Vec<&str> = CostInputs::names().collect();
                return Err(format!(
                    "no variable {name:?}; there are {}",
                    names.join(", ")
                ));
            }
        }
        Ok(())
    }

    fn variables(&self) -> [(&'static str, Value); 9] {
        [
            ("model", Value::string(&self.model)),
            ("backend", Value::string(&self.backend)),
            ("route_name", Value::string(&self.route_name)),
            ("input_tokens", Value::Uint(self.input_tokens.into())),
            (
                "cached_input_tokens",
                Value::Uint(self.cached_input_tokens.into()),
            ),
            (
                "cache_creation_input_tokens",
                Value::Uint(self.cache_creation_input_tokens.into()),
            ),
            ("output_tokens", Value::Uint(self.output_tokens.into())),
            ("total_tokens", Value::Uint(self.total_tokens.into())),
            (
                "reasoning_tokens",
                Value::Uint(self.reasoning_tokens.into()),
            ),
        ]
    }
}

const EVALUATE: &str = "failed to evaluate CEL expression: ";

/// The controller's judgement.
pub(super) fn check(text: &str) -> Result<Accepted, Refusal> {
    let place = Place {
        given: text,
        offset: 0,
    };
    let checked = compile(text).map_err(|problem| {
        let mut refusal = Refusal::compile("cannot compile CEL expression", &problem, place);
        refusal.help = hint::for_problem(&problem, text, &env::COST);
        refusal
    })?;
    let trial = trial(&checked, place)?;
    Ok(Accepted {
        result_type: checked.type_of(checked.root).to_string(),
        parts: part::parts(&checked, 0, text),
        trial: Some(trial),
        warnings: warning::warnings(&checked, text),
        program: Some(Program {
            text: text.to_owned(),
            offset: 0,
            checked,
        }),
    })
}

fn compile(text: &str) -> Result<Checked, super::problem::Problem> {
    check_types(parse(text, Syntax { optionals: false })?, &env::COST)
}

fn trial(checked: &Checked, place: Place<'_>) -> Result<u64, Refusal> {
    let outcome = run(checked, &CostInputs::default()).map_err(|failure| {
        Refusal::failure(
            "cannot create CEL program: ",
            Stage::Program,
            &failure,
            place,
        )
    })?;
    result(outcome).map_err(|failure| {
        let stage = if is_result(failure.fault) {
            Stage::Result
        } else {
            Stage::Trial
        };
        let prefix = if stage == Stage::Result {
            EVALUATE.to_owned()
        } else {
            EVALUATE.repeat(2)
        };
        let mut refusal = Refusal::failure(&prefix, stage, &failure, place);
        refusal.help = hint::for_trial(&failure, checked, place.given);
        refusal
    })
}

/// Why the trial fails, if it does.
pub(super) fn trial_failure(checked: &Checked) -> Option<Failure> {
    run(checked, &CostInputs::default()).and_then(result).err()
}

/// The outcome for given inputs; an error is one of planning.
fn run(checked: &Checked, inputs: &CostInputs) -> Result<Outcome, Failure> {
    let step = plan(checked, &env::COST, false)?;
    Ok(evaluate_plan(&step, &inputs.variables(), None))
}

fn is_result(fault: Fault) -> bool {
    matches!(fault, Fault::Negative | Fault::NotInteger)
}

/// The result as a cost.
fn result(outcome: Outcome) -> Result<u64, Failure> {
    match outcome? {
        Value::Uint(value) => Ok(value),
        Value::Int(value) => u64::try_from(value).map_err(|_| {
            let message = format!("CEL expression result is negative ({value})");
            Failure::new(Fault::Negative, message)
        }),
        other => {
            let type_ = other.type_text();
            let message = format!("CEL expression result is not an integer, got {type_}");
            Err(Failure::new(Fault::NotInteger, message))
        }
    }
}

/// The cost for given inputs.
pub(super) fn evaluate(program: &Program, inputs: &CostInputs) -> Result<u64, Refusal> {
    let place = Place {
        given: &program.text,
        offset: 0,
    };
    let outcome = run(&program.checked, inputs).and_then(|outcome| outcome);
    result(outcome).map_err(|failure| {
        let prefix = if is_result(failure.fault) {
            ""
        } else {
            EVALUATE
        };
        Refusal::failure(prefix, Stage::Eval, &failure, place)
    })
}
