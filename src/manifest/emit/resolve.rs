//! Which strings go-yaml's reader would take for something else if they were written plain.

use super::number;

/// Whether the text, written plain, is read back as a string, and no YAML 1.1 reader takes it for a base-60 number.
pub(super) fn is_string(text: &str) -> bool {
    match text.as_bytes().first() {
        None => false,
        Some(b'0'..=b'9') => {
            !is_timestamp(text) && number::read(text).is_none() && !is_base_60(text)
        }
        Some(b'+' | b'-') => !is_word(text) && number::read(text).is_none() && !is_base_60(text),
        Some(b'.') => !is_word(text) && !is_fraction(text),
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => {
            !is_word(text)
        }
        Some(_) => true,
    }
}

/// The words that stand for a boolean, null or a special float.
fn is_word(text: &str) -> bool {
    matches!(
        text,
        "y" | "Y"
            | "yes"
            | "Yes"
            | "YES"
            | "true"
            | "True"
            | "TRUE"
            | "on"
            | "On"
            | "ON"
            | "n"
            | "N"
            | "no"
            | "No"
            | "NO"
            | "false"
            | "False"
            | "FALSE"
            | "off"
            | "Off"
            | "OFF"
            | "~"
            | "null"
            | "Null"
            | "NULL"
            | ".nan"
            | ".NaN"
            | ".NAN"
            | ".inf"
            | ".Inf"
            | ".INF"
            | "+.inf"
            | "+.Inf"
            | "+.INF"
            | "-.inf"
            | "-.Inf"
            | "-.INF"
    )
}

/// A float that starts with its point. Go's float reader decides here, and it takes `_` between digits only.
fn is_fraction(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit_at = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let separates =
        |(at, byte): (usize, &u8)| *byte != b'_' || digit_at(at - 1) && digit_at(at + 1);
    bytes.iter().enumerate().all(separates) && number::read_float(&text.replace('_', "")).is_some()
}

/// A base-60 number of YAML 1.1, `190:20:30.15`. go-yaml reads it as a string but still quotes it.
fn is_base_60(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let mut parts = unsigned.split(':').peekable();
    let digits_or =
        |s: &str, other: &[u8]| s.bytes().all(|b| b.is_ascii_digit() || other.contains(&b));
    let first = parts.next().unwrap_or_default();
    if !first.starts_with(|c: char| c.is_ascii_digit())
        || !digits_or(first, b"_")
        || parts.peek().is_none()
    {
        return false;
    }
    while let Some(part) = parts.next() {
        let (whole, fraction) = match part.split_once('.') {
            Some((whole, fraction)) if parts.peek().is_none() => (whole, fraction),
            _ => (part, ""),
        };
        let below_60 = match whole.as_bytes() {
            [ones] => ones.is_ascii_digit(),
            [b'0'..=b'5', ones] => ones.is_ascii_digit(),
            _ => false,
        };
        if !below_60 || !digits_or(fraction, b"_") {
            return false;
        }
    }
    true
}

/// A date, or a date and time, in one of the four forms that go-yaml tries.
fn is_timestamp(text: &str) -> bool {
    let four_digits = text.bytes().take_while(u8::is_ascii_digit).count() == 4;
    four_digits && date(text).is_some_and(|rest| rest.is_empty() || is_time(rest))
}

/// Reads `YYYY-M-D`; gives what follows.
fn date(text: &str) -> Option<&str> {
    let (year, rest) = (text[..4].parse().ok()?, text[4..].strip_prefix('-')?);
    let (month, rest) = one_or_two_digits(rest)?;
    let (day, rest) = one_or_two_digits(rest.strip_prefix('-')?)?;
    ((1..=12).contains(&month) && (1..=days_in(month, year)).contains(&day)).then_some(rest)
}

fn days_in(month: u32, year: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// A time after a date: behind `T` or `t` with a zone, behind spaces without.
fn is_time(text: &str) -> bool {
    if let Some(text) = text.strip_prefix(['T', 't']) {
        return clock(text).is_some_and(is_zone);
    }
    text.starts_with(' ') && clock(text.trim_start_matches(' ')) == Some("")
}

/// Reads `h:m:s` with an optional fraction; gives what follows.
fn clock(text: &str) -> Option<&str> {
    let (hour, rest) = one_or_two_digits(text)?;
    let (minute, rest) = one_or_two_digits(rest.strip_prefix(':')?)?;
    let (second, rest) = one_or_two_digits(rest.strip_prefix(':')?)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let fraction = rest
        .strip_prefix(['.', ','])
        .map(|digits| digits.trim_start_matches(|c: char| c.is_ascii_digit()));
    // A point without digits is no fraction.
    Some(
        fraction
            .filter(|after| after.len() + 1 < rest.len())
            .unwrap_or(rest),
    )
}

/// `Z` or `+hh:mm`. Go allows 24 hours and 60 minutes here.
fn is_zone(text: &str) -> bool {
    let two_digits = |s: &[u8], max: u8| {
        s.iter().all(u8::is_ascii_digit) && (s[0] - b'0') * 10 + s[1] - b'0' <= max
    };
    match text.as_bytes() {
        [b'Z'] => true,
        [b'+' | b'-', zone @ ..] => {
            zone.len() == 5
                && zone[2] == b':'
                && two_digits(&zone[..2], 24)
                && two_digits(&zone[3..], 60)
        }
        _ => false,
    }
}

/// Reads a number of one digit, or of two if the second character is a digit.
fn one_or_two_digits(text: &str) -> Option<(u32, &str)> {
    let length = text.bytes().take(2).take_while(u8::is_ascii_digit).count();
    Some((text[..length].parse().ok()?, &text[length..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_that_is_read_as_something_else() {
        for text in [
            "",
            "~",
            "null",
            "y",
            "N",
            "on",
            "OFF",
            "True",
            "0",
            "-1",
            "+1",
            "0x1F",
            "0o7",
            "0b1",
            "017",
            "1_000",
            "1e3",
            ".5",
            "5.",
            "-.5",
            ".5_0",
            ".inf",
            "-.INF",
            ".NaN",
            "12:30:45",
            "1:2",
            "190:20:30.15",
            "1_0:59",
            "-1:00",
            "2026-06-05",
            "2026-6-5",
            "2024-02-29",
            "2026-06-05T10:11:12Z",
            "2026-06-05t1:2:3.5+24:60",
            "2026-06-05   10:11:12,5",
        ] {
            assert!(!is_string(text), "{text}");
        }
    }

    #[test]
    fn plain_text_that_stays_a_string() {
        for text in [
            "a",
            "yep",
            "nULL",
            "=",
            "<<",
            "1.2.3",
            "0x",
            "10Gi",
            "5%",
            "NaN",
            ".Nan",
            "Infinity",
            "1:60",
            "99:99",
            "1:",
            ":1",
            "1:2.3:4",
            "1e1000",
            ".5e400",
            "._5",
            ".5_",
            ".e3",
            ".",
            "2026-13-01",
            "2023-02-29",
            "2026-06-05T10:11:12",
            "2026-06-05T10:11:12z",
            "2026-06-05 10:11:12 +2",
            "2026-06-05 24:00:00",
            "2026-06-05T10:11:12.Z",
            "2026-06-05 ",
        ] {
            assert!(is_string(text), "{text}");
        }
    }
}
