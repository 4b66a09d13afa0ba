//! The command line: flags become a plan, the plan becomes calls.

pub mod cel;
#[cfg(feature = "cluster")]
pub mod cluster;
#[cfg(feature = "cluster")]
pub mod collect;
pub mod diff;
pub mod doctor;
pub mod generated;
pub mod input;
pub mod needs;
pub mod output;
pub mod rbac;
pub mod render;
pub mod why;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::failure::{Exit, Failure};
use crate::world::finding::Severity;

/// Re-runs the Envoy AI Gateway controller's decisions offline, read-only.
#[derive(Debug, Parser)]
#[command(name = "aigwctl", version, about, long_about = None, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// How to talk.
    #[command(flatten)]
    pub talk: Talk,
}

/// What every command understands.
#[derive(Debug, Clone, Args)]
pub struct Talk {
    /// Print nothing but the result
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Print remarks of level info too
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print the filter config that the controller would write for each Gateway
    Render(Box<render::RenderArgs>),
    /// Compare what the controller would do before and after a change
    Diff(Box<diff::DiffArgs>),
    /// Print which line of a manifest put a value into the answer, and what it overrode
    Why(Box<why::WhyArgs>),
    /// Say whether an expression is accepted, of what type its parts are, and what value it has
    Cel(cel::CelArgs),
    /// Write what the answers need from a cluster to a directory, credentials replaced by placeholders
    #[cfg(feature = "cluster")]
    Collect(Box<collect::CollectArgs>),
    /// Say why a sidecar is missing or a config is old, with evidence and remedy
    Doctor(Box<doctor::DoctorArgs>),
    /// Print the smallest roles with which the live commands can answer
    Rbac(rbac::RbacArgs),
    /// Print the completion script of a shell
    Completions(generated::CompletionsArgs),
    /// Print the manual page of the program, or of one of its commands
    Man(generated::ManArgs),
}

/// The level from which a finding makes the command exit with 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Errors only
    Error,
    /// Errors and warnings
    Warning,
    /// Every finding
    Info,
}

impl FailOn {
    /// The lowest severity that counts.
    pub fn severity(self) -> Severity {
        match self {
            FailOn::Error => Severity::Error,
            FailOn::Warning => Severity::Warning,
            FailOn::Info => Severity::Info,
        }
    }
}

/// Runs a command.
///
/// # Errors
/// When there is no answer at all.
pub fn run(cli: &Cli) -> Result<Exit, Failure> {
    match &cli.command {
        Command::Render(args) => render::run(args, &cli.talk),
        Command::Diff(args) => diff::run(args, &cli.talk),
        Command::Why(args) => why::run(args, &cli.talk),
        Command::Cel(args) => cel::run(args),
        #[cfg(feature = "cluster")]
        Command::Collect(args) => collect::run(args, &cli.talk),
        Command::Doctor(args) => doctor::run(args, &cli.talk),
        Command::Rbac(args) => rbac::run(args),
        Command::Completions(args) => generated::completions(args),
        Command::Man(args) => generated::man(args),
    }
}
