//! A problem or remark about the input, shared by every command that reports any.

use std::fmt;
use std::sync::Arc;

use crate::manifest::node::Pos;
use crate::world::field::Source;
use crate::world::object::{Object, ObjectId};

/// How bad a finding is. Ordered: `Info < Warning < Error`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing is wrong: an assumption, a placeholder.
    Info,
    /// Something has no effect or is not what it looks like.
    Warning,
    /// A refusal, or something that the API server or the sidecar would refuse.
    Error,
}

impl Severity {
    /// The word that outputs use.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A position in a file, and what stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file as the user named it; object and field of a value that was read from a cluster.
    pub file: Arc<str>,
    /// Line and column, where there is one.
    pub pos: Option<Pos>,
    /// What stands there; empty for the primary place.
    pub note: String,
}

impl Place {
    /// The place of an object.
    pub fn of(object: &Object, note: impl Into<String>) -> Self {
        Place {
            file: object.file().clone(),
            pos: object.root().pos.known(),
            note: note.into(),
        }
    }

    /// The place of a field.
    pub fn at(source: &Source<'_>, note: impl Into<String>) -> Self {
        let pos = source.pos.known();
        Place {
            file: match pos {
                Some(_) => source.object.file().clone(),
                None => source.location().into(),
            },
            pos,
            note: note.into(),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        match self.pos {
            Some(pos) => write!(f, ":{}:{}", pos.line, pos.column),
            None => Ok(()),
        }
    }
}

/// One finding. Messages hold no credential and no control character that is not escaped on output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// A stable code.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The object that it is about.
    pub object: Option<ObjectId>,
    /// The field that it is about, as a path; empty where there is none.
    pub field: String,
    /// Where it is.
    pub at: Option<Place>,
    /// Other places that belong to it.
    pub related: Vec<Place>,
    /// What to do next.
    pub help: Option<String>,
}

impl Finding {
    /// A finding without a place.
    pub fn new(code: &'static str, severity: Severity, message: impl Into<String>) -> Self {
        Finding {
            code,
            severity,
            message: message.into(),
            object: None,
            field: String::new(),
            at: None,
            related: Vec::new(),
            help: None,
        }
    }

    /// The same finding, about a field.
    pub fn at_field(mut self, source: &Source<'_>) -> Self {
        self.object = Some(source.object.id().clone());
        self.field = source.path.to_string();
        self.at = Some(Place::at(source, ""));
        self
    }

    /// The same finding, about an object.
    pub fn about(mut self, object: &Object) -> Self {
        self.object = Some(object.id().clone());
        self.at = Some(Place::of(object, ""));
        self
    }

    /// The same finding at a place.
    pub fn at(mut self, place: Place) -> Self {
        self.at = Some(place);
        self
    }

    /// The same finding with one more place.
    pub fn with_related(mut self, place: Place) -> Self {
        self.related.push(place);
        self
    }

    /// The same finding with advice.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}
