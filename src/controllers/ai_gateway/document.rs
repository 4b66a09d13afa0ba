//! The filter config as a tree of keys and leaves: what is written and what is left out.
//!
//! Everything that looks at the document as a whole (the serializer, the list of origins, a
//! comparison) walks this tree, so the rules of omission stand in one place.

use std::borrow::Cow;
use std::rc::Rc;

use super::config::{
    Auth, Authorization, AuthorizationRule, Backend, Claim, Config, Cost, CredentialOverride, Leaf,
    McpBackend, McpConfig, McpRoute, Model, Mutation, Schema, Text,
};
use crate::manifest::emit::{EmitError, Tree, to_yaml};
use crate::secret::Reveal;

/// A part of the document.
#[derive(Debug, Clone)]
pub enum Doc<'c, 'w> {
    /// `null`.
    Null,
    /// A scalar.
    Leaf(&'c Leaf<'w>),
    /// A list.
    List(Vec<Doc<'c, 'w>>),
    /// A mapping; the serializer sorts its keys.
    Map(Vec<(Cow<'c, str>, Doc<'c, 'w>)>),
}

impl<'w> Config<'w> {
    /// The document as a tree.
    pub fn document(&self) -> Doc<'_, 'w> {
        let hosts = self.models_by_host.iter().map(|(host, models)| {
            let mut listed = models_doc(models);
            listed.extend(models_doc(&self.unscoped_models));
            (Cow::Borrowed(*host), Doc::List(listed))
        });
        let hosts: Vec<_> = hosts.collect();
        let mut map = Members::default();
        map.leaf("version", &self.version);
        map.leaf("uuid", &self.uuid);
        map.list(
            "globalLLMRequestCosts",
            self.global_costs.iter().map(cost).collect(),
        );
        map.list("llmRequestCosts", self.costs.iter().map(cost).collect());
        map.list("backends", self.backends.iter().map(backend).collect());
        map.list("models", models_doc(&self.models));
        if !hosts.is_empty() {
            map.put("modelsByHost", Doc::Map(hosts));
        }
        map.list("unscopedModels", models_doc(&self.unscoped_models));
        map.option("mcpConfig", self.mcp.as_ref().map(mcp_config));
        map.doc()
    }

    /// The text that the controller would store, with hidden values as placeholders unless they
    /// are to be revealed.
    ///
    /// # Errors
    /// What the controller's serializer says when it cannot write the document.
    pub fn to_yaml(&self, reveal: Reveal) -> Result<String, EmitError> {
        to_yaml(&self.document().tree(reveal))
    }
}

impl<'c> Doc<'c, '_> {
    /// The tree that the serializer takes.
    pub fn tree(&self, reveal: Reveal) -> Tree<'c> {
        match self {
            Doc::Null => Tree::Null,
            Doc::Leaf(leaf) => leaf_tree(leaf, reveal),
            Doc::List(items) => Tree::List(items.iter().map(|i| i.tree(reveal)).collect()),
            Doc::Map(members) => Tree::Map(
                members
                    .iter()
                    .map(|(k, v)| (k.clone(), v.tree(reveal)))
                    .collect(),
            ),
        }
    }

    /// Calls `each` with the path and the leaf of every scalar.
    pub fn leaves<'a>(&'a self, each: &mut dyn FnMut(&str, &'c Leaf<'_>))
    where
        'c: 'a,
    {
        self.walk(&mut String::new(), each);
    }

    fn walk(&self, path: &mut String, each: &mut dyn FnMut(&str, &'c Leaf<'_>)) {
        let length = path.len();
        match self {
            Doc::Null => {}
            Doc::Leaf(leaf) => each(path, leaf),
            Doc::List(items) => {
                for (i, item) in items.iter().enumerate() {
                    path.push_str(&format!("[{i}]"));
                    item.walk(path, each);
                    path.truncate(length);
                }
            }
            Doc::Map(members) => {
                for (key, value) in members {
                    push_key(path, key);
                    value.walk(path, each);
                    path.truncate(length);
                }
            }
        }
    }
}

fn push_key(path: &mut String, key: &str) {
    if key.bytes().all(|b| b.is_ascii_alphanumeric()) && !key.is_empty() {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
    } else {
        path.push_str(&format!("[{key:?}]"));
    }
}

fn leaf_tree<'c>(leaf: &'c Leaf<'_>, reveal: Reveal) -> Tree<'c> {
    match &leaf.text {
        Text::Bool(value) => Tree::Bool(*value),
        Text::Credential(secret) if reveal.secrets => Tree::Bytes(Cow::Borrowed(secret.reveal())),
        _ => Tree::Str(leaf.shown(reveal)),
    }
}

/// The members of a mapping under construction.
#[derive(Default)]
struct Members<'c, 'w>(Vec<(Cow<'c, str>, Doc<'c, 'w>)>);

impl<'c, 'w> Members<'c, 'w> {
    fn put(&mut self, key: &'static str, doc: Doc<'c, 'w>) {
        self.0.push((Cow::Borrowed(key), doc));
    }

    fn leaf(&mut self, key: &'static str, leaf: &'c Leaf<'w>) {
        self.put(key, Doc::Leaf(leaf));
    }

    fn option(&mut self, key: &'static str, doc: Option<Doc<'c, 'w>>) {
        if let Some(doc) = doc {
            self.put(key, doc);
        }
    }

    fn option_leaf(&mut self, key: &'static str, leaf: &'c Option<Leaf<'w>>) {
        self.option(key, leaf.as_ref().map(Doc::Leaf));
    }

    /// A list that is left out when empty.
    fn list(&mut self, key: &'static str, items: Vec<Doc<'c, 'w>>) {
        if !items.is_empty() {
            self.put(key, Doc::List(items));
        }
    }

    fn leaves(&mut self, key: &'static str, leaves: &'c [Leaf<'w>]) {
        self.list(key, leaves.iter().map(Doc::Leaf).collect());
    }

    fn doc(self) -> Doc<'c, 'w> {
        Doc::Map(self.0)
    }
}

fn models_doc<'c, 'w>(models: &'c [Rc<Model<'w>>]) -> Vec<Doc<'c, 'w>> {
    models.iter().map(|m| model(m)).collect()
}

fn model<'c, 'w>(model: &'c Model<'w>) -> Doc<'c, 'w> {
    let mut map = Members::default();
    map.leaf("Name", &model.name);
    map.leaf("OwnedBy", &model.owned_by);
    map.leaf("CreatedAt", &model.created_at);
    map.doc()
}

fn cost<'c, 'w>(cost: &'c Cost<'w>) -> Doc<'c, 'w> {
    let mut map = Members::default();
    map.leaf("metadataKey", &cost.metadata_key);
    map.option_leaf("routeName", &cost.route_name);
    map.leaf("type", &cost.kind);
    map.option_leaf("cel", &cost.cel);
    map.option_leaf("backend", &cost.backend);
    map.option_leaf("model", &cost.model);
    map.doc()
}

fn backend<'c, 'w>(backend: &'c Backend<'w>) -> Doc<'c, 'w> {
    let mut map = Members::default();
    map.leaf("name", &backend.name);
    map.leaf("modelNameOverride", &backend.model_name_override);
    map.put("schema", schema(&backend.schema));
    map.option("auth", backend.auth.as_ref().map(auth));
    let header = backend.header_mutation.as_ref();
    map.option("httpHeaderMutation", header.map(|m| mutation(m, "name")));
    let body = backend.body_mutation.as_ref();
    map.option("httpBodyMutation", body.map(|m| mutation(m, "path")));
    map.doc()
}

fn schema<'c, 'w>(schema: &'c Schema<'w>) -> Doc<'c, 'w> {
    let mut map = Members::default();
    map.leaf("name", &schema.name);
    map.option_leaf("version", &schema.version);
    map.option_leaf("prefix", &schema.prefix);
    map.doc()
}

fn auth<'c, 'w>(auth: &'c Auth<'w>) -> Doc<'c, 'w> {
    let mut members = Members::default();
    for (key, leaf) in &auth.members {
        members.leaf(key, leaf);
    }
    let mut map = Members::default();
    map.put(auth.kind, members.doc());
    let source = auth.credential_override.as_ref();
    map.option("credentialOverride", source.map(credential_override));
    map.doc()
}

fn credential_override<'c, 'w>(source: &'c CredentialOverride<'w>) -> Doc<'c, 'w> {
    let mut map = Members::default();
    map.option_leaf("headerName", &source.header_name);
    map.option_leaf("dynamicMetadataNamespace", &source.metadata_namespace);
    map.option_leaf("dynamicMetadataKey", &source.metadata_key);
    map.leaf("fallbackToConfigured", &source.fallback);
    map.leaves("inputHeadersToRemove", &source.input_headers_to_remove);
    map.doc()
}

fn mutation<'c, 'w>(mutation: &'c Mutation<'w>, key: &'static str) -> Doc<'c, 'w> {
    let set = mutation.set.iter().map(|(name, value)| {
        let mut entry = Members::default();
        entry.leaf(key, name);
        entry.leaf("value", value);
        entry.doc()
    });
    let mut map = Members::default();
    map.list("set", set.collect());
    map.leaves("remove", &mutation.remove);
    map.doc()
}

fn mcp_config<'c, 'w>(mcp: &'c McpConfig<'w>) -> Doc<'c, 'w> {
    let mut map = Members::default();
    map.leaf("backendListenerAddr", &mcp.backend_listener_addr);
    map.list("routes", mcp.routes.iter().map(mcp_route).collect());
    map.doc()
}

fn mcp_route<'c, 'w>(route: &'c McpRoute<'w>) -> Doc<'c, 'w> {
    let mut map = Members::default();
    map.leaf("name", &route.name);
    // Never left out: the controller always makes the list.
    map.put(
        "backends",
        Doc::List(route.backends.iter().map(mcp_backend).collect()),
    );
    map.option(
        "authorization",
        route.authorization.as_ref().map(authorization),
    );
    map.option(
        "backendSelector",
        route.backend_selector.as_ref().map(authorization),
    );
    map.leaves("forwardHeaders", &route.forward_headers);
    map.doc()
}

fn mcp_backend<'c, 'w>(backend: &'c McpBackend<'w>) -> Doc<'c, 'w> {
    let mut map = Members::default();
    map.leaf("name", &backend.name);
    map.option(
        "toolSelector",
        backend.tool_selector.as_ref().map(|lists| {
            let mut selector = Members::default();
            for (key, tools) in lists {
                selector.leaves(key, tools);
            }
            selector.doc()
        }),
    );
    let forwards = backend
        .forward_headers
        .iter()
        .map(|(name, backend_header)| {
            let mut entry = Members::default();
            entry.leaf("name", name);
            entry.option_leaf("backendHeader", backend_header);
            entry.doc()
        });
    map.list("forwardHeaders", forwards.collect());
    map.doc()
}

fn authorization<'c, 'w>(authorization: &'c Authorization<'w>) -> Doc<'c, 'w> {
    let mut map = Members::default();
    map.leaf("defaultAction", &authorization.default_action);
    map.list("rules", authorization.rules.iter().map(rule).collect());
    map.option_leaf("resourceMetadataURL", &authorization.resource_metadata_url);
    map.doc()
}

fn rule<'c, 'w>(rule: &'c AuthorizationRule<'w>) -> Doc<'c, 'w> {
    let mut map = Members::default();
    map.leaf("action", &rule.action);
    map.option_leaf("cel", &rule.cel);
    if let Some(source) = &rule.source {
        let mut jwt = Members::default();
        jwt.leaves("scopes", &source.scopes);
        jwt.list("claims", source.claims.iter().map(claim).collect());
        map.put("source", Doc::Map(vec![(Cow::Borrowed("jwt"), jwt.doc())]));
    }
    if let Some(tools) = &rule.target {
        let tools = tools.iter().map(|(backend, tool)| {
            let mut entry = Members::default();
            entry.leaf("backend", backend);
            entry.leaf("tool", tool);
            entry.doc()
        });
        let tools = Doc::List(tools.collect());
        map.put("target", Doc::Map(vec![(Cow::Borrowed("tools"), tools)]));
    }
    map.doc()
}

fn claim<'c, 'w>(claim: &'c Claim<'w>) -> Doc<'c, 'w> {
    let mut map = Members::default();
    map.leaf("name", &claim.name);
    map.leaf("valueType", &claim.value_type);
    let values = match &claim.values[..] {
        [] => Doc::Null,
        values => Doc::List(values.iter().map(Doc::Leaf).collect()),
    };
    map.put("values", values);
    map.doc()
}
