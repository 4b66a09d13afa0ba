//! Which pods and workloads belong to a Gateway, and in which namespace its Secrets go.

use crate::controllers::profile::Profile;
use crate::world::kind::Kind;
use crate::world::object::Object;
use crate::world::{NamespacedName, World};

/// The objects that carry a Gateway's labels, in one namespace.
#[derive(Debug, Default)]
pub struct Workloads<'w> {
    /// Where they are; `None` when there are none.
    pub namespace: Option<&'w str>,
    /// By name.
    pub pods: Vec<&'w Object>,
    /// By name.
    pub deployments: Vec<&'w Object>,
    /// By name.
    pub daemon_sets: Vec<&'w Object>,
}

impl Workloads<'_> {
    /// Whether nothing carries the labels.
    pub fn is_empty(&self) -> bool {
        self.namespace.is_none()
    }
}

/// Looks in the Gateway's namespace, then in Envoy Gateway's.
///
/// # Errors
/// The controller's text when objects are in more than one of them. v1.0.0 looks twice into a
/// namespace that is both and then finds everything in "two" namespaces.
pub fn discover<'w>(
    world: &'w World,
    profile: &Profile,
    gateway: &NamespacedName,
    envoy_gateway_namespace: &str,
) -> Result<Workloads<'w>, String> {
    let (own, shared) = (gateway.0.as_str(), envoy_gateway_namespace);
    let candidates: &[&str] = match own == shared && !profile.counts_shared_namespace_twice {
        true => &[own],
        false => &[own, shared],
    };
    let owned: Vec<&Object> = world.workloads_of(gateway).collect();
    let holds = |namespace: &&str| owned.iter().any(|o| o.namespace() == *namespace);
    let hits: Vec<&str> = candidates.iter().copied().filter(holds).collect();
    if hits.len() > 1 {
        return Err(format!(
            "failed to get objects for gateway {}: found gateway-labeled objects in multiple \
             namespaces: [{}]",
            gateway.1,
            hits.join(" ")
        ));
    }
    let mut workloads = Workloads::default();
    for object in owned
        .into_iter()
        .filter(|o| hits.first() == Some(&o.namespace()))
    {
        workloads.namespace = Some(object.namespace());
        match object.kind() {
            Kind::Deployment => workloads.deployments.push(object),
            Kind::DaemonSet => workloads.daemon_sets.push(object),
            _ => workloads.pods.push(object),
        }
    }
    Ok(workloads)
}
