//! aigwctl re-runs, offline and read-only, the decisions of the Envoy AI Gateway controller.
//!
//! ```text
//!  files, stdin, git revision, dump directory, live cluster
//!         |  source        bytes
//!         v
//!      Documents           manifest      YAML as the API server reads it, values keep their position
//!         v
//!        World             world         objects by identity and by reference
//!         v
//!     controllers          controllers   what the controllers would do, as pure functions
//!         v
//!       Outcome            config with origins, Secrets, skips, refusals, rollout
//!         v
//!  render, diff, doctor    cli, present  one file per command, one per format
//! ```

#![warn(clippy::unwrap_used)]
// Doc comments of flags are help texts too, where `REV[:PATH]` is no link.
#![allow(rustdoc::broken_intra_doc_links, rustdoc::private_intra_doc_links)]

pub mod cel;
pub mod cli;
#[cfg(feature = "cluster")]
pub mod collect;
pub mod controllers;
pub mod diff;
pub mod doctor;
pub mod failure;
pub mod manifest;
pub mod present;
pub mod secret;
pub mod source;
pub mod world;
