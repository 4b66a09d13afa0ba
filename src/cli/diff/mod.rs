//! `aigwctl diff`.

mod inputs;

use clap::{Args, ValueEnum};

use super::input::{ControllerArgs, InputArgs};
use super::output::Output;
use super::render::{UNREAD, all_exist, namespaced_name, only_asked_for, report_findings, style};
use super::{FailOn, Talk};
use crate::controllers::ai_gateway::config::Config;
use crate::controllers::ai_gateway::config_without_refused_costs;
use crate::controllers::ai_gateway::outcome::Outcome;
use crate::diff::answer::{self, Answer, Question};
use crate::diff::cause::Sides;
use crate::diff::document::How;
use crate::diff::path::Pattern;
use crate::diff::stored;
use crate::failure::{Exit, Failure};
use crate::present::diff::{Report, github, json, markdown, tree, unified};
use crate::present::output::write;
use crate::secret::Reveal;
use crate::world::finding::{Finding, Severity};
use crate::world::kind::Kind;
use crate::world::{NamespacedName, World};
use inputs::Reader;

/// Compare what the controller would do before and after a change
#[derive(Debug, Clone, Args)]
pub struct DiffArgs {
    /// OLD NEW: files, directories, git:REV[:PATH] or - for standard input. With --base, a --to flag
    /// or --against-secret everything is one input; with --live the cluster is OLD, and NEW is the
    /// cluster with the sources applied to it
    #[arg(value_name = "SOURCE")]
    pub sources: Vec<String>,
    /// Old: the same paths at this Git revision
    #[arg(long, value_name = "REV")]
    pub base: Option<String>,
    /// Old: this version of the controller
    #[arg(long, value_name = "VERSION")]
    pub from_version: Option<String>,
    /// New: this version of the controller
    #[arg(long, value_name = "VERSION")]
    pub to_version: Option<String>,
    /// New: the controller with these Helm values; may be repeated, the later file wins
    #[arg(long, value_name = "FILE")]
    pub to_values: Vec<String>,
    /// New: the controller whose Deployment stands in this file
    #[arg(long, value_name = "FILE")]
    pub to_controller: Option<String>,
    /// Old: what the filter config Secrets in this file hold [default: those in SOURCE]
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        require_equals = true,
        conflicts_with_all = ["base", "from_version", "to_version", "to_values", "to_controller"]
    )]
    pub against_secret: Option<Option<String>>,
    /// Compare only this Gateway; may be repeated
    #[arg(long, value_name = "NS/NAME", value_parser = namespaced_name)]
    pub gateway: Vec<NamespacedName>,
    /// Leave out changes at this path of the document and below; may be repeated
    #[arg(long, value_name = "PATH", value_parser = Pattern::parse)]
    pub ignore: Vec<Pattern>,
    /// UUID, version and the order that the controller leaves to chance count too
    #[arg(long)]
    pub raw: bool,
    /// Exit with 3 when nothing differs and some values could not be compared
    #[arg(long)]
    pub strict: bool,
    /// Lines of context of -o unified
    #[arg(
        short = 'U',
        long = "context-lines",
        value_name = "N",
        default_value_t = 3
    )]
    pub context_lines: usize,
    /// Format and, optionally, file of the result; may be repeated: tree, unified, markdown, github,
    /// json
    #[arg(short, long, value_name = "FORMAT[=PATH]", default_value = "tree")]
    pub output: Vec<Output<Format>>,
    /// Show the values that header and body mutations set
    #[arg(long)]
    pub show_mutations: bool,
    /// Exit with 1 for new findings of this level or above
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
    /// Changes by path
    Tree,
    /// Lines of the documents
    Unified,
    /// For a comment
    Markdown,
    /// Annotations of a workflow
    Github,
    /// Everything, for programs
    Json,
}

/// Runs the command.
///
/// # Errors
/// When there is no answer at all.
pub fn run(args: &DiffArgs, talk: &Talk) -> Result<Exit, Failure> {
    let values = args.controller.values()?;
    let reader = Reader {
        args,
        values: &values,
        talk,
    };
    if let Some(file) = &args.against_secret {
        return against_secret(&reader, file.as_ref());
    }
    // A cluster and nothing to compare it with: is what it has stored what its objects give?
    if args.input.is_live()
        && args.sources.is_empty()
        && args.base.is_none()
        && !args.has_other_controller()
    {
        return against_secret(&reader, None);
    }
    let inputs = reader.read()?;
    let to = args.to_controller.as_ref();
    let to = to.map(|file| reader.files(file)).transpose()?;
    let plans = reader.plans(&inputs, to.as_ref().map(|loaded| &loaded.world))?;
    let worlds = inputs.worlds();
    let mut findings = Vec::new();
    let mut outcomes = Sides {
        old: reader.outcomes(worlds.old, &plans.old, &mut findings),
        new: reader.outcomes(worlds.new, &plans.new, &mut findings),
    };
    only_asked_for_in_either(&worlds, &mut outcomes, &args.gateway)?;
    let answers = Sides {
        old: Answer {
            world: worlds.old,
            options: &plans.old.options,
            outcomes: &outcomes.old,
        },
        new: Answer {
            world: worlds.new,
            options: &plans.new.options,
            outcomes: &outcomes.new,
        },
    };
    let question = args.question();
    let gateways = answer::compare(&answers.old, &answers.new, &question);
    let (read, new_findings) = inputs.findings();
    let more = [
        &read,
        &new_findings,
        &plans.old.findings,
        &plans.new.findings,
    ];
    more.into_iter()
        .for_each(|more| add_new(&mut findings, more));
    let report = Report {
        answers,
        sources: inputs.sources.clone(),
        gateways: &gateways,
        findings: &findings,
        question: &question,
    };
    print(args, talk, &report)?;
    let incomplete = inputs.incomplete() || plans.old.incomplete || plans.new.incomplete;
    let exit = args.exit(&report, &new_findings, incomplete);
    Ok(match inputs.for_kubectl && exit == Exit::Incomplete {
        true => Exit::Clean,
        false => exit,
    })
}

fn add_new(findings: &mut Vec<Finding>, more: &[Finding]) {
    for finding in more {
        if !findings.contains(finding) {
            findings.push(finding.clone());
        }
    }
}

/// Compares what Secrets hold with what the sources render to.
fn against_secret(reader: &Reader<'_>, file: Option<&String>) -> Result<Exit, Failure> {
    let args = reader.args;
    if args.sources.is_empty() && !args.input.is_live() {
        return Err(Failure::new("--against-secret needs a SOURCE"));
    }
    let loaded = reader.load(&args.sources)?;
    let secrets = file.map(|file| reader.files(file)).transpose()?;
    let plan = args
        .controller
        .plan(&args.input, reader.values, &loaded.world)?;
    let mut findings = Vec::new();
    let mut outcomes = reader.outcomes(&loaded.world, &plan, &mut findings);
    only_asked_for(&loaded.world, &mut outcomes, &args.gateway)?;
    let answer = Answer {
        world: &loaded.world,
        options: &plan.options,
        outcomes: &outcomes,
    };
    let question = args.question();
    let hypothetical: Vec<Option<Config<'_>>> = outcomes
        .iter()
        .map(|outcome| {
            outcome.refusal.as_ref()?;
            config_without_refused_costs(&loaded.world, &plan.options, &outcome.gateway)
        })
        .collect();
    let stored_in = secrets.as_ref().map_or(&loaded.world, |s| &s.world);
    let mut gateways = Vec::new();
    for (outcome, config) in outcomes.iter().zip(&hypothetical) {
        let config = config.as_ref();
        let mut diff = stored::compare(stored_in, &answer, outcome, config, question.how);
        answer::ignore(&mut diff, &question.ignore);
        gateways.push(diff);
    }
    let of_file = secrets.as_ref().map(|s| s.findings.as_slice());
    let more = [
        &loaded.findings,
        of_file.unwrap_or_default(),
        &plan.findings,
    ];
    more.into_iter()
        .for_each(|more| add_new(&mut findings, more));
    let sources = match (args.input.is_live(), args.sources.join(" ")) {
        (true, sources) if sources.is_empty() => "the cluster".to_string(),
        (true, sources) => format!("the cluster with {sources}"),
        (false, sources) => sources,
    };
    let report = Report {
        answers: Sides {
            old: answer,
            new: answer,
        },
        sources: Sides {
            old: format!("Secrets in {}", file.unwrap_or(&sources)),
            new: sources.clone(),
        },
        gateways: &gateways,
        findings: &findings,
        question: &question,
    };
    print(args, reader.talk, &report)?;
    let unread = secrets.as_ref().is_some_and(|s| s.incomplete);
    Ok(args.exit(&report, &[], loaded.incomplete || unread || plan.incomplete))
}

/// Leaves out the Gateways that are not asked for. One that only one side knows is asked for rightly.
fn only_asked_for_in_either(
    worlds: &Sides<&World>,
    outcomes: &mut Sides<Vec<Outcome<'_>>>,
    asked: &[NamespacedName],
) -> Result<(), Failure> {
    let unknown: Vec<NamespacedName> = asked
        .iter()
        .filter(|name| outcomes.old.iter().all(|o| o.gateway != **name))
        .cloned()
        .collect();
    if !worlds.old.coverage.is_list_unread(Kind::Gateway) {
        all_exist(&outcomes.new, &unknown)?;
    }
    for side in [&mut outcomes.old, &mut outcomes.new] {
        side.retain(|o| asked.is_empty() || asked.contains(&o.gateway));
    }
    Ok(())
}

impl DiffArgs {
    fn question(&self) -> Question {
        Question {
            how: How {
                raw: self.raw,
                reveal: Reveal {
                    secrets: false,
                    mutations: self.show_mutations,
                },
            },
            ignore: self.ignore.clone(),
        }
    }

    /// Whether the new side is another controller.
    fn has_other_controller(&self) -> bool {
        self.from_version.is_some()
            || self.to_version.is_some()
            || self.to_controller.is_some()
            || !self.to_values.is_empty()
    }

    fn exit(&self, report: &Report<'_>, new_findings: &[Finding], incomplete: bool) -> Exit {
        // What could not be read makes the answer incomplete, which is not the same as different.
        let counts = |f: &&Finding| f.code != "AIGW001" || f.severity < Severity::Error;
        let of_gateways = report.gateways.iter().flat_map(|g| g.all_findings());
        let mut findings = new_findings.iter().filter(counts).chain(of_gateways);
        if report.differs() || findings.any(|f| f.severity >= self.fail_on.severity()) {
            Exit::Findings
        } else if incomplete
            || report.findings.iter().any(|f| f.code == UNREAD)
            || (self.strict && report.unknown() > 0)
        {
            Exit::Incomplete
        } else {
            Exit::Clean
        }
    }
}

fn print(args: &DiffArgs, talk: &Talk, report: &Report<'_>) -> Result<(), Failure> {
    let mut findings_shown = false;
    for output in &args.output {
        let to_file = output.path.is_some();
        let text = match output.format {
            Format::Tree => tree::write(report, style(talk, to_file), talk.verbose),
            Format::Unified => unified::write(report, args.context_lines),
            Format::Markdown => markdown::write(report),
            Format::Github => github::write(report),
            Format::Json => json::write(report),
        };
        findings_shown |= !to_file && output.format != Format::Unified;
        write(output.path.as_deref(), text.as_bytes())?;
    }
    if !findings_shown && !talk.quiet {
        let own = report.gateways.iter().flat_map(|g| g.all_findings());
        report_findings(report.findings.iter().chain(own), talk);
    }
    Ok(())
}
