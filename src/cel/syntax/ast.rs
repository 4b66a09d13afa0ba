//! The syntax tree: nodes in one flat list, so that no depth of nesting can exhaust the stack when it is dropped.

use std::sync::Arc;

use crate::cel::source::Span;

/// Which node of an [`Ast`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::cel) struct NodeId(u32);

impl NodeId {
    /// The place of this node's facts in lists that run beside the nodes.
    pub(in crate::cel) fn index(self) -> usize {
        self.0 as usize
    }
}

pub(in crate::cel) type Name = Arc<str>;

/// A parsed expression with its macros expanded.
#[derive(Clone, Debug, Default)]
pub(in crate::cel) struct Ast {
    nodes: Vec<Node>,
}

#[derive(Clone, Debug)]
pub(in crate::cel) struct Node {
    pub(in crate::cel) expr: Expr,
    /// Where problems of this node are reported: the operator, the bracket or the name.
    pub(in crate::cel) at: usize,
    /// All of its text.
    pub(in crate::cel) span: Span,
    /// Written by the user, not made by a macro.
    pub(in crate::cel) written: bool,
}

#[derive(Clone, Debug)]
pub(in crate::cel) enum Expr {
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
pub(in crate::cel) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(Name),
    Bytes(Arc<[u8]>),
}

#[derive(Clone, Debug)]
pub(in crate::cel) struct Element {
    pub(in crate::cel) value: NodeId,
    pub(in crate::cel) optional: bool,
}

#[derive(Clone, Debug)]
pub(in crate::cel) struct Entry {
    pub(in crate::cel) key: NodeId,
    pub(in crate::cel) value: NodeId,
    pub(in crate::cel) optional: bool,
}

#[derive(Clone, Debug)]
pub(in crate::cel) struct Field {
    pub(in crate::cel) name: Name,
    /// The colon, where problems of the field are reported.
    pub(in crate::cel) at: usize,
    pub(in crate::cel) value: NodeId,
    pub(in crate::cel) optional: bool,
}

/// A loop over a list or the keys of a map that folds into one value.
#[derive(Clone, Debug)]
pub(in crate::cel) struct Comprehension {
    pub(in crate::cel) range: NodeId,
    pub(in crate::cel) variable: Name,
    pub(in crate::cel) accumulator: Name,
    pub(in crate::cel) init: NodeId,
    pub(in crate::cel) condition: NodeId,
    pub(in crate::cel) step: NodeId,
    pub(in crate::cel) result: NodeId,
}

impl Ast {
    pub(in crate::cel) fn add(&mut self, node: Node) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(node);
        id
    }

    pub(in crate::cel) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub(in crate::cel) fn expr(&self, id: NodeId) -> &Expr {
        &self.node(id).expr
    }

    pub(in crate::cel) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    pub(in crate::cel) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Every node with its id, in the order of their making.
    pub(in crate::cel) fn iter(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        (0..).map(NodeId).zip(&self.nodes)
    }

    /// The dotted name that an identifier with selections spells, if it is one.
    pub(in crate::cel) fn qualified_name(&self, id: NodeId) -> Option<String> {
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
