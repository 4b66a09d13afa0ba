//! Which Secrets the answer for some Gateways is made from.

use std::collections::BTreeSet;

use super::build::Expressions;
use super::names::{MAX_PARTS, Names};
use super::options::{MissingSecrets, Options};
use super::reconcile;
use crate::world::kind::Kind;
use crate::world::{NamespacedName, World};

/// The Secrets that a pass over each Gateway asks for and that the world does not hold, and the filter
/// config Secrets of the Gateways wherever a version of the controller may have put them.
pub fn secrets<'w>(
    world: &'w World,
    options: &Options<'w>,
    gateways: &[NamespacedName],
) -> BTreeSet<NamespacedName> {
    // With a Secret assumed the pass goes on to those that are asked for after it.
    let options = Options {
        missing_secrets: MissingSecrets::Placeholder,
        ..options.clone()
    };
    let shared = options.settings.envoy_gateway_namespace();
    let mut expressions = Expressions::new();
    let (_, mut secrets) = world.seek(Kind::Secret, || {
        for gateway in gateways {
            reconcile(world, &options, gateway, &mut expressions);
        }
    });
    for gateway in gateways {
        let names = Names::of(&gateway.0, &gateway.1);
        let mut all = vec![names.legacy_secret().to_string(), names.index_secret()];
        all.extend((0..MAX_PARTS).map(|i| names.part_secret(i)));
        for namespace in [&*gateway.0, shared] {
            secrets.extend(all.iter().map(|name| (namespace.to_string(), name.clone())));
        }
    }
    secrets.retain(|(namespace, name)| {
        world.get(Kind::Secret, namespace, name).is_none() && !namespace.is_empty()
    });
    secrets
}
