//! `aigwctl cel`, run as a user runs it: verdict, types, values, formats, sources of the expression, exit codes.

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::{Value as Json, json};

/// Runs `aigwctl cel` with text on its standard input.
fn cel_with(stdin: &[u8], args: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_aigwctl"))
        .arg("cel")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut input = child.stdin.take().expect("a pipe");
    // It may end without reading.
    let _ = input.write_all(stdin);
    drop(input);
    child.wait_with_output().expect("it ends")
}

fn cel(args: &[&str]) -> Output {
    cel_with(b"", args)
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("text")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("text")
}

/// The answer as JSON; the exit code must fit it.
fn answer(args: &[&str]) -> Json {
    let output = cel(&[&["-o", "json"], args].concat());
    let answer: Json = serde_json::from_str(stdout(&output)).expect("JSON");
    let expected = if answer["ok"] == true { 0 } else { 1 };
    assert_eq!(output.status.code(), Some(expected), "{args:?}");
    assert_eq!(stderr(&output), "", "{args:?}");
    answer
}

/// `ok`, class and value (null where there is none).
fn gist(args: &[&str]) -> Json {
    let answer = answer(args);
    json!([answer["ok"], answer["class"], answer["value"]])
}

const REQUEST: &str = r#"{
  "name": "call", "http_method": "POST", "host": "api.example.com", "http_path": "/mcp",
  "headers": {"X-Tenant-Id": ["t-1", "t-2"]},
  "jwt_claims": {"sub": "alice", "scope": "write read", "level": 3},
  "mcp_method": "tools/call", "backend": "github", "tool": "create_issue",
  "params": {"name": "create_issue", "arguments": {"count": 3}}
}"#;

#[test]
fn an_accepted_cost_has_types_and_a_value() {
    let output = cel(&["input_tokens * 2u + uint(double(output_tokens) * 0.5)"]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    assert!(text.starts_with("accepted, of type uint\n"), "{text}");
    for part in ["output_tokens", "double(output_tokens)", "0.5"] {
        assert!(
            text.lines().any(|line| line.ends_with(part)),
            "{part}: {text}"
        );
    }
    assert!(text.ends_with("value 0\n"), "{text}");
}

#[test]
fn a_refusal_has_class_place_and_a_rewrite() {
    let output = cel(&["model == 'a' ? 1u\n  : input_tokens * 2"]);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(
        text.starts_with("refused [check/no-overload]: cannot compile CEL expression: ERROR: "),
        "{text}"
    );
    assert!(text.contains("   2 |   : input_tokens * 2\n"), "{text}");
    assert!(text.contains("Write `model == 'a' ? 1u"), "{text}");

    let answer = answer(&["model == 'a' ? 1u\n  : input_tokens * 2"]);
    assert_eq!(answer["ok"], false);
    assert_eq!(answer["class"], "check/no-overload");
    assert_eq!(
        (&answer["line"], &answer["column"]),
        (&json!(2), &json!(18))
    );
    assert_eq!(answer.get("value"), None);
    assert_eq!(answer.get("type"), None);
}

#[test]
fn values_are_set_by_name() {
    assert_eq!(
        gist(&["--set", "input_tokens=100", "input_tokens * 2u"]),
        json!([true, "ok", 200])
    );
    // Twice the same name: the last one counts.
    let twice = [
        "--set=input_tokens=1",
        "--set=input_tokens=7",
        "input_tokens",
    ];
    assert_eq!(gist(&twice), json!([true, "ok", 7]));
    for (name, value) in [("model", ""), ("backend", "a=b"), ("route_name", "ns/ü")] {
        let setting = format!("{name}={value}");
        let expression = format!("{name} == '{value}' ? 1 : 2");
        assert_eq!(
            gist(&["--set", &setting, &expression]),
            json!([true, "ok", 1])
        );
    }
    // Unset ones have the values of the trial.
    assert_eq!(
        gist(&["model + backend + route_name == 'dummydummydummy' && total_tokens == 0u ? 5 : 6"]),
        json!([true, "ok", 5])
    );
    assert_eq!(
        gist(&["18446744073709551615u"]),
        json!([true, "ok", u64::MAX])
    );
}

#[test]
fn what_cannot_be_set_is_a_usage_error() {
    for (setting, words) in [
        ("tokens=1", "no variable"),
        ("input_tokens", "NAME=VALUE"),
        ("input_tokens=", "token count"),
        ("input_tokens=-1", "token count"),
        ("input_tokens=1.5", "token count"),
        ("input_tokens=4294967296", "token count"),
    ] {
        let output = cel(&["--set", setting, "1"]);
        assert_eq!(output.status.code(), Some(2), "{setting}");
        assert_eq!(stdout(&output), "");
        assert!(stderr(&output).contains(words), "{}", stderr(&output));
    }
    let output = cel(&["--env", "mcp", "--set", "model=a", "true"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn an_accepted_expression_may_fail_on_the_given_values() {
    let args = [
        "--set=cached_input_tokens=1",
        "input_tokens - cached_input_tokens",
    ];
    let answer = answer(&args);
    assert_eq!(answer["ok"], true);
    assert_eq!(answer["class"], "eval/uint-overflow");
    assert_eq!(answer["type"], "uint");
    assert_eq!(answer.get("value"), None);
    assert!(
        answer["message"]
            .as_str()
            .is_some_and(|it| it.contains("unsigned integer overflow"))
    );
    assert_eq!(answer["warnings"][0]["code"], "uint-overflow");

    let output = cel(&args);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    assert!(
        text.contains("no value for these inputs [eval/uint-overflow]"),
        "{text}"
    );
}

#[test]
fn classes_are_those_of_each_stage() {
    for (expression, class) in [
        ("", "parse/syntax"),
        ("1 +", "parse/syntax"),
        ("if", "parse/reserved-identifier"),
        ("9223372036854775808", "parse/literal"),
        ("[?1]", "parse/unsupported-syntax"),
        ("tokens", "check/undeclared-reference"),
        ("input_tokens * 2", "check/no-overload"),
        ("model.x", "check/no-field-selection"),
        ("total_tokens / output_tokens", "trial/division-by-zero"),
        ("int('x')", "trial/conversion"),
        ("-1", "result/negative"),
        ("1.0", "result/not-integer"),
    ] {
        assert_eq!(
            gist(&["--", expression]),
            json!([false, class, null]),
            "{expression}"
        );
    }
}

#[test]
fn the_expression_is_always_the_argument_itself() {
    assert_eq!(gist(&["--", "-1 + 2"]), json!([true, "ok", 1]));
    assert_eq!(gist(&["--", "--set"])[1], "check/undeclared-reference");
    // Nothing is trimmed, and nothing is a file.
    assert_eq!(gist(&[""])[1], "parse/syntax");
    assert_eq!(gist(&["@x"])[1], "parse/syntax");
    assert_eq!(gist(&["-f", "-"])[1], "parse/syntax");
    assert_eq!(gist(&["\u{a0}1"])[1], "parse/syntax");
}

#[test]
fn an_expression_is_read_from_a_file_or_from_standard_input() {
    let output = cel_with(b"input_tokens +\n 1u\n", &["-f", "-"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).ends_with("value 1\n"));

    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("cost.cel");
    fs::write(&file, "// a comment\n40 + 2").expect("written");
    let file = file.to_str().expect("text");
    assert_eq!(gist(&["-f", file]), json!([true, "ok", 42]));
    assert_eq!(gist(&["--file", file]), json!([true, "ok", 42]));

    for (stdin, args) in [
        (&b""[..], &["-f", "/nowhere/cost.cel"][..]),
        (b"", &["-f", file, "1"]),
        (b"", &[]),
        (b"\xff\xfe", &["-f", "-"]),
    ] {
        let output = cel_with(stdin, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert_eq!(stdout(&output), "");
        assert_ne!(stderr(&output), "");
    }
}

#[test]
fn mcp_expressions_see_a_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("request.json");
    fs::write(&file, REQUEST).expect("written");
    let file = file.to_str().expect("text");
    for (env, expression, expected) in [
        (
            "mcp",
            "request.mcp.tool == 'create_issue'",
            json!([true, "ok", true]),
        ),
        (
            "mcp",
            "  request.method == 'GET' ",
            json!([true, "ok", false]),
        ),
        (
            "mcp",
            "request.auth.jwt.scopes == ['read', 'write']",
            json!([true, "ok", true]),
        ),
        (
            "mcp",
            "request.auth.jwt.claims.level == 3.0",
            json!([true, "ok", true]),
        ),
        (
            "mcp",
            "request.headers[?'x-none'].hasValue()",
            json!([true, "ok", false]),
        ),
        (
            "mcp",
            "request.headers.none == 'a'",
            json!([true, "eval/no-such-key", null]),
        ),
        (
            "mcp",
            "request.mcp.tool",
            json!([true, "eval/not-boolean", null]),
        ),
        ("mcp", " \n", json!([true, "ok-blank", true])),
        (
            "mcp",
            "true || 'a'.matches('[')",
            json!([false, "program/regex", null]),
        ),
        (
            "mcp",
            "headers['x']",
            json!([false, "check/undeclared-reference", null]),
        ),
        (
            "mcp-selector",
            "request.mcp.backend == 'github'",
            json!([true, "ok", true]),
        ),
        (
            "mcp-selector",
            "request.method == ''",
            json!([true, "ok", true]),
        ),
        (
            "mcp-selector",
            "request.headers['x-tenant-id'] == 't-1'",
            json!([true, "ok", true]),
        ),
    ] {
        assert_eq!(
            gist(&["--env", env, "--request", file, expression]),
            expected,
            "{env} {expression}"
        );
    }
    // From standard input, and without a request: a verdict only.
    let output = cel_with(
        REQUEST.as_bytes(),
        &["--env=mcp", "--request=-", "request.host.endsWith('.com')"],
    );
    assert!(
        stdout(&output).ends_with("matches\n"),
        "{}",
        stdout(&output)
    );
    assert_eq!(
        gist(&["--env", "mcp", "request.x == 1"]),
        json!([true, "ok", null])
    );
}

#[test]
fn a_request_that_is_none_is_a_usage_error() {
    for request in ["", "[]", "{\"nope\": 1}", "{\"host\": 1}"] {
        let output = cel_with(
            request.as_bytes(),
            &["--env", "mcp", "--request", "-", "true"],
        );
        assert_eq!(output.status.code(), Some(2), "{request}");
        assert_ne!(stderr(&output), "");
    }
    let output = cel_with(REQUEST.as_bytes(), &["--request", "-", "1"]);
    assert_eq!(output.status.code(), Some(2));
    let output = cel(&["--env", "other", "1"]);
    assert_eq!(output.status.code(), Some(2));
    let output = cel(&["-o", "xml", "1"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn control_characters_never_reach_a_terminal() {
    for expression in [
        "'\u{1b}[31m' + 1",
        "size('\u{1b}]0;x\u{7}')",
        "\u{1b}",
        "{'\u{9b}31m': 1u}[model]",
        "'\u{202e}' == model ? 1 : 2",
        "\r\n1 +\r\n",
    ] {
        for format in ["text", "json"] {
            let output = cel(&["-o", format, "--", expression]);
            let text = stdout(&output);
            // Programs get what only looks odd as it is, but nothing that acts.
            let is_bad = |c: char| match format {
                "json" => c.is_ascii_control() && c != '\n',
                _ => c.is_control() && c != '\n' || c == '\u{202e}',
            };
            assert!(!text.contains(is_bad), "{expression:?} {format}: {text:?}");
        }
    }
}

#[test]
fn large_and_deep_expressions_get_an_answer() {
    let deep = format!("{}1{}", "(".repeat(300), ")".repeat(300));
    assert_eq!(gist(&["--", &deep])[1], "parse/limit");
    let long = vec!["input_tokens"; 300].join(" + ");
    assert_eq!(gist(&["--", &long])[1], "parse/limit");
    let wide = vec!["model == 'a'"; 300].join(" || ") + " ? 1 : 2";
    assert_eq!(gist(&["--", &wide]), json!([true, "ok", 2]));
}
