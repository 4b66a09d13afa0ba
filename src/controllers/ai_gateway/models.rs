//! Models that a route declares, for `/v1/models`.

use std::collections::HashMap;
use std::rc::Rc;

use super::config::{Config, Leaf, Model, Text};
use super::origin::{Because, Origin, Rule};
use super::skip::{Skip, SkipReason};
use super::time::to_utc;
use crate::world::field::Field;

/// The header that names the model. The controller compares it with the spec's text, so another
/// spelling routes but is not listed.
const MODEL_HEADER: &str = "x-ai-eg-model";
const DEFAULT_OWNER: &str = "Envoy AI Gateway";

/// Collects models and puts them under the hostnames of their routes.
#[derive(Debug, Default)]
pub struct Models<'w> {
    host_slots: HashMap<&'w str, usize>,
    unscoped: Vec<Rc<Model<'w>>>,
}

impl<'w> Models<'w> {
    /// Adds the models of one rule.
    pub fn add_rule(
        &mut self,
        config: &mut Config<'w>,
        skipped: &mut Vec<Skip<'w>>,
        rule: &Field<'w>,
        because: &Because<'w>,
    ) {
        for found in rule.get("matches").items() {
            for header in found.get("headers").items() {
                match declares_model(&header) {
                    Declares::Model => {
                        let model = Rc::new(model(&header, rule, because));
                        config.models.push(model.clone());
                        self.place(config, rule, model);
                    }
                    Declares::Nothing(Some(text)) => skipped.push(not_listed(&header, text)),
                    Declares::Nothing(None) => {}
                }
            }
        }
    }

    fn place(&mut self, config: &mut Config<'w>, rule: &Field<'w>, model: Rc<Model<'w>>) {
        let mut scoped = false;
        for host in rule.object().spec().get("hostnames").items() {
            scoped = true;
            let host = host.str_or_empty();
            let slot = *self.host_slots.entry(host).or_insert_with(|| {
                config.models_by_host.push((host, Vec::new()));
                config.models_by_host.len() - 1
            });
            config.models_by_host[slot].1.push(model.clone());
        }
        if !scoped {
            self.unscoped.push(model);
        }
    }

    /// Unscoped models are only told apart when some route has hostnames.
    pub fn finish(self, config: &mut Config<'w>) {
        if !config.models_by_host.is_empty() {
            config.unscoped_models = self.unscoped;
        }
    }
}

enum Declares {
    Model,
    Nothing(Option<&'static str>),
}

fn declares_model(header: &Field<'_>) -> Declares {
    let name = header.get("name").str_or_empty();
    let exact = header.get("type").str().is_none_or(|kind| kind == "Exact");
    match (
        name == MODEL_HEADER,
        name.eq_ignore_ascii_case(MODEL_HEADER),
        exact,
    ) {
        (true, _, true) => Declares::Model,
        (true, _, false) => Declares::Nothing(Some(
            "the model header is not matched exactly, so the model is not listed",
        )),
        (_, true, _) => Declares::Nothing(Some(
            "the model header is only recognised as x-ai-eg-model in lower case, so the model is \
             not listed",
        )),
        _ => Declares::Nothing(None),
    }
}

fn not_listed<'w>(header: &Field<'w>, text: &str) -> Skip<'w> {
    Skip {
        source: header.get("name").source(),
        reason: SkipReason::ModelNotListed,
        message: None,
        text: text.to_string(),
        causes: Vec::new(),
        help: Some("requests are routed all the same; only /v1/models lacks the model".into()),
    }
}

fn model<'w>(header: &Field<'w>, rule: &Field<'w>, because: &Because<'w>) -> Model<'w> {
    let name = header.get("value");
    let because = because.and([header.get("name").source(), header.get("type").source()]);
    let owner = rule.get("modelsOwnedBy");
    let owned_by = match owner.str() {
        Some(text) => Leaf::plain(text, Origin::new(Rule::Field, owner.source(), &because)),
        None => Leaf::plain(
            DEFAULT_OWNER,
            Origin::new(Rule::Default, owner.source(), &because),
        ),
    };
    Model {
        name: Leaf::plain(
            name.str_or_empty(),
            Origin::new(Rule::Field, name.source(), &because),
        ),
        owned_by,
        created_at: created_at(rule, &because),
    }
}

fn created_at<'w>(rule: &Field<'w>, because: &Because<'w>) -> Leaf<'w> {
    let own = rule.get("modelsCreatedAt");
    let creation = rule.object().metadata().get("creationTimestamp");
    let (field, kind) = if own.is_set() {
        (own, Rule::Field)
    } else {
        (creation, Rule::Default)
    };
    let mut origin = Origin::new(kind, field.source(), because);
    if kind == Rule::Field && creation_is_known(rule) {
        origin
            .overrode
            .push(rule.object().metadata().get("creationTimestamp").source());
    }
    let text = match field.str() {
        Some(text) => {
            to_utc(text).map_or(Text::Unknown("<no valid time>"), |t| Text::Plain(t.into()))
        }
        None => Text::Unknown("<unknown creationTimestamp>"),
    };
    Leaf { text, origin }
}

fn creation_is_known(rule: &Field<'_>) -> bool {
    rule.object().metadata().get("creationTimestamp").is_set()
}
