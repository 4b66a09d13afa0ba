//! Flags that say what is read and which controller answers; shared by the commands.

use std::collections::BTreeSet;

use clap::{Args, ValueEnum};

use super::Talk;
#[cfg(feature = "cluster")]
use super::cluster::ClusterArgs;
use super::needs::Needs;
use crate::controllers::ai_gateway::options::{MissingSecrets, Options, PLACEHOLDER_UUID};
use crate::controllers::ai_gateway::settings::{self, deployment};
use crate::controllers::ai_gateway::sidecar::{Mode, kubernetes_version};
use crate::controllers::ai_gateway::{gateways, needed};
use crate::controllers::profile::{ALL, ControllerVersion};
use crate::failure::Failure;
use crate::manifest::document::Document;
use crate::manifest::limits::Limits;
use crate::source::{Loaded, ReadOptions, load, read_values};
#[cfg(feature = "cluster")]
use crate::source::{live::Cluster, load_live};
use crate::world::finding::{Finding, Severity};
use crate::world::kind::Kind;
use crate::world::object::Object;
use crate::world::{NamespacedName, World};

/// What is read, and how.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// Namespace of objects in files that have none; with --live, of the Gateways to answer for
    #[arg(short, long, value_name = "NS")]
    pub namespace: Option<String>,
    /// Read the cluster, with the sources applied to it if there are any
    #[cfg(feature = "cluster")]
    #[arg(long)]
    pub live: bool,
    /// Answer for the Gateways of all namespaces, which is the default
    #[cfg(feature = "cluster")]
    #[arg(short = 'A', long, requires = "live", conflicts_with = "namespace")]
    pub all_namespaces: bool,
    /// Which cluster.
    #[cfg(feature = "cluster")]
    #[command(flatten)]
    pub cluster: ClusterArgs,
    /// The input is everything that the cluster holds: what is absent is absent
    #[arg(long)]
    pub complete: bool,
    /// What to do with a credential whose Secret is not in the input [default: placeholder, with
    /// --complete: skip]
    #[arg(long, value_enum, value_name = "HOW")]
    pub missing_secrets: Option<MissingSecretsArg>,
    /// Namespace in which the workload of a Gateway is assumed when the input has none [default:
    /// Envoy Gateway's]
    #[arg(long, value_name = "NS")]
    pub assume_namespace: Option<String>,
    /// Most bytes of one object
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().object_bytes)]
    pub max_object_bytes: usize,
    /// Deepest nesting of one object
    #[arg(long, value_name = "N", default_value_t = Limits::default().nesting)]
    pub max_nesting: usize,
    /// How many times its own size a document may grow through aliases
    #[arg(long, value_name = "N", default_value_t = Limits::default().alias_expansion)]
    pub max_alias_expansion: usize,
}

/// Values of `--missing-secrets`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MissingSecretsArg {
    /// Assume it and write a placeholder that names it
    Placeholder,
    /// Leave the backend out
    Skip,
    /// Report an error
    Fail,
}

/// Which controller answers.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Controller")]
pub struct ControllerArgs {
    /// Version of the controller [default: the tag of the controller's image in the input, else the
    /// newest one known]
    #[arg(long, value_name = "VERSION")]
    pub controller_version: Option<String>,
    /// Namespace of Envoy Gateway [default: envoy-gateway-system]
    #[arg(long, value_name = "NS")]
    pub envoy_gateway_namespace: Option<String>,
    /// The controller runs without workloads
    #[arg(long)]
    pub standalone: bool,
    /// Version of the API server, such as 1.33
    #[arg(long, value_name = "VERSION")]
    pub kubernetes_version: Option<String>,
    /// A flag of the controller, by its own name; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = controller_flag)]
    pub controller_flag: Vec<(String, String)>,
    /// Helm values of the controller's chart; may be repeated, the later file wins
    #[arg(long, value_name = "FILE")]
    pub values: Vec<String>,
    /// UUID of the documents
    #[arg(long, value_name = "UUID", default_value = PLACEHOLDER_UUID)]
    pub uuid: String,
}

/// What a command reads, and which Secrets the objects then refer to.
pub struct Wanted<'f> {
    /// The lists, and whether Secrets are read.
    pub needs: &'static Needs,
    /// The Secrets that the objects read so far refer to.
    pub secrets: &'f dyn Fn(&World) -> BTreeSet<NamespacedName>,
}

impl InputArgs {
    /// Reads the sources, or the cluster with the sources applied to it.
    ///
    /// # Errors
    /// When a source is not there, or the cluster gives no answer.
    pub fn load(
        &self,
        sources: &[String],
        wanted: &Wanted<'_>,
        talk: &Talk,
    ) -> Result<Loaded, Failure> {
        #[cfg(feature = "cluster")]
        if self.live {
            let mut cluster = self.cluster.connect(talk)?;
            return self.load_from(&mut cluster, sources, wanted);
        } else if let Some(flag) = self.cluster.given() {
            return Err(Failure::new(format!("{flag} needs --live")));
        }
        let _ = (wanted, talk);
        load(sources, &self.read_options())
    }

    /// Reads a cluster once: as it is, and with the sources applied to it.
    ///
    /// # Errors
    /// As [`InputArgs::load`].
    #[cfg(feature = "cluster")]
    pub fn load_before_and_after(
        &self,
        sources: &[String],
        wanted: &Wanted<'_>,
        talk: &Talk,
    ) -> Result<(Loaded, Loaded), Failure> {
        let mut cluster = self.cluster.connect(talk)?;
        let before = self.load_from(&mut cluster, &[], wanted)?;
        let after = self.load_from(&mut cluster, sources, wanted)?;
        Ok((before, after))
    }

    #[cfg(feature = "cluster")]
    fn load_from(
        &self,
        cluster: &mut Cluster,
        sources: &[String],
        wanted: &Wanted<'_>,
    ) -> Result<Loaded, Failure> {
        let secrets = match self.cluster.no_secrets {
            true => Err("--no-secrets"),
            false => Ok(wanted.secrets),
        };
        let lists = wanted.needs.lists;
        load_live(cluster, lists, sources, &self.read_options(), secrets)
    }

    /// How to read.
    pub fn read_options(&self) -> ReadOptions {
        ReadOptions {
            namespace: self.namespace.clone().filter(|_| !self.is_live()),
            limits: Limits {
                object_bytes: self.max_object_bytes,
                nesting: self.max_nesting,
                alias_expansion: self.max_alias_expansion,
            },
        }
    }

    /// Whether the cluster is read.
    pub fn is_live(&self) -> bool {
        #[cfg(feature = "cluster")]
        return self.live;
        #[cfg(not(feature = "cluster"))]
        false
    }

    /// Whether what is absent from the input does not exist.
    pub fn is_complete(&self) -> bool {
        self.complete || self.is_live()
    }

    /// The namespace that limits which Gateways are answered for.
    pub fn gateway_namespace(&self) -> Option<&str> {
        self.namespace.as_deref().filter(|_| self.is_live())
    }

    fn missing_secrets(&self, complete: bool) -> MissingSecrets {
        match self.missing_secrets {
            Some(MissingSecretsArg::Placeholder) => MissingSecrets::Placeholder,
            Some(MissingSecretsArg::Skip) => MissingSecrets::Skip,
            Some(MissingSecretsArg::Fail) => MissingSecrets::Fail,
            None if complete => MissingSecrets::Skip,
            None => MissingSecrets::Placeholder,
        }
    }
}

/// Which controller answers, made out from flags and input.
#[derive(Debug)]
pub struct Plan<'w> {
    /// What the answer depends on besides the objects.
    pub options: Options<'w>,
    /// Remarks on the controller and its settings.
    pub findings: Vec<Finding>,
    /// The input names a version that is not known.
    pub incomplete: bool,
}

impl<'w> Plan<'w> {
    /// The same controller after nothing but its version has changed.
    pub fn carried_to(&self, version: ControllerVersion) -> Plan<'w> {
        let own = &self.options;
        let (settings, left_out) = own.settings.carried_to(&own.version, &version);
        let note = |flag: &settings::flags::Flag| {
            let text = format!("{version} has no flag {}; its value is left out", flag.name);
            Finding::new("setting-left-out", Severity::Info, text)
        };
        Plan {
            findings: left_out.into_iter().map(note).collect(),
            incomplete: self.incomplete,
            options: Options {
                settings,
                version,
                ..own.clone()
            },
        }
    }
}

/// What the settings of a controller are read from.
#[derive(Debug, Clone, Copy)]
pub struct Controller<'w, 'a> {
    /// Its Deployment.
    pub deployment: Option<&'w Object>,
    /// Files of Helm values.
    pub values: &'a [Document],
    /// The version that is asked for, and the flag that asks.
    pub version: Option<(&'static str, &'a str)>,
}

impl ControllerArgs {
    /// Reads the Helm values.
    ///
    /// # Errors
    /// When a file is not there or no YAML.
    pub fn values(&self) -> Result<Vec<Document>, Failure> {
        self.values.iter().map(|path| read_values(path)).collect()
    }

    /// Makes out the controller: flags before Helm values before the Deployment in the input before
    /// the chart's defaults.
    ///
    /// # Errors
    /// When a flag or a value is none that the controller would start with.
    pub fn plan<'w>(
        &self,
        input: &InputArgs,
        values: &[Document],
        world: &'w World,
    ) -> Result<Plan<'w>, Failure> {
        let (deployment, unread) = world.observe(|| deployment::find(world));
        let controller = Controller {
            deployment: deployment?,
            values,
            version: self.asked_version(),
        };
        let mut plan = self.plan_of(input, world, &controller)?;
        if controller.version.is_none() {
            plan.options.version_unread = unread;
        }
        Ok(plan)
    }

    /// The Secrets that the answer for these Gateways, or for all, needs.
    pub fn secrets(
        &self,
        input: &InputArgs,
        values: &[Document],
        world: &World,
        asked: &[NamespacedName],
    ) -> BTreeSet<NamespacedName> {
        // What is wrong with the flags is told once everything is read.
        let Ok(plan) = self.plan(input, values, world) else {
            return BTreeSet::new();
        };
        let mut gateways = gateways(world, &plan.options);
        gateways.retain(|gateway| {
            let namespace = input.gateway_namespace();
            (asked.is_empty() || asked.contains(gateway))
                && namespace.is_none_or(|namespace| gateway.0 == namespace)
        });
        needed::secrets(world, &plan.options, &gateways)
    }

    /// The version that `--controller-version` asks for.
    pub fn asked_version(&self) -> Option<(&'static str, &str)> {
        let text = self.controller_version.as_deref()?;
        Some(("--controller-version", text))
    }

    /// The same for a given controller.
    ///
    /// # Errors
    /// When a flag or a value is none that the controller would start with.
    pub fn plan_of<'w>(
        &self,
        input: &InputArgs,
        world: &'w World,
        controller: &Controller<'w, '_>,
    ) -> Result<Plan<'w>, Failure> {
        let (version, mut findings) = version(controller)?;
        let incomplete = !findings.is_empty();
        let inputs = settings::Inputs {
            flags: &self.controller_flag,
            values: &controller.values.iter().collect::<Vec<_>>(),
            deployment: controller.deployment,
            envoy_gateway_namespace: self.envoy_gateway_namespace.as_deref(),
        };
        let (settings, remarks) = settings::resolve(&version, &inputs)?;
        findings.extend(remarks);
        let mode = self.mode(world, &mut findings)?;
        let complete = input.is_complete() || world.recorded.is_some();
        let options = Options {
            version,
            uuid: self.uuid.clone(),
            complete,
            missing_secrets: input.missing_secrets(complete),
            assume_namespace: input.assume_namespace.clone(),
            standalone: self.standalone,
            settings,
            mode,
            version_unread: Vec::new(),
        };
        Ok(Plan {
            options,
            findings,
            incomplete,
        })
    }

    fn mode(&self, world: &World, findings: &mut Vec<Finding>) -> Result<Mode, Failure> {
        if let Some(text) = &self.kubernetes_version {
            return match kubernetes_version(text) {
                Some(version) => Ok(Mode::of(&version)),
                None => Err(Failure::new(format!(
                    "--kubernetes-version {text} is no version of an API server"
                ))
                .hint("give it as 1.33, v1.33.4 or 1.33+")),
            };
        }
        if let Some(version) = &world.kubernetes_version {
            return Ok(Mode::of(version));
        }
        let text = "the version of Kubernetes is not known; the sidecar is assumed to be an init \
                    container, as from 1.33 on";
        let matters =
            world.all(Kind::Gateway).next().is_some() || !world.parent_gateways().is_empty();
        if matters {
            findings.push(
                Finding::new("assumed-sidecar-mode", Severity::Info, text)
                    .help("give --kubernetes-version"),
            );
        }
        Ok(Mode::Sidecar)
    }
}

/// The version that is asked for, else the one of the Deployment, else the newest. A Deployment of a
/// version that is not known gives a finding.
fn version(controller: &Controller<'_, '_>) -> Result<(ControllerVersion, Vec<Finding>), Failure> {
    if let Some((flag, text)) = controller.version {
        return Ok((parse_version(flag, text)?, Vec::new()));
    }
    let newest = ControllerVersion::newest();
    let Some(deployment) = controller.deployment else {
        return Ok((newest, Vec::new()));
    };
    let tag = deployment::version(deployment);
    if let Some(version) = tag.and_then(ControllerVersion::parse) {
        return Ok((version, Vec::new()));
    }
    let text = match tag {
        Some(tag) => format!("the controller's version {tag} is not known"),
        None => "the controller's image has no tag, so its version is not known".to_string(),
    };
    let finding = Finding::new("unknown-version", Severity::Warning, text)
        .about(deployment)
        .help(format!(
            "answered as {newest}; give --controller-version, {}",
            known_versions()
        ));
    Ok((newest, vec![finding]))
}

/// Reads the value of a flag that names a version.
///
/// # Errors
/// When it is none that is known.
pub fn parse_version(flag: &str, text: &str) -> Result<ControllerVersion, Failure> {
    ControllerVersion::parse(text).ok_or_else(|| {
        Failure::new(format!("{flag} {text} is not a version that is known")).hint(known_versions())
    })
}

fn known_versions() -> String {
    let known: Vec<&str> = ALL.iter().map(|p| p.release).collect();
    format!("known are {} and their patch releases", known.join(", "))
}

/// Reads `NAME=VALUE`.
fn controller_flag(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_string(), value.to_string())),
        _ => Err("give it as NAME=VALUE".to_string()),
    }
}
