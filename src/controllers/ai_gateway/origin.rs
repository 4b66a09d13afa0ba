//! Where a value of the filter config came from.

use std::sync::Arc;

use crate::world::field::Source;

/// Which rule gave a value. Each has a fixed id for machines and a sentence for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// The field's own value, as written.
    Field,
    /// Text composed of several fields; the first source is the one that names it.
    Composed,
    /// The field is absent and has this default.
    Default,
    /// The value follows from the kind or presence of the source, not from its text.
    Fixed,
    /// The route's mutation won over the backend's.
    RouteMutation,
    /// The backend's mutation, which no route entry overrode.
    BackendMutation,
    /// The last definition of a cost key in the route.
    LastCost,
    /// A QuotaPolicy put the cost there.
    Quota,
    /// The value of a Secret's key.
    SecretKey,
    /// An option of this program or a fact of the controller, not of the objects.
    Option,
}

impl Rule {
    /// The id in machine-readable output.
    pub fn id(self) -> &'static str {
        match self {
            Rule::Field => "field",
            Rule::Composed => "composed",
            Rule::Default => "default",
            Rule::Fixed => "fixed",
            Rule::RouteMutation => "route-mutation",
            Rule::BackendMutation => "backend-mutation",
            Rule::LastCost => "last-cost",
            Rule::Quota => "quota",
            Rule::SecretKey => "secret-key",
            Rule::Option => "option",
        }
    }

    /// What the rule says, for people.
    pub fn text(self) -> &'static str {
        match self {
            Rule::Field => "copied from the field",
            Rule::Composed => "composed of the names of route, backend and position",
            Rule::Default => "default, since the field is absent",
            Rule::Fixed => "follows from the kind of the reference",
            Rule::RouteMutation => "the route's mutation wins over the backend's",
            Rule::BackendMutation => "the backend's mutation, not overridden by the route",
            Rule::LastCost => "the last cost of this key in the route wins",
            Rule::Quota => "injected for a QuotaPolicy that targets a backend of the route",
            Rule::SecretKey => "read from the key of the Secret",
            Rule::Option => "given to or fixed by the controller, not by an object",
        }
    }
}

/// The places that had to be as they are for a value to exist, besides the one it was read from.
/// Shared: all leaves of one backend have the same chain.
#[derive(Debug, Clone, Default)]
pub struct Because<'w>(Option<Arc<Link<'w>>>);

#[derive(Debug)]
struct Link<'w> {
    parent: Because<'w>,
    sources: Vec<Source<'w>>,
}

impl<'w> Because<'w> {
    /// Nothing but the value itself.
    pub fn nothing() -> Self {
        Because(None)
    }

    /// The same chain with more places. Absent fields are places too: they point at their parent.
    pub fn and(&self, sources: impl IntoIterator<Item = Source<'w>>) -> Self {
        let sources: Vec<_> = sources.into_iter().collect();
        if sources.is_empty() {
            return self.clone();
        }
        Because(Some(Arc::new(Link {
            parent: self.clone(),
            sources,
        })))
    }

    /// All places, the nearest cause first.
    pub fn sources(&self) -> impl Iterator<Item = &Source<'w>> {
        let mut at = self;
        let mut links = Vec::new();
        while let Some(link) = &at.0 {
            links.push(link);
            at = &link.parent;
        }
        links.into_iter().flat_map(|link| link.sources.iter())
    }
}

/// Where a value came from: the rule, the place, what else it hangs on, and what it overrode.
#[derive(Debug, Clone)]
pub struct Origin<'w> {
    /// The rule of the merge that gave the value.
    pub rule: Rule,
    /// The place of the value. `None` only for [`Rule::Option`].
    pub source: Option<Source<'w>>,
    /// What had to be there for the value to exist.
    pub because: Because<'w>,
    /// Values that lost against this one.
    pub overrode: Vec<Source<'w>>,
}

impl<'w> Origin<'w> {
    /// A value of that place.
    pub fn new(rule: Rule, source: Source<'w>, because: &Because<'w>) -> Self {
        Origin {
            rule,
            source: Some(source),
            because: because.clone(),
            overrode: Vec::new(),
        }
    }

    /// A value that no object gave.
    pub fn option() -> Self {
        Origin {
            rule: Rule::Option,
            source: None,
            because: Because::nothing(),
            overrode: Vec::new(),
        }
    }

    /// The place of the value, then everything it hangs on.
    pub fn chain(&self) -> impl Iterator<Item = &Source<'w>> {
        self.source.iter().chain(self.because.sources())
    }
}
