//! A bound on the work of one evaluation. Go has none for costs: there such an expression would hang the gateway.

use super::value::Failure;
use crate::cel::problem::Fault;

/// Steps of evaluation, and pieces of 64 bytes or elements that are copied or compared.
pub(in crate::cel) const STEP_LIMIT: u64 = 10_000_000;

#[derive(Debug)]
pub(in crate::cel) struct Budget {
    left: u64,
}

impl Budget {
    pub(in crate::cel) fn new(steps: u64) -> Budget {
        Budget { left: steps }
    }

    /// Spends so many steps.
    pub(in crate::cel) fn spend(&mut self, steps: u64) -> Result<(), Failure> {
        match self.left.checked_sub(steps) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                let message = "evaluation takes too long: more than 10 million steps";
                Err(Failure::fatal(Fault::Limit, message))
            }
        }
    }

    /// Spends what it takes to go through so many bytes.
    pub(in crate::cel) fn spend_bytes(&mut self, bytes: usize) -> Result<(), Failure> {
        self.spend(1 + bytes as u64 / 64)
    }
}
