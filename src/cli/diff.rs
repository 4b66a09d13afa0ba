//! `aigwctl diff`.

use clap::Args;

use super::input::{Controller, ControllerArgs, InputArgs, Plan, Wanted, parse_version};
use super::render::{
    UNREAD, all_exist, could_not_read, namespaced_name, only_asked_for, report_findings,
    share_assumptions, style,
};
use super::{FailOn, Talk, needs};
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
use crate::manifest::document::Document;
use crate::present::diff::{Report, github, json, markdown, tree, unified};
use crate::present::output::write;
use crate::secret::Reveal;
use crate::source::git::{PREFIX, Revision};
use crate::source::{Loaded, kubectl, load, load_kubectl, load_revisions, read_values};
use crate::world::kind::Kind;
use crate::world::{NamespacedName, World};

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
    let values = args.controller.values()?;
    let reader = Reader {
        args,
        values: &values,
        talk,
    };
    if let Some(file) = &args.against_secret {
        return against_secret(&reader, file.as_ref());
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

/// Reads what the flags ask for.
struct Reader<'r> {
    args: &'r DiffArgs,
    values: &'r [Document],
    talk: &'r Talk,
}

impl Reader<'_> {
    /// Reads sources, and with --live the cluster that they are applied to.
    fn load(&self, sources: &[String]) -> Result<Loaded, Failure> {
        let args = self.args;
        let wanted = Wanted {
            needs: &needs::DIFF,
            secrets: &|world| {
                args.controller
                    .secrets(&args.input, self.values, world, &args.gateway)
            },
        };
        args.input.load(sources, &wanted, self.talk)
    }

    /// Reads files, never a cluster.
    fn files(&self, file: &String) -> Result<Loaded, Failure> {
        load(std::slice::from_ref(file), &self.args.input.read_options())
    }

    /// What the controller would do. Reads that gave nothing are findings.
    fn outcomes<'w>(
        &self,
        world: &'w World,
        plan: &Plan<'w>,
        findings: &mut Vec<Finding>,
    ) -> Vec<Outcome<'w>> {
        let (mut outcomes, unread) = world.observe(|| reconcile_all(world, &plan.options));
        if let Some(namespace) = self.args.input.gateway_namespace() {
            outcomes.retain(|o| o.gateway.0 == namespace);
        }
        let unread = unread.iter().chain(&plan.options.version_unread);
        let unread: Vec<Finding> = unread.filter_map(could_not_read).collect();
        add_new(findings, &unread);
        share_assumptions(&mut outcomes, &mut Vec::new());
        outcomes
    }

    fn read(&self) -> Result<Inputs, Failure> {
        let args = self.args;
        let sources = args.sources.join(" ");
        if let Some(revision) = &args.base {
            return self.with_base(revision, sources);
        }
        if args.has_other_controller() {
            if args.sources.is_empty() && !args.input.is_live() {
                return Err(Failure::new("diff needs a SOURCE"));
            }
            return Ok(Inputs {
                old: self.load(&args.sources)?,
                new: None,
                sources: Sides {
                    old: sources.clone(),
                    new: sources,
                },
                for_kubectl: false,
            });
        }
        if args.input.is_live() {
            return Ok(Inputs {
                old: self.load(&[])?,
                new: Some(self.load(&args.sources)?),
                sources: Sides {
                    old: "the cluster".to_string(),
                    new: format!("the cluster with {sources}"),
                },
                for_kubectl: false,
            });
        }
        self.pair()
    }

    fn with_base(&self, revision: &str, sources: String) -> Result<Inputs, Failure> {
        let paths = &self.args.sources;
        let foreign = |s: &&String| *s == "-" || s.starts_with(PREFIX);
        if let Some(source) = paths.iter().find(foreign) {
            let text = format!("--base takes paths of a working tree, not {source}");
            return Err(Failure::new(text));
        }
        if paths.is_empty() || self.args.input.is_live() {
            return Err(Failure::new("--base takes paths of a working tree"));
        }
        let revisions = paths.iter().map(|path| Revision::of_path(revision, path));
        let revisions = revisions.collect::<Result<Vec<_>, _>>()?;
        Ok(Inputs {
            old: load_revisions(&revisions, &self.args.input.read_options())?,
            new: Some(self.load(paths)?),
            sources: Sides {
                old: format!("{PREFIX}{revision} {sources}"),
                new: sources,
            },
            for_kubectl: false,
        })
    }

    /// OLD and NEW.
    fn pair(&self) -> Result<Inputs, Failure> {
        let [old, new] = &self.args.sources[..] else {
            let count = self.args.sources.len();
            let text = format!("diff takes an OLD and a NEW source, not {count}");
            return Err(Failure::new(text).hint(
                "give --base REV to compare with a Git revision, or --to-version to compare two \
                 versions of the controller",
            ));
        };
        if old == "-" && new == "-" {
            return Err(Failure::new("standard input can be read only once"));
        }
        let for_kubectl = kubectl::is_pair(old, new);
        let load = |source: &String| match for_kubectl {
            true => load_kubectl(source, &self.args.input.read_options()),
            false => self.load(std::slice::from_ref(source)),
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
        let args = self.args;
        let worlds = inputs.worlds();
        let plan = |world| args.controller.plan(&args.input, self.values, world);
        let mut old = plan(worlds.old)?;
        if let Some(version) = &args.from_version {
            old = old.carried_to(parse_version("--from-version", version)?);
        }
        let version = args
            .to_version
            .as_deref()
            .map(|text| ("--to-version", text));
        let new = if to.is_some() || !args.to_values.is_empty() {
            self.other_controller(to, version, &old, worlds.new)?
        } else {
            let plan = plan(worlds.new)?;
            match version {
                Some((flag, text)) => plan.carried_to(parse_version(flag, text)?),
                None => plan,
            }
        };
        Ok(Sides { old, new })
    }

    /// The controller of `--to-controller` and `--to-values`.
    fn other_controller<'w>(
        &self,
        to: Option<&'w World>,
        version: Option<(&'static str, &str)>,
        old: &Plan<'w>,
        world: &'w World,
    ) -> Result<Plan<'w>, Failure> {
        let args = self.args;
        let deployment = to.map(deployment::find).transpose()?.flatten();
        if let (Some(file), None) = (&args.to_controller, deployment) {
            let text = format!("{file} holds no Deployment of the controller");
            return Err(Failure::new(text));
        }
        let values = args.to_values.iter().map(|path| read_values(path));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        // Values alone do not say which version they are for.
        let same = ("--from-version", old.options.version.version.as_str());
        let controller = Controller {
            deployment,
            values: &values,
            version: version.or(deployment.is_none().then_some(same)),
        };
        args.controller.plan_of(&args.input, world, &controller)
    }
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
