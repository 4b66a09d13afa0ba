//! `aigwctl rbac`: the rights that the live commands need, and no others.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use clap::Args;

use super::needs::{ALL, Needs};
use crate::failure::{Exit, Failure};
use crate::present::output::write;
use crate::world::kind::Kind;

/// Print the smallest roles with which the live commands can answer
#[derive(Debug, Clone, Args)]
pub struct RbacArgs {
    /// Only for this command; may be repeated [default: all that read a cluster]
    #[arg(long = "for", value_name = "COMMAND", value_parser = command)]
    pub commands: Vec<&'static str>,
    /// Without the right to read Secrets, as for --no-secrets
    #[arg(long)]
    pub no_secrets: bool,
    /// Allow reading Secrets in this namespace alone; may be repeated [default: in all]
    #[arg(long, value_name = "NS", conflicts_with = "no_secrets")]
    pub secrets_in: Vec<String>,
    /// Name of the roles
    #[arg(long, value_name = "NAME", default_value = "aigwctl")]
    pub name: String,
}

fn command(text: &str) -> Result<&'static str, String> {
    let known = ALL.iter().map(|needs| needs.command);
    known.clone().find(|name| *name == text).ok_or_else(|| {
        let known = known.collect::<Vec<_>>().join(", ");
        format!("the commands that read a cluster are {known}")
    })
}

/// Runs the command.
///
/// # Errors
/// A name that no object can have.
pub fn run(args: &RbacArgs) -> Result<Exit, Failure> {
    for name in std::iter::once(&args.name).chain(&args.secrets_in) {
        if !is_name(name) {
            return Err(Failure::new(format!(
                "{name:?} is no name of a Kubernetes object"
            )));
        }
    }
    write(None, roles(args).as_bytes())?;
    Ok(Exit::Clean)
}

fn is_name(name: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'.');
    !name.is_empty() && name.len() <= 253 && name.bytes().all(plain)
}

fn roles(args: &RbacArgs) -> String {
    let chosen =
        |needs: &&Needs| args.commands.is_empty() || args.commands.contains(&needs.command);
    let chosen: Vec<&Needs> = ALL.iter().filter(chosen).collect();
    let mut groups: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for need in chosen.iter().flat_map(|needs| needs.lists) {
        let plurals = groups.entry(need.kind.group()).or_default();
        plurals.insert(need.kind.plural());
    }
    let names: Vec<&str> = chosen.iter().map(|needs| needs.command).collect();
    let mut out = format!(
        "# What aigwctl reads from a cluster for: {}.\n\
         # /version and the discovery of kinds are open to every authenticated user by default\n\
         # (ClusterRole system:discovery).\n",
        names.join(", ")
    );
    head(&mut out, "ClusterRole", &args.name, None);
    for (group, plurals) in &groups {
        let plurals: Vec<&str> = plurals.iter().copied().collect();
        rule(&mut out, group, &plurals, "list");
    }
    let secrets = !args.no_secrets && chosen.iter().any(|needs| needs.secrets);
    if secrets && args.secrets_in.is_empty() {
        out.push_str("# One by one, never as a list: only Secrets that an object refers to.\n");
        rule(&mut out, "", &[Kind::Secret.plural()], "get");
    }
    for namespace in args.secrets_in.iter().filter(|_| secrets) {
        out.push_str("---\n");
        head(
            &mut out,
            "Role",
            &format!("{}-secrets", args.name),
            Some(namespace),
        );
        rule(&mut out, "", &[Kind::Secret.plural()], "get");
    }
    out
}

fn head(out: &mut String, kind: &str, name: &str, namespace: Option<&str>) {
    line(
        out,
        format_args!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\nmetadata:\n  name: {name:?}"
        ),
    );
    if let Some(namespace) = namespace {
        line(out, format_args!("  namespace: {namespace:?}"));
    }
    out.push_str("rules:\n");
}

fn rule(out: &mut String, group: &str, plurals: &[&str], verb: &str) {
    let plurals = plurals.join(", ");
    line(
        out,
        format_args!("- apiGroups: [{group:?}]\n  resources: [{plurals}]\n  verbs: [{verb}]"),
    );
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text)
        .expect("writing to a String cannot fail");
    out.push('\n');
}
