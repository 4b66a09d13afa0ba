//! The cursor that puts text on lines: indentation, indicators, scalars, folding.

use super::scalar::{Style, is_break, is_printable};
use std::fmt::Write as _;

/// Columns of one nesting level.
pub(super) const INDENT: usize = 2;

/// A scalar is folded at the first single space after this column.
const WIDTH: usize = 80;

/// Writes YAML text and knows where on the line it stands.
#[derive(Debug)]
pub(super) struct Writer {
    out: String,
    /// Characters on the current line.
    column: usize,
    /// Whether the last thing written separates from what follows.
    after_blank: bool,
    /// Whether the line so far holds only spaces and the indicators `-`, `?` and `:`.
    indenting: bool,
}

impl Writer {
    pub(super) fn new() -> Self {
        Writer {
            out: String::new(),
            column: 0,
            after_blank: true,
            indenting: true,
        }
    }

    /// The text, with the last line ended unless its last character was a line break.
    pub(super) fn finish(mut self) -> String {
        self.start_line(0);
        self.out
    }

    /// Whether a collection could start right here, on the line of its indicator.
    pub(super) fn is_indenting(&self) -> bool {
        self.indenting
    }

    /// Moves to the column, on a new line if this line already has content there.
    pub(super) fn start_line(&mut self, indent: usize) {
        if !self.indenting || self.column > indent || (self.column == indent && !self.after_blank) {
            self.line_feed();
        }
        while self.column < indent {
            self.put(' ');
        }
        self.after_blank = true;
        self.indenting = true;
    }

    /// `-`, or `?` and `:` of a key that is too long for one line.
    pub(super) fn block_indicator(&mut self, indicator: char) {
        self.separate();
        self.put(indicator);
        self.after_blank = false;
    }

    /// The `:` behind a key on the same line.
    pub(super) fn key_end(&mut self) {
        self.put(':');
        self.after_blank = false;
        self.indenting = false;
    }

    /// `[]`, `{}` or a scalar that needs no quotes and no folding.
    pub(super) fn word(&mut self, text: &str) {
        self.separate();
        self.put_str(text);
        self.after_blank = false;
        self.indenting = false;
    }

    /// A string. Continuation lines start at `indent`; without one the string stays on its line.
    pub(super) fn string(&mut self, text: &str, style: Style, indent: Option<usize>) {
        if style == Style::Literal {
            return self.literal(text, indent.unwrap_or(INDENT));
        }
        self.separate();
        match style {
            Style::DoubleQuoted => self.double_quoted(text, indent),
            Style::SingleQuoted => self.single_quoted(text, indent),
            Style::Plain | Style::Literal => self.folded(text, indent, style),
        }
        self.after_blank = false;
        self.indenting = false;
    }

    fn single_quoted(&mut self, text: &str, indent: Option<usize>) {
        self.put('\'');
        self.indenting = false;
        self.folded(text, indent, Style::SingleQuoted);
        self.put('\'');
    }

    /// The text of a plain or single-quoted scalar.
    fn folded(&mut self, text: &str, indent: Option<usize>, style: Style) {
        if self.column + text.len() <= WIDTH && !text.contains(['\'', '\u{2028}', '\u{2029}']) {
            return self.put_str(text);
        }
        let (mut after_space, mut after_break) = (false, false);
        for (at, c) in text.char_indices() {
            if c == ' ' {
                let alone = !after_space && !text[at + 1..].starts_with(' ');
                match indent {
                    Some(indent) if alone && self.can_fold(text, at) => self.start_line(indent),
                    _ => self.put(' '),
                }
                after_space = true;
            } else if is_break(c) {
                self.line_break(c);
                after_break = true;
            } else {
                if after_break {
                    self.start_line(indent.unwrap_or_default());
                }
                if c == '\'' && style == Style::SingleQuoted {
                    self.put('\'');
                }
                self.put(c);
                self.indenting = false;
                (after_space, after_break) = (false, false);
            }
        }
    }

    /// Whether the line is full and the space at this byte is neither the first nor the last character.
    fn can_fold(&self, text: &str, at: usize) -> bool {
        self.column > WIDTH && at > 0 && at + 1 < text.len()
    }

    fn double_quoted(&mut self, text: &str, indent: Option<usize>) {
        self.put('"');
        self.indenting = false;
        // The original looks for a byte order mark at the start of the text wherever it stands in it.
        let escape_all = text.starts_with('\u{FEFF}');
        let mut after_space = false;
        for (at, c) in text.char_indices() {
            if escape_all || !is_printable(c) || is_break(c) || c == '"' || c == '\\' {
                self.escape(c);
                after_space = false;
            } else if c == ' ' {
                match indent {
                    Some(indent) if !after_space && self.can_fold(text, at) => {
                        self.start_line(indent);
                        if text[at + 1..].starts_with(' ') {
                            self.put('\\');
                        }
                    }
                    _ => self.put(' '),
                }
                after_space = true;
            } else {
                self.put(c);
                after_space = false;
            }
        }
        self.put('"');
    }

    fn escape(&mut self, c: char) {
        let start = self.out.len();
        self.out.push('\\');
        let short = match c {
            '\0' => '0',
            '\u{7}' => 'a',
            '\u{8}' => 'b',
            '\t' => 't',
            '\n' => 'n',
            '\u{B}' => 'v',
            '\u{C}' => 'f',
            '\r' => 'r',
            '\u{1B}' => 'e',
            '"' => '"',
            '\\' => '\\',
            '\u{85}' => 'N',
            '\u{A0}' => '_',
            '\u{2028}' => 'L',
            '\u{2029}' => 'P',
            _ => '\0',
        };
        let code = u32::from(c);
        let written = match code {
            _ if short != '\0' => self.out.write_char(short),
            0..=0xFF => write!(self.out, "x{code:02X}"),
            0x100..=0xFFFF => write!(self.out, "u{code:04X}"),
            _ => write!(self.out, "U{code:08X}"),
        };
        written.expect("writing to a string cannot fail");
        self.column += self.out.len() - start;
    }

    fn literal(&mut self, text: &str, indent: usize) {
        self.separate();
        self.put_str(literal_header(text));
        self.line_feed();
        self.after_blank = true;
        self.indenting = true;
        let mut after_break = true;
        for c in text.chars() {
            if is_break(c) {
                self.line_break(c);
                after_break = true;
            } else {
                if after_break {
                    self.start_line(indent);
                }
                self.put(c);
                self.indenting = false;
                after_break = false;
            }
        }
    }

    fn separate(&mut self) {
        if !self.after_blank {
            self.put(' ');
        }
    }

    fn line_feed(&mut self) {
        self.out.push('\n');
        self.column = 0;
    }

    /// A line break that belongs to the text.
    fn line_break(&mut self, c: char) {
        self.out.push(c);
        self.column = 0;
        self.indenting = true;
    }

    fn put(&mut self, c: char) {
        self.out.push(c);
        self.column += 1;
    }

    fn put_str(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += text.chars().count();
    }
}

/// `|`, an indentation hint if the text starts with a space or break, and how the end is kept.
fn literal_header(text: &str) -> &'static str {
    let hint = text.starts_with([' ', '\n', '\u{2028}', '\u{2029}']);
    let mut from_end = text.chars().rev();
    let ends_in_break = from_end.next().is_some_and(is_break);
    let keeps_all = ends_in_break && from_end.next().is_none_or(is_break);
    match (hint, ends_in_break, keeps_all) {
        (false, false, _) => "|-",
        (false, true, false) => "|",
        (false, true, true) => "|+",
        (true, false, _) => "|2-",
        (true, true, false) => "|2",
        (true, true, true) => "|2+",
    }
}
