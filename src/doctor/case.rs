//! Everything that the probes look at, looked up once.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;

use super::Question;
use super::config_dump::ConfigDump;
use super::stored::{self, Stored};
use super::times;
use crate::controllers::ai_gateway::build::{Halt, survey};
use crate::controllers::ai_gateway::names::Names;
use crate::controllers::ai_gateway::options::Options;
use crate::controllers::ai_gateway::outcome::Outcome;
use crate::controllers::ai_gateway::rollout::PodState;
use crate::controllers::ai_gateway::settings::deployment;
use crate::controllers::ai_gateway::settings::flags::Id;
use crate::controllers::ai_gateway::sidecar::CONTAINER;
use crate::controllers::ai_gateway::skip::Skip;
use crate::controllers::ai_gateway::unknown::Part;
use crate::world::coverage::Unread;
use crate::world::field::Field;
use crate::world::finding::Finding;
use crate::world::kind::Kind;
use crate::world::object::Object;
use crate::world::{NamespacedName, World};

/// A cluster under examination.
#[derive(Debug)]
pub struct Case<'w> {
    /// Its objects.
    pub world: &'w World,
    /// Which controller is asked.
    pub options: &'w Options<'w>,
    /// What it would do.
    pub outcomes: &'w [Outcome<'w>],
    /// Remarks on the controller's own settings.
    pub findings: &'w [Finding],
    /// Whether the objects come from a live cluster.
    pub live: bool,
    /// What an Envoy answered.
    pub config_dump: Option<ConfigDump>,
    gateways: Vec<Gateway<'w>>,
    newest: Option<Timestamp>,
    controllers: Vec<&'w Object>,
    events: HashMap<String, Vec<&'w Object>>,
    owned: HashMap<&'w str, Vec<&'w Object>>,
}

/// A Gateway that AI routes attach to.
#[derive(Debug)]
pub(super) struct Gateway<'w> {
    /// `namespace/name`.
    pub(super) name: String,
    /// Namespace and name.
    pub(super) key: &'w NamespacedName,
    /// What the controller would do.
    pub(super) outcome: &'w Outcome<'w>,
    /// What is left out of its config.
    pub(super) skipped: Vec<Skip<'w>>,
    /// What refuses its config, apart from where it would go.
    pub(super) refusal: Option<Halt<'w>>,
    /// Why it is not known whether there is more of both.
    pub(super) unseen: Option<Unseen>,
    /// Why Secrets that its config is made from were not read; `None` where it is not known which
    /// ones those are.
    pub(super) unread_secrets: Option<Vec<String>>,
    /// The names of its Secrets.
    pub(super) names: Names,
    /// Where its pods are and its Secrets belong; `None` where that is not known.
    pub(super) namespace: Option<String>,
    /// What its Secrets hold; `None` where that is not known.
    pub(super) stored: Option<Stored<'w>>,
    /// Its pods.
    pub(super) pods: Vec<&'w Object>,
    /// Its Deployments and DaemonSets.
    pub(super) workloads: Vec<&'w Object>,
}

/// Why it is not known what else is left out of a config.
#[derive(Debug)]
pub(super) enum Unseen {
    /// The reconcile ends before, which is told elsewhere.
    Ends,
    /// Something was not read.
    Unread(String),
}

impl<'w> Case<'w> {
    /// Looks everything up.
    pub fn new(
        world: &'w World,
        options: &'w Options<'w>,
        outcomes: &'w [Outcome<'w>],
        question: &Question,
    ) -> Self {
        let controllers = world.all(Kind::Deployment);
        let mut events = HashMap::<String, Vec<&Object>>::new();
        for event in world.all(Kind::Event) {
            let of = event.field().get("involvedObject");
            let name = |key: &'static str| of.get(key).str_or_empty();
            let key = format!("{} {}/{}", name("kind"), name("namespace"), name("name"));
            events.entry(key).or_default().push(event);
        }
        let mut owned = HashMap::<&str, Vec<&Object>>::new();
        for object in world.all(Kind::ReplicaSet) {
            for owner in object.metadata().get("ownerReferences").items() {
                if let Some(uid) = owner.get("uid").str() {
                    owned.entry(uid).or_default().push(object);
                }
            }
        }
        let mut case = Case {
            world,
            options,
            outcomes,
            findings: &[],
            live: false,
            config_dump: None,
            gateways: Vec::new(),
            newest: times::newest(world),
            controllers: controllers
                .filter(|d| deployment::is_controller(d))
                .collect(),
            events,
            owned,
        };
        let asked = outcomes
            .iter()
            .filter(|o| question.gateways.is_empty() || question.gateways.contains(&o.gateway));
        case.gateways = asked.filter_map(|outcome| case.gateway(outcome)).collect();
        case
    }

    fn gateway(&self, outcome: &'w Outcome<'w>) -> Option<Gateway<'w>> {
        let world = self.world;
        let key = &outcome.gateway;
        let (mut pods, mut workloads) = (Vec::new(), Vec::new());
        for object in world.workloads_of(key) {
            match object.kind() {
                Kind::Pod => pods.push(object),
                _ => workloads.push(object),
            }
        }
        let attached = world.routes_of(key).next().is_some() || outcome.need_mcp;
        let unread = [Kind::AIGatewayRoute, Kind::MCPRoute];
        let may_attach = unread.iter().any(|kind| self.why_unread(*kind).is_some());
        let has_sidecar = pods.iter().any(|pod| sidecar_of(pod).is_some());
        if !attached && !may_attach && !has_sidecar {
            return None;
        }
        let names = Names::of(&key.0, &key.1);
        let namespace = namespace(outcome, &pods, &workloads);
        let stored = match &namespace {
            Some(namespace) if self.why_secret_unread(namespace, &names).is_none() => {
                let splits = self.options.profile().splits_config;
                Some(stored::read(world, &names, namespace, splits))
            }
            _ => None,
        };
        let (skipped, refusal, unseen) = self.built(outcome);
        let unread_secrets = self.unread_secrets(outcome);
        Some(Gateway {
            name: outcome.name(),
            key,
            outcome,
            skipped,
            refusal,
            unseen,
            unread_secrets,
            names,
            namespace,
            stored,
            pods,
            workloads,
        })
    }

    /// What is left out of a config and what refuses it, although the reconcile may end before.
    fn built(&self, outcome: &Outcome<'w>) -> (Vec<Skip<'w>>, Option<Halt<'w>>, Option<Unseen>) {
        let own = || outcome.refusal.clone();
        if outcome.config.is_some() {
            return (outcome.skipped.clone(), own(), None);
        }
        if !outcome.knows(Part::Config) {
            let why = outcome.unknown.iter().flat_map(|u| &u.because);
            return (Vec::new(), own(), Some(Unseen::Unread(texts(why))));
        }
        let (world, options) = (self.world, self.options);
        let (found, unread) =
            world.observe(|| survey(world, options, &outcome.gateway, outcome.gateway_config));
        if !unread.is_empty() {
            let why = Unseen::Unread(texts(unread.iter()));
            return (found.skipped, own(), Some(why));
        }
        let elsewhere = |halt: &Halt<'_>| halt.message.contains("multiple namespaces");
        let refusal = found.halt.or_else(|| own().filter(|halt| !elsewhere(halt)));
        let unseen = (!found.whole).then_some(Unseen::Ends);
        (found.skipped, refusal, unseen)
    }

    /// Why Secrets that a config is made from were not read.
    fn unread_secrets(&self, outcome: &Outcome<'w>) -> Option<Vec<String>> {
        let (world, options) = (self.world, self.options);
        if world.coverage.is_list_unread(Kind::Secret) {
            return None;
        }
        if !world.coverage.unread().any(|u| u.kind == Kind::Secret) {
            return Some(Vec::new());
        }
        let (found, unread) =
            world.observe(|| survey(world, options, &outcome.gateway, outcome.gateway_config));
        let secrets = unread.iter().filter(|u| u.kind == Kind::Secret);
        found.whole.then(|| secrets.map(words).collect())
    }

    /// The Gateways.
    pub(super) fn gateways(&self) -> &[Gateway<'w>] {
        &self.gateways
    }

    /// The Deployments of controllers.
    pub(super) fn controllers(&self) -> &[&'w Object] {
        &self.controllers
    }

    /// The controller's Deployment, where there is one.
    pub(super) fn controller(&self) -> Option<&'w Object> {
        self.controllers.first().copied()
    }

    /// The newest time in the objects.
    pub(super) fn newest(&self) -> Option<Timestamp> {
        self.newest
    }

    /// Why a kind was not read; `None` when it was. Secrets are read one by one: see
    /// [`Case::why_unread_of`] for those of a Gateway.
    pub(super) fn why_unread(&self, kind: Kind) -> Option<String> {
        let mut unread = self.world.coverage.unread();
        unread.find(|u| u.kind == kind).map(words)
    }

    /// Why a kind was not read as far as a Gateway hangs on it.
    pub(super) fn why_unread_of(&self, kind: Kind, gateway: &Gateway<'w>) -> Option<String> {
        match (kind, &gateway.unread_secrets) {
            (Kind::Secret, Some(unread)) => {
                let own = || match &gateway.namespace {
                    Some(namespace) => self.why_secret_unread(namespace, &gateway.names),
                    None => self.why_unread(kind),
                };
                unread.first().cloned().or_else(own)
            }
            _ => self.why_unread(kind),
        }
    }

    /// The controller, and the Secret that it mounts with the webhook's certificate.
    pub(super) fn certificate_secret(&self) -> Option<(&'w Object, &'w str)> {
        let controller = self.controller()?;
        let folder = self.options.settings.plain(Id::TlsCertDir);
        let name = deployment::mounted_secret(controller, folder)?;
        Some((controller, name))
    }

    /// Whether a kind was read.
    pub(super) fn reads(&self, kind: Kind) -> bool {
        self.why_unread(kind).is_none()
    }

    fn why_secret_unread(&self, namespace: &str, names: &Names) -> Option<String> {
        let own = [names.legacy_secret().to_string(), names.index_secret()];
        let part = format!("{}-part-", names.index_secret());
        let is_own = |name: &String| own.contains(name) || name.starts_with(&part);
        let mut unread = self.world.coverage.unread();
        unread
            .find(|u| {
                let there = u.namespace.as_deref().is_none_or(|ns| ns == namespace);
                u.kind == Kind::Secret && there && u.name.as_ref().is_none_or(is_own)
            })
            .map(words)
    }

    /// Why the Secrets of a Gateway were not read.
    pub(super) fn why_not_stored(&self, gateway: &Gateway<'w>) -> String {
        let namespace = gateway.namespace.as_deref();
        let why = namespace.and_then(|ns| self.why_secret_unread(ns, &gateway.names));
        why.unwrap_or_else(|| "where its Secrets belong is not known".to_string())
    }

    /// Whether a Secret could not be read, so that it may exist.
    pub(super) fn may_exist(&self, kind: Kind, namespace: &str, name: &str) -> bool {
        self.world.coverage.is_unread(kind, namespace, name)
    }

    /// The events of an object, in reading order.
    pub(super) fn events_of(&self, object: &Object) -> &[&'w Object] {
        let key = format!("{} {}/{}", object.kind(), object.namespace(), object.name());
        self.events.get(&key).map(Vec::as_slice).unwrap_or_default()
    }

    /// The ReplicaSets of a Deployment.
    pub(super) fn replica_sets_of(&self, object: &Object) -> &[&'w Object] {
        let uid = object.metadata().get("uid");
        let found = uid.str().and_then(|uid| self.owned.get(uid));
        found.map(Vec::as_slice).unwrap_or_default()
    }

    /// Pods that a Deployment's selector matches.
    pub(super) fn pods_of(&self, deployment: &Object) -> Vec<&'w Object> {
        let selector = deployment.spec().get("selector");
        let pods = self.world.all(Kind::Pod);
        let own = pods.filter(|pod| {
            pod.namespace() == deployment.namespace()
                && super::labels::matches(&selector, &|key| label(pod, key))
        });
        own.collect()
    }
}

impl<'w> Gateway<'w> {
    /// What a pod was found to have, where the controller gets as far as looking.
    pub(super) fn state_of(&self, pod: &Object) -> Option<&'w PodState<'w>> {
        let rollout = self.outcome.workload.rollout.as_ref()?;
        // The pods of a Gateway are looked up by name, and are in that order.
        let found = rollout
            .pods
            .binary_search_by_key(&pod.id(), |p| p.object.id());
        found.ok().map(|i| &rollout.pods[i])
    }

    /// The pods that are neither being deleted nor at their end.
    pub(super) fn live_pods(&self) -> impl Iterator<Item = &'w Object> + '_ {
        let live = |pod: &&Object| {
            let phase = pod.field().get("status").get("phase");
            !pod.is_being_deleted() && !matches!(phase.str(), Some("Failed" | "Succeeded"))
        };
        self.pods.iter().copied().filter(live)
    }

    /// The Gateway as outputs name it.
    pub(super) fn object(&self) -> String {
        super::probe::object_name(Kind::Gateway, &self.key.0, &self.key.1)
    }
}

/// Where the Secrets belong: where the pods are.
fn namespace(outcome: &Outcome<'_>, pods: &[&Object], workloads: &[&Object]) -> Option<String> {
    let planned = outcome.stored.as_ref().and_then(|s| s.writes.first());
    let planned = planned.map(|write| write.namespace.as_str());
    let mut all = pods.iter().chain(workloads).map(|o| o.namespace());
    let found = all.next().filter(|first| all.all(|other| other == *first));
    let namespace = planned.or(outcome.workloads.namespace).or(found)?;
    (!namespace.is_empty()).then(|| namespace.to_string())
}

fn texts<'u>(unread: impl Iterator<Item = &'u Unread>) -> String {
    let texts: BTreeSet<String> = unread.map(ToString::to_string).collect();
    texts.into_iter().collect::<Vec<_>>().join("; ")
}

fn words(unread: &Unread) -> String {
    unread.to_string()
}

/// The value of a label.
pub(super) fn label<'o>(object: &'o Object, key: &str) -> Option<&'o str> {
    object.metadata().get("labels").get(key.to_string()).str()
}

/// The sidecar of a pod, in whichever list it is.
pub(super) fn sidecar_of<'o>(pod: &'o Object) -> Option<Field<'o>> {
    let lists = ["initContainers", "containers"];
    lists.into_iter().find_map(|list| {
        let mut containers = pod.spec().get(list).items();
        containers.find(|c| c.get("name").str() == Some(CONTAINER))
    })
}

/// A condition of an object's status.
pub(super) fn condition<'o>(object: &'o Object, kind: &str) -> Option<Field<'o>> {
    let conditions = object.field().get("status").get("conditions");
    conditions
        .items()
        .find(|c| c.get("type").str() == Some(kind))
}
