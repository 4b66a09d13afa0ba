//! `diff` on a real API server: what is stored against what the objects give, and before against after.
#![cfg(feature = "cluster")]

mod live;
mod support;

use live::real::{ApiServer, READER, api_server};
use serde_json::{Value, json};

const OBJECTS: &str = include_str!("live/rights.yaml");

fn create_all(server: &ApiServer, text: &str) {
    for document in aigwctl::manifest::read("t".into(), text.as_bytes(), &Default::default()) {
        server.create(document.unwrap().root.to_json()).unwrap();
    }
}

/// Stores what the controller would store.
fn store(server: &ApiServer) {
    let args = ["render", "--live", "--show-secrets", "-o", "secret"];
    let output = server.run_as(READER, &args);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    create_all(server, &String::from_utf8(output.stdout).unwrap());
}

fn diff(server: &ApiServer, more: &[&str]) -> (Option<i32>, Value) {
    let mut args = vec!["diff", "-o", "json"];
    args.extend(more);
    let output = match more.contains(&"--live") {
        true => server.run_as(READER, &args),
        false => support::aigwctl(&args),
    };
    let words = String::from_utf8_lossy(&output.stderr);
    let answer = serde_json::from_slice(&output.stdout);
    (
        output.status.code(),
        answer.unwrap_or_else(|e| panic!("{e}: {words}")),
    )
}

fn verdicts(answer: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_string();
    let states = answer["secretState"].as_array().unwrap().iter();
    states
        .map(|s| (text(&s["gateway"]), text(&s["verdict"])))
        .collect()
}

fn paths(answer: &Value) -> Vec<String> {
    let changes = answer["changes"].as_array().unwrap().iter();
    changes
        .map(|c| c["path"].as_str().unwrap().to_string())
        .collect()
}

fn collect(server: &ApiServer) -> String {
    let folder = server.folder().join("collected").display().to_string();
    let _ = std::fs::remove_dir_all(&folder);
    let output = server.run_as(READER, &["collect", &folder]);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    folder
}

#[test]
fn what_is_stored_is_fresh_until_something_changes() {
    let Some(server) = api_server() else { return };
    create_all(&server, OBJECTS);
    store(&server);
    let (code, answer) = diff(&server, &["--live"]);
    assert_eq!(code, Some(0), "{answer:#}");
    assert!(
        verdicts(&answer)
            .iter()
            .all(|(_, verdict)| verdict == "fresh"),
        "{answer:#}"
    );
    let folder = collect(&server);
    let (code, offline) = diff(&server, &[&folder, "--against-secret"]);
    assert_eq!((code, verdicts(&offline)), (Some(0), verdicts(&answer)));

    let key = json!({"stringData": {"apiKey": "CANARY-rotated"}});
    server.call("PATCH", "/api/v1/namespaces/edge/secrets/key", Some(&key));
    let (code, answer) = diff(&server, &["--live"]);
    assert_eq!(code, Some(1), "{answer:#}");
    let stale = ("edge/backends".to_string(), "stale".to_string());
    assert!(verdicts(&answer).contains(&stale), "{answer:#}");
    let path = "backends[name=edge/openai/route/chat/rule/0/ref/0].auth.apiKey.key";
    assert_eq!(paths(&answer), [path]);
    assert!(!answer.to_string().contains("CANARY"));
    let folder = collect(&server);
    let (code, offline) = diff(&server, &[&folder, "--against-secret"]);
    assert_eq!(
        (code, verdicts(&offline), paths(&offline)),
        (Some(1), verdicts(&answer), paths(&answer))
    );
    server.audit(|user| user == READER);
}

#[test]
fn a_change_is_compared_with_the_cluster_it_is_for() {
    let Some(server) = api_server() else { return };
    create_all(&server, OBJECTS);
    let file = server.folder().join("prefix.yaml");
    std::fs::write(
        &file,
        "apiVersion: aigateway.envoyproxy.io/v1beta1\nkind: AIServiceBackend\n\
         metadata: {name: openai, namespace: edge}\nspec: {schema: {name: OpenAI, prefix: v9}}\n",
    )
    .unwrap();
    let (code, answer) = diff(&server, &[file.to_str().unwrap(), "--live"]);
    assert_eq!(code, Some(1), "{answer:#}");
    let path = "backends[name=edge/openai/route/chat/rule/0/ref/0].schema.prefix";
    assert_eq!(paths(&answer), [path]);
    let (code, answer) = diff(&server, &["--live", "--to-version", "v1.0.0"]);
    assert!(matches!(code, Some(0 | 1)), "{answer:#}");
    assert_eq!(answer["new"]["controllerVersion"], "v1.0.0");
    server.audit(|user| user == READER);
}
