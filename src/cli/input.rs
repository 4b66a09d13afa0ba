//! Flags that say what is read and which controller answers; shared by the commands.

use clap::{Args, ValueEnum};

use crate::controllers::ai_gateway::options::{MissingSecrets, Options, PLACEHOLDER_UUID};
use crate::controllers::profile::{ALL, ControllerVersion};
use crate::failure::Failure;
use crate::manifest::limits::Limits;
use crate::source::{Loaded, ReadOptions, load};

/// What is read, and how.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// Namespace of objects that have none
    #[arg(short, long, value_name = "NS")]
    pub namespace: Option<String>,
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
    /// UUID of the documents
    #[arg(long, value_name = "UUID", default_value = PLACEHOLDER_UUID)]
    pub uuid: String,
}

impl InputArgs {
    /// Reads the sources.
    ///
    /// # Errors
    /// When a source is not there.
    pub fn load(&self, sources: &[String]) -> Result<Loaded, Failure> {
        let limits = Limits {
            object_bytes: self.max_object_bytes,
            nesting: self.max_nesting,
            alias_expansion: self.max_alias_expansion,
        };
        load(
            sources,
            &ReadOptions {
                namespace: self.namespace.clone(),
                limits,
            },
        )
    }

    fn missing_secrets(&self) -> MissingSecrets {
        match self.missing_secrets {
            Some(MissingSecretsArg::Placeholder) => MissingSecrets::Placeholder,
            Some(MissingSecretsArg::Skip) => MissingSecrets::Skip,
            Some(MissingSecretsArg::Fail) => MissingSecrets::Fail,
            None if self.complete => MissingSecrets::Skip,
            None => MissingSecrets::Placeholder,
        }
    }
}

impl ControllerArgs {
    /// The options of an answer.
    ///
    /// # Errors
    /// When a version is none that is known.
    pub fn options(&self, input: &InputArgs) -> Result<Options, Failure> {
        Ok(Options {
            version: self.version()?,
            uuid: self.uuid.clone(),
            complete: input.complete,
            missing_secrets: input.missing_secrets(),
            assume_namespace: input.assume_namespace.clone(),
            standalone: self.standalone,
            envoy_gateway_namespace: self
                .envoy_gateway_namespace
                .clone()
                .unwrap_or_else(|| "envoy-gateway-system".to_string()),
        })
    }

    fn version(&self) -> Result<ControllerVersion, Failure> {
        let Some(text) = &self.controller_version else {
            return Ok(ControllerVersion::newest());
        };
        ControllerVersion::parse(text).ok_or_else(|| {
            let known: Vec<&str> = ALL.iter().map(|p| p.release).collect();
            Failure::new(format!(
                "--controller-version {text} is not a version that is known"
            ))
            .hint(format!(
                "known are {} and their patch releases",
                known.join(", ")
            ))
        })
    }
}
