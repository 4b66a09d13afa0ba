//! `-o json`: everything, for other programs.

use serde::Serialize;
use serde_json::Value as Json;

use super::Report;
use crate::controllers::ai_gateway::build::Halt;
use crate::controllers::ai_gateway::skip::Skip;
use crate::diff::answer::{Answer, GatewayDiff, Size};
use crate::diff::cause::{Cause, Sides};
use crate::diff::document::Change;
use crate::diff::workload::WorkloadDiff;
use crate::present::finding::FindingJson;
use crate::present::render::json::SCHEMA_VERSION;

/// The answer in the form that is printed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DiffJson<'a> {
    schema_version: &'static str,
    command: &'static str,
    old: SideJson<'a>,
    new: SideJson<'a>,
    changes: Vec<ChangeJson<'a>>,
    rollout: Vec<WorkloadJson<'a>>,
    refusals: NewGone<RefusalJson<'a>>,
    skipped: NewGone<SkipJson<'a>>,
    secret_state: Vec<SecretStateJson>,
    sizes: Vec<SizesJson>,
    could_not_tell: Vec<PlaceJson>,
    findings: Vec<FindingJson<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SideJson<'a> {
    source: &'a str,
    controller_version: &'a str,
    complete: bool,
}

#[derive(Serialize)]
struct NewGone<T> {
    new: Vec<T>,
    gone: Vec<T>,
}

#[derive(Serialize)]
struct ChangeJson<'a> {
    gateway: String,
    path: String,
    kind: &'static str,
    old: &'a Option<Json>,
    new: &'a Option<Json>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    hypothetical: bool,
    origin: OriginsJson<'a>,
}

#[derive(Serialize)]
struct OriginsJson<'a> {
    old: Option<OriginJson<'a>>,
    new: Option<OriginJson<'a>>,
}

#[derive(Serialize)]
struct OriginJson<'a> {
    object: String,
    field: String,
    file: &'a str,
    line: u32,
    column: u32,
    rule: &'static str,
}

#[derive(Serialize)]
struct WorkloadJson<'a> {
    gateway: String,
    resource: &'static str,
    namespace: &'a str,
    name: &'a str,
    old: &'static str,
    new: &'static str,
    reason: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    assumed: bool,
    patches: PatchesJson<'a>,
}

#[derive(Serialize)]
struct PatchesJson<'a> {
    old: &'a Option<Json>,
    new: &'a Option<Json>,
}

#[derive(Serialize)]
struct RefusalJson<'a> {
    gateway: String,
    message: &'a str,
    #[serde(flatten)]
    at: Option<AtJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
}

#[derive(Serialize)]
struct SkipJson<'a> {
    gateway: String,
    reason: &'static str,
    /// The controller's own error text; null where it logs none.
    message: Option<&'a str>,
    text: &'a str,
    #[serde(flatten)]
    at: AtJson<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
}

#[derive(Serialize)]
struct AtJson<'a> {
    object: String,
    field: String,
    file: &'a str,
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct SecretStateJson {
    gateway: String,
    verdict: &'static str,
}

#[derive(Serialize)]
struct SizesJson {
    gateway: String,
    old: Option<SizeJson>,
    new: Option<SizeJson>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SizeJson {
    config_kib: usize,
    ceiling_kib: usize,
    parts: usize,
}

#[derive(Serialize)]
struct PlaceJson {
    gateway: String,
    path: String,
}

/// The whole answer.
pub fn write(report: &Report<'_>) -> String {
    text(&document("diff", report))
}

/// JSON as it is printed.
pub fn text(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(document).expect("strings and numbers are JSON");
    text.push('\n');
    text
}

/// The whole answer, as that of a command.
pub fn document<'a>(command: &'static str, report: &'a Report<'a>) -> DiffJson<'a> {
    let gateways = report.gateways;
    let new_findings = gateways.iter().flat_map(|g| g.all_findings());
    DiffJson {
        schema_version: SCHEMA_VERSION,
        command,
        old: side(&report.answers.old, &report.sources.old),
        new: side(&report.answers.new, &report.sources.new),
        changes: gateways.iter().flat_map(changes).collect(),
        rollout: gateways.iter().flat_map(workloads).collect(),
        refusals: NewGone {
            new: refusals(gateways, |sides| sides.new),
            gone: refusals(gateways, |sides| sides.old),
        },
        skipped: NewGone {
            new: skips(gateways, |g| &g.skipped.new),
            gone: skips(gateways, |g| &g.skipped.old),
        },
        secret_state: gateways.iter().filter_map(secret_state).collect(),
        sizes: gateways.iter().map(sizes).collect(),
        could_not_tell: gateways.iter().flat_map(unknown).collect(),
        findings: report
            .findings
            .iter()
            .chain(new_findings)
            .map(FindingJson::from)
            .collect(),
    }
}

fn side<'a>(answer: &Answer<'a>, source: &'a str) -> SideJson<'a> {
    SideJson {
        source,
        controller_version: &answer.options.version.version,
        complete: answer.options.complete,
    }
}

fn changes<'a>(gateway: &'a GatewayDiff<'a>) -> impl Iterator<Item = ChangeJson<'a>> {
    gateway.changes.iter().map(|change| ChangeJson {
        gateway: gateway.name(),
        path: change.path.to_string(),
        kind: change.kind.word(),
        old: &change.old,
        new: &change.new,
        hypothetical: gateway.hypothetical,
        origin: origins(change),
    })
}

fn origins<'a>(change: &'a Change<'a>) -> OriginsJson<'a> {
    OriginsJson {
        old: change.origin.old.as_ref().map(origin),
        new: change.origin.new.as_ref().map(origin),
    }
}

fn origin<'a>(cause: &'a Cause<'a>) -> OriginJson<'a> {
    let source = &cause.source;
    OriginJson {
        object: source.object.id().to_string(),
        field: source.path.to_string(),
        file: source.object.file(),
        line: source.pos.line,
        column: source.pos.column,
        rule: cause.rule,
    }
}

fn workloads<'a>(gateway: &'a GatewayDiff<'a>) -> impl Iterator<Item = WorkloadJson<'a>> {
    gateway
        .workloads
        .iter()
        .map(|workload: &WorkloadDiff| WorkloadJson {
            gateway: gateway.name(),
            resource: workload.resource,
            namespace: &workload.namespace,
            name: &workload.name,
            old: workload.fates.old.word(),
            new: workload.fates.new.word(),
            reason: &workload.reason,
            assumed: workload.name.is_empty(),
            patches: PatchesJson {
                old: &workload.patches.old,
                new: &workload.patches.new,
            },
        })
}

fn refusals<'a>(
    gateways: &'a [GatewayDiff<'a>],
    side: fn(Sides<Option<&'a Halt<'a>>>) -> Option<&'a Halt<'a>>,
) -> Vec<RefusalJson<'a>> {
    let refusal = |gateway: &'a GatewayDiff<'a>| {
        let halt = side(gateway.refusals())?;
        Some(RefusalJson {
            gateway: gateway.name(),
            message: &halt.message,
            at: halt.source.as_ref().map(at),
            help: halt.help.as_deref(),
        })
    };
    gateways.iter().filter_map(refusal).collect()
}

fn skips<'a>(
    gateways: &'a [GatewayDiff<'a>],
    side: fn(&'a GatewayDiff<'a>) -> &'a Vec<&'a Skip<'a>>,
) -> Vec<SkipJson<'a>> {
    let of = |gateway: &'a GatewayDiff<'a>| {
        side(gateway).iter().map(|skip| SkipJson {
            gateway: gateway.name(),
            reason: skip.reason.id(),
            message: skip.message.as_deref(),
            text: &skip.text,
            at: at(&skip.source),
            help: skip.help.as_deref(),
        })
    };
    gateways.iter().flat_map(of).collect()
}

fn at<'a>(source: &'a crate::world::field::Source<'a>) -> AtJson<'a> {
    AtJson {
        object: source.object.id().to_string(),
        field: source.path.to_string(),
        file: source.object.file(),
        line: source.pos.line,
        column: source.pos.column,
    }
}

fn secret_state(gateway: &GatewayDiff<'_>) -> Option<SecretStateJson> {
    Some(SecretStateJson {
        gateway: gateway.name(),
        verdict: gateway.secret?.word(),
    })
}

fn sizes(gateway: &GatewayDiff<'_>) -> SizesJson {
    let json = |size: Size| SizeJson {
        config_kib: size.kib,
        ceiling_kib: size.ceiling_kib,
        parts: size.parts,
    };
    SizesJson {
        gateway: gateway.name(),
        old: gateway.sizes.old.map(json),
        new: gateway.sizes.new.map(json),
    }
}

fn unknown(gateway: &GatewayDiff<'_>) -> impl Iterator<Item = PlaceJson> {
    gateway.unknown.iter().map(|path| PlaceJson {
        gateway: gateway.name(),
        path: path.to_string(),
    })
}
