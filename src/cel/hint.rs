//! Help for a person: what a refusal means and what to write instead.

use super::checker::Checked;
use super::env::Env;
use super::problem::Problem;
use super::value::Failure;

/// Help for a text that does not compile.
pub(super) fn for_problem(_problem: &Problem, _text: &str, _env: &Env) -> Option<String> {
    None
}

/// Help for an expression whose trial fails.
pub(super) fn for_trial(_failure: &Failure, _checked: &Checked) -> Option<String> {
    None
}
