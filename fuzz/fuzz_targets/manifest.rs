//! Any bytes as manifests: no panic, no hang, and every value stands somewhere.
//!
//! `cargo fuzz run -s none manifest -- -max_len=2000` (in this folder; the stable compiler will do).

#![no_main]

use aigwctl::manifest::{Limits, Node, Value, read, read_stream, read_yaml};
use libfuzzer_sys::fuzz_target;

const TIGHT: Limits = Limits { object_bytes: 200, nesting: 4, alias_expansion: 1 };

fuzz_target!(|data: &[u8]| {
    for limits in [Limits::default(), TIGHT] {
        let documents = read("f".into(), data, &limits);
        let documents = documents.into_iter().chain(read_stream("f".into(), data, &limits));
        let documents = documents.chain([read_yaml("f".into(), data, &limits)]);
        for document in documents.flatten() {
            placed(&document.root);
        }
    }
});

/// Lines and columns count from one.
fn placed(node: &Node) {
    assert!(node.pos.line > 0 && node.pos.column > 0, "{:?}", node.pos);
    match &node.value {
        Value::List(items) => items.iter().for_each(placed),
        Value::Map(map) => map.iter().for_each(|entry| placed(&entry.value)),
        _ => {}
    }
}
