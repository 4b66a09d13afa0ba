//! Macros: calls that the parser replaces by what they stand for.
//!
//! All that a macro makes is reported at the parenthesis of its call. Its parts are not "written", except the
//! arguments that the user wrote.

use super::ast::{Comprehension, Element, Entry, Expr, Field, Literal, Name, Node, NodeId};
use super::operator;
use super::parser::Parser;
use crate::cel::source::Span;

/// The accumulator of the standard macros; no text can spell it.
pub(in crate::cel) const ACCUMULATOR: &str = "@result";
const OLD_ACCUMULATOR: &str = "__result__";
/// The loop variable of loops that only bind a name.
const UNUSED: &str = "#unused";

/// Where a macro was called.
struct Site {
    at: usize,
    span: Span,
}

impl Parser<'_> {
    /// The node of `function(args)`.
    pub(in crate::cel) fn global_call_node(
        &mut self,
        function: &str,
        args: Vec<NodeId>,
        at: usize,
        span: Span,
    ) -> NodeId {
        if function == "has"
            && let [arg] = args[..]
        {
            return self.has(arg, at, span);
        }
        let expr = Expr::Call {
            function: function.into(),
            target: None,
            args,
        };
        self.ast.add(Node {
            expr,
            at,
            span,
            written: true,
        })
    }

    /// The node of `target.function(args)`.
    pub(in crate::cel) fn receiver_call(
        &mut self,
        function: &str,
        target: NodeId,
        args: Vec<NodeId>,
        at: usize,
        span: Span,
    ) -> NodeId {
        let site = Site { at, span };
        let optionals = self.syntax.optionals;
        match (function, &args[..]) {
            ("all" | "exists" | "exists_one", &[variable, predicate]) => {
                self.quantifier(function, target, variable, predicate, &site)
            }
            ("map", &[variable, value]) => self.map_macro(target, variable, None, value, &site),
            ("map", &[variable, filter, value]) => {
                self.map_macro(target, variable, Some(filter), value, &site)
            }
            ("filter", &[variable, filter]) => {
                self.map_macro(target, variable, Some(filter), variable, &site)
            }
            ("optMap", &[variable, value]) if optionals => {
                self.optional_map(true, target, variable, value, &site)
            }
            ("optFlatMap", &[variable, value]) if optionals => {
                self.optional_map(false, target, variable, value, &site)
            }
            _ => {
                let Site { at, span } = site;
                let expr = Expr::Call {
                    function: function.into(),
                    target: Some(target),
                    args,
                };
                self.ast.add(Node {
                    expr,
                    at,
                    span,
                    written: true,
                })
            }
        }
    }

    fn has(&mut self, arg: NodeId, at: usize, span: Span) -> NodeId {
        let expr = match self.ast.expr(arg) {
            Expr::Select { operand, field, .. } => Expr::Select {
                operand: *operand,
                field: field.clone(),
                presence_test: true,
            },
            _ => {
                self.macro_problem(arg, "invalid argument to has() macro");
                Expr::Broken
            }
        };
        self.ast.add(Node {
            expr,
            at,
            span,
            written: true,
        })
    }

    /// The loop variable, when the argument is a plain name that may be one.
    fn loop_variable(&mut self, argument: NodeId, complaint: &str) -> Option<Name> {
        match self.ast.expr(argument) {
            Expr::Ident(name) if ![ACCUMULATOR, OLD_ACCUMULATOR].contains(&&**name) => {
                Some(name.clone())
            }
            Expr::Ident(_) => {
                self.macro_problem(
                    argument,
                    "iteration variable overwrites accumulator variable",
                );
                None
            }
            _ => {
                self.macro_problem(argument, complaint);
                None
            }
        }
    }

    fn quantifier(
        &mut self,
        kind: &str,
        range: NodeId,
        variable: NodeId,
        predicate: NodeId,
        site: &Site,
    ) -> NodeId {
        let Some(variable) = self.loop_variable(variable, "argument must be a simple name") else {
            return self.make(site, Expr::Broken);
        };
        let (init, condition, step, result);
        match kind {
            "all" => {
                init = self.literal_node(site, Literal::Bool(true));
                let so_far = self.accumulator(site);
                condition = self.make_call(site, operator::NOT_STRICTLY_FALSE, vec![so_far]);
                let so_far = self.accumulator(site);
                step = self.make_call(site, operator::AND, vec![so_far, predicate]);
                result = self.accumulator(site);
            }
            "exists" => {
                init = self.literal_node(site, Literal::Bool(false));
                let so_far = self.accumulator(site);
                let not = self.make_call(site, operator::NOT, vec![so_far]);
                condition = self.make_call(site, operator::NOT_STRICTLY_FALSE, vec![not]);
                let so_far = self.accumulator(site);
                step = self.make_call(site, operator::OR, vec![so_far, predicate]);
                result = self.accumulator(site);
            }
            _ => {
                init = self.literal_node(site, Literal::Int(0));
                condition = self.literal_node(site, Literal::Bool(true));
                let (so_far, one) = (
                    self.accumulator(site),
                    self.literal_node(site, Literal::Int(1)),
                );
                let counted = self.make_call(site, operator::ADD, vec![so_far, one]);
                let so_far = self.accumulator(site);
                step = self.make_call(
                    site,
                    operator::CONDITIONAL,
                    vec![predicate, counted, so_far],
                );
                let (so_far, one) = (
                    self.accumulator(site),
                    self.literal_node(site, Literal::Int(1)),
                );
                result = self.make_call(site, operator::EQUALS, vec![so_far, one]);
            }
        }
        let accumulator = ACCUMULATOR.into();
        self.comprehension(
            site,
            Comprehension {
                range,
                variable,
                accumulator,
                init,
                condition,
                step,
                result,
            },
        )
    }

    fn map_macro(
        &mut self,
        range: NodeId,
        variable: NodeId,
        filter: Option<NodeId>,
        value: NodeId,
        site: &Site,
    ) -> NodeId {
        let complaint = "argument is not an identifier";
        let Some(name) = self.loop_variable(variable, complaint) else {
            return self.make(site, Expr::Broken);
        };
        let init = self.make(site, Expr::List(Vec::new()));
        let condition = self.literal_node(site, Literal::Bool(true));
        let so_far = self.accumulator(site);
        let element = self.make(
            site,
            Expr::List(vec![Element {
                value,
                optional: false,
            }]),
        );
        let mut step = self.make_call(site, operator::ADD, vec![so_far, element]);
        if let Some(filter) = filter {
            let so_far = self.accumulator(site);
            step = self.make_call(site, operator::CONDITIONAL, vec![filter, step, so_far]);
        }
        let result = self.accumulator(site);
        let (variable, accumulator) = (name, ACCUMULATOR.into());
        self.comprehension(
            site,
            Comprehension {
                range,
                variable,
                accumulator,
                init,
                condition,
                step,
                result,
            },
        )
    }

    /// `target.hasValue() ? optional.of(value with the variable bound) : optional.none()`
    fn optional_map(
        &mut self,
        wrap: bool,
        target: NodeId,
        variable: NodeId,
        value: NodeId,
        site: &Site,
    ) -> NodeId {
        let Expr::Ident(accumulator) = self.ast.expr(variable).clone() else {
            let name = if wrap { "optMap" } else { "optFlatMap" };
            let message = format!("{name}() variable name must be a simple identifier");
            self.macro_problem(variable, &message);
            return self.make(site, Expr::Broken);
        };
        let present = self.make_member(site, "hasValue", target);
        let range = self.make(site, Expr::List(Vec::new()));
        let copy = self.copy(target, site);
        let init = self.make_member(site, "value", copy);
        let condition = self.literal_node(site, Literal::Bool(false));
        let step = self.make(site, Expr::Ident(accumulator.clone()));
        let loop_ = Comprehension {
            range,
            variable: UNUSED.into(),
            accumulator,
            init,
            condition,
            step,
            result: value,
        };
        let expr = Expr::Comprehension(Box::new(loop_));
        let mut then = self.make(site, expr);
        if wrap {
            then = self.make_call(site, "optional.of", vec![then]);
        }
        let none = self.make_call(site, "optional.none", Vec::new());
        let expr = Expr::Call {
            function: operator::CONDITIONAL.into(),
            target: None,
            args: vec![present, then, none],
        };
        self.make_written(site, expr)
    }

    fn comprehension(&mut self, site: &Site, comprehension: Comprehension) -> NodeId {
        self.make_written(site, Expr::Comprehension(Box::new(comprehension)))
    }

    fn make(&mut self, site: &Site, expr: Expr) -> NodeId {
        self.ast.add(Node {
            expr,
            at: site.at,
            span: site.span.clone(),
            written: false,
        })
    }

    /// The node that stands for the whole macro call.
    fn make_written(&mut self, site: &Site, expr: Expr) -> NodeId {
        self.ast.add(Node {
            expr,
            at: site.at,
            span: site.span.clone(),
            written: true,
        })
    }

    fn make_call(&mut self, site: &Site, function: &str, args: Vec<NodeId>) -> NodeId {
        self.make(
            site,
            Expr::Call {
                function: function.into(),
                target: None,
                args,
            },
        )
    }

    fn make_member(&mut self, site: &Site, function: &str, target: NodeId) -> NodeId {
        let (function, target) = (function.into(), Some(target));
        self.make(
            site,
            Expr::Call {
                function,
                target,
                args: Vec::new(),
            },
        )
    }

    fn literal_node(&mut self, site: &Site, literal: Literal) -> NodeId {
        self.make(site, Expr::Literal(literal))
    }

    fn accumulator(&mut self, site: &Site) -> NodeId {
        self.make(site, Expr::Ident(ACCUMULATOR.into()))
    }

    fn copy(&mut self, id: NodeId, site: &Site) -> NodeId {
        if self.is_too_large() {
            return self.make(site, Expr::Broken);
        }
        let Node { expr, at, span, .. } = self.ast.node(id).clone();
        let expr = match expr {
            Expr::Broken | Expr::Literal(_) | Expr::Ident(_) => expr,
            Expr::Select {
                operand,
                field,
                presence_test,
            } => Expr::Select {
                operand: self.copy(operand, site),
                field,
                presence_test,
            },
            Expr::Call {
                function,
                target,
                args,
            } => {
                let args = self.copies(&args, site);
                Expr::Call {
                    function,
                    target: target.map(|target| self.copy(target, site)),
                    args,
                }
            }
            Expr::List(elements) => Expr::List(
                elements
                    .into_iter()
                    .map(|element| Element {
                        value: self.copy(element.value, site),
                        ..element
                    })
                    .collect(),
            ),
            Expr::Map(entries) => Expr::Map(
                entries
                    .into_iter()
                    .map(
                        |Entry {
                             key,
                             value,
                             optional,
                         }| Entry {
                            key: self.copy(key, site),
                            value: self.copy(value, site),
                            optional,
                        },
                    )
                    .collect(),
            ),
            Expr::Message { name, fields } => {
                let fields = fields
                    .into_iter()
                    .map(|field| Field {
                        value: self.copy(field.value, site),
                        ..field
                    })
                    .collect();
                Expr::Message { name, fields }
            }
            Expr::Comprehension(inner) => Expr::Comprehension(Box::new(Comprehension {
                range: self.copy(inner.range, site),
                init: self.copy(inner.init, site),
                condition: self.copy(inner.condition, site),
                step: self.copy(inner.step, site),
                result: self.copy(inner.result, site),
                ..*inner
            })),
        };
        self.ast.add(Node {
            expr,
            at,
            span,
            written: false,
        })
    }

    fn copies(&mut self, ids: &[NodeId], site: &Site) -> Vec<NodeId> {
        ids.iter().map(|id| self.copy(*id, site)).collect()
    }
}
