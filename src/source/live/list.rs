//! Lists of a kind, page by page, and single objects.

use serde::Deserialize;

use super::request::{Refusal, Requester};
use crate::manifest::document::Document;
use crate::manifest::limits::Limits;
use crate::manifest::node::Node;
use crate::manifest::read;
use crate::world::kind::Kind;

/// How many objects one page has.
const PAGE: usize = 500;

/// The head of a list; the objects are read as manifests are.
#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    metadata: ListMeta,
}

#[derive(Deserialize, Default)]
struct ListMeta {
    #[serde(default, rename = "continue")]
    token: String,
}

/// All objects of a kind, in all namespaces.
pub(super) async fn list(
    requester: &Requester,
    kind: Kind,
    version: &str,
    selector: Option<&str>,
) -> Result<Vec<Document>, Refusal> {
    let path = list_path(kind, version);
    match pages(requester, kind, &path, selector, Some(PAGE)).await {
        // The pages took longer than the server keeps its history: all at once, as kubectl does.
        Err(Refusal::Gone) => pages(requester, kind, &path, selector, None).await,
        other => other,
    }
}

fn list_path(kind: Kind, version: &str) -> String {
    match kind.group() {
        "" => format!("/api/{version}/{}", kind.plural()),
        group => format!("/apis/{group}/{version}/{}", kind.plural()),
    }
}

async fn pages(
    requester: &Requester,
    kind: Kind,
    path: &str,
    selector: Option<&str>,
    page: Option<usize>,
) -> Result<Vec<Document>, Refusal> {
    let mut documents = Vec::new();
    let mut token = String::new();
    loop {
        let mut query = Vec::new();
        query.extend(page.map(|limit| format!("limit={limit}")));
        query.extend(selector.map(|s| format!("labelSelector={}", escape(s))));
        if !token.is_empty() {
            query.push(format!("continue={}", escape(&token)));
        }
        let target = match query.is_empty() {
            true => path.to_string(),
            false => format!("{path}?{}", query.join("&")),
        };
        let body = requester.get(&target).await?;
        let head: Head = serde_json::from_slice(&body)
            .map_err(|error| nonsense(requester, path, &error.to_string()))?;
        documents.extend(objects(requester, kind, path, &body)?);
        token = head.metadata.token;
        if token.is_empty() {
            return Ok(documents);
        }
    }
}

/// One object; `None` when there is none of that name.
pub(super) async fn get(
    requester: &Requester,
    kind: Kind,
    version: &str,
    namespace: &str,
    name: &str,
) -> Result<Option<Document>, Refusal> {
    // Such a name exists nowhere, and no request is made of it.
    if !is_name(namespace) || !is_name(name) {
        return Ok(None);
    }
    let list = list_path(kind, version);
    let (root, plural) = list.rsplit_once('/').unwrap_or_default();
    let path = format!("{root}/namespaces/{namespace}/{plural}/{name}");
    match requester.get(&path).await {
        Ok(body) => Ok(objects(requester, kind, &path, &body)?.pop()),
        Err(Refusal::NotFound) => Ok(None),
        Err(other) => Err(other),
    }
}

fn is_name(name: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'.');
    !name.is_empty() && name.len() <= 253 && name.bytes().all(plain) && !name.starts_with('.')
}

fn nonsense(requester: &Requester, path: &str, problem: &str) -> Refusal {
    Refusal::Failure(requester.peer.nonsense(path, problem))
}

/// The objects of an answer. Their values have no position, and are named by object and field.
fn objects(
    requester: &Requester,
    kind: Kind,
    path: &str,
    body: &[u8],
) -> Result<Vec<Document>, Refusal> {
    let mut documents = Vec::new();
    // What the server stores is no larger than it allows.
    let limits = Limits {
        object_bytes: usize::MAX,
        ..Limits::default()
    };
    for document in read(kind.name().into(), body, &limits) {
        let document = document.map_err(|e| nonsense(requester, path, &e.message))?;
        documents.push(live(kind, document));
    }
    Ok(documents)
}

fn live(kind: Kind, document: Document) -> Document {
    let text = |key: &str| {
        let node = document.root.at(&["metadata", key]);
        node.and_then(Node::as_str).unwrap_or_default()
    };
    let file = match text("namespace") {
        "" => format!("{kind} {}", text("name")),
        namespace => format!("{kind} {namespace}/{}", text("name")),
    };
    let root = document
        .root
        .without_positions(&["metadata", "managedFields"]);
    Document {
        file: file.into(),
        root,
        ..document
    }
}

/// Percent-encoding of a query value.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_no_object_can_have_are_not_asked_for() {
        for name in ["key", "a.b-c.1"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "..", ".a", "a/b", "a?watch=1", "A", "a b", "ä"] {
            assert!(!is_name(name), "{name}");
        }
    }
}
