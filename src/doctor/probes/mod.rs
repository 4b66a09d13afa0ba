//! The probes, one file for each family, in the order in which things break.

pub(super) mod config;
pub(super) mod controller;
pub(super) mod credentials;
pub(super) mod discovery;
pub(super) mod envoy_gateway;
pub(super) mod pods;
pub(super) mod pools;
pub(super) mod rollout;
pub(super) mod routes;
pub(super) mod skips;
pub(super) mod versions;
pub(super) mod webhook;
