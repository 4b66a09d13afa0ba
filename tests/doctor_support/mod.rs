//! A recorded cluster with a stated change, and what the program says of it.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

/// The objects of a dump, by the name of the list file.
#[derive(Clone)]
pub(crate) struct Dump {
    lists: BTreeMap<String, Vec<Value>>,
    version: Value,
}

/// A healthy cluster of the repository.
pub(crate) fn healthy() -> Dump {
    recorded("01-healthy-v1.1.0")
}

/// A recorded cluster of the repository.
pub(crate) fn recorded(name: &str) -> Dump {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("testdata/golden/cluster")
        .join(name);
    let mut dump = Dump {
        lists: BTreeMap::new(),
        version: Value::Null,
    };
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap().to_string();
        match path.extension().unwrap().to_str().unwrap() {
            "json" => dump.version = super::support::json(&path),
            "yaml" => {
                let bytes = std::fs::read(&path).unwrap();
                let documents = aigwctl::manifest::read("x".into(), &bytes, &Default::default());
                let objects = documents.into_iter().map(|d| d.unwrap().root.to_json());
                dump.lists
                    .insert(stem, objects.filter(|o| o["kind"] != "List").collect());
            }
            _ => {}
        }
    }
    dump
}

fn key(object: &Value) -> String {
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    let kind = object["kind"].as_str().unwrap_or_default();
    match object["metadata"]["namespace"].as_str() {
        Some(namespace) => format!("{kind}/{namespace}/{name}"),
        None => format!("{kind}/{name}"),
    }
}

fn is_meant(object: &Value, pattern: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => key(object).starts_with(start),
        None => key(object) == pattern,
    }
}

impl Dump {
    /// The names of the list files.
    pub(crate) fn kinds(&self) -> Vec<String> {
        self.lists.keys().cloned().collect()
    }

    /// Every object, in the order in which an API server can take them: what is called for pods last.
    pub(crate) fn objects(&self) -> Vec<Value> {
        let mut all: Vec<Value> = self.lists.values().flatten().cloned().collect();
        all.sort_by_key(|object| match object["kind"].as_str() {
            Some("Namespace") => 0,
            Some("MutatingWebhookConfiguration") => 2,
            _ => 1,
        });
        all
    }

    /// The dump without a list file.
    pub(crate) fn without(&self, kind: &str) -> Dump {
        let mut dump = self.clone();
        dump.lists.remove(kind);
        dump
    }

    fn meant(&mut self, pattern: &str) -> Vec<&mut Value> {
        let all = self.lists.values_mut().flatten();
        let found: Vec<&mut Value> = all.filter(|o| is_meant(o, pattern)).collect();
        assert!(!found.is_empty(), "no object {pattern}");
        found
    }

    /// Makes the changes.
    pub(crate) fn change(&mut self, changes: &Value) {
        for change in changes.as_array().unwrap() {
            self.change_one(change);
        }
    }

    fn change_one(&mut self, change: &Value) {
        let text = |key: &str| change[key].as_str().unwrap_or_default().to_string();
        let (op, object) = (text("op"), text("object"));
        let path: Vec<Value> = change["path"].as_array().cloned().unwrap_or_default();
        match op.as_str() {
            "delete" => {
                let count = self.meant(&object).len();
                assert!(count > 0);
                for list in self.lists.values_mut() {
                    list.retain(|o| !is_meant(o, &object));
                }
            }
            "set" => {
                for object in self.meant(&object) {
                    *at(object, &path) = change["value"].clone();
                }
            }
            "unset" => {
                for object in self.meant(&object) {
                    let (last, parents) = path.split_last().unwrap();
                    match at(object, parents) {
                        Value::Object(map) => drop(map.remove(last.as_str().unwrap())),
                        Value::Array(list) => {
                            drop(list.remove(usize::try_from(last.as_u64().unwrap()).unwrap()))
                        }
                        other => panic!("{path:?} in {other}"),
                    }
                }
            }
            "fill" => {
                let mut value = change["value"].clone();
                let length = usize::try_from(change["length"].as_u64().unwrap()).unwrap();
                value["set"][0]["value"] = format!("\"{}\"", "a".repeat(length)).into();
                for object in self.meant(&object) {
                    *at(object, &path) = value.clone();
                }
            }
            "append" => {
                for object in self.meant(&object) {
                    let list = at(object, &path);
                    if list.is_null() {
                        *list = json!([]);
                    }
                    list.as_array_mut().unwrap().push(change["value"].clone());
                }
            }
            "replace" => {
                for object in self.meant(&object) {
                    let field = at(object, &path);
                    let old = field.as_str().unwrap().to_string();
                    let new = old.replace(&text("from"), &text("to"));
                    assert_ne!(old, new, "{path:?} has no {}", text("from"));
                    *field = new.into();
                }
            }
            "take" => {
                let mut other = self.meant(&text("from")).remove(0).clone();
                let from = change["fromPath"]
                    .as_array()
                    .cloned()
                    .unwrap_or(path.clone());
                let value = at(&mut other, &from).clone();
                for object in self.meant(&object) {
                    *at(object, &path) = value.clone();
                }
            }
            "copy" => {
                let mut new = self.meant(&object).remove(0).clone();
                let old = key(&new);
                new["metadata"]["name"] = change["name"].clone();
                if change["namespace"].is_string() {
                    new["metadata"]["namespace"] = change["namespace"].clone();
                }
                new["metadata"]
                    .as_object_mut()
                    .unwrap()
                    .remove("ownerReferences");
                let list = self
                    .lists
                    .values_mut()
                    .find(|l| l.iter().any(|o| key(o) == old));
                list.unwrap().push(new);
            }
            "add" => {
                let list = self.lists.entry(text("list")).or_default();
                list.push(change["value"].clone());
            }
            "version" => self.version["minor"] = change["value"].clone(),
            other => panic!("there is no operation {other}"),
        }
    }

    /// The dump without an object.
    pub(crate) fn without_object(&self, object: &str) -> Dump {
        let mut dump = self.clone();
        dump.change(&json!([{ "op": "delete", "object": object }]));
        dump
    }

    /// Runs `doctor` on it.
    pub(crate) fn diagnose(&self, args: &[String]) -> (Value, i32) {
        self.diagnose_with(&[], args)
    }

    /// Runs `doctor` on it and on other files beside it.
    pub(crate) fn diagnose_with(&self, files: &[(&str, Value)], args: &[String]) -> (Value, i32) {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            std::fs::write(folder.path().join(name), content.to_string()).unwrap();
        }
        for (kind, objects) in &self.lists {
            let list = json!({ "apiVersion": "v1", "kind": "List", "items": objects });
            std::fs::write(folder.path().join(format!("{kind}.json")), list.to_string()).unwrap();
        }
        if !self.version.is_null() {
            let path = folder.path().join("version.json");
            std::fs::write(path, self.version.to_string()).unwrap();
        }
        let mut all = vec!["doctor".to_string(), folder.path().display().to_string()];
        all.extend(["-o".to_string(), "json".to_string()]);
        all.extend(args.iter().cloned());
        let output = super::support::aigwctl(&all);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!text.contains("CANARY-"), "a credential is shown");
        let answer = serde_json::from_str(&text);
        let error = String::from_utf8_lossy(&output.stderr);
        let answer = answer.unwrap_or_else(|e| panic!("{e}: {error}"));
        (answer, output.status.code().unwrap())
    }
}

/// A place in an object, made where it is not there.
fn at<'o>(object: &'o mut Value, path: &[Value]) -> &'o mut Value {
    path.iter().fold(object, |at, step| match step {
        Value::Number(index) => &mut at[usize::try_from(index.as_u64().unwrap()).unwrap()],
        step => &mut at[step.as_str().unwrap()],
    })
}

/// A described change of the healthy cluster.
pub(crate) struct Scenario {
    pub(crate) name: String,
    pub(crate) content: Value,
}

impl Scenario {
    /// The cluster with the changes made.
    pub(crate) fn dump(&self) -> Dump {
        let mut dump = match self.content["base"].as_str() {
            Some(name) => recorded(name),
            None => healthy(),
        };
        dump.change(&self.content["changes"]);
        dump
    }

    pub(crate) fn rows(&self) -> Vec<String> {
        let rows = self.content["rows"].as_array().into_iter().flatten();
        rows.map(|r| r.as_str().unwrap().to_string()).collect()
    }

    pub(crate) fn args(&self) -> Vec<String> {
        let args = self.content["args"].as_array().into_iter().flatten();
        let folder = env!("CARGO_MANIFEST_DIR");
        args.map(|a| a.as_str().unwrap().replace("{root}", folder))
            .collect()
    }

    /// The root causes that are expected, as sorted `id` or `id object`.
    pub(crate) fn roots(&self) -> Vec<String> {
        let roots = self.content["roots"].as_array().unwrap().iter();
        let mut roots: Vec<String> = roots
            .map(|r| r["id"].as_str().unwrap().to_string())
            .collect();
        roots.sort();
        roots
    }
}

/// Every scenario, by name.
pub(crate) fn scenarios() -> Vec<Scenario> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/doctor");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "yaml"))
        .collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| Scenario {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            content: super::support::yaml(&std::fs::read_to_string(&path).unwrap()),
        })
        .collect()
}

/// The ids of the root causes, sorted.
pub(crate) fn roots(answer: &Value) -> Vec<String> {
    let roots = answer["rootCauses"].as_array().unwrap().iter();
    let mut roots: Vec<String> = roots
        .map(|r| r["id"].as_str().unwrap().to_string())
        .collect();
    roots.sort();
    roots
}
