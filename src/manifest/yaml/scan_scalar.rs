//! Plain, quoted and block scalars.

use std::borrow::Cow;

use super::cursor::class;
use super::scan_name::hex;
use super::scanner::Scanner;
use super::token::{Fault, Reading};

/// The line breaks between two lines of a plain or quoted scalar.
#[derive(Default)]
struct Fold {
    first: &'static str,
    more: String,
}

impl Fold {
    fn add(&mut self, line_break: &'static str) {
        if self.first.is_empty() {
            self.first = line_break;
        } else {
            self.more.push_str(line_break);
        }
    }

    /// One line feed becomes a space, of several the first is dropped; U+2028 and U+2029 stay.
    fn write_to(&self, value: &mut String) {
        if self.first != "\n" {
            value.push_str(self.first);
            value.push_str(&self.more);
        } else if self.more.is_empty() {
            value.push(' ');
        } else {
            value.push_str(&self.more);
        }
    }
}

impl<'a> Scanner<'a> {
    pub(super) fn scan_plain(&mut self) -> Reading<Cow<'a, str>> {
        let indent = self.indent + 1;
        // The value: what `folded` holds, then the text from `from` to `to`.
        let mut folded: Option<String> = None;
        let mut from = self.cursor.pos();
        let mut to = from;
        let mut fold: Option<Fold> = None;
        loop {
            if self.cursor.at_document_indicator() || self.cursor.peek(0) == b'#' {
                break;
            }
            let chunk = self.cursor.pos();
            self.skip_plain_text();
            if self.cursor.pos() > chunk {
                if let Some(fold) = fold.take() {
                    let value = folded.get_or_insert_default();
                    value.push_str(self.cursor.slice(from, to));
                    fold.write_to(value);
                    from = chunk;
                }
                to = self.cursor.pos();
            }
            if !(self.cursor.is_blank(0) || self.cursor.is_break(0)) {
                break;
            }
            self.skip_plain_gap(&mut fold, indent)?;
            if self.flow_level == 0 && (self.cursor.column() as isize) < indent {
                break;
            }
        }
        if fold.is_some() {
            self.simple_key_allowed = true;
        }
        let rest = self.cursor.slice(from, to);
        Ok(match folded {
            None => Cow::Borrowed(rest),
            Some(mut value) => {
                value.push_str(rest);
                Cow::Owned(value)
            }
        })
    }

    /// Passes text up to a blank, a line break or what ends a plain scalar.
    fn skip_plain_text(&mut self) {
        let in_flow = self.flow_level > 0;
        let stop =
            class::BLANK | class::BREAK | class::COLON | if in_flow { class::FLOW } else { 0 };
        loop {
            self.cursor.skip_until(stop);
            if self.cursor.peek(0) != b':' || self.cursor.is_blank_or_end(1) {
                return;
            }
            self.cursor.skip_ascii(1);
        }
    }

    fn skip_plain_gap(&mut self, fold: &mut Option<Fold>, indent: isize) -> Reading<()> {
        loop {
            match self.cursor.peek(0) {
                b'\t' if fold.is_some() && (self.cursor.column() as isize) < indent => {
                    return Err(self.fault("a tab where only spaces may indent: use spaces"));
                }
                b' ' | b'\t' => self.cursor.skip_ascii(1),
                _ => match self.cursor.skip_break() {
                    "" => return Ok(()),
                    line_break => fold.get_or_insert_default().add(line_break),
                },
            }
        }
    }

    pub(super) fn scan_quoted(&mut self, single: bool) -> Reading<Cow<'a, str>> {
        let start = self.cursor.pos();
        let quote = self.cursor.peek(0);
        self.cursor.skip_ascii(1);
        // The value: what `built` holds, then the text from `from`.
        let mut built: Option<String> = None;
        let mut from = self.cursor.pos();
        loop {
            if self.cursor.at_document_indicator() {
                return Err(self.fault(
                    "'---' or '...' at the start of a line inside quotes: indent the quoted text",
                ));
            }
            if self.cursor.at_end() {
                return Err(Fault::new(start, "the closing quote is missing"));
            }
            let escaped_break = self.scan_quoted_text(single, &mut built, &mut from)?;
            if self.cursor.peek(0) == quote {
                break;
            }
            self.scan_quoted_gap(escaped_break, &mut built, &mut from);
        }
        let rest = self.cursor.slice(from, self.cursor.pos());
        self.cursor.skip_ascii(1);
        Ok(match built {
            None => Cow::Borrowed(rest),
            Some(mut value) => {
                value.push_str(rest);
                Cow::Owned(value)
            }
        })
    }

    /// Passes text up to a blank, a line break or the closing quote. Returns true after an escaped
    /// line break.
    fn scan_quoted_text(
        &mut self,
        single: bool,
        built: &mut Option<String>,
        from: &mut usize,
    ) -> Reading<bool> {
        let special = if single {
            class::QUOTE
        } else {
            class::DOUBLE_QUOTE
        };
        loop {
            self.cursor
                .skip_until(class::BLANK | class::BREAK | special);
            match self.cursor.peek(0) {
                b'\'' if single && self.cursor.peek(1) == b'\'' => {
                    let value = built.get_or_insert_default();
                    value.push_str(self.cursor.slice(*from, self.cursor.pos() + 1));
                    self.cursor.skip_ascii(2);
                    *from = self.cursor.pos();
                }
                b'\\' if !single => {
                    let value = built.get_or_insert_default();
                    value.push_str(self.cursor.slice(*from, self.cursor.pos()));
                    self.cursor.skip_ascii(1);
                    if self.cursor.is_break(0) {
                        self.cursor.skip_break();
                        *from = self.cursor.pos();
                        return Ok(true);
                    }
                    value.push(self.scan_escape()?);
                    *from = self.cursor.pos();
                }
                _ => return Ok(false),
            }
        }
    }

    fn scan_escape(&mut self) -> Reading<char> {
        let at = self.cursor.pos();
        let digits = match self.cursor.peek(0) {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            letter => {
                let plain = match letter {
                    b'0' => '\0',
                    b'a' => '\x07',
                    b'b' => '\x08',
                    b't' | b'\t' => '\t',
                    b'n' => '\n',
                    b'v' => '\x0B',
                    b'f' => '\x0C',
                    b'r' => '\r',
                    b'e' => '\x1B',
                    b' ' | b'"' | b'\'' | b'\\' => char::from(letter),
                    b'N' => '\u{85}',
                    b'_' => '\u{A0}',
                    b'L' => '\u{2028}',
                    b'P' => '\u{2029}',
                    _ => {
                        return Err(self.fault(
                            "unknown escape after '\\' in double quotes: write '\\\\' or use single quotes",
                        ));
                    }
                };
                self.cursor.skip_ascii(1);
                return Ok(plain);
            }
        };
        self.cursor.skip_ascii(1);
        let mut code = 0u32;
        for ahead in 0..digits {
            let digit = hex(self.cursor.peek(ahead)).ok_or_else(|| {
                self.fault("'\\x', '\\u' and '\\U' need 2, 4 and 8 hexadecimal digits")
            })?;
            code = code << 4 | digit;
        }
        self.cursor.skip_ascii(digits);
        char::from_u32(code).ok_or_else(|| {
            Fault::new(
                at,
                "this escape is no character (the YAML reader of Kubernetes takes no surrogate pairs)",
            )
        })
    }

    /// Passes blanks and line breaks inside quotes.
    fn scan_quoted_gap(&mut self, escaped: bool, built: &mut Option<String>, from: &mut usize) {
        let gap = self.cursor.pos();
        let mut fold: Option<Fold> = escaped.then(Fold::default);
        loop {
            match self.cursor.peek(0) {
                b' ' | b'\t' => self.cursor.skip_ascii(1),
                _ => match self.cursor.skip_break() {
                    "" => break,
                    // After an escaped break even the first one is one more.
                    line_break if escaped => {
                        fold.get_or_insert_default().more.push_str(line_break);
                    }
                    line_break => fold.get_or_insert_default().add(line_break),
                },
            }
        }
        let Some(fold) = fold else { return };
        let value = built.get_or_insert_default();
        value.push_str(self.cursor.slice(*from, gap));
        fold.write_to(value);
        *from = self.cursor.pos();
    }

    /// Returns where the content starts and the content. An empty scalar starts at its indicator.
    pub(super) fn scan_block_scalar(&mut self, literal: bool) -> Reading<(usize, String)> {
        let start = self.cursor.pos();
        self.cursor.skip_ascii(1);
        let (keep, increment) = self.scan_block_header()?;
        let mut indent = match increment {
            0 => 0,
            increment => self.indent.max(0) as usize + increment,
        };
        let mut value = String::new();
        let mut line_break = "";
        let mut breaks = String::new();
        self.scan_block_breaks(&mut indent, &mut breaks)?;
        let mut content = None;
        let mut after_blank = false;
        while self.cursor.column() == indent && !self.cursor.at_end() {
            let line = self.cursor.pos();
            content.get_or_insert(line);
            let blank = self.cursor.is_blank(0);
            if literal || after_blank || blank || line_break != "\n" {
                value.push_str(line_break);
            } else if breaks.is_empty() {
                value.push(' ');
            }
            value.push_str(&breaks);
            breaks.clear();
            after_blank = blank;
            self.cursor.skip_until(class::BREAK);
            value.push_str(self.cursor.slice(line, self.cursor.pos()));
            line_break = self.cursor.skip_break();
            self.scan_block_breaks(&mut indent, &mut breaks)?;
        }
        if keep != Some(false) {
            value.push_str(line_break);
        }
        if keep == Some(true) {
            value.push_str(&breaks);
        }
        Ok((content.unwrap_or(start), value))
    }

    /// `|` and `>` are followed by `+` or `-` and a digit, in any order. Returns whether final line
    /// breaks are kept (`+`) or dropped (`-`), and the digit or 0.
    fn scan_block_header(&mut self) -> Reading<(Option<bool>, usize)> {
        let mut keep = self.scan_chomping();
        let mut increment = 0;
        let digit = self.cursor.peek(0);
        if digit.is_ascii_digit() {
            if digit == b'0' {
                return Err(self.fault("the indentation after '|' or '>' is a digit from 1 to 9"));
            }
            increment = usize::from(digit - b'0');
            self.cursor.skip_ascii(1);
            keep = keep.or_else(|| self.scan_chomping());
        }
        self.cursor.skip_while(class::BLANK);
        self.skip_comment();
        if !self.cursor.is_break_or_end(0) {
            return Err(self.fault(
                "only '+', '-' or a digit can follow '|' or '>': start the text on the next line, or quote the value",
            ));
        }
        self.cursor.skip_break();
        Ok((keep, increment))
    }

    fn scan_chomping(&mut self) -> Option<bool> {
        let keep = match self.cursor.peek(0) {
            b'+' => true,
            b'-' => false,
            _ => return None,
        };
        self.cursor.skip_ascii(1);
        Some(keep)
    }

    /// Passes indentation and empty lines; finds out the indentation where it is 0.
    fn scan_block_breaks(&mut self, indent: &mut usize, breaks: &mut String) -> Reading<()> {
        let mut deepest = 0;
        loop {
            while (*indent == 0 || self.cursor.column() < *indent) && self.cursor.peek(0) == b' ' {
                self.cursor.skip_ascii(1);
            }
            deepest = deepest.max(self.cursor.column());
            if (*indent == 0 || self.cursor.column() < *indent) && self.cursor.peek(0) == b'\t' {
                return Err(self.fault("a tab where only spaces may indent: use spaces"));
            }
            match self.cursor.skip_break() {
                "" => break,
                line_break => breaks.push_str(line_break),
            }
        }
        if *indent == 0 {
            *indent = deepest.max((self.indent + 1) as usize).max(1);
        }
        Ok(())
    }
}
