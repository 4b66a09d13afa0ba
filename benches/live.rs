//! How long `render --live` takes on a cluster of 10 000 objects, and the same GET requests by
//! themselves.
//!
//! `cargo bench --bench live` loads generated objects into a real API server on loopback (see
//! `tests/apiserver/provide`), runs the program several times, and then repeats the very requests of
//! its last run, as many at once as the program makes, without looking at the answers.
#![cfg(feature = "cluster")]

#[path = "../tests/live/mod.rs"]
mod live;
mod manifests;
#[path = "../tests/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use aigwctl::manifest::{Limits, read};
use live::real::{ApiServer, READER, api_server};

const OBJECTS: usize = 10_000;
const RUNS: usize = 5;
/// As many as the program makes.
const AT_ONCE: usize = 8;

fn main() {
    let Some(server) = api_server() else { return };
    load(&server);
    let mut program = Vec::new();
    let mut paths = Vec::new();
    for _ in 0..RUNS {
        let before = server.paths_asked(READER).len();
        program.push(timed(|| render(&server)));
        paths = server.paths_asked(READER).split_off(before);
    }
    let mut bytes = 0;
    let raw = (0..RUNS).map(|_| timed(|| bytes = server.get_side_by_side(&paths, AT_ONCE)));
    let (program, raw) = (median(program), median(raw.collect()));
    println!(
        "{OBJECTS} objects, {} requests, {:.1} MB",
        paths.len(),
        bytes as f64 / 1e6
    );
    println!("render --live {program:.2?}, the requests alone {raw:.2?}");
    println!("ratio {:.2}", program.as_secs_f64() / raw.as_secs_f64());
}

fn load(server: &ApiServer) {
    let text = manifests::generate(OBJECTS);
    for document in read("generated".into(), text.as_bytes(), &Limits::default()) {
        let object = document.expect("the text is generated").root.to_json();
        server.create(object).expect("the server takes them");
    }
    for gateway in 0..manifests::gateways(OBJECTS) {
        let object = serde_json::json!({
            "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
            "metadata": {"name": format!("gateway-{gateway}"), "namespace": "edge"},
            "spec": {"gatewayClassName": "eg"},
        });
        server.create(object).expect("the server takes it");
    }
}

fn render(server: &ApiServer) {
    let args = [
        "render",
        "--live",
        "--standalone",
        "--controller-version",
        "v1.1.0",
    ];
    let output = server.run_as(READER, &args);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains(" models"), "{text}");
}

fn timed(run: impl FnOnce()) -> Duration {
    let clock = Instant::now();
    run();
    clock.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
