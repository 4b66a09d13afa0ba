//! A request as an MCP rule sees it.

use std::collections::BTreeMap;
use std::rc::Rc;

use base64::Engine as _;
use serde::Deserialize;
use serde_json::Value as Json;

use super::evaluation::value::{Map, Value};
use crate::manifest::json_float;

/// Which of the two kinds of MCP rules looks at the request; they see different parts of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// An authorization rule: everything.
    Authorization,
    /// A rule of the backend selector: headers, token and backend only.
    BackendSelector,
}

/// One MCP call: the HTTP request, the claims of its token, and what it asks for.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// A name to refer to it by; rules do not see it.
    pub name: String,
    /// The HTTP method.
    pub http_method: String,
    /// The host, as the client wrote it.
    pub host: String,
    /// Path and query.
    pub http_path: String,
    /// Header names in any case, with their values in order.
    pub headers: BTreeMap<String, Vec<String>>,
    /// The claims of the bearer token; none when the request has no readable one.
    pub jwt_claims: Option<serde_json::Map<String, Json>>,
    /// The MCP method, for example `tools/call`.
    pub mcp_method: String,
    /// The backend that the call goes to.
    pub backend: String,
    /// The tool's name without the backend's.
    pub tool: String,
    /// The parameters of the call.
    pub params: Option<Json>,
}

impl Request {
    /// Reads one request in JSON.
    ///
    /// # Errors
    /// It is no object, or a field is unknown or has the wrong type.
    pub fn from_json(json: Json) -> Result<Request, serde_json::Error> {
        // A list would be taken for the fields in their order.
        if !json.is_object() {
            return Err(serde::de::Error::custom("a request is a JSON object"));
        }
        serde_json::from_value(json)
    }

    /// The value of `request`.
    pub(super) fn activation(&self, place: Place) -> Value {
        let is_full = place == Place::Authorization;
        let text = |text: &str| Value::string(if is_full { text } else { "" });
        let (claims, scopes) = self.token();
        let headers = self.all_headers();
        let first = |values: &[String]| {
            values
                .first()
                .map_or(Value::Null, |value| Value::string(value))
        };
        let strings = |values: &[String]| {
            Value::list(values.iter().map(|value| Value::string(value)).collect())
        };
        let params = match &self.params {
            Some(params) if is_full => value(params),
            _ => Value::Null,
        };
        object([
            ("method", text(&self.http_method)),
            ("host", text(&self.host)),
            ("path", text(&self.http_path)),
            (
                "headers",
                object(
                    headers
                        .iter()
                        .map(|(name, values)| (name.as_str(), first(values))),
                ),
            ),
            (
                "headers_all",
                object(
                    headers
                        .iter()
                        .map(|(name, values)| (name.as_str(), strings(values))),
                ),
            ),
            (
                "auth",
                object([("jwt", object([("claims", claims), ("scopes", scopes)]))]),
            ),
            (
                "mcp",
                object([
                    ("method", text(&self.mcp_method)),
                    ("backend", Value::string(&self.backend)),
                    ("tool", text(&self.tool)),
                    ("params", params),
                ]),
            ),
        ])
    }

    /// Headers by their name in lower case, with the token that carries the claims.
    fn all_headers(&self) -> BTreeMap<String, Vec<String>> {
        let mut headers: BTreeMap<String, Vec<String>> = self
            .headers
            .iter()
            .filter(|(_, values)| !values.is_empty())
            .map(|(name, values)| (name.to_lowercase(), values.clone()))
            .collect();
        if let Some(claims) = &self.jwt_claims {
            headers
                .entry("authorization".to_owned())
                .or_insert_with(|| vec![bearer(claims)]);
        }
        headers
    }

    /// Claims and scopes: the scopes are taken out of the claims, sorted and made unique.
    fn token(&self) -> (Value, Value) {
        let mut claims = self.jwt_claims.clone().unwrap_or_default();
        let mut scopes: Vec<String> = Vec::new();
        for name in ["scope", "scp"] {
            match claims.remove(name) {
                Some(Json::String(text)) => {
                    scopes.extend(text.split_whitespace().map(str::to_owned));
                }
                Some(Json::Array(items)) => scopes.extend(
                    items
                        .iter()
                        .filter_map(Json::as_str)
                        .filter(|it| !it.is_empty())
                        .map(str::to_owned),
                ),
                _ => {}
            }
        }
        scopes.sort();
        scopes.dedup();
        let scopes = scopes.iter().map(|scope| Value::string(scope)).collect();
        (value(&Json::Object(claims)), Value::list(scopes))
    }
}

/// An unsigned token with these claims, whose numbers are doubles as everywhere in a request.
fn bearer(claims: &serde_json::Map<String, Json>) -> String {
    let encode = |json: &str| base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(json);
    let mut claims = Json::Object(claims.clone());
    round_to_doubles(&mut claims);
    let claims = claims.to_string();
    format!(
        "Bearer {}.{}.",
        encode(r#"{"alg":"none","typ":"JWT"}"#),
        encode(&claims)
    )
}

fn round_to_doubles(json: &mut Json) {
    match json {
        Json::Number(number) => {
            let rounded = number.as_f64().map(json_float);
            *json = rounded
                .and_then(|text| serde_json::from_str(&text).ok())
                .unwrap_or(Json::Null);
        }
        Json::Array(items) => items.iter_mut().for_each(round_to_doubles),
        Json::Object(fields) => fields.values_mut().for_each(round_to_doubles),
        Json::Null | Json::Bool(_) | Json::String(_) => {}
    }
}

fn object<'a>(entries: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    let entries = entries
        .into_iter()
        .map(|(key, value)| (Value::string(key), value));
    Value::Map(Rc::new(entries.collect::<Map>()))
}

/// A value read from JSON; all its numbers are doubles.
fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => Value::Double(number.as_f64().unwrap_or(f64::NAN)),
        Json::String(text) => Value::string(text),
        Json::Array(items) => Value::list(items.iter().map(value).collect()),
        Json::Object(fields) => object(
            fields
                .iter()
                .map(|(name, field)| (name.as_str(), value(field))),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::{Json, Place, Request, Value};

    /// The value as JSON; whole doubles are written without a fraction, as the recorded ones are.
    fn json(value: &Value) -> Json {
        match value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::from(*value),
            Value::Double(value) if value.fract() == 0.0 => Json::from(*value as i64),
            Value::Double(value) => Json::from(*value),
            Value::String(text) => Json::from(&**text),
            Value::List(items) => items.iter().map(json).collect(),
            Value::Map(map) => map
                .entries()
                .map(|(key, value)| {
                    (
                        json(key).as_str().unwrap_or_default().to_owned(),
                        json(value),
                    )
                })
                .collect::<serde_json::Map<String, Json>>()
                .into(),
            other => panic!("{other:?} in a request"),
        }
    }

    #[test]
    fn golden_activations() {
        let root = std::env::var("AIGWCTL_GOLDEN")
            .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/golden").to_owned());
        let text = std::fs::read_to_string(format!("{root}/cel/mcp-requests.json")).unwrap();
        let recorded: Json = serde_json::from_str(&text).unwrap();
        let requests = recorded["requests"].as_array().unwrap();
        let mut compared = 0;
        for (request, activation) in requests
            .iter()
            .zip(recorded["activations"].as_array().unwrap())
        {
            let request = Request::from_json(request.clone()).unwrap();
            assert_eq!(activation["name"], request.name);
            for (place, name) in [
                (Place::Authorization, "authorization"),
                (Place::BackendSelector, "backend_selector"),
            ] {
                assert_eq!(
                    json(&request.activation(place)),
                    activation[name]["request"]
                );
                compared += 1;
            }
        }
        println!("{compared} activations are the recorded ones");
        assert!(compared > 0);
    }
}
