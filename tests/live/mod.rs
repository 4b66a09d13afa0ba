//! What the tests of live clusters share: an API server that is played, and a real one.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test file uses a part of it"
)]

pub mod played;
pub mod real;
