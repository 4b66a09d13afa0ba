//! List objects (`kind: List`, `GatewayConfigList` and so on) to their items.

use std::collections::HashSet;

use super::node::{Entry, Map, Node, Pos, Value};

/// An item of a list, or a value that is no list.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) root: Node,
    /// It is larger than an object may be.
    pub(super) oversized: bool,
}

/// What a list says about the kind of its items.
#[derive(Debug, Clone)]
struct ItemKind {
    api_version: Option<Node>,
    kind: Option<Node>,
}

/// The items of a list object, those of lists in it included. `Err`: the value is no list object.
pub(super) fn items(root: Node, oversized: &HashSet<Pos>) -> Result<Vec<Item>, Node> {
    if !is_list(&root) {
        return Err(root);
    }
    let mut items = Vec::new();
    flatten(root, oversized, &mut items);
    Ok(items)
}

/// A kind that ends in `List`, and `items`.
fn is_list(node: &Node) -> bool {
    let kind = node.get("kind").and_then(Node::as_str);
    kind.is_some_and(|kind| kind.ends_with("List"))
        && node
            .get("items")
            .is_some_and(|items| items.as_list().is_some())
}

// Recursion is as deep as the document's nesting at most.
fn flatten(list: Node, oversized: &HashSet<Pos>, out: &mut Vec<Item>) {
    let kind = ItemKind::of(&list);
    let Value::Map(map) = list.value else { return };
    let items = map
        .into_entries()
        .into_iter()
        .find(|entry| entry.key == "items");
    let Some(Value::List(items)) = items.map(|entry| entry.value.value) else {
        return;
    };
    for item in items {
        if is_list(&item) {
            flatten(item, oversized, out);
        } else {
            let large = oversized.contains(&item.pos);
            out.push(Item {
                root: kind.complete(item),
                oversized: large,
            });
        }
    }
}

impl ItemKind {
    fn of(list: &Node) -> Self {
        let kind = list.get("kind").and_then(|node| {
            let name = node
                .as_str()?
                .strip_suffix("List")
                .filter(|name| !name.is_empty())?;
            Some(Node {
                pos: node.pos,
                value: Value::String(name.to_owned()),
            })
        });
        ItemKind {
            api_version: list.get("apiVersion").cloned(),
            kind,
        }
    }

    /// Items without a kind have that of their list.
    fn complete(&self, item: Node) -> Node {
        let Some(kind) = &self.kind else { return item };
        if item.get("kind").is_some() {
            return item;
        }
        let Node { pos, value } = item;
        let Value::Map(map) = value else {
            return Node { pos, value };
        };
        let api_version = self
            .api_version
            .as_ref()
            .filter(|_| map.get("apiVersion").is_none());
        let given = [("apiVersion", api_version), ("kind", Some(kind))];
        let given = given.into_iter().filter_map(|(key, node)| {
            node.map(|node| Entry {
                key: key.to_owned(),
                key_pos: node.pos,
                value: node.clone(),
            })
        });
        let entries = given.chain(map.into_entries()).collect();
        Node {
            pos,
            value: Value::Map(Map::from_unique(entries)),
        }
    }
}
