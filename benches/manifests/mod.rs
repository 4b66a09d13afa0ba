//! Generated manifests that several benchmarks read.

use std::fmt::Write;

/// Ten objects a team: a route, four backends with their policies, a Secret.
const PER_TEAM: usize = 10;
/// Teams that share a Gateway.
const TEAMS_PER_GATEWAY: usize = 20;

/// A stream of that many objects, as teams would write them.
pub(crate) fn generate(objects: usize) -> String {
    let teams = objects.div_ceil(PER_TEAM);
    let mut text = String::new();
    for team in 0..teams {
        team_objects(&mut text, team);
    }
    text
}

/// How many Gateways such a stream points at.
#[allow(dead_code, reason = "only one benchmark needs them")]
pub(crate) fn gateways(objects: usize) -> usize {
    objects.div_ceil(PER_TEAM).div_ceil(TEAMS_PER_GATEWAY)
}

fn team_objects(out: &mut String, team: usize) {
    let gateway = team / TEAMS_PER_GATEWAY;
    let mut rules = String::new();
    for i in 0..4 {
        write!(
            rules,
            "  - matches:\n    - headers:\n      - {{name: x-ai-eg-model, value: model-{i}}}\n    \
             backendRefs:\n    - name: backend-{i}\n      modelNameOverride: upstream-{i}\n    \
             modelsCreatedAt: \"2026-01-01T00:00:00Z\"\n"
        )
        .expect("writing to a String cannot fail");
        write!(
            out,
            "---\napiVersion: aigateway.envoyproxy.io/v1beta1\nkind: AIServiceBackend\nmetadata:\n  \
             name: backend-{i}\n  namespace: team-{team}\nspec:\n  schema:\n    name: OpenAI\n  \
             backendRef:\n    group: gateway.envoyproxy.io\n    kind: Backend\n    name: up-{i}\n  \
             headerMutation:\n    set:\n    - name: X-Team\n      value: team-{team}\n---\n\
             apiVersion: aigateway.envoyproxy.io/v1beta1\nkind: BackendSecurityPolicy\nmetadata:\n  \
             name: policy-{i}\n  namespace: team-{team}\nspec:\n  targetRefs:\n  \
             - group: aigateway.envoyproxy.io\n    kind: AIServiceBackend\n    name: backend-{i}\n  \
             type: APIKey\n  apiKey:\n    secretRef:\n      name: key\n"
        )
        .expect("writing to a String cannot fail");
    }
    write!(
        out,
        "---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: key\n  namespace: team-{team}\n\
         stringData:\n  apiKey: key-of-team-{team}\n---\n\
         apiVersion: aigateway.envoyproxy.io/v1beta1\nkind: AIGatewayRoute\nmetadata:\n  \
         name: route\n  namespace: team-{team}\nspec:\n  parentRefs:\n  - name: gateway-{gateway}\n    \
         namespace: edge\n  rules:\n{rules}  llmRequestCosts:\n  - metadataKey: price\n    type: CEL\n    \
         cel: input_tokens * 3u + output_tokens * 15u\n"
    )
    .expect("writing to a String cannot fail");
}
