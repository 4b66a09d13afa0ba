//! What is particular to each list and key of a filter config: which lists have an order, what names
//! their items, which values are hidden.

use std::borrow::Cow;

/// What a list is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// The backends: without order, named by `name`, moved when rules are inserted.
    Backends,
    /// Without order; items with the same values under these keys are the same item. Without keys:
    /// a multiset of scalars.
    Set(&'static [&'static str]),
    /// The same, in an order that matters.
    Ordered(&'static [&'static str]),
    /// MCP routes: ordered by age, and by chance where two have the same age.
    Routes,
    /// Ordered, and items have nothing to be known by.
    Sequence,
}

impl Shape {
    /// Whether the order belongs to the value.
    pub fn is_ordered(self) -> bool {
        matches!(self, Shape::Ordered(_) | Shape::Routes | Shape::Sequence)
    }

    /// The keys that name an item.
    pub fn keys(self) -> &'static [&'static str] {
        match self {
            Shape::Backends | Shape::Routes => &["name"],
            Shape::Set(keys) | Shape::Ordered(keys) => keys,
            Shape::Sequence => &[],
        }
    }
}

const MODELS: Shape = Shape::Set(&["Name"]);

/// The shape of the list under these keys; positions in lists are left out.
pub fn shape(keys: &[Cow<'_, str>]) -> Shape {
    let keys: Vec<&str> = keys.iter().map(|key| &**key).collect();
    match keys[..] {
        ["backends"] => Shape::Backends,
        ["models" | "unscopedModels"] | ["modelsByHost", _] => MODELS,
        ["llmRequestCosts"] => Shape::Set(&["routeName", "metadataKey", "backend", "model"]),
        ["globalLLMRequestCosts"] => Shape::Ordered(&["metadataKey"]),
        ["backends", "httpHeaderMutation", "set"] => Shape::Set(&["name"]),
        ["backends", "httpBodyMutation", "set"] => Shape::Set(&["path"]),
        [
            "backends",
            "httpHeaderMutation" | "httpBodyMutation",
            "remove",
        ] => Shape::Set(&[]),
        ["mcpConfig", "routes"] => Shape::Routes,
        ["mcpConfig", "routes", "backends"]
        | ["mcpConfig", "routes", "backends", "forwardHeaders"] => Shape::Ordered(&["name"]),
        _ => Shape::Sequence,
    }
}

/// Keys of the document that change with every write or with every controller.
pub const IGNORED: [&str; 2] = ["uuid", "version"];

/// Keys whose scalars are no credentials.
const SHOWN: &[&str] = &[
    "CreatedAt",
    "Name",
    "OwnedBy",
    "action",
    "backend",
    "backendHeader",
    "backendListenerAddr",
    "cel",
    "defaultAction",
    "dynamicMetadataKey",
    "dynamicMetadataNamespace",
    "exclude",
    "excludeRegex",
    "fallbackToConfigured",
    "forwardHeaders",
    "headerName",
    "include",
    "includeRegex",
    "inputHeadersToRemove",
    "metadataKey",
    "model",
    "modelNameOverride",
    "name",
    "path",
    "prefix",
    "projectName",
    "region",
    "remove",
    "resourceMetadataURL",
    "routeName",
    "scopes",
    "tool",
    "type",
    "uuid",
    "valueType",
    "values",
    "version",
];

/// Whether the scalar under these keys must not be shown.
pub fn is_hidden(keys: &[Cow<'_, str>]) -> bool {
    keys.last().is_none_or(|key| !SHOWN.contains(&&**key))
}
