//! How long each stage of `render` takes on generated sets of 100 to 50 000 objects.
//!
//! `cargo bench --bench render` prints, for each set, the median of several runs: the YAML parser
//! alone, building the world, the reconcile, the text of the documents, and the whole as a multiple
//! of the parser. The cost per object must stay flat.

use std::fmt::Write;
use std::time::{Duration, Instant};

use aigwctl::controllers::ai_gateway::options::{MissingSecrets, Options, PLACEHOLDER_UUID};
use aigwctl::controllers::ai_gateway::settings::{Inputs, resolve};
use aigwctl::controllers::ai_gateway::sidecar::Mode;
use aigwctl::controllers::ai_gateway::{outcome::Outcome, reconcile_all};
use aigwctl::controllers::profile::ControllerVersion;
use aigwctl::manifest::{Document, Limits, read};
use aigwctl::present::render::{Answer, json, table};
use aigwctl::present::style::Style;
use aigwctl::secret::Reveal;
use aigwctl::world::World;
use aigwctl::world::build::Builder;

/// Ten objects a team: a route, four backends with their policies, a Secret.
const PER_TEAM: usize = 10;
/// Teams that share a Gateway.
const TEAMS_PER_GATEWAY: usize = 20;

fn main() {
    println!(
        "{:>8} {:>7} {:>9} {:>9} {:>9} {:>9} {:>9} {:>11} {:>9} {:>6}",
        "objects",
        "MB",
        "parse",
        "index",
        "reconcile",
        "table",
        "json",
        "objects/s",
        "µs/object",
        "ratio"
    );
    for objects in [100, 1_000, 10_000, 50_000] {
        let text = generate(objects);
        let runs = if objects < 10_000 { 9 } else { 5 };
        let mut times: Vec<Times> = (0..runs).map(|_| run(&text)).collect();
        times.sort_by_key(Times::whole);
        report(objects, text.len(), &times[runs / 2]);
    }
}

struct Times {
    parse: Duration,
    index: Duration,
    reconcile: Duration,
    table: Duration,
    json: Duration,
}

impl Times {
    /// What `render` does by default: everything but the JSON.
    fn whole(&self) -> Duration {
        self.parse + self.index + self.reconcile + self.table
    }
}

fn report(objects: usize, bytes: usize, times: &Times) {
    let ms = |d: Duration| format!("{:.1} ms", d.as_secs_f64() * 1e3);
    let whole = times.whole().as_secs_f64();
    println!(
        "{objects:>8} {:>7.2} {:>9} {:>9} {:>9} {:>9} {:>9} {:>11.0} {:>9.2} {:>6.2}",
        bytes as f64 / 1e6,
        ms(times.parse),
        ms(times.index),
        ms(times.reconcile),
        ms(times.table),
        ms(times.json),
        objects as f64 / whole,
        whole * 1e6 / objects as f64,
        whole / times.parse.as_secs_f64(),
    );
}

fn run(text: &str) -> Times {
    let (parse, documents) =
        timed(|| read("bench.yaml".into(), text.as_bytes(), &Limits::default()));
    let (index, world) = timed(|| build(documents));
    let options = options();
    let (reconcile, outcomes) = timed(|| reconcile_all(&world, &options));
    let answer = answer(&world, &options, &outcomes);
    let view = table::View {
        style: Style::default(),
        verbose: false,
        sidecar: false,
    };
    let (table, shown) = timed(|| table::write(&answer, &view));
    let (json, text) = timed(|| json::write(&answer));
    assert!(!shown.is_empty() && !text.is_empty());
    Times {
        parse,
        index,
        reconcile,
        table,
        json,
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

fn build(documents: Vec<Result<Document, aigwctl::manifest::ReadError>>) -> World {
    let mut builder = Builder::new(None);
    for document in documents {
        builder.add(document.expect("the generated manifests are readable"));
    }
    builder.finish().0
}

fn options<'w>() -> Options<'w> {
    let version = ControllerVersion::newest();
    let (settings, _) = resolve(&version, &Inputs::default()).expect("defaults are valid");
    Options {
        version,
        uuid: PLACEHOLDER_UUID.to_string(),
        complete: false,
        missing_secrets: MissingSecrets::Placeholder,
        assume_namespace: None,
        standalone: false,
        settings,
        mode: Mode::Sidecar,
        version_unread: Vec::new(),
    }
}

fn answer<'a>(
    world: &'a World,
    options: &'a Options<'a>,
    outcomes: &'a [Outcome<'a>],
) -> Answer<'a> {
    Answer {
        world,
        options,
        outcomes,
        findings: &[],
        reveal: Reveal::default(),
    }
}

/// A stream of that many objects, as teams would write them.
fn generate(objects: usize) -> String {
    let teams = objects.div_ceil(PER_TEAM);
    let mut text = String::new();
    for team in 0..teams {
        team_objects(&mut text, team);
    }
    text
}

fn team_objects(out: &mut String, team: usize) {
    let gateway = team / TEAMS_PER_GATEWAY;
    let mut rules = String::new();
    for i in 0..4 {
        write!(
            rules,
            "  - matches:\n    - headers:\n      - {{name: x-ai-eg-model, value: model-{i}}}\n    \
             backendRefs:\n    - name: backend-{i}\n      modelNameOverride: upstream-{i}\n    \
             modelsCreatedAt: \"2026-01-01T00:00:00Z\"\n"
        )
        .expect("writing to a String cannot fail");
        write!(
            out,
            "---\napiVersion: aigateway.envoyproxy.io/v1beta1\nkind: AIServiceBackend\nmetadata:\n  \
             name: backend-{i}\n  namespace: team-{team}\nspec:\n  schema:\n    name: OpenAI\n  \
             backendRef:\n    group: gateway.envoyproxy.io\n    kind: Backend\n    name: up-{i}\n  \
             headerMutation:\n    set:\n    - name: X-Team\n      value: team-{team}\n---\n\
             apiVersion: aigateway.envoyproxy.io/v1beta1\nkind: BackendSecurityPolicy\nmetadata:\n  \
             name: policy-{i}\n  namespace: team-{team}\nspec:\n  targetRefs:\n  \
             - group: aigateway.envoyproxy.io\n    kind: AIServiceBackend\n    name: backend-{i}\n  \
             type: APIKey\n  apiKey:\n    secretRef:\n      name: key\n"
        )
        .expect("writing to a String cannot fail");
    }
    write!(
        out,
        "---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: key\n  namespace: team-{team}\n\
         stringData:\n  apiKey: key-of-team-{team}\n---\n\
         apiVersion: aigateway.envoyproxy.io/v1beta1\nkind: AIGatewayRoute\nmetadata:\n  \
         name: route\n  namespace: team-{team}\nspec:\n  parentRefs:\n  - name: gateway-{gateway}\n    \
         namespace: edge\n  rules:\n{rules}  llmRequestCosts:\n  - metadataKey: price\n    type: CEL\n    \
         cel: input_tokens * 3u + output_tokens * 15u\n"
    )
    .expect("writing to a String cannot fail");
}
