//! `-o json`: everything, for other programs.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::Answer;
use crate::controllers::ai_gateway::bundle::{BUNDLE_BYTES, SECRET_BYTES, SecretView};
use crate::controllers::ai_gateway::config::Leaf;
use crate::controllers::ai_gateway::outcome::Outcome;
use crate::controllers::ai_gateway::rollout::{PATCH_TYPE, Patch, Rollout};
use crate::controllers::ai_gateway::sidecar::{Admission, Case, sample};
use crate::controllers::ai_gateway::skip::Skip;
use crate::controllers::ai_gateway::unknown::Unknown;
use crate::present::finding::FindingJson;
use crate::present::unread::UnreadJson;
use crate::secret::Reveal;
use crate::world::field::Source;

/// The version of the form of this output. Fields may be added to a version, never changed.
pub const SCHEMA_VERSION: &str = "v1";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Root<'a> {
    schema_version: &'static str,
    command: &'static str,
    controller_version: &'a str,
    complete: bool,
    settings: BTreeMap<&'static str, SettingJson>,
    summary: Summary<'a>,
    gateways: Vec<GatewayJson<'a>>,
    findings: Vec<FindingJson<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary<'a> {
    objects: usize,
    other_kinds: Vec<OtherKind<'a>>,
    not_objects: &'a BTreeMap<String, usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OtherKind<'a> {
    api_version: &'a str,
    kind: &'a str,
    count: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GatewayJson<'a> {
    gateway: String,
    assumed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    /// What caused the error, where one place did.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_cause: Option<CauseJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    requeue_seconds: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    config_hash: Option<&'a str>,
    secrets: Vec<SecretJson>,
    patches: Vec<PatchJson<'a>>,
    pods: Vec<PodJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rollout: Option<RolloutJson<'a>>,
    hash_inputs: Vec<HashInputJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<Size>,
    /// Parts that are not given, or are assumed, because of reads that gave nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    could_not_tell: Vec<UnknownJson<'a>>,
    skipped: Vec<SkipJson<'a>>,
    findings: Vec<FindingJson<'a>>,
    origins: Vec<OriginJson<'a>>,
}

#[derive(Serialize)]
struct UnknownJson<'a> {
    answer: &'static str,
    because: Vec<UnreadJson<'a>>,
}

/// How full the config is, in whole KiB: more would tell the length of credentials.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Size {
    config_kib: usize,
    ceiling_kib: usize,
    parts: usize,
}

#[derive(Serialize)]
struct SettingJson {
    value: Option<String>,
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
}

#[derive(Serialize)]
struct PatchJson<'a> {
    resource: &'static str,
    namespace: &'a str,
    name: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    body: serde_json::Value,
    reasons: Vec<ReasonJson>,
}

#[derive(Serialize)]
struct ReasonJson {
    id: &'static str,
    text: String,
}

#[derive(Serialize)]
struct PodJson {
    case: &'static str,
    changed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spec: Option<serde_json::Value>,
}

/// What the decision was made from.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RolloutJson<'a> {
    in_progress: Vec<StateJson<'a>>,
    pods: Vec<StateJson<'a>>,
}

#[derive(Serialize)]
struct StateJson<'a> {
    resource: &'static str,
    namespace: &'a str,
    name: &'a str,
    state: &'static str,
    text: String,
}

/// What the config hash is made from, in order.
#[derive(Serialize)]
struct HashInputJson {
    name: &'static str,
    value: serde_json::Value,
}

#[derive(Serialize)]
struct SecretJson {
    verbs: [&'static str; 1],
    namespace: String,
    name: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    labels: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    annotations: BTreeMap<String, String>,
    data: BTreeMap<String, String>,
    #[serde(rename = "dataBase64", skip_serializing_if = "BTreeMap::is_empty")]
    data_base64: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct SkipJson<'a> {
    object: String,
    field: String,
    reason: &'static str,
    /// The controller's own error text; null where it logs none.
    message: Option<&'a str>,
    text: &'a str,
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    causes: Vec<CauseJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
}

#[derive(Serialize)]
struct CauseJson<'a> {
    object: String,
    field: String,
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    note: &'a str,
}

#[derive(Serialize)]
struct OriginJson<'a> {
    path: String,
    rule: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    because: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    overrode: Vec<String>,
}

/// The whole answer.
pub fn write(answer: &Answer<'_>) -> String {
    let inventory = &answer.world.inventory;
    let other_kinds = inventory
        .other_kinds
        .iter()
        .map(|((api_version, kind), count)| OtherKind {
            api_version,
            kind,
            count: *count,
        });
    let root = Root {
        schema_version: SCHEMA_VERSION,
        command: "render",
        controller_version: &answer.options.version.version,
        complete: answer.options.complete,
        settings: settings(answer),
        summary: Summary {
            objects: answer.world.objects().len(),
            other_kinds: other_kinds.collect(),
            not_objects: &inventory.not_objects,
        },
        gateways: answer.outcomes.iter().map(|o| gateway(o, answer)).collect(),
        findings: answer.findings.iter().map(FindingJson::from).collect(),
    };
    let mut text = serde_json::to_string_pretty(&root).expect("strings and numbers are JSON");
    text.push('\n');
    text
}

fn gateway<'a>(outcome: &'a Outcome<'a>, answer: &Answer<'_>) -> GatewayJson<'a> {
    let rollout = outcome.workload.rollout.as_ref();
    let refusal = outcome.refusal.as_ref();
    GatewayJson {
        gateway: outcome.name(),
        assumed: outcome.object.is_none(),
        error: refusal.map(|r| r.message.as_str()),
        error_cause: refusal.and_then(|r| {
            Some(cause(
                r.source.as_ref()?,
                r.help.as_deref().unwrap_or_default(),
            ))
        }),
        requeue_seconds: outcome.requeue_seconds,
        config_hash: outcome.workload.config_hash.as_deref(),
        patches: rollout.iter().flat_map(|r| &r.patches).map(patch).collect(),
        pods: outcome
            .workload
            .pods
            .iter()
            .map(|case| pod(case, answer.reveal))
            .collect(),
        rollout: rollout.map(rollout_json),
        hash_inputs: hash_inputs(outcome, answer.reveal),
        secrets: outcome
            .secrets(answer.reveal)
            .into_iter()
            .map(secret)
            .collect(),
        size: outcome.bytes().map(|bytes| size(bytes, answer)),
        could_not_tell: outcome.unknown.iter().map(unknown).collect(),
        skipped: outcome.skipped.iter().map(skip).collect(),
        findings: outcome.findings.iter().map(FindingJson::from).collect(),
        origins: origins(outcome),
    }
}

fn unknown(unknown: &Unknown) -> UnknownJson<'_> {
    UnknownJson {
        answer: unknown.part.word(),
        because: unknown.because.iter().map(UnreadJson::from).collect(),
    }
}

fn settings(answer: &Answer<'_>) -> BTreeMap<&'static str, SettingJson> {
    let settings = answer.options.settings.iter().map(|(flag, setting)| {
        let place = setting.source.place();
        let json = SettingJson {
            value: setting.value.shown(answer.reveal),
            source: setting.source.id(),
            file: place.as_ref().map(|p| p.file.to_string()),
            line: place.as_ref().and_then(|p| p.pos).map(|p| p.line),
            column: place.as_ref().and_then(|p| p.pos).map(|p| p.column),
        };
        (flag.name, json)
    });
    settings.collect()
}

fn patch<'a>(patch: &'a Patch<'_>) -> PatchJson<'a> {
    PatchJson {
        resource: patch.object.kind().plural(),
        namespace: patch.object.namespace(),
        name: patch.object.name(),
        kind: PATCH_TYPE,
        body: patch.body(),
        reasons: patch
            .reasons
            .iter()
            .map(|r| ReasonJson {
                id: r.id(),
                text: r.text(),
            })
            .collect(),
    }
}

fn pod(case: &Case<'_>, reveal: Reveal) -> PodJson {
    let spec = match &case.admission {
        Admission::Untouched(_) => None,
        Admission::Injected(injection) => Some(injection.apply(&sample()).json(reveal)),
    };
    PodJson {
        case: case.name,
        changed: spec.is_some(),
        reason: match &case.admission {
            Admission::Untouched(why) => Some(why.text()),
            Admission::Injected(_) => None,
        },
        spec,
    }
}

fn rollout_json<'a>(rollout: &'a Rollout<'_>) -> RolloutJson<'a> {
    let in_progress = rollout.in_progress.iter().map(|p| StateJson {
        resource: p.object.kind().plural(),
        namespace: p.object.namespace(),
        name: p.object.name(),
        state: "in-progress",
        text: p.lag.text(),
    });
    let pods = rollout.pods.iter().map(|p| StateJson {
        resource: p.object.kind().plural(),
        namespace: p.object.namespace(),
        name: p.object.name(),
        state: if p.terminating {
            "terminating"
        } else {
            p.sidecar.id()
        },
        text: p.sidecar.text(),
    });
    RolloutJson {
        in_progress: in_progress.collect(),
        pods: pods.collect(),
    }
}

fn hash_inputs(outcome: &Outcome<'_>, reveal: Reveal) -> Vec<HashInputJson> {
    let inputs = outcome.workload.hash_inputs.iter().flat_map(|i| i.iter());
    let json = inputs.map(|input| HashInputJson {
        name: input.name,
        value: input.value.json(reveal),
    });
    json.collect()
}

fn size(bytes: usize, answer: &Answer<'_>) -> Size {
    let splits = answer.options.profile().splits_config;
    Size {
        config_kib: bytes.div_ceil(1024),
        ceiling_kib: if splits { BUNDLE_BYTES } else { SECRET_BYTES } / 1024,
        parts: if splits {
            crate::controllers::ai_gateway::bundle::part_count(bytes)
        } else {
            1
        },
    }
}

fn secret(view: SecretView) -> SecretJson {
    let mut data = BTreeMap::new();
    let mut data_base64 = BTreeMap::new();
    for (key, bytes) in view.data {
        match String::from_utf8(bytes) {
            Ok(text) => data.insert(key, text),
            Err(error) => data_base64.insert(key, STANDARD.encode(error.as_bytes())),
        };
    }
    SecretJson {
        verbs: [view.verb.word()],
        namespace: view.namespace,
        name: view.name,
        kind: view.kind,
        labels: view.labels,
        annotations: view.annotations,
        data,
        data_base64,
    }
}

fn skip<'a>(skip: &'a Skip<'a>) -> SkipJson<'a> {
    let source = &skip.source;
    SkipJson {
        object: source.object.id().to_string(),
        field: source.path.to_string(),
        reason: skip.reason.id(),
        message: skip.message.as_deref(),
        text: &skip.text,
        file: source.object.file(),
        line: source.pos.known().map(|p| p.line),
        column: source.pos.known().map(|p| p.column),
        causes: skip
            .causes
            .iter()
            .map(|(source, note)| cause(source, note))
            .collect(),
        help: skip.help.as_deref(),
    }
}

fn cause<'a>(source: &'a Source<'a>, note: &'a str) -> CauseJson<'a> {
    CauseJson {
        object: source.object.id().to_string(),
        field: source.path.to_string(),
        file: source.object.file(),
        line: source.pos.known().map(|p| p.line),
        column: source.pos.known().map(|p| p.column),
        note,
    }
}

fn origins<'a>(outcome: &'a Outcome<'a>) -> Vec<OriginJson<'a>> {
    let Some(config) = &outcome.config else {
        return Vec::new();
    };
    let mut origins = Vec::new();
    config
        .document()
        .leaves(&mut |path, leaf| origins.push(origin(path, leaf)));
    origins
}

fn origin<'a>(path: &str, leaf: &'a Leaf<'_>) -> OriginJson<'a> {
    let origin = &leaf.origin;
    let source = origin.source.as_ref();
    OriginJson {
        path: path.to_string(),
        rule: origin.rule.id(),
        object: source.map(|s| s.object.id().to_string()),
        field: source.map(|s| s.path.to_string()),
        file: source.map(|s| &**s.object.file()),
        line: source.and_then(|s| s.pos.known()).map(|p| p.line),
        column: source.and_then(|s| s.pos.known()).map(|p| p.column),
        because: origin.because.sources().map(Source::location).collect(),
        overrode: origin.overrode.iter().map(Source::location).collect(),
    }
}
