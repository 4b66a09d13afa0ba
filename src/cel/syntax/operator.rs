//! The names that operators have as functions.

pub(in crate::cel) const CONDITIONAL: &str = "_?_:_";
pub(in crate::cel) const AND: &str = "_&&_";
pub(in crate::cel) const OR: &str = "_||_";
pub(in crate::cel) const NOT: &str = "!_";
pub(in crate::cel) const NEGATE: &str = "-_";
pub(in crate::cel) const EQUALS: &str = "_==_";
pub(in crate::cel) const NOT_EQUALS: &str = "_!=_";
pub(in crate::cel) const LESS: &str = "_<_";
pub(in crate::cel) const LESS_EQUALS: &str = "_<=_";
pub(in crate::cel) const GREATER: &str = "_>_";
pub(in crate::cel) const GREATER_EQUALS: &str = "_>=_";
pub(in crate::cel) const IN: &str = "@in";
pub(in crate::cel) const ADD: &str = "_+_";
pub(in crate::cel) const SUBTRACT: &str = "_-_";
pub(in crate::cel) const MULTIPLY: &str = "_*_";
pub(in crate::cel) const DIVIDE: &str = "_/_";
pub(in crate::cel) const MODULO: &str = "_%_";
pub(in crate::cel) const INDEX: &str = "_[_]";
pub(in crate::cel) const OPTIONAL_INDEX: &str = "_[?_]";
pub(in crate::cel) const OPTIONAL_SELECT: &str = "_?._";
pub(in crate::cel) const NOT_STRICTLY_FALSE: &str = "@not_strictly_false";

/// What a user writes for the function name of an operator with two operands.
pub(in crate::cel) fn symbol(function: &str) -> Option<&str> {
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
