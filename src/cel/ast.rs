//! The syntax tree: nodes in one flat list, so that no depth of nesting can exhaust the stack when it is dropped.

use std::sync::Arc;

use super::source::Span;

/// Which node of an [`Ast`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct NodeId(u32);

impl NodeId {
    /// The place of this node's facts in lists that run beside the nodes.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

pub(super) type Name = Arc<str>;

/// A parsed expression with its macros expanded.
#[derive(Clone, Debug, Default)]
pub(super) struct Ast {
    nodes: Vec<Node>,
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) expr: Expr,
    /// Where problems of this node are reported: the operator, the bracket or the name.
    pub(super) at: usize,
    /// All of its text.
    pub(super) span: Span,
    /// Written by the user, not made by a macro.
    pub(super) written: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Expr {
    /// Stands where the text is wrong; never checked or evaluated.
    Broken,
    Literal(Literal),
    Ident(Name),
    Select {
        operand: NodeId,
        field: Name,
        presence_test: bool,
    },
    Call {
        function: Name,
        target: Option<NodeId>,
        args: Vec<NodeId>,
    },
    List(Vec<Element>),
    Map(Vec<Entry>),
    Message {
        name: Name,
        fields: Vec<Field>,
    },
    Comprehension(Box<Comprehension>),
}

#[derive(Clone, Debug)]
pub(super) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(Name),
    Bytes(Arc<[u8]>),
}

#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) value: NodeId,
    pub(super) optional: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: NodeId,
    pub(super) value: NodeId,
    pub(super) optional: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: Name,
    /// The colon, where problems of the field are reported.
    pub(super) at: usize,
    pub(super) value: NodeId,
    pub(super) optional: bool,
}

/// A loop over a list or the keys of a map that folds into one value.
#[derive(Clone, Debug)]
pub(super) struct Comprehension {
    pub(super) range: NodeId,
    pub(super) variable: Name,
    pub(super) accumulator: Name,
    pub(super) init: NodeId,
    pub(super) condition: NodeId,
    pub(super) step: NodeId,
    pub(super) result: NodeId,
}

impl Ast {
    pub(super) fn add(&mut self, node: Node) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(node);
        id
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub(super) fn expr(&self, id: NodeId) -> &Expr {
        &self.node(id).expr
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Every node with its id, in the order of their making.
    pub(super) fn iter(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        (0..).map(NodeId).zip(&self.nodes)
    }

    /// The dotted name that an identifier with selections spells, if it is one.
    pub(super) fn qualified_name(&self, id: NodeId) -> Option<String> {
        match self.expr(id) {
            Expr::Ident(name) => Some(name.to_string()),
            Expr::Select {
                operand,
                field,
                presence_test: false,
            } => {
                let mut name = self.qualified_name(*operand)?;
                name.push('.');
                name.push_str(field);
                Some(name)
            }
            _ => None,
        }
    }
}
