//! Events to nodes: what go-yaml's decoder and the conversion to JSON make of a document.

use std::collections::{HashMap, HashSet};

use super::alias::{Anchored, AnchoredNode, Budget, Cost, aliased_anchors};
use super::key::{KeyType, key_of};
use super::parser::{EventKind, Parser, Scalar};
use super::resolve::{Resolved, resolve};
use super::token::{Fault, Reading};
use crate::manifest::document::{DuplicateKey, Note, NoteKind};
use crate::manifest::limits::Limits;
use crate::manifest::map_builder::MapBuilder;
use crate::manifest::node::{Entry, Node, Pos, Value};
use crate::manifest::number::through_json;
use crate::manifest::parsed::Parsed;
use crate::manifest::position::Locator;

/// A collection that is being read.
#[derive(Debug)]
struct Frame<'a> {
    start: usize,
    pos: Pos,
    anchor: Option<Anchor<'a>>,
    /// The costs before it.
    cost: Cost,
    /// Levels of collections inside.
    height: usize,
    content: Content,
}

#[derive(Debug)]
enum Content {
    List {
        items: Vec<Node>,
        /// It is the value of a `<<` key.
        merged: bool,
    },
    Map {
        map: MapBuilder,
        key: Option<Key>,
    },
}

/// A key whose value comes next.
#[derive(Debug)]
enum Key {
    Plain {
        text: String,
        key_type: KeyType,
        pos: Pos,
    },
    Merge(Pos),
}

/// An anchor that has aliases.
#[derive(Debug, Clone, Copy)]
struct Anchor<'a>(&'a str);

/// Where a value is about to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Key,
    MergeValue,
    MergeItem,
    Ordinary,
}

/// A node that is complete, on its way to its parent.
struct Complete {
    node: Node,
    start: usize,
    /// Bytes of text.
    size: usize,
    height: usize,
}

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
    /// Keys that were not strings, by position.
    key_types: HashMap<Pos, KeyType>,
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
            key_types: HashMap::new(),
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
            match event.kind {
                EventKind::End => return Ok(()),
                EventKind::Alias(name) => self.alias(event.start, name)?,
                EventKind::Scalar(scalar) => self.scalar(event.start, scalar)?,
                EventKind::SequenceStart(anchor) => {
                    let merged = match self.place() {
                        Place::MergeItem => return Err(not_mergeable(event.start)),
                        place => place == Place::MergeValue,
                    };
                    let content = Content::List {
                        items: Vec::new(),
                        merged,
                    };
                    self.open(event.start, anchor, content)?;
                }
                EventKind::MappingStart(anchor) => {
                    let content = Content::Map {
                        map: MapBuilder::default(),
                        key: None,
                    };
                    self.open(event.start, anchor, content)?;
                }
                EventKind::SequenceEnd | EventKind::MappingEnd => self.close(event.start)?,
            }
        }
    }

    /// The document, if JSON can hold it. `None`: no node was read.
    pub(super) fn finish(mut self) -> Reading<Option<Parsed>> {
        let Some(root) = self.root.take() else {
            return Ok(None);
        };
        if self.not_json {
            self.check_json(&root)?;
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

    fn place(&self) -> Place {
        match self.frames.last().map(|frame| &frame.content) {
            Some(Content::Map { key: None, .. }) => Place::Key,
            Some(Content::Map {
                key: Some(Key::Merge(_)),
                ..
            }) => Place::MergeValue,
            Some(Content::List { merged: true, .. }) => Place::MergeItem,
            _ => Place::Ordinary,
        }
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
        let anchor = anchor.and_then(|name| self.declare(name));
        let pos = self.locator.pos(start);
        self.frames.push(Frame {
            start,
            pos,
            anchor,
            cost,
            height: 0,
            content,
        });
        Ok(())
    }

    fn close(&mut self, end: usize) -> Reading<()> {
        let Some(frame) = self.frames.pop() else {
            return Ok(());
        };
        let value = match frame.content {
            Content::List { mut items, .. } => {
                items.shrink_to_fit();
                Value::List(items)
            }
            Content::Map { map, .. } => Value::Map(map.finish()),
        };
        let node = Node {
            pos: frame.pos,
            value,
        };
        let height = frame.height + 1;
        if let Some(anchor) = frame.anchor {
            let cost = self.budget.total().since(frame.cost);
            self.keep(
                anchor,
                AnchoredNode {
                    node: node.clone(),
                    key: None,
                    cost,
                    height,
                },
            );
        }
        let size = end.saturating_sub(frame.start);
        self.put(Complete {
            node,
            start: frame.start,
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
        let place = self.place();
        if matches!(place, Place::MergeValue | Place::MergeItem) {
            return Err(not_mergeable(start));
        }
        let pos = self.locator.pos(start);
        let size = value.len();
        let merge_key = place == Place::Key && value == "<<" && is_merge(tag.as_deref(), implicit);
        let boolean_key = (place == Place::Key)
            .then(|| boolean_word(&value))
            .flatten();
        let cost = self.budget.total();
        if !merge_key {
            self.budget.add_node(start, size)?;
        }
        let resolved = resolve(tag.as_deref(), implicit, value)
            .map_err(|message| Fault::new(start, message))?;
        if let Some(anchor) = anchor.and_then(|name| self.declare(name)) {
            let key = Some(key_of(resolved.clone()));
            let node = Node {
                pos,
                value: self.value(resolved.clone()),
            };
            let cost = if merge_key {
                Cost {
                    steps: 1,
                    weight: 1,
                }
            } else {
                self.budget.total().since(cost)
            };
            self.keep(
                anchor,
                AnchoredNode {
                    node,
                    key,
                    cost,
                    height: 0,
                },
            );
        }
        if merge_key {
            self.set_key(Key::Merge(pos));
        } else if place == Place::Key {
            let (text, key_type) = key_of(resolved);
            if let Some(written) = boolean_key.filter(|_| key_type == KeyType::Bool) {
                let kind = NoteKind::BooleanKey {
                    written,
                    key: text.clone(),
                };
                self.notes.push(Note { pos, kind });
            }
            self.set_plain_key(text, key_type, pos);
        } else {
            let value = self.value(resolved);
            return self.put(Complete {
                node: Node { pos, value },
                start,
                size,
                height: 0,
            });
        }
        Ok(())
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
        let place = self.place();
        let anchored = match self.anchors.get(name) {
            Some(Anchored::Done(anchored)) => anchored,
            Some(Anchored::Open) => {
                let message = format!("the value of the anchor '&{name}' contains itself");
                return Err(Fault::new(start, message));
            }
            None => {
                let message = format!(
                    "there is no anchor '&{name}' before this in the document: quote the value if it is a text"
                );
                return Err(Fault::new(start, message));
            }
        };
        if self.frames.len() + anchored.height > self.limits.depth() {
            return Err(too_deep(start));
        }
        self.budget.add_alias(start, anchored.cost)?;
        if place == Place::Key {
            let (text, key_type) = anchored.key.clone().ok_or_else(|| not_a_key(start))?;
            let pos = self.locator.pos(start);
            self.set_plain_key(text, key_type, pos);
            return Ok(());
        }
        if place != Place::Ordinary && anchored.node.as_map().is_none() {
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
                Some(Key::Plain {
                    text,
                    key_type,
                    pos,
                }) => {
                    self.insert(
                        Entry {
                            key: text,
                            key_pos: pos,
                            value: node,
                        },
                        key_type,
                        None,
                    );
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
                let key_type = key_type(&self.key_types, entry.key_pos);
                self.insert(entry, key_type, Some(merged_at));
            }
        }
    }

    fn insert(&mut self, entry: Entry, new_type: KeyType, merged_at: Option<Pos>) {
        let Some(Frame {
            content: Content::Map { map, .. },
            ..
        }) = self.frames.last_mut()
        else {
            return;
        };
        let Some(earlier) = map.find(&entry.key) else {
            map.push(entry);
            return;
        };
        let earlier_type = key_type(&self.key_types, earlier.key_pos);
        if new_type
            .impossible()
            .or(earlier_type.impossible())
            .is_some()
        {
            // Both stay, so that the document fails, unless all of this mapping is replaced.
            map.push(entry);
            return;
        }
        let key = entry.key.clone();
        let first = earlier.key_pos;
        let again = merged_at.unwrap_or(entry.key_pos);
        if new_type == earlier_type {
            self.duplicates.push(DuplicateKey {
                key,
                first,
                again,
                merged: merged_at.is_some(),
            });
        } else {
            self.notes.push(Note {
                pos: again,
                kind: NoteKind::CollidingKey { key, first },
            });
        }
        *earlier = entry;
    }

    fn set_key(&mut self, new: Key) {
        if let Some(Frame {
            content: Content::Map { key, .. },
            ..
        }) = self.frames.last_mut()
        {
            *key = Some(new);
        }
    }

    fn set_plain_key(&mut self, text: String, key_type: KeyType, pos: Pos) {
        if key_type != KeyType::Str {
            self.key_types.insert(pos, key_type);
            self.not_json |= key_type.impossible().is_some();
        }
        self.set_key(Key::Plain {
            text,
            key_type,
            pos,
        });
    }

    /// Registers an anchor whose value is about to be read, if it has aliases.
    fn declare(&mut self, name: &'a str) -> Option<Anchor<'a>> {
        let number = self.anchors_seen;
        self.anchors_seen += 1;
        self.aliased.contains(&number).then(|| {
            self.anchors.insert(name, Anchored::Open);
            Anchor(name)
        })
    }

    fn keep(&mut self, Anchor(name): Anchor<'a>, anchored: AnchoredNode) {
        self.anchors
            .insert(name, Anchored::Done(Box::new(anchored)));
    }

    /// Looks for keys and numbers that JSON does not know.
    fn check_json(&self, root: &Node) -> Reading<()> {
        let mut nodes = vec![root];
        while let Some(node) = nodes.pop() {
            match &node.value {
                Value::Float(value) if !value.is_finite() => {
                    return Err(Fault::at(
                        node.pos,
                        "JSON knows no infinity and no NaN: quote the value",
                    ));
                }
                Value::List(items) => nodes.extend(items.iter().rev()),
                Value::Map(map) => {
                    for entry in map.iter().rev() {
                        if let Some(what) = key_type(&self.key_types, entry.key_pos).impossible() {
                            let message = format!("a key cannot be {what}: quote it");
                            return Err(Fault::at(entry.key_pos, message));
                        }
                        nodes.push(&entry.value);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn key_type(types: &HashMap<Pos, KeyType>, pos: Pos) -> KeyType {
    if types.is_empty() {
        KeyType::Str
    } else {
        types.get(&pos).copied().unwrap_or(KeyType::Str)
    }
}

/// The text of a key, if it may be a boolean that was meant as a word.
fn boolean_word(text: &str) -> Option<String> {
    let word = text.len() <= 3 && !text.is_empty();
    word.then(|| text.to_owned())
}

fn is_merge(tag: Option<&[u8]>, implicit: bool) -> bool {
    implicit || tag == Some(b"tag:yaml.org,2002:merge")
}

fn too_deep(start: usize) -> Fault {
    Fault::new(
        start,
        "lists and mappings are nested too deeply (see the limit on nesting)",
    )
}

fn not_a_key(start: usize) -> Fault {
    Fault::new(
        start,
        "a list or mapping cannot be a key (is this a template? render it first)",
    )
}

fn not_mergeable(start: usize) -> Fault {
    Fault::new(
        start,
        "the value of '<<' must be a mapping or a list of mappings",
    )
}
