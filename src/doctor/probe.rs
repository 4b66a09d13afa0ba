//! What a probe is and what it gives.

use super::case::{Case, Gateway};
use crate::world::kind::Kind;
use crate::world::object::Object;

/// What a probe says. Ordered by how bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// As it should be.
    Pass,
    /// A right remark that is never a root cause and changes no exit code.
    Note,
    /// It could not be told.
    Unknown,
    /// It works now, and something will break it or is on its way.
    Warning,
    /// It does not work.
    Failure,
}

impl Status {
    /// The word in every output.
    pub fn word(self) -> &'static str {
        match self {
            Status::Pass => "pass",
            Status::Note => "note",
            Status::Unknown => "unknown",
            Status::Warning => "warning",
            Status::Failure => "failure",
        }
    }

    /// Whether something is wrong.
    pub fn is_wrong(self) -> bool {
        self >= Status::Warning
    }
}

/// In what state a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// It stays until somebody acts.
    Broken,
    /// It is being repaired.
    InProgress,
    /// It does no harm until something else happens.
    Latent,
}

impl State {
    /// The word in every output.
    pub fn word(self) -> &'static str {
        match self {
            State::Broken => "broken",
            State::InProgress => "in-progress",
            State::Latent => "latent",
        }
    }
}

/// Something that was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The object, as `Kind namespace/name`.
    pub object: String,
    /// The path of the field.
    pub field: String,
    /// Its value; never a credential.
    pub value: String,
}

/// A diagnosis that another one may follow from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The probe.
    pub id: &'static str,
    /// Its object, where it must be that one.
    pub object: Option<String>,
}

/// Which diagnosis one follows from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CausedBy {
    /// The probe.
    pub id: &'static str,
    /// Its Gateway.
    pub gateway: Option<String>,
    /// Its object.
    pub object: Option<String>,
}

/// What a probe says of one Gateway or object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// The probe.
    pub id: &'static str,
    /// The Gateway, as `namespace/name`; `None` for what concerns all.
    pub gateway: Option<String>,
    /// What it says.
    pub status: Status,
    /// In what state the fault is, if there is one.
    pub state: State,
    /// The object that it is about, as `Kind namespace/name`.
    pub object: Option<String>,
    /// What was seen.
    pub evidence: Vec<Evidence>,
    /// What it is, in a sentence.
    pub because: String,
    /// What follows from it; empty when nothing does.
    pub consequence: String,
    /// What to do: commands to copy, or words where there is no command.
    pub remedy: Vec<String>,
    /// What it may follow from, the likeliest first.
    pub causes: Vec<Cause>,
    /// What it follows from.
    pub caused_by: Option<CausedBy>,
}

impl Diagnosis {
    fn new(status: Status, because: impl Into<String>) -> Self {
        Diagnosis {
            id: "",
            gateway: None,
            status,
            state: State::Broken,
            object: None,
            evidence: Vec::new(),
            because: because.into(),
            consequence: String::new(),
            remedy: Vec::new(),
            causes: Vec::new(),
            caused_by: None,
        }
    }

    /// It does not work.
    pub fn failure(because: impl Into<String>) -> Self {
        Diagnosis::new(Status::Failure, because)
    }

    /// It works for now.
    pub fn warning(because: impl Into<String>) -> Self {
        let mut diagnosis = Diagnosis::new(Status::Warning, because);
        diagnosis.state = State::Latent;
        diagnosis
    }

    /// A remark.
    pub fn note(because: impl Into<String>) -> Self {
        Diagnosis::new(Status::Note, because)
    }

    /// As it should be.
    pub fn pass(because: impl Into<String>) -> Self {
        Diagnosis::new(Status::Pass, because)
    }

    /// It could not be told.
    pub fn unknown(because: impl Into<String>) -> Self {
        Diagnosis::new(Status::Unknown, because)
    }

    /// The same, in another state.
    pub fn state(mut self, state: State) -> Self {
        self.state = state;
        self
    }

    /// The same, of a Gateway.
    pub fn gateway(mut self, gateway: impl Into<String>) -> Self {
        self.gateway = Some(gateway.into());
        self
    }

    /// The same, about an object.
    pub fn about(mut self, object: &Object) -> Self {
        self.object = Some(object.id().to_string());
        self
    }

    /// The same, about an object that may not be there.
    pub fn about_name(mut self, kind: Kind, namespace: &str, name: &str) -> Self {
        self.object = Some(object_name(kind, namespace, name));
        self
    }

    /// The same, with something that was seen.
    pub fn seen(mut self, object: &Object, field: impl Into<String>, value: impl ToString) -> Self {
        self.evidence.push(Evidence {
            object: object.id().to_string(),
            field: field.into(),
            value: value.to_string(),
        });
        self
    }

    /// The same, with something that was looked for.
    pub fn saw(
        mut self,
        object: impl Into<String>,
        field: impl Into<String>,
        value: impl ToString,
    ) -> Self {
        self.evidence.push(Evidence {
            object: object.into(),
            field: field.into(),
            value: value.to_string(),
        });
        self
    }

    /// The same, with more that was seen.
    pub fn saw_all(mut self, evidence: Vec<Evidence>) -> Self {
        self.evidence.extend(evidence);
        self
    }

    /// The same, with what follows.
    pub fn so(mut self, consequence: impl Into<String>) -> Self {
        self.consequence = consequence.into();
        self
    }

    /// The same, with more that follows.
    pub fn and_so(mut self, consequence: &str) -> Self {
        self.consequence.push_str("; ");
        self.consequence.push_str(consequence);
        self
    }

    /// The same, with something to do.
    pub fn fix(mut self, remedy: impl Into<String>) -> Self {
        self.remedy.push(remedy.into());
        self
    }

    /// The same, with something to do if there is something.
    pub fn fixes(mut self, remedy: Option<String>) -> Self {
        self.remedy.extend(remedy);
        self
    }

    /// The same, which may follow from what another probe says.
    pub fn after(mut self, id: &'static str) -> Self {
        self.causes.push(Cause { id, object: None });
        self
    }

    /// The same, which may follow from what another probe says of one object.
    pub fn after_object(mut self, id: &'static str, object: impl Into<String>) -> Self {
        let object = Some(object.into());
        self.causes.push(Cause { id, object });
        self
    }
}

/// An object as outputs name it.
pub fn object_name(kind: Kind, namespace: &str, name: &str) -> String {
    match namespace {
        "" => format!("{kind} {name}"),
        _ => format!("{kind} {namespace}/{name}"),
    }
}

/// Whether a probe speaks of the cluster or of each Gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Of the cluster, once.
    Cluster,
    /// Of each Gateway.
    Gateways,
}

/// One link of the chain.
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    /// Its id, and the name of its page.
    pub id: &'static str,
    /// Of what it speaks.
    pub scope: Scope,
    /// The kinds without which it can say nothing good.
    pub reads: &'static [Kind],
    /// What it says when nothing is wrong.
    pub good: &'static str,
    /// Gives what is not as it should be.
    pub run: fn(&Case<'_>) -> Vec<Diagnosis>,
}

impl Probe {
    /// What it says: faults, what could not be told, and passes for the rest.
    pub fn diagnose(&self, case: &Case<'_>) -> Vec<Diagnosis> {
        let mut found = (self.run)(case);
        let told = |gateway: Option<&str>| {
            let mut all = found.iter().filter(|d| d.status != Status::Note);
            all.any(|d| gateway.is_none() || d.gateway.as_deref() == gateway)
        };
        let mut more = Vec::new();
        let mut rest = |of: Option<&Gateway<'_>>| {
            let gateway = of.map(|gateway| gateway.name.clone());
            if told(gateway.as_deref()) {
                return;
            }
            let missing = self.missing(case, of);
            let noted = found.iter().any(|d| d.gateway == gateway);
            let mut diagnosis = match (missing.is_empty(), noted) {
                (true, true) => return,
                (true, false) => Diagnosis::pass(self.good),
                (false, _) => Diagnosis::unknown(missing.join("; ")),
            };
            diagnosis.gateway = gateway;
            more.push(diagnosis);
        };
        match self.scope {
            Scope::Cluster => rest(None),
            Scope::Gateways => case
                .gateways()
                .iter()
                .for_each(|gateway| rest(Some(gateway))),
        }
        found.extend(more);
        for diagnosis in &mut found {
            diagnosis.id = self.id;
        }
        found.sort_by(|a, b| (&a.gateway, &a.object).cmp(&(&b.gateway, &b.object)));
        found
    }

    /// Why it cannot say that something is as it should be.
    fn missing(&self, case: &Case<'_>, gateway: Option<&Gateway<'_>>) -> Vec<String> {
        let why = |kind: &Kind| match (kind, gateway, case.certificate_secret()) {
            (kind, Some(gateway), _) => case.why_unread_of(*kind, gateway),
            // A probe of the webhook hangs on one Secret only.
            (Kind::Secret, None, Some((controller, name))) if self.id.starts_with("webhook-") => {
                let may_exist = case.may_exist(Kind::Secret, controller.namespace(), name);
                case.why_unread(Kind::Secret).filter(|_| may_exist)
            }
            (kind, None, _) => case.why_unread(*kind),
        };
        self.reads.iter().filter_map(why).collect()
    }
}
