//! Expressions checked per second, next to the parse alone.

use aigwctl::cel::{CostInputs, Environment, check, is_expression};
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

const COSTS: &[&str] = &[
    "total_tokens",
    "input_tokens + output_tokens * 4u",
    "uint(double(input_tokens) * 0.1 + double(output_tokens) * 1.25)",
    "model.startsWith('gpt-4') ? input_tokens * 30u + output_tokens * 60u : total_tokens",
    "input_tokens >= cached_input_tokens ? (input_tokens - cached_input_tokens) * 10u + cached_input_tokens : 0u",
    "model in {'gpt-4': 30u, 'o3': 10u} ? {'gpt-4': 30u, 'o3': 10u}[model] * total_tokens : total_tokens",
    "output_tokens == 0u ? 0u : input_tokens / output_tokens",
];

const RULES: &[&str] = &[
    "request.method == 'POST'",
    "request.headers['x-tenant-id'] in ['t-1', 't-2', 't-3']",
    "has(request.auth.jwt.claims.tenant) && request.auth.jwt.claims.tenant.plan == 'gold'",
    "request.mcp.tool.startsWith('read_') || request.auth.jwt.scopes.exists(s, s == 'admin')",
    "request.headers[?'x-env'].orValue('prod') == 'prod' && request.mcp.tool.matches('^[a-z_]+$')",
];

fn sets() -> [(Environment, &'static [&'static str]); 2] {
    [
        (Environment::Cost, COSTS),
        (Environment::McpAuthorization, RULES),
    ]
}

#[divan::bench(args = [0, 1])]
fn parse_alone(bencher: Bencher, set: usize) {
    let (environment, expressions) = sets()[set];
    bencher.counter(ItemsCount::of_iter(expressions)).bench(|| {
        expressions
            .iter()
            .filter(|text| is_expression(environment, text))
            .count()
    });
}

#[divan::bench(args = [0, 1])]
fn full_check(bencher: Bencher, set: usize) {
    let (environment, expressions) = sets()[set];
    bencher.counter(ItemsCount::of_iter(expressions)).bench(|| {
        expressions
            .iter()
            .filter(|text| check(environment, text).is_ok())
            .count()
    });
}

#[divan::bench]
fn evaluate(bencher: Bencher) {
    let accepted: Vec<_> = COSTS
        .iter()
        .filter_map(|text| check(Environment::Cost, text).ok())
        .collect();
    let inputs = CostInputs {
        input_tokens: 1200,
        output_tokens: 300,
        ..CostInputs::default()
    };
    bencher.counter(ItemsCount::of_iter(&accepted)).bench(|| {
        accepted
            .iter()
            .filter_map(|accepted| accepted.cost(&inputs).ok())
            .sum::<u64>()
    });
}
