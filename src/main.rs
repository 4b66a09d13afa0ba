//! The `aigwctl` binary: parse, run, map the result to an exit code; nothing else.

use std::process::ExitCode;

use aigwctl::cli::{Cli, run};
use aigwctl::failure::Exit;
use aigwctl::present::escape::escape;
use clap::Parser;

fn main() -> ExitCode {
    let exit = run(&Cli::parse()).unwrap_or_else(|failure| {
        eprintln!("error: {}", escape(&failure.message));
        for hint in &failure.hints {
            eprintln!("  hint: {}", escape(hint));
        }
        Exit::Failed
    });
    ExitCode::from(exit.code())
}
