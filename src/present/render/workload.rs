//! What happens to a Gateway's workload, for people.

use std::fmt::Write;

use super::table::View;
use crate::controllers::ai_gateway::outcome::Outcome;
use crate::controllers::ai_gateway::part::Part;
use crate::controllers::ai_gateway::rollout::{Patch, Rollout};
use crate::controllers::ai_gateway::sidecar::{Admission, Case};
use crate::present::escape::escape;
use crate::secret::Reveal;

/// The rollout, and with `--sidecar` what a new pod gets.
pub fn write(out: &mut String, outcome: &Outcome<'_>, view: &View, reveal: Reveal) {
    match &outcome.workload.rollout {
        Some(rollout) => decision(out, rollout),
        None if outcome.assumed_workload => {
            line(
                out,
                "  rollout: cannot be told, no workload is in the input",
            );
        }
        None => {}
    }
    if view.sidecar {
        let cases = outcome.workload.pods.iter();
        cases.for_each(|case| sidecar(out, case, reveal));
        hash_inputs(out, outcome, reveal);
    }
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

fn decision(out: &mut String, rollout: &Rollout<'_>) {
    for progress in &rollout.in_progress {
        let text = format!(
            "  rollout: waits for {}: {}; looks again every 5 s and patches nothing until then",
            progress.object.id(),
            progress.lag.text()
        );
        line(out, &escape(&text));
    }
    for pod in rollout.pods.iter().filter(|p| !p.terminating) {
        let text = format!("  {} {}", pod.object.id(), pod.sidecar.text());
        line(out, &escape(&text));
    }
    let (rolls, annotated): (Vec<_>, Vec<_>) = rollout.patches.iter().partition(|p| p.rolls());
    for patch in &rolls {
        line(out, &escape(&roll(patch)));
    }
    if !annotated.is_empty() {
        let count = annotated.len();
        line(
            out,
            &format!(
                "  rollout: {count} pods are annotated, so that they see the new Secrets sooner"
            ),
        );
    }
    if rolls.is_empty() && !rollout.waits {
        line(out, "  rollout: nothing rolls");
    }
}

fn roll(patch: &Patch<'_>) -> String {
    let reasons: Vec<String> = patch.reasons.iter().map(|r| r.text()).collect();
    format!(
        "  rollout: {} rolls: {}",
        patch.object.id(),
        reasons.join("; ")
    )
}

fn sidecar(out: &mut String, case: &Case<'_>, reveal: Reveal) {
    let heading = format!("  a pod in {} ({})", case.namespace, case.name);
    match &case.admission {
        Admission::Untouched(why) => line(
            out,
            &escape(&format!("{heading}: untouched, {}", why.text())),
        ),
        Admission::Injected(injection) => {
            line(out, &escape(&format!("{heading} gets")));
            let list = match injection.mode {
                crate::controllers::ai_gateway::sidecar::Mode::Sidecar => "initContainers",
                crate::controllers::ai_gateway::sidecar::Mode::Container => "containers",
            };
            part(out, list, &injection.container, reveal);
            injection
                .volumes
                .iter()
                .for_each(|v| part(out, "volumes", v, reveal));
            part(
                out,
                "containers[envoy].volumeMounts",
                &injection.envoy_mount,
                reveal,
            );
            injection
                .image_pull_secrets
                .iter()
                .for_each(|s| part(out, "imagePullSecrets", s, reveal));
        }
    }
}

fn part(out: &mut String, list: &str, part: &Part<'_>, reveal: Reveal) {
    line(out, &format!("    {list}:"));
    part.leaves(&mut |path, leaf| {
        let text = match leaf.value.json(reveal) {
            serde_json::Value::String(text) => text,
            other => other.to_string(),
        };
        let place = leaf
            .origin
            .source
            .as_ref()
            .map(|s| format!("  ({})", s.location()));
        line(
            out,
            &format!(
                "      {path}: {}{}",
                escape(&text),
                escape(&place.unwrap_or_default())
            ),
        );
    });
}

fn hash_inputs(out: &mut String, outcome: &Outcome<'_>, reveal: Reveal) {
    let Some(hash) = &outcome.workload.config_hash else {
        return;
    };
    line(out, &format!("  config hash {hash} of"));
    for input in outcome
        .workload
        .hash_inputs
        .iter()
        .flat_map(|inputs| inputs.iter())
    {
        let value = input.value.json(reveal).to_string();
        writeln!(out, "    {}: {}", input.name, escape(&value))
            .expect("writing to a String cannot fail");
    }
}
