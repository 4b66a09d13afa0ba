//! Times as objects have them; the newest one stands for "now".

use jiff::Timestamp;

use crate::world::World;
use crate::world::field::Field;
use crate::world::object::Object;

/// The time of a field.
pub(super) fn of(field: &Field<'_>) -> Option<Timestamp> {
    field.str()?.parse().ok()
}

/// When an object was created.
pub(super) fn created(object: &Object) -> Option<Timestamp> {
    of(&object.metadata().get("creationTimestamp"))
}

/// When an object was last written, status included; `None` where its managed fields are hidden.
pub(super) fn written(object: &Object) -> Option<Timestamp> {
    let fields = object.metadata().get("managedFields");
    fields.items().filter_map(|f| of(&f.get("time"))).max()
}

/// When anything but the status of an object was last written.
pub(super) fn specified(object: &Object) -> Option<Timestamp> {
    let fields = object.metadata().get("managedFields");
    let own = fields.items().filter(|f| !f.get("subresource").is_set());
    own.filter_map(|f| of(&f.get("time"))).max()
}

/// The newest time in all objects.
pub(super) fn newest(world: &World) -> Option<Timestamp> {
    world.objects().iter().filter_map(newest_of).max()
}

fn newest_of(object: &Object) -> Option<Timestamp> {
    let conditions = object.field().get("status").get("conditions");
    let own = [
        of(&object.spec().get("renewTime")),
        of(&object.field().get("lastTimestamp")),
        created(object),
        written(object),
    ];
    conditions
        .items()
        .filter_map(|c| of(&c.get("lastTransitionTime")))
        .chain(own.into_iter().flatten())
        .max()
}
