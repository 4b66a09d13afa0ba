//! Documents become the [`World`].

use super::coverage::Coverage;
use super::field::Field;
use super::index::Index;
use super::kind::Kind;
use super::object::{Object, ObjectId};
use super::recorded::Recorded;
use super::{KubernetesVersion, OWNING_GATEWAY_NAME, OWNING_GATEWAY_NAMESPACE, World};
use crate::manifest::document::Document;
use crate::manifest::node::Value;
use crate::world::finding::{Finding, Place, Severity};

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

    /// Opens a world again to add to it.
    pub fn reopen(world: World, findings: Vec<Finding>, namespace: Option<String>) -> Self {
        let World {
            objects,
            by_name,
            kubernetes_version,
            coverage,
            inventory,
            recorded,
            ..
        } = world;
        let slots = objects.into_iter().map(|object| Slot {
            object,
            earlier: Vec::new(),
        });
        Builder {
            slots: slots.collect(),
            world: World {
                by_name,
                kubernetes_version,
                coverage,
                inventory,
                recorded,
                ..World::default()
            },
            findings,
            namespace,
        }
    }

    /// The coverage that is being collected.
    pub fn coverage(&mut self) -> &mut Coverage {
        &mut self.world.coverage
    }

    /// Sets the answers that were recorded beside the objects.
    pub fn set_recorded(&mut self, recorded: Recorded) {
        self.world.recorded = Some(recorded);
    }

    /// Sets the version of the API server.
    pub fn set_kubernetes_version(&mut self, version: KubernetesVersion) {
        self.world.kubernetes_version = Some(version);
    }

    /// Takes one document.
    pub fn add(&mut self, document: Document) {
        let Some((api_version, kind_name)) = type_of(&document) else {
            return self.add_other(&document);
        };
        self.report_yaml(&document);
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

    /// What the API machinery does to a document without a word.
    fn report_yaml(&mut self, document: &Document) {
        let place = |pos, note: &str| Place {
            file: document.file.clone(),
            pos: Some(pos),
            note: note.to_string(),
        };
        for key in &document.duplicates {
            let text = match key.merged {
                true => format!(
                    "the merge (<<) overrides the key {} written before it",
                    key.key
                ),
                false => format!("the key {} is given twice; the last value counts", key.key),
            };
            self.findings.push(
                Finding::new("duplicate-key", Severity::Warning, text)
                    .at(place(key.again, ""))
                    .with_related(place(key.first, "the value that is lost"))
                    .help("strict validation refuses the document"),
            );
        }
        for note in &document.notes {
            let text = note.kind.to_string();
            let finding = Finding::new("yaml-surprise", Severity::Warning, text);
            self.findings.push(finding.at(place(note.pos, "")));
        }
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

    /// Of two objects with one identity the last wins, as with `kubectl apply`; a manifest is
    /// applied to the object that the cluster holds.
    fn place(&mut self, object: Object) {
        let index = self.world.by_name.entry(object.kind()).or_default();
        let slots = index.slots(object.namespace(), object.name());
        match slots.first() {
            Some(&slot) => {
                let slot = &mut self.slots[slot];
                if slot.object.is_live() != object.is_live() {
                    let live = match object.is_live() {
                        true => object,
                        false => std::mem::replace(&mut slot.object, object),
                    };
                    return slot.object.apply_to(live);
                }
                slot.earlier
                    .push(Place::of(&slot.object, "earlier definition, overridden"));
                slot.object = object;
            }
            None => {
                slots.push(self.slots.len());
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
            coverage: self.coverage.afresh(),
            inventory: self.inventory.clone(),
            ..World::default()
        };
        for (i, object) in world.objects.iter().enumerate() {
            let index = world.by_name.entry(object.kind()).or_default();
            index.add(object.namespace(), object.name(), i);
        }
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
    let objects = &world.objects;
    for (i, object) in objects.iter().enumerate() {
        world.by_kind.entry(object.kind()).or_default().push(i);
        match object.kind() {
            Kind::AIGatewayRoute => add_parents(&mut world.routes, object, i),
            Kind::MCPRoute => add_parents(&mut world.mcp_routes, object, i),
            Kind::BackendSecurityPolicy => {
                for target in object.spec().get("targetRefs").items() {
                    let name = target.get("name").str_or_empty();
                    world.policies.add(object.namespace(), name, i);
                }
            }
            Kind::QuotaPolicy => {
                let namespace = object.namespace().to_string();
                world.quotas.entry(namespace).or_default().push(i);
            }
            Kind::Pod | Kind::Deployment | Kind::DaemonSet => {
                let namespace = object.label(OWNING_GATEWAY_NAMESPACE);
                let name = object.label(OWNING_GATEWAY_NAME);
                if let (Some(namespace), Some(name)) = (namespace, name) {
                    world.workloads.add(namespace, name, i);
                }
            }
            _ => {}
        }
    }
    let id = |i: usize| objects[i].id();
    for index in [
        &mut world.routes,
        &mut world.mcp_routes,
        &mut world.policies,
        &mut world.workloads,
    ] {
        index.sort_by(id);
    }
    for slots in world.quotas.values_mut() {
        slots.sort_by_key(|&i| id(i));
    }
}

/// A route belongs to a Gateway when some parentRef names it; a route that names one Gateway twice
/// belongs to it once.
fn add_parents(routes: &mut Index, route: &Object, index: usize) {
    for parent in route.spec().get("parentRefs").items() {
        let (namespace, name) = parent_gateway(&parent);
        routes.add(&namespace, &name, index);
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
