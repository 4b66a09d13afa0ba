//! Volumes of the pod and mounts of its containers.

use super::super::names::{MAX_PARTS, Names, part_path};
use super::super::part::Part;
use super::ConfigSecrets;
use crate::controllers::profile::Profile;

const UDS_VOLUME: &str = "ai-gateway-extproc-uds";

/// What is added to `spec.volumes`, in order.
pub(super) fn volumes<'w>(
    profile: &Profile,
    names: &Names,
    secrets: ConfigSecrets,
) -> Vec<Part<'w>> {
    let mut volumes = Vec::new();
    if !profile.splits_config {
        volumes.push(secret_volume(names.plain_volume(), names));
    }
    volumes.push(Part::map([
        ("name", Part::fixed(UDS_VOLUME)),
        ("emptyDir", Part::Map(Vec::new())),
    ]));
    if profile.splits_config && secrets.legacy {
        volumes.push(secret_volume(names.legacy_volume(), names));
    }
    if secrets.index {
        volumes.push(bundle_volume(names));
    }
    volumes
}

/// Why the API server refuses a pod with these volumes, if it does: a name of a volume is a DNS label.
pub(super) fn refusal(volumes: &[Part<'_>]) -> Option<String> {
    let names = volumes
        .iter()
        .filter_map(|volume| volume.get("name").and_then(Part::text));
    names.into_iter().find_map(|name| match name.len() {
        64.. => Some(format!(
            "the volume name {name} has more than 63 characters"
        )),
        _ if name.contains('.') => Some(format!("the volume name {name} has a dot")),
        _ => None,
    })
}

fn secret_volume<'w>(name: String, names: &Names) -> Part<'w> {
    let secret = Part::map([("secretName", Part::fixed(names.legacy_secret().to_string()))]);
    Part::map([("name", Part::fixed(name)), ("secret", secret)])
}

/// The index, and as many parts as there may ever be.
fn bundle_volume<'w>(names: &Names) -> Part<'w> {
    let index = projection(
        names.index_secret(),
        "index.yaml",
        "index.yaml".to_string(),
        false,
    );
    let parts =
        (0..MAX_PARTS).map(|i| projection(names.part_secret(i), "chunk", part_path(i), true));
    let sources = std::iter::once(index).chain(parts).collect();
    Part::map([
        ("name", Part::fixed(names.bundle_volume())),
        ("projected", Part::map([("sources", Part::List(sources))])),
    ])
}

fn projection<'w>(secret: String, key: &'static str, path: String, optional: bool) -> Part<'w> {
    let item = Part::map([("key", Part::fixed(key)), ("path", Part::fixed(path))]);
    let mut members = vec![
        ("name", Part::fixed(secret)),
        ("items", Part::List(vec![item])),
    ];
    if optional {
        members.push(("optional", Part::bool(true)));
    }
    Part::map([("secret", Part::map(members))])
}

/// The mount of the socket's directory, in the sidecar and in Envoy.
pub(super) fn uds_mount<'w>() -> Part<'w> {
    mount(UDS_VOLUME.to_string(), false, "/etc/ai-gateway-extproc-uds")
}

/// The sidecar's mounts, in order; `extra` are the GatewayConfig's.
pub(super) fn mounts<'w>(
    profile: &Profile,
    names: &Names,
    secrets: ConfigSecrets,
    extra: &[Part<'w>],
) -> Vec<Part<'w>> {
    const CONFIG: &str = "/etc/filter-config";
    const BUNDLE: &str = "/etc/filter-config-bundle";
    let mut mounts = vec![uds_mount()];
    if !profile.splits_config {
        mounts.push(mount(names.plain_volume(), true, CONFIG));
    }
    mounts.extend_from_slice(extra);
    if profile.splits_config && secrets.legacy {
        mounts.push(mount(names.legacy_volume(), true, CONFIG));
    }
    if secrets.index {
        mounts.push(mount(names.bundle_volume(), true, BUNDLE));
    }
    mounts
}

fn mount<'w>(name: String, read_only: bool, path: &'static str) -> Part<'w> {
    let mut members = vec![("name", Part::fixed(name))];
    if read_only {
        members.push(("readOnly", Part::bool(true)));
    }
    members.push(("mountPath", Part::fixed(path)));
    Part::map(members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::profile::{V1_0_0, V1_1_0};

    #[test]
    fn names_that_no_volume_may_have() {
        let long = "g".repeat(46);
        let fits = "g".repeat(44);
        for (profile, gateway, refused) in [
            (&V1_0_0, "gw", false),
            (&V1_0_0, fits.as_str(), false),
            (&V1_0_0, long.as_str(), true),
            (&V1_0_0, "g.w", true),
            (&V1_1_0, long.as_str(), false),
            (&V1_1_0, "g.w", true),
        ] {
            let secrets = ConfigSecrets {
                legacy: true,
                index: profile.splits_config,
            };
            let volumes = volumes(profile, &Names::of("default", gateway), secrets);
            assert_eq!(
                refusal(&volumes).is_some(),
                refused,
                "{} {gateway}",
                profile.release
            );
        }
    }
}
