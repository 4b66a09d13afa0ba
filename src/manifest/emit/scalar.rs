//! The style in which a string is written: plain, quoted or literal.

use super::resolve;

/// How a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// As it is.
    Plain,
    /// In `'`, with `'` doubled.
    SingleQuoted,
    /// In `"`, with escapes.
    DoubleQuoted,
    /// As a `|` block.
    Literal,
}

/// What the emitter knows about a string before it writes it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Analysis {
    /// The style in which the string is written as a value.
    pub(super) style: Style,
    /// Whether the string has a line break; U+2028 and U+2029 are breaks too.
    pub(super) multiline: bool,
}

/// Decides how a string is written.
pub(super) fn analyze(text: &str) -> Analysis {
    let traits = Traits::of(text);
    let style = if text.contains('\n') {
        traits.literal()
    } else if resolve::is_string(text) {
        traits.plain_or_quoted()
    } else {
        Style::DoubleQuoted
    };
    Analysis {
        style,
        multiline: traits.has_break,
    }
}

/// What restricts the choice of a style.
#[derive(Debug, Default)]
struct Traits {
    /// Something in the text has a meaning in YAML.
    indicator: bool,
    has_break: bool,
    /// A character that only an escape can show.
    unprintable: bool,
    /// The first or last character is a space or a break.
    blank_edge: bool,
    trailing_space: bool,
    space_after_break: bool,
    space_before_break: bool,
}

impl Traits {
    fn of(text: &str) -> Self {
        let mut traits = Traits {
            indicator: starts_with_indicator(text),
            blank_edge: text.starts_with(is_space_or_break) || text.ends_with(is_space_or_break),
            trailing_space: text.ends_with(' '),
            ..Traits::default()
        };
        let mut previous = None;
        let mut characters = text.chars().peekable();
        while let Some(c) = characters.next() {
            traits.unprintable |= !is_printable(c);
            match c {
                ' ' => traits.space_after_break |= previous.is_some_and(is_break),
                ':' => traits.indicator |= characters.peek().is_none_or(|next| is_blank(*next)),
                '#' => {
                    traits.indicator |=
                        previous.is_none_or(|c| is_blank(c) || is_break(c) || c == '\0')
                }
                _ if is_break(c) => {
                    traits.has_break = true;
                    traits.space_before_break |= previous == Some(' ');
                }
                _ => {}
            }
            previous = Some(c);
        }
        traits
    }

    fn literal(&self) -> Style {
        if self.trailing_space || self.space_before_break || self.unprintable {
            Style::DoubleQuoted
        } else {
            Style::Literal
        }
    }

    fn plain_or_quoted(&self) -> Style {
        if self.space_after_break || self.space_before_break || self.unprintable {
            Style::DoubleQuoted
        } else if self.indicator || self.blank_edge || self.has_break {
            Style::SingleQuoted
        } else {
            Style::Plain
        }
    }
}

fn starts_with_indicator(text: &str) -> bool {
    let mut characters = text.chars();
    match characters.next() {
        Some(
            '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%'
            | '@' | '`',
        ) => true,
        Some('-' | '?' | ':') => characters.next().is_none_or(is_blank) || text.starts_with("---"),
        Some('.') => text.starts_with("..."),
        _ => false,
    }
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

fn is_space_or_break(c: char) -> bool {
    c == ' ' || is_break(c)
}

/// The emitter's line breaks.
pub(super) fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether the emitter writes the character as it is. A tab and everything beyond the basic plane is escaped.
pub(super) fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{A0}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}')
        && c != '\u{FEFF}'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn style_of_each_kind_of_text() {
        use Style::*;
        for (text, style) in [
            ("a b", Plain),
            ("-a", Plain),
            (":a", Plain),
            ("a#b", Plain),
            ("a,b", Plain),
            ("a?", Plain),
            ("=", Plain),
            ("", DoubleQuoted),
            ("true", DoubleQuoted),
            ("a\tb", DoubleQuoted),
            ("\u{1F600}", DoubleQuoted),
            ("\u{FEFF}a", DoubleQuoted),
            ("a: b", SingleQuoted),
            ("a:", SingleQuoted),
            ("a #b", SingleQuoted),
            ("- a", SingleQuoted),
            ("---", SingleQuoted),
            ("...a", SingleQuoted),
            (" a", SingleQuoted),
            ("a ", SingleQuoted),
            ("@a", SingleQuoted),
            ("a\u{2028}b", SingleQuoted),
            ("a\u{2028} b", DoubleQuoted),
            ("a \u{2028}b", DoubleQuoted),
            ("a\nb", Literal),
            ("\n", Literal),
            (" a\n b", Literal),
            ("a\nb ", DoubleQuoted),
            ("a \nb", DoubleQuoted),
            ("a\n\tb", DoubleQuoted),
        ] {
            assert_eq!(analyze(text).style, style, "{text:?}");
        }
    }
}
