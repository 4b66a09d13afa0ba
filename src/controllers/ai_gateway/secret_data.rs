//! The data of a Secret as an API server holds it.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::world::field::{Field, Source};
use crate::world::object::Object;

/// The bytes of a key, and where they were written. `stringData` wins over `data`, as it does when
/// the API server takes the object. `None` when neither has the key, or it is not valid base64.
pub fn value<'w>(secret: &'w Object, key: &str) -> Option<(Cow<'w, [u8]>, Source<'w>)> {
    let member = |field: Field<'w>| field.get(key.to_string());
    let plain = member(secret.field().get("stringData"));
    if let Some(text) = plain.str() {
        return Some((Cow::Borrowed(text.as_bytes()), plain.source()));
    }
    let encoded = member(secret.field().get("data"));
    let bytes = decode(encoded.str()?)?;
    Some((Cow::Owned(bytes), encoded.source()))
}

/// Every key with its bytes, by key.
pub fn all(secret: &Object) -> std::collections::BTreeMap<&str, Vec<u8>> {
    let mut all = std::collections::BTreeMap::new();
    for (key, field) in secret.field().get("data").entries() {
        if let Some(bytes) = field.str().and_then(decode) {
            all.insert(key, bytes);
        }
    }
    for (key, field) in secret.field().get("stringData").entries() {
        if let Some(text) = field.str() {
            all.insert(key, text.as_bytes().to_vec());
        }
    }
    all
}

/// Base64 as Go's JSON reads it: line breaks are skipped, padding is demanded.
fn decode(text: &str) -> Option<Vec<u8>> {
    if text.contains(['\n', '\r']) {
        STANDARD.decode(text.replace(['\n', '\r'], "")).ok()
    } else {
        STANDARD.decode(text).ok()
    }
}

/// Advice on a key that is missing: a key of the Secret that was probably meant.
pub fn nearest_key(secret: &Object, key: &str) -> Option<String> {
    let bare = |text: &str| -> String {
        text.chars()
            .filter(char::is_ascii_alphanumeric)
            .collect::<String>()
            .to_lowercase()
    };
    let wanted = bare(key);
    let present: Vec<&str> = all(secret).into_keys().collect();
    let near = present.iter().find(|k| {
        let k = bare(k);
        !k.is_empty() && (wanted.contains(&k) || k.contains(&wanted))
    });
    Some(match near {
        Some(near) => format!("the Secret has the key {near}; it must be called {key}"),
        None if present.is_empty() => format!("the Secret is empty; it needs the key {key}"),
        None => format!("the Secret has no key {key}, only {}", present.join(", ")),
    })
}
