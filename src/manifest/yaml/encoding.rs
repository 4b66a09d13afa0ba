//! Bytes to the text that the scanner works on: encodings, and characters that YAML refuses.

use std::borrow::Cow;

/// go-yaml decodes its input in blocks of this many bytes.
const BLOCK: usize = 512;

/// A text, up to where it can be read.
#[derive(Debug)]
pub(super) struct Decoded<'a> {
    /// Without byte order mark.
    readable: Cow<'a, str>,
    pub(super) fault: Option<EncodingFault>,
}

/// A byte or character that cannot be read, just behind the readable text.
#[derive(Debug, Clone, Copy)]
pub(super) struct EncodingFault {
    /// Where the block begins that holds it. go-yaml fails as soon as it needs this block, and does
    /// not fail if it has read the first document before.
    block: usize,
    pub(super) message: &'static str,
}

impl Decoded<'_> {
    /// What go-yaml's scanner gets to see before it fails.
    pub(super) fn text(&self) -> &str {
        match self.fault {
            Some(fault) => &self.readable[..fault.block],
            None => &self.readable,
        }
    }

    /// All text before the fault.
    pub(super) fn readable(&self) -> &str {
        &self.readable
    }
}

/// See [`Decoded`].
pub(super) fn decode(bytes: &[u8]) -> Decoded<'_> {
    match bytes {
        [0xFF, 0xFE, rest @ ..] => decode_utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => decode_utf16(rest, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => decode_utf8(rest, 3),
        _ => decode_utf8(bytes, 0),
    }
}

fn decode_utf8(bytes: &[u8], mark: usize) -> Decoded<'_> {
    let (text, invalid) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(error) => {
            let valid = &bytes[..error.valid_up_to()];
            (std::str::from_utf8(valid).unwrap_or_default(), true)
        }
    };
    let (end, message) = match find_control(text) {
        Some(control) => control,
        None if invalid => (text.len(), "this byte is not UTF-8: save the file as UTF-8"),
        None => {
            return Decoded {
                readable: text.into(),
                fault: None,
            };
        }
    };
    let cut_off = invalid && end == text.len() && is_cut_off(&bytes[end..]);
    let block = if cut_off {
        end
    } else {
        block_start(bytes, mark, end)
    };
    Decoded {
        readable: text[..end].into(),
        fault: Some(EncodingFault { block, message }),
    }
}

/// Whether the input ends before the character does that starts here. go-yaml notices that only
/// when it asks for more input.
fn is_cut_off(bytes: &[u8]) -> bool {
    width(bytes[0]) > bytes.len()
}

/// Bytes of a character by its first byte, as far as that tells.
fn width(first: u8) -> usize {
    match first {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => 1,
    }
}

/// Where the block begins that holds `offset`. A character that does not fit a block as a whole
/// belongs to the next. `mark` is the length of the byte order mark before `bytes`.
fn block_start(bytes: &[u8], mark: usize, offset: usize) -> usize {
    let mut start = 0;
    let mut end = BLOCK - mark;
    loop {
        let split = (1..4).find(|&back| {
            let first = bytes.get(end.wrapping_sub(back));
            first.is_some_and(|&first| width(first) > back)
        });
        let next = end - split.unwrap_or(0);
        if next > offset {
            return start;
        }
        start = next;
        end = start + BLOCK;
    }
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Decoded<'static> {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let mut text = String::with_capacity(bytes.len() / 2);
    let mut wrong = (bytes.len() % 2 == 1)
        .then_some("this is UTF-16 that ends within a character (Kubernetes itself cuts little-endian files): save the file as UTF-8");
    for character in char::decode_utf16(units) {
        match character {
            Ok(character) => text.push(character),
            Err(_) => {
                wrong = Some("this is not UTF-16: save the file as UTF-8");
                break;
            }
        }
    }
    let (block, message) = match (find_control(&text), wrong) {
        (Some(control), _) => control,
        (None, Some(message)) => (text.len(), message),
        (None, None) => {
            return Decoded {
                readable: text.into(),
                fault: None,
            };
        }
    };
    text.truncate(block);
    Decoded {
        readable: text.into(),
        fault: Some(EncodingFault { block, message }),
    }
}

/// The first character that YAML does not allow in a text, and what to say about it.
fn find_control(text: &str) -> Option<(usize, &'static str)> {
    let bytes = text.as_bytes();
    let is_control = |at: usize| match bytes[at] {
        0xC2 => bytes[at + 1] < 0xA0 && bytes[at + 1] != 0x85,
        0xEF => bytes[at + 1] == 0xBF && bytes[at + 2] >= 0xBE,
        _ => true,
    };
    let at = (0..bytes.len())
        .filter(|&at| SUSPICIOUS[usize::from(bytes[at])])
        .find(|&at| is_control(at))?;
    let message = match bytes[at] {
        0 => "a NUL character: this is a binary file, or not UTF-8",
        _ => "a control character, which YAML knows only as an escape in double quotes",
    };
    Some((at, message))
}

/// First bytes of characters that may not be allowed.
static SUSPICIOUS: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = !matches!(byte as u8, b'\t' | b'\n' | b'\r');
        byte += 1;
    }
    table[0x7F] = true;
    table[0xC2] = true;
    table[0xEF] = true;
    table
};
