//! Numbers: how Go's JSON prints them, how go-yaml reads that text, how it prints what it read.

/// What go-yaml's reader makes of a plain scalar that starts like a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Int(i64),
    UInt(u64),
    Float(f64),
}

/// Reads a plain scalar that starts with a digit or a sign; `None` if it is no number.
pub(super) fn read(text: &str) -> Option<Number> {
    let text = without_underscores(text);
    read_integer(&text)
        .or_else(|| read_float(&text).map(Number::Float))
        .or_else(|| read_binary(&text))
}

/// A decimal float; `None` if malformed or out of range.
pub(super) fn read_float(text: &str) -> Option<f64> {
    if !is_decimal_float(text) {
        return None;
    }
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

fn without_underscores(text: &str) -> std::borrow::Cow<'_, str> {
    if text.contains('_') {
        text.replace('_', "").into()
    } else {
        text.into()
    }
}

/// An integer in Go's notation: the prefix tells the base, a leading zero means octal.
fn read_integer(text: &str) -> Option<Number> {
    let (negative, unsigned) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let signed = unsigned.len() < text.len();
    let (digits, base) = split_base(unsigned);
    if !digits.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None; // A second sign would be accepted below.
    }
    let value = u64::from_str_radix(digits, base).ok()?;
    if negative {
        return 0i64.checked_sub_unsigned(value).map(Number::Int);
    }
    match i64::try_from(value) {
        Ok(value) => Some(Number::Int(value)),
        Err(_) if signed => None, // Go's unsigned reader takes no sign.
        Err(_) => Some(Number::UInt(value)),
    }
}

fn split_base(digits: &str) -> (&str, u32) {
    let prefix = digits.get(..2).unwrap_or_default();
    match prefix {
        "0x" | "0X" => (&digits[2..], 16),
        "0b" | "0B" => (&digits[2..], 2),
        "0o" | "0O" => (&digits[2..], 8),
        _ if digits.len() > 1 && digits.starts_with('0') => (&digits[1..], 8),
        _ => (digits, 10),
    }
}

/// go-yaml's own `0b` rule comes last and allows a sign behind the prefix: `0b-1`.
fn read_binary(text: &str) -> Option<Number> {
    let digits = text.strip_prefix("0b")?;
    i64::from_str_radix(digits, 2).ok().map(Number::Int)
}

/// Sign, digits with at most one point (digits are optional on one side), optional exponent.
fn is_decimal_float(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let some_digits = !whole.is_empty() || !fraction.is_empty();
    let exponent_fits = exponent.is_none_or(|e| {
        let e = e.strip_prefix(['-', '+']).unwrap_or(e);
        !e.is_empty() && digits(e)
    });
    some_digits && digits(whole) && digits(fraction) && exponent_fits
}

/// A finite float as its shortest decimal digits.
struct Decimal {
    sign: &'static str,
    /// Digits without zeros at either end; a single `0` for zero.
    digits: String,
    /// The power of ten of the first digit.
    exponent: i32,
}

impl Decimal {
    fn new(value: f64) -> Self {
        let (digits, exponent) = shortest_digits(value.abs());
        Decimal {
            sign: if value.is_sign_negative() { "-" } else { "" },
            digits,
            exponent,
        }
    }

    fn positional(&self) -> String {
        let Decimal {
            sign,
            digits,
            exponent,
        } = self;
        let Ok(last_of_whole) = usize::try_from(*exponent) else {
            let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
            return format!("{sign}0.{zeros}{digits}");
        };
        match digits.split_at_checked(last_of_whole + 1) {
            Some((whole, "")) => format!("{sign}{whole}"),
            Some((whole, fraction)) => format!("{sign}{whole}.{fraction}"),
            None => format!("{sign}{digits:0<width$}", width = last_of_whole + 1),
        }
    }

    fn scientific(&self, exponent_digits: usize) -> String {
        let (first, rest) = self.digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        let direction = if self.exponent < 0 { '-' } else { '+' };
        let exponent = self.exponent.unsigned_abs();
        format!(
            "{}{first}{point}{rest}e{direction}{exponent:0exponent_digits$}",
            self.sign
        )
    }
}

/// The fewest digits that are read back as this float, and the power of ten of the first.
fn shortest_digits(value: f64) -> (String, i32) {
    let mut text = format!("{value:e}");
    let precision = text
        .bytes()
        .take_while(|b| *b != b'e')
        .filter(u8::is_ascii_digit)
        .count()
        - 1;
    // Of two equally short and equally near texts Rust takes the larger, Go the one with an even digit.
    let even = format!("{value:.precision$e}");
    if even.parse() == Ok(value) {
        text = even;
    }
    let (mantissa, exponent) = text.split_once('e').expect("`{:e}` writes an exponent");
    let exponent = exponent.parse().expect("`{:e}` writes a decimal exponent");
    (mantissa.replace('.', ""), exponent)
}

/// How go-yaml prints a finite float: exponent form below 1e-4 and from 1e6 on.
pub(super) fn yaml_float(value: f64) -> String {
    let decimal = Decimal::new(value);
    if (-4..6).contains(&decimal.exponent) {
        decimal.positional()
    } else {
        decimal.scientific(2)
    }
}

/// How Go's JSON prints a finite float: exponent form below 1e-6 and from 1e21 on.
pub(crate) fn json_float(value: f64) -> String {
    let decimal = Decimal::new(value);
    if (-6..21).contains(&decimal.exponent) {
        decimal.positional()
    } else {
        decimal.scientific(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_in_every_base() {
        for (text, expected) in [
            ("0", Number::Int(0)),
            ("-0", Number::Int(0)),
            ("+17", Number::Int(17)),
            ("017", Number::Int(15)),
            ("0o17", Number::Int(15)),
            ("0x_1F", Number::Int(31)),
            ("0b101", Number::Int(5)),
            ("0b-1", Number::Int(-1)),
            ("08", Number::Float(8.0)),
            ("1_000", Number::Int(1000)),
            ("-9223372036854775808", Number::Int(i64::MIN)),
            ("18446744073709551615", Number::UInt(u64::MAX)),
            (
                "18446744073709551616",
                Number::Float(18446744073709551616.0),
            ),
        ] {
            assert_eq!(read(text), Some(expected), "{text}");
        }
        for text in [
            "", "-", "+", "0x", "0b", "0o8", "0xg", "--1", "1e", "e1", "1.2.3", "1e400", "0b--1",
            ".",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn floats_print_as_in_go() {
        for (value, yaml, json) in [
            (1.0, "1", "1"),
            (-0.0, "-0", "-0"),
            (100000.0, "100000", "100000"),
            (1e6, "1e+06", "1000000"),
            (123456.5, "123456.5", "123456.5"),
            (1234567.5, "1.2345675e+06", "1234567.5"),
            (0.0001, "0.0001", "0.0001"),
            (0.00001, "1e-05", "0.00001"),
            (1e-7, "1e-07", "1e-7"),
            (-9.5e-8, "-9.5e-08", "-9.5e-8"),
            (1e21, "1e+21", "1e+21"),
            (1.5e300, "1.5e+300", "1.5e+300"),
            (5e-324, "5e-324", "5e-324"),
            (
                865981779520112.2,
                "8.659817795201122e+14",
                "865981779520112.2",
            ),
            (1e-5, "1e-05", "0.00001"),
        ] {
            assert_eq!(yaml_float(value), yaml);
            assert_eq!(json_float(value), json);
        }
    }
}
