//! The names that operators have as functions.

pub(super) const CONDITIONAL: &str = "_?_:_";
pub(super) const AND: &str = "_&&_";
pub(super) const OR: &str = "_||_";
pub(super) const NOT: &str = "!_";
pub(super) const NEGATE: &str = "-_";
pub(super) const EQUALS: &str = "_==_";
pub(super) const NOT_EQUALS: &str = "_!=_";
pub(super) const LESS: &str = "_<_";
pub(super) const LESS_EQUALS: &str = "_<=_";
pub(super) const GREATER: &str = "_>_";
pub(super) const GREATER_EQUALS: &str = "_>=_";
pub(super) const IN: &str = "@in";
pub(super) const ADD: &str = "_+_";
pub(super) const SUBTRACT: &str = "_-_";
pub(super) const MULTIPLY: &str = "_*_";
pub(super) const DIVIDE: &str = "_/_";
pub(super) const MODULO: &str = "_%_";
pub(super) const INDEX: &str = "_[_]";
pub(super) const OPTIONAL_INDEX: &str = "_[?_]";
pub(super) const OPTIONAL_SELECT: &str = "_?._";
pub(super) const NOT_STRICTLY_FALSE: &str = "@not_strictly_false";

/// What a user writes for the function name of an operator with two operands.
pub(super) fn symbol(function: &str) -> Option<&str> {
    match function {
        IN => Some("in"),
        _ => function
            .strip_prefix('_')?
            .strip_suffix('_')
            .filter(|symbol| {
                matches!(
                    *symbol,
                    "&&" | "||"
                        | "=="
                        | "!="
                        | "<"
                        | "<="
                        | ">"
                        | ">="
                        | "+"
                        | "-"
                        | "*"
                        | "/"
                        | "%"
                )
            }),
    }
}
