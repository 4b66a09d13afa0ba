//! Which tokens can start or follow the parts of the grammar.

use super::token::{Kind, Set};

pub(super) const START: Set = Set::of(&[
    Kind::LeftBracket,
    Kind::LeftBrace,
    Kind::LeftParen,
    Kind::Dot,
    Kind::Minus,
    Kind::Exclamation,
    Kind::True,
    Kind::False,
    Kind::Null,
    Kind::Float,
    Kind::Int,
    Kind::Uint,
    Kind::String,
    Kind::Bytes,
    Kind::Identifier,
]);
pub(super) const PRIMARY_START: Set = Set::of(&[
    Kind::LeftBracket,
    Kind::LeftBrace,
    Kind::LeftParen,
    Kind::Dot,
    Kind::Minus,
    Kind::True,
    Kind::False,
    Kind::Null,
    Kind::Float,
    Kind::Int,
    Kind::Uint,
    Kind::String,
    Kind::Bytes,
    Kind::Identifier,
]);
pub(super) const OPTIONAL_START: Set = START.or(Set::of(&[Kind::Question]));
pub(super) const FIELD_START: Set =
    Set::of(&[Kind::Question, Kind::Identifier, Kind::EscapedIdentifier]);
pub(super) const FIELD_NAME: Set = Set::of(&[Kind::Identifier, Kind::EscapedIdentifier]);
pub(super) const COMPARISONS: Set = Set::of(&[
    Kind::Equals,
    Kind::NotEquals,
    Kind::In,
    Kind::Less,
    Kind::LessEquals,
    Kind::GreaterEquals,
    Kind::Greater,
]);
pub(super) const PRODUCTS: Set = Set::of(&[Kind::Star, Kind::Slash, Kind::Percent]);
pub(super) const SUMS: Set = Set::of(&[Kind::Plus, Kind::Minus]);
pub(super) const END: Set = Set::RULE_END;
pub(super) const COMMA_OR_END: Set = Set::of(&[Kind::Comma]).or(END);
pub(super) const SUFFIX_OR_END: Set = Set::of(&[Kind::Dot, Kind::LeftBracket]).or(END);
