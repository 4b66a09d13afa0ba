//! `aigwctl completions` and `aigwctl man`: texts made from the command line's own definition.

use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;

use super::Cli;
use crate::failure::{Exit, Failure};
use crate::present::output::write;

/// Print the completion script of a shell
#[derive(Debug, Clone, Args)]
pub struct CompletionsArgs {
    /// Which shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Print the manual page of the program, or of one of its commands
#[derive(Debug, Clone, Args)]
pub struct ManArgs {
    /// Which command
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}

/// Prints the script.
///
/// # Errors
/// When it cannot be written.
pub fn completions(args: &CompletionsArgs) -> Result<Exit, Failure> {
    write(None, completion_script(args.shell).as_bytes())?;
    Ok(Exit::Clean)
}

/// Prints the page.
///
/// # Errors
/// When there is no such command, or the page cannot be written.
pub fn man(args: &ManArgs) -> Result<Exit, Failure> {
    let name = match &args.command {
        Some(command) => format!("aigwctl-{command}"),
        None => "aigwctl".to_string(),
    };
    let mut pages = manual().into_iter();
    let page = pages.find(|(page, _)| *page == name);
    let (_, page) = page.ok_or_else(|| {
        let command = args.command.as_deref().unwrap_or_default();
        Failure::new(format!("there is no command {command}")).hint("see aigwctl --help")
    })?;
    write(None, page.as_bytes())?;
    Ok(Exit::Clean)
}

/// The completion script of a shell.
pub fn completion_script(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "aigwctl", &mut script);
    String::from_utf8(script).expect("it is made of texts")
}

/// Every manual page with its name.
pub fn manual() -> Vec<(String, String)> {
    let page = |command: Command| {
        let name = command.get_display_name().unwrap_or("aigwctl").to_string();
        let mut text = Vec::new();
        let page = clap_mangen::Man::new(command);
        page.render(&mut text).expect("a Vec takes every byte");
        (name, String::from_utf8(text).expect("it is made of texts"))
    };
    commands().map(page).collect()
}

/// The program's command, then those below it, each with what it has of the program's.
fn commands() -> impl Iterator<Item = Command> {
    let mut root = Cli::command().term_width(100).disable_help_subcommand(true);
    root.build();
    let below: Vec<Command> = root.get_subcommands().cloned().collect();
    [root].into_iter().chain(below)
}

/// The help of every command, as one page.
pub fn reference() -> String {
    let mut text =
        "# Command line\n\nThe help of each command, as `aigwctl COMMAND --help` prints it.\n"
            .to_string();
    for mut command in commands() {
        let name = command.get_bin_name().unwrap_or("aigwctl").to_string();
        let help = command.render_long_help().to_string();
        let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
        text.push_str(&format!(
            "\n## {name}\n\n```text\n{}\n```\n",
            lines.join("\n")
        ));
    }
    text
}
