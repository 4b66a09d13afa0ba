//! What the controller would do with one Gateway.
