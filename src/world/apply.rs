//! What an object becomes when a manifest is applied to it.

use crate::manifest::node::{Entry, Map, Node, Value};

/// The annotation in which `kubectl apply` keeps the manifest that it applied last.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The object after `kubectl apply` of a manifest: members of the manifest win, members that the last
/// applied manifest had and this one lacks are gone, everything else stays as it is. Lists are
/// replaced as a whole, as they are for custom resources.
pub fn apply(live: Node, manifest: Node) -> Node {
    let last = last_applied(&live);
    merge(live, manifest, last.as_ref())
}

fn last_applied(live: &Node) -> Option<serde_json::Value> {
    let text = live
        .at(&["metadata", "annotations", LAST_APPLIED])?
        .as_str()?;
    serde_json::from_str(text).ok()
}

// Recursion is as deep as the manifest's nesting at most, which reading has limited.
fn merge(live: Node, manifest: Node, last: Option<&serde_json::Value>) -> Node {
    let (old, new) = match (live.value, manifest.value) {
        (Value::Map(old), Value::Map(new)) => (old, new),
        (_, value) => {
            return Node {
                pos: manifest.pos,
                value,
            };
        }
    };
    let given: Vec<String> = new.iter().map(|e| e.key.clone()).collect();
    let mut old: Vec<Entry> = old.into_entries();
    let mut entries = Vec::with_capacity(given.len());
    for entry in new.into_entries() {
        let before = old.iter().position(|e| e.key == entry.key);
        let value = match before {
            Some(at) => {
                let last = last.and_then(|last| last.get(&entry.key));
                merge(old.swap_remove(at).value, entry.value, last)
            }
            None => entry.value,
        };
        entries.push(Entry { value, ..entry });
    }
    let removed = |key: &str| last.is_some_and(|last| last.get(key).is_some());
    entries.extend(old.into_iter().filter(|e| !removed(&e.key)));
    Node {
        pos: manifest.pos,
        value: Value::Map(Map::from_unique(entries)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(text: &str) -> Node {
        let documents = crate::manifest::read("t".into(), text.as_bytes(), &Default::default());
        documents.into_iter().next().unwrap().unwrap().root
    }

    #[test]
    fn members_of_others_stay_and_members_given_up_go() {
        let live = node(
            r#"{"metadata": {"name": "a", "creationTimestamp": "2026", "annotations": {"other": "1",
            "kubectl.kubernetes.io/last-applied-configuration":
            "{\"spec\":{\"gone\":1,\"kept\":1}}"}},
            "spec": {"gone": 1, "kept": 1, "defaulted": true, "list": [1, 2]}}"#,
        );
        let after = apply(
            live,
            node("metadata: {name: a}\nspec: {kept: 2, list: [3]}"),
        );
        let after = after.to_json();
        assert_eq!(
            after["spec"],
            serde_json::json!({"kept": 2, "defaulted": true, "list": [3]})
        );
        assert_eq!(after["metadata"]["creationTimestamp"], "2026");
        assert_eq!(after["metadata"]["annotations"]["other"], "1");
    }
}
