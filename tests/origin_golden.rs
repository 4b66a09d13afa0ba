//! Every value of a document knows where it came from.
//!
//! The scalar at the position of each value's origin is changed, one at a time: that value must
//! change, and no value may change whose chain does not hold the position.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use aigwctl::controllers::ai_gateway::config::Leaf;
use aigwctl::controllers::ai_gateway::origin::Rule;
use aigwctl::controllers::ai_gateway::reconcile_all;
use aigwctl::manifest::document::Document;
use aigwctl::manifest::node::{Entry, Map, Node, Pos, Value};
use aigwctl::secret::Reveal;
use aigwctl::world::build::Builder;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// What is compared of a value: the keys of its path, where it was written, and its text.
type Leaves = BTreeMap<(String, Option<Pos>), Vec<String>>;

#[derive(Default)]
struct Rendered {
    leaves: Leaves,
    /// All positions that a value hangs on.
    chains: BTreeMap<(String, Option<Pos>), BTreeSet<Pos>>,
    /// Places of values that lost, and what the winners hang on: without the winner they come back.
    lost: BTreeMap<Pos, BTreeSet<Pos>>,
    /// Places whose scalar is the value.
    primary: BTreeMap<Pos, BTreeSet<(String, Option<Pos>)>>,
    without_place: usize,
}

#[test]
fn golden_values_change_with_the_scalar_at_their_origin() {
    let mut worlds = support::worlds();
    worlds.retain(|w| {
        w.version == "v1.1.0" && std::fs::metadata(w.objects()).unwrap().len() < 200_000
    });
    worlds.truncate(110);
    let results = support::each(&worlds, check);
    let leaves: usize = results.iter().map(|r| r.0).sum();
    let changed: usize = results.iter().map(|r| r.1).sum();
    println!(
        "{} worlds, {leaves} values, {changed} scalars changed one at a time",
        worlds.len()
    );
    assert!(changed > 0, "nothing was changed");
    let problems: Vec<String> = results.into_iter().flat_map(|r| r.2).collect();
    assert!(
        problems.is_empty(),
        "{} problems:\n{}",
        problems.len(),
        problems.join("\n")
    );
}

fn check(world: &support::World) -> (usize, usize, Vec<String>) {
    let documents = read(&world.objects());
    let before = render(world, documents.clone());
    let mut problems = Vec::new();
    let count = before.leaves.values().map(Vec::len).sum();
    let mut changed = 0;
    // The version and the UUID are the only values that no object gives.
    let gateways = world.expected["gateways"].as_array().unwrap().len();
    if before.without_place > 2 * gateways {
        problems.push(format!("{}: values without a place", world.name()));
    }
    for (place, owned) in &before.primary {
        let mut altered = false;
        let mutated = documents.iter().map(|d| {
            let root = mutate(&d.root, *place, "", &mut altered);
            Document { root, ..d.clone() }
        });
        let mutated: Vec<Document> = mutated.collect();
        if !altered {
            continue;
        }
        changed += 1;
        let after = render(world, mutated);
        let at = format!("{} {}:{}", world.name(), place.line, place.column);
        for key in owned {
            if before.leaves.get(key) == after.leaves.get(key) {
                problems.push(format!("{at}: {} did not change", key.0));
            }
        }
        let keys: BTreeSet<_> = before.leaves.keys().chain(after.leaves.keys()).collect();
        for key in keys {
            if before.leaves.get(key) == after.leaves.get(key) {
                continue;
            }
            let hangs = |r: &Rendered| r.chains.get(key).is_some_and(|c| c.contains(place));
            let comes_back = key
                .1
                .is_some_and(|at| before.lost.get(&at).is_some_and(|w| w.contains(place)));
            if !hangs(&before) && !hangs(&after) && !comes_back {
                problems.push(format!(
                    "{at}: {} changed, its chain lacks the place",
                    key.0
                ));
            }
        }
    }
    (count, changed, problems)
}

fn read(path: &str) -> Vec<Document> {
    let bytes = std::fs::read(path).unwrap();
    let documents = aigwctl::manifest::read(path.into(), &bytes, &Default::default());
    documents.into_iter().map(|d| d.unwrap()).collect()
}

fn render(world: &support::World, documents: Vec<Document>) -> Rendered {
    let mut builder = Builder::new(None);
    documents.into_iter().for_each(|d| builder.add(d));
    let (objects, _) = builder.finish();
    let options = support::options(world, &objects);
    let mut rendered = Rendered::default();
    for outcome in reconcile_all(&objects, &options) {
        let Some(config) = &outcome.config else {
            continue;
        };
        let gateway = outcome.name();
        config
            .document()
            .leaves(&mut |path, leaf| rendered.add(&gateway, path, leaf));
    }
    rendered
        .leaves
        .values_mut()
        .for_each(|values| values.sort());
    rendered
}

impl Rendered {
    fn add(&mut self, gateway: &str, path: &str, leaf: &Leaf<'_>) {
        let keys: String = path
            .split('[')
            .map(|p| p.trim_start_matches(|c: char| c.is_ascii_digit()))
            .collect();
        let place = leaf.origin.source.as_ref().map(|s| s.pos);
        let key = (format!("{gateway} {keys}"), place);
        self.leaves
            .entry(key.clone())
            .or_default()
            .push(leaf.shown(Reveal::ALL).into_owned());
        let chain: BTreeSet<Pos> = leaf.origin.chain().map(|s| s.pos).collect();
        for lost in &leaf.origin.overrode {
            self.lost.entry(lost.pos).or_default().extend(&chain);
        }
        self.chains.entry(key.clone()).or_default().extend(chain);
        match place {
            None => self.without_place += 1,
            Some(place) if !matches!(leaf.origin.rule, Rule::Default | Rule::Fixed) => {
                self.primary.entry(place).or_default().insert(key);
            }
            Some(_) => {}
        }
    }
}

/// A copy in which the scalar at a place has another value. `key` is the key that it stands under,
/// `data` for everything in a Secret's data.
fn mutate(node: &Node, place: Pos, key: &str, altered: &mut bool) -> Node {
    let value = match &node.value {
        Value::Map(map) => {
            let entries = map.iter().map(|e| {
                let key = if key == "data" { key } else { &*e.key };
                Entry {
                    key: e.key.clone(),
                    key_pos: e.key_pos,
                    value: mutate(&e.value, place, key, altered),
                }
            });
            Value::Map(Map::from_unique(entries.collect()))
        }
        Value::List(list) => {
            let items = list.iter().map(|n| mutate(n, place, key, altered));
            Value::List(items.collect())
        }
        scalar if node.pos == place => {
            *altered = true;
            other(scalar, key)
        }
        scalar => scalar.clone(),
    };
    Node {
        pos: node.pos,
        value,
    }
}

fn other(value: &Value, key: &str) -> Value {
    match (value, key) {
        (Value::Bool(b), _) => Value::Bool(!b),
        (Value::Int(n), _) => Value::Int(n + 1),
        (Value::String(text), "data") => {
            let mut bytes = STANDARD.decode(&**text).unwrap();
            bytes.extend(b"-other");
            Value::String(STANDARD.encode(bytes))
        }
        // An expression stays accepted.
        (Value::String(text), "cel" | "costExpression") => Value::String(format!("{text} ")),
        // A time stays a time.
        (Value::String(text), "modelsCreatedAt" | "creationTimestamp") => {
            Value::String(format!("19{}", &text[2..]))
        }
        (Value::String(text), _) => Value::String(format!("{text}-other")),
        (value, _) => value.clone(),
    }
}
