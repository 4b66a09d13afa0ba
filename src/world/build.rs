//! Documents become the [`World`].

use std::collections::{HashMap, HashSet};

use super::field::Field;
use super::kind::Kind;
use super::object::{Object, ObjectId};
use super::{KubernetesVersion, OWNING_GATEWAY_NAME, OWNING_GATEWAY_NAMESPACE, World};
use crate::finding::{Finding, Place, Severity};
use crate::manifest::document::Document;
use crate::manifest::node::Value;

/// Collects documents in reading order.
#[derive(Debug)]
pub struct Builder {
    world: World,
    findings: Vec<Finding>,
    namespace: Option<String>,
    slots: Vec<Slot>,
}

/// All the places where one identity was read; the last one is the object.
#[derive(Debug)]
struct Slot {
    object: Object,
    earlier: Vec<Place>,
}

impl Builder {
    /// `namespace` is what `-n` gives to objects without one; without it they land in `default`,
    /// with a finding.
    pub fn new(namespace: Option<String>) -> Self {
        Builder {
            world: World::default(),
            findings: Vec::new(),
            namespace,
            slots: Vec::new(),
        }
    }

    /// Takes one document.
    pub fn add(&mut self, document: Document) {
        let Some((api_version, kind_name)) = type_of(&document) else {
            return self.add_other(&document);
        };
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", &api_version));
        let Some(kind) = Kind::find(group, &kind_name) else {
            let key = (api_version, kind_name);
            *self.world.inventory.other_kinds.entry(key).or_default() += 1;
            return;
        };
        let version = version.to_string();
        let (group, file, at) = (group.to_string(), document.file.clone(), document.root.pos);
        let place = Place {
            file,
            pos: Some(at),
            note: String::new(),
        };
        if !kind.serves(&version) {
            let text = format!(
                "{kind} has no version {version} in group {group}; the API server refuses this object"
            );
            self.findings.push(
                Finding::new("AIGW002", Severity::Warning, text)
                    .at(place)
                    .help(format!(
                        "use apiVersion: {group}/{}",
                        if kind == Kind::QuotaPolicy {
                            "v1alpha1"
                        } else {
                            "v1beta1"
                        }
                    )),
            );
            return;
        }
        self.add_object(kind, version, document, place);
    }

    fn add_object(&mut self, kind: Kind, version: String, document: Document, place: Place) {
        let metadata = document.root.get("metadata");
        let text = |key: &str| {
            let node = metadata.and_then(|m| m.get(key));
            node.and_then(|n| n.as_str())
                .filter(|s| !s.is_empty())
                .map(str::to_string)
        };
        let Some(name) = text("name") else {
            let problem = format!(
                "{kind} without a metadata.name that is text; the API server refuses this object"
            );
            return self.findings.push(
                Finding::new("AIGW001", Severity::Warning, problem)
                    .at(place)
                    .help("give it a metadata.name"),
            );
        };
        let mut defaulted = false;
        let namespace = match text("namespace") {
            _ if !kind.is_namespaced() => String::new(),
            Some(namespace) => namespace,
            None => self.namespace.clone().unwrap_or_else(|| {
                defaulted = true;
                "default".to_string()
            }),
        };
        let id = ObjectId {
            kind,
            namespace,
            name,
        };
        let object = Object::new(id, version, document.file, document.root);
        if defaulted {
            let text = format!("{} has no namespace; taken as default", object.id());
            self.findings.push(
                Finding::new("AIGW010", Severity::Info, text)
                    .about(&object)
                    .help("give the namespace with -n, or write metadata.namespace"),
            );
        }
        if kind.is_ai_gateway() && kind != Kind::QuotaPolicy && object.version() == "v1alpha1" {
            let text = format!(
                "{} is written in v1alpha1, which is deprecated",
                object.id()
            );
            self.findings.push(
                Finding::new("AIGW003", Severity::Warning, text)
                    .about(&object)
                    .help("use apiVersion: aigateway.envoyproxy.io/v1beta1"),
            );
        }
        self.place(object);
    }

    /// Of two objects with one identity the last wins, as with `kubectl apply`.
    fn place(&mut self, object: Object) {
        match self.world.by_id.get(object.id()) {
            Some(&slot) => {
                let slot = &mut self.slots[slot];
                slot.earlier
                    .push(Place::of(&slot.object, "earlier definition, overridden"));
                slot.object = object;
            }
            None => {
                self.world
                    .by_id
                    .insert(object.id().clone(), self.slots.len());
                self.slots.push(Slot {
                    object,
                    earlier: Vec::new(),
                });
            }
        }
    }

    /// A document that is no object: the API server's version, or something that other tools read.
    fn add_other(&mut self, document: &Document) {
        if document.root.value == Value::Null {
            return;
        }
        if let Some(version) = kubernetes_version(document) {
            self.world.kubernetes_version = Some(version);
            return;
        }
        *self
            .world
            .inventory
            .not_objects
            .entry(document.file.to_string())
            .or_default() += 1;
    }

    /// The world, and what was noticed on the way.
    pub fn finish(mut self) -> (World, Vec<Finding>) {
        let mut world = self.world;
        for slot in self.slots {
            if !slot.earlier.is_empty() {
                let count = slot.earlier.len() + 1;
                let text = format!(
                    "{} is defined {count} times; the last one wins",
                    slot.object.id()
                );
                let mut finding =
                    Finding::new("AIGW008", Severity::Warning, text).about(&slot.object);
                finding.related = slot.earlier;
                self.findings.push(finding.help("keep one definition"));
            }
            world.objects.push(slot.object);
        }
        index(&mut world);
        (world, self.findings)
    }
}

impl World {
    /// The same world as if an object were not there.
    pub fn without(&self, id: &ObjectId) -> World {
        let others = self.objects.iter().filter(|object| object.id() != id);
        let mut world = World {
            objects: others.cloned().collect(),
            kubernetes_version: self.kubernetes_version.clone(),
            inventory: self.inventory.clone(),
            ..World::default()
        };
        let ids = world.objects.iter().map(|object| object.id().clone());
        world.by_id = ids.zip(0..).collect();
        index(&mut world);
        world
    }
}

fn type_of(document: &Document) -> Option<(String, String)> {
    let text = |key: &str| {
        document
            .root
            .get(key)
            .and_then(|n| n.as_str())
            .map(str::to_string)
    };
    Some((
        text("apiVersion").filter(|s| !s.is_empty())?,
        text("kind").filter(|s| !s.is_empty())?,
    ))
}

/// Reads what `kubectl get --raw /version` or `kubectl version -o json` prints.
fn kubernetes_version(document: &Document) -> Option<KubernetesVersion> {
    let name = document.file.rsplit(['/', '\\']).next()?;
    if name != "version.json" {
        return None;
    }
    let server = document.root.get("serverVersion").unwrap_or(&document.root);
    let text = |key: &str| server.get(key).and_then(|n| n.as_str()).map(str::to_string);
    Some(KubernetesVersion {
        major: text("major")?,
        minor: text("minor")?,
    })
}

fn index(world: &mut World) {
    let World { objects, .. } = world;
    let mut order: Vec<usize> = (0..objects.len()).collect();
    order.sort_by(|&a, &b| objects[a].id().cmp(objects[b].id()));
    for i in order {
        let object = &objects[i];
        world.by_kind.entry(object.kind()).or_default().push(i);
        match object.kind() {
            Kind::AIGatewayRoute => add_parents(&mut world.routes_by_gateway, object, i),
            Kind::MCPRoute => add_parents(&mut world.mcp_routes_by_gateway, object, i),
            Kind::BackendSecurityPolicy => {
                let mut seen = HashSet::new();
                for target in object.spec().get("targetRefs").items() {
                    let name = target.get("name").str_or_empty();
                    if seen.insert(name) {
                        let key = (object.namespace().to_string(), name.to_string());
                        world.policies_by_target.entry(key).or_default().push(i);
                    }
                }
            }
            Kind::QuotaPolicy => {
                let key = object.namespace().to_string();
                world.quotas_by_namespace.entry(key).or_default().push(i);
            }
            Kind::Pod | Kind::Deployment | Kind::DaemonSet => {
                let labels = (
                    object.label(OWNING_GATEWAY_NAMESPACE),
                    object.label(OWNING_GATEWAY_NAME),
                );
                if let (Some(namespace), Some(name)) = labels {
                    let key = (namespace.to_string(), name.to_string());
                    world.workloads_by_gateway.entry(key).or_default().push(i);
                }
            }
            _ => {}
        }
    }
}

/// A route belongs to a Gateway when some parentRef names it; a route that names one Gateway twice
/// belongs to it once.
fn add_parents(
    routes: &mut HashMap<super::NamespacedName, Vec<usize>>,
    route: &Object,
    index: usize,
) {
    let mut seen = HashSet::new();
    for parent in route.spec().get("parentRefs").items() {
        let key = parent_gateway(&parent);
        if seen.insert(key.clone()) {
            routes.entry(key).or_default().push(index);
        }
    }
}

/// The Gateway that a parentRef names: group, kind, sectionName and port are not looked at.
pub fn parent_gateway(parent: &Field<'_>) -> super::NamespacedName {
    let namespace = match parent.get("namespace").str_or_empty() {
        "" => parent.object().namespace(),
        namespace => namespace,
    };
    (
        namespace.to_string(),
        parent.get("name").str_or_empty().to_string(),
    )
}
