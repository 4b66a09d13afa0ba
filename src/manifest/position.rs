//! Byte offsets to lines and columns.

use super::node::Pos;

/// Turns offsets in a part of a file into positions in the file. Asked in ascending order it takes
/// time linear in the text. Lines end with a line feed and nothing else, as editors and compilers
/// count them.
#[derive(Debug, Clone)]
pub(super) struct Locator<'a> {
    text: &'a [u8],
    start: Pos,
    at: usize,
    pos: Pos,
}

impl<'a> Locator<'a> {
    /// `start` is the position of the first byte.
    pub(super) fn new(text: &'a [u8], start: Pos) -> Self {
        Locator {
            text,
            start,
            at: 0,
            pos: start,
        }
    }

    /// The position of the character at `offset` (or of the end).
    pub(super) fn pos(&mut self, offset: usize) -> Pos {
        let offset = offset.min(self.text.len());
        if offset < self.at {
            self.at = 0;
            self.pos = self.start;
        }
        for &byte in &self.text[self.at..offset] {
            if byte == b'\n' {
                self.pos.line = self.pos.line.saturating_add(1);
                self.pos.column = 1;
            } else if byte & 0xC0 != 0x80 {
                self.pos.column = self.pos.column.saturating_add(1);
            }
        }
        self.at = offset;
        self.pos
    }
}
