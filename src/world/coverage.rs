//! Which parts of the cluster were read, which were not, and which of the latter an answer asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::kind::Kind;

/// How an object is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    /// All objects of a kind.
    List,
    /// One object by name.
    Get,
}

impl Verb {
    /// The verb as RBAC rules name it.
    pub fn word(self) -> &'static str {
        match self {
            Verb::List => "list",
            Verb::Get => "get",
        }
    }
}

/// Why a read gave nothing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The API server forbids it.
    Forbidden,
    /// The API server could not answer; its words.
    Failed(String),
    /// The user asked for an answer without it; the flag.
    NotWanted(&'static str),
    /// The source shows no object of the kind, and does not say that it would.
    NotShown,
}

/// A read that an answer may depend on and that gave nothing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unread {
    /// How it was asked for.
    pub verb: Verb,
    /// What.
    pub kind: Kind,
    /// In which namespace; `None` in all of them, or for a cluster-wide kind.
    pub namespace: Option<String>,
    /// The object's name; `None` for a list.
    pub name: Option<String>,
    /// Why it gave nothing.
    pub reason: Reason,
}

impl Unread {
    /// The resource as RBAC rules and `kubectl` name it, such as `gateways.gateway.networking.k8s.io`.
    pub fn resource(&self) -> String {
        resource(self.kind)
    }

    fn concerns(&self, kind: Kind, namespace: Option<&str>, name: Option<&str>) -> bool {
        let overlap = |mine: &Option<String>, asked: Option<&str>| match (mine, asked) {
            (Some(mine), Some(asked)) => mine == asked,
            _ => true,
        };
        self.kind == kind && overlap(&self.namespace, namespace) && overlap(&self.name, name)
    }
}

/// A kind as RBAC rules and `kubectl` name it: `plural.group`.
pub fn resource(kind: Kind) -> String {
    match kind.group() {
        "" => kind.plural().to_string(),
        group => format!("{}.{group}", kind.plural()),
    }
}

/// Such as `list pods in all namespaces is forbidden`.
impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb.word(), self.resource())?;
        if let Some(name) = &self.name {
            write!(f, " {name}")?;
        }
        match &self.namespace {
            Some(namespace) => write!(f, " in namespace {namespace}")?,
            None if self.kind.is_namespaced() => f.write_str(" in all namespaces")?,
            None => {}
        }
        match &self.reason {
            Reason::Forbidden => f.write_str(" is forbidden"),
            Reason::Failed(words) => write!(f, " failed: {words}"),
            Reason::NotWanted(flag) => write!(f, " was not asked for ({flag})"),
            Reason::NotShown => f.write_str(": not in the dump"),
        }
    }
}

/// What a source shows of a kind. What is not here was not shown: objects of the kind may exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// Every object of the kind was read; what is absent does not exist.
    Whole,
    /// Every object of these namespaces.
    Namespaces(BTreeSet<String>),
    /// The API server does not know the kind: its CRD is not installed.
    NotInstalled,
}

/// Which parts of the cluster were read.
#[derive(Debug, Default)]
pub struct Coverage {
    reach: BTreeMap<Kind, Reach>,
    partly: BTreeSet<Kind>,
    unread: BTreeSet<Unread>,
    /// Those of `unread` that somebody asked for.
    asked: Mutex<BTreeSet<Unread>>,
    /// Objects that were asked for by name and not found, while somebody wants to know.
    sought: Mutex<Option<BTreeSet<(Kind, String, String)>>>,
}

impl Coverage {
    /// The same parts of a cluster, of which nobody has asked for any yet.
    pub fn afresh(&self) -> Self {
        Coverage {
            reach: self.reach.clone(),
            partly: self.partly.clone(),
            unread: self.unread.clone(),
            ..Coverage::default()
        }
    }

    /// Notes that a kind was read.
    pub fn add(&mut self, kind: Kind, reach: Reach) {
        if self.partly.contains(&kind) {
            return;
        }
        match (self.reach.get_mut(&kind), reach) {
            (Some(Reach::Whole), _) => {}
            (Some(Reach::Namespaces(known)), Reach::Namespaces(more)) => known.extend(more),
            (_, reach) => {
                self.reach.insert(kind, reach);
            }
        }
    }

    /// Notes that of a kind only some objects were read, whatever a file looks like.
    pub fn set_partly(&mut self, kind: Kind) {
        self.reach.remove(&kind);
        self.partly.insert(kind);
    }

    /// Whether of a kind only the objects that matter were read.
    pub fn is_partly(&self, kind: Kind) -> bool {
        self.partly.contains(&kind)
    }

    /// Notes a read that gave nothing.
    pub fn add_unread(&mut self, unread: Unread) {
        self.unread.insert(unread);
    }

    /// What was read of a kind; `None` when the source did not show it or could not read it.
    pub fn of(&self, kind: Kind) -> Option<&Reach> {
        self.reach.get(&kind)
    }

    /// The reads that gave nothing, sorted.
    pub fn unread(&self) -> impl Iterator<Item = &Unread> {
        self.unread.iter()
    }

    /// Whether every object of a kind may be there although none was read.
    pub fn is_list_unread(&self, kind: Kind) -> bool {
        let lists = |u: &Unread| u.kind == kind && u.name.is_none();
        self.unread.iter().any(lists)
    }

    /// Whether an object that is not here could not be read, so that it may exist.
    pub fn is_unread(&self, kind: Kind, namespace: &str, name: &str) -> bool {
        let mut unread = self.unread.iter();
        unread.any(|u| u.concerns(kind, Some(namespace), Some(name)))
    }

    /// Remembers that an answer asked for something that was not found.
    pub(super) fn ask(&self, kind: Kind, namespace: Option<&str>, name: Option<&str>) {
        if let (Some(namespace), Some(name)) = (namespace, name)
            && let Some(sought) = &mut *lock(&self.sought)
        {
            sought.insert((kind, namespace.to_string(), name.to_string()));
        }
        // No object has an empty name.
        if self.unread.is_empty() || name == Some("") {
            return;
        }
        let concerned = self.unread.iter();
        let concerned = concerned.filter(|u| u.concerns(kind, namespace, name));
        self.locked(|asked| asked.extend(concerned.cloned()));
    }

    /// Runs something, and gives the reads without result that it asked for, sorted.
    pub(super) fn observe<R>(&self, run: impl FnOnce() -> R) -> (R, Vec<Unread>) {
        let before = self.locked(std::mem::take);
        let result = run();
        let during = self.locked(|asked| {
            let during = std::mem::replace(asked, before);
            asked.extend(during.iter().cloned());
            during
        });
        (result, during.into_iter().collect())
    }

    /// Runs something, and gives the objects of a kind that it asked for by name and did not find.
    pub(super) fn seek<R>(
        &self,
        kind: Kind,
        run: impl FnOnce() -> R,
    ) -> (R, BTreeSet<(String, String)>) {
        *lock(&self.sought) = Some(BTreeSet::new());
        let result = run();
        let sought = lock(&self.sought).take().unwrap_or_default();
        let sought = sought.into_iter().filter(|(k, ..)| *k == kind);
        (
            result,
            sought
                .map(|(_, namespace, name)| (namespace, name))
                .collect(),
        )
    }

    fn locked<R>(&self, run: impl FnOnce(&mut BTreeSet<Unread>) -> R) -> R {
        run(&mut lock(&self.asked))
    }
}

/// What the locks here guard is whole whenever they are free, also after a panic elsewhere.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unread(verb: Verb, kind: Kind, namespace: Option<&str>, name: Option<&str>) -> Unread {
        Unread {
            verb,
            kind,
            namespace: namespace.map(str::to_string),
            name: name.map(str::to_string),
            reason: Reason::Forbidden,
        }
    }

    #[test]
    fn an_answer_is_told_what_it_asked_for_and_nothing_else() {
        let mut coverage = Coverage::default();
        coverage.add_unread(unread(Verb::Get, Kind::Secret, Some("a"), Some("key")));
        coverage.add_unread(unread(Verb::List, Kind::Pod, None, None));
        let (_, none) = coverage.observe(|| coverage.ask(Kind::Secret, Some("b"), Some("key")));
        assert_eq!(none, []);
        let (inner, outer) = coverage.observe(|| {
            coverage.ask(Kind::Pod, None, None);
            let ask = || coverage.ask(Kind::Secret, Some("a"), Some("key"));
            coverage.observe(ask).1
        });
        assert_eq!(inner.len(), 1);
        assert_eq!(outer.len(), 2);
    }

    #[test]
    fn the_words_name_verb_resource_and_namespace() {
        let list = unread(Verb::List, Kind::Gateway, None, None);
        assert_eq!(
            list.to_string(),
            "list gateways.gateway.networking.k8s.io in all namespaces is forbidden"
        );
        let get = unread(Verb::Get, Kind::Secret, Some("team-a"), Some("key"));
        assert_eq!(
            get.to_string(),
            "get secrets key in namespace team-a is forbidden"
        );
    }

    #[test]
    fn a_kind_read_as_a_whole_stays_so() {
        let some = |name: &str| Reach::Namespaces([name.to_string()].into());
        let mut coverage = Coverage::default();
        coverage.add(Kind::Pod, some("a"));
        coverage.add(Kind::Pod, some("b"));
        assert!(matches!(coverage.of(Kind::Pod), Some(Reach::Namespaces(n)) if n.len() == 2));
        coverage.add(Kind::Pod, Reach::Whole);
        coverage.add(Kind::Pod, some("c"));
        assert_eq!(coverage.of(Kind::Pod), Some(&Reach::Whole));
    }
}
