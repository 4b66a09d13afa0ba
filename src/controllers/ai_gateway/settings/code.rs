//! The codes of findings about settings.

/// The Deployment has an argument that makes the controller exit.
pub const REFUSED_ARGUMENT: &str = "AIGW030";
/// Arguments of the Deployment that the controller does not read.
pub const UNREAD_ARGUMENTS: &str = "AIGW031";
/// A value that the Deployment takes from where it is not read.
pub const UNKNOWN_ARGUMENT_VALUE: &str = "AIGW032";
/// A key of the Helm values that the chart does not have.
pub const UNKNOWN_VALUES_KEY: &str = "AIGW033";
/// A value that the chart renders into something else than was meant.
pub const MANGLED_VALUE: &str = "AIGW034";
