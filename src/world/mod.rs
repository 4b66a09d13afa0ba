//! Everything known about the cluster: objects by identity and by reference.
//!
//! Takes documents in reading order, gives an immutable [`World`] and the findings that reading them
//! caused (duplicates, missing namespaces, versions that do not exist). Look-ups are by index.

pub mod apply;
pub mod build;
pub mod coverage;
pub mod field;
pub mod finding;
mod index;
pub mod kind;
pub mod object;
pub mod path;
pub mod recorded;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use index::Index;

use coverage::{Coverage, Unread};
use kind::Kind;
use object::Object;
use recorded::Recorded;

/// Labels that Envoy Gateway puts on the workload of a Gateway.
pub const OWNING_GATEWAY_NAME: &str = "gateway.envoyproxy.io/owning-gateway-name";
/// See [`OWNING_GATEWAY_NAME`].
pub const OWNING_GATEWAY_NAMESPACE: &str = "gateway.envoyproxy.io/owning-gateway-namespace";

/// A namespace and a name.
pub type NamespacedName = (String, String);

/// The objects of one cluster, or of the manifests at hand. Built once, never changed.
#[derive(Debug, Default)]
pub struct World {
    objects: Vec<Object>,
    by_kind: BTreeMap<Kind, Vec<usize>>,
    by_name: HashMap<Kind, Index>,
    routes: Index,
    mcp_routes: Index,
    policies: Index,
    quotas: HashMap<String, Vec<usize>>,
    workloads: Index,
    /// `major` and `minor` of the API server, where the input holds its `/version`.
    pub kubernetes_version: Option<KubernetesVersion>,
    /// Answers that were recorded beside the objects; then the objects are all that there is to know.
    pub recorded: Option<Recorded>,
    /// Which kinds were read, and which could not be.
    pub coverage: Coverage,
    /// What was read besides the objects of known kinds.
    pub inventory: Inventory,
}

/// The version of an API server as its `/version` gives it: text, not numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KubernetesVersion {
    /// Such as `1`.
    pub major: String,
    /// Such as `33` or `33+`.
    pub minor: String,
}

/// What was read and is not part of any answer.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Inventory {
    /// Objects of kinds that no answer depends on, by `apiVersion` and `kind`.
    pub other_kinds: BTreeMap<(String, String), usize>,
    /// Documents without `apiVersion` and `kind`, by file.
    pub not_objects: BTreeMap<String, usize>,
}

impl World {
    /// An object by identity.
    pub fn get(&self, kind: Kind, namespace: &str, name: &str) -> Option<&Object> {
        let slots = self.by_name.get(&kind).map(|i| i.get(namespace, name));
        let slot = slots.and_then(|slots| slots.first());
        if slot.is_none() {
            self.coverage.ask(kind, Some(namespace), Some(name));
        }
        slot.map(|&i| &self.objects[i])
    }

    /// All objects of a kind, by namespace and name.
    pub fn all(&self, kind: Kind) -> impl Iterator<Item = &Object> {
        self.coverage.ask(kind, None, None);
        let slots = self.by_kind.get(&kind).map(Vec::as_slice);
        let mut all: Vec<&Object> = self.at(slots.unwrap_or_default()).collect();
        all.sort_by_key(|object| object.id());
        all.into_iter()
    }

    /// All objects in reading order.
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// AIGatewayRoutes with a parentRef to the Gateway, by namespace and name. The controller meets
    /// them in no particular order; this is the canonical one.
    pub fn routes_of(&self, gateway: &NamespacedName) -> impl Iterator<Item = &Object> {
        self.coverage.ask(Kind::AIGatewayRoute, None, None);
        self.at(self.routes.get(&gateway.0, &gateway.1))
    }

    /// MCPRoutes with a parentRef to the Gateway, by namespace and name.
    pub fn mcp_routes_of(&self, gateway: &NamespacedName) -> impl Iterator<Item = &Object> {
        self.coverage.ask(Kind::MCPRoute, None, None);
        self.at(self.mcp_routes.get(&gateway.0, &gateway.1))
    }

    /// BackendSecurityPolicies of a namespace with a targetRef of that name, whatever its kind.
    pub fn policies_targeting(&self, namespace: &str, name: &str) -> impl Iterator<Item = &Object> {
        self.coverage
            .ask(Kind::BackendSecurityPolicy, Some(namespace), None);
        self.at(self.policies.get(namespace, name))
    }

    /// QuotaPolicies of a namespace, by name.
    pub fn quotas_in(&self, namespace: &str) -> impl Iterator<Item = &Object> {
        self.coverage.ask(Kind::QuotaPolicy, Some(namespace), None);
        self.at(self
            .quotas
            .get(namespace)
            .map(Vec::as_slice)
            .unwrap_or_default())
    }

    /// Pods, Deployments and DaemonSets that carry the owning-gateway labels of the Gateway, by kind,
    /// namespace and name.
    pub fn workloads_of(&self, gateway: &NamespacedName) -> impl Iterator<Item = &Object> {
        for kind in [Kind::Pod, Kind::Deployment, Kind::DaemonSet] {
            self.coverage.ask(kind, None, None);
        }
        self.at(self.workloads.get(&gateway.0, &gateway.1))
    }

    /// The Gateways that a route's parentRefs name, present or not, by namespace and name.
    pub fn parent_gateways(&self) -> BTreeSet<NamespacedName> {
        self.coverage.ask(Kind::AIGatewayRoute, None, None);
        self.coverage.ask(Kind::MCPRoute, None, None);
        let keys = self.routes.keys().chain(self.mcp_routes.keys());
        keys.map(|(namespace, name)| (namespace.to_string(), name.to_string()))
            .collect()
    }

    /// Runs something that looks things up here, and gives the reads without result that it asked
    /// for: what it found then depends on what could not be read.
    pub fn observe<R>(&self, run: impl FnOnce() -> R) -> (R, Vec<Unread>) {
        self.coverage.observe(run)
    }

    /// Runs something that looks things up here, and gives the objects of a kind that it asked for by
    /// name and did not find.
    pub fn seek<R>(&self, kind: Kind, run: impl FnOnce() -> R) -> (R, BTreeSet<NamespacedName>) {
        self.coverage.seek(kind, run)
    }

    fn at<'w>(&'w self, slots: &'w [usize]) -> impl Iterator<Item = &'w Object> {
        slots.iter().map(|&i| &self.objects[i])
    }
}
