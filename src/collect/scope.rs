//! Which objects of a cluster are written, and which are nobody's business.

use std::collections::BTreeSet;

use crate::controllers::ai_gateway::settings::deployment::is_controller;
use crate::world::kind::Kind;
use crate::world::object::Object;
use crate::world::{OWNING_GATEWAY_NAME, World};

/// Which objects are written: those of other programs are nobody's business.
pub struct Scope<'w> {
    /// The namespaces of the controller and of Envoy Gateway.
    own: BTreeSet<&'w str>,
    /// The uids of the Deployments that are written.
    deployments: BTreeSet<&'w str>,
    /// The objects whose events are written.
    with_events: BTreeSet<String>,
}

impl<'w> Scope<'w> {
    /// The scope of a world.
    pub fn of(world: &'w World) -> Self {
        let all = || world.all(Kind::Deployment);
        let mut scope = Scope {
            own: all().filter(|d| is_own(d)).map(Object::namespace).collect(),
            deployments: BTreeSet::new(),
            with_events: BTreeSet::new(),
        };
        let kept = all().filter(|d| scope.has(d));
        scope.deployments = kept.filter_map(|d| d.metadata().get("uid").str()).collect();
        let kinds = [
            Kind::Deployment,
            Kind::DaemonSet,
            Kind::ReplicaSet,
            Kind::Pod,
        ];
        let kept = kinds.into_iter().flat_map(|kind| world.all(kind));
        scope.with_events = kept
            .filter(|object| scope.has(object))
            .map(|object| object.id().to_string())
            .collect();
        scope
    }

    /// Whether an object is written.
    pub fn has(&self, object: &Object) -> bool {
        let is_workload = || object.label(OWNING_GATEWAY_NAME).is_some();
        match object.kind() {
            Kind::Deployment => is_own(object) || is_workload(),
            Kind::Pod => {
                let managed = object.label("app.kubernetes.io/managed-by");
                managed == Some("envoy-gateway")
                    || is_workload()
                    || self.own.contains(object.namespace())
            }
            Kind::ReplicaSet => {
                let mut owners = object.metadata().get("ownerReferences").items();
                owners.any(|o| {
                    o.get("uid")
                        .str()
                        .is_some_and(|uid| self.deployments.contains(uid))
                })
            }
            Kind::ConfigMap => object.name() == "envoy-gateway-config",
            Kind::Lease => self.own.contains(object.namespace()),
            Kind::Event => {
                let of = object.field().get("involvedObject");
                let text = |key: &'static str| of.get(key).str_or_empty();
                let id = format!("{} {}/{}", text("kind"), text("namespace"), text("name"));
                self.with_events.contains(&id)
            }
            Kind::CustomResourceDefinition => {
                let group = object.spec().get("group");
                Kind::ALL
                    .iter()
                    .any(|kind| group.str() == Some(kind.group()))
            }
            _ => true,
        }
    }
}

/// Whether a Deployment is the controller, or Envoy Gateway.
fn is_own(deployment: &Object) -> bool {
    is_controller(deployment)
        || deployment.label("control-plane") == Some("envoy-gateway")
        || deployment.name() == "envoy-gateway"
}

/// The kinds of which [`Scope`] leaves objects out.
pub const PARTLY: [Kind; 8] = [
    Kind::Deployment,
    Kind::Pod,
    Kind::ReplicaSet,
    Kind::ConfigMap,
    Kind::Lease,
    Kind::Event,
    Kind::CustomResourceDefinition,
    Kind::Secret,
];
