//! What a scalar means: go-yaml v2's rules, which are YAML 1.1 with exceptions.

use std::borrow::Cow;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::timestamp::is_timestamp;
use crate::manifest::text::replace_invalid;

/// A scalar's value before YAML becomes JSON.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Resolved<'a> {
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Float(f64),
    Str(Cow<'a, str>),
}

/// The tags that mean something for scalars, without their common prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    None,
    Str,
    Bool,
    Int,
    Float,
    Null,
    Timestamp,
    Binary,
    /// Any other: the scalar is a string.
    Other,
}

impl Tag {
    fn of(tag: Option<&[u8]>) -> Self {
        let Some(tag) = tag else { return Tag::None };
        match tag.strip_prefix(b"tag:yaml.org,2002:") {
            Some(b"str") => Tag::Str,
            Some(b"bool") => Tag::Bool,
            Some(b"int") => Tag::Int,
            Some(b"float") => Tag::Float,
            Some(b"null") => Tag::Null,
            Some(b"timestamp") => Tag::Timestamp,
            Some(b"binary") => Tag::Binary,
            _ => Tag::Other,
        }
    }
}

/// What a scalar with this tag means; `implicit` as in [`super::parser::Scalar`].
pub(super) fn resolve<'a>(
    tag: Option<&[u8]>,
    implicit: bool,
    text: Cow<'a, str>,
) -> Result<Resolved<'a>, &'static str> {
    let tag = match Tag::of(tag) {
        Tag::None if !implicit => Tag::Str,
        tag => tag,
    };
    match tag {
        Tag::Str | Tag::Other => return Ok(Resolved::Str(text)),
        Tag::Binary => return decode_binary(&text),
        _ => {}
    }
    let value = guess(&text).unwrap_or(Resolved::Str(Cow::Borrowed("")));
    match (tag, value) {
        (Tag::None, Resolved::Str(_)) => Ok(Resolved::Str(text)),
        (Tag::Timestamp, Resolved::Str(_)) if is_timestamp(&text) => Ok(Resolved::Str(text)),
        (Tag::Float, Resolved::Int(int)) => Ok(Resolved::Float(int as f64)),
        (Tag::None, value)
        | (Tag::Null, value @ Resolved::Null)
        | (Tag::Bool, value @ Resolved::Bool(_))
        | (Tag::Int, value @ (Resolved::Int(_) | Resolved::UInt(_)))
        | (Tag::Float, value @ Resolved::Float(_)) => Ok(value),
        _ => Err("the value does not fit its tag: remove the tag, or correct the value"),
    }
}

/// What a text means if it is not a string.
fn guess(text: &str) -> Option<Resolved<'static>> {
    let first = text.bytes().next().unwrap_or(b'~');
    match first {
        b'~' | b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' => word(text),
        b'.' => word(text).or_else(|| dotted_float(text).map(Resolved::Float)),
        b'+' | b'-' | b'0'..=b'9' => word(text).or_else(|| number(text)),
        _ => None,
    }
}

fn word(text: &str) -> Option<Resolved<'static>> {
    Some(match text {
        "" | "~" | "null" | "Null" | "NULL" => Resolved::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Resolved::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Resolved::Bool(false)
        }
        ".nan" | ".NaN" | ".NAN" => Resolved::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Resolved::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Resolved::Float(f64::NEG_INFINITY),
        _ => return None,
    })
}

/// A number that starts with a digit or sign. Underscores count as absent.
fn number(text: &str) -> Option<Resolved<'static>> {
    let plain: Cow<'_, str> = if text.contains('_') {
        text.replace('_', "").into()
    } else {
        text.into()
    };
    integer(&plain)
        .or_else(|| decimal_float(&plain).map(Resolved::Float))
        .or_else(|| {
            // Only here a sign may follow the prefix.
            let digits = plain.strip_prefix("0b")?;
            i64::from_str_radix(digits, 2).ok().map(Resolved::Int)
        })
}

/// An integer with sign and prefix as Go's `strconv.ParseInt(text, 0, 64)` knows them: `0x`, `0b`,
/// `0o` and a leading `0` for octal, too.
fn integer(text: &str) -> Option<Resolved<'static>> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let signed = digits.len() < text.len();
    let bytes = digits.as_bytes();
    let (radix, digits) = match (bytes.first(), bytes.get(1)) {
        (Some(b'0'), Some(b'x' | b'X')) => (16, &digits[2..]),
        (Some(b'0'), Some(b'b' | b'B')) => (2, &digits[2..]),
        (Some(b'0'), Some(b'o' | b'O')) => (8, &digits[2..]),
        (Some(b'0'), Some(_)) => (8, &digits[1..]),
        _ => (10, digits),
    };
    // The standard parser would take another sign.
    if !digits.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    let magnitude = u64::from_str_radix(digits, radix).ok()?;
    if text.starts_with('-') {
        return 0i64.checked_sub_unsigned(magnitude).map(Resolved::Int);
    }
    match i64::try_from(magnitude) {
        Ok(int) => Some(Resolved::Int(int)),
        Err(_) if signed => None,
        Err(_) => Some(Resolved::UInt(magnitude)),
    }
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?` that fits a float.
fn decimal_float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let all_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let mantissa_fits = match mantissa.split_once('.') {
        Some((whole, fraction)) => {
            all_digits(whole) && all_digits(fraction) && !(whole.is_empty() && fraction.is_empty())
        }
        None => !mantissa.is_empty() && all_digits(mantissa),
    };
    let exponent_fits = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !digits.is_empty() && all_digits(digits)
    });
    if !mantissa_fits || !exponent_fits {
        return None;
    }
    text.parse().ok().filter(|float: &f64| float.is_finite())
}

/// A float that starts with a point. Here underscores count only between digits.
fn dotted_float(text: &str) -> Option<f64> {
    let is_digit = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let separates = |(at, _): (usize, &str)| at > 0 && is_digit(at - 1) && is_digit(at + 1);
    if !text.match_indices('_').all(separates) {
        return None;
    }
    decimal_float(&text.replace('_', ""))
}

/// Base64 as Go's standard decoder takes it: with padding, line breaks anywhere, and left-over bits
/// ignored. The bytes become a string, each wrong one U+FFFD.
fn decode_binary(text: &str) -> Result<Resolved<'static>, &'static str> {
    const DECODER: GeneralPurpose = GeneralPurpose::new(
        &alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_allow_trailing_bits(true)
            .with_decode_padding_mode(DecodePaddingMode::RequireCanonical),
    );
    let one_line: String = text.chars().filter(|c| !matches!(c, '\r' | '\n')).collect();
    let bytes = DECODER
        .decode(one_line)
        .map_err(|_| "the value of a !!binary must be base64")?;
    Ok(Resolved::Str(replace_invalid(&bytes).into()))
}
