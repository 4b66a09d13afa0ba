//! How long `doctor` takes on a generated dump of 500 Gateways and up to 10 000 pods.
//!
//! `cargo bench --bench doctor` prints the time of each stage and the time per pod, which must stay
//! flat.

mod controller;

use std::fmt::Write;
use std::time::{Duration, Instant};

use aigwctl::controllers::ai_gateway::options::{MissingSecrets, Options};
use aigwctl::controllers::ai_gateway::reconcile_all;
use aigwctl::doctor::{Case, Question, diagnose};
use aigwctl::manifest::{Limits, read};
use aigwctl::present::doctor::{json, table};
use aigwctl::present::style::Style;
use aigwctl::world::build::Builder;
use controller::options;

const GATEWAYS: usize = 500;

fn main() {
    println!(
        "{:>7} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "pods", "read", "reconcile", "doctor", "table", "json", "µs/pod"
    );
    for pods in [1_000, 5_000, 10_000] {
        run(pods);
    }
}

fn run(pods: usize) {
    let text = generate(pods);
    let clock = Instant::now();
    let mut builder = Builder::new(None);
    for document in read("dump.yaml".into(), text.as_bytes(), &Limits::default()) {
        builder.add(document.expect("the text is generated"));
    }
    let (world, _) = builder.finish();
    let read = clock.elapsed();
    let options = Options {
        complete: true,
        missing_secrets: MissingSecrets::Skip,
        ..options()
    };
    let (outcomes, reconcile) = timed(|| reconcile_all(&world, &options));
    let question = Question::default();
    let (report, doctor) = timed(|| {
        let case = Case::new(&world, &options, &outcomes, &question);
        diagnose(&case, &question)
    });
    let (_, table) = timed(|| table::write(&report, Style::default(), false));
    let (_, json) = timed(|| json::write(&report));
    let ms = |time: Duration| format!("{:.1}ms", time.as_secs_f64() * 1e3);
    let per_pod = doctor.as_secs_f64() * 1e6 / pods as f64;
    println!(
        "{pods:>7} {:>9} {:>9} {:>9} {:>9} {:>9} {per_pod:>9.1}",
        ms(read),
        ms(reconcile),
        ms(doctor),
        ms(table),
        ms(json)
    );
}

fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let clock = Instant::now();
    let result = run();
    (result, clock.elapsed())
}

/// Gateways with a route, a backend, a Deployment and pods, every tenth pod without a sidecar.
fn generate(pods: usize) -> String {
    let mut out = String::new();
    for gateway in 0..GATEWAYS {
        let labels = format!(
            "labels: {{app.kubernetes.io/managed-by: envoy-gateway, \
             gateway.envoyproxy.io/owning-gateway-name: gw{gateway}, \
             gateway.envoyproxy.io/owning-gateway-namespace: team}}"
        );
        let _ = write!(
            out,
            "---\napiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {{name: gw{gateway}, namespace: team}}\n\
             spec: {{gatewayClassName: eg, listeners: [{{name: http, port: 80, protocol: HTTP}}]}}\n\
             ---\napiVersion: aigateway.envoyproxy.io/v1beta1\nkind: AIGatewayRoute\nmetadata: {{name: r{gateway}, namespace: team}}\n\
             spec:\n  parentRefs: [{{name: gw{gateway}}}]\n  rules:\n  - matches: [{{headers: [{{name: x-ai-eg-model, value: m{gateway}}}]}}]\n    backendRefs: [{{name: b}}]\n\
             ---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: d{gateway}, namespace: envoy-gateway-system, generation: 2, {labels}}}\n\
             spec: {{replicas: 1, template: {{metadata: {{{labels}}}}}}}\nstatus: {{observedGeneration: 2}}\n"
        );
        for pod in 0..pods / GATEWAYS {
            let sidecar = match pod % 10 {
                0 => "",
                _ => {
                    "initContainers: [{name: ai-gateway-extproc, image: docker.io/envoyproxy/ai-gateway-extproc:v1.1.0, args: [-logLevel, info]}], "
                }
            };
            let _ = write!(
                out,
                "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p{gateway}-{pod}, namespace: envoy-gateway-system, \
                 creationTimestamp: \"2026-01-01T00:00:00Z\", {labels}}}\n\
                 spec: {{{sidecar}containers: [{{name: envoy}}]}}\nstatus: {{phase: Running}}\n"
            );
        }
    }
    out.push_str(
        "---\napiVersion: aigateway.envoyproxy.io/v1beta1\nkind: AIServiceBackend\nmetadata: {name: b, namespace: team}\n\
         spec: {schema: {name: OpenAI}, backendRef: {name: b}}\n",
    );
    out
}
