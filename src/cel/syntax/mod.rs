//! Text → syntax tree: lexer, parser with upstream's recovery, literals, macros.

pub(super) mod ast;
mod first;
mod lexer;
mod literal;
pub(super) mod macros;
mod member;
pub(super) mod operator;
pub(super) mod parser;
mod primary;
mod recovery;
mod token;
