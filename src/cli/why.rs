//! `aigwctl why`.

use clap::{Args, ValueEnum};

use super::input::{ControllerArgs, InputArgs, Plan, Wanted};
use super::output::Output;
use super::render::{
    could_not_read, namespaced_name, only_asked_for, report_findings, share_assumptions, style,
};
use super::{Talk, needs};
use crate::controllers::ai_gateway::reconcile_all;
use crate::diff::answer::{self, Answer, Question};
use crate::diff::cause::Sides;
use crate::diff::document::How;
use crate::diff::path::Pattern;
use crate::diff::why::{Explanation, explain};
use crate::failure::{Exit, Failure};
use crate::manifest::document::Document;
use crate::present::diff::Report;
use crate::present::output::write;
use crate::present::why::{Explained, Impact, json, text};
use crate::secret::Reveal;
use crate::source::Loaded;
use crate::world::NamespacedName;
use crate::world::finding::Finding;
use crate::world::kind::Kind;
use crate::world::object::ObjectId;

/// Print which line of a manifest put a value into the answer, and what it overrode
#[derive(Debug, Clone, Args)]
pub struct WhyArgs {
    /// SOURCE… PATH: files, directories, git:REV[:PATH] or -, then a path such as
    /// backends[name=ns/be/route/r/rule/0/ref/0].auth, models[gpt-4o], sidecar.args[-logLevel],
    /// settings[extProcImage] or patches. With --impact there is no PATH
    #[arg(value_name = "SOURCE")]
    pub sources: Vec<String>,
    /// What of the answer hangs on this object, and what it would be without it
    #[arg(long, value_name = "KIND/NS/NAME")]
    pub impact: Option<String>,
    /// Explain only this Gateway's answer; may be repeated
    #[arg(long, value_name = "NS/NAME", value_parser = namespaced_name)]
    pub gateway: Vec<NamespacedName>,
    /// Format and, optionally, file of the result; may be repeated: text, json
    #[arg(short, long, value_name = "FORMAT[=PATH]", default_value = "text")]
    pub output: Vec<Output<Format>>,
    /// Show the values that header and body mutations set
    #[arg(long)]
    pub show_mutations: bool,
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
    /// For people
    Text,
    /// Everything, for programs
    Json,
}

/// Runs the command.
///
/// # Errors
/// When there is no answer at all, or the path names nothing.
pub fn run(args: &WhyArgs, talk: &Talk) -> Result<Exit, Failure> {
    let values = args.controller.values()?;
    if let Some(object) = &args.impact {
        return impact(args, &values, object, talk);
    }
    let is_live = args.input.is_live();
    let split = args.sources.split_last();
    let Some((path, sources)) = split.filter(|(_, s)| !s.is_empty() || is_live) else {
        return Err(Failure::new("why takes a SOURCE and a PATH")
            .hint("for example: aigwctl why deploy/ 'models[gpt-4o]'"));
    };
    let pattern = Pattern::parse(path)
        .map_err(|problem| Failure::new(format!("{path} is no path: {problem}")))?;
    let loaded = args.load(sources, &values, talk)?;
    let plan = args.controller.plan(&args.input, &values, &loaded.world)?;
    let world = &loaded.world;
    let (mut outcomes, unread) = world.observe(|| reconcile_all(world, &plan.options));
    only_asked_for(world, &mut outcomes, &args.gateway)?;
    let explained: Vec<Explained<'_>> = outcomes
        .iter()
        .map(|outcome| Explained {
            outcome,
            values: explain(outcome, &plan.options, Some(&pattern), args.reveal()),
        })
        .filter(|explained| !explained.values.is_empty())
        .collect();
    if explained.is_empty() {
        return Err(nothing_there(path, &outcomes, &plan));
    }
    for output in &args.output {
        let text = match output.format {
            Format::Text => text::write(&explained, style(talk, output.path.is_some())),
            Format::Json => json::write(&explained),
        };
        write(output.path.as_deref(), text.as_bytes())?;
    }
    let unread: Vec<Finding> = unread.iter().filter_map(could_not_read).collect();
    if !talk.quiet {
        let findings = loaded.findings.iter().chain(&plan.findings);
        report_findings(findings.chain(&unread), talk);
    }
    Ok(exit(
        loaded.incomplete || plan.incomplete || !unread.is_empty(),
    ))
}

fn exit(incomplete: bool) -> Exit {
    match incomplete {
        true => Exit::Incomplete,
        false => Exit::Clean,
    }
}

/// No value has the path: say what has nearly the same.
fn nothing_there(
    path: &str,
    outcomes: &[crate::controllers::ai_gateway::outcome::Outcome<'_>],
    plan: &Plan<'_>,
) -> Failure {
    let failure = Failure::new(format!("no value of the answer has the path {path}"));
    let failure =
        outcomes
            .iter()
            .filter(|o| o.config.is_none())
            .fold(failure, |failure, outcome| {
                let name = outcome.name();
                failure.hint(match &outcome.refusal {
                    Some(halt) => {
                        let place = halt
                            .source
                            .as_ref()
                            .map(|s| format!(" at {}", s.location()));
                        let place = place.unwrap_or_default();
                        format!(
                            "Gateway {name} has no document, it is refused{place}: {}",
                            halt.message
                        )
                    }
                    None => {
                        format!("Gateway {name} has no document, since the controller writes none")
                    }
                })
            });
    let first = path.split(['.', '[']).next().unwrap_or_default();
    let Ok(pattern) = Pattern::parse(first) else {
        return failure;
    };
    let mut near: Vec<String> = Vec::new();
    for outcome in outcomes {
        let values = explain(outcome, &plan.options, Some(&pattern), Reveal::default());
        near.extend(values.iter().take(5).map(|e| e.path.to_string()));
    }
    near.truncate(5);
    match near.is_empty() {
        true => failure.hint("paths begin with models, modelsByHost, backends, llmRequestCosts, globalLLMRequestCosts, mcpConfig, version, uuid, sidecar, settings or, where something is patched, patches"),
        false => failure.hint(format!("there are {}", near.join(", "))),
    }
}

impl WhyArgs {
    fn load(
        &self,
        sources: &[String],
        values: &[Document],
        talk: &Talk,
    ) -> Result<Loaded, Failure> {
        let wanted = Wanted {
            needs: &needs::WHY,
            secrets: &|world| {
                self.controller
                    .secrets(&self.input, values, world, &self.gateway)
            },
        };
        self.input.load(sources, &wanted, talk)
    }

    fn reveal(&self) -> Reveal {
        Reveal {
            secrets: false,
            mutations: self.show_mutations,
        }
    }
}

/// The answer with an object and without it.
fn impact(args: &WhyArgs, values: &[Document], object: &str, talk: &Talk) -> Result<Exit, Failure> {
    if args.sources.is_empty() && !args.input.is_live() {
        return Err(Failure::new("--impact needs a SOURCE"));
    }
    let loaded = args.load(&args.sources, values, talk)?;
    let plan = args.controller.plan(&args.input, values, &loaded.world)?;
    let id = object_id(object, args.input.namespace.as_deref())?;
    let world = &loaded.world;
    if world.get(id.kind, &id.namespace, &id.name).is_none() {
        return Err(Failure::new(format!("the input has no {id}"))
            .hint("give it as KIND/NAMESPACE/NAME, or KIND/NAME for kinds without namespace"));
    }
    let without = world.without(&id);
    // The controller's own Deployment may be the object: it has settings all the same.
    let other_plan = args.controller.plan(&args.input, values, &without)?;
    let mut outcomes = Sides {
        old: reconcile_all(world, &plan.options),
        new: reconcile_all(&without, &other_plan.options),
    };
    if !args.gateway.is_empty() {
        only_asked_for(world, &mut outcomes.old, &args.gateway)?;
        outcomes.new.retain(|o| args.gateway.contains(&o.gateway));
    }
    share_assumptions(&mut outcomes.old, &mut Vec::new());
    share_assumptions(&mut outcomes.new, &mut Vec::new());
    let hangs: Vec<Explained<'_>> = outcomes
        .old
        .iter()
        .map(|outcome| {
            let values = explain(outcome, &plan.options, None, args.reveal());
            let hangs = |value: &Explanation<'_>| value.hangs_on(&id);
            Explained {
                outcome,
                values: values.into_iter().filter(hangs).collect(),
            }
        })
        .collect();
    let question = Question {
        how: How {
            raw: false,
            reveal: args.reveal(),
        },
        ignore: Vec::new(),
    };
    let answers = Sides {
        old: Answer {
            world,
            options: &plan.options,
            outcomes: &outcomes.old,
        },
        new: Answer {
            world: &without,
            options: &other_plan.options,
            outcomes: &outcomes.new,
        },
    };
    let gateways = answer::compare(&answers.old, &answers.new, &question);
    let sources = args.sources.join(" ");
    let report = Report {
        answers,
        sources: Sides {
            old: sources.clone(),
            new: format!("{sources} without {id}"),
        },
        gateways: &gateways,
        findings: &loaded.findings,
        question: &question,
    };
    let impact = Impact {
        object: &id,
        hangs: &hangs,
        report: &report,
    };
    for output in &args.output {
        let text = match output.format {
            Format::Text => text::impact(&impact, style(talk, output.path.is_some()), talk.verbose),
            Format::Json => json::impact(&impact),
        };
        write(output.path.as_deref(), text.as_bytes())?;
    }
    Ok(exit(loaded.incomplete || plan.incomplete))
}

/// Reads `KIND/NAMESPACE/NAME` or `KIND/NAME`. The kind may be given as its plural, in any case.
fn object_id(text: &str, default_namespace: Option<&str>) -> Result<ObjectId, Failure> {
    let parts: Vec<&str> = text.split('/').collect();
    let (kind, namespace, name) = match parts[..] {
        [kind, namespace, name] => (kind, Some(namespace), name),
        [kind, name] => (kind, None, name),
        _ => return Err(Failure::new(format!("{text} is no KIND/NAMESPACE/NAME"))),
    };
    let is_named = |k: &&Kind| {
        let (name, plural) = (k.name(), k.plural());
        kind.eq_ignore_ascii_case(name)
            || kind.eq_ignore_ascii_case(plural)
            || kind.eq_ignore_ascii_case(&format!("{plural}.{}", k.group()))
    };
    let found = Kind::ALL.iter().copied().find(|k| is_named(&k));
    let Some(kind) = found else {
        let names: Vec<&str> = Kind::ALL.iter().map(|k| k.name()).collect();
        return Err(
            Failure::new(format!("{kind} is no kind that an answer depends on"))
                .hint(format!("known are {}", names.join(", "))),
        );
    };
    let namespace = match kind.is_namespaced() {
        true => namespace.or(default_namespace).unwrap_or("default"),
        false => "",
    };
    Ok(ObjectId {
        kind,
        namespace: namespace.to_string(),
        name: name.to_string(),
    })
}
