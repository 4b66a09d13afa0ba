//! What the chart makes of values: the flags of the controller's Deployment.

use super::super::code;
use super::super::flags::Id;
use super::values::{Scalar, Values, scalar_text, wrong};
use crate::failure::Failure;
use crate::manifest::node::{Pos, Value};
use crate::world::finding::{Finding, Place, Severity};

/// The flags that the chart passes, always or under some values.
pub(in super::super) const PASSED: &[Id] = &[
    Id::LogLevel,
    Id::LogFormat,
    Id::ExtProcImage,
    Id::ExtProcImagePullPolicy,
    Id::ExtProcLogLevel,
    Id::ExtProcLogFormat,
    Id::EnvoyGatewayNamespace,
    Id::ExtProcEnableRedaction,
    Id::ExtProcImagePullSecrets,
    Id::RequestHeaderAttributes,
    Id::SpanRequestHeaderAttributes,
    Id::MetricsRequestHeaderAttributes,
    Id::LogRequestHeaderAttributes,
    Id::EndpointPrefixes,
    Id::ExtProcExtraEnvVars,
    Id::TlsCertDir,
    Id::TlsCertName,
    Id::TlsKeyName,
    Id::WebhookPort,
    Id::EnableLeaderElection,
    Id::RootPrefix,
    Id::MaxRecvMsgSize,
    Id::CacheSyncTimeout,
    Id::WatchNamespaces,
    Id::QuotaRateLimitServiceAddr,
    Id::QuotaRateLimitTimeout,
    Id::QuotaRateLimitFailureModeDeny,
    Id::McpSessionEncryptionSeed,
    Id::McpSessionEncryptionIterations,
    Id::McpFallbackSessionEncryptionSeed,
    Id::McpFallbackSessionEncryptionIterations,
];

const FALLBACK_SEED: &str = "controller.mcp.sessionEncryption.fallback.seed";

/// What the chart makes of a flag.
#[derive(Debug)]
pub(in super::super) struct Rendered {
    /// The value, or `None` when the chart does not pass the flag.
    pub(in super::super) text: Option<String>,
    /// The user's key that decided, when any did.
    pub(in super::super) place: Option<Place>,
    /// The key that decides.
    pub(in super::super) key: &'static str,
}

impl Values<'_> {
    /// What the chart passes for a flag.
    ///
    /// # Errors
    /// Values that the chart cannot be rendered with.
    pub(in super::super) fn render(
        &self,
        id: Id,
        version: &str,
        findings: &mut Vec<Finding>,
    ) -> Result<Rendered, Failure> {
        match id {
            Id::LogLevel => self.plain("controller.logLevel", "info"),
            Id::LogFormat => self.plain("controller.logFormat", "text"),
            Id::ExtProcImage => self.image(version),
            Id::ExtProcImagePullPolicy => self.plain("extProc.imagePullPolicy", "IfNotPresent"),
            Id::ExtProcLogLevel => self.plain("extProc.logLevel", "info"),
            Id::ExtProcLogFormat => self.plain("extProc.logFormat", "text"),
            Id::EnvoyGatewayNamespace => {
                self.plain("envoyGateway.namespace", "envoy-gateway-system")
            }
            Id::ExtProcEnableRedaction => self.if_true("extProc.enableRedaction", "false"),
            Id::ExtProcImagePullSecrets => self.image_pull_secrets(),
            Id::RequestHeaderAttributes => self.if_not_empty("controller.requestHeaderAttributes"),
            Id::SpanRequestHeaderAttributes => {
                self.if_not_null("controller.spanRequestHeaderAttributes")
            }
            Id::MetricsRequestHeaderAttributes => {
                self.if_not_empty("controller.metricsRequestHeaderAttributes")
            }
            Id::LogRequestHeaderAttributes => {
                self.if_not_null("controller.logRequestHeaderAttributes")
            }
            Id::EndpointPrefixes => self.endpoint_prefixes(),
            Id::ExtProcExtraEnvVars => self.extra_env(findings),
            Id::TlsCertDir => Ok(Rendered::fixed("/certs")),
            Id::TlsCertName => self.plain("controller.mutatingWebhook.tlsCertName", "tls.crt"),
            Id::TlsKeyName => self.plain("controller.mutatingWebhook.tlsKeyName", "tls.key"),
            Id::WebhookPort => self.plain("controller.mutatingWebhook.port", "9443"),
            Id::EnableLeaderElection => self.if_true("controller.leaderElection.enabled", "true"),
            Id::RootPrefix => self.plain("endpointConfig.rootPrefix", "/"),
            Id::MaxRecvMsgSize => self.if_not_empty("controller.maxRecvMsgSize"),
            Id::CacheSyncTimeout => self.plain("controller.watch.cacheSyncTimeout", "2m"),
            Id::WatchNamespaces => self.watch_namespaces(),
            Id::QuotaRateLimitServiceAddr => self.plain(
                "controller.quotaRateLimitServiceAddr",
                "envoy-ai-gateway-ratelimit.envoy-gateway-system",
            ),
            Id::QuotaRateLimitTimeout => self.plain("controller.quotaRateLimitTimeout", "5"),
            Id::QuotaRateLimitFailureModeDeny => {
                self.plain("controller.quotaRateLimitFailureModeDeny", "false")
            }
            Id::McpSessionEncryptionSeed => self.plain(
                "controller.mcp.sessionEncryption.seed",
                "default-insecure-seed",
            ),
            Id::McpSessionEncryptionIterations => {
                self.plain("controller.mcp.sessionEncryption.iterations", "100000")
            }
            Id::McpFallbackSessionEncryptionSeed => self.if_not_empty(FALLBACK_SEED),
            Id::McpFallbackSessionEncryptionIterations => self.fallback_iterations(),
            Id::CaBundleName | Id::ExtProcMaxRecvMsgSize | Id::Port => Ok(Rendered::unpassed()),
        }
    }

    /// `--flag={{ value }}`: passed whatever the value.
    fn plain(&self, key: &'static str, default: &'static str) -> Result<Rendered, Failure> {
        let (value, place) = self.scalar(key, Some(default))?;
        let text = match value {
            Scalar::Null => String::new(),
            Scalar::Text(text) => text.into_owned(),
        };
        Ok(Rendered {
            text: Some(text),
            place,
            key,
        })
    }

    /// Passed unless empty or absent.
    fn if_not_empty(&self, key: &'static str) -> Result<Rendered, Failure> {
        let mut rendered = self.if_not_null(key)?;
        rendered.text = rendered
            .text
            .filter(|text| !matches!(&**text, "" | "0" | "false"));
        Ok(rendered)
    }

    /// Passed unless absent.
    fn if_not_null(&self, key: &'static str) -> Result<Rendered, Failure> {
        let (value, place) = self.scalar(key, None)?;
        let text = match value {
            Scalar::Null => None,
            Scalar::Text(text) => Some(text.into_owned()),
        };
        Ok(Rendered { text, place, key })
    }

    /// A boolean that is passed only when it is true.
    fn if_true(&self, key: &'static str, default: &'static str) -> Result<Rendered, Failure> {
        let mut rendered = self.plain(key, default)?;
        rendered.text = rendered
            .text
            .filter(|text| !matches!(&**text, "" | "false" | "0"));
        Ok(rendered)
    }

    fn image(&self, version: &str) -> Result<Rendered, Failure> {
        const REPOSITORY: &str = "docker.io/envoyproxy/ai-gateway-extproc";
        let repository = self.plain("extProc.image.repository", REPOSITORY)?;
        let tag = self.plain("extProc.image.tag", "")?;
        let text = |rendered: &Rendered| rendered.text.clone().unwrap_or_default();
        let tagged = match &*text(&tag) {
            "" => format!("{}:{version}", text(&repository)),
            tag => format!("{}:{tag}", text(&repository)),
        };
        Ok(Rendered {
            text: Some(tagged),
            place: tag.place.or(repository.place),
            key: "extProc.image",
        })
    }

    /// The names of the first list that has any.
    fn image_pull_secrets(&self) -> Result<Rendered, Failure> {
        let mut place = None;
        for key in ["extProc.imagePullSecrets", "global.imagePullSecrets"] {
            let (items, from) = self.list(key)?;
            place = from.or(place);
            if items.is_empty() {
                continue;
            }
            let names: Option<Vec<_>> = items
                .iter()
                .map(|item| item.get("name").and_then(scalar_text))
                .collect();
            let names = names.ok_or_else(|| wrong(key, "is a list of names", place.as_ref()))?;
            return Ok(Rendered {
                text: Some(names.join(";")),
                place,
                key,
            });
        }
        Ok(Rendered {
            text: None,
            place,
            key: "extProc.imagePullSecrets",
        })
    }

    fn endpoint_prefixes(&self) -> Result<Rendered, Failure> {
        let mut place = None;
        let mut pairs = Vec::new();
        for (key, provider, default) in [
            ("endpointConfig.openai", "openai", ""),
            ("endpointConfig.cohere", "cohere", "/cohere"),
            ("endpointConfig.anthropic", "anthropic", "/anthropic"),
        ] {
            let (value, from) = self.scalar(key, Some(default))?;
            place = place.or(from);
            if let Scalar::Text(prefix) = value {
                pairs.push(format!("{provider}:{prefix}"));
            }
        }
        let text = Some(pairs.join(",")).filter(|text| !text.is_empty());
        Ok(Rendered {
            text,
            place,
            key: "endpointConfig",
        })
    }

    fn extra_env(&self, findings: &mut Vec<Finding>) -> Result<Rendered, Failure> {
        let key = "extProc.extraEnvVars";
        let (items, place) = self.list(key)?;
        let mut pairs = Vec::new();
        for (i, item) in items.iter().enumerate() {
            let mut member = |name: &str| {
                let node = item.get(name);
                let (text, mangled) = verb_s(node.map(|node| &node.value));
                if mangled || text.contains(';') {
                    findings.push(mangled_variable(i, name, mangled, item.pos, place.as_ref()));
                }
                text
            };
            let (name, value) = (member("name"), member("value"));
            pairs.push(format!("{name}={value}"));
        }
        let text = Some(pairs.join(";")).filter(|text| !text.is_empty());
        Ok(Rendered { text, place, key })
    }

    fn watch_namespaces(&self) -> Result<Rendered, Failure> {
        let key = "controller.watch.namespaces";
        let (items, place) = self.list(key)?;
        let names: Option<Vec<_>> = items.iter().map(scalar_text).collect();
        let names = names.ok_or_else(|| wrong(key, "is a list of names", place.as_ref()))?;
        Ok(Rendered {
            text: Some(names.join(",")),
            place,
            key,
        })
    }

    fn fallback_iterations(&self) -> Result<Rendered, Failure> {
        let key = "controller.mcp.sessionEncryption.fallback.iterations";
        let seed = self.if_not_empty(FALLBACK_SEED)?;
        if seed.text.is_none() {
            return Ok(Rendered {
                text: None,
                place: seed.place,
                key,
            });
        }
        let rendered = self.plain(key, "100000")?;
        Ok(Rendered {
            place: rendered.place.or(seed.place),
            ..rendered
        })
    }
}

impl Rendered {
    fn fixed(text: &str) -> Self {
        Rendered {
            text: Some(text.to_string()),
            place: None,
            key: "",
        }
    }

    fn unpassed() -> Self {
        Rendered {
            text: None,
            place: None,
            key: "",
        }
    }
}

/// A value as `printf "%s"` prints it, and whether that is something else than was meant.
fn verb_s(value: Option<&Value>) -> (String, bool) {
    match value {
        Some(Value::String(text)) => (text.clone(), false),
        None | Some(Value::Null) => ("%!s(<nil>)".to_string(), true),
        Some(Value::Bool(value)) => (format!("%!s(bool={value})"), true),
        Some(Value::Int(number)) => (format!("%!s(float64={number})"), true),
        Some(Value::UInt(number)) => (format!("%!s(float64={number})"), true),
        Some(Value::Float(number)) => (format!("%!s(float64={number})"), true),
        Some(Value::List(_)) => ("[]".to_string(), true),
        Some(Value::Map(_)) => ("map[]".to_string(), true),
    }
}

fn mangled_variable(
    i: usize,
    member: &str,
    mangled: bool,
    pos: Pos,
    place: Option<&Place>,
) -> Finding {
    let field = format!("extProc.extraEnvVars[{i}].{member}");
    let text = if mangled {
        format!("{field} is no text, and the chart renders something else in its place")
    } else {
        format!("{field} holds a semicolon, at which the controller splits the list")
    };
    let mut finding = Finding::new(code::MANGLED_VALUE, Severity::Warning, text);
    finding.field = field;
    finding.at = place.map(|place| Place {
        pos: Some(pos),
        ..place.clone()
    });
    finding.help("the chart passes only plain names and values; write the value as a quoted text")
}
