//! Durations as Go reads and writes them; nanoseconds in 64 bits.

const SECOND: i64 = 1_000_000_000;

/// Reads `1h30m`, `-1.5s`, `0`; none when it is no duration or too long.
pub(in crate::cel) fn parse(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let nanoseconds;
        (nanoseconds, rest) = part(rest)?;
        total = total
            .checked_add(nanoseconds)
            .filter(|total| *total <= 1 << 63)?;
    }
    if negative {
        0_i64.checked_sub_unsigned(total)
    } else {
        total.try_into().ok()
    }
}

/// A number with its unit, in nanoseconds.
fn part(text: &str) -> Option<(u64, &str)> {
    let (whole, rest) = split_digits(text);
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => split_digits(rest),
        None => ("", rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let unit_end = rest
        .find(|c: char| c == '.' || c.is_ascii_digit())
        .unwrap_or(rest.len());
    let unit = match &rest[..unit_end] {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000_u64,
        _ => return None,
    };
    let whole: u64 = if whole.is_empty() {
        0
    } else {
        whole.parse().ok()?
    };
    let mut nanoseconds = whole.checked_mul(unit).filter(|value| *value <= 1 << 63)?;
    if !fraction.is_empty() {
        let (digits, scale) = leading_fraction(fraction);
        nanoseconds += (digits as f64 * (unit as f64 / scale)) as u64;
        if nanoseconds > 1 << 63 {
            return None;
        }
    }
    Some((nanoseconds, &rest[unit_end..]))
}

fn split_digits(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text.split_at(end)
}

/// The digits of a fraction that fit into 63 bits, and the power of ten that they are parts of.
fn leading_fraction(digits: &str) -> (u64, f64) {
    let mut value: u64 = 0;
    let mut scale = 1.0;
    for digit in digits.bytes() {
        let next = value
            .checked_mul(10)
            .map(|value| value + u64::from(digit - b'0'));
        match next.filter(|next| *next <= 1 << 63) {
            Some(next) => value = next,
            None => break,
        }
        scale *= 10.0;
    }
    (value, scale)
}

/// Whole and fractional seconds as one double.
fn in_seconds(nanoseconds: i64) -> f64 {
    (nanoseconds / SECOND) as f64 + (nanoseconds % SECOND) as f64 / 1e9
}

/// Written in seconds: `5400s`, `0.5s`.
pub(in crate::cel) fn format(nanoseconds: i64) -> String {
    format!("{}s", in_seconds(nanoseconds))
}

/// A part of the duration, the whole of it in one unit. Go computes it as a double.
pub(in crate::cel) fn component(nanoseconds: i64, function: &str) -> Option<i64> {
    let unit = match function {
        "getHours" => 3600 * SECOND,
        "getMinutes" => 60 * SECOND,
        "getSeconds" => SECOND,
        "getMilliseconds" => return Some(nanoseconds / 1_000_000),
        _ => return None,
    };
    Some(((nanoseconds / unit) as f64 + (nanoseconds % unit) as f64 / unit as f64) as i64)
}

#[cfg(test)]
mod tests {
    use super::{format, parse};

    #[test]
    fn durations_are_read_as_go_reads_them() {
        let good = [
            ("1.5h", 5_400_000_000_000),
            ("-1.5h", -5_400_000_000_000),
            ("-0", 0),
            (".5s", 500_000_000),
            ("1.s", 1_000_000_000),
            ("1h1h", 7_200_000_000_000),
            ("-9223372036854775808ns", i64::MIN),
            ("1µs", 1_000),
            ("0.9223372036854775808h", 3_320_413_933_267),
            ("1.0000000000000000000001s", 1_000_000_000),
        ];
        for (text, value) in good {
            assert_eq!(parse(text), Some(value), "{text}");
        }
        for bad in [
            "1",
            ".s",
            "9223372036854775808ns",
            "1d",
            "",
            "-",
            "3000000h",
            "1e3s",
            "1 s",
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn durations_are_written_in_seconds() {
        assert_eq!(format(5_400_000_000_000), "5400s");
        assert_eq!(format(-1_500_000_000), "-1.5s");
    }
}
