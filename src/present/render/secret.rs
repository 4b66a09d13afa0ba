//! `-o secret`: the Secrets as manifests.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::Answer;
use crate::controllers::ai_gateway::bundle::{SecretView, Verb};
use crate::manifest::emit::{Tree, to_yaml};
use crate::present::escape::escape;

/// The manifests as a stream. A Secret that would be deleted is a comment.
pub fn write(answer: &Answer<'_>) -> String {
    let secrets = answer
        .outcomes
        .iter()
        .flat_map(|o| o.secrets(answer.reveal));
    secrets.map(|s| format!("---\n{}", manifest(&s))).collect()
}

fn manifest(secret: &SecretView) -> String {
    if secret.verb == Verb::Delete {
        let name = format!("{}/{}", secret.namespace, secret.name);
        return format!("# Secret {} would be deleted\n", escape(&name));
    }
    // Names, labels and base64 text can always be written.
    to_yaml(&tree(secret)).unwrap_or_else(|e| format!("# {e}\n"))
}

fn tree(secret: &SecretView) -> Tree<'_> {
    let member = |key: &'static str, value| (Cow::Borrowed(key), value);
    let mut metadata = vec![member("name", Tree::from(secret.name.as_str()))];
    if !secret.namespace.is_empty() {
        metadata.push(member("namespace", Tree::from(secret.namespace.as_str())));
    }
    for (key, map) in [
        ("labels", &secret.labels),
        ("annotations", &secret.annotations),
    ] {
        if !map.is_empty() {
            let entries = map
                .iter()
                .map(|(k, v)| (Cow::from(k), Tree::from(v.as_str())));
            metadata.push(member(key, Tree::Map(entries.collect())));
        }
    }
    let data = secret
        .data
        .iter()
        .map(|(k, v)| (Cow::from(k), Tree::from(STANDARD.encode(v))));
    Tree::Map(vec![
        member("apiVersion", Tree::from("v1")),
        member("kind", Tree::from("Secret")),
        member("metadata", Tree::Map(metadata)),
        member(
            "type",
            Tree::from(secret.kind.as_deref().unwrap_or("Opaque")),
        ),
        member("data", Tree::Map(data.collect())),
    ])
}
