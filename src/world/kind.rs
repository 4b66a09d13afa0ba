//! The kinds that are read, with their groups and plurals.

use std::fmt;

macro_rules! kinds {
    ($($variant:ident = $group:literal, $kind:literal, $plural:literal, $scope:ident;)*) => {
        /// A kind of object that some answer depends on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "each variant is the kind of that name")]
        pub enum Kind { $($variant,)* }

        impl Kind {
            /// Every kind.
            pub const ALL: &[Kind] = &[$(Kind::$variant,)*];

            /// The API group; empty for the core group.
            pub fn group(self) -> &'static str {
                match self { $(Kind::$variant => $group,)* }
            }

            /// The kind as manifests name it.
            pub fn name(self) -> &'static str {
                match self { $(Kind::$variant => $kind,)* }
            }

            /// The resource name in request paths.
            pub fn plural(self) -> &'static str {
                match self { $(Kind::$variant => $plural,)* }
            }

            /// Whether objects of the kind live in a namespace.
            pub fn is_namespaced(self) -> bool {
                match self { $(Kind::$variant => kinds!(@scope $scope),)* }
            }

            /// The kind of that group and name, if it is one that we read.
            pub fn find(group: &str, kind: &str) -> Option<Kind> {
                match (group, kind) { $(($group, $kind) => Some(Kind::$variant),)* _ => None }
            }
        }
    };
    (@scope Namespaced) => { true };
    (@scope Cluster) => { false };
}

kinds! {
    AIGatewayRoute = "aigateway.envoyproxy.io", "AIGatewayRoute", "aigatewayroutes", Namespaced;
    AIServiceBackend = "aigateway.envoyproxy.io", "AIServiceBackend", "aiservicebackends", Namespaced;
    BackendSecurityPolicy = "aigateway.envoyproxy.io", "BackendSecurityPolicy", "backendsecuritypolicies", Namespaced;
    GatewayConfig = "aigateway.envoyproxy.io", "GatewayConfig", "gatewayconfigs", Namespaced;
    MCPRoute = "aigateway.envoyproxy.io", "MCPRoute", "mcproutes", Namespaced;
    QuotaPolicy = "aigateway.envoyproxy.io", "QuotaPolicy", "quotapolicies", Namespaced;
    Gateway = "gateway.networking.k8s.io", "Gateway", "gateways", Namespaced;
    GatewayClass = "gateway.networking.k8s.io", "GatewayClass", "gatewayclasses", Cluster;
    HTTPRoute = "gateway.networking.k8s.io", "HTTPRoute", "httproutes", Namespaced;
    ReferenceGrant = "gateway.networking.k8s.io", "ReferenceGrant", "referencegrants", Namespaced;
    InferencePool = "inference.networking.k8s.io", "InferencePool", "inferencepools", Namespaced;
    InferencePoolAlpha = "inference.networking.x-k8s.io", "InferencePool", "inferencepools", Namespaced;
    EnvoyProxy = "gateway.envoyproxy.io", "EnvoyProxy", "envoyproxies", Namespaced;
    Backend = "gateway.envoyproxy.io", "Backend", "backends", Namespaced;
    Secret = "", "Secret", "secrets", Namespaced;
    ConfigMap = "", "ConfigMap", "configmaps", Namespaced;
    Namespace = "", "Namespace", "namespaces", Cluster;
    Service = "", "Service", "services", Namespaced;
    Pod = "", "Pod", "pods", Namespaced;
    Deployment = "apps", "Deployment", "deployments", Namespaced;
    DaemonSet = "apps", "DaemonSet", "daemonsets", Namespaced;
    ReplicaSet = "apps", "ReplicaSet", "replicasets", Namespaced;
    Event = "", "Event", "events", Namespaced;
    EndpointSlice = "discovery.k8s.io", "EndpointSlice", "endpointslices", Namespaced;
    Lease = "coordination.k8s.io", "Lease", "leases", Namespaced;
    MutatingWebhookConfiguration = "admissionregistration.k8s.io", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", Cluster;
    CustomResourceDefinition = "apiextensions.k8s.io", "CustomResourceDefinition", "customresourcedefinitions", Cluster;
}

impl Kind {
    /// Whether the kind belongs to the AI Gateway's own API group.
    pub fn is_ai_gateway(self) -> bool {
        self.group() == "aigateway.envoyproxy.io"
    }

    /// The versions of the AI Gateway group that the CRDs serve; any version is read for other groups.
    pub fn serves(self, version: &str) -> bool {
        match self {
            Kind::QuotaPolicy => version == "v1alpha1",
            _ if self.is_ai_gateway() => matches!(version, "v1alpha1" | "v1beta1"),
            _ => true,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
