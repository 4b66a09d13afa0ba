//! A bound on the work of one evaluation. Go has none for costs: there such an expression would hang the gateway.

use super::problem::Fault;
use super::value::Failure;

/// Steps of evaluation, and pieces of 64 bytes or elements that are copied or compared.
pub(super) const STEP_LIMIT: u64 = 30_000_000;

#[derive(Debug)]
pub(super) struct Budget {
    left: u64,
}

impl Budget {
    pub(super) fn new(steps: u64) -> Budget {
        Budget { left: steps }
    }

    /// Spends so many steps.
    pub(super) fn spend(&mut self, steps: u64) -> Result<(), Failure> {
        match self.left.checked_sub(steps) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                let message = "evaluation takes too long: more than 30 million steps";
                Err(Failure::fatal(Fault::Limit, message))
            }
        }
    }

    /// Spends what it takes to go through so many bytes.
    pub(super) fn spend_bytes(&mut self, bytes: usize) -> Result<(), Failure> {
        self.spend(1 + bytes as u64 / 64)
    }
}
