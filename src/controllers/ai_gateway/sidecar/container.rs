//! The sidecar's container.

use super::super::part::{Part, Scalar};
use super::super::settings::Settings;
use super::super::settings::flags::Id;
use super::{CONTAINER, ConfigSecrets, MCP_ADDRESS, Mode, UDS_PATH, Webhook, image, volumes};
use crate::secret::Secret;

/// The container, members in the order of the Go struct.
pub(super) fn container<'w>(webhook: &Webhook<'_, 'w>, secrets: ConfigSecrets) -> Part<'w> {
    let settings = webhook.settings;
    let kubernetes = webhook.ext_proc.get("kubernetes");
    let configured = |key: &str| kubernetes.and_then(|kubernetes| kubernetes.get(key));
    let extra_mounts = configured("volumeMounts").map_or(&[][..], Part::items);
    let mounts = volumes::mounts(webhook.profile, webhook.names, secrets, extra_mounts);
    let env = merge_env(
        extra_env(settings),
        configured("env").map_or(&[][..], Part::items),
    );
    let mut members = vec![
        ("name", Part::fixed(CONTAINER)),
        ("image", image(settings, webhook.ext_proc)),
        ("args", Part::List(Arguments::of(webhook, secrets).0)),
        ("ports", Part::List(vec![admin_port()])),
    ];
    if !env.is_empty() {
        members.push(("env", Part::List(env)));
    }
    members.push((
        "resources",
        configured("resources")
            .cloned()
            .unwrap_or(Part::Map(Vec::new())),
    ));
    if webhook.mode == Mode::Sidecar {
        members.push(("restartPolicy", Part::fixed("Always")));
    }
    members.extend([
        ("volumeMounts", Part::List(mounts)),
        ("readinessProbe", readiness_probe()),
        ("imagePullPolicy", settings.part(Id::ExtProcImagePullPolicy)),
        (
            "securityContext",
            configured("securityContext")
                .cloned()
                .unwrap_or_else(default_security_context),
        ),
    ]);
    Part::map(members)
}

const ADMIN_PORT: i64 = 1064;

fn admin_port<'w>() -> Part<'w> {
    Part::map([
        ("name", Part::fixed("aigw-admin")),
        ("containerPort", Part::number(ADMIN_PORT)),
    ])
}

fn readiness_probe<'w>() -> Part<'w> {
    let get = [
        ("path", Part::fixed("/health")),
        ("port", Part::number(ADMIN_PORT)),
        ("scheme", Part::fixed("HTTP")),
    ];
    Part::map([
        ("httpGet", Part::map(get)),
        ("initialDelaySeconds", Part::number(2)),
        ("timeoutSeconds", Part::number(5)),
        ("periodSeconds", Part::number(10)),
        ("successThreshold", Part::number(1)),
        ("failureThreshold", Part::number(1)),
    ])
}

fn default_security_context<'w>() -> Part<'w> {
    const USER: i64 = 65532;
    Part::map([
        (
            "capabilities",
            Part::map([("drop", Part::List(vec![Part::fixed("ALL")]))]),
        ),
        ("privileged", Part::bool(false)),
        ("runAsUser", Part::number(USER)),
        ("runAsGroup", Part::number(USER)),
        ("runAsNonRoot", Part::bool(true)),
        ("allowPrivilegeEscalation", Part::bool(false)),
        (
            "seccompProfile",
            Part::map([("type", Part::fixed("RuntimeDefault"))]),
        ),
    ])
}

/// The environment of the flag, values left out where empty.
pub(in super::super) fn extra_env<'w>(settings: &Settings<'w>) -> Vec<Part<'w>> {
    let id = Id::ExtProcExtraEnvVars;
    let variables = settings.extra_env().into_iter().map(|(name, value)| {
        let mut members = vec![("name", Part::setting(name, settings, id))];
        if !value.reveal().is_empty() {
            let value = Secret::new(value.reveal().clone().into());
            members.push(("value", Part::given(Scalar::Hidden(value), settings, id)));
        }
        Part::map(members)
    });
    variables.collect()
}

/// The GatewayConfig's variables replace those of the same name where they stand; the rest follows.
fn merge_env<'w>(mut env: Vec<Part<'w>>, configured: &[Part<'w>]) -> Vec<Part<'w>> {
    let name = |part: &Part<'w>| part.get("name").and_then(Part::text).map(str::to_string);
    for variable in configured {
        match env
            .iter_mut()
            .rev()
            .find(|present| name(present) == name(variable))
        {
            Some(present) => *present = variable.clone(),
            None => env.push(variable.clone()),
        }
    }
    env
}

/// Arguments in order; every flag and every value is an element of its own.
struct Arguments<'w>(Vec<Part<'w>>);

impl<'w> Arguments<'w> {
    fn of(webhook: &Webhook<'_, 'w>, secrets: ConfigSecrets) -> Self {
        let Webhook { settings, .. } = *webhook;
        let mut args = Arguments(Vec::new());
        if secrets.index {
            args.fixed("-configBundlePath", "/etc/filter-config-bundle");
        } else {
            args.fixed("-configPath", "/etc/filter-config/filter-config.yaml");
        }
        args.setting("-logLevel", settings, Id::ExtProcLogLevel);
        args.fixed("-extProcAddr", concat_unix(UDS_PATH));
        args.fixed("-adminPort", ADMIN_PORT.to_string());
        args.setting("-rootPrefix", settings, Id::RootPrefix);
        args.setting("-maxRecvMsgSize", settings, Id::ExtProcMaxRecvMsgSize);
        if webhook.profile.has_log_format && !matches!(settings.log_format(), "" | "text") {
            args.setting("-logFormat", settings, Id::ExtProcLogFormat);
        }
        if webhook.has_mcp_routes {
            args.mcp(settings);
        }
        for (flag, id) in [
            ("-requestHeaderAttributes", Id::RequestHeaderAttributes),
            (
                "-spanRequestHeaderAttributes",
                Id::SpanRequestHeaderAttributes,
            ),
            (
                "-metricsRequestHeaderAttributes",
                Id::MetricsRequestHeaderAttributes,
            ),
            (
                "-logRequestHeaderAttributes",
                Id::LogRequestHeaderAttributes,
            ),
        ] {
            if settings.optional(id).is_some() {
                args.setting(flag, settings, id);
            }
        }
        if !settings.plain(Id::EndpointPrefixes).is_empty() {
            args.setting("-endpointPrefixes", settings, Id::EndpointPrefixes);
        }
        if settings.redacts() {
            args.0.push(Part::setting(
                "-enableRedaction",
                settings,
                Id::ExtProcEnableRedaction,
            ));
        }
        args
    }

    fn mcp(&mut self, settings: &Settings<'w>) {
        self.fixed("-mcpAddr", MCP_ADDRESS);
        for (flag, id) in [
            ("-mcpSessionEncryptionSeed", Id::McpSessionEncryptionSeed),
            (
                "-mcpSessionEncryptionIterations",
                Id::McpSessionEncryptionIterations,
            ),
            (
                "-mcpFallbackSessionEncryptionSeed",
                Id::McpFallbackSessionEncryptionSeed,
            ),
            (
                "-mcpFallbackSessionEncryptionIterations",
                Id::McpFallbackSessionEncryptionIterations,
            ),
        ] {
            let is_fallback = flag.starts_with("-mcpFallback");
            let fallback = settings.seed(Id::McpFallbackSessionEncryptionSeed);
            if !is_fallback || !fallback.reveal().is_empty() {
                self.setting(flag, settings, id);
            }
        }
    }

    fn fixed(&mut self, flag: &'static str, value: impl Into<String>) {
        self.0
            .extend([Part::fixed(flag), Part::fixed(value.into())]);
    }

    fn setting(&mut self, flag: &'static str, settings: &Settings<'w>, id: Id) {
        self.0
            .extend([Part::fixed(flag), settings.part(id).into_text()]);
    }
}

fn concat_unix(path: &str) -> String {
    format!("unix://{path}")
}
