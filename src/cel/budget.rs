//! A bound on the work of one evaluation. Go has none for costs: there such an expression would hang the gateway.

use super::problem::Fault;
use super::value::Failure;

/// Steps of evaluation, and pieces of 64 bytes or elements that are copied or compared.
const STEP_LIMIT: u64 = 30_000_000;

#[derive(Debug, Default)]
pub(super) struct Budget {
    spent: u64,
}

impl Budget {
    /// Spends so many steps.
    pub(super) fn spend(&mut self, steps: u64) -> Result<(), Failure> {
        self.spent = self.spent.saturating_add(steps);
        if self.spent > STEP_LIMIT {
            let message = "evaluation takes too long: more than 30 million steps";
            return Err(Failure::fatal(Fault::Limit, message));
        }
        Ok(())
    }

    /// Spends what it takes to go through so many bytes.
    pub(super) fn spend_bytes(&mut self, bytes: usize) -> Result<(), Failure> {
        self.spend(1 + bytes as u64 / 64)
    }
}
