//! Help for a person: what the trial cannot see, what a refusal means, what to write instead.

pub(super) mod analysis;
pub(super) mod analysis_function;
pub(super) mod facts;
pub(super) mod fix;
pub(super) mod hint;
pub(super) mod interval;
pub(super) mod warning;
