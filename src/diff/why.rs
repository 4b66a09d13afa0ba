//! Why a value of an answer is what it is: the chain of places that made it, and what it overrode.
//!
//! Answers for the document (`backends[name=…].auth`), the pod's additions (`sidecar.args[-logLevel]`),
//! the controller's settings (`settings[extProcImage]`) and the patches (`patches[deployments/ns/name]`).

use std::borrow::Cow;

use serde_json::{Value as Json, json};

use super::path::{Path, Pattern, Step};
use super::value::{Scalar, Value};
use crate::controllers::ai_gateway::options::Options;
use crate::controllers::ai_gateway::origin::{Origin, Rule};
use crate::controllers::ai_gateway::outcome::Outcome;
use crate::controllers::ai_gateway::part::Part;
use crate::controllers::ai_gateway::rollout::Patch;
use crate::controllers::ai_gateway::sidecar::{Admission, Injection};
use crate::secret::Reveal;
use crate::world::field::Source;
use crate::world::finding::Place;
use crate::world::object::ObjectId;

/// A value and what made it.
#[derive(Debug, Clone)]
pub struct Explanation<'a> {
    /// Where it is.
    pub path: Path,
    /// The value, hidden where it must not be shown.
    pub value: Json,
    /// The id of the rule that gave it.
    pub rule: &'static str,
    /// What the rule says.
    pub text: String,
    /// The place that it was read from.
    pub source: Option<Source<'a>>,
    /// A place outside of the objects, such as a file of Helm values.
    pub place: Option<Place>,
    /// What had to be there for it to exist, the nearest cause first.
    pub because: Vec<Source<'a>>,
    /// Places whose values lost against it.
    pub overrode: Vec<Source<'a>>,
}

impl<'a> Explanation<'a> {
    fn new(path: Path, value: Json, origin: &Origin<'a>) -> Self {
        Explanation {
            path,
            value,
            rule: origin.rule.id(),
            text: origin.rule.text().to_string(),
            source: origin.source.clone(),
            place: None,
            because: origin.because.sources().cloned().collect(),
            overrode: origin.overrode.clone(),
        }
    }

    /// Whether the value hangs on an object.
    pub fn hangs_on(&self, object: &ObjectId) -> bool {
        let mut chain = self
            .source
            .iter()
            .chain(&self.because)
            .chain(&self.overrode);
        chain.any(|source| source.object.id() == object)
    }
}

/// Everything of a Gateway's answer that the pattern covers, in the order of the document.
pub fn explain<'a>(
    outcome: &'a Outcome<'a>,
    options: &'a Options<'a>,
    pattern: Option<&Pattern>,
    reveal: Reveal,
) -> Vec<Explanation<'a>> {
    let mut all = Collector {
        pattern,
        found: Vec::new(),
    };
    if let Some(config) = &outcome.config {
        let document = Value::of(config);
        let mut leaves: Vec<(
            Path,
            &'a crate::controllers::ai_gateway::config::Leaf<'a>,
            Json,
        )> = Vec::new();
        document.leaves(&mut |steps, scalar: &Scalar<'a>| {
            if let Some(leaf) = scalar.leaf().filter(|_| all.covers(steps)) {
                leaves.push((Path::of(steps), leaf, scalar.json(reveal)));
            }
        });
        let explained = leaves
            .into_iter()
            .map(|(path, leaf, value)| Explanation::new(path, value, &leaf.origin));
        all.found.extend(explained);
    }
    all.sidecar(outcome, options, reveal);
    all.settings(options, reveal);
    all.patches(outcome);
    all.found
}

struct Collector<'p, 'a> {
    pattern: Option<&'p Pattern>,
    found: Vec<Explanation<'a>>,
}

fn key(text: &str) -> Step<'_> {
    Step::Key(Cow::Borrowed(text))
}

fn named<'t>(index: usize, names: impl IntoIterator<Item = &'t str>) -> Step<'t> {
    Step::Item {
        index,
        names: names
            .into_iter()
            .map(|name| ("", Cow::Borrowed(name)))
            .collect(),
    }
}

impl<'a> Collector<'_, 'a> {
    fn covers(&self, steps: &[Step<'_>]) -> bool {
        self.pattern.is_none_or(|pattern| pattern.covers(steps))
    }

    /// What the webhook adds to a pod once the Secrets are written.
    fn sidecar(&mut self, outcome: &'a Outcome<'a>, options: &'a Options<'a>, reveal: Reveal) {
        let admissions = outcome.workload.pods.iter().map(|case| &case.admission);
        let mut injections = admissions.filter_map(|admission| match admission {
            Admission::Injected(injection) => Some(&**injection),
            Admission::Untouched(_) => None,
        });
        // The last case is that of a pod which is created after the write.
        let Some(injection) = injections.next_back() else {
            return;
        };
        for (list, parts) in lists(injection) {
            let mut steps = vec![key("sidecar")];
            steps.extend(list.map(key));
            match list {
                None => self.part(&mut steps, &parts[0], options, reveal),
                Some(_) => self.items(&mut steps, parts, options, reveal),
            }
        }
    }

    fn part<'s>(
        &mut self,
        steps: &mut Vec<Step<'s>>,
        part: &'s Part<'a>,
        options: &'a Options<'a>,
        reveal: Reveal,
    ) {
        match part {
            Part::Null => {}
            Part::List(items) => self.items(steps, items, options, reveal),
            Part::Map(members) => {
                for (name, member) in members {
                    steps.push(key(name));
                    self.part(steps, member, options, reveal);
                    steps.pop();
                }
            }
            Part::Leaf(leaf) if self.covers(steps) => {
                let path = Path::of(steps);
                let mut explanation = Explanation::new(path, part.json(reveal), &leaf.origin);
                if let Some(flag) = leaf.setting {
                    explanation.setting(flag, options);
                }
                self.found.push(explanation);
            }
            Part::Leaf(_) => {}
        }
    }

    /// Items are known by their `name`; arguments by themselves and by the flag before them.
    fn items<'s>(
        &mut self,
        steps: &mut Vec<Step<'s>>,
        items: &'s [Part<'a>],
        options: &'a Options<'a>,
        reveal: Reveal,
    ) {
        for (index, item) in items.iter().enumerate() {
            let flag = |i: usize| items.get(i)?.text().filter(|text| text.starts_with('-'));
            let name = item.get("name").and_then(Part::text);
            let before = index.checked_sub(1).and_then(flag);
            let names = match name.or(flag(index)).or(before) {
                Some(name) => vec![name],
                None => Vec::new(),
            };
            steps.push(named(index, names));
            self.part(steps, item, options, reveal);
            steps.pop();
        }
    }

    fn settings(&mut self, options: &'a Options<'a>, reveal: Reveal) {
        for (index, (flag, setting)) in options.settings.iter().enumerate() {
            let steps = [key("settings"), named(index, [flag.name])];
            if !self.covers(&steps) {
                continue;
            }
            let mut explanation = Explanation::new(
                Path::of(&steps),
                json!(setting.value.shown(reveal)),
                &Origin::option(),
            );
            explanation.setting(flag.name, options);
            self.found.push(explanation);
        }
    }

    fn patches(&mut self, outcome: &'a Outcome<'a>) {
        let rollout = outcome.workload.rollout.iter();
        for (index, patch) in rollout.flat_map(|r| &r.patches).enumerate() {
            let object = patch.object;
            let (kind, namespace) = (object.kind().plural(), object.namespace());
            let name = format!("{kind}/{namespace}/{}", object.name());
            let steps = [key("patches"), named(index, [name.as_str()])];
            if self.covers(&steps) {
                self.found.push(patched(Path::of(&steps), patch));
            }
        }
    }
}

/// The container, and the lists to which something is added.
fn lists<'i, 'a>(injection: &'i Injection<'a>) -> [(Option<&'static str>, &'i [Part<'a>]); 4] {
    [
        (None, std::slice::from_ref(&injection.container)),
        (Some("volumes"), &injection.volumes),
        (
            Some("envoyVolumeMounts"),
            std::slice::from_ref(&injection.envoy_mount),
        ),
        (Some("imagePullSecrets"), &injection.image_pull_secrets),
    ]
}

fn patched<'a>(path: Path, patch: &'a Patch<'a>) -> Explanation<'a> {
    let reasons: Vec<String> = patch.reasons.iter().map(|reason| reason.text()).collect();
    Explanation {
        path,
        value: patch.body(),
        rule: patch
            .reasons
            .first()
            .map_or("refresh", |reason| reason.id()),
        text: reasons.join("; "),
        source: Some(patch.object.field().source()),
        place: None,
        because: Vec::new(),
        overrode: Vec::new(),
    }
}

impl Explanation<'_> {
    /// A value that a setting of the controller gave.
    fn setting(&mut self, flag: &str, options: &Options<'_>) {
        let Some((_, setting)) = options.settings.iter().find(|(f, _)| f.name == flag) else {
            return;
        };
        if self.rule == Rule::Option.id() {
            self.text = format!("the controller's flag {flag}, from {}", setting.source.id());
        }
        if self.source.is_none() {
            self.place = setting.source.place();
        }
    }
}
