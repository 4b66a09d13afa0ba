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

/// Finds lines and columns of many offsets, given in ascending order, in one pass over the text.
pub(super) struct Positions<'t> {
    text: &'t str,
    offset: usize,
    line: u32,
    column: u32,
}

impl<'t> Positions<'t> {
    pub(super) fn new(text: &'t str) -> Positions<'t> {
        Positions {
            text,
            offset: 0,
            line: 1,
            column: 1,
        }
    }

    /// Line and column of an offset that is not before the last one asked for.
    pub(super) fn find(&mut self, offset: usize) -> (u32, u32) {
        let passed = self.text.get(self.offset..offset).unwrap_or_default();
        for character in passed.chars() {
            if character == '\n' {
                self.line = self.line.saturating_add(1);
                self.column = 1;
            } else {
                self.column = self.column.saturating_add(1);
            }
        }
        self.offset = self.offset.max(offset);
        (self.line, self.column)
    }
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Positions, line_column};

    #[test]
    fn columns_count_characters_and_lines_end_at_line_feeds_only() {
        assert_eq!(line_column("a", 0), (1, 1));
        assert_eq!(line_column("ü + x", 3), (1, 3));
        assert_eq!(line_column("a\r\nb", 3), (2, 1));
        assert_eq!(line_column("a\rb", 2), (1, 3));
        assert_eq!(line_column("a\n", 9), (2, 1));
    }

    #[test]
    fn one_pass_finds_the_same_places() {
        let text = "ab\nü = x\n\n y";
        let mut positions = Positions::new(text);
        for (offset, _) in text.char_indices() {
            assert_eq!(positions.find(offset), line_column(text, offset));
        }
    }
}
