//! Rights that are missing, credentials that have expired, authorities that are wrong: on a real API
//! server.
#![cfg(feature = "cluster")]

mod live;
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Output;

use aigwctl::cli::needs;
use aigwctl::world::kind::Kind;
use live::real::{ApiServer, READER, api_server, without};
use serde_json::{Value, json};

const OBJECTS: &str = include_str!("live/rights.yaml");

fn load(server: &ApiServer) {
    for document in aigwctl::manifest::read("t".into(), OBJECTS.as_bytes(), &Default::default()) {
        server.create(document.unwrap().root.to_json()).unwrap();
    }
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn render(server: &ApiServer, user: &str, more: &[&str]) -> (Option<i32>, Value) {
    let mut args = vec![
        "render",
        "--live",
        "-o",
        "json",
        "--controller-version=v1.1.0",
    ];
    args.extend(more);
    let output = server.run_as(user, &args);
    let answer = serde_json::from_slice(&output.stdout);
    let answer = answer.unwrap_or_else(|e| panic!("{e}: {}", err(&output)));
    (output.status.code(), answer)
}

/// The rules that `aigwctl rbac` prints, without the right to a kind.
fn rules_without(kind: Kind) -> Value {
    let output = support::aigwctl(["rbac"]);
    let mut role = support::yaml(&String::from_utf8(output.stdout).unwrap());
    let rules = role["rules"].as_array_mut().unwrap();
    for rule in rules
        .iter_mut()
        .filter(|r| r["apiGroups"][0] == kind.group())
    {
        let resources = rule["resources"].as_array_mut().unwrap();
        resources.retain(|r| r != kind.plural());
    }
    rules.retain(|r| r["resources"] != json!([]));
    role["rules"].take()
}

/// The fields that belong to each part of an answer.
const FIELDS: [(&str, &[&str]); 3] = [
    ("config", &["size", "skipped", "findings", "origins"]),
    ("secrets", &["secrets", "error"]),
    (
        "rollout",
        &[
            "configHash",
            "patches",
            "pods",
            "rollout",
            "hashInputs",
            "requeueSeconds",
        ],
    ),
];

fn parts(gateway: &Value) -> BTreeSet<String> {
    let unknown = gateway["couldNotTell"].as_array().into_iter().flatten();
    unknown
        .map(|u| u["answer"].as_str().unwrap().to_string())
        .collect()
}

/// Which parts of which Gateways an answer leaves open; what it tells is as in the whole answer.
fn open_parts(whole: &Value, answer: &Value, what: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut open = BTreeMap::new();
    let find = |answer: &Value, name: &Value| {
        let mut gateways = answer["gateways"].as_array().unwrap().iter();
        gateways.find(|g| g["gateway"] == *name).cloned()
    };
    for expected in whole["gateways"].as_array().unwrap() {
        let gateway = find(answer, &expected["gateway"]);
        let Some(gateway) = gateway else {
            open.insert(name_of(expected), ["all".to_string()].into());
            continue;
        };
        let unknown = parts(&gateway);
        for (part, fields) in FIELDS {
            for field in fields.iter().filter(|_| !unknown.contains(part)) {
                assert_eq!(
                    gateway[field], expected[field],
                    "{what}: {field} of {}",
                    expected["gateway"]
                );
            }
        }
        if !unknown.is_empty() {
            open.insert(name_of(expected), unknown);
        }
    }
    open
}

fn name_of(gateway: &Value) -> String {
    gateway["gateway"].as_str().unwrap().to_string()
}

fn set(parts: &[&str]) -> BTreeSet<String> {
    parts.iter().map(|p| p.to_string()).collect()
}

/// Which answers hang on which list. Every kind that `render` lists is here.
fn expected(kind: Kind) -> BTreeMap<String, BTreeSet<String>> {
    let all = set(&["config", "secrets", "rollout"]);
    let workload = set(&["secrets", "rollout"]);
    let gateways: &[(&str, &BTreeSet<String>)] = match kind {
        Kind::AIGatewayRoute | Kind::MCPRoute => &[
            ("edge/backends", &all),
            ("edge/configured", &all),
            ("edge/pool", &all),
            ("edge/quiet", &all),
        ],
        // Without a Gateway its annotations are not known; those that no route names are not either.
        Kind::Gateway => &[
            ("edge/backends", &all),
            ("edge/configured", &set(&["all"])),
            ("edge/pool", &all),
            ("edge/quiet", &set(&["all"])),
        ],
        Kind::AIServiceBackend => &[("edge/backends", &all)],
        Kind::BackendSecurityPolicy | Kind::QuotaPolicy => {
            &[("edge/backends", &all), ("edge/pool", &all)]
        }
        Kind::GatewayConfig => &[("edge/configured", &all)],
        Kind::Pod | Kind::Deployment | Kind::DaemonSet => &[
            ("edge/backends", &workload),
            ("edge/configured", &workload),
            ("edge/pool", &workload),
            ("edge/quiet", &workload),
        ],
        other => panic!("{other} is listed, and what hangs on it is not written here"),
    };
    gateways
        .iter()
        .map(|(name, parts)| (name.to_string(), (*parts).clone()))
        .collect()
}

#[test]
fn a_forbidden_list_leaves_open_what_hangs_on_it_and_nothing_else() {
    let Some(server) = api_server() else { return };
    load(&server);
    let (code, whole) = render(&server, READER, &[]);
    assert_eq!(code, Some(0), "{whole:#}");
    assert_eq!(whole["gateways"].as_array().unwrap().len(), 4);
    for need in needs::RENDER.lists {
        let user = without(need.kind);
        server.allow_rules(&user, &rules_without(need.kind));
        let (code, answer) = render(&server, &user, &[]);
        assert_eq!(code, Some(3), "{user}");
        assert_eq!(
            open_parts(&whole, &answer, &user),
            expected(need.kind),
            "{user}"
        );
        let words = answer["findings"].to_string();
        let resource = aigwctl::world::coverage::resource(need.kind);
        let told = format!("list {resource} in all namespaces is forbidden");
        assert!(words.contains(&told), "{words}");
    }
    server.audit(|user| user == READER || user.starts_with("without:"));
}

#[test]
fn a_forbidden_secret_leaves_open_what_hangs_on_it_and_nothing_else() {
    let Some(server) = api_server() else { return };
    load(&server);
    let (_, whole) = render(&server, READER, &[]);
    let user = without(Kind::Secret);
    server.allow_rules(&user, &rules_without(Kind::Secret));
    let (code, answer) = render(&server, &user, &[]);
    assert_eq!(code, Some(3));
    let open = open_parts(&whole, &answer, &user);
    let all = set(&["config", "secrets", "rollout"]);
    let stored = set(&["secrets", "rollout"]);
    assert_eq!(open["edge/backends"], all);
    assert_eq!(open["edge/pool"], stored);
    let text = answer["gateways"].to_string();
    assert!(text.contains("<Secret edge/key key apiKey>"), "{text}");
    // Of one's own accord it is the same, without an error.
    let (code, answer) = render(&server, READER, &["--no-secrets"]);
    assert_eq!(code, Some(0));
    assert_eq!(open_parts(&whole, &answer, "--no-secrets"), open);
    server.audit(|user| user == READER || user.starts_with("without:"));
}

#[test]
fn the_roles_that_are_printed_are_those_that_are_used() {
    let Some(server) = api_server() else { return };
    load(&server);
    let before = server.audit(|user| user == "roles");
    assert_eq!(before.len(), 0);
    let output = support::aigwctl(["rbac", "--for", "render"]);
    server.allow("roles", &output);
    let (code, _) = render(&server, "roles", &[]);
    assert_eq!(code, Some(0));
    let used: BTreeSet<_> = server
        .audit(|user| user == "roles")
        .into_iter()
        .filter(|asked| !asked.resource.is_empty())
        .map(|asked| (asked.group, asked.resource, asked.verb))
        .collect();
    let role = support::yaml(&String::from_utf8(output.stdout).unwrap());
    let mut printed = BTreeSet::new();
    let strings = |value: &Value| -> Vec<String> {
        let items = value.as_array().unwrap().iter();
        items.map(|i| i.as_str().unwrap().to_string()).collect()
    };
    for rule in role["rules"].as_array().unwrap() {
        for resource in strings(&rule["resources"]) {
            let verb = strings(&rule["verbs"]).remove(0);
            printed.insert((strings(&rule["apiGroups"]).remove(0), resource, verb));
        }
    }
    assert_eq!(used, printed);
}

#[test]
fn only_secrets_that_objects_refer_to_are_read() {
    let Some(server) = api_server() else { return };
    load(&server);
    let (code, _) = render(&server, "one-gateway", &["--gateway", "edge/quiet"]);
    assert_eq!(code, Some(3));
    server.allow("one-gateway", &support::aigwctl(["rbac"]));
    let (code, answer) = render(
        &server,
        "one-gateway",
        &["-n", "edge", "--gateway", "edge/pool"],
    );
    assert_eq!(code, Some(0));
    assert_eq!(answer["gateways"].as_array().unwrap().len(), 1);
    let secrets = server.audit(|user| user == "one-gateway");
    let secrets = secrets.iter().filter(|asked| asked.resource == "secrets");
    let names: BTreeSet<String> = secrets
        .map(|s| format!("{}/{}", s.namespace, s.name))
        .collect();
    let own = |name: &str| {
        let (_, name) = name.split_once('/').unwrap();
        name.starts_with("pool-edge") || name.starts_with("quiet-edge")
    };
    assert!(names.iter().all(|name| own(name)), "{names:?}");
    // The legacy Secret, the index and eight parts, in the two namespaces where they may be.
    assert_eq!(names.len(), 20, "{names:?}");
}

#[test]
fn files_are_applied_to_what_the_cluster_holds() {
    let Some(server) = api_server() else { return };
    load(&server);
    let file = server.folder().join("change.yaml");
    std::fs::write(
        &file,
        "apiVersion: aigateway.envoyproxy.io/v1beta1\nkind: AIServiceBackend\n\
         metadata: {name: openai, namespace: edge}\nspec: {schema: {name: OpenAI, prefix: v9}}\n",
    )
    .unwrap();
    let (_, before) = render(&server, READER, &[]);
    let (code, after) = render(&server, READER, &[file.to_str().unwrap()]);
    assert_eq!(code, Some(0));
    let text = |answer: &Value, index: usize| answer["gateways"][index]["secrets"].to_string();
    assert!(text(&after, 0).contains("v9") && !text(&before, 0).contains("v9"));
    assert_eq!(text(&after, 2), text(&before, 2));
    assert!(!after["findings"].to_string().contains("defined 2 times"));
    let origins = after["gateways"][0]["origins"].to_string();
    assert!(origins.contains("change.yaml"), "{origins}");
    assert!(
        origins.contains(r#""file":"AIGatewayRoute edge/chat""#),
        "{origins}"
    );
}

#[test]
fn tokens_and_authorities_that_do_not_hold_are_told() {
    let Some(server) = api_server() else { return };
    let config = server.kubeconfig("expired", None);
    let output = support::aigwctl(["render", "--live", "--kubeconfig", &config]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        err(&output).contains("does not accept the credentials of user expired"),
        "{}",
        err(&output)
    );
    let other = rcgen::generate_simple_self_signed(vec!["other".to_string()]).unwrap();
    let authority = server.folder().join("other.crt");
    std::fs::write(&authority, other.cert.pem()).unwrap();
    let config = server.kubeconfig("wrong-authority", authority.to_str());
    let output = support::aigwctl(["render", "--live", "--kubeconfig", &config]);
    assert_eq!(output.status.code(), Some(2));
    let words = err(&output);
    assert!(
        words.contains("is not signed by the certificate authority of context test"),
        "{words}"
    );
}

#[test]
fn another_user_is_impersonated() {
    let Some(server) = api_server() else { return };
    load(&server);
    let (code, answer) = render(&server, READER, &[]);
    assert_eq!(code, Some(0), "{answer:#}");
    let output = server.run_as(READER, &["render", "--live", "--as", "somebody"]);
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    assert!(err(&output).contains("403"), "{}", err(&output));
}
