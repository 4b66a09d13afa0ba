//! Events to nodes: what go-yaml's decoder and the conversion to JSON make of a document.

use std::collections::{HashMap, HashSet};

use super::alias::{Anchored, AnchoredNode, Budget, Cost, aliased_anchors};
use super::frame::{Complete, Content, Frame, Key, Role};
use super::key::{KeyType, KeyTypes, key_of};
use super::parser::{EventKind, Parser, Scalar};
use super::resolve::{Resolved, resolve};
use super::token::{Fault, Reading};
use crate::manifest::document::{DuplicateKey, Note, NoteKind};
use crate::manifest::limits::Limits;
use crate::manifest::node::{Entry, Node, Pos, Value};
use crate::manifest::number::through_json;
use crate::manifest::parsed::Parsed;
use crate::manifest::position::Locator;

/// See the module's documentation.
pub(super) struct Builder<'a, 'l> {
    locator: Locator<'a>,
    limits: &'l Limits,
    frames: Vec<Frame<'a>>,
    root: Option<Node>,
    anchors: HashMap<&'a str, Anchored>,
    anchors_seen: usize,
    /// The numbers of the anchors that have aliases.
    aliased: HashSet<usize>,
    budget: Budget,
    key_types: KeyTypes,
    /// There are keys or numbers that JSON does not know.
    not_json: bool,
    /// Bytes of the text.
    bytes: usize,
    duplicates: Vec<DuplicateKey>,
    notes: Vec<Note>,
    oversized: HashSet<Pos>,
}

impl<'a, 'l> Builder<'a, 'l> {
    /// `start` is the position of the first character of `text`.
    pub(super) fn new(text: &'a str, start: Pos, limits: &'l Limits) -> Self {
        Builder {
            locator: Locator::new(text.as_bytes(), start),
            limits,
            frames: Vec::new(),
            root: None,
            anchors: HashMap::new(),
            anchors_seen: 0,
            aliased: aliased_anchors(text),
            budget: Budget::new(text.len(), limits),
            key_types: KeyTypes::default(),
            not_json: false,
            bytes: text.len(),
            duplicates: Vec::new(),
            notes: Vec::new(),
            oversized: HashSet::new(),
        }
    }

    /// Reads the root node of the document that `parser` has started.
    pub(super) fn build(&mut self, parser: &mut Parser<'a>) -> Reading<()> {
        loop {
            let event = parser.next()?;
            let start = event.start;
            match event.kind {
                EventKind::End => return Ok(()),
                EventKind::Alias(name) => self.alias(start, name)?,
                EventKind::Scalar(scalar) => self.scalar(start, scalar)?,
                EventKind::SequenceStart(anchor) => match self.role() {
                    Role::MergeItem => return Err(not_mergeable(start)),
                    role => self.open(start, anchor, Content::list(role == Role::MergeValue))?,
                },
                EventKind::MappingStart(anchor) => self.open(start, anchor, Content::map())?,
                EventKind::SequenceEnd | EventKind::MappingEnd => self.close(start)?,
            }
        }
    }

    /// The document, if JSON can hold it. `None`: no node was read.
    pub(super) fn finish(mut self) -> Reading<Option<Parsed>> {
        let Some(root) = self.root.take() else {
            return Ok(None);
        };
        if self.not_json {
            self.key_types.check_json(&root)?;
        }
        Ok(Some(Parsed {
            root,
            duplicates: self.duplicates,
            notes: self.notes,
            bytes: self.bytes,
            oversized: self.oversized,
        }))
    }

    pub(super) fn pos(&mut self, offset: usize) -> Pos {
        self.locator.pos(offset)
    }

    fn role(&self) -> Role {
        let parent = self.frames.last();
        parent.map_or(Role::Value, |frame| frame.content.next_role())
    }

    fn open(&mut self, start: usize, anchor: Option<&'a str>, content: Content) -> Reading<()> {
        if self.frames.len() >= self.limits.depth() {
            return Err(too_deep(start));
        }
        let cost = self.budget.total();
        // go-yaml takes the mappings out of a merged list without decoding the list.
        if !matches!(content, Content::List { merged: true, .. }) {
            self.budget.add_node(start, 0)?;
        }
        let frame = Frame {
            start,
            pos: self.locator.pos(start),
            anchor: self.declare(anchor),
            cost,
            height: 0,
            content,
        };
        self.frames.push(frame);
        Ok(())
    }

    fn close(&mut self, end: usize) -> Reading<()> {
        let Some(frame) = self.frames.pop() else {
            return Ok(());
        };
        let (start, pos) = (frame.start, frame.pos);
        let value = frame.content.finish();
        let node = Node { pos, value };
        let height = frame.height + 1;
        if let Some(name) = frame.anchor {
            let anchored = AnchoredNode {
                node: node.clone(),
                key: None,
                cost: self.budget.total().since(frame.cost),
                height,
            };
            self.keep(start, name, anchored)?;
        }
        let size = end.saturating_sub(start);
        self.put(Complete {
            node,
            start,
            size,
            height,
        })
    }

    fn scalar(&mut self, start: usize, scalar: Scalar<'a>) -> Reading<()> {
        let Scalar {
            value,
            anchor,
            tag,
            implicit,
        } = scalar;
        let tag = tag.as_deref();
        let pos = self.locator.pos(start);
        let role = self.role();
        let size = value.len();
        let before = self.budget.total();
        let merge = match role {
            Role::MergeValue | Role::MergeItem => return Err(not_mergeable(start)),
            Role::Key => value == "<<" && (implicit || tag == Some(MERGE_TAG)),
            Role::Value => false,
        };
        if !merge {
            self.budget.add_node(start, size)?;
        }
        let written = if role == Role::Key {
            boolean_word(&value)
        } else {
            None
        };
        let resolved =
            resolve(tag, implicit, value).map_err(|message| Fault::new(start, message))?;
        if let Some(name) = self.declare(anchor) {
            let anchored = AnchoredNode {
                node: Node {
                    pos,
                    value: self.value(resolved.clone()),
                },
                key: Some(key_of(resolved.clone())),
                cost: if merge {
                    Cost::SMALLEST
                } else {
                    self.budget.total().since(before)
                },
                height: 0,
            };
            self.keep(start, name, anchored)?;
        }
        if merge {
            self.set_key(Key::Merge(pos));
            return Ok(());
        }
        if role == Role::Key {
            let (text, key_type) = key_of(resolved);
            if let Some(written) = written.filter(|_| key_type == KeyType::Bool) {
                let key = text.clone();
                let kind = NoteKind::BooleanKey { written, key };
                self.notes.push(Note { pos, kind });
            }
            self.set_plain_key(text, key_type, pos);
            return Ok(());
        }
        let value = self.value(resolved);
        let node = Node { pos, value };
        self.put(Complete {
            node,
            start,
            size,
            height: 0,
        })
    }

    fn value(&mut self, resolved: Resolved<'a>) -> Value {
        match resolved {
            Resolved::Null => Value::Null,
            Resolved::Bool(value) => Value::Bool(value),
            Resolved::Int(value) => Value::Int(value),
            Resolved::UInt(value) => Value::UInt(value),
            Resolved::Float(value) => {
                self.not_json |= !value.is_finite();
                through_json(value)
            }
            Resolved::Str(text) => Value::String(text.into_owned()),
        }
    }

    fn alias(&mut self, start: usize, name: &'a str) -> Reading<()> {
        let role = self.role();
        let anchored = match self.anchors.get(name) {
            Some(Anchored::Done(anchored)) => anchored,
            Some(Anchored::Open) => {
                return Err(Fault::new(
                    start,
                    "this alias is part of what it stands for",
                ));
            }
            None => {
                let message = "no anchor of this name stands before this: quote it if it is text";
                return Err(Fault::new(start, message));
            }
        };
        if self.frames.len() + anchored.height > self.limits.depth() {
            return Err(too_deep(start));
        }
        self.budget.add_alias(start, anchored.cost)?;
        if role == Role::Key {
            let key = anchored.key.clone();
            let (text, key_type) = key.ok_or_else(|| not_a_key(start))?;
            let pos = self.locator.pos(start);
            self.set_plain_key(text, key_type, pos);
            return Ok(());
        }
        if role != Role::Value && anchored.node.as_map().is_none() {
            return Err(not_mergeable(start));
        }
        let (node, height) = (anchored.node.clone(), anchored.height);
        self.put(Complete {
            node,
            start,
            size: 0,
            height,
        })
    }

    /// Puts a node where it belongs.
    fn put(&mut self, complete: Complete) -> Reading<()> {
        let Complete {
            node,
            start,
            size,
            height,
        } = complete;
        let Some(parent) = self.frames.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        parent.height = parent.height.max(height);
        match &mut parent.content {
            Content::List { items, .. } => {
                if size > self.limits.object_bytes {
                    self.oversized.insert(node.pos);
                }
                items.push(node);
            }
            Content::Map { key, .. } => match key.take() {
                None => return Err(not_a_key(start)),
                Some(Key::Plain(key, key_type, key_pos)) => {
                    let entry = Entry {
                        key,
                        key_pos,
                        value: node,
                    };
                    self.insert(entry, key_type, None);
                }
                Some(Key::Merge(pos)) => self.merge(node, pos),
            },
        }
        Ok(())
    }

    /// Merges a mapping, or a list of mappings of which the first counts most. They replace keys
    /// that stand before `<<`.
    fn merge(&mut self, node: Node, merged_at: Pos) {
        let maps = match node.value {
            Value::List(items) => items,
            _ => vec![node],
        };
        for map in maps.into_iter().rev() {
            let Value::Map(map) = map.value else { continue };
            for entry in map.into_entries() {
                let key_type = self.key_types.get(entry.key_pos);
                self.insert(entry, key_type, Some(merged_at));
            }
        }
    }

    fn insert(&mut self, entry: Entry, key_type: KeyType, merged_at: Option<Pos>) {
        let Some(Content::Map { map, .. }) = self.frames.last_mut().map(|f| &mut f.content) else {
            return;
        };
        let Some(earlier) = map.find(&entry.key) else {
            map.push(entry);
            return;
        };
        let earlier_type = self.key_types.get(earlier.key_pos);
        if key_type
            .impossible()
            .or(earlier_type.impossible())
            .is_some()
        {
            // Both stay, so that the document fails unless all of this mapping is replaced.
            map.push(entry);
            return;
        }
        let key = entry.key.clone();
        let first = earlier.key_pos;
        let again = merged_at.unwrap_or(entry.key_pos);
        let merged = merged_at.is_some();
        if key_type == earlier_type {
            self.duplicates.push(DuplicateKey {
                key,
                first,
                again,
                merged,
            });
        } else {
            let kind = NoteKind::CollidingKey { key, first };
            self.notes.push(Note { pos: again, kind });
        }
        *earlier = entry;
    }

    fn set_key(&mut self, key: Key) {
        if let Some(frame) = self.frames.last_mut() {
            frame.content.set_key(key);
        }
    }

    fn set_plain_key(&mut self, text: String, key_type: KeyType, pos: Pos) {
        self.key_types.add(pos, key_type);
        self.not_json |= key_type.impossible().is_some();
        self.set_key(Key::Plain(text, key_type, pos));
    }

    /// Registers an anchor whose value is about to be read. `None`: it has no aliases.
    fn declare(&mut self, anchor: Option<&'a str>) -> Option<&'a str> {
        let name = anchor?;
        let number = self.anchors_seen;
        self.anchors_seen += 1;
        if !self.aliased.contains(&number) {
            return None;
        }
        self.anchors.insert(name, Anchored::Open);
        Some(name)
    }

    fn keep(&mut self, start: usize, name: &'a str, anchored: AnchoredNode) -> Reading<()> {
        self.budget.add_kept(start, anchored.cost)?;
        let anchored = Anchored::Done(Box::new(anchored));
        self.anchors.insert(name, anchored);
        Ok(())
    }
}

const MERGE_TAG: &[u8] = b"tag:yaml.org,2002:merge";

/// The text of a key that may be a boolean and have been meant as a word (`y`, `no`, `on`, `off`).
fn boolean_word(text: &str) -> Option<String> {
    let first = text.bytes().next()?;
    (text.len() <= 3 && b"yYnNoO".contains(&first)).then(|| text.to_owned())
}

fn too_deep(start: usize) -> Fault {
    let message = "lists and mappings are nested too deeply (see the limit on nesting)";
    Fault::new(start, message)
}

fn not_a_key(start: usize) -> Fault {
    Fault::new(
        start,
        "a list or mapping cannot be a key: quote it if it is text",
    )
}

fn not_mergeable(start: usize) -> Fault {
    let message = "the value of '<<' must be a mapping or a list of mappings";
    Fault::new(start, message)
}
