//! The controller's own settings, each with where it came from.
//!
//! Takes flags, Helm values and the controller's Deployment; gives the value of every flag. Each
//! overrides the next: `--envoy-gateway-namespace` and `--controller-flag`, keys that the Helm values
//! set, the args of the Deployment (where an absent flag has its code default) or else the chart's
//! defaults.

mod checks;
pub mod code;
pub mod deployment;
pub mod flags;
mod go_flags;
pub mod helm;

use super::origin::{Because, Origin, Rule};
use super::part::{Part, Scalar};
use crate::controllers::profile::{ControllerVersion, Profile};
use crate::failure::Failure;
use crate::manifest::document::Document;
use crate::secret::Secret;
use crate::world::field::Source;
use crate::world::finding::{Finding, Place};
use crate::world::object::Object;
use flags::{FLAGS, Flag, Id, Value};

/// What the settings are made from.
#[derive(Debug, Clone, Copy, Default)]
pub struct Inputs<'w, 'a> {
    /// `--controller-flag`, as name and value.
    pub flags: &'a [(String, String)],
    /// `--values`; of two files the later wins.
    pub values: &'a [&'a Document],
    /// The controller's Deployment.
    pub deployment: Option<&'w Object>,
    /// `--envoy-gateway-namespace`.
    pub envoy_gateway_namespace: Option<&'a str>,
}

/// Where a setting came from.
#[derive(Debug, Clone)]
pub enum SettingSource<'w> {
    /// `--controller-flag`.
    Flag,
    /// `--envoy-gateway-namespace`.
    Option,
    /// A key of the Helm values.
    Values(Place),
    /// An element of the Deployment's args.
    Deployment(Source<'w>),
    /// The chart's default.
    ChartDefault,
    /// The default in the controller's code.
    CodeDefault,
}

impl SettingSource<'_> {
    /// The word for machine-readable output.
    pub fn id(&self) -> &'static str {
        match self {
            SettingSource::Flag => "controller-flag",
            SettingSource::Option => "option",
            SettingSource::Values(_) => "values",
            SettingSource::Deployment(_) => "deployment",
            SettingSource::ChartDefault => "chart-default",
            SettingSource::CodeDefault => "code-default",
        }
    }

    /// The place in a file, where there is one.
    pub fn place(&self) -> Option<Place> {
        match self {
            SettingSource::Values(place) => Some(place.clone()),
            SettingSource::Deployment(source) => Some(Place::at(source, "")),
            _ => None,
        }
    }
}

/// The value of a flag and where it came from.
#[derive(Debug, Clone)]
pub struct Setting<'w> {
    /// The value.
    pub value: Value,
    /// Where it came from.
    pub source: SettingSource<'w>,
}

/// All settings of a controller.
#[derive(Debug, Clone)]
pub struct Settings<'w> {
    profile: &'static Profile,
    /// By position in [`FLAGS`].
    settings: Vec<Setting<'w>>,
}

/// Reads the settings, with what was noticed on the way.
///
/// # Errors
/// An unknown flag or a value that makes the controller exit, in the flags or the values; values
/// that the chart cannot be rendered with. In a Deployment the same are findings of level error and
/// the flag is left out.
pub fn resolve<'w>(
    controller: &ControllerVersion,
    inputs: &Inputs<'w, '_>,
) -> Result<(Settings<'w>, Vec<Finding>), Failure> {
    let mut findings = Vec::new();
    let mut settings = Settings::code_defaults(controller.profile);
    let values = helm::Values::of(inputs.values)?;
    findings.extend(values.unknown_keys(controller.profile));
    if let Some(deployment) = inputs.deployment {
        settings.read_deployment(deployment, &mut findings);
    }
    settings.render_chart(
        &values,
        controller,
        inputs.deployment.is_some(),
        &mut findings,
    )?;
    for (name, value) in inputs.flags {
        settings.set_flag(name, value)?;
    }
    if let Some(namespace) = inputs.envoy_gateway_namespace {
        settings.set_envoy_gateway_namespace(namespace)?;
    }
    Ok((settings, findings))
}

impl<'w> Settings<'w> {
    /// The settings of a controller without any flag.
    pub fn code_defaults(profile: &'static Profile) -> Self {
        let default = |flag: &Flag| Setting {
            value: flag.default(),
            source: SettingSource::CodeDefault,
        };
        Settings {
            profile,
            settings: FLAGS.iter().map(default).collect(),
        }
    }

    /// The same settings on another version of the controller: a flag that it does not have gets its
    /// code default, and a sidecar image tagged with the one version is tagged with the other. Gives
    /// the flags that were left out, too.
    pub fn carried_to(
        &self,
        from: &ControllerVersion,
        to: &ControllerVersion,
    ) -> (Self, Vec<&'static Flag>) {
        let mut carried = self.clone();
        carried.profile = to.profile;
        let mut left_out = Vec::new();
        for (flag, setting) in FLAGS.iter().zip(&mut carried.settings) {
            if !flag.exists_in(to.profile) && setting.value != flag.default() {
                left_out.push(flag);
                *setting = Setting {
                    value: flag.default(),
                    source: SettingSource::CodeDefault,
                };
            }
        }
        let tagged = |version: &ControllerVersion| format!(":{}", version.version);
        if let Some(untagged) = self.image().strip_suffix(&tagged(from)) {
            let image = format!("{untagged}{}", tagged(to));
            carried.settings[Id::ExtProcImage as usize].value = Value::Text(image);
        }
        (carried, left_out)
    }

    fn set(&mut self, id: Id, value: Value, source: SettingSource<'w>) {
        self.settings[id as usize] = Setting { value, source };
    }

    fn read_deployment(&mut self, deployment: &'w Object, findings: &mut Vec<Finding>) {
        for (flag, value, source) in deployment::flags(deployment, self.profile, findings) {
            self.set(flag.id, value, SettingSource::Deployment(source));
        }
    }

    /// What the chart passes. Beside a Deployment only the keys that the user set count.
    fn render_chart(
        &mut self,
        values: &helm::Values<'_>,
        controller: &ControllerVersion,
        beside_deployment: bool,
        findings: &mut Vec<Finding>,
    ) -> Result<(), Failure> {
        for id in helm::PASSED
            .iter()
            .filter(|id| id.flag().exists_in(self.profile))
        {
            let rendered = values.render(*id, &controller.version, findings)?;
            let source = match rendered.place {
                Some(place) => SettingSource::Values(place),
                None if beside_deployment => continue,
                None => SettingSource::ChartDefault,
            };
            let flag = id.flag();
            let value = match &rendered.text {
                Some(text) => read_and_check(flag, text).map_err(|error| {
                    let place = source.place().map(|p| format!("{p}: ")).unwrap_or_default();
                    Failure::new(format!("{place}{} {error}", rendered.key))
                })?,
                None => flag.default(),
            };
            self.set(*id, value, source);
        }
        Ok(())
    }

    fn set_flag(&mut self, name: &str, text: &str) -> Result<(), Failure> {
        let bare = name
            .strip_prefix("--")
            .or(name.strip_prefix('-'))
            .unwrap_or(name);
        let Some(flag) = Flag::find(bare, self.profile) else {
            let problem = format!(
                "--controller-flag {bare}: the controller {} has no such flag",
                self.profile.release
            );
            let names = self.iter().map(|(flag, _)| flag.name);
            let failure = Failure::new(problem);
            return Err(match nearest(bare, names) {
                Some(near) => failure.hint(format!("did you mean {near}?")),
                None => failure,
            });
        };
        let value = read_and_check(flag, text)
            .map_err(|error| Failure::new(format!("--controller-flag {bare} {error}")))?;
        self.set(flag.id, value, SettingSource::Flag);
        Ok(())
    }

    fn set_envoy_gateway_namespace(&mut self, namespace: &str) -> Result<(), Failure> {
        let id = Id::EnvoyGatewayNamespace;
        let contradicted = matches!(self.get(id).source, SettingSource::Flag)
            && self.envoy_gateway_namespace() != namespace;
        if contradicted {
            let text =
                "--envoy-gateway-namespace and --controller-flag envoyGatewayNamespace differ";
            return Err(Failure::new(text).hint("give one of them"));
        }
        self.set(
            id,
            Value::Text(namespace.to_string()),
            SettingSource::Option,
        );
        Ok(())
    }

    /// The flags of this version with their settings, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Flag, &Setting<'w>)> {
        FLAGS
            .iter()
            .zip(&self.settings)
            .filter(|(flag, _)| flag.exists_in(self.profile))
    }

    /// One setting.
    pub fn get(&self, id: Id) -> &Setting<'w> {
        &self.settings[id as usize]
    }

    /// The origin of a value that a setting gave.
    pub fn origin(&self, id: Id) -> Origin<'w> {
        match &self.get(id).source {
            SettingSource::Deployment(source) => {
                Origin::new(Rule::Option, source.clone(), &Because::nothing())
            }
            _ => Origin::option(),
        }
    }

    fn text(&self, id: Id) -> &str {
        match &self.get(id).value {
            Value::Text(text) => text,
            _ => "",
        }
    }

    fn hidden(&self, id: Id) -> Secret<&str> {
        match &self.get(id).value {
            Value::Hidden { text, .. } => Secret::new(text.reveal()),
            _ => Secret::new(""),
        }
    }

    /// The sidecar's image, before a GatewayConfig changes it.
    pub fn image(&self) -> &str {
        self.text(Id::ExtProcImage)
    }

    /// The sidecar's log level, as a pod must have it.
    pub fn log_level(&self) -> &str {
        self.text(Id::ExtProcLogLevel)
    }

    /// The sidecar's log format; `text` where the version has no such flag.
    pub fn log_format(&self) -> &str {
        self.text(Id::ExtProcLogFormat)
    }

    /// Whether the sidecar redacts its debug log.
    pub fn redacts(&self) -> bool {
        self.get(Id::ExtProcEnableRedaction).value == Value::Bool(true)
    }

    /// Where Envoy Gateway puts workloads.
    pub fn envoy_gateway_namespace(&self) -> &str {
        self.text(Id::EnvoyGatewayNamespace)
    }

    /// The namespaces that the controller watches; all when there are none.
    pub fn watch_namespaces(&self) -> Vec<&str> {
        let names = self.text(Id::WatchNamespaces).split(',').map(str::trim);
        names.filter(|name| !name.is_empty()).collect()
    }

    /// Whether the controller looks at Gateways of the namespace at all.
    pub fn watches(&self, namespace: &str) -> bool {
        let watched = self.watch_namespaces();
        watched.is_empty() || watched.contains(&namespace)
    }

    /// The pull secrets of the sidecar's image, in order.
    pub fn image_pull_secrets(&self) -> Vec<&str> {
        let names = self
            .text(Id::ExtProcImagePullSecrets)
            .split(';')
            .map(str::trim);
        names.filter(|name| !name.is_empty()).collect()
    }

    /// The environment of the sidecar, in order. Values may be credentials.
    pub fn extra_env(&self) -> Vec<(String, Secret<String>)> {
        let text = self.hidden(Id::ExtProcExtraEnvVars);
        checks::parse_env_vars(text.reveal()).expect("the flag's check has passed")
    }

    /// A text setting that may be unset.
    pub fn optional(&self, id: Id) -> Option<&str> {
        match &self.get(id).value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The plain texts that go into the sidecar as they are.
    pub fn plain(&self, id: Id) -> &str {
        self.text(id)
    }

    /// A setting as a value of the sidecar; `null` when it is not set.
    pub fn part(&self, id: Id) -> Part<'w> {
        let value = match &self.get(id).value {
            Value::Unset => return Part::Null,
            Value::Text(text) => Scalar::Text(text.clone().into()),
            Value::Hidden { text, .. } => Scalar::Hidden(Secret::new(text.reveal().clone().into())),
            Value::Int(number) => Scalar::Int(*number),
            Value::Bool(value) => Scalar::Bool(*value),
        };
        Part::given(value, self, id)
    }

    /// A session seed.
    pub fn seed(&self, id: Id) -> Secret<&str> {
        self.hidden(id)
    }
}

/// Reads a value and checks it; the error tells that the controller would exit.
fn read_and_check(flag: &Flag, text: &str) -> Result<Value, String> {
    let value = flag
        .read(text)
        .and_then(|value| flag.check(&value).map(|()| value));
    value.map_err(|error| format!("makes the controller exit: {error}"))
}

/// The name that was probably meant.
fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let name = name.to_lowercase();
    names
        .map(|known| {
            (
                strsim::damerau_levenshtein(&name, &known.to_lowercase()),
                known,
            )
        })
        .filter(|(distance, known)| *distance <= known.len() / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}
