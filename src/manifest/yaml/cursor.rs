//! A place in a text that knows its line, column and index the way YAML 1.1 counts them.
//!
//! Line breaks are LF, CR, CR LF, U+0085, U+2028 and U+2029; columns and indices count characters.

/// Classes of bytes, as bits, so that runs of text are skipped by table.
pub(super) mod class {
    pub(crate) const BLANK: u8 = 1;
    /// The first byte of what may be a line break, and NUL (the end of the text).
    pub(crate) const BREAK: u8 = 2;
    pub(crate) const FLOW: u8 = 4;
    pub(crate) const COLON: u8 = 8;
    pub(crate) const QUOTE: u8 = 16;
    pub(crate) const DOUBLE_QUOTE: u8 = 32;
    /// Letters, digits, `_` and `-`: what names of anchors and tag handles are made of.
    pub(crate) const WORD: u8 = 64;

    pub(crate) static TABLE: [u8; 256] = table();

    const fn table() -> [u8; 256] {
        let mut table = [0; 256];
        table[b' ' as usize] = BLANK;
        table[b'\t' as usize] = BLANK;
        table[0] = BREAK;
        table[b'\n' as usize] = BREAK;
        table[b'\r' as usize] = BREAK;
        table[0xC2] = BREAK;
        table[0xE2] = BREAK;
        table[b':' as usize] = COLON;
        table[b'\'' as usize] = QUOTE;
        table[b'"' as usize] = DOUBLE_QUOTE;
        table[b'\\' as usize] = DOUBLE_QUOTE;
        let flow = b",?[]{}";
        let mut i = 0;
        while i < flow.len() {
            table[flow[i] as usize] = FLOW;
            i += 1;
        }
        let mut byte = 0;
        while byte < 128 {
            let b = byte as u8;
            if b.is_ascii_alphanumeric() || b == b'_' || b == b'-' {
                table[byte] = WORD;
            }
            byte += 1;
        }
        table
    }
}

/// See the module's documentation.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    pos: usize,
    /// UTF-8 continuation bytes passed so far: `pos - wide` is the index in characters.
    wide: usize,
    line: usize,
    /// The index at which the line starts.
    line_index: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Cursor {
            text,
            pos: 0,
            wide: 0,
            line: 0,
            line_index: 0,
        }
    }

    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    pub(super) fn line(&self) -> usize {
        self.line
    }

    pub(super) fn index(&self) -> usize {
        self.pos - self.wide
    }

    pub(super) fn column(&self) -> usize {
        self.index() - self.line_index
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> &'a str {
        &self.text[from..to]
    }

    /// The byte `ahead` bytes from here; 0 beyond the end (the text itself holds no NUL).
    pub(super) fn peek(&self, ahead: usize) -> u8 {
        self.text
            .as_bytes()
            .get(self.pos + ahead)
            .copied()
            .unwrap_or(0)
    }

    pub(super) fn at_end(&self) -> bool {
        self.pos >= self.text.len()
    }

    pub(super) fn starts_with(&self, what: &str) -> bool {
        self.text.as_bytes()[self.pos..].starts_with(what.as_bytes())
    }

    /// Bytes of the line break `ahead` bytes from here, 0 if there is none.
    pub(super) fn break_width(&self, ahead: usize) -> usize {
        match self.peek(ahead) {
            b'\r' if self.peek(ahead + 1) == b'\n' => 2,
            b'\n' | b'\r' => 1,
            0xC2 if self.peek(ahead + 1) == 0x85 => 2,
            0xE2 if self.peek(ahead + 1) == 0x80 && matches!(self.peek(ahead + 2), 0xA8 | 0xA9) => {
                3
            }
            _ => 0,
        }
    }

    pub(super) fn is_blank(&self, ahead: usize) -> bool {
        matches!(self.peek(ahead), b' ' | b'\t')
    }

    pub(super) fn is_break(&self, ahead: usize) -> bool {
        self.break_width(ahead) > 0
    }

    pub(super) fn is_break_or_end(&self, ahead: usize) -> bool {
        self.peek(ahead) == 0 || self.is_break(ahead)
    }

    pub(super) fn is_blank_or_end(&self, ahead: usize) -> bool {
        self.is_blank(ahead) || self.is_break_or_end(ahead)
    }

    /// Whether a `---` or `...` of its own stands at the start of this line.
    pub(super) fn at_document_indicator(&self) -> bool {
        self.column() == 0
            && (self.starts_with("---") || self.starts_with("..."))
            && self.is_blank_or_end(3)
    }

    /// Passes one character that is not a line break.
    pub(super) fn skip(&mut self) {
        let width = match self.peek(0) {
            0..=0x7F => 1,
            0x80..=0xDF => 2,
            0xE0..=0xEF => 3,
            _ => 4,
        };
        self.pos += width;
        self.wide += width - 1;
    }

    /// Passes `count` ASCII characters.
    pub(super) fn skip_ascii(&mut self, count: usize) {
        self.pos += count;
    }

    /// Passes a line break if there is one and returns what it means in a scalar.
    pub(super) fn skip_break(&mut self) -> &'static str {
        let (width, meaning) = match (self.break_width(0), self.peek(2)) {
            (0, _) => return "",
            (3, 0xA8) => (3, "\u{2028}"),
            (3, _) => (3, "\u{2029}"),
            (width, _) => (width, "\n"),
        };
        let ascii = self.peek(0) < 0x80;
        self.pos += width;
        self.wide += if ascii { 0 } else { width - 1 };
        self.line += 1;
        self.line_index = self.index();
        meaning
    }

    /// Passes characters up to one of the given classes of bytes (see [`class`]); a byte that only
    /// looks like a line break does not stop.
    pub(super) fn skip_until(&mut self, classes: u8) {
        let bytes = self.text.as_bytes();
        loop {
            while let Some(&byte) = bytes.get(self.pos) {
                if class::TABLE[usize::from(byte)] & classes != 0 {
                    break;
                }
                self.wide += usize::from(byte & 0xC0 == 0x80);
                self.pos += 1;
            }
            if self.peek(0) < 0x80 || self.is_break(0) {
                return;
            }
            self.skip();
        }
    }

    /// Passes characters of the given classes, all of which are ASCII.
    pub(super) fn skip_while(&mut self, classes: u8) {
        while class::TABLE[usize::from(self.peek(0))] & classes != 0 {
            self.pos += 1;
        }
    }

    /// The end of the text counts as a new line.
    pub(super) fn force_new_line(&mut self) {
        if self.column() != 0 {
            self.line += 1;
            self.line_index = self.index();
        }
    }
}
