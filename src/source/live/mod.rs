//! A live cluster, read only: the one part of the program that talks to a network, and the one that
//! is asynchronous.
//!
//! Takes [`Access`] (which cluster, as whom) and the kinds that are [`Need`]ed, gives documents to a
//! [`Builder`], with what was not installed or could not be read in its coverage. Every request
//! passes [`read_only`]: nothing but GET on an allow-list of paths ever leaves.

mod access;
mod allowed;
mod discovery;
mod list;
mod proxy;
mod read_only;
mod request;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde::Deserialize;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

pub use access::Access;
use discovery::{Served, discover};
use request::{Refusal, Requester};
use words::Peer;

use super::need::Need;
use crate::failure::Failure;
use crate::manifest::document::Document;
use crate::world::build::Builder;
use crate::world::coverage::{Reach, Reason, Unread, Verb};
use crate::world::kind::Kind;
use crate::world::{KubernetesVersion, NamespacedName};

/// How many requests are under way at once.
const CONCURRENCY: usize = 8;
/// After which time it is told what is being waited for, and how often.
const PATIENCE: Duration = Duration::from_secs(1);

/// A connection to one cluster. Nothing is asked before the first read.
pub struct Cluster {
    runtime: Runtime,
    requester: Requester,
    served: Served,
    version: Option<Version>,
    lists: BTreeMap<Kind, Answer<Vec<Document>>>,
    secrets: BTreeMap<NamespacedName, Answer<Option<Document>>>,
    progress: Option<Progress>,
}

/// Tells a person what is being waited for; the empty text takes the last one back.
pub type Progress = fn(&str);

type Answer<T> = Result<T, Refusal>;

#[derive(Clone, Deserialize)]
struct Version {
    major: String,
    minor: String,
}

impl Cluster {
    /// Reads the kubeconfig and gets a credential, which may run a program (see [`Access::no_exec`]).
    /// `announce` is told the context, the server, and the program if there is one, before it runs.
    ///
    /// # Errors
    /// A kubeconfig that is not there or does not say how to reach a cluster, a plugin that fails.
    pub fn connect(
        access: &Access,
        progress: Option<Progress>,
        announce: impl FnOnce(&str, &str, Option<&str>),
    ) -> Result<Self, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|e| Failure::new(format!("cannot start to talk to a cluster: {e}")))?;
        let (client, target) = runtime.block_on(async {
            let target = access.target().await?;
            let server = target.server();
            announce(&target.context, &server, target.plugin.as_deref());
            Ok((target.client()?, target))
        })?;
        Ok(Cluster {
            runtime,
            requester: Requester {
                client,
                timeout: access.request_timeout,
                peer: Peer {
                    server: target.server(),
                    context: target.context,
                    user: target.user,
                },
            },
            served: Served::new(),
            version: None,
            lists: BTreeMap::new(),
            secrets: BTreeMap::new(),
            progress,
        })
    }

    /// Reads every object of the kinds, and the API server's version. What was read before is not read
    /// again.
    ///
    /// # Errors
    /// No answer, or none that can be read. A kind that is not installed, or may not be read, is no
    /// error: it is in the coverage.
    pub fn read(&mut self, needs: &[Need], builder: &mut Builder) -> Result<(), Failure> {
        self.read_lists(needs)?;
        if let Some(Version { major, minor }) = self.version.clone() {
            builder.set_kubernetes_version(KubernetesVersion { major, minor });
        }
        for Need { kind, label } in needs.iter().copied() {
            match self.lists.get(&kind).cloned() {
                Some(Ok(documents)) => {
                    if label.is_none() {
                        builder.coverage().add(kind, Reach::Whole);
                    }
                    documents.into_iter().for_each(|d| builder.add(d));
                }
                Some(Err(refusal)) => note(builder, refusal, Verb::List, kind, None)?,
                None => {}
            }
        }
        Ok(())
    }

    fn read_lists(&mut self, needs: &[Need]) -> Result<(), Failure> {
        let needs = needs.iter().copied();
        let needs = needs.filter(|need| !self.lists.contains_key(&need.kind));
        let needs: Vec<Need> = needs.collect();
        if needs.is_empty() {
            return Ok(());
        }
        let kinds: BTreeSet<Kind> = needs.iter().map(|need| need.kind).collect();
        let requester = self.requester.clone();
        let api = async move {
            let version = discovery::ask::<Version>(&requester, "/version").await?;
            Ok((version, discover(&requester, &kinds).await?))
        };
        let (version, served) = self.wait("its API", api)?;
        self.version = version;
        self.served.extend(served);
        let lists = needs.iter().map(|need| self.list(*need));
        let answers = self.wait_for_all("kinds", lists.collect())?;
        let kinds = needs.iter().map(|need| need.kind);
        self.lists.extend(kinds.zip(answers));
        Ok(())
    }

    /// Reads Secrets one by one. What was read before is not read again.
    ///
    /// # Errors
    /// As [`Cluster::read`].
    pub fn read_secrets(
        &mut self,
        names: &BTreeSet<NamespacedName>,
        builder: &mut Builder,
    ) -> Result<(), Failure> {
        let new = names
            .iter()
            .filter(|name| !self.secrets.contains_key(*name));
        let new: Vec<NamespacedName> = new.cloned().collect();
        let gets = new.iter().map(|(namespace, name)| {
            let requester = self.requester.clone();
            let (namespace, name) = (namespace.clone(), name.clone());
            async move { list::get(&requester, Kind::Secret, "v1", &namespace, &name).await }
        });
        let answers = self.wait_for_all("Secrets", gets.collect())?;
        self.secrets.extend(new.into_iter().zip(answers));
        for name in names {
            match self.secrets.get(name).cloned() {
                Some(Ok(document)) => document.into_iter().for_each(|d| builder.add(d)),
                Some(Err(refusal)) => note(builder, refusal, Verb::Get, Kind::Secret, Some(name))?,
                None => {}
            }
        }
        Ok(())
    }

    fn list(&self, need: Need) -> impl Future<Output = Answer<Vec<Document>>> + Send + use<> {
        let requester = self.requester.clone();
        let version = self.served.get(&need.kind).cloned();
        async move {
            match version {
                Some(version) => list::list(&requester, need.kind, &version, need.label).await,
                None => Err(Refusal::NotFound),
            }
        }
    }

    /// Runs requests side by side; the answers come in the order of the requests. The first failure
    /// ends them all.
    fn wait_for_all<T: Send + 'static>(
        &self,
        what: &str,
        requests: Vec<impl Future<Output = Answer<T>> + Send + 'static>,
    ) -> Result<Vec<Answer<T>>, Failure> {
        let total = requests.len();
        let done = Arc::new(AtomicUsize::new(0));
        let counted = done.clone();
        let all = async move {
            let free = Arc::new(Semaphore::new(CONCURRENCY));
            let mut running = JoinSet::new();
            for (index, request) in requests.into_iter().enumerate() {
                let (free, counted) = (free.clone(), counted.clone());
                running.spawn(async move {
                    let _turn = free.acquire().await;
                    let answer = request.await;
                    counted.fetch_add(1, Ordering::Relaxed);
                    (index, answer)
                });
            }
            let mut answers = Vec::with_capacity(total);
            while let Some(joined) = running.join_next().await {
                match joined.expect("a request neither panics nor is cancelled") {
                    (_, Err(Refusal::Failure(failure))) => return Err(failure),
                    answer => answers.push(answer),
                }
            }
            answers.sort_by_key(|(index, _)| *index);
            Ok(answers.into_iter().map(|(_, answer)| answer).collect())
        };
        let progress = move || format!("{} of {total} {what}", done.load(Ordering::Relaxed));
        self.run(progress, all)
    }

    fn wait<T>(
        &self,
        what: &'static str,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        self.run(move || what.to_string(), work)
    }

    /// Runs to the end, or until the user has had enough.
    fn run<T>(
        &self,
        state: impl Fn() -> String,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let server = &self.requester.peer.server;
        let tell = async {
            let mut ticks = tokio::time::interval(PATIENCE);
            ticks.tick().await;
            loop {
                ticks.tick().await;
                if let Some(progress) = self.progress {
                    progress(&format!("reading {server}: {}", state()));
                }
            }
        };
        let result = self.runtime.block_on(async {
            tokio::select! {
                result = work => Some(result),
                () = tell => None,
                _ = tokio::signal::ctrl_c() => None,
            }
        });
        if let Some(progress) = self.progress {
            progress("");
        }
        result.unwrap_or_else(|| Err(Failure::interrupted()))
    }
}

/// What a refusal means for the answers.
fn note(
    builder: &mut Builder,
    refusal: Refusal,
    verb: Verb,
    kind: Kind,
    name: Option<&NamespacedName>,
) -> Result<(), Failure> {
    let reason = match refusal {
        Refusal::NotFound => {
            builder.coverage().add(kind, Reach::NotInstalled);
            return Ok(());
        }
        Refusal::Failure(failure) => return Err(failure),
        Refusal::Forbidden => Reason::Forbidden,
        Refusal::Gone => Reason::Failed(
            "410 Gone: reading the list takes longer than the server keeps its history".to_string(),
        ),
        Refusal::Status(code, message) => Reason::Failed(format!("{code} {message}")),
    };
    builder.coverage().add_unread(Unread {
        verb,
        kind,
        namespace: name.map(|(namespace, _)| namespace.clone()),
        name: name.map(|(_, name)| name.clone()),
        reason,
    });
    Ok(())
}
