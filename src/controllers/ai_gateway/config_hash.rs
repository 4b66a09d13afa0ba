//! The hash of the sidecar's configuration, by which v1.1.0 tells that a workload must be rolled.

use sha2::{Digest, Sha256};

use super::bundle::hex;
use super::part::Part;
use super::settings::flags::Id;
use super::sidecar::{self, Mode, UDS_PATH, Webhook};
use crate::manifest::emit::Tree;
use crate::manifest::go_json;

/// What the hash is made from, in order.
#[derive(Debug, Clone)]
pub struct HashInputs<'w>(Vec<HashInput<'w>>);

/// One of the things that the hash is made from.
#[derive(Debug, Clone)]
pub struct HashInput<'w> {
    /// The key in the hashed record.
    pub name: &'static str,
    /// The value.
    pub value: Part<'w>,
}

impl<'w> HashInputs<'w> {
    /// What the hash of a Gateway's sidecar is made from.
    pub fn of(webhook: &Webhook<'_, 'w>) -> Self {
        let settings = webhook.settings;
        let setting = |name: &'static str, id: Id| (name, settings.part(id));
        let mut inputs = vec![
            ("Image", sidecar::image(settings, webhook.ext_proc)),
            setting("ImagePullPolicy", Id::ExtProcImagePullPolicy),
            setting("LogLevel", Id::ExtProcLogLevel),
        ];
        if !matches!(settings.log_format(), "" | "text") {
            inputs.push(setting("LogFormat", Id::ExtProcLogFormat));
        }
        inputs.extend([
            setting("EnableRedaction", Id::ExtProcEnableRedaction),
            ("UDSPath", Part::fixed(UDS_PATH)),
            setting("RequestHeaderAttributes", Id::RequestHeaderAttributes),
            setting(
                "SpanRequestHeaderAttributes",
                Id::SpanRequestHeaderAttributes,
            ),
            setting(
                "MetricsRequestHeaderAttributes",
                Id::MetricsRequestHeaderAttributes,
            ),
            setting("LogRequestHeaderAttributes", Id::LogRequestHeaderAttributes),
            setting("RootPrefix", Id::RootPrefix),
            setting("EndpointPrefixes", Id::EndpointPrefixes),
            ("ExtraEnvVars", list_or_null(sidecar::extra_env(settings))),
            (
                "ImagePullSecrets",
                list_or_null(sidecar::image_pull_secrets(settings)),
            ),
            setting("MaxRecvMsgSize", Id::ExtProcMaxRecvMsgSize),
            (
                "ExtProcAsSideCar",
                Part::bool(webhook.mode == Mode::Sidecar),
            ),
            setting("MCPSessionEncryptionSeed", Id::McpSessionEncryptionSeed),
            setting(
                "MCPSessionEncryptionIterations",
                Id::McpSessionEncryptionIterations,
            ),
            setting(
                "MCPFallbackSessionEncryptionSeed",
                Id::McpFallbackSessionEncryptionSeed,
            ),
            setting(
                "MCPFallbackSessionEncryptionIterations",
                Id::McpFallbackSessionEncryptionIterations,
            ),
            ("NeedMCP", Part::bool(webhook.has_mcp_routes)),
            ("GatewayConfigExtProc", webhook.ext_proc.clone()),
        ]);
        HashInputs(
            inputs
                .into_iter()
                .map(|(name, value)| HashInput { name, value })
                .collect(),
        )
    }

    /// The inputs in the order in which they are hashed.
    pub fn iter(&self) -> std::slice::Iter<'_, HashInput<'w>> {
        self.0.iter()
    }

    /// The names of inputs that differ between two hashes. One that only one side has differs.
    pub fn differing(&self, other: &HashInputs<'_>) -> Vec<&'static str> {
        let text = |inputs: &HashInputs<'_>, name: &str| {
            inputs
                .iter()
                .find(|input| input.name == name)
                .map(|input| record(&input.value))
        };
        let names = || self.iter().map(|input| input.name);
        let only_there = other
            .iter()
            .map(|input| input.name)
            .filter(|n| names().all(|m| m != *n));
        let mut differing: Vec<_> = names()
            .filter(|name| text(self, name) != text(other, name))
            .collect();
        differing.extend(only_there);
        differing
    }

    /// The hash as the workload's annotation has it.
    pub fn sha256(&self) -> String {
        let members = self
            .iter()
            .map(|input| (input.name.into(), input.value.tree()));
        hex(&Sha256::digest(json(&Tree::Map(members.collect()))))
    }
}

fn record(value: &Part<'_>) -> String {
    json(&value.tree())
}

fn json(tree: &Tree<'_>) -> String {
    go_json::to_string(tree).expect("there is no float in it")
}

/// Go's nil slice for an empty list.
fn list_or_null(items: Vec<Part<'_>>) -> Part<'_> {
    if items.is_empty() {
        Part::Null
    } else {
        Part::List(items)
    }
}
