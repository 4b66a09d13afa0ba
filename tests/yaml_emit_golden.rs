//! The YAML emitter against the recorded answers of the Go serializer.
//!
//! Each line names a `feed`, the way in which its value reached the serializer; the feed is repeated here.

#![allow(clippy::unwrap_used)]

use aigwctl::manifest::emit::{Tree, to_yaml};
use base64::{Engine, engine::general_purpose::STANDARD};
use std::borrow::Cow;
use std::path::PathBuf;

#[test]
fn yaml_emit_golden() {
    let folder = std::env::var_os("AIGWCTL_GOLDEN")
        .map_or_else(|| PathBuf::from("testdata/golden"), PathBuf::from);
    let path = folder.join("yaml/emit.jsonl");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut compared = 0;
    let mut wrong = Vec::new();
    for line in text.split_terminator('\n') {
        let case = Json::parse(line);
        compared += 1;
        if let Err(difference) = check(&case) {
            wrong.push(format!("{}: {difference}", case.text("id")));
        }
    }
    println!(
        "yaml/emit.jsonl: {compared} lines compared, {} differ",
        wrong.len()
    );
    assert!(compared > 0, "{} is empty", path.display());
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

fn check(case: &Json) -> Result<(), String> {
    let actual = match to_yaml(&fed(case)) {
        Ok(yaml) => yaml,
        Err(error) => format!("error: {error}"),
    };
    let expected = match (case.get("yaml_any_of"), case.get("error")) {
        (Some(Json::List(texts)), _) => texts.iter().map(Json::string).collect(),
        (_, Some(error)) => vec![format!("error: {}", error.string())],
        _ => vec![case.text("yaml")],
    };
    if expected.contains(&actual) {
        return Ok(());
    }
    Err(format!("\n  expected {expected:?}\n  actual   {actual:?}"))
}

/// The value as it is when it reaches the serializer.
fn fed(case: &Json) -> Tree<'_> {
    let json = || case.get("json").expect("a line without bytes has `json`");
    match case.text("feed").as_str() {
        "any" => json().tree(&|number| Tree::Float(number.parse().unwrap())),
        "number" => json().tree(&|number| Tree::Number(number.into())),
        "config" => config::CONFIG.tree(Some(json())),
        "bytes" => {
            let bytes = STANDARD.decode(case.text("string_b64")).unwrap();
            Tree::Map(vec![("k".into(), Tree::Bytes(bytes.into()))])
        }
        feed => panic!("unknown feed {feed}"),
    }
}

/// JSON as Go's decoder sees it: numbers as text, half surrogate pairs replaced, the last of equal keys wins.
#[derive(Debug, PartialEq)]
enum Json {
    Null,
    Bool(bool),
    Number(String),
    String(String),
    List(Vec<Json>),
    Map(Vec<(String, Json)>),
}

impl Json {
    fn parse(text: &str) -> Json {
        let mut reader = Reader { rest: text };
        let value = reader.value();
        assert_eq!(reader.rest.trim(), "");
        value
    }

    fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Map(entries) => entries
                .iter()
                .find(|(k, _)| k == key)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    fn string(&self) -> String {
        match self {
            Json::String(text) => text.clone(),
            other => panic!("{other:?} is no string"),
        }
    }

    fn text(&self, key: &str) -> String {
        self.get(key)
            .unwrap_or_else(|| panic!("no `{key}`"))
            .string()
    }

    /// An untyped Go value: its maps are marshalled in the byte order of their keys.
    fn tree<'a>(&'a self, number: &dyn Fn(&'a str) -> Tree<'a>) -> Tree<'a> {
        match self {
            Json::Null => Tree::Null,
            Json::Bool(value) => Tree::Bool(*value),
            Json::Number(text) => number(text),
            Json::String(text) => Tree::from(text.as_str()),
            Json::List(items) => Tree::List(items.iter().map(|item| item.tree(number)).collect()),
            Json::Map(entries) => {
                by_key(entries.iter().map(|(key, json)| (key, json.tree(number))))
            }
        }
    }
}

/// A Go map in the order in which JSON has it.
fn by_key<'a>(entries: impl Iterator<Item = (&'a String, Tree<'a>)>) -> Tree<'a> {
    let mut entries: Vec<_> = entries
        .map(|(key, value)| (Cow::Borrowed(key.as_str()), value))
        .collect();
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    Tree::Map(entries)
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn value(&mut self) -> Json {
        self.rest = self.rest.trim_start();
        match self.rest.as_bytes()[0] {
            b'{' => self.map(),
            b'[' => self.list(),
            b'"' => Json::String(self.string()),
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Json {
        let end = self
            .rest
            .find([',', ']', '}', ' ', '\t', '\r'])
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match word {
            "null" => Json::Null,
            "true" => Json::Bool(true),
            "false" => Json::Bool(false),
            number => Json::Number(number.to_owned()),
        }
    }

    fn map(&mut self) -> Json {
        let mut entries: Vec<(String, Json)> = Vec::new();
        self.take('{');
        while !self.at('}') {
            let key = self.string();
            self.take(':');
            let value = self.value();
            entries.retain(|(k, _)| *k != key);
            entries.push((key, value));
            self.at(',');
        }
        Json::Map(entries)
    }

    fn list(&mut self) -> Json {
        let mut items = Vec::new();
        self.take('[');
        while !self.at(']') {
            items.push(self.value());
            self.at(',');
        }
        Json::List(items)
    }

    fn string(&mut self) -> String {
        self.take('"');
        let mut text = String::new();
        loop {
            match self.character() {
                '"' => return text,
                '\\' => text.push(self.escaped()),
                c => text.push(c),
            }
        }
    }

    fn escaped(&mut self) -> char {
        match self.character() {
            'b' => '\u{8}',
            'f' => '\u{C}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => self.code_point(),
            c => c,
        }
    }

    /// The character of a `\u` escape, or of two that form a pair.
    fn code_point(&mut self) -> char {
        let hex = |digits: Option<&str>| digits.and_then(|d| u32::from_str_radix(d, 16).ok());
        let first = hex(self.rest.get(..4)).unwrap();
        self.rest = &self.rest[4..];
        let second = self
            .rest
            .strip_prefix("\\u")
            .and_then(|rest| hex(rest.get(..4)));
        match (first, second) {
            (0xD800..0xDC00, Some(second @ 0xDC00..0xE000)) => {
                self.rest = &self.rest[6..];
                char::from_u32(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)).unwrap()
            }
            _ => char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER),
        }
    }

    fn character(&mut self) -> char {
        let c = self.rest.chars().next().unwrap();
        self.rest = &self.rest[c.len_utf8()..];
        c
    }

    fn take(&mut self, c: char) {
        assert!(self.at(c), "expected {c} at {}", self.rest);
    }

    /// Whether this character comes next; it is consumed then.
    fn at(&mut self, c: char) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(c);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}

/// The filter config's Go structs as data: what is decoded, what is left out, what an absent field becomes.
mod config {
    use super::{Cow, Json, Tree, by_key};

    pub(crate) enum Kind {
        String,
        Bool,
        Time,
        List(&'static Kind),
        Map(&'static Kind),
        Struct(&'static [Field]),
        Pointer(&'static Kind),
    }
    use Kind::{Bool, List, Map, Pointer, String as Text, Struct, Time};

    pub(crate) struct Field {
        key: &'static str,
        omit_empty: bool,
        kind: Kind,
    }

    const fn always(key: &'static str, kind: Kind) -> Field {
        Field {
            key,
            omit_empty: false,
            kind,
        }
    }

    const fn filled(key: &'static str, kind: Kind) -> Field {
        Field {
            key,
            omit_empty: true,
            kind,
        }
    }

    const fn strings(key: &'static str) -> Field {
        filled(key, List(&Text))
    }

    const fn optional(key: &'static str, kind: &'static Kind) -> Field {
        filled(key, Pointer(kind))
    }

    pub(crate) const CONFIG: Kind = Struct(&[
        filled("version", Text),
        filled("uuid", Text),
        filled("globalLLMRequestCosts", List(&GLOBAL_COST)),
        filled("llmRequestCosts", List(&COST)),
        filled("backends", List(&BACKEND)),
        filled("models", List(&MODEL)),
        filled("modelsByHost", Map(&List(&MODEL))),
        filled("unscopedModels", List(&MODEL)),
        optional("mcpConfig", &MCP_CONFIG),
    ]);
    const MODEL: Kind = Struct(&[
        always("Name", Text),
        always("OwnedBy", Text),
        always("CreatedAt", Time),
    ]);
    const GLOBAL_COST: Kind = Struct(&[
        always("metadataKey", Text),
        always("type", Text),
        filled("cel", Text),
    ]);
    const COST: Kind = Struct(&[
        always("metadataKey", Text),
        filled("routeName", Text),
        always("type", Text),
        filled("cel", Text),
        filled("backend", Text),
        filled("model", Text),
    ]);
    const BACKEND: Kind = Struct(&[
        always("name", Text),
        always("modelNameOverride", Text),
        always("schema", SCHEMA),
        optional("auth", &AUTH),
        optional(
            "httpHeaderMutation",
            &Struct(&[filled("set", List(&HEADER)), strings("remove")]),
        ),
        optional(
            "httpBodyMutation",
            &Struct(&[filled("set", List(&MEMBER)), strings("remove")]),
        ),
    ]);
    const SCHEMA: Kind = Struct(&[
        always("name", Text),
        filled("version", Text),
        filled("prefix", Text),
    ]);
    const HEADER: Kind = Struct(&[always("name", Text), always("value", Text)]);
    const MEMBER: Kind = Struct(&[always("path", Text), always("value", Text)]);
    const AUTH: Kind = Struct(&[
        optional("apiKey", &KEY),
        optional("aws", &AWS),
        optional("azureAPIKey", &KEY),
        optional("anthropicAPIKey", &KEY),
        optional("azure", &Struct(&[always("accessToken", Text)])),
        optional("gcp", &GCP),
        optional("credentialOverride", &CREDENTIAL_OVERRIDE),
    ]);
    const KEY: Kind = Struct(&[always("key", Text)]);
    const AWS: Kind = Struct(&[
        filled("credentialFileLiteral", Text),
        always("region", Text),
    ]);
    const GCP: Kind = Struct(&[
        always("accessToken", Text),
        always("region", Text),
        always("projectName", Text),
    ]);
    const CREDENTIAL_OVERRIDE: Kind = Struct(&[
        filled("headerName", Text),
        filled("dynamicMetadataNamespace", Text),
        filled("dynamicMetadataKey", Text),
        always("fallbackToConfigured", Bool),
        strings("inputHeadersToRemove"),
    ]);
    const MCP_CONFIG: Kind = Struct(&[
        always("backendListenerAddr", Text),
        filled("routes", List(&MCP_ROUTE)),
    ]);
    const MCP_ROUTE: Kind = Struct(&[
        always("name", Text),
        always("backends", List(&MCP_BACKEND)),
        optional("authorization", &AUTHORIZATION),
        optional("backendSelector", &AUTHORIZATION),
        strings("forwardHeaders"),
    ]);
    const MCP_BACKEND: Kind = Struct(&[
        always("name", Text),
        optional("toolSelector", &TOOL_SELECTOR),
        filled("forwardHeaders", List(&FORWARD_HEADER)),
    ]);
    const TOOL_SELECTOR: Kind = Struct(&[
        strings("include"),
        strings("includeRegex"),
        strings("exclude"),
        strings("excludeRegex"),
    ]);
    const FORWARD_HEADER: Kind = Struct(&[always("name", Text), filled("backendHeader", Text)]);
    const AUTHORIZATION: Kind = Struct(&[
        always("defaultAction", Text),
        filled("rules", List(&RULE)),
        filled("resourceMetadataURL", Text),
    ]);
    const RULE: Kind = Struct(&[
        always("action", Text),
        optional("source", &Struct(&[always("jwt", JWT)])),
        optional("target", &Struct(&[always("tools", List(&TOOL))])),
        optional("cel", &Text),
    ]);
    const JWT: Kind = Struct(&[strings("scopes"), filled("claims", List(&CLAIM))]);
    const CLAIM: Kind = Struct(&[
        always("name", Text),
        always("valueType", Text),
        always("values", List(&Text)),
    ]);
    const TOOL: Kind = Struct(&[always("backend", Text), always("tool", Text)]);

    impl Kind {
        /// What Go marshals after it has decoded this JSON into a value of the kind; without JSON its zero value.
        pub(crate) fn tree<'a>(&self, json: Option<&'a Json>) -> Tree<'a> {
            let json = json.filter(|json| **json != Json::Null);
            match (self, json) {
                (Struct(fields), Some(Json::Map(_)) | None) => Tree::Map(
                    fields
                        .iter()
                        .filter_map(|field| field.entry(json))
                        .collect(),
                ),
                (Pointer(kind), Some(_)) => kind.tree(json),
                (List(kind), Some(Json::List(items))) => {
                    Tree::List(items.iter().map(|json| kind.tree(Some(json))).collect())
                }
                (Map(kind), Some(Json::Map(entries))) => by_key(
                    entries
                        .iter()
                        .map(|(key, json)| (key, kind.tree(Some(json)))),
                ),
                (List(_) | Map(_) | Pointer(_), None) => Tree::Null,
                (Text, Some(Json::String(text))) => Tree::from(text.as_str()),
                (Text, None) => Tree::from(""),
                (Bool, Some(Json::Bool(value))) => Tree::Bool(*value),
                (Bool, None) => Tree::Bool(false),
                (Time, Some(Json::String(text))) => Tree::from(time(text)),
                (Time, None) => Tree::from("0001-01-01T00:00:00Z"),
                (_, Some(json)) => panic!("Go would refuse {json:?} here"),
            }
        }
    }

    impl Field {
        fn entry<'a>(&self, json: Option<&'a Json>) -> Option<(Cow<'a, str>, Tree<'a>)> {
            let entries = match json {
                Some(Json::Map(entries)) => entries.as_slice(),
                _ => &[],
            };
            // Go's decoder ignores the case of field names.
            let named = |(key, _): &&(String, Json)| key.eq_ignore_ascii_case(self.key);
            let value = self
                .kind
                .tree(entries.iter().rev().find(named).map(|(_, json)| json));
            let empty = match (&self.kind, &value) {
                (Pointer(_), value) => *value == Tree::Null,
                (_, Tree::Str(text)) => text.is_empty(),
                (List(_), Tree::List(items)) => items.is_empty(),
                (Map(_), Tree::Map(entries)) => entries.is_empty(),
                (_, value) => matches!(value, Tree::Null | Tree::Bool(false)),
            };
            (!self.omit_empty || !empty).then_some((Cow::Borrowed(self.key), value))
        }
    }

    /// RFC 3339 as Go prints it: at most nine digits of a fraction, no zeros at its end, `Z` for a zero offset.
    fn time(text: &str) -> String {
        let (seconds, rest) = text.split_at("2006-01-02T15:04:05".len());
        let (fraction, zone) = rest.split_at(rest.find(['Z', '+', '-']).unwrap());
        let fraction = fraction
            .get(..10)
            .unwrap_or(fraction)
            .trim_end_matches(['0']);
        let fraction = fraction.strip_suffix('.').unwrap_or(fraction);
        let zone = if zone.ends_with("00:00") { "Z" } else { zone };
        format!("{seconds}{fraction}{zone}")
    }
}
