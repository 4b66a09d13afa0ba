//! Text → tokens. The longest match wins; a character that starts no token is reported and skipped, as the
//! upstream lexer does, so that the parser sees what is left.

use super::token::{Kind, Token};

/// A piece of text that is no token.
#[derive(Debug)]
pub(in crate::cel) struct Unrecognized {
    pub(in crate::cel) start: usize,
    pub(in crate::cel) end: usize,
}

/// Every token of `text`, closed by one of kind `End`, and what was skipped.
pub(in crate::cel) fn tokens(text: &str) -> (Vec<Token>, Vec<Unrecognized>) {
    let mut tokens = Vec::new();
    let mut skipped = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match scan(&text.as_bytes()[at..]) {
            Scan::Hidden(length) => at += length,
            Scan::Token(kind, length) => {
                tokens.push(Token {
                    kind,
                    start: at,
                    end: at + length,
                });
                at += length;
            }
            Scan::Fail(length) => {
                // The failing character belongs to the report and is skipped with it.
                let failing = at + length;
                let width = text[failing..].chars().next().map_or(0, char::len_utf8);
                skipped.push(Unrecognized {
                    start: at,
                    end: failing + width,
                });
                at = failing + width;
            }
        }
    }
    tokens.push(Token {
        kind: Kind::End,
        start: text.len(),
        end: text.len(),
    });
    (tokens, skipped)
}

enum Scan {
    /// White space or a comment of so many bytes.
    Hidden(usize),
    Token(Kind, usize),
    /// No token; so many bytes were read before the character that fits nothing.
    Fail(usize),
}

fn scan(rest: &[u8]) -> Scan {
    let byte_at = |index: usize| rest.get(index).copied();
    let one = |kind| Scan::Token(kind, 1);
    let either = |second: u8, long: Kind, short: Scan| {
        if byte_at(1) == Some(second) {
            Scan::Token(long, 2)
        } else {
            short
        }
    };
    match rest[0] {
        b' ' | b'\t' | b'\r' | b'\n' | 0x0c => Scan::Hidden(run(rest, 0, is_space)),
        b'/' if byte_at(1) == Some(b'/') => Scan::Hidden(run(rest, 0, |byte| byte != b'\n')),
        b'[' => one(Kind::LeftBracket),
        b']' => one(Kind::RightBracket),
        b'{' => one(Kind::LeftBrace),
        b'}' => one(Kind::RightBrace),
        b'(' => one(Kind::LeftParen),
        b')' => one(Kind::RightParen),
        b'.' if byte_at(1).is_some_and(|byte| byte.is_ascii_digit()) => number(rest),
        b'.' => one(Kind::Dot),
        b',' => one(Kind::Comma),
        b'-' => one(Kind::Minus),
        b'?' => one(Kind::Question),
        b':' => one(Kind::Colon),
        b'+' => one(Kind::Plus),
        b'*' => one(Kind::Star),
        b'/' => one(Kind::Slash),
        b'%' => one(Kind::Percent),
        b'!' => either(b'=', Kind::NotEquals, one(Kind::Exclamation)),
        b'<' => either(b'=', Kind::LessEquals, one(Kind::Less)),
        b'>' => either(b'=', Kind::GreaterEquals, one(Kind::Greater)),
        b'=' => either(b'=', Kind::Equals, Scan::Fail(1)),
        b'&' => either(b'&', Kind::And, Scan::Fail(1)),
        b'|' => either(b'|', Kind::Or, Scan::Fail(1)),
        b'`' => escaped_identifier(rest),
        b'0'..=b'9' => number(rest),
        b'"' | b'\'' => quoted(rest, 0, Kind::String, None),
        byte if byte == b'_' || byte.is_ascii_alphabetic() => word(rest),
        _ => Scan::Fail(0),
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0c)
}

fn run(rest: &[u8], from: usize, accept: impl Fn(u8) -> bool) -> usize {
    from + rest[from..]
        .iter()
        .take_while(|byte| accept(**byte))
        .count()
}

fn digits(rest: &[u8], from: usize) -> usize {
    run(rest, from, |byte| byte.is_ascii_digit())
}

fn is_word(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric()
}

fn number(rest: &[u8]) -> Scan {
    let unsigned = |end: usize| match rest.get(end) {
        Some(b'u' | b'U') => Scan::Token(Kind::Uint, end + 1),
        _ => Scan::Token(Kind::Int, end),
    };
    if rest.starts_with(b"0x") {
        let end = run(rest, 2, |byte| byte.is_ascii_hexdigit());
        if end > 2 {
            return unsigned(end);
        }
    }
    let whole = digits(rest, 0);
    let mut end = whole;
    let has_fraction = rest.get(whole) == Some(&b'.') && digits(rest, whole + 1) > whole + 1;
    if has_fraction {
        end = digits(rest, whole + 1);
    }
    match exponent(rest, end) {
        Some(end) => Scan::Token(Kind::Float, end),
        None if has_fraction => Scan::Token(Kind::Float, end),
        None => unsigned(whole),
    }
}

fn exponent(rest: &[u8], from: usize) -> Option<usize> {
    let sign = matches!(rest.get(from), Some(b'e' | b'E')).then_some(from + 1)?;
    let first = if matches!(rest.get(sign), Some(b'+' | b'-')) {
        sign + 1
    } else {
        sign
    };
    let end = digits(rest, first.min(rest.len()));
    (end > first).then_some(end)
}

fn word(rest: &[u8]) -> Scan {
    let end = run(rest, 0, is_word);
    let kind = match &rest[..end] {
        b"in" => Kind::In,
        b"true" => Kind::True,
        b"false" => Kind::False,
        b"null" => Kind::Null,
        _ => Kind::Identifier,
    };
    let quote = match (&rest[..end], rest.get(end)) {
        (b"r" | b"R", Some(b'"' | b'\'')) => quoted(rest, 1, Kind::String, Some(end)),
        (b"b" | b"B" | b"br" | b"bR" | b"Br" | b"BR", Some(b'"' | b'\'')) => {
            quoted(rest, end, Kind::Bytes, Some(end))
        }
        _ => return Scan::Token(kind, end),
    };
    match quote {
        Scan::Fail(_) => Scan::Token(kind, end),
        found => found,
    }
}

/// A string or bytes literal whose quote is at `open`; `prefix` is the length of the letters before it.
fn quoted(rest: &[u8], open: usize, kind: Kind, prefix: Option<usize>) -> Scan {
    let raw = open > 0 && matches!(rest[open - 1], b'r' | b'R');
    let quote = rest[open];
    let short = short_string(rest, open + 1, quote, raw);
    let is_triple = rest[open..].starts_with(&[quote; 3]);
    if is_triple && let Ok(end) = long_string(rest, open + 3, quote, raw) {
        return Scan::Token(kind, end);
    }
    match short {
        Ok(end) => Scan::Token(kind, end),
        Err(failing) => Scan::Fail(if prefix.is_some() { 0 } else { failing }),
    }
}

/// The end of a string in single quotes, or where it stops being one.
fn short_string(rest: &[u8], from: usize, quote: u8, raw: bool) -> Result<usize, usize> {
    let mut at = from;
    loop {
        match rest.get(at) {
            None | Some(b'\n' | b'\r') => return Err(at),
            Some(byte) if *byte == quote => return Ok(at + 1),
            Some(b'\\') if !raw => at = escape(rest, at)?,
            Some(_) => at += 1,
        }
    }
}

fn long_string(rest: &[u8], from: usize, quote: u8, raw: bool) -> Result<usize, usize> {
    let mut at = from;
    loop {
        match rest.get(at) {
            None => return Err(at),
            Some(_) if rest[at..].starts_with(&[quote; 3]) => return Ok(at + 3),
            Some(b'\\') if !raw => at = escape(rest, at)?,
            Some(_) => at += 1,
        }
    }
}

/// The end of the escape sequence at `at`, or where it stops being one.
fn escape(rest: &[u8], at: usize) -> Result<usize, usize> {
    let hex = |count: usize| {
        let end = run(rest, at + 2, |byte| byte.is_ascii_hexdigit()).min(at + 2 + count);
        if end == at + 2 + count {
            Ok(end)
        } else {
            Err(end)
        }
    };
    match rest.get(at + 1) {
        Some(
            b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'"' | b'\'' | b'\\' | b'?' | b'`',
        ) => Ok(at + 2),
        Some(b'x' | b'X') => hex(2),
        Some(b'u') => hex(4),
        Some(b'U') => hex(8),
        Some(b'0'..=b'3') => {
            let end = run(rest, at + 2, |byte| (b'0'..=b'7').contains(&byte)).min(at + 4);
            if end == at + 4 { Ok(end) } else { Err(end) }
        }
        _ => Err(at + 1),
    }
}

fn escaped_identifier(rest: &[u8]) -> Scan {
    let end = run(rest, 1, |byte| {
        is_word(byte) || matches!(byte, b'.' | b'-' | b'/' | b' ')
    });
    if end > 1 && rest.get(end) == Some(&b'`') {
        Scan::Token(Kind::EscapedIdentifier, end + 1)
    } else {
        Scan::Fail(end)
    }
}
