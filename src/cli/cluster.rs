//! Flags that say which cluster is read, spelled as `kubectl` spells them.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::Talk;
use crate::failure::Failure;
use crate::present::escape::escape;
use crate::source::live::{Access, Cluster, Progress};

/// Which cluster is read, and as whom.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Cluster")]
pub struct ClusterArgs {
    /// Context of the kubeconfig [default: the current one]
    #[arg(id = "kubeconfig_context", long = "context", value_name = "NAME")]
    pub context: Option<String>,
    /// File to read instead of KUBECONFIG or ~/.kube/config
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// Cluster of the kubeconfig, in place of the context's
    #[arg(long, value_name = "NAME")]
    pub cluster: Option<String>,
    /// User of the kubeconfig, in place of the context's
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// User to impersonate
    #[arg(long = "as", value_name = "USER")]
    pub impersonate: Option<String>,
    /// Group to impersonate; may be repeated
    #[arg(long = "as-group", value_name = "GROUP", requires = "impersonate")]
    pub impersonate_groups: Vec<String>,
    /// How long to wait for one answer, such as 30s or 2m; 0 for ever
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = timeout)]
    pub request_timeout: Timeout,
    /// Use the service account of the pod
    #[arg(long, conflicts_with_all = ["kubeconfig_context", "kubeconfig", "cluster", "user"])]
    pub in_cluster: bool,
    /// Do not run the kubeconfig's credential plugin
    #[arg(long)]
    pub no_exec: bool,
    /// Read no Secret: credentials are assumed and shown as placeholders
    #[arg(long)]
    pub no_secrets: bool,
}

/// How long to wait; `None` for ever.
pub type Timeout = Option<Duration>;

/// Reads a duration as `kubectl` does: a number of seconds, or numbers with units.
// Written out for clap, which takes a bare `Option` as "may be left out".
fn timeout(text: &str) -> Result<std::option::Option<Duration>, String> {
    let seconds = match text.parse::<u64>() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => units(text).ok_or("give it as 30s, 2m or 1m30s, or 0 for ever")?,
    };
    Ok((!seconds.is_zero()).then_some(seconds))
}

fn units(text: &str) -> Option<Duration> {
    let mut total = Duration::ZERO;
    let mut rest = text;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, tail) = rest.split_at(digits);
        let unit = tail.find(|c: char| c.is_ascii_digit());
        let (unit, tail) = tail.split_at(unit.unwrap_or(tail.len()));
        let number: u32 = number.parse().ok()?;
        let one = match unit {
            "ms" => Duration::from_millis(1),
            "s" => Duration::from_secs(1),
            "m" => Duration::from_secs(60),
            "h" => Duration::from_secs(3600),
            _ => return None,
        };
        total = total.checked_add(one.checked_mul(number)?)?;
        rest = tail;
    }
    Some(total)
}

impl ClusterArgs {
    /// A flag that was given and means something only with a cluster.
    pub fn given(&self) -> Option<&'static str> {
        let flags = [
            ("--context", self.context.is_some()),
            ("--kubeconfig", self.kubeconfig.is_some()),
            ("--cluster", self.cluster.is_some()),
            ("--user", self.user.is_some()),
            ("--as", self.impersonate.is_some()),
            ("--in-cluster", self.in_cluster),
            ("--no-exec", self.no_exec),
            ("--no-secrets", self.no_secrets),
        ];
        flags
            .into_iter()
            .find(|(_, given)| *given)
            .map(|(flag, _)| flag)
    }

    /// Connects, and tells on standard error to which context, and with `-v` which program gave the
    /// credential.
    ///
    /// # Errors
    /// When the kubeconfig does not say how to reach a cluster.
    pub fn connect(&self, talk: &Talk) -> Result<Cluster, Failure> {
        let access = Access {
            kubeconfig: self.kubeconfig.clone(),
            context: self.context.clone(),
            cluster: self.cluster.clone(),
            user: self.user.clone(),
            impersonate: self.impersonate.clone(),
            impersonate_groups: self.impersonate_groups.clone(),
            request_timeout: self.request_timeout,
            in_cluster: self.in_cluster,
            no_exec: self.no_exec,
        };
        let watched = !talk.quiet && std::io::stderr().is_terminal();
        let progress: Option<Progress> = watched.then_some(show_progress);
        Cluster::connect(&access, progress, |context, server, plugin| {
            if !talk.quiet {
                eprintln!("context {} ({})", escape(context), escape(server));
            }
            if let Some(plugin) = plugin.filter(|_| talk.verbose) {
                eprintln!("credential from: {}", escape(plugin));
            }
        })
    }
}

/// Writes over the line that it wrote last.
fn show_progress(text: &str) {
    eprint!("\r\x1b[2K{}", escape(text));
    // The line is only a courtesy.
    let _ = std::io::stderr().flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_are_written_as_for_kubectl() {
        for (text, millis) in [
            ("1", 1000),
            ("30s", 30_000),
            ("1m30s", 90_000),
            ("500ms", 500),
            ("2h", 7_200_000),
        ] {
            assert_eq!(
                timeout(text),
                Ok(Some(Duration::from_millis(millis))),
                "{text}"
            );
        }
        assert_eq!(timeout("0"), Ok(None));
        assert_eq!(timeout("0s"), Ok(None));
        for text in ["", "s", "-1", "1x", "1s2", "99999999999999999999s"] {
            assert!(timeout(text).is_err(), "{text}");
        }
    }
}
