//! Selections, calls and indexes behind a value.

use super::ast::{Expr, Literal, NodeId};
use super::first::{COMMA_OR_END, END, FIELD_NAME, OPTIONAL_START, START, SUFFIX_OR_END};
use super::operator;
use super::parser::{Parser, Part, unescaped};
use super::recovery::{Abort, Rule, Stop};
use super::token::{Kind, Set, Token};
use crate::cel::problem::{At, Fault, Problem};

impl Parser<'_> {
    /// `primary (selection | call | index)*`
    pub(super) fn member(&mut self) -> Result<Part, Stop> {
        Ok(self.part_rule(END, |parser| {
            let mut operand = parser.primary()?;
            loop {
                operand = match parser.cursor.kind() {
                    Kind::Dot => parser.after_dot(operand)?,
                    Kind::LeftBracket => parser.index(operand)?,
                    _ => return Ok(operand),
                };
            }
        })?)
    }

    fn after_dot(&mut self, operand: Part) -> Result<Part, Stop> {
        let (second, third) = (self.cursor.peek(1).kind, self.cursor.peek(2).kind);
        match (second, third) {
            (Kind::Identifier, Kind::LeftParen) => self.member_call(operand),
            (Kind::Identifier | Kind::EscapedIdentifier | Kind::Question, _) => {
                self.select(operand)
            }
            _ => {
                self.partial = Some(operand);
                Err(Stop::NoAlternative(self.cursor.index() + 1, Rule::Member))
            }
        }
    }

    fn select(&mut self, operand: Part) -> Result<Part, Stop> {
        let dot = self.cursor.take();
        let optional = self.cursor.kind() == Kind::Question;
        if optional {
            self.cursor.take();
        }
        let is_unsupported = optional && !self.syntax.optionals;
        if is_unsupported {
            self.unsupported(dot.start, ".?");
        }
        let name = self.field_name(SUFFIX_OR_END)?;
        let Some(name) = name.filter(|_| !is_unsupported) else {
            return Ok(self.broken());
        };
        let span = self.span(operand).start..name.end;
        let field = unescaped(self.cursor.text_of(name));
        let height = operand.height + 1;
        if !optional {
            let expr = Expr::Select {
                operand: operand.node,
                field,
                presence_test: false,
            };
            return Ok(Part {
                node: self.node(expr, dot.start, span),
                height,
            });
        }
        let literal = Expr::Literal(Literal::String(field));
        let field = self.node(literal, name.start, name.start..name.end);
        let args = vec![operand.node, field];
        Ok(self.call(operator::OPTIONAL_SELECT, args, dot.start, span, height))
    }

    pub(super) fn unsupported(&mut self, at: usize, what: &str) {
        let message = format!("unsupported syntax '{what}'");
        self.problems.push(Problem::parse(
            At::Offset(at),
            Fault::UnsupportedSyntax,
            message,
        ));
    }

    /// A name after a dot or in a message; none when it is broken.
    pub(super) fn field_name(&mut self, follow: Set) -> Result<Option<Token>, Abort> {
        self.rule(
            follow,
            |parser| {
                parser.cursor.sync(FIELD_NAME)?;
                if FIELD_NAME.has(parser.cursor.kind()) {
                    Ok(Some(parser.cursor.take()))
                } else {
                    Err(Stop::NoAlternative(parser.cursor.index(), Rule::FieldName))
                }
            },
            |_| None,
        )
    }

    fn member_call(&mut self, operand: Part) -> Result<Part, Stop> {
        self.cursor.take();
        let name = self.cursor.take();
        let open = self.cursor.take();
        let (args, height) = self.arguments(open.start)?;
        let close = self.cursor.expect(Kind::RightParen, SUFFIX_OR_END);
        let end = close.as_ref().map_or(open.end, |close| close.end);
        let span = self.span(operand).start..end;
        let height = height.max(operand.height) + 1;
        let function = self.cursor.text_of(name);
        let node = self.receiver_call(function, operand.node, args, open.start, span);
        self.keep(close, Part { node, height })?;
        Ok(Part { node, height })
    }

    fn index(&mut self, operand: Part) -> Result<Part, Stop> {
        let open = self.cursor.take();
        self.sync_in(open.start, OPTIONAL_START)?;
        let optional = self.cursor.kind() == Kind::Question;
        if optional {
            self.cursor.take();
        }
        let index = self.expr(Set::of(&[Kind::RightBracket]))?;
        if optional && !self.syntax.optionals {
            self.unsupported(open.start, "[?");
        }
        let close = self.cursor.expect(Kind::RightBracket, SUFFIX_OR_END);
        let partial = self.incomplete(open.start);
        let span = self.span(operand).start..self.keep(close, partial)?.end;
        let height = index.height.max(operand.height) + 1;
        if optional && !self.syntax.optionals {
            return Ok(partial);
        }
        let function = if optional {
            operator::OPTIONAL_INDEX
        } else {
            operator::INDEX
        };
        Ok(self.call(
            function,
            vec![operand.node, index.node],
            open.start,
            span,
            height,
        ))
    }

    /// What stands between the parentheses of a call; the closing one is left.
    pub(super) fn arguments(&mut self, open: usize) -> Result<(Vec<NodeId>, usize), Stop> {
        self.sync_in(open, START.or(Set::of(&[Kind::RightParen])))?;
        if !START.has(self.cursor.kind()) {
            return Ok((Vec::new(), 0));
        }
        Ok(self.rule(
            Set::of(&[Kind::RightParen]),
            |parser| {
                let mut parts = vec![parser.expr(COMMA_OR_END)?];
                while parser.cursor.kind() == Kind::Comma {
                    parser.cursor.take();
                    parts.push(parser.expr(COMMA_OR_END)?);
                }
                let height = parts.iter().map(|part| part.height).max().unwrap_or(0);
                Ok((parts.iter().map(|part| part.node).collect(), height))
            },
            |_| (Vec::new(), 0),
        )?)
    }
}
