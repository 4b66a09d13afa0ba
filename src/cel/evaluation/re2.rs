//! Regular expressions: Go's syntax is read and checked here and handed to the `regex` crate, which matches the
//! same language with the same guarantee of linear time, in its own syntax.

use std::collections::HashMap;

use regex::bytes::{Regex, RegexBuilder};

use super::re2_class::{self, Class};
use super::value::Failure;
use crate::cel::problem::Fault;

const REPEAT_LIMIT: u32 = 1000;
const NESTING_LIMIT: usize = 1000;
const COMPILED_SIZE_LIMIT: usize = 16 << 20;
/// So many different patterns may one evaluation compile.
const PATTERN_LIMIT: usize = 200;

/// Patterns that were compiled already.
#[derive(Default)]
pub(in crate::cel) struct Patterns {
    compiled: HashMap<String, Result<Regex, Failure>>,
}

impl Patterns {
    pub(in crate::cel) fn is_match(&mut self, pattern: &str, text: &str) -> Result<bool, Failure> {
        if !self.compiled.contains_key(pattern) {
            if self.compiled.len() == PATTERN_LIMIT {
                return Err(Failure::fatal(
                    Fault::Limit,
                    "evaluation compiles too many patterns",
                ));
            }
            self.compiled.insert(pattern.to_owned(), compile(pattern));
        }
        match &self.compiled[pattern] {
            Ok(regex) => Ok(regex.is_match(text.as_bytes())),
            Err(failure) => Err(failure.clone()),
        }
    }
}

/// Reads a pattern, or says in Go's words why it is none.
pub(in crate::cel) fn compile(pattern: &str) -> Result<Regex, Failure> {
    let fail = |reason: &str| Failure::new(Fault::Regex, format!("error parsing regexp: {reason}"));
    let translated = translate(pattern).map_err(|reason| fail(&reason))?;
    RegexBuilder::new(&translated)
        .nest_limit(4 * u32::try_from(NESTING_LIMIT).unwrap_or(u32::MAX))
        .size_limit(COMPILED_SIZE_LIMIT)
        .build()
        .map_err(|_| fail("expression too large"))
}

/// The pattern in the syntax of the `regex` crate, or the reason why Go refuses it.
fn translate(pattern: &str) -> Result<String, String> {
    let mut reader = Reader {
        rest: pattern,
        flags: Flags::default(),
        open: vec![Group::default()],
    };
    let mut last_repeat: Option<&str> = None;
    while let Some(first) = reader.rest.chars().next() {
        let before = reader.rest;
        let mut repeated = None;
        match first {
            '(' if before.starts_with("(?") => reader.special_group()?,
            '(' => reader.open_group(1)?,
            ')' => reader.close_group(pattern)?,
            '|' => {
                reader.rest = &before[1..];
                reader.group().alternate();
            }
            '*' | '+' | '?' => {
                reader.rest = &before[1..];
                reader.repeat(&before[..1], 1, before, last_repeat)?;
                repeated = Some(before);
            }
            '{' => match bounds(before) {
                None => reader.literal('{', &before[1..]),
                Some(bounds) => {
                    reader.rest = bounds.rest;
                    reader.repeat_bounds(&bounds, before, last_repeat)?;
                    repeated = Some(before);
                }
            },
            '^' => reader.push(
                if reader.flags.multi_line {
                    "(?m:^)"
                } else {
                    "^"
                },
                1,
            ),
            '$' => reader.push(
                if reader.flags.multi_line {
                    "(?m:$)"
                } else {
                    "\\z"
                },
                1,
            ),
            '.' => reader.push(
                if reader.flags.dot_all {
                    "(?s:.)"
                } else {
                    "[^\\n]"
                },
                1,
            ),
            '[' => {
                let (class, rest) = re2_class::bracketed(before)?;
                reader.push_class(&class, before.len() - rest.len());
            }
            '\\' => reader.escape()?,
            other => reader.literal(other, &before[other.len_utf8()..]),
        }
        last_repeat = repeated;
    }
    match reader.open.len() {
        1 => Ok(reader.group().finish()),
        _ => Err(format!("missing closing ): `{pattern}`")),
    }
}

#[derive(Clone, Copy, Default)]
struct Flags {
    ignore_case: bool,
    multi_line: bool,
    dot_all: bool,
}

/// One piece of a sequence.
struct Atom {
    text: String,
    /// How often its innermost part is repeated by counted repetitions.
    weight: u32,
}

#[derive(Default)]
struct Group {
    alternatives: Vec<String>,
    sequence: Vec<Atom>,
    weight: u32,
    /// The flags outside.
    flags: Flags,
}

impl Group {
    fn alternate(&mut self) {
        let mut text = String::new();
        for atom in self.sequence.drain(..) {
            self.weight = self.weight.max(atom.weight);
            text.push_str(&atom.text);
        }
        self.alternatives.push(text);
    }

    fn finish(&mut self) -> String {
        self.alternate();
        self.alternatives.join("|")
    }
}

struct Reader<'p> {
    rest: &'p str,
    flags: Flags,
    open: Vec<Group>,
}

impl<'p> Reader<'p> {
    fn group(&mut self) -> &mut Group {
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    fn push(&mut self, text: &str, width: usize) {
        self.rest = &self.rest[width..];
        self.group().sequence.push(Atom {
            text: text.to_owned(),
            weight: 1,
        });
    }

    fn literal(&mut self, character: char, rest: &'p str) {
        let text = match self.flags.ignore_case {
            true => format!("(?i:\\x{{{:x}}})", u32::from(character)),
            false => format!("\\x{{{:x}}}", u32::from(character)),
        };
        self.rest = rest;
        self.push(&text, 0);
    }

    fn push_class(&mut self, class: &Class, width: usize) {
        let text = match self.flags.ignore_case {
            true => format!("(?i:{class})"),
            false => class.to_string(),
        };
        self.push(&text, width);
    }

    fn open_group(&mut self, width: usize) -> Result<(), String> {
        if self.open.len() > NESTING_LIMIT {
            return Err("expression nests too deeply".to_owned());
        }
        self.rest = &self.rest[width..];
        self.open.push(Group {
            flags: self.flags,
            ..Group::default()
        });
        Ok(())
    }

    fn close_group(&mut self, pattern: &str) -> Result<(), String> {
        if self.open.len() == 1 {
            return Err(format!("unexpected ): `{pattern}`"));
        }
        if let Some(mut group) = self.open.pop() {
            let text = format!("(?:{})", group.finish());
            self.flags = group.flags;
            self.rest = &self.rest[1..];
            self.group().sequence.push(Atom {
                text,
                weight: group.weight.max(1),
            });
        }
        Ok(())
    }

    /// `(?P<name>`, `(?<name>`, `(?flags)` and `(?flags:`. Names may repeat: nobody asks for what they captured.
    fn special_group(&mut self) -> Result<(), String> {
        let text = self.rest;
        let name_start = ["(?P<", "(?<"]
            .iter()
            .find(|start| text.starts_with(**start));
        if let Some(start) = name_start {
            let end = text.find('>').ok_or_else(|| invalid_name(text))?;
            let name = &text[start.len()..end];
            let is_word = |c: char| c == '_' || c.is_ascii_alphanumeric();
            if name.is_empty() || !name.chars().all(is_word) {
                return Err(invalid_name(&text[..=end]));
            }
            return self.open_group(end + 1);
        }
        let mut flags = self.flags;
        let (mut on, mut any) = (true, false);
        for (at, letter) in text.char_indices().skip(2) {
            match letter {
                'i' => flags.ignore_case = on,
                'm' => flags.multi_line = on,
                's' => flags.dot_all = on,
                // Which of several matches is found makes no difference here.
                'U' => {}
                '-' if on => {
                    (on, any) = (false, false);
                    continue;
                }
                ':' | ')' if on || any => {
                    if letter == ':' {
                        self.open_group(at + 1)?;
                    } else {
                        self.rest = &text[at + 1..];
                    }
                    self.flags = flags;
                    return Ok(());
                }
                _ => {
                    let end = at + letter.len_utf8();
                    return Err(format!(
                        "invalid or unsupported Perl syntax: `{}`",
                        &text[..end]
                    ));
                }
            }
            any = true;
        }
        Err(format!("missing closing ): `{text}`"))
    }

    /// Applies an operator (already taken from the text) to the last piece.
    fn repeat(
        &mut self,
        operator: &str,
        factor: u32,
        before: &str,
        last_repeat: Option<&str>,
    ) -> Result<(), String> {
        // Lazy or not makes no difference to whether there is a match.
        self.rest = self.rest.strip_prefix('?').unwrap_or(self.rest);
        let rest = self.rest.len();
        if let Some(last) = last_repeat {
            let operators = &last[..last.len() - rest];
            return Err(format!("invalid nested repetition operator: `{operators}`"));
        }
        let Some(atom) = self.group().sequence.last_mut() else {
            let operator = &before[..before.len() - rest];
            return Err(format!(
                "missing argument to repetition operator: `{operator}`"
            ));
        };
        atom.text = format!("(?:{}){operator}", atom.text);
        atom.weight *= factor;
        if factor > 1 && atom.weight > REPEAT_LIMIT {
            return Err(format!(
                "invalid repeat count: `{}`",
                &before[..before.len() - rest]
            ));
        }
        Ok(())
    }

    fn repeat_bounds(
        &mut self,
        bounds: &Bounds<'p>,
        before: &str,
        last_repeat: Option<&str>,
    ) -> Result<(), String> {
        let (min, max) = (bounds.min, bounds.max);
        let is_wrong = min > REPEAT_LIMIT || max.is_some_and(|max| max > REPEAT_LIMIT || min > max);
        let text = &before[..before.len() - bounds.rest.len()];
        if is_wrong {
            return Err(format!("invalid repeat count: `{text}`"));
        }
        self.repeat(text, max.unwrap_or(min).max(1), before, last_repeat)
    }

    fn escape(&mut self) -> Result<(), String> {
        let text = self.rest;
        match text[1..].chars().next() {
            Some('A') => self.push("\\A", 2),
            Some('z') => self.push("\\z", 2),
            Some('b') => self.push("(?-u:\\b)", 2),
            Some('B') => self.push("(?-u:\\B)", 2),
            Some('C') => return Err("invalid escape sequence: `\\C`".to_owned()),
            Some('Q') => self.quoted(&text[2..]),
            _ => {
                if let Some((class, rest)) = re2_class::escaped(text)? {
                    self.push_class(&class, text.len() - rest.len());
                } else {
                    let (code, rest) = re2_class::escaped_character(text)?;
                    match char::from_u32(code) {
                        Some(character) => self.literal(character, rest),
                        // Half of a surrogate pair is in no text.
                        None => self.push("[a&&b]", text.len() - rest.len()),
                    }
                }
            }
        }
        Ok(())
    }

    /// Characters that mean themselves, up to `\E` or the end.
    fn quoted(&mut self, text: &'p str) {
        let (quoted, rest) = text.split_once("\\E").unwrap_or((text, ""));
        for character in quoted.chars() {
            self.literal(character, rest);
        }
        self.rest = rest;
    }
}

fn invalid_name(text: &str) -> String {
    format!("invalid named capture: `{text}`")
}

/// `{min}`, `{min,}` or `{min,max}`.
struct Bounds<'p> {
    min: u32,
    max: Option<u32>,
    rest: &'p str,
}

/// Reads bounds; anything else that starts with a brace is text.
fn bounds(text: &str) -> Option<Bounds<'_>> {
    let (inside, rest) = text.strip_prefix('{')?.split_once('}')?;
    let number = |digits: &str| -> Option<u32> {
        let is_number = !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && (digits.len() == 1 || !digits.starts_with('0'));
        // Numbers too long to read are too large all the same.
        is_number.then(|| digits.parse().unwrap_or(u32::MAX))
    };
    Some(match inside.split_once(',') {
        None => {
            let count = number(inside)?;
            Bounds {
                min: count,
                max: Some(count),
                rest,
            }
        }
        Some((min, "")) => Bounds {
            min: number(min)?,
            max: None,
            rest,
        },
        Some((min, max)) => Bounds {
            min: number(min)?,
            max: Some(number(max)?),
            rest,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::compile;

    fn is_match(pattern: &str, text: &str) -> Result<bool, String> {
        compile(pattern)
            .map(|regex| regex.is_match(text.as_bytes()))
            .map_err(|it| it.message)
    }

    #[test]
    fn patterns_match_as_in_go() {
        for (pattern, text, expected) in [
            ("^gpt-\\d$", "gpt-4", true),
            ("\\d", "٣", false),
            ("\\w", "ü", false),
            ("[[:^alpha:]]", "1", true),
            ("a{,2}", "a{,2}", true),
            ("a{02}", "a{02}", true),
            ("[a&&b]", "&", true),
            ("[a[b]", "[", true),
            ("[]a]", "]", true),
            ("(?i)straSSe", "STRASSE", true),
            ("(?i:a)b", "AB", false),
            ("a(?i)b|c", "aB", true),
            ("\\Qa.b\\E", "a.b", true),
            ("\\Qa.b\\E", "axb", false),
            (".", "\n", false),
            ("(?s).", "\n", true),
            ("a$", "a\n", false),
            ("(?m)a$", "a\n", true),
            ("\\pL", "ü", true),
            ("\\p{Greek}", "α", true),
            ("\\p{^Greek}", "α", false),
            ("\\x{41}\\101", "AA", true),
            ("\\bfoo\\b", "a foo b", true),
            ("(?:)", "", true),
            ("^*", "x", true),
            ("a*(?i)*b", "b", true),
            ("[^\\x00-\\x{10FFFF}]", "a", false),
            ("[a-\\x{D800}]", "é", true),
            ("(?P<n>a)(?<m>b)", "ab", true),
            ("(?P<n>a)(?P<n>b)", "ab", true),
        ] {
            assert_eq!(is_match(pattern, text), Ok(expected), "{pattern}");
        }
    }

    #[test]
    fn what_go_refuses_is_refused_in_its_words() {
        for (pattern, reason) in [
            ("[", "missing closing ]: `[`"),
            ("(", "missing closing ): `(`"),
            (")", "unexpected ): `)`"),
            ("a**", "invalid nested repetition operator: `**`"),
            ("a{2}{3}", "invalid nested repetition operator: `{2}{3}`"),
            ("a{2,1}", "invalid repeat count: `{2,1}`"),
            ("a{1001}", "invalid repeat count: `{1001}`"),
            ("(a{100}){11}", "invalid repeat count: `{11}`"),
            ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
            ("(?!a)", "invalid or unsupported Perl syntax: `(?!`"),
            ("(?x) a", "invalid or unsupported Perl syntax: `(?x`"),
            ("(a)\\1", "invalid escape sequence: `\\1`"),
            ("\\C", "invalid escape sequence: `\\C`"),
            ("\\Z", "invalid escape sequence: `\\Z`"),
            ("\\", "trailing backslash at end of expression: ``"),
            ("\\x{110000}", "invalid escape sequence: `\\x{110000`"),
            ("\\x{}", "invalid escape sequence: `\\x{}`"),
            ("\\x{1g}", "invalid escape sequence: `\\x{1g`"),
            ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
            ("[a-\\d]", "invalid escape sequence: `\\d`"),
            ("[b-a]", "invalid character class range: `b-a`"),
            ("\\p{Foo}", "invalid character class range: `\\p{Foo}`"),
            ("*", "missing argument to repetition operator: `*`"),
            ("a|*", "missing argument to repetition operator: `*`"),
        ] {
            let expected = format!("error parsing regexp: {reason}");
            assert_eq!(is_match(pattern, ""), Err(expected), "{pattern}");
        }
    }
}
