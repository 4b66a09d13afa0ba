//! What the controller reads through its cache: only the namespaces that it watches.
//!
//! A policy's credentials are Secrets of its own namespace, so that they need no look of their own.

use super::options::Options;
use crate::world::kind::Kind;
use crate::world::object::Object;
use crate::world::{NamespacedName, World};

/// The objects of the watched namespaces. What the controller reads past its cache (pods, workloads,
/// the Secrets that it writes) is looked up in the world itself.
#[derive(Debug, Clone)]
pub struct Cache<'w> {
    world: &'w World,
    /// No limit when empty.
    watched: Vec<String>,
}

impl<'w> Cache<'w> {
    /// What the controller with these options sees of the world.
    pub fn new(world: &'w World, options: &Options<'_>) -> Self {
        let watched = options.settings.watch_namespaces().into_iter();
        Cache {
            world,
            watched: watched.map(str::to_string).collect(),
        }
    }

    fn sees(&self, namespace: &str) -> bool {
        self.watched.is_empty() || self.watched.iter().any(|name| name == namespace)
    }

    /// What to do about an object that is not seen; `None` when its namespace is watched.
    pub fn remedy(&self, namespace: &str) -> Option<String> {
        (!self.sees(namespace)).then(|| {
            format!(
                "the controller watches only {}: add {namespace} to --watchNamespaces",
                self.watched.join(", ")
            )
        })
    }

    /// An object by name.
    pub fn get(&self, kind: Kind, namespace: &str, name: &str) -> Option<&'w Object> {
        match self.sees(namespace) {
            true => self.world.get(kind, namespace, name),
            false => None,
        }
    }

    /// The AIGatewayRoutes that name a Gateway as parent; first those that are seen.
    pub fn routes_of(&self, gateway: &NamespacedName) -> (Vec<&'w Object>, Vec<&'w Object>) {
        let seen = |route: &&Object| self.sees(route.namespace());
        self.world.routes_of(gateway).partition(seen)
    }

    /// The same for MCPRoutes.
    pub fn mcp_routes_of(&self, gateway: &NamespacedName) -> (Vec<&'w Object>, Vec<&'w Object>) {
        let seen = |route: &&Object| self.sees(route.namespace());
        self.world.mcp_routes_of(gateway).partition(seen)
    }

    /// The BackendSecurityPolicies of a namespace that target a name.
    pub fn policies_targeting<'n>(
        &self,
        namespace: &'n str,
        name: &'n str,
    ) -> impl Iterator<Item = &'w Object> + use<'w, 'n> {
        let sees = self.sees(namespace);
        let policies = sees.then(|| self.world.policies_targeting(namespace, name));
        policies.into_iter().flatten()
    }

    /// The QuotaPolicies of a namespace.
    pub fn quotas_in<'n>(
        &self,
        namespace: &'n str,
    ) -> impl Iterator<Item = &'w Object> + use<'w, 'n> {
        let sees = self.sees(namespace);
        let quotas = sees.then(|| self.world.quotas_in(namespace));
        quotas.into_iter().flatten()
    }
}
