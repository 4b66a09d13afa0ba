//! The path of a field inside an object.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// A path such as `spec.rules[0].backendRefs[1].name`. Cheap to clone and to extend: a path shares
/// its beginning with the path it was made from.
#[derive(Clone, Default)]
pub struct FieldPath(Option<Arc<Step>>);

struct Step {
    parent: FieldPath,
    part: Part,
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A member of a mapping.
    Key(Cow<'static, str>),
    /// An item of a list, from 0.
    Index(usize),
}

impl FieldPath {
    /// The path of the object itself.
    pub fn root() -> Self {
        FieldPath(None)
    }

    /// The path of a member.
    pub fn key(&self, key: impl Into<Cow<'static, str>>) -> Self {
        self.push(Part::Key(key.into()))
    }

    /// The path of a list item.
    pub fn index(&self, index: usize) -> Self {
        self.push(Part::Index(index))
    }

    fn push(&self, part: Part) -> Self {
        FieldPath(Some(Arc::new(Step {
            parent: self.clone(),
            part,
        })))
    }

    /// The steps from the root.
    pub fn parts(&self) -> Vec<&Part> {
        let mut parts = Vec::new();
        let mut at = self;
        while let Some(step) = &at.0 {
            parts.push(&step.part);
            at = &step.parent;
        }
        parts.reverse();
        parts
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, part) in self.parts().into_iter().enumerate() {
            match part {
                Part::Index(n) => write!(f, "[{n}]")?,
                Part::Key(k) if is_plain(k) && i == 0 => f.write_str(k)?,
                Part::Key(k) if is_plain(k) => write!(f, ".{k}")?,
                Part::Key(k) => write!(f, "[{k:?}]")?,
            }
        }
        Ok(())
    }
}

fn is_plain(key: &str) -> bool {
    !key.is_empty()
        && key
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

impl fmt::Debug for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl PartialEq for FieldPath {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl Eq for FieldPath {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_read_as_kubectl_explains_them() {
        let path = FieldPath::root()
            .key("spec")
            .key("rules")
            .index(0)
            .key("name");
        assert_eq!(path.to_string(), "spec.rules[0].name");
        let key = FieldPath::root().key("data").key("filter-config.yaml");
        assert_eq!(key.to_string(), "data[\"filter-config.yaml\"]");
    }
}
