//! Text from manifests or a cluster must not drive the terminal.

use std::borrow::Cow;
use std::fmt::Write;

/// The text with control characters, line separators and direction marks written as `\n`, `\u{1b}`
/// and so on.
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => safe.push_str("\\n"),
            '\r' => safe.push_str("\\r"),
            '\t' => safe.push_str("\\t"),
            c if is_unsafe(c) => {
                write!(safe, "\\u{{{:x}}}", u32::from(c)).expect("writing to a String cannot fail")
            }
            c => safe.push(c),
        }
    }
    Cow::Owned(safe)
}

fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{feff}'
        )
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn escape_sequences_and_direction_marks_lose_their_power() {
        assert_eq!(escape("\u{1b}[31mred\n"), "\\u{1b}[31mred\\n");
        assert_eq!(escape("a\u{202e}b\u{9b}"), "a\\u{202e}b\\u{9b}");
        assert_eq!(escape("grün – 日本"), "grün – 日本");
    }
}
