//! Syntax tree → types: what can be named, the overloads, unification, the checker.

pub(super) mod checker;
pub(super) mod env;
pub(super) mod messages;
pub(super) mod types;
pub(super) mod unify;
