//! Where objects other than Secrets hold credentials.

use crate::controllers::ai_gateway::settings::flags::{FLAGS, Flag, Id};
use crate::manifest::node::{Entry, Map, Node, Value};

/// Ends of paths, list indexes left out, whose values may be credentials: what `render` hides too.
const HIDDEN: [&[&str]; 4] = [
    &["env", "value"],
    &["headerMutation", "set", "value"],
    &["bodyMutation", "set", "value"],
    &["apiKey", "inline"],
];

/// The same in a document that the controller stored.
const STORED: [&[&str]; 5] = [
    &["httpHeaderMutation", "set", "value"],
    &["httpBodyMutation", "set", "value"],
    &["auth", "*", "key"],
    &["auth", "*", "credentialFileLiteral"],
    &["auth", "*", "accessToken"],
];

/// The object with every credential replaced.
pub(super) fn rewrite(root: &Node, hide: &mut dyn FnMut(&str) -> String) -> Node {
    let hidden = map_strings(root, &mut |path, text| {
        is_at(path, &HIDDEN).then(|| hide(text))
    });
    map_lists(&hidden, &mut |key, items| {
        matches!(key, "args" | "command").then(|| arguments(items, hide))
    })
}

/// A stored document with every credential replaced.
pub(super) fn rewrite_stored(root: &Node, hide: &mut dyn FnMut(&str) -> String) -> Node {
    map_strings(root, &mut |path, text| {
        is_at(path, &STORED).then(|| hide(text))
    })
}

fn is_at(path: &[&str], ends: &[&[&str]]) -> bool {
    ends.iter().any(|end| {
        let start = path.len().checked_sub(end.len());
        start.is_some_and(|start| {
            let mut pairs = path[start..].iter().zip(*end);
            pairs.all(|(part, wanted)| *wanted == "*" || part == wanted)
        })
    })
}

/// The object with strings replaced. `change` is given the keys that lead to a string.
// Recursion is as deep as the document's nesting at most.
pub(super) fn map_strings(
    root: &Node,
    change: &mut dyn FnMut(&[&str], &str) -> Option<String>,
) -> Node {
    fn walk<'n>(
        node: &'n Node,
        path: &mut Vec<&'n str>,
        change: &mut dyn FnMut(&[&str], &str) -> Option<String>,
    ) -> Node {
        let value = match &node.value {
            Value::String(text) => {
                Value::String(change(path, text).unwrap_or_else(|| text.clone()))
            }
            Value::List(items) => {
                Value::List(items.iter().map(|item| walk(item, path, change)).collect())
            }
            Value::Map(map) => {
                let entries = map.iter().map(|e| {
                    path.push(&e.key);
                    let value = walk(&e.value, path, change);
                    path.pop();
                    Entry {
                        key: e.key.clone(),
                        key_pos: e.key_pos,
                        value,
                    }
                });
                Value::Map(Map::from_unique(entries.collect()))
            }
            scalar => scalar.clone(),
        };
        Node {
            pos: node.pos,
            value,
        }
    }
    walk(root, &mut Vec::new(), change)
}

/// Gives a list's new items, by key and items; `None` leaves the list as it is.
type ListChange<'a> = &'a mut dyn FnMut(&str, &[Node]) -> Option<Vec<Node>>;

/// The object with lists replaced. `change` is given the key of a list.
fn map_lists(root: &Node, change: ListChange<'_>) -> Node {
    let value = match &root.value {
        Value::List(items) => {
            Value::List(items.iter().map(|item| map_lists(item, change)).collect())
        }
        Value::Map(map) => {
            let entries = map.iter().map(|e| {
                let changed = e.value.as_list().and_then(|items| change(&e.key, items));
                let value = match changed {
                    Some(items) => Node {
                        pos: e.value.pos,
                        value: Value::List(items),
                    },
                    None => map_lists(&e.value, change),
                };
                Entry {
                    key: e.key.clone(),
                    key_pos: e.key_pos,
                    value,
                }
            });
            Value::Map(Map::from_unique(entries.collect()))
        }
        scalar => scalar.clone(),
    };
    Node {
        pos: root.pos,
        value,
    }
}

/// Arguments with the values of hidden flags replaced: `-flag=value`, or the element after `-flag`.
fn arguments(items: &[Node], hide: &mut dyn FnMut(&str) -> String) -> Vec<Node> {
    let mut awaited: Option<&Flag> = None;
    let shown = items.iter().map(|item| {
        let Some(text) = item.as_str() else {
            return item.clone();
        };
        let text = match (awaited.take(), hidden_flag(text)) {
            (Some(flag), _) => value(flag, text, hide),
            (None, Some((flag, name, Some(text)))) => format!("{name}={}", value(flag, text, hide)),
            (None, Some((flag, _, None))) => {
                awaited = Some(flag);
                text.to_string()
            }
            (None, None) => text.to_string(),
        };
        Node {
            pos: item.pos,
            value: Value::String(text),
        }
    });
    shown.collect()
}

/// A hidden flag with its spelling and, where it stands in the same argument, its value.
fn hidden_flag(argument: &str) -> Option<(&'static Flag, &str, Option<&str>)> {
    let bare = argument.strip_prefix('-')?;
    let bare = bare.strip_prefix('-').unwrap_or(bare);
    let name = bare.split('=').next()?;
    let flag = FLAGS.iter().find(|f| f.name == name && f.is_hidden())?;
    match argument.split_once('=') {
        Some((name, value)) => Some((flag, name, Some(value))),
        None => Some((flag, argument, None)),
    }
}

/// The value of a hidden flag; of a list of variables the names stay.
fn value(flag: &Flag, text: &str, hide: &mut dyn FnMut(&str) -> String) -> String {
    if flag.id != Id::ExtProcExtraEnvVars {
        return hide(text);
    }
    let variables = text
        .split(';')
        .map(|variable| match variable.split_once('=') {
            Some((name, value)) => format!("{name}={}", hide(value.trim())),
            None => variable.to_string(),
        });
    variables.collect::<Vec<_>>().join(";")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(text: &str) -> String {
        let documents = crate::manifest::read("t".into(), text.as_bytes(), &Default::default());
        let root = documents.into_iter().next().unwrap().unwrap().root;
        rewrite(&root, &mut |_| "X".to_string())
            .to_json()
            .to_string()
    }

    #[test]
    fn hidden_flags_are_found_in_every_spelling() {
        assert_eq!(
            rewritten(
                "args: [--mcpSessionEncryptionSeed=s=1, -mcpFallbackSessionEncryptionSeed, s2, \
                 --logLevel=debug, '-extProcExtraEnvVars=A=1;B=2;C=', -port, ':1', -mcpSessionEncryptionSeed]"
            ),
            r#"{"args":["--mcpSessionEncryptionSeed=X","-mcpFallbackSessionEncryptionSeed","X","--logLevel=debug","-extProcExtraEnvVars=A=X;B=X;C=X","-port",":1","-mcpSessionEncryptionSeed"]}"#
        );
    }

    #[test]
    fn fields_are_found_at_any_depth() {
        assert_eq!(
            rewritten(
                "a: [{env: [{name: A, value: s}], headerMutation: {set: [{name: x, value: s}]}}]"
            ),
            r#"{"a":[{"env":[{"name":"A","value":"X"}],"headerMutation":{"set":[{"name":"x","value":"X"}]}}]}"#
        );
        assert_eq!(
            rewritten("apiKey: {inline: s}\nvalue: v"),
            r#"{"apiKey":{"inline":"X"},"value":"v"}"#
        );
    }
}
