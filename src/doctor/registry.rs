//! Every probe, in the order in which things break.

use super::probe::{Probe, Scope};
use super::probes::{
    config, controller, credentials, discovery, envoy_gateway, pods, pools, rollout, routes, skips,
    versions, webhook,
};
use crate::world::kind::Kind;

macro_rules! probes {
    ($($id:literal $scope:ident [$($kind:ident)*] $good:literal $family:ident::$run:ident;)*) => {
        /// Every probe.
        pub const PROBES: &[Probe] = &[$(Probe {
            id: $id,
            scope: Scope::$scope,
            reads: &[$(Kind::$kind),*],
            good: $good,
            run: $family::$run,
        }),*];
    };
}

probes! {
    "controller-version" Cluster [Deployment] "the controller's version is known" versions::controller_version;
    "crds-served" Cluster [CustomResourceDefinition] "the AI Gateway's CRDs are served" versions::crds_served;
    "kubernetes-version" Cluster [] "the controller can read the version of Kubernetes" versions::kubernetes_version;
    "controller-settings" Cluster [Deployment] "the controller starts with its arguments" controller::controller_settings;
    "controller-present" Cluster [Deployment] "there is a controller" controller::controller_present;
    "controller-running" Cluster [Deployment] "the controller is available" controller::controller_running;
    "controller-leader" Cluster [Deployment Lease] "the controller has a leader" controller::controller_leader;
    "controller-watches" Gateways [Deployment AIGatewayRoute MCPRoute] "the controller watches its namespaces" controller::controller_watches;
    "webhook-present" Cluster [MutatingWebhookConfiguration] "the webhook exists" webhook::webhook_present;
    "webhook-single" Cluster [MutatingWebhookConfiguration] "there is one webhook" webhook::webhook_single;
    "webhook-rules" Cluster [MutatingWebhookConfiguration] "the webhook is called for new pods" webhook::webhook_rules;
    "webhook-secret" Cluster [Deployment Secret] "the webhook's certificate is there" webhook::webhook_secret;
    "webhook-ca" Cluster [MutatingWebhookConfiguration Deployment Secret] "the caBundle verifies the webhook's certificate" webhook::webhook_ca;
    "webhook-certificate" Cluster [MutatingWebhookConfiguration Deployment Secret] "the webhook's certificate is for its Service, and valid" webhook::webhook_certificate;
    "webhook-failure-policy" Cluster [MutatingWebhookConfiguration] "no pod can slip past the webhook" webhook::webhook_failure_policy;
    "webhook-service" Cluster [MutatingWebhookConfiguration Service EndpointSlice] "the webhook's Service has a ready endpoint" webhook::webhook_service;
    "webhook-selectors" Gateways [MutatingWebhookConfiguration Pod Deployment DaemonSet] "the webhook's selectors match its pods" webhook::webhook_selectors;
    "webhook-foreign-pods" Cluster [MutatingWebhookConfiguration GatewayClass Gateway Pod Namespace] "the webhook is called for pods of its own Envoy Gateway only" webhook::webhook_foreign_pods;
    "pods-refused" Gateways [Deployment DaemonSet ReplicaSet] "no pod of it is refused" webhook::pods_refused;
    "envoy-gateway-pools" Cluster [ConfigMap AIGatewayRoute] "Envoy Gateway is told of what routes refer to" envoy_gateway::envoy_gateway_pools;
    "envoy-gateway-hooks" Cluster [ConfigMap] "Envoy Gateway calls the AI Gateway" envoy_gateway::envoy_gateway_hooks;
    "envoy-gateway-include-all" Cluster [ConfigMap] "Envoy Gateway gives its hooks everything" envoy_gateway::envoy_gateway_include_all;
    "envoy-gateway-extension" Cluster [ConfigMap Service] "Envoy Gateway calls the controller's Service" envoy_gateway::envoy_gateway_extension;
    "envoy-gateway-backend-api" Cluster [ConfigMap AIServiceBackend] "Envoy Gateway reads Backends" envoy_gateway::envoy_gateway_backend_api;
    "envoy-gateway-fail-open" Cluster [ConfigMap] "a failing AI Gateway is noticed" envoy_gateway::envoy_gateway_fail_open;
    "envoy-gateway-listeners" Cluster [ConfigMap Gateway] "no listener breaks the translation" envoy_gateway::envoy_gateway_listeners;
    "envoy-gateway-running" Cluster [Deployment] "Envoy Gateway is available" envoy_gateway::envoy_gateway_running;
    "gateway-merged" Gateways [EnvoyProxy GatewayClass Gateway] "its Envoy is its own" envoy_gateway::gateway_merged;
    "gateway-programmed" Gateways [Gateway] "Envoy Gateway has programmed it" routes::gateway_programmed;
    "envoy-filter" Cluster [] "Envoy asks the sidecar" envoy_gateway::envoy_filter;
    "routes-attached" Cluster [AIGatewayRoute MCPRoute Gateway] "routes name Gateways that exist" routes::routes_attached;
    "backend-missing" Gateways [AIGatewayRoute AIServiceBackend] "its backends exist" skips::backend_missing;
    "backend-policies" Gateways [AIGatewayRoute BackendSecurityPolicy] "each backend has one policy" skips::backend_policies;
    "routes-granted" Cluster [AIGatewayRoute ReferenceGrant] "references into other namespaces are granted" routes::routes_granted;
    "routes-accepted" Cluster [AIGatewayRoute MCPRoute] "routes are accepted" routes::routes_accepted;
    "policies-accepted" Cluster [AIServiceBackend BackendSecurityPolicy QuotaPolicy GatewayConfig] "backends and policies are accepted" routes::policies_accepted;
    "policies-attached" Cluster [BackendSecurityPolicy QuotaPolicy AIServiceBackend] "policies target backends that exist" routes::policies_attached;
    "gateway-config" Gateways [Gateway GatewayConfig] "its GatewayConfig is there" routes::gateway_config;
    "http-routes" Cluster [AIGatewayRoute HTTPRoute] "every route has a current HTTPRoute" routes::http_routes;
    "mcp-http-routes" Cluster [MCPRoute HTTPRoute] "no HTTPRoute of an MCP backend is left over" routes::mcp_http_routes;
    "listeners-accept" Cluster [AIGatewayRoute MCPRoute HTTPRoute] "listeners accept the routes" routes::listeners_accept;
    "discovery-namespace" Gateways [Pod Deployment DaemonSet] "its pods are where the controller looks" discovery::discovery_namespace;
    "config-refused" Gateways [AIGatewayRoute GatewayConfig Gateway AIServiceBackend BackendSecurityPolicy MCPRoute QuotaPolicy] "its config can be written" config::config_refused;
    "credential-missing" Gateways [AIGatewayRoute AIServiceBackend BackendSecurityPolicy Secret] "the Secrets of its policies exist" skips::credential_missing;
    "credential-key" Gateways [AIGatewayRoute AIServiceBackend BackendSecurityPolicy Secret] "the Secrets of its policies have their keys" skips::credential_key;
    "policy-usable" Gateways [AIGatewayRoute AIServiceBackend BackendSecurityPolicy] "its policies can be used" skips::policy_usable;
    "quota-expression" Gateways [AIGatewayRoute QuotaPolicy] "its quotas are counted" skips::quota_expression;
    "costs-counted" Gateways [AIGatewayRoute AIServiceBackend] "its costs are counted" skips::costs_counted;
    "models-listed" Gateways [AIGatewayRoute] "its models are listed" skips::models_listed;
    "config-secret-present" Gateways [Secret Pod Deployment DaemonSet] "its Secret is where its pods are" config::config_secret_present;
    "config-secret-complete" Gateways [Secret Pod Deployment DaemonSet] "its Secrets fit together" config::config_secret_complete;
    "config-secret-shared" Gateways [Gateway Pod Deployment DaemonSet] "no other Gateway writes its Secret" config::config_secret_shared;
    "config-secret-current" Gateways [Secret AIGatewayRoute MCPRoute AIServiceBackend BackendSecurityPolicy QuotaPolicy GatewayConfig Gateway Pod Deployment DaemonSet] "its Secrets hold what its objects render to" config::config_secret_current;
    "config-secret-legacy" Gateways [Secret Pod] "its legacy Secret is not left behind" config::config_secret_legacy;
    "config-secret-left-over" Cluster [Secret Gateway Pod Deployment DaemonSet] "no filter config Secret is left over" config::config_secret_left_over;
    "pods-labelled" Cluster [Pod] "pods of Envoy Gateway carry the labels of their Gateway" pods::pods_labelled;
    "sidecar-present" Gateways [Pod Gateway AIGatewayRoute MCPRoute] "its pods have the sidecar" pods::sidecar_present;
    "sidecar-list" Gateways [Pod] "the sidecar is in the right list" pods::sidecar_list;
    "sidecar-current" Gateways [Pod Deployment AIGatewayRoute MCPRoute GatewayConfig Gateway] "its sidecars are current" pods::sidecar_current;
    "sidecar-settings" Gateways [Pod AIGatewayRoute MCPRoute GatewayConfig Gateway] "its sidecars have the settings of today" pods::sidecar_settings;
    "sidecar-version" Gateways [Pod Secret] "its sidecars read the version of its config" pods::sidecar_version;
    "sidecar-ready" Gateways [Pod] "its sidecars are ready" pods::sidecar_ready;
    "sidecar-left" Gateways [Pod AIGatewayRoute MCPRoute] "it has a sidecar for a reason" pods::sidecar_left;
    "pods-ended" Gateways [Pod] "no pod that has ended is counted" pods::pods_ended;
    "rollout-blocked" Gateways [Deployment DaemonSet Pod] "its rollouts can end" rollout::rollout_blocked;
    "rollout-finished" Gateways [Deployment DaemonSet] "its rollouts have ended" rollout::rollout_finished;
    "rollout-repeats" Gateways [Deployment DaemonSet Pod] "the controller comes to rest" rollout::rollout_repeats;
    "config-hash" Gateways [Deployment DaemonSet GatewayConfig Gateway MCPRoute] "its template carries the hash of its sidecar's settings" rollout::config_hash;
    "credential-rotation" Cluster [BackendSecurityPolicy Secret] "rotated credentials are fresh" credentials::credential_rotation;
    "credential-current" Gateways [Secret AIGatewayRoute AIServiceBackend BackendSecurityPolicy Pod] "its config holds the credentials that the Secrets hold" credentials::credential_current;
    "inference-pools" Cluster [AIGatewayRoute] "InferencePools that routes refer to are there" pools::inference_pools;
    "quota-service" Cluster [QuotaPolicy] "the rate-limit service of quotas is there" pools::quota_service;
}
