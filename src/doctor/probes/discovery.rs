//! Where the controller looks for the pods of a Gateway.

use std::collections::BTreeSet;

use crate::doctor::case::{Case, Gateway};
use crate::doctor::probe::{Diagnosis, Evidence};
use crate::world::kind::Kind;
use crate::world::object::Object;

/// The controller finds the Gateway's pods in one namespace.
///
/// It looks in the Gateway's namespace and in the one of `--envoyGatewayNamespace`. With objects in
/// both it refuses every reconcile; v1.0.0 looks twice into a namespace that is both, and refuses a
/// Gateway there for ever (fixed in v1.1.0). With objects in neither it asks again every 5 seconds.
pub(in crate::doctor) fn discovery_namespace(case: &Case<'_>) -> Vec<Diagnosis> {
    let kinds = [Kind::Pod, Kind::Deployment, Kind::DaemonSet];
    let whole = kinds.iter().all(|kind| case.reads(*kind));
    case.gateways()
        .iter()
        .filter_map(|gateway| discover(case, gateway, whole))
        .collect()
}

fn discover(case: &Case<'_>, gateway: &Gateway<'_>, whole: bool) -> Option<Diagnosis> {
    let shared = case.options.settings.envoy_gateway_namespace();
    let own = gateway.key.0.as_str();
    let objects: Vec<&Object> = gateway
        .pods
        .iter()
        .chain(&gateway.workloads)
        .copied()
        .collect();
    let refusal = gateway.outcome.refusal.as_ref();
    let refused = refusal.filter(|r| r.message.contains("multiple namespaces"));
    let of_both = own == shared;
    let counts_twice = case.options.profile().counts_shared_namespace_twice;
    let is_in = |namespace: &str| objects.iter().any(|o| o.namespace() == namespace);
    // What was found is enough for a refusal, whatever was not read.
    let doubled = !whole && is_in(own) && is_in(shared) && (!of_both || counts_twice);
    if refused.is_some() || doubled {
        let text = match of_both {
            true => format!(
                "the Gateway is in Envoy Gateway's namespace {shared}, which {} counts twice",
                case.options.version
            ),
            false => format!("pods of the Gateway are in two namespaces, {own} and {shared}"),
        };
        let mut diagnosis = Diagnosis::failure(text)
            .gateway(&gateway.name)
            .so("every reconcile of the Gateway is refused: no Secret, no sidecar, no rollout")
            .saw_all(
                refused
                    .map(|r| said(gateway, &r.message))
                    .into_iter()
                    .collect(),
            );
        diagnosis.object = Some(gateway.object());
        for object in one_of_each(&objects) {
            diagnosis = diagnosis.seen(object, "metadata.namespace", object.namespace());
        }
        return Some(match of_both {
            true => diagnosis
                .fix("helm upgrade the controller to v1.1.0 or newer")
                .fix("or move the Gateway to another namespace"),
            false => diagnosis.fix(format!(
                "kubectl -n {shared} get deployments,daemonsets,pods -l \
                 gateway.envoyproxy.io/owning-gateway-name={}  # delete what is left over",
                gateway.key.1
            )),
        });
    }
    if !whole || is_in(own) || is_in(shared) {
        return None;
    }
    let mut diagnosis = match one_of_each(&objects).first() {
        Some(object) => Diagnosis::failure(format!(
            "the Gateway's pods are in namespace {}, where the controller does not look",
            object.namespace()
        ))
        .seen(object, "metadata.namespace", object.namespace())
        .fix(format!(
            "set envoyGateway.namespace of the controller's chart to {}",
            object.namespace()
        )),
        None => Diagnosis::failure("no pod, Deployment or DaemonSet carries the Gateway's labels")
            .fix(format!("kubectl -n {shared} logs deployment/envoy-gateway"))
            .after("envoy-gateway-running")
            .after("gateway-merged")
            .after("gateway-programmed"),
    };
    diagnosis = diagnosis
        .gateway(&gateway.name)
        .saw("the controller", "--envoyGatewayNamespace", shared)
        .so("the controller asks again every 5 seconds and writes no Secret");
    diagnosis.object = Some(gateway.object());
    Some(diagnosis)
}

fn said(gateway: &Gateway<'_>, message: &str) -> Evidence {
    Evidence {
        object: gateway.object(),
        field: "refusal".to_string(),
        value: message.to_string(),
    }
}

/// The first object of each namespace.
fn one_of_each<'w>(objects: &[&'w Object]) -> Vec<&'w Object> {
    let mut told = BTreeSet::new();
    let first = objects.iter().filter(|o| told.insert(o.namespace()));
    first.copied().collect()
}
