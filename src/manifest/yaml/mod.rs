//! YAML 1.1 as the API machinery reads it: `sigs.k8s.io/yaml` v1.6 on go-yaml v2.
//!
//! Takes the bytes of one document and gives its value, with positions. Stages: `encoding` →
//! `scanner` (tokens) → `parser` (events) → `build` (nodes).

mod alias;
mod build;
mod cursor;
mod encoding;
mod frame;
mod key;
mod parser;
mod resolve;
mod scan_name;
mod scan_scalar;
mod scanner;
mod timestamp;
mod token;

use std::borrow::Cow;

use self::build::Builder;
use self::parser::{Parser, Rest};
use self::token::{At, Fault, Reading};
use super::document::{Note, NoteKind};
use super::limits::Limits;
use super::node::Pos;
use super::parsed::{Parsed, SyntaxError};
use super::position::Locator;

/// Reads the first document in `bytes`, which begin at `start`. `None`: there is none.
///
/// Like go-yaml this stops at the end of the first document; what follows leaves a note.
pub(super) fn parse(
    bytes: &[u8],
    start: Pos,
    limits: &Limits,
) -> Result<Option<Parsed>, SyntaxError> {
    let decoded = encoding::decode(bytes);
    let text = decoded.text();
    let mut builder = Builder::new(text, start, limits);
    let mut parser = Parser::new(text);
    let outcome = read(text, &mut parser, &mut builder);
    if let Some(fault) = decoded.fault.filter(|_| parser.reached_end()) {
        let readable = decoded.readable();
        let pos = Locator::new(readable.as_bytes(), start).pos(readable.len());
        return Err(SyntaxError {
            pos,
            message: Cow::Borrowed(fault.message),
        });
    }
    let finished = outcome.and_then(|unread| {
        let unread = unread.map(|offset| builder.pos(offset));
        Ok((builder.finish()?, unread))
    });
    match finished {
        Ok((parsed, unread)) => Ok(parsed.map(|mut parsed| {
            parsed.notes.extend(unread.map(|pos| Note {
                pos,
                kind: NoteKind::Unread,
            }));
            parsed.notes.extend(odd_characters(text, start));
            parsed
        })),
        Err(Fault {
            at: At::Pos(pos),
            message,
        }) => Err(SyntaxError { pos, message }),
        Err(Fault {
            at: At::Offset(offset),
            message,
        }) => {
            let pos = Locator::new(text.as_bytes(), start).pos(offset);
            Err(SyntaxError { pos, message })
        }
    }
}

/// Reads the first document and returns where text begins that go-yaml never looks at.
fn read<'a>(
    text: &'a str,
    parser: &mut Parser<'a>,
    builder: &mut Builder<'a, '_>,
) -> Reading<Option<usize>> {
    if !parser.start()? {
        return Ok(None);
    }
    builder.build(parser)?;
    Ok(match parser.finish()? {
        Rest::Nothing => None,
        Rest::Ignored(offset) => Some(offset),
        Rest::AfterEnd(offset) => first_content(&text[offset..]).map(|at| offset + at),
    })
}

/// Where the first line begins that is neither empty nor a comment.
fn first_content(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_start();
        if !content.is_empty() && !content.starts_with('#') {
            return Some(at + line.len() - content.len());
        }
        at += line.len();
    }
    None
}

/// Characters that look like text and are not, or the other way round.
fn odd_characters(text: &str, start: Pos) -> Vec<Note> {
    if text.is_ascii() {
        return Vec::new();
    }
    let mut locator = Locator::new(text.as_bytes(), start);
    ['\u{85}', '\u{2028}', '\u{2029}', '\u{FEFF}']
        .into_iter()
        .filter_map(|character| {
            let pos = locator.pos(text.find(character)?);
            Some(Note {
                pos,
                kind: NoteKind::OddCharacter { character },
            })
        })
        .collect()
}
