//! The default output: values and their chains, for people.

use std::fmt::Write;

use super::{Explained, Impact};
use crate::diff::why::Explanation;
use crate::present::diff::{tree, words};
use crate::present::escape::escape;
use crate::present::noun;
use crate::present::style::Style;
use crate::world::field::Source;

fn line(out: &mut String, text: &str) {
    writeln!(out, "{text}").expect("writing to a String cannot fail");
}

/// Values, each with its chain.
pub fn write(explained: &[Explained<'_>], style: Style) -> String {
    let mut out = String::new();
    for (i, gateway) in explained.iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        let name = format!("Gateway {}", escape(&gateway.outcome.name()));
        line(&mut out, &style.bold(&name));
        gateway
            .values
            .iter()
            .for_each(|value| chain(&mut out, value, style));
    }
    out
}

fn chain(out: &mut String, value: &Explanation<'_>, style: Style) {
    let text = format!("  {} = {}", value.path, words::value(&value.value));
    line(out, &escape(&text));
    let place = match (&value.source, &value.place) {
        (Some(source), _) => place(source),
        (None, Some(place)) => place.to_string(),
        (None, None) => String::new(),
    };
    let separator = if place.is_empty() { "" } else { " – " };
    line(
        out,
        &format!("    {}{separator}{}", escape(&place), escape(&value.text)),
    );
    for source in &value.because {
        let text = format!("    because of {}", self::place(source));
        line(out, &style.dim(&escape(&text)));
    }
    for source in &value.overrode {
        let text = format!("    overrode {}", self::place(source));
        line(out, &escape(&text));
    }
}

fn place(source: &Source<'_>) -> String {
    format!(
        "{}  {} {}",
        source.location(),
        source.object.id(),
        source.path
    )
}

/// What hangs on an object, and what the answer would be without it.
pub fn impact(impact: &Impact<'_>, style: Style, verbose: bool) -> String {
    let mut out = String::new();
    let count: usize = impact
        .hangs
        .iter()
        .map(|gateway| gateway.values.len())
        .sum();
    let heading = format!("{} hang on {}", noun::count(count, "value"), impact.object);
    line(&mut out, &style.bold(&escape(&heading)));
    for gateway in impact
        .hangs
        .iter()
        .filter(|gateway| !gateway.values.is_empty())
    {
        let text = format!("  Gateway {}", gateway.outcome.name());
        line(&mut out, &escape(&text));
        for value in &gateway.values {
            line(&mut out, &escape(&format!("    {}", value.path)));
        }
    }
    line(&mut out, &style.bold("\nWithout it:"));
    out.push_str(&tree::write(impact.report, style, verbose));
    out
}
