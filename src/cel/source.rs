//! Positions in the text of one expression. Offsets are bytes inside, lines and columns (in characters) outside.

use std::ops::Range;

/// Where something is in an expression: a byte range of its text.
pub type Span = Range<usize>;

/// Line and column (both from 1; the column counts characters) of a byte offset in `text`.
///
/// Only a line feed ends a line. An offset behind the text is the place just after its last character.
pub fn line_column(text: &str, offset: usize) -> (u32, u32) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let column = before[line_start..].chars().count() + 1;
    (to_u32(line), to_u32(column))
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::line_column;

    #[test]
    fn columns_count_characters_and_lines_end_at_line_feeds_only() {
        assert_eq!(line_column("a", 0), (1, 1));
        assert_eq!(line_column("ü + x", 3), (1, 3));
        assert_eq!(line_column("a\r\nb", 3), (2, 1));
        assert_eq!(line_column("a\rb", 2), (1, 3));
        assert_eq!(line_column("a\n", 9), (2, 1));
    }
}
