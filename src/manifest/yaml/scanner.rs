//! Text to tokens, with the context rules (indentation, simple keys, tabs) of go-yaml v2.
//!
//! Tokens are made only as far as the parser asks: what is wrong beyond the end of the first
//! document is never seen, here as there.

use std::collections::VecDeque;

use super::cursor::{Cursor, class};
use super::token::{Fault, Kind, Reading, Token};

/// A simple key must be followed by `:` on its line and within this many characters.
const SIMPLE_KEY_REACH: usize = 1024;

/// A place where a key without `?` may have started; one for each flow level.
#[derive(Debug, Clone, Copy, Default)]
struct SimpleKey {
    possible: bool,
    /// It stands where a block mapping needs a key: without `:` the text is wrong.
    required: bool,
    token: usize,
    start: usize,
    index: usize,
    line: usize,
    column: usize,
}

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Scanner<'a> {
    pub(super) cursor: Cursor<'a>,
    /// Tokens that are made and not yet taken.
    queue: VecDeque<Token<'a>>,
    /// Tokens taken so far: the number of the first one in the queue.
    taken: usize,
    /// The first token of the queue can no longer become part of a simple key.
    ready: bool,
    /// Column of the innermost block collection, -1 outside of any.
    pub(super) indent: isize,
    indents: Vec<isize>,
    pub(super) flow_level: usize,
    pub(super) simple_key_allowed: bool,
    simple_keys: Vec<SimpleKey>,
    /// Token number and flow level of simple keys that may still turn out to be keys, in order.
    candidates: VecDeque<(usize, usize)>,
    /// Where the scanner last looked for a token.
    looked_at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Scanner {
            cursor: Cursor::new(text),
            queue: VecDeque::new(),
            taken: 0,
            ready: false,
            indent: -1,
            indents: Vec::new(),
            flow_level: 0,
            simple_key_allowed: true,
            simple_keys: vec![SimpleKey::default()],
            candidates: VecDeque::new(),
            looked_at: 0,
        }
    }

    /// Whether what was read so far depends on what follows the end of the text.
    pub(super) fn reached_end(&self) -> bool {
        // A token is looked for with four characters of look-ahead.
        self.looked_at + 4 > self.cursor.len() || self.cursor.pos() >= self.cursor.len()
    }

    /// The next token, left in place.
    pub(super) fn peek(&mut self) -> Reading<&Token<'a>> {
        if !self.ready {
            self.fetch_until_certain()?;
            self.ready = true;
        }
        Ok(self.queue.front().expect("the queue was just filled"))
    }

    /// The next token.
    pub(super) fn take(&mut self) -> Reading<Token<'a>> {
        self.peek()?;
        self.ready = false;
        self.taken += 1;
        Ok(self.queue.pop_front().expect("peek has filled the queue"))
    }

    /// A token may have to wait: `a` is only known to be a key when its `:` was seen.
    fn fetch_until_certain(&mut self) -> Reading<()> {
        while self.queue.is_empty() || self.front_may_be_key()? {
            self.fetch()?;
        }
        Ok(())
    }

    fn front_may_be_key(&mut self) -> Reading<bool> {
        while self
            .candidates
            .front()
            .is_some_and(|&(token, _)| token < self.taken)
        {
            self.candidates.pop_front();
        }
        match self.candidates.front() {
            Some(&(token, level)) if token == self.taken => self.is_key_possible(level),
            _ => Ok(false),
        }
    }

    fn is_key_possible(&mut self, level: usize) -> Reading<bool> {
        let Some(key) = self
            .simple_keys
            .get(level)
            .copied()
            .filter(|key| key.possible)
        else {
            return Ok(false);
        };
        let out_of_reach =
            key.line < self.cursor.line() || key.index + SIMPLE_KEY_REACH < self.cursor.index();
        if !out_of_reach {
            return Ok(true);
        }
        if key.required {
            return Err(missing_colon(key.start));
        }
        self.simple_keys[level].possible = false;
        Ok(false)
    }

    pub(super) fn save_simple_key(&mut self) -> Reading<()> {
        if !self.simple_key_allowed {
            return Ok(());
        }
        self.remove_simple_key()?;
        let column = self.cursor.column();
        let key = SimpleKey {
            possible: true,
            required: self.flow_level == 0 && self.indent == column as isize,
            token: self.taken + self.queue.len(),
            start: self.cursor.pos(),
            index: self.cursor.index(),
            line: self.cursor.line(),
            column,
        };
        let level = self.simple_keys.len() - 1;
        self.candidates.push_back((key.token, level));
        self.simple_keys[level] = key;
        Ok(())
    }

    pub(super) fn remove_simple_key(&mut self) -> Reading<()> {
        let level = self.simple_keys.len() - 1;
        let key = self.simple_keys[level];
        if key.possible {
            if key.required {
                return Err(missing_colon(key.start));
            }
            self.simple_keys[level].possible = false;
            self.forget_candidate(key.token);
        }
        Ok(())
    }

    fn forget_candidate(&mut self, token: usize) {
        if let Some(at) = self.candidates.iter().rposition(|&(t, _)| t == token) {
            self.candidates.remove(at);
        }
    }

    pub(super) fn push(&mut self, start: usize, kind: Kind<'a>) {
        let end = self.cursor.pos();
        self.queue.push_back(Token { start, end, kind });
    }

    /// Inserts a token before the one with the given number. If that one was taken already, the
    /// token comes last, and the parser will find it in a place where it means something else.
    fn insert(&mut self, before: usize, at: usize, kind: Kind<'a>) {
        let token = Token {
            start: at,
            end: at,
            kind,
        };
        match before.checked_sub(self.taken) {
            Some(index) => self.queue.insert(index, token),
            None => self.queue.push_back(token),
        }
    }

    /// Opens a block collection if `column` is deeper than the current one.
    fn roll_indent(&mut self, column: usize, before: Option<usize>, at: usize, kind: Kind<'a>) {
        let column = column as isize;
        if self.flow_level > 0 || self.indent >= column {
            return;
        }
        self.indents.push(self.indent);
        self.indent = column;
        let before = before.unwrap_or(self.taken + self.queue.len());
        self.insert(before, at, kind);
    }

    /// Closes the block collections that are deeper than `column`.
    fn unroll_indent(&mut self, column: isize) {
        if self.flow_level > 0 {
            return;
        }
        while self.indent > column {
            self.push(self.cursor.pos(), Kind::BlockEnd);
            self.indent = self
                .indents
                .pop()
                .expect("each indent was pushed over an outer one");
        }
    }

    fn fetch(&mut self) -> Reading<()> {
        self.skip_to_token();
        self.looked_at = self.cursor.pos();
        self.unroll_indent(self.cursor.column() as isize);
        if self.cursor.at_end() {
            return self.fetch_stream_end();
        }
        let first = self.cursor.peek(0);
        if self.cursor.column() == 0 && first == b'%' {
            return self.fetch_directive();
        }
        if self.cursor.at_document_indicator() {
            return self.fetch_document_indicator();
        }
        let in_flow = self.flow_level > 0;
        let stands_alone = self.cursor.is_blank_or_end(1);
        match first {
            b'[' => self.fetch_flow_start(Kind::FlowSequenceStart),
            b'{' => self.fetch_flow_start(Kind::FlowMappingStart),
            b']' => self.fetch_flow_end(Kind::FlowSequenceEnd),
            b'}' => self.fetch_flow_end(Kind::FlowMappingEnd),
            b',' => self.fetch_flow_entry(),
            b'-' if stands_alone => self.fetch_block_entry(),
            b'?' if in_flow || stands_alone => self.fetch_key(),
            b':' if in_flow || stands_alone => self.fetch_value(),
            b'*' => self.fetch_anchor(false),
            b'&' => self.fetch_anchor(true),
            b'!' => self.fetch_tag(),
            b'|' if !in_flow => self.fetch_block_scalar(true),
            b'>' if !in_flow => self.fetch_block_scalar(false),
            b'\'' => self.fetch_quoted(true),
            b'"' => self.fetch_quoted(false),
            b'\t' => Err(self.fault("a tab where only spaces may indent: use spaces")),
            b'|' | b'>' | b'#' | b'%' | b'@' | b'`' => {
                Err(self.fault("no value can start with this character: put the value in quotes"))
            }
            _ => self.fetch_plain(),
        }
    }

    pub(super) fn fault(&self, message: &'static str) -> Fault {
        Fault::new(self.cursor.pos(), message)
    }

    fn skip_to_token(&mut self) {
        // go-yaml passes over a second byte order mark at the start.
        if self.cursor.pos() == 0 && self.cursor.starts_with("\u{FEFF}") {
            self.cursor.skip();
        }
        loop {
            loop {
                match self.cursor.peek(0) {
                    b' ' => self.cursor.skip_ascii(1),
                    // A tab must not count as indentation.
                    b'\t' if self.flow_level > 0 || !self.simple_key_allowed => {
                        self.cursor.skip_ascii(1);
                    }
                    _ => break,
                }
            }
            if self.cursor.peek(0) == b'#' {
                self.cursor.skip_until(class::BREAK);
            }
            if self.cursor.skip_break().is_empty() {
                return;
            }
            if self.flow_level == 0 {
                self.simple_key_allowed = true;
            }
        }
    }

    fn fetch_stream_end(&mut self) -> Reading<()> {
        self.cursor.force_new_line();
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        self.push(self.cursor.pos(), Kind::StreamEnd);
        Ok(())
    }

    fn fetch_directive(&mut self) -> Reading<()> {
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        let start = self.cursor.pos();
        let kind = self.scan_directive()?;
        self.push(start, kind);
        Ok(())
    }

    fn fetch_document_indicator(&mut self) -> Reading<()> {
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        let start = self.cursor.pos();
        let kind = match self.cursor.peek(0) {
            b'-' => Kind::DocumentStart,
            _ => Kind::DocumentEnd,
        };
        self.cursor.skip_ascii(3);
        self.push(start, kind);
        Ok(())
    }

    fn push_indicator(&mut self, kind: Kind<'a>) {
        let start = self.cursor.pos();
        self.cursor.skip_ascii(1);
        self.push(start, kind);
    }

    fn fetch_flow_start(&mut self, kind: Kind<'a>) -> Reading<()> {
        self.save_simple_key()?;
        self.simple_keys.push(SimpleKey {
            token: self.taken + self.queue.len(),
            ..SimpleKey::default()
        });
        self.flow_level += 1;
        self.simple_key_allowed = true;
        self.push_indicator(kind);
        Ok(())
    }

    fn fetch_flow_end(&mut self, kind: Kind<'a>) -> Reading<()> {
        self.remove_simple_key()?;
        if self.flow_level > 0 {
            self.flow_level -= 1;
            let key = self
                .simple_keys
                .pop()
                .expect("each flow level has a simple key");
            // Of an empty `[]` or `{}` this is the bracket's own candidate: go-yaml then fails to
            // see that the whole collection is a key.
            self.forget_candidate(key.token);
        }
        self.simple_key_allowed = false;
        self.push_indicator(kind);
        Ok(())
    }

    fn fetch_flow_entry(&mut self) -> Reading<()> {
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.push_indicator(Kind::FlowEntry);
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Reading<()> {
        // In flow context the parser reports it.
        if self.flow_level == 0 {
            if !self.simple_key_allowed {
                return Err(self.fault(
                    "a list item cannot start here: put it on a line of its own, or quote the value",
                ));
            }
            let at = self.cursor.pos();
            self.roll_indent(self.cursor.column(), None, at, Kind::BlockSequenceStart);
        }
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.push_indicator(Kind::BlockEntry);
        Ok(())
    }

    fn fetch_key(&mut self) -> Reading<()> {
        if self.flow_level == 0 {
            if !self.simple_key_allowed {
                return Err(self.fault("'? ' cannot start a key here: quote the value"));
            }
            let at = self.cursor.pos();
            self.roll_indent(self.cursor.column(), None, at, Kind::BlockMappingStart);
        }
        self.remove_simple_key()?;
        self.simple_key_allowed = self.flow_level == 0;
        self.push_indicator(Kind::Key);
        Ok(())
    }

    fn fetch_value(&mut self) -> Reading<()> {
        let level = self.simple_keys.len() - 1;
        if self.is_key_possible(level)? {
            let key = self.simple_keys[level];
            self.insert(key.token, key.start, Kind::Key);
            self.roll_indent(
                key.column,
                Some(key.token),
                key.start,
                Kind::BlockMappingStart,
            );
            self.simple_keys[level].possible = false;
            self.forget_candidate(key.token);
            self.simple_key_allowed = false;
        } else {
            if self.flow_level == 0 {
                if !self.simple_key_allowed {
                    return Err(self.fault(
                        "': ' cannot stand here: check the indentation, or quote the value",
                    ));
                }
                let at = self.cursor.pos();
                self.roll_indent(self.cursor.column(), None, at, Kind::BlockMappingStart);
            }
            self.simple_key_allowed = self.flow_level == 0;
        }
        self.push_indicator(Kind::Value);
        Ok(())
    }

    fn fetch_anchor(&mut self, anchor: bool) -> Reading<()> {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        let start = self.cursor.pos();
        let name = self.scan_anchor_name()?;
        self.push(
            start,
            if anchor {
                Kind::Anchor(name)
            } else {
                Kind::Alias(name)
            },
        );
        Ok(())
    }

    fn fetch_tag(&mut self) -> Reading<()> {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        let start = self.cursor.pos();
        let tag = self.scan_tag()?;
        self.push(start, Kind::Tag(Box::new(tag)));
        Ok(())
    }

    fn fetch_block_scalar(&mut self, literal: bool) -> Reading<()> {
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        let (start, value) = self.scan_block_scalar(literal)?;
        self.push(
            start,
            Kind::Scalar {
                value: value.into(),
                plain: false,
            },
        );
        Ok(())
    }

    fn fetch_quoted(&mut self, single: bool) -> Reading<()> {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        let start = self.cursor.pos();
        let value = self.scan_quoted(single)?;
        self.push(
            start,
            Kind::Scalar {
                value,
                plain: false,
            },
        );
        Ok(())
    }

    fn fetch_plain(&mut self) -> Reading<()> {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        let start = self.cursor.pos();
        let value = self.scan_plain()?;
        self.push(start, Kind::Scalar { value, plain: true });
        Ok(())
    }
}

fn missing_colon(offset: usize) -> Fault {
    Fault::new(offset, "this line must be a key, and no ': ' follows it")
}
