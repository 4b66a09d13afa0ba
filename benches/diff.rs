//! How long comparing two revisions takes, as a multiple of rendering one.
//!
//! `cargo bench --bench diff` prints the median of several runs for sets of 100 to 10 000 objects, of
//! which the new one has another schema in one backend of a hundred teams. The multiple must stay
//! below 2.2.

mod controller;
mod manifests;

use std::time::{Duration, Instant};

use aigwctl::controllers::ai_gateway::reconcile_all;
use aigwctl::diff::answer::{Answer, Question, compare};
use aigwctl::diff::cause::Sides;
use aigwctl::manifest::{Limits, read};
use aigwctl::present::diff::{Report, tree};
use aigwctl::present::render::{self, table};
use aigwctl::present::style::Style;
use aigwctl::secret::Reveal;
use aigwctl::world::World;
use aigwctl::world::build::Builder;
use controller::options;
use manifests::generate;

/// How much longer than one render a comparison may take.
const MOST: f64 = 2.2;

fn main() {
    println!(
        "{:>8} {:>10} {:>10} {:>8} {:>9}",
        "objects", "render", "diff", "ratio", "changes"
    );
    for objects in [100, 1_000, 10_000] {
        let old = generate(objects);
        let new = change(&old);
        let mut ratios: Vec<(f64, Duration, Duration, usize)> = (0..7)
            .map(|_| {
                let (render, _) = timed(|| render(&old));
                let (diff, changes) = timed(|| diff(&old, &new));
                (
                    diff.as_secs_f64() / render.as_secs_f64(),
                    render,
                    diff,
                    changes,
                )
            })
            .collect();
        ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (ratio, render, diff, changes) = ratios[ratios.len() / 2];
        println!("{objects:>8} {render:>10.1?} {diff:>10.1?} {ratio:>8.2} {changes:>9}");
        assert!(changes > 0, "nothing was found");
        assert!(
            objects < 10_000 || ratio < MOST,
            "a comparison takes {ratio:.2} renders"
        );
    }
}

/// The same with another schema in every hundredth team.
fn change(text: &str) -> String {
    let documents = text.split_inclusive("---\n").enumerate();
    let changed = documents.map(|(i, document)| match i % 1000 {
        1 => document.replace("name: OpenAI", "name: Cohere"),
        _ => document.to_string(),
    });
    changed.collect()
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

fn world(text: &str) -> World {
    let mut builder = Builder::new(None);
    for document in read("bench.yaml".into(), text.as_bytes(), &Limits::default()) {
        builder.add(document.expect("the generated manifests are readable"));
    }
    builder.finish().0
}

fn render(text: &str) -> usize {
    let (world, options) = (world(text), options());
    let outcomes = reconcile_all(&world, &options);
    let answer = render::Answer {
        world: &world,
        options: &options,
        outcomes: &outcomes,
        findings: &[],
        reveal: Reveal::default(),
    };
    let view = table::View {
        style: Style::default(),
        verbose: false,
        sidecar: false,
    };
    table::write(&answer, &view).len()
}

fn diff(old: &str, new: &str) -> usize {
    let (old, new, options) = (world(old), world(new), options());
    let outcomes = Sides {
        old: reconcile_all(&old, &options),
        new: reconcile_all(&new, &options),
    };
    let answers = Sides {
        old: Answer {
            world: &old,
            options: &options,
            outcomes: &outcomes.old,
        },
        new: Answer {
            world: &new,
            options: &options,
            outcomes: &outcomes.new,
        },
    };
    let question = Question::default();
    let gateways = compare(&answers.old, &answers.new, &question);
    let report = Report {
        answers,
        sources: Sides::default(),
        gateways: &gateways,
        findings: &[],
        question: &question,
    };
    assert!(!tree::write(&report, Style::default(), false).is_empty());
    gateways.iter().map(|gateway| gateway.changes.len()).sum()
}
