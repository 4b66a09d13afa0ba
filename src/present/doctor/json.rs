//! The report for programs.

use serde_json::{Value, json};

use super::page;
use crate::doctor::Report;
use crate::doctor::probe::Diagnosis;

/// The report as a JSON document.
pub fn write(report: &Report) -> String {
    let causes = report.root_causes.iter().map(|cause| {
        json!({
            "id": cause.id,
            "gateway": cause.gateway,
            "object": cause.object,
            "state": cause.state.word(),
            "status": cause.status.word(),
            "message": cause.message,
        })
    });
    let hidden = report.not_visible.iter().map(
        |n| json!({ "id": n.id, "what": n.what, "look": n.look, "line": n.line, "rows": n.rows }),
    );
    let document = json!({
        "rootCauses": causes.collect::<Vec<_>>(),
        "probes": report.probes.iter().map(probe).collect::<Vec<_>>(),
        "notVisible": hidden.collect::<Vec<_>>(),
    });
    let text = serde_json::to_string_pretty(&document).expect("strings and maps can be written");
    text + "\n"
}

fn probe(diagnosis: &Diagnosis) -> Value {
    let evidence = diagnosis.evidence.iter();
    let evidence =
        evidence.map(|e| json!({ "object": e.object, "field": e.field, "value": e.value }));
    let cause = diagnosis.caused_by.as_ref();
    let state = diagnosis.status.is_wrong().then(|| diagnosis.state.word());
    json!({
        "id": diagnosis.id,
        "gateway": diagnosis.gateway,
        "status": diagnosis.status.word(),
        "state": state,
        "object": diagnosis.object,
        "evidence": evidence.collect::<Vec<_>>(),
        "because": diagnosis.because,
        "consequence": diagnosis.consequence,
        "remedy": diagnosis.remedy,
        "causedBy": cause.map(|c| json!({ "id": c.id, "gateway": c.gateway, "object": c.object })),
        "page": page(diagnosis.id),
    })
}
