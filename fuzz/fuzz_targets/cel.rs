//! Any text as an expression: no panic, bounded time, and no failure at run time that was not warned of.
//!
//! `cargo fuzz run -s none cel -- -dict=cel.dict -max_len=300` (in this folder; the stable compiler will do).

#![no_main]

use aigwctl::cel::{Concern, CostInputs, Environment, Fault, Place, Request, check};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((choice, rest)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    if choice % 2 == 0 { cost(text, *choice) } else { rule(text) }
});

fn cost(text: &str, choice: u8) {
    let Ok(accepted) = check(Environment::Cost, text) else { return };
    let count = |shift: u32| match (choice >> shift) % 4 {
        0 => 0,
        1 => 1,
        2 => 1000 + u32::from(choice),
        _ => u32::MAX,
    };
    let inputs = CostInputs {
        model: if choice % 3 == 0 { "dummy".to_owned() } else { "gpt-4".to_owned() },
        input_tokens: count(1),
        cached_input_tokens: count(2),
        cache_creation_input_tokens: count(3),
        output_tokens: count(4),
        total_tokens: count(5),
        reasoning_tokens: count(6),
        ..CostInputs::default()
    };
    let Err(refusal) = accepted.cost(&inputs) else { return };
    let fault = refusal.class.fault;
    let is_warned = accepted.warnings.iter().any(|it| it.concern == Concern::Fails(fault));
    // What runs out of steps was not looked at to the end either.
    assert!(is_warned || fault == Fault::Limit, "{text:?} fails without a warning: {refusal}");
}

fn rule(text: &str) {
    let Ok(accepted) = check(Environment::McpAuthorization, text) else { return };
    let _ = accepted.matches(&Request::default(), Place::Authorization);
}
