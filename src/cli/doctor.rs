//! `aigwctl doctor`.

use std::collections::BTreeSet;
use std::io::IsTerminal;

use clap::{Args, ValueEnum};

use super::input::{ControllerArgs, InputArgs, Wanted};
use super::needs;
use super::output::Output;
use super::render::namespaced_name;
use super::{Color, Talk};
use crate::controllers::ai_gateway::build::{gateway_config, survey};
use crate::controllers::ai_gateway::options::Options;
use crate::controllers::ai_gateway::outcome::Outcome;
use crate::controllers::ai_gateway::settings::deployment;
use crate::controllers::ai_gateway::settings::flags::Id;
use crate::controllers::ai_gateway::{gateways, needed, reconcile_all};
use crate::doctor::probe::Status;
use crate::doctor::registry::PROBES;
use crate::doctor::{Case, ConfigDump, Question, Report, diagnose};
use crate::failure::{Exit, Failure};
use crate::manifest::document::Document;
use crate::present::doctor::{json, markdown, short, table};
use crate::present::finding;
use crate::present::output::write;
use crate::present::style::Style;
use crate::source::files;
use crate::world::coverage::{Reason, Unread, Verb};
use crate::world::finding::Severity;
use crate::world::kind::Kind;
use crate::world::{NamespacedName, World};

/// Say why a sidecar is missing or a config is old, with evidence and remedy
#[derive(Debug, Clone, Args)]
pub struct DoctorArgs {
    /// Dumps: files, directories, or - for standard input
    #[cfg_attr(feature = "cluster", arg(required_unless_present = "live"))]
    #[cfg_attr(not(feature = "cluster"), arg(required = true))]
    #[arg(value_name = "SOURCE")]
    pub sources: Vec<String>,
    /// Look only at this Gateway; may be repeated [default: every one that AI routes attach to]
    #[arg(long, value_name = "NS/NAME", value_parser = namespaced_name)]
    pub gateway: Vec<NamespacedName>,
    /// Format and, optionally, file of the result; may be repeated: table, short, json, markdown
    #[arg(short, long, value_name = "FORMAT[=PATH]", default_value = "table")]
    pub output: Vec<Output<Format>>,
    /// Exit with 1 for diagnoses of this level or above
    #[arg(long, value_enum, default_value_t = Level::Failure, value_name = "LEVEL")]
    pub fail_on: Level,
    /// Leave out a probe; may be repeated
    #[arg(long, value_name = "ID", value_parser = probe_id)]
    pub skip: Vec<String>,
    /// What an Envoy of the Gateway answers to GET /config_dump
    #[arg(long, value_name = "FILE")]
    pub config_dump: Option<String>,
    /// What is read
    #[command(flatten)]
    pub input: InputArgs,
    /// Which controller answers
    #[command(flatten)]
    pub controller: ControllerArgs,
}

/// Values of `--fail-on`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Level {
    /// Failures only
    #[value(alias = "error")]
    Failure,
    /// Failures and warnings
    Warning,
}

/// Values of `--output`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A summary for people
    Table,
    /// A few lines for a message
    Short,
    /// Everything, for programs
    Json,
    /// For a comment
    Markdown,
}

fn probe_id(text: &str) -> Result<String, String> {
    if PROBES.iter().any(|probe| probe.id == text) {
        return Ok(text.to_string());
    }
    let distance = |id: &&str| strsim::damerau_levenshtein(id, text);
    let near = PROBES.iter().map(|probe| probe.id).min_by_key(distance);
    Err(match near {
        Some(near) => format!("there is no probe {text}; did you mean {near}?"),
        None => format!("there is no probe {text}"),
    })
}

/// Runs the command.
///
/// # Errors
/// When there is no answer at all.
pub fn run(args: &DoctorArgs, talk: &Talk) -> Result<Exit, Failure> {
    let values = args.controller.values()?;
    let wanted = Wanted {
        needs: &needs::DOCTOR,
        secrets: &|world| secrets(&args.controller, &args.input, &values, world),
    };
    let is_live = args.input.is_live();
    let is_complete = args.input.is_complete();
    let mut loaded = args.input.load(&args.sources, &wanted, talk)?;
    if !is_complete {
        note_what_is_not_shown(&mut loaded.world);
    }
    // No object is assumed: what a kind that was read does not show is absent.
    let mut input = args.input.clone();
    input.complete = true;
    let plan = args.controller.plan(&input, &values, &loaded.world)?;
    let outcomes = reconcile_all(&loaded.world, &plan.options);
    let question = Question {
        gateways: asked_for(args, &loaded.world, &outcomes)?,
        skip: args.skip.iter().cloned().collect(),
    };
    let mut case = Case::new(&loaded.world, &plan.options, &outcomes, &question);
    case.findings = &plan.findings;
    // What was collected knows no more than the cluster did.
    case.live = is_live || loaded.world.recorded.is_some();
    case.config_dump = args.config_dump.as_deref().map(config_dump).transpose()?;
    let report = diagnose(&case, &question);
    let unreadable = loaded
        .findings
        .iter()
        .filter(|f| f.severity == Severity::Error);
    if !talk.quiet {
        let style = Style {
            color: wants_color(talk, std::io::stderr().is_terminal()),
        };
        for finding in unreadable {
            eprint!("{}", finding::text(finding, style));
        }
    }
    print(args, talk, &report)?;
    Ok(exit(&report, loaded.incomplete, args.fail_on))
}

/// Every kind of which the source shows nothing.
fn note_what_is_not_shown(world: &mut World) {
    let shown: BTreeSet<Kind> = world.objects().iter().map(|object| object.kind()).collect();
    for kind in Kind::ALL {
        let read = world.coverage.of(*kind).is_some() || world.coverage.is_partly(*kind);
        if !shown.contains(kind) && !read && !world.coverage.is_list_unread(*kind) {
            world.coverage.add_unread(Unread {
                verb: Verb::List,
                kind: *kind,
                namespace: None,
                name: None,
                reason: Reason::NotShown,
            });
        }
    }
}

fn config_dump(path: &str) -> Result<ConfigDump, Failure> {
    ConfigDump::read(path, &files::bytes(path)?).ok_or_else(|| {
        Failure::new(format!("{path} is no config_dump")).hint(
            "it is the JSON that an Envoy answers to GET /config_dump on its admin port, 19000",
        )
    })
}

fn asked_for(
    args: &DoctorArgs,
    world: &World,
    outcomes: &[Outcome<'_>],
) -> Result<Vec<NamespacedName>, Failure> {
    if let (Some(namespace), true) = (args.input.gateway_namespace(), args.gateway.is_empty()) {
        let all = outcomes.iter().map(|o| &o.gateway);
        let own: Vec<_> = all.filter(|g| g.0 == namespace).cloned().collect();
        return match own.is_empty() {
            true => Err(Failure::new(format!(
                "there is no Gateway in namespace {namespace}"
            ))),
            false => Ok(own),
        };
    }
    for (namespace, name) in &args.gateway {
        let known = world.get(Kind::Gateway, namespace, name).is_some()
            || world
                .parent_gateways()
                .contains(&(namespace.clone(), name.clone()));
        if !known {
            return Err(Failure::new(format!(
                "there is no Gateway {namespace}/{name}"
            )));
        }
    }
    Ok(args.gateway.clone())
}

/// The Secrets that the answer needs.
pub(super) fn secrets(
    controller: &ControllerArgs,
    input: &InputArgs,
    values: &[Document],
    world: &World,
) -> BTreeSet<NamespacedName> {
    // What is wrong with the flags is told once everything is read.
    let Ok(plan) = controller.plan(input, values, world) else {
        return BTreeSet::new();
    };
    let gateways = gateways(world, &plan.options);
    let mut names = needed::secrets(world, &plan.options, &gateways);
    names.extend(beside(world, &plan.options));
    names
}

/// The Secrets that no reconcile gets to: behind an error that ends it, generated tokens, and the
/// webhook's certificate.
pub(super) fn beside(world: &World, options: &Options<'_>) -> BTreeSet<NamespacedName> {
    let policies = world.all(Kind::BackendSecurityPolicy);
    let tokens = policies.map(|policy| {
        let name = format!("ai-eg-bsp-{}", policy.name());
        (policy.namespace().to_string(), name)
    });
    let mut names: BTreeSet<NamespacedName> = tokens.collect();
    for gateway in gateways(world, options) {
        let object = world.get(Kind::Gateway, &gateway.0, &gateway.1);
        let config = gateway_config(world, object);
        let (_, sought) = world.seek(Kind::Secret, || survey(world, options, &gateway, config));
        names.extend(sought);
    }
    if let Ok(Some(controller)) = deployment::find(world) {
        let folder = options.settings.plain(Id::TlsCertDir);
        let name = deployment::mounted_secret(controller, folder);
        names.extend(name.map(|name| (controller.namespace().to_string(), name.to_string())));
    }
    names
}

fn print(args: &DoctorArgs, talk: &Talk, report: &Report) -> Result<(), Failure> {
    for output in &args.output {
        let style = Style {
            color: output.path.is_none() && wants_color(talk, std::io::stdout().is_terminal()),
        };
        let text = match output.format {
            Format::Table => table::write(report, style, talk.verbose),
            Format::Short => short::write(report),
            Format::Json => json::write(report),
            Format::Markdown => markdown::write(report),
        };
        write(output.path.as_deref(), text.as_bytes())?;
    }
    Ok(())
}

fn wants_color(talk: &Talk, terminal: bool) -> bool {
    match talk.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
    }
}

/// A fault that was seen stays true, whatever else could not be told.
fn exit(report: &Report, incomplete: bool, fail_on: Level) -> Exit {
    let reached =
        report.has(Status::Failure) || (fail_on == Level::Warning && report.has(Status::Warning));
    match (reached, incomplete || report.has(Status::Unknown)) {
        (true, _) => Exit::Findings,
        (false, true) => Exit::Incomplete,
        (false, false) => Exit::Clean,
    }
}
