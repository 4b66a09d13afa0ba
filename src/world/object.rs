//! One object of the cluster, with the document it was read from.

use std::fmt;
use std::sync::Arc;

use super::apply::apply;
use super::field::Field;
use super::kind::Kind;
use crate::manifest::node::{Node, Pos, Value};

/// The identity of an object. The API version is not part of it: `v1alpha1` and `v1beta1` are two
/// spellings of one object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId {
    /// The kind.
    pub kind: Kind,
    /// The namespace; empty for cluster-wide kinds.
    pub namespace: String,
    /// The name.
    pub name: String,
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.namespace.is_empty() {
            write!(f, "{} {}", self.kind, self.name)
        } else {
            write!(f, "{} {}/{}", self.kind, self.namespace, self.name)
        }
    }
}

/// An object and where it was read.
#[derive(Clone)]
pub struct Object {
    id: ObjectId,
    version: String,
    file: Arc<str>,
    root: Node,
}

impl Object {
    /// An object of that identity; `version` is the part of `apiVersion` after the group.
    pub fn new(id: ObjectId, version: String, file: Arc<str>, root: Node) -> Self {
        Object {
            id,
            version,
            file,
            root,
        }
    }

    /// The identity.
    pub fn id(&self) -> &ObjectId {
        &self.id
    }

    /// The kind.
    pub fn kind(&self) -> Kind {
        self.id.kind
    }

    /// The namespace; empty for cluster-wide kinds.
    pub fn namespace(&self) -> &str {
        &self.id.namespace
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.id.name
    }

    /// The API version without the group, such as `v1beta1`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The file it was read from.
    pub fn file(&self) -> &Arc<str> {
        &self.file
    }

    /// Whether it was read from a cluster: its values have no position.
    pub fn is_live(&self) -> bool {
        self.root.pos == Pos::NOWHERE
    }

    /// Applies this manifest to an object of the cluster.
    pub(super) fn apply_to(&mut self, live: Object) {
        let empty = Node {
            pos: self.root.pos,
            value: Value::Null,
        };
        let manifest = std::mem::replace(&mut self.root, empty);
        self.root = apply(live.root, manifest);
    }

    /// The whole document.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// A cursor at the root.
    pub fn field(&self) -> Field<'_> {
        Field::root(self)
    }

    /// A cursor at `spec`.
    pub fn spec(&self) -> Field<'_> {
        self.field().get("spec")
    }

    /// A cursor at `metadata`.
    pub fn metadata(&self) -> Field<'_> {
        self.field().get("metadata")
    }

    /// The value of a label.
    pub fn label(&self, key: &'static str) -> Option<&str> {
        self.metadata().get("labels").get(key).str()
    }

    /// Whether `metadata.deletionTimestamp` is set.
    pub fn is_being_deleted(&self) -> bool {
        self.metadata().get("deletionTimestamp").is_set()
    }
}

/// Only the identity: a document may hold credentials.
impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Object({} in {})", self.id, self.file)
    }
}
