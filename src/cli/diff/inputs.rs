//! What `diff` compares: which sources are read for each side, and which controller answers there.

use std::collections::BTreeSet;

use super::super::input::{Controller, Plan, Wanted, parse_version};
use super::super::render::{could_not_read, share_assumptions};
use super::super::{Talk, needs};
use super::DiffArgs;
use crate::controllers::ai_gateway::outcome::Outcome;
use crate::controllers::ai_gateway::reconcile_all;
use crate::controllers::ai_gateway::settings::deployment;
use crate::diff::answer::only_in;
use crate::diff::cause::Sides;
use crate::failure::Failure;
use crate::manifest::document::Document;
use crate::source::git::{PREFIX, Revision};
use crate::source::{Loaded, kubectl, load, load_kubectl, load_revisions, read_values};
use crate::world::finding::Finding;
use crate::world::{NamespacedName, World};

/// What was read for each side. Without a new one both sides are the same.
pub(super) struct Inputs {
    old: Loaded,
    new: Option<Loaded>,
    /// What each side is called.
    pub(super) sources: Sides<String>,
    /// kubectl takes 0 and 1 for answers, and everything else for a failure.
    pub(super) for_kubectl: bool,
}

impl Inputs {
    /// The objects of each side.
    pub(super) fn worlds(&self) -> Sides<&World> {
        Sides {
            old: &self.old.world,
            new: &self.new.as_ref().unwrap_or(&self.old).world,
        }
    }

    /// Whether something could not be read.
    pub(super) fn incomplete(&self) -> bool {
        self.old.incomplete || self.new.as_ref().is_some_and(|new| new.incomplete)
    }

    /// Remarks on reading, each once; those that only the new side has apart.
    pub(super) fn findings(&self) -> (Vec<Finding>, Vec<Finding>) {
        let Some(new) = &self.new else {
            return (self.old.findings.clone(), Vec::new());
        };
        let key = |f: &&Finding| (f.code, f.message.clone());
        let only_new = only_in(&new.findings, &self.old.findings, key);
        (
            self.old.findings.clone(),
            only_new.into_iter().cloned().collect(),
        )
    }
}

/// Reads what the flags ask for.
pub(super) struct Reader<'r> {
    pub(super) args: &'r DiffArgs,
    pub(super) values: &'r [Document],
    pub(super) talk: &'r Talk,
}

impl Reader<'_> {
    /// Reads sources, and with --live the cluster that they are applied to.
    pub(super) fn load(&self, sources: &[String]) -> Result<Loaded, Failure> {
        let secrets = |world: &World| self.secrets(world);
        let wanted = Wanted {
            needs: &needs::DIFF,
            secrets: &secrets,
        };
        self.args.input.load(sources, &wanted, self.talk)
    }

    fn secrets(&self, world: &World) -> BTreeSet<NamespacedName> {
        let args = self.args;
        args.controller
            .secrets(&args.input, self.values, world, &args.gateway)
    }

    /// The cluster, and the cluster with the sources applied to it.
    #[cfg(feature = "cluster")]
    fn live(&self, sources: &str) -> Result<Inputs, Failure> {
        let secrets = |world: &World| self.secrets(world);
        let wanted = Wanted {
            needs: &needs::DIFF,
            secrets: &secrets,
        };
        let args = self.args;
        let (old, new) = args
            .input
            .load_before_and_after(&args.sources, &wanted, self.talk)?;
        Ok(Inputs {
            old,
            new: Some(new),
            sources: Sides {
                old: "the cluster".to_string(),
                new: format!("the cluster with {sources}"),
            },
            for_kubectl: false,
        })
    }

    /// Reads files, never a cluster.
    pub(super) fn files(&self, file: &String) -> Result<Loaded, Failure> {
        load(std::slice::from_ref(file), &self.args.input.read_options())
    }

    /// What the controller would do. Reads that gave nothing are findings.
    pub(super) fn outcomes<'w>(
        &self,
        world: &'w World,
        plan: &Plan<'w>,
        findings: &mut Vec<Finding>,
    ) -> Vec<Outcome<'w>> {
        let (mut outcomes, unread) = world.observe(|| reconcile_all(world, &plan.options));
        if let Some(namespace) = self.args.input.gateway_namespace() {
            outcomes.retain(|o| o.gateway.0 == namespace);
        }
        let unread = unread.iter().chain(&plan.options.version_unread);
        let unread: Vec<Finding> = unread.filter_map(could_not_read).collect();
        super::add_new(findings, &unread);
        share_assumptions(&mut outcomes, &mut Vec::new());
        outcomes
    }

    /// Reads both sides.
    pub(super) fn read(&self) -> Result<Inputs, Failure> {
        let args = self.args;
        let sources = args.sources.join(" ");
        if let Some(revision) = &args.base {
            return self.with_base(revision, sources);
        }
        if args.has_other_controller() {
            if args.sources.is_empty() && !args.input.is_live() {
                return Err(Failure::new("diff needs a SOURCE"));
            }
            return Ok(Inputs {
                old: self.load(&args.sources)?,
                new: None,
                sources: Sides {
                    old: sources.clone(),
                    new: sources,
                },
                for_kubectl: false,
            });
        }
        #[cfg(feature = "cluster")]
        if args.input.is_live() {
            return self.live(&sources);
        }
        self.pair()
    }

    fn with_base(&self, revision: &str, sources: String) -> Result<Inputs, Failure> {
        let paths = &self.args.sources;
        let foreign = |s: &&String| *s == "-" || s.starts_with(PREFIX);
        if let Some(source) = paths.iter().find(foreign) {
            let text = format!("--base takes paths of a working tree, not {source}");
            return Err(Failure::new(text));
        }
        if paths.is_empty() || self.args.input.is_live() {
            return Err(Failure::new("--base takes paths of a working tree"));
        }
        let revisions = paths.iter().map(|path| Revision::of_path(revision, path));
        let revisions = revisions.collect::<Result<Vec<_>, _>>()?;
        Ok(Inputs {
            old: load_revisions(&revisions, &self.args.input.read_options())?,
            new: Some(self.load(paths)?),
            sources: Sides {
                old: format!("{PREFIX}{revision} {sources}"),
                new: sources,
            },
            for_kubectl: false,
        })
    }

    /// OLD and NEW.
    fn pair(&self) -> Result<Inputs, Failure> {
        let [old, new] = &self.args.sources[..] else {
            let count = self.args.sources.len();
            let text = format!("diff takes an OLD and a NEW source, not {count}");
            return Err(Failure::new(text).hint(
                "give --base REV to compare with a Git revision, or --to-version to compare two \
                 versions of the controller",
            ));
        };
        if old == "-" && new == "-" {
            return Err(Failure::new("standard input can be read only once"));
        }
        let for_kubectl = kubectl::is_pair(old, new);
        let load = |source: &String| match for_kubectl {
            true => load_kubectl(source, &self.args.input.read_options()),
            false => self.load(std::slice::from_ref(source)),
        };
        Ok(Inputs {
            old: load(old)?,
            new: Some(load(new)?),
            sources: Sides {
                old: old.clone(),
                new: new.clone(),
            },
            for_kubectl,
        })
    }

    /// The two controllers. `to` holds the Deployment of the new one.
    pub(super) fn plans<'w>(
        &self,
        inputs: &'w Inputs,
        to: Option<&'w World>,
    ) -> Result<Sides<Plan<'w>>, Failure> {
        let args = self.args;
        let worlds = inputs.worlds();
        let plan = |world| args.controller.plan(&args.input, self.values, world);
        let mut old = plan(worlds.old)?;
        if let Some(version) = &args.from_version {
            old = old.carried_to(parse_version("--from-version", version)?);
        }
        let version = args
            .to_version
            .as_deref()
            .map(|text| ("--to-version", text));
        let new = if to.is_some() || !args.to_values.is_empty() {
            self.other_controller(to, version, &old, worlds.new)?
        } else {
            let plan = plan(worlds.new)?;
            match version {
                Some((flag, text)) => plan.carried_to(parse_version(flag, text)?),
                None => plan,
            }
        };
        Ok(Sides { old, new })
    }

    /// The controller of `--to-controller` and `--to-values`.
    fn other_controller<'w>(
        &self,
        to: Option<&'w World>,
        version: Option<(&'static str, &str)>,
        old: &Plan<'w>,
        world: &'w World,
    ) -> Result<Plan<'w>, Failure> {
        let args = self.args;
        let deployment = to.map(deployment::find).transpose()?.flatten();
        if let (Some(file), None) = (&args.to_controller, deployment) {
            let text = format!("{file} holds no Deployment of the controller");
            return Err(Failure::new(text));
        }
        let values = args.to_values.iter().map(|path| read_values(path));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        // Values alone do not say which version they are for.
        let same = ("--from-version", old.options.version.version.as_str());
        let controller = Controller {
            deployment,
            values: &values,
            version: version.or(deployment.is_none().then_some(same)),
        };
        args.controller.plan_of(&args.input, world, &controller)
    }
}
