//! Findings for people and as JSON.

use std::fmt::Write;

use serde::Serialize;

use super::escape::escape;
use super::style::Style;
use crate::world::finding::{Finding, Place};

/// One finding as lines of text.
pub fn text(finding: &Finding, style: Style) -> String {
    let mut out = String::new();
    let place = finding
        .at
        .as_ref()
        .map(|at| format!("{}: ", escape(&at.to_string())));
    let line = format!(
        "{}{}[{}]: {}\n",
        place.unwrap_or_default(),
        style.severity(finding.severity),
        finding.code,
        escape(&finding.message)
    );
    out.push_str(&line);
    for related in &finding.related {
        let note = if related.note.is_empty() {
            "see also"
        } else {
            &related.note
        };
        writeln!(out, "  {}: {}", escape(&related.to_string()), escape(note))
            .expect("writing to a String cannot fail");
    }
    if let Some(help) = &finding.help {
        writeln!(out, "  help: {}", escape(help)).expect("writing to a String cannot fail");
    }
    out
}

/// A finding in machine-readable output.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FindingJson<'f> {
    code: &'f str,
    severity: &'static str,
    message: &'f str,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<String>,
    #[serde(skip_serializing_if = "str::is_empty")]
    field: &'f str,
    #[serde(flatten)]
    at: PlaceJson<'f>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<PlaceJson<'f>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'f str>,
}

/// A place in machine-readable output.
#[derive(Debug, Default, Serialize)]
pub struct PlaceJson<'f> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'f str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "str::is_empty")]
    note: &'f str,
}

impl<'f> From<&'f Place> for PlaceJson<'f> {
    fn from(place: &'f Place) -> Self {
        PlaceJson {
            file: Some(&place.file),
            line: place.pos.map(|p| p.line),
            column: place.pos.map(|p| p.column),
            note: &place.note,
        }
    }
}

impl<'f> From<&'f Finding> for FindingJson<'f> {
    fn from(finding: &'f Finding) -> Self {
        FindingJson {
            code: finding.code,
            severity: finding.severity.word(),
            message: &finding.message,
            object: finding.object.as_ref().map(ToString::to_string),
            field: &finding.field,
            at: finding.at.as_ref().map(PlaceJson::from).unwrap_or_default(),
            related: finding.related.iter().map(PlaceJson::from).collect(),
            help: finding.help.as_deref(),
        }
    }
}
