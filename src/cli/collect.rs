//! `aigwctl collect`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::input::{ControllerArgs, InputArgs, Wanted};
use super::render::namespaced_name;
use super::{Talk, needs};
use crate::collect::scope::{PARTLY, Scope};
use crate::collect::{Key, redact};
use crate::controllers::ai_gateway::outcome::Outcome;
use crate::controllers::ai_gateway::{gateways, needed, reconcile_all};
use crate::failure::{Exit, Failure};
use crate::manifest::document::Document;
use crate::manifest::node::Node;
use crate::source::collected::{self, Collected};
use crate::world::build::Builder;
use crate::world::coverage::{Reach, resource};
use crate::world::kind::Kind;
use crate::world::object::Object;
use crate::world::recorded::{Recorded, RecordedGateway};
use crate::world::{NamespacedName, World};

/// Write what the answers need from a cluster to a directory, credentials replaced by placeholders
#[derive(Debug, Clone, Args)]
pub struct CollectArgs {
    /// Directory to write; it must not exist yet
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Read the Secrets of this Gateway alone; may be repeated
    #[arg(long, value_name = "NS/NAME", value_parser = namespaced_name)]
    pub gateway: Vec<NamespacedName>,
    /// What is read
    #[command(flatten)]
    pub input: InputArgs,
    /// Which controller answers
    #[command(flatten)]
    pub controller: ControllerArgs,
}

const README: &str = "\
# Collected with aigwctl

The objects from which aigwctl answers what the Envoy AI Gateway controller does in this cluster.

* Credentials are replaced: every `redacted-…` stands for one credential of the cluster, the same one
  wherever it stands. The key that made them was forgotten. Look the files over before you give them
  away all the same: a credential in a place where none belongs may not have been known as one.
* Every command of aigwctl takes this directory: `aigwctl render DIR`.
* `aigwctl-collect.json` says what could not be read, and what the credentials would have told: the
  sizes of the configs and the hashes of the sidecars.
";

/// Runs the command.
///
/// # Errors
/// When the cluster gives no answer, or the directory cannot be written.
pub fn run(args: &CollectArgs, talk: &Talk) -> Result<Exit, Failure> {
    if args.directory.exists() {
        let text = format!("{} exists already", args.directory.display());
        return Err(Failure::new(text).hint("name a directory that does not exist yet"));
    }
    let input = InputArgs {
        live: true,
        ..args.input.clone()
    };
    let values = args.controller.values()?;
    let wanted = Wanted {
        needs: &needs::COLLECT,
        secrets: &|world| {
            let Ok(plan) = args.controller.plan(&input, &values, world) else {
                return Default::default();
            };
            let mut gateways = gateways(world, &plan.options);
            gateways.retain(|g| args.gateway.is_empty() || args.gateway.contains(g));
            let mut names = needed::secrets(world, &plan.options, &gateways);
            names.extend(super::doctor::beside(world, &plan.options));
            names
        },
    };
    let loaded = input.load(&[], &wanted, talk)?;
    let world = &loaded.world;
    let scope = Scope::of(world);
    let redacted = redact(world, random_key()?);
    let recorded = recorded(args, &input, &values, world, &redacted)?;
    let files = files(world, &scope, &redacted, &recorded);
    write(&args.directory, &files)?;
    let mut unread = world.coverage.unread().peekable();
    let incomplete = unread.peek().is_some();
    if !talk.quiet {
        let objects: usize = redacted.iter().filter(|(o, _)| scope.has(o)).count();
        eprintln!("{objects} objects in {}", args.directory.display());
        for unread in unread {
            eprintln!("warning: {unread}");
        }
    }
    Ok(match incomplete {
        true => Exit::Incomplete,
        false => Exit::Clean,
    })
}

fn random_key() -> Result<Key, Failure> {
    let mut key = Key::default();
    getrandom::getrandom(&mut key)
        .map_err(|e| Failure::new(format!("this machine has no source of randomness: {e}")))?;
    Ok(key)
}

/// A CRD without the schemas of its versions, of which nothing is asked.
fn without_schemas(mut definition: Value) -> Value {
    let versions = definition["spec"]["versions"].as_array_mut();
    for version in versions
        .into_iter()
        .flatten()
        .filter_map(Value::as_object_mut)
    {
        version.remove("schema");
        version.remove("additionalPrinterColumns");
    }
    definition
}

/// What answers about the true objects and about those with placeholders differ in.
fn recorded(
    args: &CollectArgs,
    input: &InputArgs,
    values: &[Document],
    world: &World,
    redacted: &[(&Object, Node)],
) -> Result<Recorded, Failure> {
    let mut builder = Builder::new(None);
    for (object, node) in redacted {
        builder.add(Document {
            file: object.file().clone(),
            index: 0,
            item: None,
            root: node.clone(),
            duplicates: Vec::new(),
            notes: Vec::new(),
        });
    }
    if let Some(version) = &world.kubernetes_version {
        builder.set_kubernetes_version(version.clone());
    }
    let (shown, _) = builder.finish();
    let options = args.controller.plan(input, values, world)?.options;
    let shown_options = args.controller.plan(input, values, &shown)?.options;
    let whole = reconcile_all(world, &options);
    let shown = reconcile_all(&shown, &shown_options);
    let pairs = whole.iter().zip(&shown);
    let gateways = pairs.map(|(whole, shown)| (whole.gateway.clone(), record(whole, shown)));
    Ok(Recorded {
        gateways: gateways.collect(),
    })
}

fn record(whole: &Outcome<'_>, shown: &Outcome<'_>) -> RecordedGateway {
    let hash = |outcome: &Outcome<'_>| outcome.workload.config_hash.clone();
    RecordedGateway {
        config_bytes: whole.document_bytes.zip(shown.document_bytes),
        config_hash: hash(whole).zip(hash(shown)),
    }
}

/// Names and texts of the files.
fn files(
    world: &World,
    scope: &Scope<'_>,
    redacted: &[(&Object, Node)],
    recorded: &Recorded,
) -> BTreeMap<String, String> {
    let mut lists: BTreeMap<Kind, Vec<Value>> = BTreeMap::new();
    for need in needs::COLLECT.lists {
        if world.coverage.of(need.kind) == Some(&Reach::Whole) || need.label.is_some() {
            lists.entry(need.kind).or_default();
        }
    }
    for (object, node) in redacted.iter().filter(|(o, _)| scope.has(o)) {
        let item = match object.kind() {
            Kind::CustomResourceDefinition => without_schemas(node.to_json()),
            _ => node.to_json(),
        };
        lists.entry(object.kind()).or_default().push(item);
    }
    let partly = needs::COLLECT
        .lists
        .iter()
        .filter(|need| need.label.is_some());
    let partly = partly.map(|need| need.kind);
    let read =
        |kind: &Kind| *kind == Kind::Secret || world.coverage.of(*kind) == Some(&Reach::Whole);
    let partly: Vec<Kind> = partly.chain(PARTLY.into_iter().filter(read)).collect();
    let mut files = BTreeMap::from([
        ("README.md".to_string(), README.to_string()),
        (
            collected::FILE.to_string(),
            Collected::new(&world.coverage, &partly, recorded).to_text(),
        ),
    ]);
    for (kind, items) in lists {
        let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
        files.insert(format!("{}.json", resource(kind)), format!("{list:#}\n"));
    }
    if let Some(version) = &world.kubernetes_version {
        let version = json!({"major": version.major, "minor": version.minor});
        files.insert("version.json".to_string(), format!("{version:#}\n"));
    }
    files
}

/// Writes a directory as a whole or not at all.
fn write(directory: &Path, files: &BTreeMap<String, String>) -> Result<(), Failure> {
    let cannot = |error: std::io::Error| {
        Failure::new(format!("cannot write {}: {error}", directory.display()))
    };
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    let unfinished = directory.with_file_name(format!(".{name}.{}", std::process::id()));
    let written = fs::create_dir_all(&unfinished).and_then(|()| {
        for (name, text) in files {
            fs::write(unfinished.join(name), text)?;
        }
        fs::rename(&unfinished, directory)
    });
    written.map_err(|error| {
        // What is left of it helps nobody.
        let _ = fs::remove_dir_all(&unfinished);
        cannot(error)
    })
}
