//! What a GatewayConfig says about the sidecar, as the controller's Go types hold it: unknown fields
//! pruned, defaults set, empty values left out where Go leaves them out, quantities canonical.

use std::borrow::Cow;

use super::origin::{Because, Origin, Rule};
use super::part::{Part, Scalar};
use super::quantity;
use crate::manifest::node::Value;
use crate::secret::Secret;
use crate::world::field::Field;
use crate::world::object::Object;

/// `spec.extProc` of a GatewayConfig; [`Part::Null`] when there is none.
pub fn ext_proc(config: Option<&Object>) -> Part<'_> {
    config
        .map(|config| config.spec().get("extProc"))
        .and_then(|field| EXT_PROC.read(&field))
        .unwrap_or(Part::Null)
}

/// The type of a field.
enum Type {
    Text,
    /// A text that may be a credential.
    HiddenText,
    Bool,
    Int,
    Quantity,
    /// Quantities by resource name.
    Quantities,
    List(&'static Type),
    Struct(&'static [Member]),
}

/// When Go leaves a member out.
enum Omit {
    /// Never; an absent value is written as the zero value.
    Never,
    /// When it is the zero value.
    Empty,
    /// Only when it is absent.
    Absent,
    /// Never, since the API server sets `false` where it is absent.
    DefaultFalse,
}

/// A member of a Go struct: key, type, when it is left out.
struct Member(&'static str, Type, Omit);

use Omit::{Absent, DefaultFalse, Empty, Never};
use Type::{Bool, HiddenText, Int, List, Quantities, Quantity, Struct, Text};

/// `GatewayConfigExtProc`.
const EXT_PROC: Type = Struct(&[Member("kubernetes", KUBERNETES, Absent)]);

const KUBERNETES: Type = Struct(&[
    Member("env", List(&ENV_VAR), Empty),
    Member("resources", RESOURCES, Absent),
    Member("securityContext", SECURITY_CONTEXT, Absent),
    Member("image", Text, Absent),
    Member("imageRepository", Text, Absent),
    Member("volumeMounts", List(&VOLUME_MOUNT), Empty),
]);

const ENV_VAR: Type = Struct(&[
    Member("name", Text, Never),
    Member("value", HiddenText, Empty),
    Member(
        "valueFrom",
        Struct(&[
            Member(
                "fieldRef",
                Struct(&[
                    Member("apiVersion", Text, Empty),
                    Member("fieldPath", Text, Never),
                ]),
                Absent,
            ),
            Member(
                "resourceFieldRef",
                Struct(&[
                    Member("containerName", Text, Empty),
                    Member("resource", Text, Never),
                    Member("divisor", Quantity, Never),
                ]),
                Absent,
            ),
            Member("configMapKeyRef", KEY_REF, Absent),
            Member("secretKeyRef", KEY_REF, Absent),
            Member(
                "fileKeyRef",
                Struct(&[
                    Member("volumeName", Text, Never),
                    Member("path", Text, Never),
                    Member("key", Text, Never),
                    Member("optional", Bool, DefaultFalse),
                ]),
                Absent,
            ),
        ]),
        Absent,
    ),
]);

const KEY_REF: Type = Struct(&[
    Member("name", Text, Empty),
    Member("key", Text, Never),
    Member("optional", Bool, Absent),
]);

const RESOURCES: Type = Struct(&[
    Member("limits", Quantities, Empty),
    Member("requests", Quantities, Empty),
    Member(
        "claims",
        List(&Struct(&[
            Member("name", Text, Never),
            Member("request", Text, Empty),
        ])),
        Empty,
    ),
]);

const SECURITY_CONTEXT: Type = Struct(&[
    Member(
        "capabilities",
        Struct(&[
            Member("add", List(&Text), Empty),
            Member("drop", List(&Text), Empty),
        ]),
        Absent,
    ),
    Member("privileged", Bool, Absent),
    Member(
        "seLinuxOptions",
        Struct(&[
            Member("user", Text, Empty),
            Member("role", Text, Empty),
            Member("type", Text, Empty),
            Member("level", Text, Empty),
        ]),
        Absent,
    ),
    Member(
        "windowsOptions",
        Struct(&[
            Member("gmsaCredentialSpecName", Text, Absent),
            Member("gmsaCredentialSpec", Text, Absent),
            Member("runAsUserName", Text, Absent),
            Member("hostProcess", Bool, Absent),
        ]),
        Absent,
    ),
    Member("runAsUser", Int, Absent),
    Member("runAsGroup", Int, Absent),
    Member("runAsNonRoot", Bool, Absent),
    Member("readOnlyRootFilesystem", Bool, Absent),
    Member("allowPrivilegeEscalation", Bool, Absent),
    Member("procMount", Text, Absent),
    Member("seccompProfile", PROFILE, Absent),
    Member("appArmorProfile", PROFILE, Absent),
]);

const PROFILE: Type = Struct(&[
    Member("type", Text, Never),
    Member("localhostProfile", Text, Absent),
]);

const VOLUME_MOUNT: Type = Struct(&[
    Member("name", Text, Never),
    Member("readOnly", Bool, Empty),
    Member("recursiveReadOnly", Text, Absent),
    Member("mountPath", Text, Never),
    Member("subPath", Text, Empty),
    Member("mountPropagation", Text, Absent),
    Member("subPathExpr", Text, Empty),
]);

impl Type {
    /// The value of a field; `None` when it is absent or of another type, which the API server
    /// would have refused.
    fn read<'w>(&self, field: &Field<'w>) -> Option<Part<'w>> {
        let leaf = |scalar| Part::leaf(scalar, origin(Rule::Field, field));
        match self {
            Text => field.str().map(|text| leaf(Scalar::Text(text.into()))),
            HiddenText => field
                .str()
                .map(|text| leaf(Scalar::Hidden(Secret::new(text.into())))),
            Bool => field.bool().map(|value| leaf(Scalar::Bool(value))),
            Int => field.int().map(|value| leaf(Scalar::Int(value))),
            Quantity => quantity_text(field).map(|text| leaf(Scalar::Text(text))),
            Quantities => {
                let mut entries: Vec<_> = field.entries().collect();
                entries.sort_by_key(|(name, _)| *name);
                let members = entries.into_iter().filter_map(|(name, value)| {
                    Some((Cow::Borrowed(name), Quantity.read(&value)?))
                });
                field.is_set().then(|| Part::Map(members.collect()))
            }
            List(item) => {
                let items = field.items().filter_map(|field| item.read(&field));
                field.is_set().then(|| Part::List(items.collect()))
            }
            Struct(members) => is_map(field).then(|| {
                let present = members.iter().filter_map(|member| {
                    Some((Cow::Borrowed(member.0), member.read(&field.get(member.0))?))
                });
                Part::Map(present.collect())
            }),
        }
    }

    /// What Go writes for an absent value of the type.
    fn zero<'w>(&self, field: &Field<'w>) -> Part<'w> {
        let value = match self {
            Bool => Scalar::Bool(false),
            Quantity => Scalar::Text("0".into()),
            _ => Scalar::Text("".into()),
        };
        Part::leaf(value, origin(Rule::Default, field))
    }
}

impl Member {
    fn read<'w>(&self, field: &Field<'w>) -> Option<Part<'w>> {
        let Member(_, kind, omit) = self;
        let value = kind.read(field);
        match omit {
            Never | DefaultFalse => Some(value.unwrap_or_else(|| kind.zero(field))),
            Empty => value.filter(|part| !is_empty(part)),
            Absent => value,
        }
    }
}

/// Go's `omitempty` for values that are no structs.
fn is_empty(part: &Part<'_>) -> bool {
    match part {
        Part::Null => true,
        Part::Leaf(leaf) => match &leaf.value {
            Scalar::Bool(value) => !value,
            Scalar::Int(value) => *value == 0,
            Scalar::Text(text) => text.is_empty(),
            Scalar::Hidden(text) => text.reveal().is_empty(),
        },
        Part::List(items) => items.is_empty(),
        Part::Map(members) => members.is_empty(),
    }
}

fn is_map(field: &Field<'_>) -> bool {
    field
        .node()
        .is_some_and(|node| matches!(node.value, Value::Map(_)))
}

/// A quantity may be written as a text or as a number. What is no quantity is kept as it is: no
/// cluster holds it.
fn quantity_text<'w>(field: &Field<'w>) -> Option<Cow<'w, str>> {
    let text = match &field.node()?.value {
        Value::String(text) => Cow::Borrowed(text.trim()),
        Value::Int(number) => number.to_string().into(),
        Value::UInt(number) => number.to_string().into(),
        Value::Float(number) => number.to_string().into(),
        _ => return None,
    };
    Some(quantity::canonical(&text).map_or(text, Cow::Owned))
}

fn origin<'w>(rule: Rule, field: &Field<'w>) -> Origin<'w> {
    Origin::new(rule, field.source(), &Because::nothing())
}
