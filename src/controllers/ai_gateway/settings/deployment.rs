//! The controller's Deployment: which one it is, its version, its arguments.

use std::collections::BTreeMap;

use super::code;
use super::flags::{Flag, Value};
use super::go_flags::{self, Step};
use crate::controllers::profile::{ControllerVersion, Profile};
use crate::failure::Failure;
use crate::world::World;
use crate::world::field::{Field, Source};
use crate::world::finding::{Finding, Severity};
use crate::world::kind::Kind;
use crate::world::object::Object;

/// The chart's name, which its objects carry as a label and its container as name.
const CHART: &str = "ai-gateway-helm";
/// The image, without registry and tag.
const IMAGE: &str = "ai-gateway-controller";

/// The controller's Deployment, known by the chart's label or by its image.
///
/// # Errors
/// There are several, so the settings cannot be told.
pub fn find(world: &World) -> Result<Option<&Object>, Failure> {
    let mut found = world
        .all(Kind::Deployment)
        .filter(|deployment| is_controller(deployment));
    let (first, second) = (found.next(), found.next());
    if let (Some(first), Some(second)) = (first, second) {
        let text = format!(
            "the input holds two controllers: {} and {}",
            first.id(),
            second.id()
        );
        return Err(Failure::new(text).hint("leave one of them out"));
    }
    Ok(first)
}

/// Whether a Deployment is the controller's.
pub fn is_controller(deployment: &Object) -> bool {
    deployment.label("app.kubernetes.io/name") == Some(CHART)
        || containers(deployment).any(|container| has_image(&container))
}

/// The controller's version: the tag of its image, or where that is no version the chart's labels.
/// What is given may be no version of a controller that is known.
pub fn version(deployment: &Object) -> Option<&str> {
    let image = container(deployment).and_then(|container| container.get("image").str());
    let tag = image.map(|image| split_image(image).1);
    let chart = deployment
        .label("helm.sh/chart")
        .and_then(|chart| chart.strip_prefix(CHART));
    let chart = chart.and_then(|rest| rest.strip_prefix('-'));
    let candidates = [tag, deployment.label("app.kubernetes.io/version"), chart];
    let mut given = candidates
        .into_iter()
        .flatten()
        .filter(|text| !text.is_empty());
    let known = given
        .clone()
        .find(|text| ControllerVersion::parse(text).is_some());
    known.or_else(|| given.next())
}

fn containers(deployment: &Object) -> impl Iterator<Item = Field<'_>> {
    pod_spec(deployment).get("containers").items()
}

fn pod_spec(deployment: &Object) -> Field<'_> {
    deployment.spec().get("template").get("spec")
}

/// The Secret that the controller mounts at a folder.
pub fn mounted_secret<'w>(deployment: &'w Object, folder: &str) -> Option<&'w str> {
    let bare = |path: &str| path.trim_end_matches('/').to_string();
    let mounts = containers(deployment).flat_map(|c| c.get("volumeMounts").items());
    let mut own = mounts.filter(|m| bare(m.get("mountPath").str_or_empty()) == bare(folder));
    let volume = own.find_map(|m| m.get("name").str())?;
    let mut volumes = pod_spec(deployment).get("volumes").items();
    let volume = volumes.find(|v| v.get("name").str() == Some(volume))?;
    volume.get("secret").get("secretName").str()
}

fn has_image(container: &Field<'_>) -> bool {
    container
        .get("image")
        .str()
        .is_some_and(|image| split_image(image).0 == IMAGE)
}

/// The controller's container: the one with its image, else the one with the chart's name, else the
/// first.
fn container(deployment: &Object) -> Option<Field<'_>> {
    let named = |c: &Field<'_>| c.get("name").str() == Some(CHART);
    containers(deployment)
        .find(has_image)
        .or_else(|| containers(deployment).find(named))
        .or_else(|| containers(deployment).next())
}

/// The last part of an image's path, and its tag.
fn split_image(image: &str) -> (&str, &str) {
    let undigested = image.split('@').next().unwrap_or(image);
    let base = undigested.rsplit('/').next().unwrap_or(undigested);
    base.split_once(':').unwrap_or((base, ""))
}

/// The flags that the Deployment gives, later ones overriding earlier ones. A flag that makes the
/// controller exit is a finding and not given.
pub(super) fn flags<'w>(
    deployment: &'w Object,
    profile: &Profile,
    findings: &mut Vec<Finding>,
) -> Vec<(&'static Flag, Value, Source<'w>)> {
    let Some(container) = container(deployment) else {
        return Vec::new();
    };
    let environment = Environment::of(&container);
    let arguments = arguments(&container, &environment, findings);
    let texts: Vec<_> = arguments.iter().map(|(text, _)| text.as_str()).collect();
    let mut given = BTreeMap::new();
    for step in go_flags::read(&texts, profile) {
        match step {
            Step::Given { name, value, at } => {
                let flag = Flag::find(name, profile).expect("the reader looked it up");
                match flag.read(&value) {
                    Ok(value) => drop(given.insert(flag.id, (flag, value, at))),
                    Err(error) => {
                        findings.push(refused(format!("flag -{name}: {error}"), &arguments[at].1))
                    }
                }
            }
            Step::Refused { problem, at } => findings.push(refused(problem, &arguments[at].1)),
            Step::Stopped { at } => findings.push(unread(&arguments[at].1)),
        }
    }
    let checked = given.into_values().filter_map(|(flag, value, at)| {
        let source = arguments[at].1.clone();
        match flag.check(&value) {
            Ok(()) => Some((flag, value, source)),
            Err(error) => {
                findings.push(refused(format!("flag -{}: {error}", flag.name), &source));
                None
            }
        }
    });
    checked.collect()
}

fn refused(problem: String, source: &Source<'_>) -> Finding {
    let text = format!("the controller would not start: {problem}");
    Finding::new(code::REFUSED_ARGUMENT, Severity::Error, text)
        .at_field(source)
        .help("the answer is given as if this argument were not there")
}

fn unread(source: &Source<'_>) -> Finding {
    let text = "the controller reads no flag from here on: this argument is none";
    Finding::new(code::UNREAD_ARGUMENTS, Severity::Warning, text)
        .at_field(source)
        .help("a boolean flag takes its value only after an equals sign: -flag=false")
}

/// The arguments with their variables expanded. What stands behind the program in `command` comes
/// first.
fn arguments<'w>(
    container: &Field<'w>,
    environment: &Environment<'w>,
    findings: &mut Vec<Finding>,
) -> Vec<(String, Source<'w>)> {
    let command = container.get("command").items().skip(1);
    let mut arguments = Vec::new();
    for argument in command.chain(container.get("args").items()) {
        let expanded = environment.expand(argument.str_or_empty());
        for name in expanded.unknown {
            let text = format!(
                "the value of $({name}) is not known: {}",
                environment.why(name)
            );
            findings.push(
                Finding::new(code::UNKNOWN_ARGUMENT_VALUE, Severity::Warning, text)
                    .at_field(&argument.source())
                    .help("give the setting with --controller-flag NAME=VALUE"),
            );
        }
        arguments.push((expanded.text, argument.source()));
    }
    arguments
}

/// The variables that arguments may refer to.
struct Environment<'w> {
    /// The literal ones, with references to earlier ones expanded.
    literal: BTreeMap<&'w str, String>,
    /// Those whose value stands elsewhere.
    elsewhere: BTreeMap<&'w str, Source<'w>>,
    /// `envFrom` is used, so that any name may have a value.
    open: bool,
}

/// An expanded text and the names in it whose value is not known.
struct Expanded<'t> {
    text: String,
    unknown: Vec<&'t str>,
}

impl<'w> Environment<'w> {
    fn of(container: &Field<'w>) -> Self {
        let mut environment = Environment {
            literal: BTreeMap::new(),
            elsewhere: BTreeMap::new(),
            open: container.get("envFrom").items().next().is_some(),
        };
        for variable in container.get("env").items() {
            let Some(name) = variable.get("name").str() else {
                continue;
            };
            let value = variable.get("value");
            if variable.get("valueFrom").is_set() {
                environment.literal.remove(name);
                environment
                    .elsewhere
                    .insert(name, variable.get("valueFrom").source());
            } else {
                let text = environment.expand(value.str_or_empty()).text;
                environment.elsewhere.remove(name);
                environment.literal.insert(name, text);
            }
        }
        environment
    }

    /// `$(NAME)` becomes the variable's value, `$$` becomes `$`; a name without a value stays.
    fn expand<'t>(&self, text: &'t str) -> Expanded<'t> {
        let mut expanded = Expanded {
            text: String::with_capacity(text.len()),
            unknown: Vec::new(),
        };
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            expanded.text.push_str(before);
            let name = after
                .strip_prefix('(')
                .and_then(|inner| inner.split_once(')'));
            rest = match name {
                Some((name, tail)) => {
                    match self.literal.get(name) {
                        Some(value) => expanded.text.push_str(value),
                        None => {
                            expanded.text.push_str(&format!("$({name})"));
                            if self.open || self.elsewhere.contains_key(name) {
                                expanded.unknown.push(name);
                            }
                        }
                    }
                    tail
                }
                None => {
                    expanded.text.push('$');
                    after.strip_prefix('$').unwrap_or(after)
                }
            };
        }
        expanded.text.push_str(rest);
        expanded
    }

    fn why(&self, name: &str) -> String {
        match self.elsewhere.get(name) {
            Some(source) => format!("it stands in what {} names", source.path),
            None => "it may come from envFrom".to_string(),
        }
    }
}
