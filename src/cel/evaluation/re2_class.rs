//! Character classes and escapes in Go's regular expressions.

use std::fmt;

/// A set of characters, written for the `regex` crate.
#[derive(Debug)]
pub(in crate::cel) struct Class(String);

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

type Read<'p, T> = Result<(T, &'p str), String>;

/// A class in brackets at the front of `text`.
pub(in crate::cel) fn bracketed(text: &str) -> Read<'_, Class> {
    let unclosed = || format!("missing closing ]: `{text}`");
    let mut rest = &text[1..];
    let mut class = "[".to_owned();
    if let Some(behind) = rest.strip_prefix('^') {
        class.push('^');
        rest = behind;
    }
    let mut is_first = true;
    loop {
        if !is_first && let Some(behind) = rest.strip_prefix(']') {
            class.push(']');
            return Ok((Class(class), behind));
        }
        is_first = false;
        if let Some((inner, behind)) = named(rest)? {
            class.push_str(&inner.0);
            rest = behind;
        } else if let Some((inner, behind)) = escaped(rest)? {
            class.push_str(&inner.0);
            rest = behind;
        } else {
            let (range, behind) = range(rest, &unclosed)?;
            class.push_str(&range);
            rest = behind;
        }
    }
}

/// One character or `a-z`.
fn range<'p>(text: &'p str, unclosed: &dyn Fn() -> String) -> Read<'p, String> {
    let (low, mut rest) = character(text, unclosed)?;
    let mut high = low;
    if let Some(behind) = rest
        .strip_prefix('-')
        .filter(|behind| !behind.starts_with(']'))
        && !behind.is_empty()
    {
        (high, rest) = character(behind, unclosed)?;
        if high < low {
            let range = &text[..text.len() - rest.len()];
            return Err(format!("invalid character class range: `{range}`"));
        }
    }
    // Halves of surrogate pairs are in no text and the crate cannot spell them.
    let low = if (0xd800..0xe000).contains(&low) {
        0xe000
    } else {
        low
    };
    let high = if (0xd800..0xe000).contains(&high) {
        0xd7ff
    } else {
        high
    };
    let range = match low <= high {
        true => format!("\\x{{{low:x}}}-\\x{{{high:x}}}"),
        false => "[a&&b]".to_owned(),
    };
    Ok((range, rest))
}

fn character<'p>(text: &'p str, unclosed: &dyn Fn() -> String) -> Read<'p, u32> {
    if text.starts_with('\\') {
        return escaped_character(text);
    }
    let first = text.chars().next().ok_or_else(unclosed)?;
    Ok((first.into(), &text[first.len_utf8()..]))
}

/// `[:alpha:]`, inside brackets only.
fn named(text: &str) -> Result<Option<(Class, &str)>, String> {
    let Some((name, rest)) = text
        .strip_prefix("[:")
        .and_then(|text| text.split_once(":]"))
    else {
        return Ok(None);
    };
    let known = [
        "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
        "space", "upper", "word", "xdigit",
    ];
    if !known.contains(&name.strip_prefix('^').unwrap_or(name)) {
        return Err(format!("invalid character class range: `[:{name}:]`"));
    }
    Ok(Some((Class(format!("[[:{name}:]]")), rest)))
}

/// `\d`, `\pL` and their like at the front of `text`.
pub(in crate::cel) fn escaped(text: &str) -> Result<Option<(Class, &str)>, String> {
    let mut characters = text.chars();
    let (Some('\\'), Some(letter)) = (characters.next(), characters.next()) else {
        return Ok(None);
    };
    let class = match letter {
        'd' => "[0-9]",
        'D' => "[^0-9]",
        's' => "[\\t\\n\\x0c\\r ]",
        'S' => "[^\\t\\n\\x0c\\r ]",
        'w' => "[0-9A-Za-z_]",
        'W' => "[^0-9A-Za-z_]",
        'p' | 'P' => return unicode(text, letter == 'P').map(Some),
        _ => return Ok(None),
    };
    Ok(Some((Class(class.to_owned()), characters.as_str())))
}

/// `\pL`, `\p{Greek}`, `\P{^Greek}`
fn unicode(text: &str, negated: bool) -> Read<'_, Class> {
    let behind = &text[2..];
    let invalid = |rest: &str| {
        format!(
            "invalid character class range: `{}`",
            &text[..text.len() - rest.len()]
        )
    };
    let (name, rest) = match behind.strip_prefix('{') {
        Some(inside) => inside.split_once('}').ok_or_else(|| invalid(""))?,
        None => {
            let width = behind.chars().next().map_or(0, char::len_utf8);
            behind.split_at(width)
        }
    };
    let (name, negated) = match name.strip_prefix('^') {
        Some(name) => (name, !negated),
        None => (name, negated),
    };
    let letter = if negated { 'P' } else { 'p' };
    let is_name = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || " _-".contains(c));
    let spellings = ["gc", "sc"].map(|property| format!("\\{letter}{{{property}={name}}}"));
    let known = spellings
        .into_iter()
        .find(|spelling| regex_syntax::parse(spelling).is_ok());
    match known.filter(|_| is_name && !name.is_empty()) {
        Some(spelling) => Ok((Class(format!("[{spelling}]")), rest)),
        None => Err(invalid(rest)),
    }
}

/// The character that an escape at the front of `text` stands for.
pub(in crate::cel) fn escaped_character(text: &str) -> Read<'_, u32> {
    let behind = &text[1..];
    let Some(letter) = behind.chars().next() else {
        return Err("trailing backslash at end of expression: ``".to_owned());
    };
    let rest = &behind[letter.len_utf8()..];
    let is_octal = |text: &str| text.starts_with(|c: char| ('0'..='7').contains(&c));
    let code = match letter {
        '0' => return Ok(octal(behind)),
        '1'..='7' if is_octal(rest) => return Ok(octal(behind)),
        'x' => return hexadecimal(text, rest),
        'a' => 0x07,
        'f' => 0x0c,
        'n' => 0x0a,
        'r' => 0x0d,
        't' => 0x09,
        'v' => 0x0b,
        other if other.is_ascii() && !other.is_ascii_alphanumeric() => other.into(),
        _ => return Err(invalid_escape(text, rest)),
    };
    Ok((code, rest))
}

fn invalid_escape(text: &str, rest: &str) -> String {
    format!(
        "invalid escape sequence: `{}`",
        &text[..text.len() - rest.len()]
    )
}

/// Up to three octal digits.
fn octal(text: &str) -> (u32, &str) {
    let count = text
        .bytes()
        .take(3)
        .take_while(|byte| (b'0'..=b'7').contains(byte))
        .count();
    (
        u32::from_str_radix(&text[..count], 8).unwrap_or(0),
        &text[count..],
    )
}

/// Two digits, or any number of them in braces.
fn hexadecimal<'p>(text: &'p str, behind: &'p str) -> Read<'p, u32> {
    if let Some(inside) = behind.strip_prefix('{') {
        return braced(text, inside);
    }
    let digits = behind
        .get(..2)
        .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
    match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
        Some(code) => Ok((code, &behind[2..])),
        None => {
            let read = behind.chars().take(2).map(char::len_utf8).sum();
            Err(invalid_escape(text, &behind[read..]))
        }
    }
}

/// Digits up to a closing brace; what is wrong ends what an error shows.
fn braced<'p>(text: &'p str, inside: &'p str) -> Read<'p, u32> {
    let mut code = 0;
    for (at, letter) in inside.char_indices() {
        let rest = &inside[at + letter.len_utf8()..];
        if letter == '}' && at > 0 {
            return Ok((code, rest));
        }
        code = letter
            .to_digit(16)
            .map(|digit| code * 16 + digit)
            .filter(|code| *code <= 0x10_ffff)
            .ok_or_else(|| invalid_escape(text, rest))?;
    }
    Err(invalid_escape(text, ""))
}
