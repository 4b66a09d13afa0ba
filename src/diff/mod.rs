//! Two answers compared: what the controller would write, refuse, skip and roll in the one and in the
//! other.
//!
//! ```text
//!  Config, stored document --value--> tree --document--> changes, each with its cause
//!  Outcome, Outcome        --answer--> changes, refusals, skips, sizes, workloads
//! ```
//!
//! What the controller leaves to chance ([`shape`]) is no difference. Nothing here reads or prints.

pub mod answer;
pub mod backends;
pub mod cause;
pub mod document;
pub mod lists;
pub mod path;
pub mod shape;
pub mod stored;
pub mod upgrade;
pub mod value;
pub mod why;
pub mod workload;
