//! What Envoy Gateway must be told so that Envoy asks the sidecar.

use serde_json::Value as Json;

use super::controller::is_available;
use crate::doctor::case::{Case, label};
use crate::doctor::probe::Diagnosis;
use crate::manifest::{Limits, read_yaml};
use crate::world::kind::Kind;
use crate::world::object::Object;

/// The port of the controller's extension server.
const EXTENSION_PORT: i64 = 1063;
/// The group of InferencePools, and the one that they had before.
const POOLS: &str = "inference.networking.k8s.io";
const POOLS_ALPHA: &str = "inference.networking.x-k8s.io";
const VALUES: &str = "helm upgrade eg oci://docker.io/envoyproxy/gateway-helm --reuse-values -f \
                      envoy-gateway-values.yaml  # of the AI Gateway's release";

/// Envoy Gateway's own configuration, and where it stands.
fn configuration<'w>(case: &Case<'w>) -> Option<(&'w Object, Json)> {
    let namespace = case.options.settings.envoy_gateway_namespace();
    let named = |map: &&Object| map.name() == "envoy-gateway-config";
    let map = case
        .world
        .get(Kind::ConfigMap, namespace, "envoy-gateway-config");
    let map = map.or_else(|| case.world.all(Kind::ConfigMap).find(named))?;
    let text = map.field().get("data").get("envoy-gateway.yaml").str()?;
    let limits = Limits::default();
    let document = read_yaml("envoy-gateway.yaml".into(), text.as_bytes(), &limits).ok()?;
    Some((map, document.root.to_json()))
}

fn restart(case: &Case<'_>) -> String {
    let namespace = case.options.settings.envoy_gateway_namespace();
    format!("kubectl -n {namespace} rollout restart deployment/envoy-gateway")
}

/// Envoy Gateway runs.
pub(in crate::doctor) fn envoy_gateway_running(case: &Case<'_>) -> Vec<Diagnosis> {
    let all = case.world.all(Kind::Deployment);
    let own = all.filter(|d| {
        label(d, "control-plane") == Some("envoy-gateway") || d.name() == "envoy-gateway"
    });
    // It exits over an extension manager without hooks, and does well without any.
    let exits = configuration(case).is_some_and(|(_, config)| {
        let manager = &config["extensionManager"];
        !manager.is_null() && manager["hooks"]["xdsTranslator"].is_null()
    });
    let down = own.filter(|d| !is_available(d)).map(|deployment| {
        let diagnosis = Diagnosis::failure("no pod of Envoy Gateway is available")
            .about(deployment)
            .seen(deployment, "status.availableReplicas", 0)
            .so("routes and Gateways are not translated, and no workload is created or changed")
            .fix(format!(
                "kubectl -n {} logs deployment/{} --previous",
                deployment.namespace(),
                deployment.name()
            ))
            .after("envoy-gateway-pools");
        match exits {
            true => diagnosis.after("envoy-gateway-hooks"),
            false => diagnosis,
        }
    });
    down.collect()
}

/// What is said where the configuration is not there although ConfigMaps were read.
fn no_configuration(case: &Case<'_>) -> Vec<Diagnosis> {
    if !case.reads(Kind::ConfigMap) {
        return Vec::new();
    }
    let text = "Envoy Gateway's ConfigMap envoy-gateway-config is not there, or holds no YAML";
    vec![Diagnosis::unknown(text)]
}

/// Envoy Gateway calls the AI Gateway when it translates.
///
/// The sidecar is added to pods by the webhook; the filter that asks it is added by the controller when
/// Envoy Gateway calls its hooks. With the one and without the other everything is Accepted and ready,
/// and requests go out without credentials.
pub(in crate::doctor) fn envoy_gateway_hooks(case: &Case<'_>) -> Vec<Diagnosis> {
    let Some((map, config)) = configuration(case) else {
        return no_configuration(case);
    };
    let manager = &config["extensionManager"];
    let so =
        "Envoy never asks the sidecar: requests go out without credentials, models are not routed";
    if manager.is_null() {
        return vec![
            Diagnosis::failure("Envoy Gateway has no extension manager")
                .about(map)
                .seen(map, "data[envoy-gateway.yaml] extensionManager", "(absent)")
                .so(so)
                .fix(VALUES)
                .fix(restart(case)),
        ];
    }
    let post = manager["hooks"]["xdsTranslator"]["post"].as_array();
    let has = |hook: &str| post.is_some_and(|p| p.iter().any(|h| h.as_str() == Some(hook)));
    let missing: Vec<&str> = ["Translation", "Cluster", "Route"]
        .into_iter()
        .filter(|h| !has(h))
        .collect();
    if missing.is_empty() {
        return Vec::new();
    }
    let field = "extensionManager.hooks.xdsTranslator.post";
    vec![
        Diagnosis::failure(format!(
            "Envoy Gateway does not call the hooks {}",
            missing.join(", ")
        ))
        .about(map)
        .seen(
            map,
            format!("data[envoy-gateway.yaml] {field}"),
            post.map_or("(absent)", |_| "incomplete"),
        )
        .so(so)
        .fix(VALUES)
        .fix(restart(case)),
    ]
}

/// Envoy Gateway gives the hooks everything that it has.
pub(in crate::doctor) fn envoy_gateway_include_all(case: &Case<'_>) -> Vec<Diagnosis> {
    let Some((map, config)) = configuration(case) else {
        return no_configuration(case);
    };
    let translator = &config["extensionManager"]["hooks"]["xdsTranslator"];
    let without = ["listener", "route", "cluster", "secret"]
        .into_iter()
        .filter(|kind| translator["translation"][kind]["includeAll"] != Json::Bool(true));
    let without: Vec<&str> = without.collect();
    if translator.is_null() {
        return vec![Diagnosis::note("there are no hooks to look at")];
    }
    if without.is_empty() {
        return Vec::new();
    }
    let text = format!(
        "Envoy Gateway does not give the hook every {}",
        without.join(", ")
    );
    vec![
        Diagnosis::failure(text)
            .about(map)
            .seen(
                map,
                "data[envoy-gateway.yaml] extensionManager.hooks.xdsTranslator.translation",
                format!("no includeAll for {}", without.join(", ")),
            )
            .so("the filter that asks the sidecar is not added everywhere")
            .fix(VALUES)
            .fix(restart(case)),
    ]
}

/// Envoy Gateway calls the controller's Service.
pub(in crate::doctor) fn envoy_gateway_extension(case: &Case<'_>) -> Vec<Diagnosis> {
    let Some((map, config)) = configuration(case) else {
        return no_configuration(case);
    };
    let service = &config["extensionManager"]["service"];
    if config["extensionManager"].is_null() {
        return vec![Diagnosis::note("there is no extension manager to look at")];
    }
    let fqdn = &service["fqdn"];
    let host = fqdn["hostname"]
        .as_str()
        .or(service["host"].as_str())
        .unwrap_or_default();
    let port = fqdn["port"]
        .as_i64()
        .or(service["port"].as_i64())
        .unwrap_or_default();
    let field = "data[envoy-gateway.yaml] extensionManager.service";
    let say = |text: String, value: String| {
        vec![
            Diagnosis::failure(text)
                .after("webhook-service")
                .about(map)
                .seen(map, field, value)
                .so("Envoy Gateway cannot reach the AI Gateway, so nothing is translated")
                .fix(VALUES)
                .fix(restart(case)),
        ]
    };
    let shown = format!("{host}:{port}");
    let mut parts = host.split('.');
    let (Some(name), Some(namespace), Some("svc")) = (parts.next(), parts.next(), parts.next())
    else {
        return match host.is_empty() {
            true => vec![
                Diagnosis::unknown("Envoy Gateway's extension service is no host name").about(map),
            ],
            false => say(
                "Envoy Gateway's extension service is no Service of the cluster".into(),
                shown,
            ),
        };
    };
    if !case.reads(Kind::Service) {
        return Vec::new();
    }
    let Some(target) = case.world.get(Kind::Service, namespace, name) else {
        return say(
            format!("Envoy Gateway calls Service {namespace}/{name}, which does not exist"),
            shown,
        );
    };
    let mut ports = target.spec().get("ports").items();
    if !ports.any(|p| p.get("port").int() == Some(port)) {
        let text = format!(
            "Envoy Gateway calls port {port}, which Service {namespace}/{name} does not have"
        );
        return say(text, shown);
    }
    if port != EXTENSION_PORT {
        return say(
            format!("Envoy Gateway calls port {port}, not {EXTENSION_PORT}"),
            shown,
        );
    }
    Vec::new()
}

/// Envoy Gateway reads Backends.
///
/// Every AIServiceBackend leads to a `Backend`, an API of Envoy Gateway that is off by default.
pub(in crate::doctor) fn envoy_gateway_backend_api(case: &Case<'_>) -> Vec<Diagnosis> {
    let Some((map, config)) = configuration(case) else {
        return no_configuration(case);
    };
    let wanted = case.world.all(Kind::AIServiceBackend).next().is_some();
    if !wanted || config["extensionApis"]["enableBackend"] == Json::Bool(true) {
        return Vec::new();
    }
    vec![
        Diagnosis::failure("Envoy Gateway's Backend API is off")
            .about(map)
            .seen(
                map,
                "data[envoy-gateway.yaml] extensionApis.enableBackend",
                "not true",
            )
            .so("no AIServiceBackend leads anywhere: routes are not resolved")
            .fix(VALUES)
            .fix(restart(case)),
    ]
}

/// Envoy Gateway takes InferencePools as backends.
///
/// `extensionManager.backendResources` must name InferencePool where a route refers to one; naming a
/// kind whose CRD is not installed keeps Envoy Gateway from starting.
pub(in crate::doctor) fn envoy_gateway_pools(case: &Case<'_>) -> Vec<Diagnosis> {
    let Some((map, config)) = configuration(case) else {
        return no_configuration(case);
    };
    let resources = config["extensionManager"]["backendResources"].as_array();
    let pools = resources
        .into_iter()
        .flatten()
        .filter(|r| r["kind"] == "InferencePool");
    let pools: Vec<&Json> = pools.collect();
    let field = "data[envoy-gateway.yaml] extensionManager.backendResources";
    let mut all = Vec::new();
    for pool in &pools {
        let group = pool["group"].as_str().unwrap_or_default();
        let crd = format!("inferencepools.{group}");
        let installed = case
            .world
            .get(Kind::CustomResourceDefinition, "", &crd)
            .is_some();
        if case.reads(Kind::CustomResourceDefinition) && !installed {
            all.push(
                Diagnosis::failure(format!(
                    "Envoy Gateway is told of {crd}, which is not installed"
                ))
                .about(map)
                .seen(map, field, &crd)
                .so("Envoy Gateway exits when it starts")
                .fix("install the CRD of the Gateway API Inference Extension")
                .fix(restart(case)),
            );
        }
    }
    let is_told = |group: &str| pools.iter().any(|p| p["group"].as_str() == Some(group));
    if is_told(POOLS) && is_told(POOLS_ALPHA) {
        let text = "Envoy Gateway takes InferencePools of the old group too";
        all.push(Diagnosis::note(text).about(map).seen(map, field, POOLS_ALPHA).so(
            "it never refuses the old group, so what waits for that to migrate, such as KServe, stays \
             with it",
        ));
    }
    let routes = super::pools::references(case);
    let untold = |(route, _): &&(&Object, _)| !groups(route).into_iter().all(is_told);
    let Some((route, _)) = routes.iter().find(untold) else {
        return all;
    };
    {
        let written = case
            .world
            .get(Kind::HTTPRoute, route.namespace(), route.name());
        let parents = written
            .into_iter()
            .flat_map(|w| w.field().get("status").get("parents").items());
        let mut conditions = parents.flat_map(|p| p.get("conditions").items());
        let refused = conditions.any(|c| {
            c.get("type").str() == Some("ResolvedRefs") && c.get("status").str() == Some("False")
        });
        let text = "Envoy Gateway is not told of InferencePools, and a route refers to one";
        let diagnosis = match refused {
            true => Diagnosis::failure(text),
            false => Diagnosis::note(text),
        };
        all.push(
            diagnosis
                .about(map)
                .seen(map, field, "no InferencePool of its group")
                .seen(route, "spec.rules.backendRefs", "InferencePool")
                .so("Envoy Gateway refuses the backend")
                .fix("add the InferencePool addon of the AI Gateway's release to Envoy Gateway's values")
                .fix(restart(case)),
        );
    }
    all
}

/// The groups of the InferencePools that a route refers to.
fn groups(route: &Object) -> Vec<&str> {
    let rules = route.spec().get("rules").items();
    let references = rules.flat_map(|rule| rule.get("backendRefs").items());
    let groups = references.filter_map(|r| r.get("group").str());
    groups
        .filter(|g| [POOLS, POOLS_ALPHA].contains(g))
        .collect()
}

/// A failing extension server is noticed.
///
/// With `failOpen: true` Envoy Gateway goes on without the AI Gateway when that cannot be reached, and
/// AI routes are served without the filter that asks the sidecar.
pub(in crate::doctor) fn envoy_gateway_fail_open(case: &Case<'_>) -> Vec<Diagnosis> {
    let Some((map, config)) = configuration(case) else {
        return no_configuration(case);
    };
    if config["extensionManager"]["failOpen"] != Json::Bool(true) {
        return Vec::new();
    }
    vec![
        Diagnosis::warning("Envoy Gateway translates without the AI Gateway when that fails")
            .about(map)
            .seen(
                map,
                "data[envoy-gateway.yaml] extensionManager.failOpen",
                true,
            )
            .so("AI routes are then served without the filter that asks the sidecar")
            .fix("set extensionManager.failOpen to false")
            .fix(restart(case)),
    ]
}

/// No listener breaks the translation.
///
/// Up to v1.1.0 the extension server fails at a listener without HTTP, such as TCP or TLS passthrough,
/// anywhere under the same Envoy Gateway, and with it the translation of every Gateway.
pub(in crate::doctor) fn envoy_gateway_listeners(case: &Case<'_>) -> Vec<Diagnosis> {
    let Some((map, config)) = configuration(case) else {
        return no_configuration(case);
    };
    if config["extensionManager"].is_null()
        || config["extensionManager"]["failOpen"] == Json::Bool(true)
    {
        return Vec::new();
    }
    let mut all = Vec::new();
    for gateway in case.world.all(Kind::Gateway) {
        for listener in gateway.spec().get("listeners").items() {
            let protocol = listener.get("protocol").str_or_empty();
            let mode = listener.get("tls").get("mode").str();
            let raw = matches!(protocol, "TCP" | "UDP")
                || (protocol == "TLS" && mode == Some("Passthrough"));
            if raw {
                all.push(
                    Diagnosis::warning(
                        "a listener without HTTP can stop the translation of every Gateway",
                    )
                    .about(gateway)
                    .seen(gateway, listener.path().to_string(), protocol)
                    .seen(map, "data[envoy-gateway.yaml] extensionManager", "set")
                    .so("the AI Gateway's hook fails, and Envoy keeps what it had")
                    .fix("move the listener to an Envoy Gateway without the AI Gateway"),
                );
            }
        }
    }
    all
}

/// No Envoy is shared by several Gateways.
///
/// With `mergeGateways` pods carry the GatewayClass instead of the Gateway, and the controller finds none
/// of them. The AI Gateway does not support it.
pub(in crate::doctor) fn gateway_merged(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut all = Vec::new();
    for proxy in case.world.all(Kind::EnvoyProxy) {
        if proxy.spec().get("mergeGateways").bool() != Some(true) {
            continue;
        }
        let mut classes = case.world.all(Kind::GatewayClass).filter(|class| {
            class.spec().get("parametersRef").get("name").str() == Some(proxy.name())
        });
        let Some(class) = classes.next() else {
            continue;
        };
        for gateway in case.gateways() {
            let object = gateway.outcome.object;
            let name = object.map(|o| o.spec().get("gatewayClassName").str_or_empty());
            if name == Some(class.name()) {
                all.push(
                    Diagnosis::failure(
                        "the Gateway shares its Envoy with others, which is not supported",
                    )
                    .gateway(&gateway.name)
                    .about(proxy)
                    .seen(proxy, "spec.mergeGateways", true)
                    .seen(class, "spec.parametersRef.name", proxy.name())
                    .so("the controller finds no pods of the Gateway: no Secret, no sidecar")
                    .fix(
                        "set mergeGateways to false, or give AI routes a GatewayClass of their own",
                    ),
                );
            }
        }
    }
    all
}

/// Envoy asks the sidecar.
///
/// Only Envoy's own `config_dump` shows whether the filter is there. Give one with `--config-dump`.
pub(in crate::doctor) fn envoy_filter(case: &Case<'_>) -> Vec<Diagnosis> {
    let Some(dump) = &case.config_dump else {
        return Vec::new();
    };
    if dump.sockets > 0 {
        return Vec::new();
    }
    vec![
        Diagnosis::failure("Envoy's configuration does not name the sidecar's socket")
            .saw(
                &dump.file,
                "/etc/ai-gateway-extproc-uds/run.sock",
                "0 times",
            )
            .so("Envoy never asks the sidecar: requests go out without credentials")
            .fix(restart(case))
            .after("envoy-gateway-hooks")
            .after("envoy-gateway-include-all")
            .after("envoy-gateway-extension")
            .after("envoy-gateway-running")
            .after("controller-running"),
    ]
}
