//! The codes of findings about settings.

/// The Deployment has an argument that makes the controller exit.
pub const REFUSED_ARGUMENT: &str = "controller-flag-refused";
/// Arguments of the Deployment that the controller does not read.
pub const UNREAD_ARGUMENTS: &str = "controller-args-unread";
/// A value that the Deployment takes from where it is not read.
pub const UNKNOWN_ARGUMENT_VALUE: &str = "controller-arg-unknown";
/// A key of the Helm values that the chart does not have.
pub const UNKNOWN_VALUES_KEY: &str = "values-key-unknown";
/// A value that the chart renders into something else than was meant.
pub const MANGLED_VALUE: &str = "values-mangled";
