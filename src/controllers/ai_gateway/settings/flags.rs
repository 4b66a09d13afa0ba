//! The controller's flags: names, code defaults, and which values make the controller exit.

use super::checks::{
    at_least_one, attributes, duration, endpoint_prefixes, env_vars, log_format, parse_env_vars,
    pull_policy, slog_level, zap_level,
};
use super::go_flags;
use crate::controllers::profile::Profile;
use crate::secret::{PLACEHOLDER, Reveal, Secret};

/// The value of a flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// The flag was not given and has no default; this differs from an empty text.
    Unset,
    /// A text.
    Text(String),
    /// A text that holds a credential.
    Hidden {
        /// The text.
        text: Secret<String>,
        /// What is shown in its place.
        placeholder: String,
    },
    /// A whole number.
    Int(i64),
    /// A boolean.
    Bool(bool),
}

impl Value {
    /// The value as text, as the flag would take it; `None` when it is not set.
    pub fn shown(&self, reveal: Reveal) -> Option<String> {
        match self {
            Value::Unset => None,
            Value::Text(text) => Some(text.clone()),
            Value::Hidden { text, .. } if reveal.secrets => Some(text.reveal().clone()),
            Value::Hidden { placeholder, .. } => Some(placeholder.clone()),
            Value::Int(number) => Some(number.to_string()),
            Value::Bool(value) => Some(value.to_string()),
        }
    }
}

/// The type of a flag with its code default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A text.
    Text(&'static str),
    /// A text that holds a credential.
    Hidden(&'static str),
    /// A text for which "not given" and "empty" differ.
    Optional,
    /// A whole number.
    Int(i64),
    /// A boolean, which takes its value only after `=`.
    Bool(bool),
}

/// A flag of the controller.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    /// Which one it is.
    pub id: Id,
    /// The name without dashes.
    pub name: &'static str,
    /// Its type and code default.
    pub kind: Kind,
    /// What else the controller demands of the value; the error says what is wrong and shows
    /// nothing of a hidden value.
    check: fn(&str) -> Result<(), String>,
}

macro_rules! flags {
    ($($id:ident = $name:literal, $kind:expr, $check:expr;)*) => {
        /// The flags of the controller.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "each variant is the flag of that name")]
        pub enum Id { $($id,)* }

        /// Every flag, in the order of the chart's template.
        pub const FLAGS: &[Flag] = &[$(
            Flag { id: Id::$id, name: $name, kind: $kind, check: $check },
        )*];
    };
}

flags! {
    LogLevel = "logLevel", Kind::Text("info"), zap_level;
    LogFormat = "logFormat", Kind::Text("text"), log_format;
    ExtProcImage = "extProcImage", Kind::Text("docker.io/envoyproxy/ai-gateway-extproc:latest"), any;
    ExtProcImagePullPolicy = "extProcImagePullPolicy", Kind::Text("IfNotPresent"), pull_policy;
    ExtProcLogLevel = "extProcLogLevel", Kind::Text("info"), slog_level;
    ExtProcLogFormat = "extProcLogFormat", Kind::Text("text"), log_format;
    EnvoyGatewayNamespace = "envoyGatewayNamespace", Kind::Text("envoy-gateway-system"), any;
    ExtProcEnableRedaction = "extProcEnableRedaction", Kind::Bool(false), any;
    ExtProcImagePullSecrets = "extProcImagePullSecrets", Kind::Text(""), any;
    RequestHeaderAttributes = "requestHeaderAttributes", Kind::Optional, attributes;
    SpanRequestHeaderAttributes = "spanRequestHeaderAttributes", Kind::Optional, attributes;
    MetricsRequestHeaderAttributes = "metricsRequestHeaderAttributes", Kind::Optional, attributes;
    LogRequestHeaderAttributes = "logRequestHeaderAttributes", Kind::Optional, attributes;
    EndpointPrefixes = "endpointPrefixes", Kind::Text(""), endpoint_prefixes;
    ExtProcExtraEnvVars = "extProcExtraEnvVars", Kind::Hidden(""), env_vars;
    TlsCertDir = "tlsCertDir", Kind::Text("/certs"), any;
    TlsCertName = "tlsCertName", Kind::Text("tls.crt"), any;
    TlsKeyName = "tlsKeyName", Kind::Text("tls.key"), any;
    CaBundleName = "caBundleName", Kind::Text("ca.crt"), any;
    WebhookPort = "webhookPort", Kind::Int(9443), any;
    EnableLeaderElection = "enableLeaderElection", Kind::Bool(true), any;
    RootPrefix = "rootPrefix", Kind::Text("/"), any;
    MaxRecvMsgSize = "maxRecvMsgSize", Kind::Int(4 << 20), any;
    ExtProcMaxRecvMsgSize = "extProcMaxRecvMsgSize", Kind::Int(512 << 20), any;
    CacheSyncTimeout = "cacheSyncTimeout", Kind::Text("2m"), duration;
    WatchNamespaces = "watchNamespaces", Kind::Text(""), any;
    QuotaRateLimitServiceAddr = "quotaRateLimitServiceAddr",
        Kind::Text("envoy-ai-gateway-ratelimit.envoy-gateway-system"), any;
    QuotaRateLimitTimeout = "quotaRateLimitTimeout", Kind::Int(5), any;
    QuotaRateLimitFailureModeDeny = "quotaRateLimitFailureModeDeny", Kind::Bool(false), any;
    McpSessionEncryptionSeed = "mcpSessionEncryptionSeed", Kind::Hidden("default-insecure-seed"), any;
    McpSessionEncryptionIterations = "mcpSessionEncryptionIterations", Kind::Int(100_000), at_least_one;
    McpFallbackSessionEncryptionSeed = "mcpFallbackSessionEncryptionSeed", Kind::Hidden(""), any;
    McpFallbackSessionEncryptionIterations = "mcpFallbackSessionEncryptionIterations",
        Kind::Int(100_000), at_least_one;
    Port = "port", Kind::Text(":1063"), any;
}

fn any(_: &str) -> Result<(), String> {
    Ok(())
}

impl Id {
    /// The flag.
    pub fn flag(self) -> &'static Flag {
        &FLAGS[self as usize]
    }
}

impl Flag {
    /// The flag of that name (without dashes) in that version of the controller.
    pub fn find(name: &str, profile: &Profile) -> Option<&'static Flag> {
        FLAGS
            .iter()
            .find(|flag| flag.name == name && flag.exists_in(profile))
    }

    /// Whether that version of the controller has the flag.
    pub fn exists_in(&self, profile: &Profile) -> bool {
        match self.id {
            Id::LogFormat | Id::ExtProcLogFormat => profile.has_log_format,
            _ => true,
        }
    }

    /// Whether values of the flag are not shown.
    pub fn is_hidden(&self) -> bool {
        matches!(self.kind, Kind::Hidden(_))
    }

    /// The value when the flag is not given.
    pub fn default(&self) -> Value {
        match self.kind {
            Kind::Text(text) => Value::Text(text.to_string()),
            Kind::Hidden(text) => self.hidden(text),
            Kind::Optional => Value::Unset,
            Kind::Int(number) => Value::Int(number),
            Kind::Bool(value) => Value::Bool(value),
        }
    }

    /// Reads a value as Go's flag package does.
    ///
    /// # Errors
    /// What is wrong with it, without the value of a hidden flag.
    pub fn read(&self, text: &str) -> Result<Value, String> {
        match self.kind {
            Kind::Text(_) | Kind::Optional => Ok(Value::Text(text.to_string())),
            Kind::Hidden(_) => Ok(self.hidden(text)),
            Kind::Int(_) => go_flags::int(text)
                .map(Value::Int)
                .ok_or_else(|| format!("{text:?} is no whole number of 64 bits")),
            Kind::Bool(_) => go_flags::bool(text)
                .map(Value::Bool)
                .ok_or_else(|| format!("{text:?} is neither true nor false")),
        }
    }

    /// Of variables the names are shown; an empty text hides nothing.
    fn hidden(&self, text: &str) -> Value {
        let placeholder = match (self.id, parse_env_vars(text)) {
            _ if text.is_empty() => String::new(),
            (Id::ExtProcExtraEnvVars, Ok(variables)) => {
                let names = variables
                    .iter()
                    .map(|(name, _)| format!("{name}={PLACEHOLDER}"));
                names.collect::<Vec<_>>().join(";")
            }
            _ => PLACEHOLDER.to_string(),
        };
        Value::Hidden {
            text: Secret::new(text.to_string()),
            placeholder,
        }
    }

    /// What the controller checks once all flags are read.
    ///
    /// # Errors
    /// Why the controller would exit, without the value of a hidden flag.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        match value.shown(Reveal::ALL) {
            Some(text) => (self.check)(&text),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_positions_in_the_table() {
        for (i, flag) in FLAGS.iter().enumerate() {
            assert_eq!(flag.id as usize, i, "{}", flag.name);
            assert_eq!(flag.check(&flag.default()), Ok(()), "{}", flag.name);
        }
    }

    #[test]
    fn hidden_values_are_shown_only_on_demand() {
        let seed = Id::McpSessionEncryptionSeed.flag().read("s3cret").unwrap();
        assert_eq!(seed.shown(Reveal::default()).as_deref(), Some(PLACEHOLDER));
        assert_eq!(seed.shown(Reveal::ALL).as_deref(), Some("s3cret"));
        assert!(!format!("{seed:?}").contains("s3cret"));
        let variables = Id::ExtProcExtraEnvVars.flag().read("A=s3cret;B=").unwrap();
        let expected = format!("A={PLACEHOLDER};B={PLACEHOLDER}");
        assert_eq!(variables.shown(Reveal::default()), Some(expected));
    }
}
