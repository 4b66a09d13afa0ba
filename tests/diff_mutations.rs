//! One change of a world, exactly the expected differences, at the expected lines.

mod scratch;
mod support;

use std::path::Path;

use scratch::Scratch;
use serde_json::{Value, json};
use support::{aigwctl, each};

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/diff/mutations")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap()
}

#[test]
fn one_change_gives_exactly_its_differences() {
    let cases = support::yaml(&read("cases.yaml"));
    let cases = cases.as_array().unwrap();
    let scratch = Scratch::new("mutations");
    let problems: Vec<String> = each(cases, |case| check(case, &scratch))
        .into_iter()
        .flatten()
        .collect();
    println!("{} changes", cases.len());
    assert!(cases.len() >= 40, "too few kinds of changes");
    assert!(
        problems.is_empty(),
        "{} problems:\n{}",
        problems.len(),
        problems.join("\n")
    );
}

fn check(case: &Value, scratch: &Scratch) -> Option<String> {
    let name = case["name"].as_str().unwrap();
    let base = format!("{}.yaml", case["base"].as_str().unwrap());
    let old = folder().join(&base).display().to_string();
    let new = scratch.write(&format!("{name}.yaml"), edited(&read(&base), case));
    let output = aigwctl([
        "diff",
        &old,
        &new,
        "--complete",
        "--kubernetes-version=1.33",
        "--output=json",
    ]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut expected: Vec<String> = list(&case["changes"]).map(|c| wanted(c, case)).collect();
    let mut actual: Vec<String> = list(&answer["changes"])
        .map(|change| shown(change, &expected))
        .collect();
    expected.sort();
    actual.sort();
    let skips = |which: &str| list(&answer["skipped"][which]).count();
    let counts = json!([
        [skips("new"), skips("gone")],
        list(&answer["refusals"]["new"]).count()
    ]);
    let wanted_skips = case.get("skipped").cloned().unwrap_or(json!([0, 0]));
    let wanted_counts = json!([
        wanted_skips,
        case.get("refused").cloned().unwrap_or(json!(0))
    ]);
    let differs = !expected.is_empty() || wanted_counts != json!([[0, 0], 0]);
    let code = output.status.code();
    // A change of the sidecar is no change of the document.
    let codes: &[i32] = if differs { &[1] } else { &[0, 1] };
    if expected != actual || counts != wanted_counts || !codes.contains(&code.unwrap()) {
        return Some(format!(
            "{name}: exit {code:?}, skips and refusals {counts}\n  expected\n    {}\n  got\n    {}",
            expected.join("\n    "),
            actual.join("\n    ")
        ));
    }
    None
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn edited(text: &str, case: &Value) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let at = case["line"].as_u64().unwrap() as usize - 1;
    if let Some(count) = case["delete"].as_u64() {
        lines.drain(at..at + count as usize);
    } else if let Some(more) = case["insert"].as_array() {
        let more = more.iter().map(|line| line.as_str().unwrap().to_string());
        lines.splice(at..at, more);
    } else {
        let (from, to) = (case["from"].as_str().unwrap(), case["to"].as_str().unwrap());
        assert!(
            lines[at].contains(from),
            "line {} has no {from}: {}",
            at + 1,
            lines[at]
        );
        lines[at] = lines[at].replacen(from, to, 1);
    }
    lines.join("\n") + "\n"
}

/// An expected change as one line. What is not looked at is `_`.
fn wanted(change: &Value, case: &Value) -> String {
    let value = |i: usize| match &change[i] {
        value if value == "hidden" => json!({ "changed": true }).to_string(),
        value if value == "_" => "_".to_string(),
        value => value.to_string(),
    };
    let line = |i: usize| match change.get(i) {
        None => case["line"].to_string(),
        Some(line) if line == "_" => "_".to_string(),
        Some(line) => line.to_string(),
    };
    format!(
        "{} {} {} → {} at {} → {}",
        change[0].as_str().unwrap(),
        change[1].as_str().unwrap(),
        value(2),
        value(3),
        line(4),
        line(5)
    )
}

/// A change in the same form, with `_` where the expected one with its kind and path has it.
fn shown(change: &Value, expected: &[String]) -> String {
    let line = |side: &str| {
        change["origin"][side]
            .get("line")
            .unwrap_or(&Value::Null)
            .to_string()
    };
    let head = format!(
        "{} {} ",
        change["kind"].as_str().unwrap(),
        change["path"].as_str().unwrap()
    );
    let parts = [
        change["old"].to_string(),
        change["new"].to_string(),
        line("old"),
        line("new"),
    ];
    let of = |parts: &[String]| {
        format!(
            "{head}{} → {} at {} → {}",
            parts[0], parts[1], parts[2], parts[3]
        )
    };
    for mask in 0..16 {
        let masked: Vec<String> = parts
            .iter()
            .enumerate()
            .map(|(i, part)| {
                if mask & (1 << i) == 0 {
                    part.clone()
                } else {
                    "_".to_string()
                }
            })
            .collect();
        if expected.contains(&of(&masked)) {
            return of(&masked);
        }
    }
    of(&parts)
}
