//! The values of literals.

use super::ast::Literal;
use super::token::Kind;

/// The value of a literal token, or cel-go's words for why it has none.
pub(in crate::cel) fn read(kind: Kind, text: &str, negative: bool) -> Result<Literal, String> {
    match kind {
        Kind::Int => int(text, negative),
        Kind::Uint => uint(&text[..text.len() - 1]),
        Kind::Float => double(text, negative),
        Kind::String => {
            let bytes = unescape(text, false)?;
            let string = String::from_utf8(bytes).map_err(|_| "invalid unicode code point")?;
            Ok(Literal::String(string.into()))
        }
        Kind::Bytes => Ok(Literal::Bytes(unescape(&text[1..], true)?.into())),
        Kind::True => Ok(Literal::Bool(true)),
        Kind::False => Ok(Literal::Bool(false)),
        _ => Ok(Literal::Null),
    }
}

fn int(text: &str, negative: bool) -> Result<Literal, String> {
    let (digits, radix) = digits(text);
    let magnitude = u64::from_str_radix(digits, radix).map_err(|_| "invalid int literal")?;
    let value = if negative {
        0_i64.checked_sub_unsigned(magnitude)
    } else {
        magnitude.try_into().ok()
    };
    Ok(Literal::Int(value.ok_or("invalid int literal")?))
}

fn uint(text: &str) -> Result<Literal, String> {
    let (digits, radix) = digits(text);
    let value = u64::from_str_radix(digits, radix).map_err(|_| "invalid uint literal")?;
    Ok(Literal::Uint(value))
}

fn digits(text: &str) -> (&str, u32) {
    text.strip_prefix("0x").map_or((text, 10), |hex| (hex, 16))
}

fn double(text: &str, negative: bool) -> Result<Literal, String> {
    let value: f64 = text.parse().map_err(|_| "invalid double literal")?;
    if value.is_infinite() {
        return Err("invalid double literal".to_owned());
    }
    Ok(Literal::Double(if negative { -value } else { value }))
}

/// Removes the quotes and replaces escapes; every line end becomes one line feed.
fn unescape(literal: &str, is_bytes: bool) -> Result<Vec<u8>, String> {
    let normalized = literal.replace("\r\n", "\n").replace('\r', "\n");
    let (raw, quoted) = match normalized.strip_prefix(['r', 'R']) {
        Some(rest) => (true, rest),
        None => (false, normalized.as_str()),
    };
    let width = if quoted.len() >= 6 && (quoted.starts_with("'''") || quoted.starts_with("\"\"\""))
    {
        3
    } else {
        1
    };
    let mut rest = &quoted[width..quoted.len() - width];
    let mut bytes = Vec::with_capacity(rest.len());
    while let Some(at) = rest.find('\\').filter(|_| !raw) {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        rest = escape(&rest[at + 1..], is_bytes, &mut bytes)?;
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

/// Writes what the escape at the front of `rest` stands for; gives what follows it.
fn escape<'t>(rest: &'t str, is_bytes: bool, bytes: &mut Vec<u8>) -> Result<&'t str, String> {
    let broken = || "unable to unescape string".to_owned();
    let letter = rest.chars().next().ok_or_else(broken)?;
    let simple = match letter {
        'a' => 0x07,
        'b' => 0x08,
        'f' => 0x0c,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 0x0b,
        '\\' | '\'' | '"' | '`' | '?' => letter as u8,
        'u' | 'U' if is_bytes => return Err(broken()),
        'x' | 'X' => return code_point(&rest[1..], 2, 16, is_bytes, bytes),
        'u' => return code_point(&rest[1..], 4, 16, is_bytes, bytes),
        'U' => return code_point(&rest[1..], 8, 16, is_bytes, bytes),
        '0'..='3' => return code_point(rest, 3, 8, is_bytes, bytes),
        _ => return Err(broken()),
    };
    bytes.push(simple);
    Ok(&rest[1..])
}

fn code_point<'t>(
    rest: &'t str,
    count: usize,
    radix: u32,
    is_bytes: bool,
    bytes: &mut Vec<u8>,
) -> Result<&'t str, String> {
    let broken = || "unable to unescape string".to_owned();
    let digits = rest.get(..count).ok_or_else(broken)?;
    let value = u32::from_str_radix(digits, radix).map_err(|_| broken())?;
    match u8::try_from(value) {
        Ok(byte) if is_bytes => bytes.push(byte),
        _ => {
            let character =
                char::from_u32(value).ok_or_else(|| "invalid unicode code point".to_owned())?;
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    Ok(&rest[count..])
}
