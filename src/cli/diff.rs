//! `aigwctl diff`.

use clap::Args;

use super::input::{Controller, ControllerArgs, InputArgs, Plan, parse_version};
use super::render::{namespaced_name, only_asked_for, report_findings, share_assumptions, style};
use super::{FailOn, Talk};
use crate::controllers::ai_gateway::config::Config;
use crate::controllers::ai_gateway::outcome::Outcome;
use crate::controllers::ai_gateway::settings::deployment;
use crate::controllers::ai_gateway::{config_without_refused_costs, reconcile_all};
use crate::diff::answer::{self, Answer, Question, only_in};
use crate::diff::cause::Sides;
use crate::diff::document::How;
use crate::diff::path::Pattern;
use crate::diff::stored;
use crate::failure::{Exit, Failure};
use crate::finding::{Finding, Severity};
use crate::present::diff::{Report, github, json, markdown, tree, unified};
use crate::present::output::write;
use crate::secret::Reveal;
use crate::source::git::{PREFIX, Revision};
use crate::source::{Loaded, kubectl, load_kubectl, load_revisions};
use crate::world::{NamespacedName, World};

/// Compare what the controller would do before and after a change
#[derive(Debug, Clone, Args)]
pub struct DiffArgs {
    /// OLD NEW: files, directories, git:REV[:PATH] or - for standard input. With --base or a --to
    /// flag: everything is one input
    #[arg(required = true, value_name = "SOURCE")]
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
    pub context: usize,
    /// Format and, optionally, file of the result; may be repeated: tree, unified, markdown, github,
    /// json
    #[arg(short, long, value_name = "FORMAT[=PATH]", default_value = "tree", value_parser = output)]
    pub output: Vec<Output>,
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

/// A format and where it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    format: Format,
    path: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Tree,
    Unified,
    Markdown,
    Github,
    Json,
}

fn output(text: &str) -> Result<Output, String> {
    let (format, path) = match text.split_once('=') {
        Some((format, path)) => (format, Some(path.to_string())),
        None => (text, None),
    };
    let format = match format {
        "tree" => Format::Tree,
        "unified" => Format::Unified,
        "markdown" => Format::Markdown,
        "github" => Format::Github,
        "json" => Format::Json,
        other => {
            return Err(format!(
                "{other} is none of tree, unified, markdown, github, json"
            ));
        }
    };
    match path.as_deref() {
        Some("") => Err("the path after = is empty".to_string()),
        _ => Ok(Output { format, path }),
    }
}

/// What was read for each side. Without a new one both sides are the same.
struct Inputs {
    old: Loaded,
    new: Option<Loaded>,
    sources: Sides<String>,
    /// kubectl takes 0 and 1 for answers, and everything else for a failure.
    for_kubectl: bool,
}

impl Inputs {
    fn worlds(&self) -> Sides<&World> {
        Sides {
            old: &self.old.world,
            new: &self.new.as_ref().unwrap_or(&self.old).world,
        }
    }

    fn incomplete(&self) -> bool {
        self.old.incomplete || self.new.as_ref().is_some_and(|new| new.incomplete)
    }

    /// Remarks on reading, each once; those that only the new side has apart.
    fn findings(&self) -> (Vec<Finding>, Vec<Finding>) {
        let Some(new) = &self.new else {
            return (self.old.findings.clone(), Vec::new());
        };
        let key = |f: &&Finding| (f.code, f.message.clone());
        let only_new = only_in(&new.findings, &self.old.findings, key);
        (
            self.old.findings.clone(),
            only_new.into_iter().cloned().collect(),
        )
    }
}

/// Runs the command.
///
/// # Errors
/// When there is no answer at all.
pub fn run(args: &DiffArgs, talk: &Talk) -> Result<Exit, Failure> {
    if let Some(file) = &args.against_secret {
        return against_secret(args, file.as_ref(), talk);
    }
    let inputs = args.read()?;
    let to = args
        .to_controller
        .as_ref()
        .map(|file| args.input.load(std::slice::from_ref(file)));
    let to = to.transpose()?;
    let plans = args.plans(&inputs, to.as_ref().map(|loaded| &loaded.world))?;
    let worlds = inputs.worlds();
    let mut outcomes = Sides {
        old: reconcile_all(worlds.old, &plans.old.options),
        new: reconcile_all(worlds.new, &plans.new.options),
    };
    only_asked_for_in_either(&mut outcomes, &args.gateway)?;
    share_assumptions(&mut outcomes.old, &mut Vec::new());
    share_assumptions(&mut outcomes.new, &mut Vec::new());
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
    let (mut findings, new_findings) = inputs.findings();
    findings.extend(new_findings.iter().cloned());
    add_new(&mut findings, plans.old.findings);
    add_new(&mut findings, plans.new.findings);
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

fn add_new(findings: &mut Vec<Finding>, more: Vec<Finding>) {
    for finding in more {
        if !findings.contains(&finding) {
            findings.push(finding);
        }
    }
}

/// Compares what Secrets hold with what the sources render to.
fn against_secret(args: &DiffArgs, file: Option<&String>, talk: &Talk) -> Result<Exit, Failure> {
    let loaded = args.input.load(&args.sources)?;
    let secrets = file
        .map(|file| args.input.load(std::slice::from_ref(file)))
        .transpose()?;
    let plan = args.controller.plan(&args.input, &loaded.world)?;
    let mut outcomes = reconcile_all(&loaded.world, &plan.options);
    only_asked_for(&mut outcomes, &args.gateway)?;
    share_assumptions(&mut outcomes, &mut Vec::new());
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
    let mut findings = loaded.findings.clone();
    add_new(
        &mut findings,
        secrets
            .as_ref()
            .map(|s| s.findings.clone())
            .unwrap_or_default(),
    );
    add_new(&mut findings, plan.findings);
    let sources = args.sources.join(" ");
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
    print(args, talk, &report)?;
    let unread = secrets.as_ref().is_some_and(|s| s.incomplete);
    Ok(args.exit(&report, &[], loaded.incomplete || unread || plan.incomplete))
}

fn only_asked_for_in_either(
    outcomes: &mut Sides<Vec<Outcome<'_>>>,
    asked: &[NamespacedName],
) -> Result<(), Failure> {
    for name in asked {
        let knows = |outcomes: &[Outcome<'_>]| outcomes.iter().any(|o| o.gateway == *name);
        if !knows(&outcomes.old) {
            only_asked_for(&mut outcomes.new, std::slice::from_ref(name)).map(|()| ())?;
        }
    }
    if !asked.is_empty() {
        outcomes.old.retain(|o| asked.contains(&o.gateway));
        outcomes.new.retain(|o| asked.contains(&o.gateway));
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

    fn read(&self) -> Result<Inputs, Failure> {
        let options = self.input.read_options();
        if let Some(revision) = &self.base {
            if let Some(source) = self
                .sources
                .iter()
                .find(|s| *s == "-" || s.starts_with(PREFIX))
            {
                let text = format!("--base takes paths of a working tree, not {source}");
                return Err(Failure::new(text));
            }
            let revisions = self
                .sources
                .iter()
                .map(|path| Revision::of_path(revision, path));
            let revisions = revisions.collect::<Result<Vec<_>, _>>()?;
            let sources = self.sources.join(" ");
            return Ok(Inputs {
                old: load_revisions(&revisions, &options)?,
                new: Some(self.input.load(&self.sources)?),
                sources: Sides {
                    old: format!("{PREFIX}{revision} {sources}"),
                    new: sources,
                },
                for_kubectl: false,
            });
        }
        if self.has_other_controller() {
            let sources = self.sources.join(" ");
            return Ok(Inputs {
                old: self.input.load(&self.sources)?,
                new: None,
                sources: Sides {
                    old: sources.clone(),
                    new: sources,
                },
                for_kubectl: false,
            });
        }
        let [old, new] = &self.sources[..] else {
            let text = format!(
                "diff takes an OLD and a NEW source, not {}",
                self.sources.len()
            );
            return Err(Failure::new(text).hint(
                "give --base REV, or a version with --to-version, to compare one input with itself",
            ));
        };
        if old == "-" && new == "-" {
            return Err(Failure::new("standard input can be read only once"));
        }
        let for_kubectl = kubectl::is_pair(old, new);
        let load = |source: &String| match for_kubectl {
            true => load_kubectl(source, &options),
            false => self.input.load(std::slice::from_ref(source)),
        };
        Ok(Inputs {
            old: load(old)?,
            new: Some(load(new)?),
            sources: Sides {
                old: old.clone(),
                new: new.clone(),
            },
            for_kubectl,
        })
    }

    /// The two controllers. `to` holds the Deployment of the new one.
    fn plans<'w>(
        &self,
        inputs: &'w Inputs,
        to: Option<&'w World>,
    ) -> Result<Sides<Plan<'w>>, Failure> {
        let worlds = inputs.worlds();
        let mut old = self.controller.plan(&self.input, worlds.old)?;
        if let Some(version) = &self.from_version {
            old = old.carried_to(parse_version("--from-version", version)?);
        }
        let version = self
            .to_version
            .as_deref()
            .map(|text| ("--to-version", text));
        let new = if to.is_some() || !self.to_values.is_empty() {
            let deployment = to.map(deployment::find).transpose()?.flatten();
            if let (Some(file), None) = (&self.to_controller, deployment) {
                let text = format!("{file} holds no Deployment of the controller");
                return Err(Failure::new(text));
            }
            let old_version = old.options.version.version.as_str();
            let controller = Controller {
                deployment,
                values: &self.to_values,
                version: version.or(match deployment {
                    Some(_) => None,
                    None => Some(("--from-version", old_version)),
                }),
            };
            self.controller
                .plan_of(&self.input, worlds.new, &controller)?
        } else {
            let plan = self.controller.plan(&self.input, worlds.new)?;
            let from = self
                .from_version
                .as_deref()
                .map(|text| ("--from-version", text));
            match version.or(from.filter(|_| self.to_version.is_some())) {
                Some((flag, text)) => plan.carried_to(parse_version(flag, text)?),
                None => plan,
            }
        };
        Ok(Sides { old, new })
    }

    fn exit(&self, report: &Report<'_>, new_findings: &[Finding], incomplete: bool) -> Exit {
        // What could not be read makes the answer incomplete, which is not the same as different.
        let counts = |f: &&Finding| f.code != "AIGW001" || f.severity < Severity::Error;
        let of_gateways = report.gateways.iter().flat_map(|g| g.all_findings());
        let mut findings = new_findings.iter().filter(counts).chain(of_gateways);
        if report.differs() || findings.any(|f| f.severity >= self.fail_on.severity()) {
            Exit::Findings
        } else if incomplete || (self.strict && report.unknown() > 0) {
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
            Format::Unified => unified::write(report, args.context),
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
