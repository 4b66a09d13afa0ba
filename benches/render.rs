//! How long each stage of `render` takes on generated sets of 100 to 50 000 objects.
//!
//! `cargo bench --bench render` prints, for each set, the median of several runs: the YAML parser
//! alone, building the world, the reconcile, the text of the documents, and the whole as a multiple
//! of the parser. The cost per object must stay flat.

mod controller;
mod manifests;

use std::time::{Duration, Instant};

use aigwctl::controllers::ai_gateway::options::Options;
use aigwctl::controllers::ai_gateway::{outcome::Outcome, reconcile_all};
use aigwctl::manifest::{Document, Limits, read};
use aigwctl::present::render::{Answer, json, table};
use aigwctl::present::style::Style;
use aigwctl::secret::Reveal;
use aigwctl::world::World;
use aigwctl::world::build::Builder;
use controller::options;
use manifests::generate;

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
