//! Directives, anchors and tags.

use super::cursor::class;
use super::scanner::Scanner;
use super::token::{Fault, Kind, Reading, TagToken};

impl<'a> Scanner<'a> {
    pub(super) fn scan_directive(&mut self) -> Reading<Kind<'a>> {
        let start = self.cursor.pos();
        self.cursor.skip_ascii(1);
        let name_start = self.cursor.pos();
        self.cursor.skip_while(class::WORD);
        let name = self.cursor.slice(name_start, self.cursor.pos());
        if name.is_empty() || !self.cursor.is_blank_or_end(0) {
            return Err(Fault::new(
                start,
                "'%' at the start of a line begins a directive",
            ));
        }
        let kind = match name {
            "YAML" => self.scan_version()?,
            "TAG" => self.scan_tag_directive()?,
            _ => return Err(Fault::new(start, "the only directives are %YAML and %TAG")),
        };
        self.cursor.skip_while(class::BLANK);
        self.skip_comment();
        if !self.cursor.is_break_or_end(0) {
            return Err(self.fault("only a comment can follow a directive"));
        }
        self.cursor.skip_break();
        Ok(kind)
    }

    /// Passes a comment, up to the end of the line.
    pub(super) fn skip_comment(&mut self) {
        if self.cursor.peek(0) == b'#' {
            self.cursor.skip_until(class::BREAK);
        }
    }

    fn scan_version(&mut self) -> Reading<Kind<'a>> {
        self.cursor.skip_while(class::BLANK);
        let major = self.scan_version_number()?;
        if self.cursor.peek(0) != b'.' {
            return Err(self.fault("%YAML needs a version such as 1.1"));
        }
        self.cursor.skip_ascii(1);
        let minor = self.scan_version_number()?;
        Ok(Kind::Version { major, minor })
    }

    fn scan_version_number(&mut self) -> Reading<u8> {
        let start = self.cursor.pos();
        while self.cursor.peek(0).is_ascii_digit() {
            self.cursor.skip_ascii(1);
        }
        match self.cursor.slice(start, self.cursor.pos()) {
            digits if digits.len() <= 2 => digits.parse().ok(),
            _ => None,
        }
        .ok_or_else(|| Fault::new(start, "%YAML needs a version such as 1.1"))
    }

    fn scan_tag_directive(&mut self) -> Reading<Kind<'a>> {
        self.cursor.skip_while(class::BLANK);
        let at = self.cursor.pos();
        let handle = self.scan_tag_handle()?;
        if handle.len() > 1 && handle.last() != Some(&b'!') {
            return Err(Fault::new(at, "the handle of a %TAG directive ends in '!'"));
        }
        if !self.cursor.is_blank(0) {
            return Err(self.fault("a %TAG directive needs a handle and a prefix"));
        }
        self.cursor.skip_while(class::BLANK);
        let suffix = self.scan_tag_uri(&[])?;
        if !self.cursor.is_blank_or_end(0) {
            return Err(self.fault("this character cannot be part of a tag"));
        }
        Ok(Kind::TagDirective(Box::new(TagToken { handle, suffix })))
    }

    /// Passes `&name` or `*name` and returns the name.
    pub(super) fn scan_anchor_name(&mut self) -> Reading<&'a str> {
        let start = self.cursor.pos();
        self.cursor.skip_ascii(1);
        self.cursor.skip_while(class::WORD);
        let name = self.cursor.slice(start + 1, self.cursor.pos());
        let ends = self.cursor.is_blank_or_end(0)
            || matches!(
                self.cursor.peek(0),
                b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`'
            );
        if name.is_empty() || !ends {
            return Err(Fault::new(
                start,
                "'&' and '*' begin the name of an anchor (letters, digits, '-' and '_'): quote the value",
            ));
        }
        Ok(name)
    }

    pub(super) fn scan_tag(&mut self) -> Reading<TagToken> {
        let start = self.cursor.pos();
        let tag = if self.cursor.peek(1) == b'<' {
            self.scan_verbatim_tag()?
        } else {
            self.scan_short_tag()?
        };
        if !self.cursor.is_blank_or_end(0) {
            return Err(Fault::new(start, "'!' begins a tag: quote the value"));
        }
        Ok(tag)
    }

    fn scan_verbatim_tag(&mut self) -> Reading<TagToken> {
        self.cursor.skip_ascii(2);
        let suffix = self.scan_tag_uri(&[])?;
        if self.cursor.peek(0) != b'>' {
            return Err(self.fault("a tag that begins with '!<' ends with '>'"));
        }
        self.cursor.skip_ascii(1);
        Ok(TagToken {
            handle: Vec::new(),
            suffix,
        })
    }

    fn scan_short_tag(&mut self) -> Reading<TagToken> {
        let handle = self.scan_tag_handle()?;
        if handle.len() > 1 && handle.last() == Some(&b'!') {
            let suffix = self.scan_tag_uri(&[])?;
            return Ok(TagToken { handle, suffix });
        }
        // It was no handle but the beginning of the name.
        let suffix = self.scan_tag_uri(&handle)?;
        if suffix.is_empty() {
            return Ok(TagToken {
                handle: Vec::new(),
                suffix: b"!".to_vec(),
            });
        }
        Ok(TagToken {
            handle: b"!".to_vec(),
            suffix,
        })
    }

    fn scan_tag_handle(&mut self) -> Reading<Vec<u8>> {
        if self.cursor.peek(0) != b'!' {
            return Err(self.fault("a tag begins with '!'"));
        }
        let start = self.cursor.pos();
        self.cursor.skip_ascii(1);
        self.cursor.skip_while(class::WORD);
        if self.cursor.peek(0) == b'!' {
            self.cursor.skip_ascii(1);
        }
        Ok(self
            .cursor
            .slice(start, self.cursor.pos())
            .as_bytes()
            .to_vec())
    }

    /// The rest of a tag. `head` is what was taken for a handle; its `!` is not part of the tag.
    fn scan_tag_uri(&mut self, head: &[u8]) -> Reading<Vec<u8>> {
        let start = self.cursor.pos();
        let mut uri = head.get(1..).unwrap_or_default().to_vec();
        loop {
            match self.cursor.peek(0) {
                b'%' => self.scan_uri_escapes(&mut uri)?,
                byte if is_uri_byte(byte) => {
                    uri.push(byte);
                    self.cursor.skip_ascii(1);
                }
                _ => break,
            }
        }
        if head.is_empty() && self.cursor.pos() == start {
            return Err(self.fault("the tag has no name"));
        }
        Ok(uri)
    }

    /// The `%xx` escapes of one character.
    fn scan_uri_escapes(&mut self, uri: &mut Vec<u8>) -> Reading<()> {
        let mut left = 1;
        let mut first = true;
        while left > 0 {
            let digits = (self.cursor.peek(0) == b'%')
                .then(|| hex(self.cursor.peek(1)).zip(hex(self.cursor.peek(2))))
                .flatten();
            let Some((high, low)) = digits else {
                return Err(self.fault("'%' in a tag needs two hexadecimal digits"));
            };
            let octet = (high << 4 | low) as u8;
            let width = match octet {
                0..=0x7F => Some(1),
                0xC0..=0xDF => Some(2),
                0xE0..=0xEF => Some(3),
                0xF0..=0xF7 => Some(4),
                _ => None,
            };
            left = match (first, width) {
                (true, Some(width)) => width,
                (false, _) if octet & 0xC0 == 0x80 => left,
                _ => return Err(self.fault("the '%' escapes in this tag are not UTF-8")),
            };
            first = false;
            uri.push(octet);
            self.cursor.skip_ascii(3);
            left -= 1;
        }
        Ok(())
    }
}

fn is_uri_byte(byte: u8) -> bool {
    class::TABLE[usize::from(byte)] & class::WORD != 0 || b";/?:@&=+$,.!~*'()[]".contains(&byte)
}

/// The value of a hexadecimal digit.
pub(super) fn hex(byte: u8) -> Option<u32> {
    char::from(byte).to_digit(16)
}
