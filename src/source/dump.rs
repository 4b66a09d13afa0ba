//! Dumps of clusters that other programs made: what a file shows of a kind, and what in it is no
//! object.
//!
//! A directory of `kubectl get TYPE -A -o yaml` has one list a file, named after its type, also when
//! there is no object. `kubectl cluster-info dump` has one folder for each namespace, and between its
//! lists the logs of containers.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use crate::manifest::{self, Document, Limits, Node};
use crate::world::coverage::{Reach, resource};
use crate::world::kind::Kind;

const LOGS_START: &str = "==== START logs for container ";
const LOGS_END: &str = "==== END logs for container ";

/// The file without the logs that `kubectl cluster-info dump` prints between its lists. Lines keep
/// their numbers.
pub(super) fn without_logs(bytes: &[u8]) -> Cow<'_, [u8]> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) if text.contains(LOGS_START) => Cow::Borrowed(text),
        // A log may hold anything.
        Err(_) => match String::from_utf8_lossy(bytes) {
            text if text.contains(LOGS_START) => text,
            _ => return Cow::Borrowed(bytes),
        },
        Ok(_) => return Cow::Borrowed(bytes),
    };
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for line in text.split_inclusive('\n') {
        inside |= line.starts_with(LOGS_START);
        match inside {
            true => out.push('\n'),
            false => out.push_str(line),
        }
        inside &= !line.starts_with(LOGS_END);
    }
    Cow::Owned(out.into_bytes())
}

/// The kinds that a file shows, and how much of each: those of its objects, and, where it is a list
/// that is named after a kind, that kind even without objects.
pub(super) fn shown(file: &str, bytes: &[u8], documents: &[Document]) -> Vec<(Kind, Reach)> {
    let kinds: BTreeSet<Kind> = documents.iter().filter_map(kind_of).collect();
    if !kinds.is_empty() {
        let reach = reach(file, documents);
        return kinds
            .into_iter()
            .map(|kind| (kind, reach.clone()))
            .collect();
    }
    let named = named_after(file);
    if named.is_empty() || !documents.is_empty() {
        return Vec::new();
    }
    let Some(list) = empty_list(file, bytes) else {
        return Vec::new();
    };
    let reach = match (list.is_typed, folder(file)) {
        (true, Some(folder)) => Reach::Namespaces([folder].into()),
        _ => Reach::Whole,
    };
    named
        .into_iter()
        .map(|kind| (kind, reach.clone()))
        .collect()
}

fn kind_of(document: &Document) -> Option<Kind> {
    let text = |key: &str| document.root.get(key).and_then(Node::as_str);
    let api_version = text("apiVersion")?;
    let (group, _) = api_version.rsplit_once('/').unwrap_or(("", api_version));
    Kind::find(group, text("kind")?)
}

/// A file in a folder that is called like the namespace of all its objects shows that namespace.
fn reach(file: &str, documents: &[Document]) -> Reach {
    let namespace = |document: &Document| {
        let node = document.root.at(&["metadata", "namespace"])?;
        node.as_str().map(str::to_string)
    };
    match folder(file) {
        Some(folder)
            if documents
                .iter()
                .all(|d| namespace(d).as_ref() == Some(&folder)) =>
        {
            Reach::Namespaces([folder].into())
        }
        _ => Reach::Whole,
    }
}

fn folder(file: &str) -> Option<String> {
    let folder = Path::new(file).parent()?.file_name()?;
    Some(folder.to_str()?.to_string())
}

/// The kinds that a file's name means: `pods.yaml`, `gateways.gateway.networking.k8s.io.yaml`.
fn named_after(file: &str) -> Vec<Kind> {
    let name = Path::new(file).file_stem().and_then(|n| n.to_str());
    let Some(name) = name.map(str::to_lowercase) else {
        return Vec::new();
    };
    let kinds = Kind::ALL.iter().copied();
    kinds
        .filter(|kind| name == kind.plural() || name == resource(*kind))
        .collect()
}

struct EmptyList {
    /// `PodList` and the like, as the API answers; `kubectl get` writes `List`.
    is_typed: bool,
}

fn empty_list(file: &str, bytes: &[u8]) -> Option<EmptyList> {
    let file: Arc<str> = file.into();
    let documents = manifest::read_stream(file, bytes, &Limits::default());
    let [Ok(document)] = &documents[..] else {
        return None;
    };
    let kind = document.root.get("kind").and_then(Node::as_str)?;
    let items = document.root.get("items")?;
    let is_list = kind.ends_with("List") && items.as_list().is_some_and(<[Node]>::is_empty);
    is_list.then(|| EmptyList {
        is_typed: kind != "List",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(file: &str, text: &str) -> Vec<(Kind, Reach)> {
        let read = manifest::read(file.into(), text.as_bytes(), &Limits::default());
        let documents: Vec<Document> = read.into_iter().map(Result::unwrap).collect();
        shown(file, text.as_bytes(), &documents)
    }

    #[test]
    fn an_empty_list_shows_the_kind_that_its_file_is_named_after() {
        let list = "apiVersion: v1\nitems: []\nkind: List\n";
        assert_eq!(
            of("d/mcproutes.yaml", list),
            [(Kind::MCPRoute, Reach::Whole)]
        );
        let long = "d/gateways.gateway.networking.k8s.io.yaml";
        assert_eq!(of(long, list), [(Kind::Gateway, Reach::Whole)]);
        assert_eq!(of("d/inferencepools.yaml", list).len(), 2);
        assert_eq!(of("d/mcproutes.yaml", ""), []);
        assert_eq!(of("d/mine.yaml", list), []);
    }

    #[test]
    fn a_folder_of_a_namespace_shows_that_namespace() {
        let pod = r#"{"kind": "PodList", "apiVersion": "v1", "items": [{"metadata": {"namespace": "a", "name": "p"}}]}"#;
        let some = |name: &str| Reach::Namespaces([name.to_string()].into());
        assert_eq!(of("dump/a/pods.json", pod), [(Kind::Pod, some("a"))]);
        assert_eq!(of("dump/pods.json", pod), [(Kind::Pod, Reach::Whole)]);
        let empty = r#"{"kind": "DaemonSetList", "apiVersion": "apps/v1", "items": []}"#;
        assert_eq!(
            of("dump/b/daemonsets.json", empty),
            [(Kind::DaemonSet, some("b"))]
        );
    }

    #[test]
    fn logs_between_lists_are_passed_over() {
        let text = "{\"a\": 1}\n==== START logs for container c of pod n/p ====\n{ not json\n\
                    ==== END logs for container c of pod n/p ====\n{\"b\": 2}\n";
        let cleaned = without_logs(text.as_bytes());
        assert_eq!(&*cleaned, b"{\"a\": 1}\n\n\n\n{\"b\": 2}\n");
        assert!(matches!(without_logs(b"a: 1"), Cow::Borrowed(_)));
    }
}
