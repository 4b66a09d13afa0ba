//! `-o json`: everything, for other programs.

use serde::Serialize;
use serde_json::Value as Json;

use super::{Explained, Impact};
use crate::diff::why::Explanation;
use crate::present::diff::json::{DiffJson, document, text};
use crate::present::render::json::SCHEMA_VERSION;
use crate::world::field::Source;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Root<'a> {
    schema_version: &'static str,
    command: &'static str,
    values: Vec<ValueJson<'a>>,
}

#[derive(Serialize)]
struct ValueJson<'a> {
    gateway: String,
    path: String,
    value: &'a Json,
    rule: &'static str,
    text: &'a str,
    #[serde(flatten)]
    from: Option<PlaceJson<'a>>,
    because: Vec<PlaceJson<'a>>,
    overrode: Vec<PlaceJson<'a>>,
}

#[derive(Serialize)]
struct PlaceJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
}

#[derive(Serialize)]
struct ImpactJson<'a> {
    object: String,
    hangs: Vec<HangsJson>,
    #[serde(flatten)]
    without: DiffJson<'a>,
}

#[derive(Serialize)]
struct HangsJson {
    gateway: String,
    path: String,
}

/// Values, each with its chain.
pub fn write(explained: &[Explained<'_>]) -> String {
    let values = explained.iter().flat_map(|gateway| {
        gateway
            .values
            .iter()
            .map(|value| of(gateway.outcome.name(), value))
    });
    text(&Root {
        schema_version: SCHEMA_VERSION,
        command: "why",
        values: values.collect(),
    })
}

fn of<'a>(gateway: String, value: &'a Explanation<'a>) -> ValueJson<'a> {
    let outside = value.place.as_ref().map(|place| PlaceJson {
        object: None,
        field: None,
        file: &place.file,
        line: place.pos.map(|p| p.line),
        column: place.pos.map(|p| p.column),
    });
    ValueJson {
        gateway,
        path: value.path.to_string(),
        value: &value.value,
        rule: value.rule,
        text: &value.text,
        from: value.source.as_ref().map(place).or(outside),
        because: value.because.iter().map(place).collect(),
        overrode: value.overrode.iter().map(place).collect(),
    }
}

fn place<'a>(source: &'a Source<'a>) -> PlaceJson<'a> {
    PlaceJson {
        object: Some(source.object.id().to_string()),
        field: Some(source.path.to_string()),
        file: source.object.file(),
        line: Some(source.pos.line),
        column: Some(source.pos.column),
    }
}

/// What hangs on an object, and what the answer would be without it.
pub fn impact(impact: &Impact<'_>) -> String {
    let hangs = impact.hangs.iter().flat_map(|gateway| {
        let name = gateway.outcome.name();
        gateway.values.iter().map(move |value| HangsJson {
            gateway: name.clone(),
            path: value.path.to_string(),
        })
    });
    text(&ImpactJson {
        object: impact.object.to_string(),
        hangs: hangs.collect(),
        without: document("why", impact.report),
    })
}
