//! Helm values: which flags the chart makes of them, and which keys it has.

mod keys;
mod render;
mod values;

pub(super) use render::PASSED;
pub use values::Values;
