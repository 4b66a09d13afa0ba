//! Numbers as Go computes, compares, reads and writes them.

use std::cmp::Ordering;

const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;
const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

/// The int that a double truncates to. Both ends of the range are out: Go compares with the nearest doubles.
pub(in crate::cel) fn double_to_int(value: f64) -> Option<i64> {
    (value > -TWO_TO_63 && value < TWO_TO_63).then_some(value as i64)
}

/// The uint that a double truncates to; a double below zero has none, minus zero does.
pub(in crate::cel) fn double_to_uint(value: f64) -> Option<u64> {
    (0.0..TWO_TO_64).contains(&value).then_some(value as u64)
}

/// The int that equals the double.
pub(in crate::cel) fn double_to_int_exactly(value: f64) -> Option<i64> {
    double_to_int(value).filter(|int| *int as f64 == value)
}

/// The uint that equals the double.
pub(in crate::cel) fn double_to_uint_exactly(value: f64) -> Option<u64> {
    double_to_uint(value).filter(|uint| *uint as f64 == value)
}

/// Order of a double and an int. The int becomes a double, so large ones lose digits.
pub(in crate::cel) fn compare_double_int(double: f64, int: i64) -> Ordering {
    if double < -TWO_TO_63 {
        Ordering::Less
    } else if double > TWO_TO_63 {
        Ordering::Greater
    } else {
        compare_doubles(double, int as f64)
    }
}

/// Order of a double and a uint, likewise.
pub(in crate::cel) fn compare_double_uint(double: f64, uint: u64) -> Ordering {
    if double < 0.0 {
        Ordering::Less
    } else if double > TWO_TO_64 {
        Ordering::Greater
    } else {
        compare_doubles(double, uint as f64)
    }
}

/// Order of two doubles of which none is NaN.
pub(in crate::cel) fn compare_doubles(left: f64, right: f64) -> Ordering {
    left.partial_cmp(&right).unwrap_or(Ordering::Equal)
}

pub(in crate::cel) fn compare_int_uint(int: i64, uint: u64) -> Ordering {
    u64::try_from(int).map_or(Ordering::Less, |int| int.cmp(&uint))
}

/// A double as Go's `%g` writes it: shortest digits, an exponent below 1e-4 and from 1e6 on.
pub(in crate::cel) fn format_double(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        return format!("{value}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

/// A decimal int: an optional sign, digits, nothing else.
pub(in crate::cel) fn parse_int(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// A decimal uint: digits only, no sign.
pub(in crate::cel) fn parse_uint(text: &str) -> Option<u64> {
    text.parse().ok().filter(|_| !text.starts_with('+'))
}

/// A double as Go reads it: decimal or hexadecimal, underscores between digits, infinities and NaN in any
/// case. One that is too large is an error.
pub(in crate::cel) fn parse_double(text: &str) -> Option<f64> {
    if text.eq_ignore_ascii_case("nan") {
        return Some(f64::NAN);
    }
    let (sign, magnitude) = match text.as_bytes().first()? {
        b'-' => (-1.0, &text[1..]),
        b'+' => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    if magnitude.eq_ignore_ascii_case("inf") || magnitude.eq_ignore_ascii_case("infinity") {
        return Some(sign * f64::INFINITY);
    }
    let digits = without_underscores(magnitude)?;
    let value = match digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"))
    {
        Some(hex) => parse_hex_double(hex)?,
        None if digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') => {
            digits.parse().ok()?
        }
        None => return None,
    };
    value.is_finite().then_some(sign * value)
}

/// Underscores may stand between digits, and right after `0x`.
fn without_underscores(text: &str) -> Option<String> {
    let is_hex = text.starts_with("0x") || text.starts_with("0X");
    let is_digit = |byte: u8| byte.is_ascii_digit() || is_hex && byte.is_ascii_hexdigit();
    let bytes = text.as_bytes();
    let is_allowed = |at: usize| {
        let after_prefix = is_hex && at == 2;
        let before = after_prefix || at > 0 && is_digit(bytes[at - 1]);
        before && bytes.get(at + 1).is_some_and(|byte| is_digit(*byte))
    };
    let all_allowed = (0..bytes.len())
        .filter(|at| bytes[*at] == b'_')
        .all(is_allowed);
    all_allowed.then(|| text.replace('_', ""))
}

/// Hexadecimal digits with an optional point, then `p` and a binary exponent.
fn parse_hex_double(text: &str) -> Option<f64> {
    let (digits, exponent) = text.split_once(['p', 'P'])?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.len() + fraction.len() == 0 {
        return None;
    }
    let mut mantissa = 0.0;
    for digit in whole.chars().chain(fraction.chars()) {
        mantissa = mantissa * 16.0 + f64::from(digit.to_digit(16)?);
    }
    let exponent: i32 = exponent.parse().ok()?;
    let power = exponent.checked_sub(4 * i32::try_from(fraction.len()).ok()?)?;
    // In two steps, so that neither factor leaves the range on its own.
    Some(mantissa * 2_f64.powi(power / 2) * 2_f64.powi(power - power / 2))
}

#[cfg(test)]
mod tests {
    use super::{format_double, parse_double};

    #[test]
    fn doubles_are_written_as_go_writes_them() {
        let written = [1e20, 1_234_567.0, 100_000.0, 0.0001, 1e-5, -0.0].map(format_double);
        assert_eq!(
            written,
            ["1e+20", "1.234567e+06", "100000", "0.0001", "1e-05", "-0"]
        );
    }

    #[test]
    fn doubles_are_read_as_go_reads_them() {
        let good = [
            "1_000", "0x_1p0", ".5", "5.", "+.5", "0x1.8p1", "+iNf", "1e-400", "0x1p1_0",
        ];
        let values = [1000.0, 1.0, 0.5, 5.0, 0.5, 3.0, f64::INFINITY, 0.0, 1024.0];
        assert_eq!(good.map(parse_double), values.map(Some));
        for bad in [
            "1e400", "+nan", "0x1p", "0x.p1", "", "+", "1__0", "1e", "infinit", " 1", "1_",
        ] {
            assert_eq!(parse_double(bad), None, "{bad}");
        }
    }
}
