//! Every recorded answer of the real gateway to a CEL expression, compared with ours.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use aigwctl::cel::{Accepted, CostInputs, Environment, Place, Refusal, Request, check};
use serde_json::Value as Json;

fn golden(name: &str) -> String {
    let root = std::env::var("AIGWCTL_GOLDEN").map_or_else(
        |_| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata/golden"),
        PathBuf::from,
    );
    let path = root.join("cel").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// One JSON value a line; only a line feed ends a line.
fn lines(name: &str) -> Vec<Json> {
    golden(name)
        .split('\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}

fn class(outcome: &Result<Accepted, Refusal>) -> String {
    match outcome {
        Ok(accepted) => accepted.class().to_owned(),
        Err(refusal) => refusal.class.to_string(),
    }
}

fn text<'j>(json: &'j Json, name: &str) -> &'j str {
    json[name]
        .as_str()
        .unwrap_or_else(|| panic!("text {name} in {json}"))
}

fn first_line(json: &Json) -> &str {
    json["error"]
        .as_str()
        .unwrap_or_default()
        .split('\n')
        .next()
        .unwrap_or_default()
}

/// What was compared and what differs.
#[derive(Default)]
struct Tally {
    lines: usize,
    verdicts: usize,
    evaluations: usize,
    /// Refusals whose words are those of the gateway too.
    same_words: usize,
    refusals: usize,
    misses: Vec<String>,
    other_words: Vec<String>,
}

impl Tally {
    fn verdict(&mut self, line: &Json, expected: &Json, outcome: &Result<Accepted, Refusal>) {
        self.verdicts += 1;
        let (expected_class, found) = (text(expected, "class"), class(outcome));
        if found != expected_class || expected["ok"] != Json::Bool(outcome.is_ok()) {
            let words = outcome
                .as_ref()
                .err()
                .map_or("", |refusal| &refusal.message);
            self.miss(
                line,
                &format!("{expected_class} {}", first_line(expected)),
                &format!("{found} {words}"),
            );
        }
        if let Err(refusal) = outcome {
            self.refusals += 1;
            if refusal.message == first_line(expected) {
                self.same_words += 1;
            } else {
                let mut words = String::new();
                let _ = write!(
                    words,
                    "{}: {:?}\n   {}\n   {}",
                    text(line, "id"),
                    text(line, "expr"),
                    first_line(expected),
                    refusal.message
                );
                self.other_words.push(words);
            }
        }
    }

    fn evaluation(&mut self, line: &Json, recorded: &Json, found: Result<Json, Refusal>) {
        self.evaluations += 1;
        let expected = match recorded.get("out") {
            Some(out) => out.to_string(),
            None => text(recorded, "class").to_owned(),
        };
        let (shown, words) = match found {
            Ok(value) => (value.to_string(), String::new()),
            Err(refusal) => (refusal.class.to_string(), refusal.message),
        };
        if shown != expected {
            let input = &recorded["in"];
            self.miss(
                line,
                &format!("{expected} for {input}"),
                &format!("{shown} {words}"),
            );
        } else if !words.is_empty() && words != text(recorded, "error") {
            self.other_words.push(format!(
                "{}: {:?}\n   {}\n   {words}",
                text(line, "id"),
                text(line, "expr"),
                text(recorded, "error")
            ));
        }
    }

    fn miss(&mut self, line: &Json, expected: &str, found: &str) {
        let (id, expr) = (text(line, "id"), text(line, "expr"));
        let expr: String = expr.chars().take(200).collect();
        self.misses.push(format!(
            "{id}: {expr:?}\n   expected {expected}\n   found    {found}"
        ));
    }

    fn finish(self, name: &str) {
        let Tally {
            lines,
            verdicts,
            evaluations,
            same_words,
            refusals,
            misses,
            other_words,
        } = self;
        println!(
            "{name}: compared {lines} lines, {verdicts} verdicts, {evaluations} evaluations; {} misses",
            misses.len()
        );
        println!("{name}: {same_words} of {refusals} refusals in the gateway's own words");
        if std::env::var_os("AIGWCTL_SHOW_WORDS").is_some() {
            println!("{}", other_words.join("\n"));
        }
        assert!(lines > 0, "no lines in {name}");
        assert!(misses.is_empty(), "{}", misses.join("\n"));
    }
}

fn versions(line: &Json) -> impl Iterator<Item = &Json> {
    ["v1.0.0", "v1.1.0"]
        .into_iter()
        .map(|version| &line[version])
        .filter(|it| !it.is_null())
}

#[test]
fn golden_cost_expressions() {
    let mut tally = Tally::default();
    for line in lines("cost.jsonl") {
        tally.lines += 1;
        let outcome = check(Environment::Cost, text(&line, "expr"));
        for expected in versions(&line) {
            tally.verdict(&line, expected, &outcome);
        }
        let Ok(accepted) = outcome else { continue };
        for recorded in line["eval"].as_array().into_iter().flatten() {
            let mut inputs = CostInputs::default();
            for (name, value) in recorded["in"].as_object().expect("inputs by name") {
                let value = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                inputs.set(name, &value).expect("a variable");
            }
            tally.evaluation(&line, recorded, accepted.cost(&inputs).map(Json::from));
        }
    }
    tally.finish("cost.jsonl");
}

#[test]
fn golden_mcp_expressions() {
    let requests: Json = serde_json::from_str(&golden("mcp-requests.json")).expect("JSON");
    let requests: BTreeMap<String, Request> = requests["requests"]
        .as_array()
        .expect("a list of requests")
        .iter()
        .map(|request| Request::from_json(request.clone()).expect("a request"))
        .map(|request| (request.name.clone(), request))
        .collect();
    let mut tally = Tally::default();
    for line in lines("mcp.jsonl") {
        tally.lines += 1;
        let (environment, place) = match text(&line, "where") {
            "authorization" => (Environment::McpAuthorization, Place::Authorization),
            _ => (Environment::McpBackendSelector, Place::BackendSelector),
        };
        let outcome = check(environment, text(&line, "expr"));
        for expected in versions(&line) {
            tally.verdict(&line, expected, &outcome);
        }
        let Ok(accepted) = outcome else { continue };
        for recorded in line["eval"].as_array().into_iter().flatten() {
            let request = &requests[text(recorded, "in")];
            let found = accepted.matches(request, place).map(Json::from);
            tally.evaluation(&line, recorded, found);
        }
    }
    tally.finish("mcp.jsonl");
}

/// Each accepted cost that fails for a recorded input must carry a warning that names the kind of failure.
#[test]
fn golden_cost_failures_are_foreseen() {
    let (mut failing, mut missed) = (0, Vec::new());
    let mut unconfirmed: BTreeMap<String, usize> = BTreeMap::new();
    for line in lines("cost.jsonl") {
        let Ok(accepted) = check(Environment::Cost, text(&line, "expr")) else {
            continue;
        };
        let recorded = line["eval"].as_array().into_iter().flatten();
        let failures: BTreeSet<&str> = recorded
            .filter_map(|eval| eval["class"].as_str()?.strip_prefix("eval/"))
            .collect();
        let warned: BTreeSet<String> = accepted
            .warnings
            .iter()
            .map(|warning| warning.concern.to_string())
            .collect();
        failing += usize::from(!failures.is_empty());
        for failure in &failures {
            if !warned.contains(*failure) {
                missed.push(format!(
                    "{}: {failure} {:?}",
                    text(&line, "id"),
                    text(&line, "expr")
                ));
            }
        }
        for concern in warned
            .iter()
            .filter(|concern| !failures.contains(concern.as_str()))
        {
            *unconfirmed.entry(concern.clone()).or_default() += 1;
            if std::env::var_os("AIGWCTL_SHOW_WARNINGS").is_some() {
                println!("{concern}: {:?}", text(&line, "expr"));
            }
        }
    }
    println!(
        "cost.jsonl: {failing} accepted lines fail for some input; {} not foreseen",
        missed.len()
    );
    for (concern, count) in unconfirmed {
        println!("warned of {concern} without such a failure on record: {count} lines");
    }
    assert!(failing > 0, "no accepted line fails");
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
