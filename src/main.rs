//! The `aigwctl` binary: parse, run, map the result to an exit code; nothing else.

fn main() {}
