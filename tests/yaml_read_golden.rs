//! Reading YAML and streams of documents, against recorded answers of the Go libraries.

use std::path::PathBuf;
use std::sync::Arc;

use aigwctl::manifest::{Document, Limits, ReadError, read_stream, read_yaml};
use base64::Engine as _;
use serde_json::Value;

/// Lines on which this reader and Go differ on purpose, with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[];

fn golden_lines(name: &str) -> Vec<Value> {
    let folder = std::env::var_os("AIGWCTL_GOLDEN")
        .map_or_else(|| PathBuf::from("testdata/golden"), PathBuf::from);
    let path = folder.join("yaml").join(name);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.split('\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).expect("golden lines are JSON"))
        .collect()
}

/// Equal, with numbers compared by value.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => {
            let exact = |n: &serde_json::Number| {
                n.as_i64()
                    .map(i128::from)
                    .or_else(|| n.as_u64().map(i128::from))
            };
            match (exact(a), exact(b)) {
                (Some(a), Some(b)) => a == b,
                _ => a.as_f64() == b.as_f64(),
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => left == right,
    }
}

fn report(file: &str, compared: usize, wrong: Vec<String>) {
    println!("{file}: {compared} lines compared, {} wrong", wrong.len());
    assert!(compared > 0, "{file}: nothing to compare");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn is_exception(line: &Value) -> bool {
    EXCEPTIONS.iter().any(|(id, _)| line["id"] == **id)
}

#[test]
fn golden_read() {
    let mut wrong = Vec::new();
    let lines = golden_lines("read.jsonl");
    for line in &lines {
        let bytes = match line["yaml"].as_str() {
            Some(text) => text.as_bytes().to_vec(),
            None => {
                let base64 = line["yaml_b64"].as_str().unwrap();
                base64::engine::general_purpose::STANDARD
                    .decode(base64)
                    .unwrap()
            }
        };
        let answer = read_yaml(Arc::from("golden"), &bytes, &Limits::default());
        if let Some(difference) = read_difference(line, &answer)
            && !is_exception(line)
        {
            wrong.push(format!("{}: {difference}", line["id"]));
        }
    }
    report("read.jsonl", lines.len(), wrong);
}

fn read_difference(line: &Value, answer: &Result<Document, ReadError>) -> Option<String> {
    let one = line.get("json").map(std::slice::from_ref);
    let many = line
        .get("json_any_of")
        .and_then(Value::as_array)
        .map(Vec::as_slice);
    let text = line.get("yaml").or(line.get("yaml_b64"));
    let text = text.map(Value::to_string).unwrap_or_default();
    match (one.or(many), answer) {
        (None, Err(_)) => None,
        (None, Ok(document)) => Some(format!(
            "{text}: Go fails ({}), read as {}",
            line["error"],
            document.root.to_json()
        )),
        (Some(_), Err(error)) => Some(format!("{text}: {error}")),
        (Some(expected), Ok(document)) => {
            let json = document.root.to_json();
            if !expected.iter().any(|expected| same(expected, &json)) {
                return Some(format!("{text}: expected {expected:?}, read {json}"));
            }
            let strict = line.get("strict_error").is_none();
            (strict != document.duplicates.is_empty()).then(|| {
                format!(
                    "{text}: strict error {}, found {:?}",
                    line["strict_error"], document.duplicates
                )
            })
        }
    }
}

#[test]
fn golden_multidoc() {
    let mut wrong = Vec::new();
    let lines = golden_lines("multidoc.jsonl");
    for line in &lines {
        let stream = line["stream"].as_str().unwrap();
        let mut docs = Vec::new();
        let mut error = None;
        for answer in read_stream(Arc::from("golden"), stream.as_bytes(), &Limits::default()) {
            match answer {
                Ok(document) => docs.push(document.root.to_json()),
                // Go stops here; this reader goes on.
                Err(first) => {
                    if first.lost_neighbour {
                        docs.pop();
                    }
                    error = Some(first);
                    break;
                }
            }
        }
        let expected = line["docs"].as_array().unwrap();
        let equal = expected.len() == docs.len()
            && expected.iter().zip(&docs).all(|(a, b)| same(a, b))
            && line.get("error").is_some() == error.is_some();
        if !equal && !is_exception(line) {
            wrong.push(format!(
                "{}: {stream:?}: expected {} {}, read {docs:?} {error:?}",
                line["id"], line["docs"], line["error"]
            ));
        }
    }
    report("multidoc.jsonl", lines.len(), wrong);
}
