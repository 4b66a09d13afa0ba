//! A pod before and after the webhook.

use std::borrow::Cow;

use super::super::part::Part;
use super::{Admission, ConfigSecrets, Injection, Mode, Webhook};

/// The spec of a pod as Envoy Gateway makes it, reduced to its containers.
pub fn sample<'w>() -> Part<'w> {
    let container = |name: &'static str, image: &'static str| {
        Part::map([
            ("name", Part::fixed(name)),
            ("image", Part::fixed(image)),
            ("resources", Part::Map(Vec::new())),
        ])
    };
    let containers = vec![
        container("envoy", "envoyproxy/envoy:v1.38"),
        container("shutdown-manager", "envoyproxy/gateway:v1.7"),
    ];
    Part::map([("containers", Part::List(containers))])
}

impl<'w> Injection<'w> {
    /// The pod's spec with everything added.
    pub fn apply(&self, spec: &Part<'w>) -> Part<'w> {
        let list = |key: &str| {
            spec.get(key)
                .map_or(Vec::new(), |part| part.items().to_vec())
        };
        let mut init_containers = list("initContainers");
        let mut containers = list("containers");
        containers
            .iter_mut()
            .for_each(|container| self.mount_in_envoy(container));
        match self.mode {
            Mode::Sidecar => init_containers.push(self.container.clone()),
            Mode::Container => containers.push(self.container.clone()),
        }
        let volumes = [list("volumes"), self.volumes.clone()].concat();
        let pull_secrets = [list("imagePullSecrets"), self.image_pull_secrets.clone()].concat();
        let changed = [
            ("volumes", volumes),
            ("initContainers", init_containers),
            ("containers", containers),
            ("imagePullSecrets", pull_secrets),
        ];
        let changed = changed.into_iter().filter(|(_, items)| !items.is_empty());
        let mut members: Vec<_> = changed
            .map(|(key, items)| (Cow::Borrowed(key), Part::List(items)))
            .collect();
        if let Part::Map(present) = spec {
            for (key, part) in present {
                if !members.iter().any(|(changed, _)| changed == key) {
                    members.push((key.clone(), part.clone()));
                }
            }
        }
        Part::Map(members)
    }

    fn mount_in_envoy(&self, container: &mut Part<'w>) {
        if container.get("name").and_then(Part::text) != Some("envoy") {
            return;
        }
        let Part::Map(members) = container else {
            return;
        };
        match members.iter_mut().find(|(key, _)| key == "volumeMounts") {
            Some((_, Part::List(mounts))) => mounts.push(self.envoy_mount.clone()),
            _ => {
                let mounts = Part::List(vec![self.envoy_mount.clone()]);
                members.push((Cow::Borrowed("volumeMounts"), mounts));
            }
        }
    }
}

/// A pod that is created in some namespace at some time.
#[derive(Debug, Clone)]
pub struct Case<'w> {
    /// Such as `before-reconcile/gateway-namespace`.
    pub name: &'static str,
    /// The pod's namespace.
    pub namespace: String,
    /// What happens to it.
    pub admission: Admission<'w>,
}

/// The sample pod in Envoy Gateway's namespace and in the Gateway's own (only there when they are
/// one), before the reconcile and after it. `before` and `after` tell which filter config Secrets a
/// namespace has.
pub fn cases<'w>(
    webhook: &Webhook<'_, 'w>,
    gateway_namespace: &str,
    before: &dyn Fn(&str) -> ConfigSecrets,
    after: &dyn Fn(&str) -> ConfigSecrets,
) -> Vec<Case<'w>> {
    let envoy_gateway = webhook.settings.envoy_gateway_namespace();
    let one_namespace = envoy_gateway == gateway_namespace;
    [
        (
            "before-reconcile/envoy-gateway-namespace",
            envoy_gateway,
            before,
        ),
        (
            "before-reconcile/gateway-namespace",
            gateway_namespace,
            before,
        ),
        (
            "after-reconcile/envoy-gateway-namespace",
            envoy_gateway,
            after,
        ),
        (
            "after-reconcile/gateway-namespace",
            gateway_namespace,
            after,
        ),
    ]
    .into_iter()
    .filter(|(name, ..)| !one_namespace || name.ends_with("/gateway-namespace"))
    .map(|(name, namespace, secrets)| Case {
        name,
        namespace: namespace.to_string(),
        admission: webhook.admit(secrets(namespace)),
    })
    .collect()
}
