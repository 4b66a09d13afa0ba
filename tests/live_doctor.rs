//! `doctor` on a real API server: scenarios, rights, and what `collect` makes of it.
#![cfg(feature = "cluster")]

mod doctor_support;
mod live;
mod support;

use std::collections::BTreeSet;

use aigwctl::cli::needs;
use aigwctl::doctor::registry::PROBES;
use aigwctl::world::kind::Kind;
use doctor_support::{Dump, Scenario, healthy, roots, scenarios};
use live::real::{ApiServer, READER, api_server, path, version, without};
use serde_json::{Value, json};

/// What a server decides alone: times, generations and uids are not those of the dump.
const SCENARIOS: &[&str] = &[
    "f30-http-route-missing",
    "h01-cel",
    "m02-two-policies",
    "m03-key-wrong",
    "m12-gateway-config-missing",
    "s01-webhook-absent",
    "s03-ca-other",
    "s05-ignore",
    "s07-namespace-selector",
    "s08-no-endpoint",
    "s22-scaled-to-zero",
    "t01-parent-removed",
    "t16-credential-old",
    "w11-no-extension-manager",
];
/// Those that are collected too.
const COLLECTED: &[&str] = &[
    "s03-ca-other",
    "t16-credential-old",
    "w11-no-extension-manager",
];

/// Loads a dump, whose lease is renewed now.
fn load(server: &ApiServer, dump: &Dump) {
    let now = jiff::Timestamp::now();
    for mut object in dump.objects() {
        let (kind, group) = kind_of(&object);
        let Some(kind) = Kind::find(&group, &kind) else {
            continue;
        };
        if kind == Kind::CustomResourceDefinition {
            continue;
        }
        object["apiVersion"] = api_version(kind).into();
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.remove("managedFields");
        }
        match kind {
            Kind::Lease => object["spec"]["renewTime"] = format!("{now:.6}").into(),
            Kind::Service => {
                for field in ["clusterIP", "clusterIPs"] {
                    object["spec"].as_object_mut().unwrap().remove(field);
                }
            }
            Kind::Namespace => {
                let name = object["metadata"]["name"].as_str().unwrap();
                let labels = json!({"metadata": {"labels": object["metadata"]["labels"]}});
                server.call(
                    "PATCH",
                    &format!("/api/v1/namespaces/{name}"),
                    Some(&labels),
                );
            }
            _ => {}
        }
        match server.create(object) {
            Ok(()) => {}
            Err(words) if words.contains("already exists") => {}
            Err(words) => panic!("{words}"),
        }
    }
    store(server);
}

/// Stores what the controller would store: the models of a config carry the times of their routes.
fn store(server: &ApiServer) {
    let args = ["render", "--live", "--show-secrets", "-o", "secret"];
    let output = server.run_as(READER, &args);
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{words}");
    for document in aigwctl::manifest::read("t".into(), &output.stdout, &Default::default()) {
        let secret = document.unwrap().root.to_json();
        let own = |key: &str| secret["metadata"][key].as_str().unwrap().to_string();
        let path = format!(
            "/api/v1/namespaces/{}/secrets/{}",
            own("namespace"),
            own("name")
        );
        server.call("DELETE", &path, None);
        server.create(secret).unwrap();
    }
}

/// Makes the changes between two dumps. Objects keep their uids and times.
fn change(server: &ApiServer, from: &Dump, to: &Dump) {
    let id = |o: &Value| {
        let key = |key: &str| o["metadata"][key].as_str().unwrap_or_default().to_string();
        (o["kind"].to_string(), key("namespace"), key("name"))
    };
    let (old, new) = (from.objects(), to.objects());
    for object in new.iter().filter(|o| !old.contains(o)) {
        let (kind, group) = kind_of(object);
        let Some(kind) = Kind::find(&group, &kind) else {
            continue;
        };
        let mut object = object.clone();
        object["apiVersion"] = api_version(kind).into();
        if !old.iter().any(|o| id(o) == id(&object)) {
            server.create(object).unwrap();
            continue;
        }
        let path = place(kind, &object);
        let (_, current) = server.call("GET", &path, None);
        for key in [
            "uid",
            "resourceVersion",
            "creationTimestamp",
            "generation",
            "managedFields",
        ] {
            object["metadata"][key] = current["metadata"][key].clone();
        }
        let (code, answer) = server.call("PUT", &path, Some(&object));
        assert_eq!(code, 200, "{answer}");
        if kind == Kind::Deployment {
            let mut answer = answer;
            answer["status"] = object["status"].take();
            server.call("PUT", &format!("{path}/status"), Some(&answer));
        }
    }
    for object in old.iter().filter(|o| !new.iter().any(|n| id(n) == id(o))) {
        let (kind, group) = kind_of(object);
        if let Some(kind) = Kind::find(&group, &kind) {
            server.call("DELETE", &place(kind, object), None);
        }
    }
}

fn kind_of(object: &Value) -> (String, String) {
    let kind = object["kind"].as_str().unwrap().to_string();
    let group = object["apiVersion"].as_str().unwrap();
    let group = group.rsplit_once('/').map_or("", |(group, _)| group);
    (kind, group.to_string())
}

fn api_version(kind: Kind) -> String {
    match kind.group() {
        "" => version(kind).to_string(),
        group => format!("{group}/{}", version(kind)),
    }
}

fn place(kind: Kind, object: &Value) -> String {
    let namespace = object["metadata"]["namespace"].as_str();
    let name = object["metadata"]["name"].as_str().unwrap();
    format!("{}/{name}", path(kind, version(kind), namespace))
}

fn parsed(output: &std::process::Output) -> (Value, Option<i32>) {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(!text.contains("CANARY-"), "a credential is shown");
    let error = String::from_utf8_lossy(&output.stderr);
    let answer = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {error}"));
    (answer, output.status.code())
}

fn diagnose(server: &ApiServer, user: &str) -> (Value, Option<i32>) {
    parsed(&server.run_as(user, &["doctor", "--live", "-o", "json"]))
}

/// Id, Gateway, object and status of every diagnosis, and of the root causes.
fn told(answer: &Value) -> BTreeSet<String> {
    let lists = ["rootCauses", "probes"];
    let all = lists
        .into_iter()
        .flat_map(|list| answer[list].as_array().unwrap());
    let lines = all.map(|d| {
        format!(
            "{} {} {} {}",
            d["id"], d["gateway"], d["object"], d["status"]
        )
    });
    lines.collect()
}

fn collected(server: &ApiServer) -> (Value, Option<i32>) {
    let folder = server.folder().join("collected");
    let _ = std::fs::remove_dir_all(&folder);
    let folder = folder.display().to_string();
    let output = server.run_as(READER, &["collect", &folder]);
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{words}");
    for file in std::fs::read_dir(&folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        assert!(!text.contains("CANARY") && !text.contains("Q0FOQVJZ"));
    }
    parsed(&support::aigwctl(["doctor", &folder, "-o", "json"]))
}

#[test]
fn a_healthy_cluster_is_healthy_live_and_collected() {
    let Some(server) = api_server() else { return };
    load(&server, &healthy());
    let (answer, code) = diagnose(&server, READER);
    assert_eq!((roots(&answer), code), (Vec::new(), Some(0)), "{answer:#}");
    let (offline, code) = collected(&server);
    assert_eq!(told(&offline), told(&answer));
    assert_eq!(code, Some(0));

    // The rights that are printed are those that are used.
    let output = support::aigwctl(["rbac", "--for", "doctor"]);
    server.allow("roles", &output);
    let (_, code) = diagnose(&server, "roles");
    assert_eq!(code, Some(0));
    let asked = server.audit(|user| user == "roles").into_iter();
    let used: BTreeSet<_> = asked
        .filter(|asked| !asked.resource.is_empty())
        .map(|asked| (asked.group, asked.resource, asked.verb))
        .collect();
    let role = support::yaml(&String::from_utf8(output.stdout).unwrap());
    let strings = |value: &Value| -> Vec<String> {
        let items = value.as_array().unwrap().iter();
        items.map(|i| i.as_str().unwrap().to_string()).collect()
    };
    let mut printed = BTreeSet::new();
    for rule in role["rules"].as_array().unwrap() {
        for resource in strings(&rule["resources"]) {
            let verb = strings(&rule["verbs"]).remove(0);
            printed.insert((strings(&rule["apiGroups"]).remove(0), resource, verb));
        }
    }
    assert_eq!(used, printed);

    // A right that is missing is never a pass.
    let mut kinds: Vec<Kind> = needs::DOCTOR.lists.iter().map(|need| need.kind).collect();
    kinds.push(Kind::Secret);
    let mut problems = Vec::new();
    for kind in kinds {
        let mut rules = role["rules"].clone();
        for rule in rules.as_array_mut().unwrap() {
            if rule["apiGroups"][0] == kind.group() {
                let resources = rule["resources"].as_array_mut().unwrap();
                resources.retain(|r| r != kind.plural());
            }
        }
        rules
            .as_array_mut()
            .unwrap()
            .retain(|r| r["resources"] != json!([]));
        let user = without(kind);
        server.allow_rules(&user, &rules);
        let (answer, code) = diagnose(&server, &user);
        if code != Some(3) && PROBES.iter().any(|probe| probe.reads.contains(&kind)) {
            problems.push(format!(
                "without {kind}: exit {code:?}, {:?}",
                roots(&answer)
            ));
        }
        for probe in PROBES.iter().filter(|probe| probe.reads.contains(&kind)) {
            let mut all = answer["probes"].as_array().unwrap().iter();
            if let Some(pass) = all.find(|p| p["id"] == probe.id && p["status"] == "pass") {
                problems.push(format!("without {kind} {} passes: {pass}", probe.id));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn scenarios_have_the_root_causes_they_state_on_a_server() {
    let Some(server) = api_server() else { return };
    let all = scenarios();
    let find = |name: &&str| all.iter().find(|s| s.name == **name).unwrap();
    let mut problems = Vec::new();
    for scenario in SCENARIOS.iter().map(find) {
        server.delete_everything();
        load(&server, &healthy());
        change(&server, &healthy(), &scenario.dump());
        let (answer, code) = diagnose(&server, READER);
        let mut say = |text: String| problems.push(format!("{}: {text}", scenario.name));
        compare(scenario, &answer, &mut say);
        if COLLECTED.contains(&&*scenario.name) {
            let (offline, other) = collected(&server);
            let (live, offline) = (told(&answer), told(&offline));
            let differ: Vec<_> = live.symmetric_difference(&offline).collect();
            if !differ.is_empty() || code != other {
                say(format!(
                    "collected, exit {code:?} and {other:?}: {differ:?}"
                ));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    println!("{} scenarios", SCENARIOS.len());
}

fn compare(scenario: &Scenario, answer: &Value, say: &mut dyn FnMut(String)) {
    let (found, expected) = (roots(answer), scenario.roots());
    if found != expected {
        let causes = &answer["rootCauses"];
        say(format!("{found:?} instead of {expected:?}: {causes}"));
    }
}
