//! Clusters that are slow, broken or closed: each ends in words that a person can act on.
#![cfg(feature = "cluster")]

mod live;
mod support;

use std::process::Output;

use live::played::{Played, Reply, list, status};
use serde_json::{Value, json};

const ROUTES: &str = "/apis/aigateway.envoyproxy.io/v1beta1/aigatewayroutes";

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A run that gives no answer, and says why.
fn failed(output: &Output, words: &[&str]) {
    let text = err(output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert_eq!(output.stdout, b"", "{text}");
    for word in words {
        assert!(text.contains(word), "{word:?} is not in: {text}");
    }
    assert!(!text.contains("CANARY"), "{text}");
}

fn json_of(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", err(output)))
}

fn gateway(name: &str) -> Value {
    json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
        "metadata": {"name": name, "namespace": "edge"}, "spec": {"gatewayClassName": "eg"}})
}

fn route(index: usize) -> Value {
    json!({"apiVersion": "aigateway.envoyproxy.io/v1beta1", "kind": "AIGatewayRoute",
        "metadata": {"name": format!("r{index}"), "namespace": "edge"},
        "spec": {"parentRefs": [{"name": "gw"}], "rules": []}})
}

#[test]
fn a_healthy_cluster_is_told_with_its_context() {
    let played = Played::start("healthy", |path, _| match path {
        "/apis/gateway.networking.k8s.io/v1/gateways?limit=500" => Some(list(
            "GatewayList",
            "gateway.networking.k8s.io/v1",
            vec![gateway("gw")],
        )),
        _ => None,
    });
    let output = played.run(&["render", "-o", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(err(&output).contains("context played"), "{}", err(&output));
    let answer = json_of(&output);
    assert_eq!(answer["complete"], true);
    assert_eq!(answer["gateways"][0]["gateway"], "edge/gw");
    assert_eq!(answer["gateways"][0]["requeueSeconds"], 5);
}

#[test]
fn without_live_no_cluster_is_asked() {
    let played = Played::start("offline", |_, _| None);
    let file = format!("{}/testdata/golden/worlds", env!("CARGO_MANIFEST_DIR"));
    let config = played.kubeconfig();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_aigwctl"))
        .args(["render", &file, "-o", "json"])
        .env("KUBECONFIG", &config)
        .output()
        .unwrap();
    assert_ne!(output.status.code(), Some(2), "{}", err(&output));
    assert_eq!(played.asked(), Vec::<String>::new());
    let output = support::aigwctl(["render", &file, "--context", "played"]);
    failed(&output, &["--context needs --live"]);
}

#[test]
fn lists_are_read_page_by_page() {
    let page = |items: Vec<Value>, token: &str| {
        Some(Reply::Json(
            200,
            json!({"kind": "AIGatewayRouteList", "apiVersion": "aigateway.envoyproxy.io/v1beta1",
                "metadata": {"continue": token}, "items": items}),
        ))
    };
    let played = Played::start("pages", move |path, _| {
        let path = path.strip_prefix(ROUTES)?;
        match path {
            "?limit=500" => page(vec![route(0)], "a/b=&c"),
            "?limit=500&continue=a%2Fb%3D%26c" => page(vec![route(1)], "d"),
            "?limit=500&continue=d" => page(vec![route(2)], ""),
            other => panic!("{other}"),
        }
    });
    let answer = json_of(&played.run(&["render", "-o", "json"]));
    assert_eq!(answer["summary"]["objects"], 3);
}

#[test]
fn an_expired_page_token_starts_the_list_again_as_a_whole() {
    let played = Played::start("gone", move |path, _| {
        let path = path.strip_prefix(ROUTES)?;
        match path {
            "?limit=500" => Some(Reply::Json(
                200,
                json!({"kind": "AIGatewayRouteList", "metadata": {"continue": "old"},
                    "items": [route(0)]}),
            )),
            "" => Some(list(
                "AIGatewayRouteList",
                "aigateway.envoyproxy.io/v1beta1",
                vec![route(0), route(1)],
            )),
            _ => Some(status(
                410,
                "Expired",
                "The provided continue parameter is too old",
            )),
        }
    });
    let answer = json_of(&played.run(&["render", "-o", "json"]));
    assert_eq!(answer["summary"]["objects"], 2);
}

#[test]
fn a_list_that_always_expires_could_not_be_told() {
    let played = Played::start("gone-for-good", |path, _| match path {
        path if path.starts_with(ROUTES) => Some(status(410, "Expired", "too old")),
        "/apis/gateway.networking.k8s.io/v1/gateways?limit=500" => Some(list(
            "GatewayList",
            "gateway.networking.k8s.io/v1",
            vec![gateway("gw")],
        )),
        _ => None,
    });
    let output = played.run(&["render", "-o", "json"]);
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    let gateway = &json_of(&output)["gateways"][0];
    let reason = gateway["couldNotTell"][0]["because"][0]["reason"]
        .as_str()
        .unwrap();
    assert!(reason.contains("410 Gone"), "{reason}");
}

#[test]
fn a_busy_server_is_asked_again() {
    let played = Played::start("busy", |path, before| match (path, before) {
        (path, 0) if path.starts_with(ROUTES) => Some(Reply::WithHeader(
            429,
            "Retry-After: 0",
            json!({"message": "too many requests"}),
        )),
        (path, 1) if path.starts_with(ROUTES) => Some(status(503, "ServiceUnavailable", "busy")),
        _ => None,
    });
    let output = played.run(&["render", "-o", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let asked = played.asked();
    let routes = asked
        .iter()
        .filter(|r| r.contains("aigatewayroutes"))
        .count();
    assert_eq!(routes, 3);
}

#[test]
fn a_server_that_stays_broken_for_one_kind_leaves_the_other_answers() {
    let played = Played::start("broken-kind", |path, _| {
        path.contains("/quotapolicies")
            .then(|| status(500, "InternalError", "conversion webhook failed"))
    });
    let output = played.run(&["render", "-o", "json"]);
    // There is no Gateway, so nothing depends on quotas.
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
}

#[test]
fn a_server_that_hangs_is_given_up() {
    let played = Played::start("hangs", |path, _| {
        path.starts_with(ROUTES).then_some(Reply::Hang)
    });
    let output = played.run(&["render", "--request-timeout", "300ms"]);
    failed(
        &output,
        &[
            &played.url(),
            "did not answer GET",
            "aigatewayroutes",
            "0.3 s",
            "--request-timeout",
        ],
    );
}

#[test]
fn a_server_that_closes_in_the_middle_is_named() {
    let played = Played::start("closes", |path, _| {
        path.starts_with(ROUTES)
            .then(|| Reply::Half(json!({"metadata": {}, "items": [route(0)]})))
    });
    let output = played.run(&["render"]);
    failed(
        &output,
        &[&played.url(), "closed the connection while it answered GET"],
    );
}

#[test]
fn credentials_that_are_not_accepted_are_told() {
    let played = Played::start("unauthorized", |_, _| {
        Some(status(401, "Unauthorized", "Unauthorized"))
    });
    let output = played.run(&["render"]);
    failed(
        &output,
        &[
            "does not accept the credentials of user reader",
            "context played",
            "log in again",
        ],
    );
}

#[test]
fn something_else_that_answers_is_told() {
    let played = Played::start("portal", |_, _| {
        Some(Reply::Text(200, "<html>log in</html>"))
    });
    failed(&played.run(&["render"]), &["not the API's JSON"]);
}

#[test]
fn nothing_that_listens_is_told() {
    let played = Played::start("refused", |_, _| None);
    let config = std::fs::read_to_string(played.kubeconfig()).unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let config = config.replace(&played.url(), &format!("http://{port}"));
    std::fs::write(played.kubeconfig(), config).unwrap();
    failed(
        &played.run(&["render"]),
        &["nothing listens at", "right context"],
    );
}

#[test]
fn a_kubeconfig_that_does_not_lead_anywhere_is_told() {
    let played = Played::start("contexts", |_, _| None);
    failed(
        &played.run(&["render", "--context", "absent"]),
        &["no context absent", "played, other"],
    );
    failed(
        &played.run(&["render", "--context", "other"]),
        &["no cluster none"],
    );
    std::fs::write(played.kubeconfig(), "users: [{token: CANARY-token").unwrap();
    failed(&played.run(&["render"]), &["no YAML"]);
    std::fs::remove_file(played.kubeconfig()).unwrap();
    failed(&played.run(&["render"]), &["cannot read the kubeconfig"]);
    assert_eq!(played.asked(), Vec::<String>::new());
}

#[test]
fn a_credential_plugin_is_named_and_can_be_refused() {
    let played = Played::start("plugin", |_, _| None);
    let folder = std::path::PathBuf::from(played.kubeconfig());
    let marker = folder.with_file_name("ran");
    let _ = std::fs::remove_file(&marker);
    let script = format!(
        r#"touch {}; echo '{{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{{"token":"made-up"}}}}'"#,
        marker.display()
    );
    let mut config: Value =
        serde_json::from_str(&std::fs::read_to_string(played.kubeconfig()).unwrap()).unwrap();
    config["users"][0]["user"] = json!({"exec": {
        "apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never",
        "command": "sh", "args": ["-c", script], "env": [{"name": "A", "value": "CANARY"}]}});
    std::fs::write(played.kubeconfig(), config.to_string()).unwrap();
    failed(
        &played.run(&["render", "--no-exec"]),
        &["--no-exec refuses", "sh -c"],
    );
    assert!(!marker.exists());
    let output = played.run(&["render", "-v"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(
        err(&output).contains("credential from: sh -c"),
        "{}",
        err(&output)
    );
    assert!(marker.exists());
}
