//! Compact JSON text as Go's `encoding/json` writes it. The controller's config hash is computed over such text.

use super::emit::{Tree, json_float};
use std::borrow::Cow;
use std::fmt;

/// JSON has no notation for this number; it holds Go's name for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotFinite(pub &'static str);

impl fmt::Display for NotFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "json: unsupported value: {}", self.0)
    }
}

impl std::error::Error for NotFinite {}

/// A collection that has been started.
enum Open<'t> {
    List(std::slice::Iter<'t, Tree<'t>>),
    Map(std::slice::Iter<'t, (Cow<'t, str>, Tree<'t>)>),
}

/// The JSON text of a tree, fields in the given order.
///
/// # Errors
///
/// A float that is not finite.
pub fn to_string(tree: &Tree<'_>) -> Result<String, NotFinite> {
    let mut out = String::new();
    let mut open = Vec::new();
    node(&mut out, &mut open, tree)?;
    while let Some(collection) = open.last_mut() {
        let first = out.ends_with(['[', '{']);
        let next = match collection {
            Open::List(items) => items.next().map(|value| (None, value)),
            Open::Map(entries) => entries.next().map(|(key, value)| (Some(key), value)),
        };
        let Some((key, value)) = next else {
            out.push(if matches!(collection, Open::List(_)) {
                ']'
            } else {
                '}'
            });
            open.pop();
            continue;
        };
        if !first {
            out.push(',');
        }
        if let Some(key) = key {
            quote(&mut out, key.as_bytes());
            out.push(':');
        }
        node(&mut out, &mut open, value)?;
    }
    Ok(out)
}

/// The text as a JSON string, quotes included.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    quote(&mut out, text.as_bytes());
    out
}

fn node<'t>(
    out: &mut String,
    open: &mut Vec<Open<'t>>,
    tree: &'t Tree<'t>,
) -> Result<(), NotFinite> {
    match tree {
        Tree::Null => out.push_str("null"),
        Tree::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Tree::Int(value) => out.push_str(&value.to_string()),
        Tree::UInt(value) => out.push_str(&value.to_string()),
        Tree::Float(value) => out.push_str(&float(*value)?),
        Tree::Number(text) => out.push_str(text),
        Tree::Str(text) => quote(out, text.as_bytes()),
        Tree::Bytes(bytes) => quote(out, bytes),
        Tree::List(items) => {
            out.push('[');
            open.push(Open::List(items.iter()));
        }
        Tree::Map(entries) => {
            out.push('{');
            open.push(Open::Map(entries.iter()));
        }
    }
    Ok(())
}

fn float(value: f64) -> Result<String, NotFinite> {
    match value {
        f64::INFINITY => Err(NotFinite("+Inf")),
        f64::NEG_INFINITY => Err(NotFinite("-Inf")),
        _ if value.is_nan() => Err(NotFinite("NaN")),
        _ => Ok(json_float(value)),
    }
}

fn quote(out: &mut String, bytes: &[u8]) {
    out.push('"');
    for chunk in bytes.utf8_chunks() {
        escape(out, chunk.valid());
        for _ in chunk.invalid() {
            out.push_str("\\ufffd");
        }
    }
    out.push('"');
}

/// Escapes what JSON demands, what HTML would misread and what JavaScript takes for a line end.
fn escape(out: &mut String, text: &str) {
    let mut done = 0;
    for (at, c) in text.char_indices() {
        let numeric;
        let escaped = match c {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\u{8}' => "\\b",
            '\u{C}' => "\\f",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '\0'..='\u{1F}' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                numeric = format!("\\u{:04x}", u32::from(c));
                &numeric
            }
            _ => continue,
        };
        out.push_str(&text[done..at]);
        out.push_str(escaped);
        done = at + c.len_utf8();
    }
    out.push_str(&text[done..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    fn object(fields: &[(&'static str, Tree<'static>)]) -> Tree<'static> {
        Tree::Map(
            fields
                .iter()
                .map(|(key, value)| (Cow::Borrowed(*key), value.clone()))
                .collect(),
        )
    }

    fn sha256(text: &str) -> String {
        Sha256::digest(text)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }

    #[test]
    fn escapes() {
        assert_eq!(
            quoted("a\"\\/\u{8}\u{c}\n\r\t\0\u{1f}"),
            r#""a\"\\/\b\f\n\r\t\u0000\u001f""#
        );
        assert_eq!(
            quoted("<>&\u{2028}\u{2029}\u{7f}é😀\u{fffd}"),
            "\"\\u003c\\u003e\\u0026\\u2028\\u2029\u{7f}é😀\u{fffd}\""
        );
        let bytes = Tree::Bytes(Cow::Borrowed(b"a\xe2\x82b\xff"));
        assert_eq!(
            to_string(&bytes),
            Ok(r#""a\ufffd\ufffdb\ufffd""#.to_owned())
        );
    }

    #[test]
    fn nested_collections() {
        let tree = Tree::List(vec![
            Tree::List(vec![]),
            object(&[]),
            object(&[
                ("b", Tree::Int(-1)),
                (
                    "a",
                    Tree::List(vec![Tree::Null, Tree::Bool(true), Tree::Float(1e21)]),
                ),
            ]),
        ]);
        assert_eq!(
            to_string(&tree),
            Ok(r#"[[],{},{"b":-1,"a":[null,true,1e+21]}]"#.to_owned())
        );
        assert_eq!(to_string(&Tree::Float(f64::NAN)), Err(NotFinite("NaN")));
    }

    /// The start-up settings of a controller, as its config hash takes them.
    fn settings(
        image: &'static str,
        first: &[(&'static str, Tree<'static>)],
        rest: [Tree<'static>; 6],
    ) -> Tree<'static> {
        let [
            span_attributes,
            extra_env,
            pull_secrets,
            seed,
            need_mcp,
            gateway_config,
        ] = rest;
        let mut fields = vec![
            ("Image", image.into()),
            ("ImagePullPolicy", "IfNotPresent".into()),
            ("LogLevel", "info".into()),
        ];
        fields.extend_from_slice(first);
        fields.extend([
            ("EnableRedaction", Tree::Bool(false)),
            ("UDSPath", "/etc/ai-gateway-extproc-uds/run.sock".into()),
            ("RequestHeaderAttributes", Tree::Null),
            ("SpanRequestHeaderAttributes", span_attributes),
            ("MetricsRequestHeaderAttributes", Tree::Null),
            ("LogRequestHeaderAttributes", Tree::Null),
            ("RootPrefix", "/".into()),
            (
                "EndpointPrefixes",
                "openai:,cohere:/cohere,anthropic:/anthropic".into(),
            ),
            ("ExtraEnvVars", extra_env),
            ("ImagePullSecrets", pull_secrets),
            ("MaxRecvMsgSize", Tree::Int(536870912)),
            ("ExtProcAsSideCar", Tree::Bool(true)),
            ("MCPSessionEncryptionSeed", seed),
            ("MCPSessionEncryptionIterations", Tree::Int(100000)),
            ("MCPFallbackSessionEncryptionSeed", "".into()),
            ("MCPFallbackSessionEncryptionIterations", Tree::Int(100000)),
            ("NeedMCP", need_mcp),
            ("GatewayConfigExtProc", gateway_config),
        ]);
        object(&fields)
    }

    #[test]
    fn config_hash_of_chart_defaults() {
        let rest = [
            Tree::Null,
            Tree::Null,
            Tree::Null,
            "default-insecure-seed".into(),
            Tree::Bool(false),
            Tree::Null,
        ];
        let json = to_string(&settings(
            "docker.io/envoyproxy/ai-gateway-extproc:v1.1.0",
            &[],
            rest,
        ))
        .unwrap();
        assert_eq!(
            sha256(&json),
            "d1d03207b9196234693ef4067acd2c3cdc410dff837639a4c6612e0e296b891d"
        );
    }

    #[test]
    fn config_hash_with_settings() {
        let amounts = |cpu: &'static str, memory: &'static str| {
            object(&[("cpu", cpu.into()), ("memory", memory.into())])
        };
        let kubernetes = object(&[
            (
                "env",
                Tree::List(vec![object(&[
                    ("name", "LOG_LEVEL".into()),
                    ("value", "debug".into()),
                ])]),
            ),
            (
                "resources",
                object(&[
                    ("limits", amounts("500m", "512Mi")),
                    ("requests", amounts("100m", "1Gi")),
                ]),
            ),
            ("image", "gcr.io/custom/extproc:v2".into()),
        ]);
        let rest = [
            "".into(),
            Tree::List(vec![
                object(&[
                    ("name", "OTEL_SERVICE_NAME".into()),
                    ("value", "ai-gateway".into()),
                ]),
                object(&[("name", "EMPTY".into())]),
            ]),
            Tree::List(vec![object(&[("name", "regcred".into())])]),
            "a&b<c>".into(),
            Tree::Bool(true),
            object(&[("kubernetes", kubernetes)]),
        ];
        let json = to_string(&settings(
            "gcr.io/custom/extproc:v2",
            &[("LogFormat", "json".into())],
            rest,
        ))
        .unwrap();
        assert_eq!(
            sha256(&json),
            "8fed4b3e5c2b56b67b8934b57bfd896ffe853212d199dd8df95fe01280c86f6f"
        );
    }
}
