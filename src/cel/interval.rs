//! What values a part of an expression can have.
