//! Which kinds the API server knows, and in which version each is read.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::task::JoinSet;

use super::request::{Refusal, Requester};
use crate::failure::Failure;
use crate::world::kind::Kind;

/// The version of each kind that is served. A kind that is not here is not installed.
pub(super) type Served = BTreeMap<Kind, String>;

#[derive(Deserialize)]
struct GroupList {
    groups: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    name: String,
    versions: Vec<GroupVersion>,
}

#[derive(Deserialize)]
struct GroupVersion {
    version: String,
}

#[derive(Deserialize)]
struct ResourceList {
    resources: Vec<Resource>,
}

#[derive(Deserialize)]
struct Resource {
    name: String,
    #[serde(default)]
    verbs: Vec<String>,
}

/// Asks for the groups of the kinds, then for what each version of them serves. Of several versions
/// the server's first is taken, as `kubectl` does.
pub(super) async fn discover(
    requester: &Requester,
    kinds: &BTreeSet<Kind>,
) -> Result<Served, Failure> {
    let mut served = Served::new();
    let wanted: BTreeSet<&str> = kinds.iter().map(|kind| kind.group()).collect();
    if wanted.contains("") {
        let core = kinds.iter().filter(|kind| kind.group().is_empty());
        served.extend(core.map(|kind| (*kind, "v1".to_string())));
    }
    let groups = groups(requester, wanted).await?;
    let mut requests = JoinSet::new();
    for (rank, group, version) in groups {
        let requester = requester.clone();
        requests.spawn(async move {
            let path = format!("/apis/{group}/{version}");
            let resources = match ask::<ResourceList>(&requester, &path).await {
                Ok(list) => list.map(|l| l.resources).unwrap_or_default(),
                Err(failure) => return Err(failure),
            };
            Ok((rank, group, version, resources))
        });
    }
    let mut answers = Vec::new();
    while let Some(answer) = requests.join_next().await {
        answers.push(answer.expect("discovery neither panics nor is cancelled")?);
    }
    answers.sort_by_key(|(rank, ..)| *rank);
    for (_, group, version, resources) in answers {
        for kind in kinds.iter().filter(|kind| kind.group() == group) {
            let is_kind =
                |r: &Resource| r.name == kind.plural() && r.verbs.iter().any(|v| v == "list");
            if resources.iter().any(is_kind) {
                served.entry(*kind).or_insert_with(|| version.clone());
            }
        }
    }
    Ok(served)
}

/// The versions of the wanted groups that the server has, the preferred ones first.
async fn groups(
    requester: &Requester,
    wanted: BTreeSet<&str>,
) -> Result<Vec<(usize, String, String)>, Failure> {
    if wanted.iter().all(|group| group.is_empty()) {
        return Ok(Vec::new());
    }
    let list = ask::<GroupList>(requester, "/apis").await?;
    let mut found = Vec::new();
    let groups = list.map(|l| l.groups).unwrap_or_default();
    for group in groups.into_iter().filter(|g| wanted.contains(&*g.name)) {
        for version in group.versions {
            found.push((found.len(), group.name.clone(), version.version));
        }
    }
    Ok(found)
}

/// An answer as JSON; `None` when there is no such path.
pub(super) async fn ask<T: DeserializeOwned>(
    requester: &Requester,
    path: &str,
) -> Result<Option<T>, Failure> {
    let peer = &requester.peer;
    match requester.get(path).await {
        Ok(body) => serde_json::from_slice(&body)
            .map(Some)
            .map_err(|error| peer.nonsense(path, &error.to_string())),
        Err(Refusal::NotFound) => Ok(None),
        Err(Refusal::Failure(failure)) => Err(failure),
        Err(Refusal::Forbidden) => Err(peer.status(path, 403, "Forbidden").hint(
            "every authenticated user may read this by default (ClusterRole system:discovery)",
        )),
        Err(Refusal::Gone) => Err(peer.status(path, 410, "Gone")),
        Err(Refusal::Status(code, message)) => Err(peer.status(path, code, &message)),
    }
}
