//! Which cluster is read and as whom: flags and kubeconfig become a client.

use std::path::PathBuf;
use std::time::Duration;

use kube::Client;
use kube::client::ClientBuilder;
use kube::config::{AuthInfo, Config, ExecConfig, KubeConfigOptions, Kubeconfig, KubeconfigError};

use super::proxy::proxy;
use super::read_only::ReadOnly;
use super::words;
use crate::failure::Failure;

/// Which cluster, and as whom; the flags of `kubectl`.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// `--kubeconfig`; else `KUBECONFIG`, else `~/.kube/config`.
    pub kubeconfig: Option<PathBuf>,
    /// `--context`; else the current one.
    pub context: Option<String>,
    /// `--cluster`.
    pub cluster: Option<String>,
    /// `--user`.
    pub user: Option<String>,
    /// `--as`.
    pub impersonate: Option<String>,
    /// `--as-group`.
    pub impersonate_groups: Vec<String>,
    /// `--request-timeout`: how long one request may take; `None` for ever.
    pub request_timeout: Option<Duration>,
    /// `--in-cluster`: the pod's own service account.
    pub in_cluster: bool,
    /// `--no-exec`: no credential plugin is run.
    pub no_exec: bool,
}

/// How a cluster is reached; nothing has been asked of it yet.
pub(super) struct Target {
    pub(super) config: Config,
    /// The context in words.
    pub(super) context: String,
    /// The user in words.
    pub(super) user: String,
    /// The command line of a credential plugin.
    pub(super) plugin: Option<String>,
}

impl Access {
    /// Reads the kubeconfig. Must run inside the runtime.
    pub(super) async fn target(&self) -> Result<Target, Failure> {
        let mut target = match self.in_cluster {
            true => in_cluster()?,
            false => self.kubeconfig_target().await?,
        };
        let config = &mut target.config;
        config.default_retry = false;
        config.connect_timeout = match (self.request_timeout, config.connect_timeout) {
            (Some(own), Some(default)) => Some(own.min(default)),
            (own, default) => own.or(default),
        };
        if let Some(user) = &self.impersonate {
            config.auth_info.impersonate = Some(user.clone());
            config.auth_info.impersonate_groups = None;
        }
        if !self.impersonate_groups.is_empty() {
            config.auth_info.impersonate_groups = Some(self.impersonate_groups.clone());
        }
        Ok(target)
    }

    async fn kubeconfig_target(&self) -> Result<Target, Failure> {
        let kubeconfig = self.read_kubeconfig()?;
        let context = self.context.clone();
        let context = context.or_else(|| kubeconfig.current_context.clone());
        let configured_proxy = self.configured_proxy(&kubeconfig, context.as_deref());
        let options = KubeConfigOptions {
            context: self.context.clone(),
            cluster: self.cluster.clone(),
            user: self.user.clone(),
        };
        let known = context_names(&kubeconfig);
        let user = self.user_name(&kubeconfig, context.as_deref());
        let config = Config::from_custom_kubeconfig(kubeconfig, &options);
        let mut config = config.await.map_err(|e| kubeconfig_failure(&e, &known))?;
        config.proxy_url = proxy(&config.cluster_url, configured_proxy.as_deref(), |name| {
            std::env::var(name).ok()
        })
        .map_err(|text| Failure::new(format!("the proxy {text} is not a URL")))?;
        let plugin = plugin(&config.auth_info);
        if let (Some(command), true) = (&plugin, self.no_exec) {
            return Err(Failure::new(format!(
                "the kubeconfig gets its credential from a program, which --no-exec refuses: {command}"
            ))
            .hint("leave --no-exec out, or use a context with a token or a certificate"));
        }
        Ok(Target {
            context: context.unwrap_or_default(),
            user,
            plugin,
            config,
        })
    }

    fn read_kubeconfig(&self) -> Result<Kubeconfig, Failure> {
        if let Some(path) = &self.kubeconfig {
            return Kubeconfig::read_from(path).map_err(|e| kubeconfig_failure(&e, &[]));
        }
        // Like kubectl, files of the list that do not exist are passed over.
        let listed = std::env::var_os("KUBECONFIG").unwrap_or_default();
        let mut paths: Vec<PathBuf> = std::env::split_paths(&listed)
            .filter(|path| !path.as_os_str().is_empty())
            .collect();
        if paths.is_empty() {
            paths.extend(home().map(|home| home.join(".kube").join("config")));
        }
        let named = paths
            .iter()
            .map(|p| p.display().to_string())
            .collect::<Vec<_>>();
        paths.retain(|path| path.exists());
        if paths.is_empty() {
            let text = format!("there is no kubeconfig at {}", named.join(" or "));
            return Err(Failure::new(text)
                .hint("name one with --kubeconfig, or use --in-cluster inside a pod"));
        }
        let read = |merged: Kubeconfig, path: &PathBuf| {
            Kubeconfig::read_from(path).and_then(|config| merged.merge(config))
        };
        paths
            .iter()
            .try_fold(Kubeconfig::default(), read)
            .map_err(|e| kubeconfig_failure(&e, &[]))
    }

    fn configured_proxy(&self, config: &Kubeconfig, context: Option<&str>) -> Option<String> {
        let of_context = || Some(find_context(config, context?)?.cluster.clone());
        let name = self.cluster.clone().or_else(of_context)?;
        let cluster = config.clusters.iter().find(|c| c.name == name)?;
        cluster.cluster.as_ref()?.proxy_url.clone()
    }

    fn user_name(&self, config: &Kubeconfig, context: Option<&str>) -> String {
        let of_context = || find_context(config, context?)?.user.clone();
        self.user.clone().or_else(of_context).unwrap_or_default()
    }
}

fn find_context<'k>(config: &'k Kubeconfig, name: &str) -> Option<&'k kube::config::Context> {
    let named = config.contexts.iter().find(|c| c.name == name)?;
    named.context.as_ref()
}

fn context_names(config: &Kubeconfig) -> Vec<String> {
    config.contexts.iter().map(|c| c.name.clone()).collect()
}

fn home() -> Option<PathBuf> {
    std::env::home_dir().filter(|home| !home.as_os_str().is_empty())
}

fn in_cluster() -> Result<Target, Failure> {
    let config = Config::incluster().map_err(|error| {
        Failure::new(format!("this is no pod with a service account: {error}"))
            .hint("leave --in-cluster out to use a kubeconfig")
    })?;
    Ok(Target {
        config,
        context: "the pod's service account".to_string(),
        user: String::new(),
        plugin: None,
    })
}

/// The command of a credential plugin. Its environment may hold secrets and is left out.
fn plugin(auth: &AuthInfo) -> Option<String> {
    let exec = |exec: &ExecConfig| {
        let command = exec.command.clone().unwrap_or_default();
        let args = exec.args.iter().flatten().cloned();
        std::iter::once(command)
            .chain(args)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let provider = || {
        let config = &auth.auth_provider.as_ref()?.config;
        let args = config.get("cmd-args").map(String::as_str);
        Some([config.get("cmd-path")?, args.unwrap_or_default()].join(" "))
    };
    // The same order in which the client looks for a credential.
    provider().or_else(|| {
        let other = auth.token.is_some() || auth.token_file.is_some() || auth.username.is_some();
        auth.exec.as_ref().filter(|_| !other).map(exec)
    })
}

/// Parsers quote what they could not read, and a kubeconfig holds credentials: only what is wrong is told.
fn kubeconfig_failure(error: &KubeconfigError, known: &[String]) -> Failure {
    match error {
        KubeconfigError::CurrentContextNotSet => {
            Failure::new("the kubeconfig has no current context")
                .hint(format!("choose one with --context: {}", known.join(", ")))
        }
        KubeconfigError::LoadContext(name) => {
            Failure::new(format!("the kubeconfig has no context {name}"))
                .hint(format!("it has {}", known.join(", ")))
        }
        KubeconfigError::LoadClusterOfContext(name) => {
            Failure::new(format!("the kubeconfig has no cluster {name}"))
        }
        KubeconfigError::ReadConfig(error, path) => Failure::new(format!(
            "cannot read the kubeconfig {}: {error}",
            path.display()
        )),
        KubeconfigError::Parse(_) => Failure::new("the kubeconfig is no YAML that can be read")
            .hint("kubectl config view shows what is wrong with it"),
        other => Failure::new(format!("the kubeconfig cannot be used: {other}")),
    }
}

impl Target {
    /// The URL of the server.
    pub(super) fn server(&self) -> String {
        let url = self.config.cluster_url.to_string();
        url.trim_end_matches('/').to_string()
    }

    /// A client that can only read. Runs the credential plugin. Must run inside the runtime.
    pub(super) fn client(&self) -> Result<Client, Failure> {
        let builder = ClientBuilder::try_from(self.config.clone());
        let builder = builder.map_err(|error| words::no_client(&error, self.plugin.as_deref()))?;
        Ok(builder.with_layer(&ReadOnly).build())
    }
}
