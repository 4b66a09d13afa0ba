//! Revisions of a Git repository as sources.

mod scratch;

use std::path::Path;
use std::process::{Command, Output};

use scratch::Scratch;
use serde_json::Value;

const GATEWAY: &str = "apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: ns}
";
const BACKEND: &str = "apiVersion: aigateway.envoyproxy.io/v1beta1
kind: AIServiceBackend
metadata: {name: be, namespace: ns}
spec:
  schema: {name: OpenAI}
";
const ROUTE: &str = "apiVersion: aigateway.envoyproxy.io/v1beta1
kind: AIGatewayRoute
metadata: {name: r, namespace: ns}
spec:
  parentRefs: [{name: gw}]
  rules:
  - matches:
    - headers: [{name: x-ai-eg-model, value: gpt-4o}]
    backendRefs: [{name: be}]
";

struct Repository(Scratch);

impl Repository {
    /// A repository with one commit.
    fn new(name: &str) -> Self {
        let repository = Repository(Scratch::new(name));
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        for (file, text) in [("gateway", GATEWAY), ("backend", BACKEND), ("route", ROUTE)] {
            repository.0.write(&format!("deploy/{file}.yaml"), text);
        }
        repository.0.write("deploy/notes.txt", "not: [read");
        repository.0.write("deploy/.hidden.yaml", "not: [read");
        repository.commit();
        repository
    }

    fn git(&self, args: &[&str]) -> Output {
        let output = Command::new("git")
            .arg("-C")
            .arg(self.0.folder())
            .args(["-c", "user.name=test", "-c", "user.email=test@example.com"])
            .args(args)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        output
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message=change"]);
    }

    fn run_in(&self, folder: &str, args: &[&str]) -> (Option<i32>, Value, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_aigwctl"))
            .current_dir(self.0.path(folder))
            .args(args)
            .arg("--output=json")
            .output()
            .unwrap();
        let answer = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
        (
            output.status.code(),
            answer,
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    }

    fn run(&self, args: &[&str]) -> (Option<i32>, Value, String) {
        self.run_in("", args)
    }
}

fn paths(answer: &Value) -> Vec<String> {
    let changes = answer["changes"].as_array().unwrap().iter();
    changes
        .map(|c| {
            format!(
                "{} {}",
                c["kind"].as_str().unwrap(),
                c["path"].as_str().unwrap()
            )
        })
        .collect()
}

const NAME: &str = "backends[name=ns/be/route/r/rule/0/ref/0].schema.name";

#[test]
fn the_working_tree_is_compared_with_a_revision() {
    let repository = Repository::new("git-base");
    let (code, answer, stderr) = repository.run(&["diff", "deploy", "--base", "HEAD"]);
    assert_eq!((code, paths(&answer)), (Some(0), vec![]), "{stderr}");
    repository.0.write(
        "deploy/backend.yaml",
        BACKEND.replace("OpenAI", "Anthropic"),
    );
    let (code, answer, stderr) = repository.run(&["diff", "deploy", "--base", "HEAD"]);
    assert_eq!(
        (code, paths(&answer)),
        (Some(1), vec![format!("changed {NAME}")]),
        "{stderr}"
    );
    let origin = &answer["changes"][0]["origin"];
    assert_eq!(origin["old"]["file"], "git:HEAD:deploy/backend.yaml");
    assert_eq!(origin["new"]["file"], "deploy/backend.yaml");
    assert_eq!(
        (&origin["old"]["line"], &origin["new"]["line"]),
        (&5.into(), &5.into())
    );
    // From below, and as an absolute path from elsewhere.
    let (code, answer, _) = repository.run_in("deploy", &["diff", ".", "--base", "main"]);
    assert_eq!((code, paths(&answer).len()), (Some(1), 1));
    let absolute = repository.0.path("deploy").display().to_string();
    let output = Command::new(env!("CARGO_BIN_EXE_aigwctl"))
        .current_dir("/")
        .args(["diff", &absolute, "--base", "HEAD"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn two_revisions_are_compared() {
    let repository = Repository::new("git-revisions");
    let inserted = ROUTE.replace(
        "  rules:\n",
        "  rules:\n  - backendRefs: [{name: be, modelNameOverride: o1}]\n",
    );
    repository.0.write("deploy/route.yaml", inserted);
    repository.commit();
    let (code, answer, stderr) = repository.run(&["diff", "git:HEAD~1:deploy", "git:HEAD:deploy"]);
    assert_eq!(code, Some(1), "{stderr}");
    assert_eq!(
        paths(&answer),
        [
            "added backends[name=ns/be/route/r/rule/0/ref/0]",
            "moved backends[name=ns/be/route/r/rule/1/ref/0]",
        ]
    );
    // Everything, and a single file.
    let (code, answer, _) = repository.run(&["diff", "git:HEAD~1", "git:main"]);
    assert_eq!((code, paths(&answer).len()), (Some(1), 2));
    let (code, ..) = repository.run(&["render", "git:HEAD:deploy/route.yaml"]);
    assert_eq!(code, Some(0));
}

#[test]
fn a_path_that_the_base_lacks_is_new() {
    let repository = Repository::new("git-new");
    repository
        .0
        .write("more/gateway.yaml", GATEWAY.replace("gw", "gw2"));
    let (code, answer, stderr) = repository.run(&["diff", "deploy", "more", "--base", "HEAD"]);
    assert_eq!(
        (code, paths(&answer)),
        (Some(1), vec!["added ".to_string()]),
        "{stderr}"
    );
    let (code, _, stderr) = repository.run(&["diff", "git:HEAD:more", "more"]);
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("revision HEAD has no more"), "{stderr}");
}

#[test]
fn links_are_followed_inside_the_revision() {
    let repository = Repository::new("git-links");
    std::os::unix::fs::symlink(
        "../shared/quota.yaml",
        repository.0.path("deploy/quota.yaml"),
    )
    .unwrap();
    std::os::unix::fs::symlink("/etc/hostname", repository.0.path("deploy/outside.yaml")).unwrap();
    repository.0.write(
        "shared/quota.yaml",
        "apiVersion: aigateway.envoyproxy.io/v1alpha1
kind: QuotaPolicy
metadata: {name: q, namespace: ns}
spec:
  targetRefs: [{name: be}]
  perModelQuotas: [{modelName: m, quota: {}}]
",
    );
    repository.commit();
    let (code, answer, stderr) = repository.run(&["diff", "git:HEAD~1:deploy", "git:HEAD:deploy"]);
    assert_eq!(code, Some(1), "{stderr}");
    assert_eq!(
        paths(&answer),
        ["added llmRequestCosts[routeName=ns/r,metadataKey=quota_cost,backend=ns/be,model=m]"]
    );
    let notes = answer["findings"].to_string();
    assert!(
        notes.contains("outside.yaml") && notes.contains("leads to no file"),
        "{notes}"
    );
}

#[test]
fn nothing_that_the_repository_configures_is_run() {
    let repository = Repository::new("git-config");
    let marker = repository.0.path("ran");
    let script = repository.0.write(
        "script.sh",
        format!("#!/bin/sh\ntouch {}\n", marker.display()),
    );
    Command::new("chmod")
        .args(["+x", &script])
        .status()
        .unwrap();
    for (key, value) in [
        ("core.fsmonitor", script.as_str()),
        ("core.pager", &script),
        ("core.sshCommand", &script),
        ("core.hooksPath", repository.0.folder().to_str().unwrap()),
        ("diff.x.textconv", &script),
        ("filter.x.smudge", &script),
        ("alias.ls-tree", &format!("!{script}")),
        ("alias.cat-file", &format!("!{script}")),
        ("remote.origin.url", "ext::sh -c touch"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.uploadpack", &script),
    ] {
        repository.git(&["config", key, value]);
    }
    repository
        .0
        .write("deploy/.gitattributes", "*.yaml diff=x filter=x\n");
    let (code, _, stderr) = repository.run(&["diff", "deploy", "--base", "HEAD"]);
    assert_eq!(code, Some(0), "{stderr}");
    // An object that is missing is not fetched.
    let (_, _, stderr) = repository.run(&[
        "diff",
        "git:0123456789012345678901234567890123456789",
        "deploy",
    ]);
    assert!(stderr.contains("git"), "{stderr}");
    assert!(
        !Path::new(&marker).exists(),
        "the repository's configuration was run"
    );
}

#[test]
fn what_is_no_revision_is_an_error() {
    let repository = Repository::new("git-errors");
    for source in [
        "git:--output=x",
        "git:",
        "git:nowhere",
        "git:HEAD:nowhere",
        "git:HEAD:../x",
    ] {
        let (code, _, stderr) = repository.run(&["diff", source, "deploy"]);
        assert_eq!(code, Some(2), "{source}: {stderr}");
        assert!(stderr.starts_with("error: "), "{source}: {stderr}");
    }
    let (code, _, stderr) = repository.run(&["diff", "-", "--base", "HEAD"]);
    assert_eq!(code, Some(2), "{stderr}");
    let outside = Scratch::new("git-outside");
    let folder = std::env::temp_dir().join(format!("aigwctl-no-repository-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_aigwctl"))
        .current_dir(&folder)
        .args(["diff", ".", "--base", "HEAD"])
        .output()
        .unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    drop(outside);
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("not a git repository"), "{stderr}");
}
