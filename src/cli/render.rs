//! `aigwctl render`.

use std::io::IsTerminal;

use clap::{Args, ValueEnum};

use super::input::{ControllerArgs, InputArgs, Wanted};
use super::needs;
use super::output::Output;
use super::{Color, FailOn, Talk};
use crate::controllers::ai_gateway::outcome::Outcome;
use crate::controllers::ai_gateway::reconcile_all;
use crate::failure::{Exit, Failure};
use crate::present::finding;
use crate::present::output::write;
use crate::present::render::{Answer, config, json, secret, table};
use crate::present::style::Style;
use crate::secret::Reveal;
use crate::world::coverage::{Reason, Unread};
use crate::world::finding::{Finding, Severity};
use crate::world::kind::Kind;
use crate::world::{NamespacedName, World};

/// Print the filter config that the controller would write for each Gateway
#[derive(Debug, Clone, Args)]
pub struct RenderArgs {
    /// Files, directories, or - for standard input
    #[cfg_attr(feature = "cluster", arg(required_unless_present = "live"))]
    #[cfg_attr(not(feature = "cluster"), arg(required = true))]
    #[arg(value_name = "SOURCE")]
    pub sources: Vec<String>,
    /// Answer only for this Gateway; may be repeated
    #[arg(long, value_name = "NS/NAME", value_parser = namespaced_name)]
    pub gateway: Vec<NamespacedName>,
    /// Format and, optionally, file of the result; may be repeated: table, config, secret, json
    #[arg(short, long, value_name = "FORMAT[=PATH]", default_value = "table")]
    pub output: Vec<Output<Format>>,
    /// Show everything that the webhook adds to a pod
    #[arg(long)]
    pub sidecar: bool,
    /// Show credentials and mutation values
    #[arg(long)]
    pub show_secrets: bool,
    /// Show the values that header and body mutations set
    #[arg(long)]
    pub show_mutations: bool,
    /// Exit with 1 for findings of this level or above
    #[arg(long, value_enum, default_value_t = FailOn::Error, value_name = "LEVEL")]
    pub fail_on: FailOn,
    /// What is read
    #[command(flatten)]
    pub input: InputArgs,
    /// Which controller answers
    #[command(flatten)]
    pub controller: ControllerArgs,
}

/// Values of `--output`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A summary for people
    Table,
    /// The documents themselves
    Config,
    /// The Secrets as manifests
    Secret,
    /// Everything, for programs
    Json,
}

/// Reads `namespace/name`.
pub fn namespaced_name(text: &str) -> Result<NamespacedName, String> {
    match text.split_once('/') {
        Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() => {
            Ok((namespace.to_string(), name.to_string()))
        }
        _ => Err("give it as NAMESPACE/NAME".to_string()),
    }
}

/// Runs the command.
///
/// # Errors
/// When there is no answer at all.
pub fn run(args: &RenderArgs, talk: &Talk) -> Result<Exit, Failure> {
    let values = args.controller.values()?;
    let wanted = Wanted {
        needs: &needs::RENDER,
        secrets: &|world| {
            args.controller
                .secrets(&args.input, &values, world, &args.gateway)
        },
    };
    let loaded = args.input.load(&args.sources, &wanted, talk)?;
    let plan = args.controller.plan(&args.input, &values, &loaded.world)?;
    let options = plan.options;
    let world = &loaded.world;
    let (mut outcomes, unread) = world.observe(|| reconcile_all(world, &options));
    only_asked_for(world, &mut outcomes, &args.gateway)?;
    if let Some(namespace) = args.input.gateway_namespace() {
        outcomes.retain(|o| o.gateway.0 == namespace);
    }
    let mut findings = loaded.findings;
    findings.extend(plan.findings);
    findings.extend(
        unread
            .iter()
            .chain(&options.version_unread)
            .filter_map(could_not_read),
    );
    share_assumptions(&mut outcomes, &mut findings);
    let reveal = Reveal {
        secrets: args.show_secrets,
        mutations: args.show_mutations,
    };
    let answer = Answer {
        world: &loaded.world,
        options: &options,
        outcomes: &outcomes,
        findings: &findings,
        reveal,
    };
    if args.show_secrets && !talk.quiet {
        eprintln!("warning: --show-secrets: the output holds credentials in clear text");
    }
    print(args, talk, &answer)?;
    Ok(exit(
        &answer,
        loaded.incomplete || plan.incomplete || findings.iter().any(|f| f.code == UNREAD),
        args.fail_on.severity(),
    ))
}

/// The code of a finding about a read that gave nothing although it was wanted.
pub(super) const UNREAD: &str = "unread";

pub(super) fn could_not_read(unread: &Unread) -> Option<Finding> {
    let help = match unread.reason {
        Reason::NotWanted(_) | Reason::NotShown => return None,
        Reason::Forbidden => "aigwctl rbac prints the roles that are needed",
        Reason::Failed(_) => "the API server's log may tell more",
    };
    Some(Finding::new(UNREAD, Severity::Warning, unread.to_string()).help(help))
}

/// Leaves out the Gateways that are not asked for.
///
/// # Errors
/// When one that is asked for does not exist.
pub(super) fn only_asked_for(
    world: &World,
    outcomes: &mut Vec<Outcome<'_>>,
    asked: &[NamespacedName],
) -> Result<(), Failure> {
    // A Gateway that cannot be seen may exist all the same.
    if !world.coverage.is_list_unread(Kind::Gateway) {
        all_exist(outcomes, asked)?;
    }
    outcomes.retain(|o| asked.is_empty() || asked.contains(&o.gateway));
    Ok(())
}

/// Whether every Gateway that is asked for is among these.
pub(super) fn all_exist(outcomes: &[Outcome<'_>], asked: &[NamespacedName]) -> Result<(), Failure> {
    let Some((namespace, name)) = asked
        .iter()
        .find(|asked| outcomes.iter().all(|o| o.gateway != **asked))
    else {
        return Ok(());
    };
    let known: Vec<String> = outcomes.iter().take(10).map(Outcome::name).collect();
    let failure = Failure::new(format!("there is no Gateway {namespace}/{name}"));
    Err(match known.is_empty() {
        true => failure.hint("the input has no Gateway and no route that names one"),
        false => failure.hint(format!("the input has {}", known.join(", "))),
    })
}

/// An assumption that several Gateways share is stated once.
pub(super) fn share_assumptions(outcomes: &mut [Outcome<'_>], findings: &mut Vec<Finding>) {
    let mut seen = std::collections::HashSet::new();
    for outcome in outcomes {
        let own = std::mem::take(&mut outcome.findings);
        for finding in own {
            let shared = matches!(finding.code, "assumed-secret" | "missing-secret");
            if !shared {
                outcome.findings.push(finding);
            } else if seen.insert(finding.message.clone()) {
                findings.push(finding);
            }
        }
    }
}

fn print(args: &RenderArgs, talk: &Talk, answer: &Answer<'_>) -> Result<(), Failure> {
    let mut findings_shown = false;
    for output in &args.output {
        let to_file = output.path.is_some();
        let text = match output.format {
            Format::Table => {
                findings_shown |= !to_file;
                {
                    let view = table::View {
                        style: style(talk, to_file),
                        verbose: talk.verbose,
                        sidecar: args.sidecar,
                    };
                    table::write(answer, &view)
                }
            }
            Format::Config => config::write(answer),
            Format::Secret => secret::write(answer),
            Format::Json => {
                findings_shown |= !to_file;
                json::write(answer)
            }
        };
        write(output.path.as_deref(), text.as_bytes())?;
    }
    if !findings_shown && !talk.quiet {
        report(answer, talk);
    }
    Ok(())
}

/// What a document alone does not show, on standard error.
fn report(answer: &Answer<'_>, talk: &Talk) {
    let style = error_style(talk);
    for outcome in answer.outcomes {
        eprint!("{}", table::problems(outcome, style));
    }
    let own = answer.outcomes.iter().flat_map(|o| &o.findings);
    report_findings(answer.findings.iter().chain(own), talk);
}

/// Findings on standard error.
pub(super) fn report_findings<'f>(findings: impl Iterator<Item = &'f Finding>, talk: &Talk) {
    let lowest = if talk.verbose {
        Severity::Info
    } else {
        Severity::Warning
    };
    for f in findings.filter(|f| f.severity >= lowest) {
        eprint!("{}", finding::text(f, error_style(talk)));
    }
}

fn error_style(talk: &Talk) -> Style {
    Style {
        color: wants_color(talk, std::io::stderr().is_terminal()),
    }
}

pub(super) fn style(talk: &Talk, to_file: bool) -> Style {
    Style {
        color: wants_color(talk, !to_file && std::io::stdout().is_terminal()),
    }
}

fn wants_color(talk: &Talk, terminal: bool) -> bool {
    match talk.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
    }
}

/// Incomplete before findings: what could not be read may change everything.
fn exit(answer: &Answer<'_>, incomplete: bool, fail_on: Severity) -> Exit {
    let refused = answer.outcomes.iter().any(|o| o.refusal.is_some());
    let skipped = answer.outcomes.iter().any(|o| !o.skipped.is_empty());
    let mut found = answer
        .findings
        .iter()
        .chain(answer.outcomes.iter().flat_map(|o| &o.findings));
    let reached = found.any(|f| f.severity >= fail_on)
        || refused
        || (skipped && fail_on <= Severity::Warning);
    match (incomplete, reached) {
        (true, _) => Exit::Incomplete,
        (false, true) => Exit::Findings,
        (false, false) => Exit::Clean,
    }
}
