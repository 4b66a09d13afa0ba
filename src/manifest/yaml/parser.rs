//! Tokens to events, of the first document in a text.

use std::borrow::Cow;

use super::scanner::Scanner;
use super::token::{Fault, Kind, Reading, TagToken, Token};

const DEFAULT_TAG_PREFIX: &[u8] = b"tag:yaml.org,2002:";

/// An event and where it stands, in bytes. Anchors and tags do not count: a node starts with its
/// value.
#[derive(Debug)]
pub(super) struct Event<'a> {
    pub(super) start: usize,
    pub(super) kind: EventKind<'a>,
}

#[derive(Debug)]
pub(super) enum EventKind<'a> {
    Alias(&'a str),
    Scalar(Scalar<'a>),
    SequenceStart(Option<&'a str>),
    SequenceEnd,
    MappingStart(Option<&'a str>),
    MappingEnd,
    /// The root node is complete.
    End,
}

#[derive(Debug)]
pub(super) struct Scalar<'a> {
    pub(super) value: Cow<'a, str>,
    pub(super) anchor: Option<&'a str>,
    /// The full tag, without `!<` and `>`.
    pub(super) tag: Option<Vec<u8>>,
    /// The scalar is plain and has no tag, or its tag is `!`.
    pub(super) implicit: bool,
}

/// What follows the first document in the text it was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// Nothing.
    Nothing,
    /// `...` ended the document; the number is the byte after it.
    AfterEnd(usize),
    /// More text, starting at this byte, that is never looked at.
    Ignored(usize),
}

#[derive(Debug, Clone, Copy)]
enum State {
    Root { explicit: bool },
    BlockSequence,
    IndentlessSequence,
    BlockMappingKey,
    BlockMappingValue,
    FlowSequence { first: bool },
    FlowPairKey,
    FlowPairValue,
    FlowPairEnd,
    FlowMapping { first: bool },
    FlowMappingValue,
    FlowMappingNoValue,
    Done,
}

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Parser<'a> {
    scanner: Scanner<'a>,
    state: State,
    /// What comes after the node that is being read.
    after: Vec<State>,
    tag_directives: Vec<TagToken>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Parser {
            scanner: Scanner::new(text),
            state: State::Done,
            after: Vec::new(),
            tag_directives: Vec::new(),
        }
    }

    /// Whether what was read so far depends on what follows the end of the text.
    pub(super) fn reached_end(&self) -> bool {
        self.scanner.reached_end()
    }

    /// Reads up to the root node. False: the text holds no document.
    pub(super) fn start(&mut self) -> Reading<bool> {
        let explicit = match self.scanner.peek()?.kind {
            Kind::StreamEnd => return Ok(false),
            Kind::Version { .. } | Kind::TagDirective(_) | Kind::DocumentStart => true,
            _ => false,
        };
        self.read_directives()?;
        if explicit {
            let token = self.scanner.take()?;
            if !matches!(token.kind, Kind::DocumentStart) {
                return Err(Fault::new(
                    token.start,
                    "directives must be followed by '---'",
                ));
            }
        }
        self.state = State::Root { explicit };
        self.after.push(State::Done);
        Ok(true)
    }

    /// Reads up to the next document or the end of the text.
    pub(super) fn finish(&mut self) -> Reading<Rest> {
        let token = self.scanner.peek()?;
        Ok(match token.kind {
            Kind::StreamEnd => Rest::Nothing,
            Kind::DocumentEnd => Rest::AfterEnd(token.end),
            _ => Rest::Ignored(token.start),
        })
    }

    fn read_directives(&mut self) -> Reading<()> {
        let mut version_seen = false;
        loop {
            let token = match self.scanner.peek()?.kind {
                Kind::Version { .. } | Kind::TagDirective(_) => self.scanner.take()?,
                _ => return Ok(()),
            };
            match token.kind {
                Kind::Version { .. } if version_seen => {
                    return Err(Fault::new(token.start, "there are two %YAML directives"));
                }
                Kind::Version { major: 1, minor: 1 } => version_seen = true,
                Kind::TagDirective(tag) => {
                    if self
                        .tag_directives
                        .iter()
                        .any(|known| known.handle == tag.handle)
                    {
                        return Err(Fault::new(
                            token.start,
                            "there are two %TAG directives for this handle",
                        ));
                    }
                    self.tag_directives.push(*tag);
                }
                _ => {
                    return Err(Fault::new(
                        token.start,
                        "Kubernetes reads YAML 1.1 and no other version: remove the %YAML line",
                    ));
                }
            }
        }
    }

    /// The next event of the root node.
    pub(super) fn next(&mut self) -> Reading<Event<'a>> {
        match self.state {
            State::Root { explicit } => self.root(explicit),
            State::BlockSequence => self.block_sequence(),
            State::IndentlessSequence => self.indentless_sequence(),
            State::BlockMappingKey => self.block_mapping_key(),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequence { first } => self.flow_sequence(first),
            State::FlowPairKey => self.flow_pair_key(),
            State::FlowPairValue => self.flow_pair_value(),
            State::FlowPairEnd => self.flow_pair_end(),
            State::FlowMapping { first } => self.flow_mapping(first),
            State::FlowMappingValue => self.flow_mapping_value(),
            State::FlowMappingNoValue => {
                let at = self.scanner.peek()?.start;
                Ok(self.empty(at, State::FlowMapping { first: false }))
            }
            State::Done => Ok(Event {
                start: 0,
                kind: EventKind::End,
            }),
        }
    }

    fn pop_state(&mut self) {
        self.state = self.after.pop().unwrap_or(State::Done);
    }

    /// An absent value is null.
    fn empty(&mut self, start: usize, next: State) -> Event<'a> {
        self.state = next;
        empty_scalar(start, None, None)
    }

    fn node(&mut self, block: bool, indentless: bool, next: State) -> Reading<Event<'a>> {
        self.after.push(next);
        self.properties_and_content(block, indentless)
    }

    fn root(&mut self, explicit: bool) -> Reading<Event<'a>> {
        let token = self.scanner.peek()?;
        let absent = matches!(
            token.kind,
            Kind::Version { .. }
                | Kind::TagDirective(_)
                | Kind::DocumentStart
                | Kind::DocumentEnd
                | Kind::StreamEnd
        );
        if explicit && absent {
            let start = token.start;
            self.pop_state();
            return Ok(empty_scalar(start, None, None));
        }
        self.properties_and_content(true, false)
    }

    fn properties_and_content(&mut self, block: bool, indentless: bool) -> Reading<Event<'a>> {
        if let Kind::Alias(name) = self.scanner.peek()?.kind {
            let start = self.scanner.take()?.start;
            self.pop_state();
            return Ok(Event {
                start,
                kind: EventKind::Alias(name),
            });
        }
        let properties_start = self.scanner.peek()?.start;
        let (anchor, tag) = self.properties()?;
        let token = self.scanner.peek()?;
        let start = token.start;
        let kind = match token.kind {
            Kind::BlockEntry if indentless => {
                self.state = State::IndentlessSequence;
                EventKind::SequenceStart(anchor)
            }
            Kind::Scalar { .. } => return self.scalar(anchor, tag),
            Kind::FlowSequenceStart => {
                self.scanner.take()?;
                self.state = State::FlowSequence { first: true };
                EventKind::SequenceStart(anchor)
            }
            Kind::FlowMappingStart => {
                self.scanner.take()?;
                self.state = State::FlowMapping { first: true };
                EventKind::MappingStart(anchor)
            }
            Kind::BlockSequenceStart if block => {
                self.scanner.take()?;
                self.state = State::BlockSequence;
                EventKind::SequenceStart(anchor)
            }
            Kind::BlockMappingStart if block => {
                self.scanner.take()?;
                self.state = State::BlockMappingKey;
                EventKind::MappingStart(anchor)
            }
            _ if anchor.is_some() || tag.is_some() => {
                self.pop_state();
                return Ok(empty_scalar(properties_start, anchor, tag));
            }
            _ => return Err(Fault::new(start, "a value is missing before this")),
        };
        Ok(Event { start, kind })
    }

    /// An anchor and a tag, in any order.
    fn properties(&mut self) -> Reading<(Option<&'a str>, Option<Vec<u8>>)> {
        let mut anchor = None;
        let mut tag = None;
        loop {
            match self.scanner.peek()?.kind {
                Kind::Anchor(name) if anchor.is_none() => {
                    self.scanner.take()?;
                    anchor = Some(name);
                }
                Kind::Tag(_) if tag.is_none() => {
                    let token = self.scanner.take()?;
                    tag = Some(self.full_tag(token)?);
                }
                _ => return Ok((anchor, tag)),
            }
        }
    }

    fn full_tag(&self, token: Token<'a>) -> Reading<Vec<u8>> {
        let Kind::Tag(tag) = token.kind else {
            return Ok(Vec::new());
        };
        if tag.handle.is_empty() {
            return Ok(tag.suffix);
        }
        let declared = self
            .tag_directives
            .iter()
            .find(|known| known.handle == tag.handle);
        let prefix = match (declared, tag.handle.as_slice()) {
            (Some(declared), _) => &declared.suffix,
            (None, b"!") => b"!".as_slice(),
            (None, b"!!") => DEFAULT_TAG_PREFIX,
            _ => {
                return Err(Fault::new(
                    token.start,
                    "'!' begins a tag, and no %TAG directive declares this one: quote the value",
                ));
            }
        };
        Ok([prefix, &tag.suffix].concat())
    }

    fn scalar(&mut self, anchor: Option<&'a str>, tag: Option<Vec<u8>>) -> Reading<Event<'a>> {
        let token = self.scanner.take()?;
        self.pop_state();
        let Kind::Scalar { value, plain } = token.kind else {
            return Ok(empty_scalar(token.start, anchor, tag));
        };
        let implicit = match &tag {
            None => plain,
            Some(tag) => tag == b"!",
        };
        let scalar = Scalar {
            value,
            anchor,
            tag,
            implicit,
        };
        Ok(Event {
            start: token.start,
            kind: EventKind::Scalar(scalar),
        })
    }

    fn block_sequence(&mut self) -> Reading<Event<'a>> {
        let token = self.scanner.take()?;
        match token.kind {
            Kind::BlockEntry => match self.scanner.peek()?.kind {
                Kind::BlockEntry | Kind::BlockEnd => {
                    Ok(self.empty(token.end, State::BlockSequence))
                }
                _ => self.node(true, false, State::BlockSequence),
            },
            Kind::BlockEnd => {
                self.pop_state();
                Ok(Event {
                    start: token.start,
                    kind: EventKind::SequenceEnd,
                })
            }
            _ => Err(Fault::new(
                token.start,
                "the next list item must start with '- ' here: check the indentation of this line",
            )),
        }
    }

    fn indentless_sequence(&mut self) -> Reading<Event<'a>> {
        let token = self.scanner.peek()?;
        if !matches!(token.kind, Kind::BlockEntry) {
            let start = token.start;
            self.pop_state();
            return Ok(Event {
                start,
                kind: EventKind::SequenceEnd,
            });
        }
        let end = self.scanner.take()?.end;
        match self.scanner.peek()?.kind {
            Kind::BlockEntry | Kind::Key | Kind::Value | Kind::BlockEnd => {
                Ok(self.empty(end, State::IndentlessSequence))
            }
            _ => self.node(true, false, State::IndentlessSequence),
        }
    }

    fn block_mapping_key(&mut self) -> Reading<Event<'a>> {
        let token = self.scanner.take()?;
        match token.kind {
            Kind::Key => match self.scanner.peek()?.kind {
                Kind::Key | Kind::Value | Kind::BlockEnd => {
                    Ok(self.empty(token.end, State::BlockMappingValue))
                }
                _ => self.node(true, true, State::BlockMappingValue),
            },
            Kind::BlockEnd => {
                self.pop_state();
                Ok(Event {
                    start: token.start,
                    kind: EventKind::MappingEnd,
                })
            }
            _ => Err(Fault::new(
                token.start,
                "a key must start here: check the indentation of this line, or quote the value before it",
            )),
        }
    }

    fn block_mapping_value(&mut self) -> Reading<Event<'a>> {
        let token = self.scanner.peek()?;
        if !matches!(token.kind, Kind::Value) {
            let start = token.start;
            return Ok(self.empty(start, State::BlockMappingKey));
        }
        let end = self.scanner.take()?.end;
        match self.scanner.peek()?.kind {
            Kind::Key | Kind::Value | Kind::BlockEnd => Ok(self.empty(end, State::BlockMappingKey)),
            _ => self.node(true, true, State::BlockMappingKey),
        }
    }

    fn flow_sequence(&mut self, first: bool) -> Reading<Event<'a>> {
        let mut token = self.scanner.peek()?;
        if !first && !matches!(token.kind, Kind::FlowSequenceEnd) {
            if !matches!(token.kind, Kind::FlowEntry) {
                return Err(Fault::new(
                    token.start,
                    "a ',' or ']' is missing before this",
                ));
            }
            self.scanner.take()?;
            token = self.scanner.peek()?;
        }
        match token.kind {
            Kind::FlowSequenceEnd => self.end_flow(EventKind::SequenceEnd),
            Kind::Key => {
                let start = self.scanner.take()?.start;
                self.state = State::FlowPairKey;
                Ok(Event {
                    start,
                    kind: EventKind::MappingStart(None),
                })
            }
            _ => self.node(false, false, State::FlowSequence { first: false }),
        }
    }

    fn end_flow(&mut self, kind: EventKind<'a>) -> Reading<Event<'a>> {
        let start = self.scanner.take()?.start;
        self.pop_state();
        Ok(Event { start, kind })
    }

    fn flow_pair_key(&mut self) -> Reading<Event<'a>> {
        match self.scanner.peek()?.kind {
            Kind::Value | Kind::FlowEntry | Kind::FlowSequenceEnd => {
                // go-yaml drops the token here, and with it the ':'.
                let end = self.scanner.take()?.end;
                Ok(self.empty(end, State::FlowPairValue))
            }
            _ => self.node(false, false, State::FlowPairValue),
        }
    }

    fn flow_pair_value(&mut self) -> Reading<Event<'a>> {
        let mut token = self.scanner.peek()?;
        if matches!(token.kind, Kind::Value) {
            self.scanner.take()?;
            token = self.scanner.peek()?;
            if !matches!(token.kind, Kind::FlowEntry | Kind::FlowSequenceEnd) {
                return self.node(false, false, State::FlowPairEnd);
            }
        }
        let start = token.start;
        Ok(self.empty(start, State::FlowPairEnd))
    }

    fn flow_pair_end(&mut self) -> Reading<Event<'a>> {
        let start = self.scanner.peek()?.start;
        self.state = State::FlowSequence { first: false };
        Ok(Event {
            start,
            kind: EventKind::MappingEnd,
        })
    }

    fn flow_mapping(&mut self, first: bool) -> Reading<Event<'a>> {
        let mut token = self.scanner.peek()?;
        if !first && !matches!(token.kind, Kind::FlowMappingEnd) {
            if !matches!(token.kind, Kind::FlowEntry) {
                return Err(Fault::new(
                    token.start,
                    "a ',' or '}' is missing before this",
                ));
            }
            self.scanner.take()?;
            token = self.scanner.peek()?;
        }
        match token.kind {
            Kind::FlowMappingEnd => self.end_flow(EventKind::MappingEnd),
            Kind::Key => {
                self.scanner.take()?;
                let token = self.scanner.peek()?;
                match token.kind {
                    Kind::Value | Kind::FlowEntry | Kind::FlowMappingEnd => {
                        let start = token.start;
                        Ok(self.empty(start, State::FlowMappingValue))
                    }
                    _ => self.node(false, false, State::FlowMappingValue),
                }
            }
            _ => self.node(false, false, State::FlowMappingNoValue),
        }
    }

    fn flow_mapping_value(&mut self) -> Reading<Event<'a>> {
        let next = State::FlowMapping { first: false };
        let mut token = self.scanner.peek()?;
        if matches!(token.kind, Kind::Value) {
            self.scanner.take()?;
            token = self.scanner.peek()?;
            if !matches!(token.kind, Kind::FlowEntry | Kind::FlowMappingEnd) {
                return self.node(false, false, next);
            }
        }
        let start = token.start;
        Ok(self.empty(start, next))
    }
}

fn empty_scalar<'a>(start: usize, anchor: Option<&'a str>, tag: Option<Vec<u8>>) -> Event<'a> {
    let implicit = tag.is_none();
    let scalar = Scalar {
        value: Cow::Borrowed(""),
        anchor,
        tag,
        implicit,
    };
    Event {
        start,
        kind: EventKind::Scalar(scalar),
    }
}
