//! What happens to text on its way through the serializer: JSON text is read again by the YAML reader,
//! which knows more line breaks than JSON, forbids some characters and limits the length of keys.

use super::EmitError;
use std::borrow::Cow;

/// JSON escapes every other line break, so this is the only one that the YAML reader can meet in a string.
const NEXT_LINE: char = '\u{85}';

/// The YAML reader takes its input in pieces of this many bytes; a forbidden character fails a whole piece.
const PIECE: usize = 512;

/// How far the `:` may be from the start of its key, in characters of JSON text.
const MAX_KEY: usize = 1024;

/// How many collections may be open at the same time.
const MAX_DEPTH: usize = 10_000;

/// The marker of text that the YAML reader refuses. `refusal` tells the error.
#[derive(Debug, Clone, Copy)]
pub(super) struct Refused;

/// The value that the YAML reader makes of a string.
pub(super) fn value(text: &str) -> Result<Cow<'_, str>, Refused> {
    if text.bytes().all(|b| b < 0x7F) {
        return Ok(Cow::Borrowed(text));
    }
    if text.contains(is_forbidden) {
        return Err(Refused);
    }
    if !text.contains(NEXT_LINE) {
        return Ok(Cow::Borrowed(text));
    }
    let mut breaks = text.match_indices(NEXT_LINE);
    if breaks.any(|(at, line_break)| is_document_marker(&text[at + line_break.len()..])) {
        return Err(Refused);
    }
    Ok(Cow::Owned(folded(text)))
}

/// Checks a mapping key.
pub(super) fn check_key(text: &str) -> Result<(), Refused> {
    if text.bytes().all(|b| b < 0x7F) && text.len() * 6 + 2 <= MAX_KEY {
        return Ok(()); // Even if every character were escaped.
    }
    let json_length = crate::manifest::go_json::quoted(text).chars().count();
    if json_length > MAX_KEY || text.contains(NEXT_LINE) || text.contains(is_forbidden) {
        return Err(Refused);
    }
    Ok(())
}

/// Whether one more open collection is too many.
pub(super) fn check_depth(open: usize) -> Result<(), Refused> {
    if open > MAX_DEPTH {
        Err(Refused)
    } else {
        Ok(())
    }
}

/// Line folding: a single break becomes a space, of several the first one goes; blanks around breaks go.
fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(NEXT_LINE) {
        out.push_str(rest[..at].trim_end_matches(' '));
        let after = rest[at..].trim_start_matches([' ', NEXT_LINE]);
        let blanks = &rest[at..rest.len() - after.len()];
        match blanks.matches(NEXT_LINE).count() {
            1 => out.push(' '),
            breaks => out.extend(std::iter::repeat_n('\n', breaks - 1)),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Whether a line that starts like this would start or end a document.
fn is_document_marker(line: &str) -> bool {
    let after = line
        .strip_prefix("---")
        .or_else(|| line.strip_prefix("..."));
    after.is_some_and(|after| after.starts_with([' ', NEXT_LINE]))
}

/// Characters that the YAML reader refuses wherever they stand. JSON has escaped those below a space.
fn is_forbidden(c: char) -> bool {
    matches!(c, '\u{7F}'..='\u{9F}' | '\u{FFFE}' | '\u{FFFF}') && c != NEXT_LINE
}

/// The first error that the YAML reader reports for this JSON text.
pub(super) fn refusal(json: &str) -> EmitError {
    let forbidden = json.find(is_forbidden).map(|at| piece_start(json, at));
    let structural = Scan::new(json).first_error();
    match (structural, forbidden) {
        (Some((error, seen)), Some(start)) if seen <= start => error,
        (Some((error, _)), None) => error,
        _ => EmitError::ControlCharacter,
    }
}

/// Where the piece starts that holds the byte `at`. A piece ends before a character that does not fit.
fn piece_start(json: &str, at: usize) -> usize {
    let mut start = 0;
    loop {
        let end = json.floor_char_boundary(start + PIECE);
        if at < end {
            return start;
        }
        start = end;
    }
}

/// A walk over JSON text that looks for what the YAML scanner and parser refuse.
struct Scan<'j> {
    json: &'j str,
    /// Line breaks so far.
    line: usize,
    depth: usize,
}

impl<'j> Scan<'j> {
    fn new(json: &'j str) -> Self {
        Scan {
            json,
            line: 0,
            depth: 0,
        }
    }

    /// The error, and how many bytes the reader has looked at by then.
    fn first_error(mut self) -> Option<(EmitError, usize)> {
        let mut at = 0;
        while let Some(byte) = self.json.as_bytes().get(at) {
            match byte {
                b'"' => match self.string(at) {
                    Ok(end) => at = end,
                    Err(found) => return Some(found),
                },
                b'[' | b'{' => {
                    self.depth += 1;
                    at += 1;
                    if self.depth > MAX_DEPTH {
                        return Some((
                            EmitError::TooDeep { line: self.line },
                            self.looked_at(at - 1),
                        ));
                    }
                }
                b']' | b'}' => {
                    self.depth -= 1;
                    at += 1;
                }
                _ => at += 1,
            }
        }
        None
    }

    /// Reads the string that starts at `start`; gives the byte behind its closing quote.
    fn string(&mut self, start: usize) -> Result<usize, (EmitError, usize)> {
        let first_line = self.line;
        let mut escaped = true; // The opening quote does not close.
        let mut length = 0;
        for (offset, c) in self.json[start..].char_indices() {
            length += 1;
            let next = start + offset + c.len_utf8();
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    let is_key = self.json[next..].starts_with(':');
                    if is_key && (self.line > first_line || length > MAX_KEY) {
                        return Err((
                            EmitError::KeyNotSimple { line: self.line },
                            self.looked_at(next),
                        ));
                    }
                    return Ok(next);
                }
                NEXT_LINE => {
                    self.line += 1;
                    if is_document_marker(&self.json[next..]) {
                        return Err((
                            EmitError::DocumentMarker {
                                line: self.line + 1,
                            },
                            self.looked_at(next),
                        ));
                    }
                }
                _ => {}
            }
        }
        Ok(self.json.len())
    }

    /// The scanner looks four characters ahead.
    fn looked_at(&self, at: usize) -> usize {
        at + self.json[at..]
            .chars()
            .take(4)
            .map(char::len_utf8)
            .sum::<usize>()
    }
}
