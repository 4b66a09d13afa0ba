//! Where manifests come from. The only part of the program that reads.
//!
//! Takes what the user named, gives a [`Loaded`] world and what could not be read.

pub mod collected;
mod dump;
pub mod files;
pub mod git;
pub mod kubectl;
#[cfg(feature = "cluster")]
pub mod live;
pub mod need;

#[cfg(feature = "cluster")]
use std::collections::BTreeSet;
use std::io::Read;
use std::sync::Arc;

use collected::Collected;

use crate::failure::Failure;
use crate::manifest::{self, Document, Limits, ReadError};
use crate::world::World;
use crate::world::build::Builder;
use crate::world::coverage::{Reach, resource};
use crate::world::finding::{Finding, Place, Severity};
use crate::world::kind::Kind;
#[cfg(feature = "cluster")]
use crate::world::{
    NamespacedName,
    coverage::{Reason, Unread, Verb},
};

/// How to read.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// The namespace of objects that have none.
    pub namespace: Option<String>,
    /// Limits of one object.
    pub limits: Limits,
}

/// What was read.
#[derive(Debug)]
pub struct Loaded {
    /// The objects.
    pub world: World,
    /// Remarks on reading: duplicates, defaults, skipped files, unreadable documents.
    pub findings: Vec<Finding>,
    /// Whether some document could not be read, so that the answer is incomplete.
    pub incomplete: bool,
}

/// Reads everything that was named, in order.
///
/// # Errors
/// When something that the user named is not there or cannot be opened.
pub fn load(sources: &[String], options: &ReadOptions) -> Result<Loaded, Failure> {
    let mut reader = Reader::new(options);
    reader.sources(sources)?;
    Ok(reader.finish())
}

/// The same for revisions.
///
/// # Errors
/// When there is no such revision, or git cannot be run.
pub fn load_revisions(
    revisions: &[git::Revision],
    options: &ReadOptions,
) -> Result<Loaded, Failure> {
    let mut reader = Reader::new(options);
    for revision in revisions {
        git::read(&mut reader, revision)?;
    }
    Ok(reader.finish())
}

/// The same for a directory that `kubectl diff` made.
///
/// # Errors
/// When it cannot be read.
pub fn load_kubectl(directory: &str, options: &ReadOptions) -> Result<Loaded, Failure> {
    let mut reader = Reader::new(options);
    kubectl::read(&mut reader, directory)?;
    Ok(reader.finish())
}

/// Reads a cluster, with the sources applied to it: what it would hold then. `secrets` names the
/// Secrets that the objects refer to; `None` reads none, and says so with that flag.
///
/// # Errors
/// As [`load`], and when the cluster gives no answer.
#[cfg(feature = "cluster")]
pub fn load_live(
    cluster: &mut live::Cluster,
    needs: &[need::Need],
    sources: &[String],
    options: &ReadOptions,
    secrets: Result<SecretNames<'_>, &'static str>,
) -> Result<Loaded, Failure> {
    let mut reader = Reader::new(options);
    cluster.read(needs, &mut reader.builder)?;
    reader.sources(sources)?;
    let names = match secrets {
        Ok(names) => names,
        Err(flag) => {
            reader.builder.coverage().add_unread(Unread {
                verb: Verb::Get,
                kind: Kind::Secret,
                namespace: None,
                name: None,
                reason: Reason::NotWanted(flag),
            });
            return Ok(reader.finish());
        }
    };
    let first = reader.finish();
    let wanted = names(&first.world);
    let mut builder = Builder::reopen(first.world, first.findings, options.namespace.clone());
    cluster.read_secrets(&wanted, &mut builder)?;
    let (world, findings) = builder.finish();
    Ok(Loaded {
        world,
        findings,
        incomplete: first.incomplete,
    })
}

/// Says which Secrets the objects read so far refer to.
#[cfg(feature = "cluster")]
pub type SecretNames<'f> = &'f dyn Fn(&World) -> BTreeSet<NamespacedName>;

/// Reads a file of Helm values; `-` is standard input.
///
/// # Errors
/// When it is not there, or is no YAML.
pub fn read_values(path: &str) -> Result<Document, Failure> {
    let bytes = match path {
        "-" => stdin()?,
        path => files::bytes(path)?,
    };
    manifest::read_yaml(path.into(), &bytes, &Limits::default())
        .map_err(|error| Failure::new(error.to_string()).hint("--values takes a Helm values file"))
}

fn stdin() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|e| Failure::new(format!("cannot read standard input: {e}")))?;
    Ok(bytes)
}

/// Collects documents and remarks.
pub(crate) struct Reader {
    builder: Builder,
    findings: Vec<Finding>,
    limits: Limits,
    incomplete: bool,
    named: Vec<String>,
}

impl Reader {
    fn new(options: &ReadOptions) -> Self {
        Reader {
            builder: Builder::new(options.namespace.clone()),
            findings: Vec::new(),
            limits: options.limits,
            incomplete: false,
            named: Vec::new(),
        }
    }

    fn sources(&mut self, sources: &[String]) -> Result<(), Failure> {
        for source in sources {
            match source.as_str() {
                "-" => self.bytes("<stdin>", &stdin()?),
                revision if revision.starts_with(git::PREFIX) => {
                    git::read(self, &git::Revision::parse(revision)?)?;
                }
                path => files::read(self, path)?,
            }
        }
        Ok(())
    }

    /// Takes the content of one file.
    pub(crate) fn bytes(&mut self, name: &str, bytes: &[u8]) {
        self.note_list_file(name);
        self.documents(name, bytes, &|document| document);
    }

    /// The same, each document changed before it is taken.
    pub(crate) fn documents(
        &mut self,
        name: &str,
        bytes: &[u8],
        change: &dyn Fn(Document) -> Document,
    ) {
        let file: Arc<str> = name.into();
        let bytes = dump::without_logs(bytes);
        let mut documents = Vec::new();
        for document in manifest::read(file, &bytes, &self.limits) {
            match document {
                Ok(document) => documents.push(change(document)),
                Err(error) => self.unreadable(error),
            }
        }
        for (kind, reach) in dump::shown(name, &bytes, &documents) {
            self.builder.coverage().add(kind, reach);
        }
        documents.into_iter().for_each(|d| self.builder.add(d));
    }

    /// Takes the file that tells what a collected directory holds.
    pub(crate) fn collected(&mut self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        match Collected::read(bytes) {
            Ok(collected) => {
                collected.tell(&mut self.builder);
                Ok(())
            }
            Err(problem) => Err(Failure::new(format!("cannot read {name}: {problem}"))
                .hint("it was written by aigwctl collect; take the version that wrote it")),
        }
    }

    /// A file named after a resource holds all its objects, be there none.
    fn note_list_file(&mut self, name: &str) {
        let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let stem = base.rsplit_once('.').map_or(base, |(stem, _)| stem);
        let named = |kind: &Kind| stem == kind.plural() || stem == resource(*kind);
        for kind in Kind::ALL.iter().filter(|kind| named(kind)) {
            self.builder.coverage().add(*kind, Reach::Whole);
        }
    }

    fn unreadable(&mut self, error: ReadError) {
        let place = Place {
            file: error.file,
            pos: error.pos,
            note: String::new(),
        };
        let mut finding = Finding::new("AIGW001", Severity::Error, error.message).at(place);
        if error.lost_neighbour {
            finding.help = Some(
                "kubectl and the API machinery would lose the document before it as well".into(),
            );
        }
        self.findings.push(finding);
        self.incomplete = true;
    }

    /// A file in a directory that cannot be read: the others still count.
    pub(crate) fn unreadable_file(&mut self, name: &str, problem: &str) {
        self.unreadable(ReadError {
            file: name.into(),
            pos: None,
            message: problem.to_string(),
            lost_neighbour: false,
        });
    }

    /// A remark on a file that was not read.
    pub(crate) fn note(&mut self, name: &str, text: &str) {
        let place = Place {
            file: name.into(),
            pos: None,
            note: String::new(),
        };
        self.findings
            .push(Finding::new("skipped-file", Severity::Info, text).at(place));
    }

    /// Remembers that the user named this very file.
    pub(crate) fn named(&mut self, name: &str) {
        self.named.push(name.to_string());
    }

    fn finish(self) -> Loaded {
        let (world, mut findings) = self.builder.finish();
        for name in &self.named {
            if let Some(count) = world.inventory.not_objects.get(name) {
                let text = format!(
                    "{count} document(s) without apiVersion and kind are no Kubernetes objects"
                );
                let place = Place {
                    file: name.as_str().into(),
                    pos: None,
                    note: String::new(),
                };
                findings.push(Finding::new("not-an-object", Severity::Warning, text).at(place));
            }
        }
        let mut all = self.findings;
        all.extend(findings);
        Loaded {
            world,
            findings: all,
            incomplete: self.incomplete,
        }
    }
}
