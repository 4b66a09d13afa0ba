//! aigwctl re-runs, offline and read-only, the decisions of the Envoy AI Gateway controller.

pub mod cel;
pub mod manifest;
