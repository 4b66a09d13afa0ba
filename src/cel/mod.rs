//! Parse, type-check and evaluate CEL as the gateway does.
