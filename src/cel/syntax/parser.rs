//! Tokens → syntax tree. One function a rule of the grammar; macros are expanded and literals read on the way.
//!
//! Limits are cel-go's: 100 000 characters, 250 levels of nesting, chains of 250 operators or selections
//! (those of `&&` and `||` become balanced trees and have none).

use super::ast::{Ast, Expr, Name, Node, NodeId};
use super::first::{COMPARISONS, END, PRIMARY_START, PRODUCTS, START, SUMS};
use super::lexer;
use super::operator;
use super::recovery::{Abort, Cursor, Rule, Stop, limit, quote, syntax};
use super::token::{Kind, Set, Token};
use crate::cel::problem::{At, Fault, Problem, first};
use crate::cel::source::Span;

const CHARACTER_LIMIT: usize = 100_000;
const DEPTH_LIMIT: usize = 250;
/// Macros copy their target; this bounds what a chain of copies can grow to.
const NODE_LIMIT: usize = 1_000_000;

/// What may differ between environments in how a text is read.
#[derive(Clone, Copy, Debug)]
pub(in crate::cel) struct Syntax {
    /// `.?`, `[?…]`, `{?…}`, `optMap` and `optFlatMap` are on.
    pub(in crate::cel) optionals: bool,
}

/// A tree and its root.
#[derive(Clone, Debug)]
pub(in crate::cel) struct Parsed {
    pub(in crate::cel) ast: Ast,
    pub(in crate::cel) root: NodeId,
}

/// Reads one expression; of several problems the one that decides is returned.
pub(in crate::cel) fn parse(text: &str, syntax: Syntax) -> Result<Parsed, Problem> {
    let size = text.chars().count();
    if size > CHARACTER_LIMIT {
        return Err(limit(&format!(
            "expression code point size exceeds limit: size: {size}, limit {CHARACTER_LIMIT}"
        )));
    }
    let (tokens, skipped) = lexer::tokens(text);
    let mut parser = Parser {
        cursor: Cursor::new(text, &tokens),
        ast: Ast::default(),
        syntax,
        problems: Vec::new(),
        depth: Depth::default(),
        partial: None,
    };
    let root = parser.start();
    parser.finish(root, &skipped)
}

/// A sub-expression under construction: its node and how many chained operations it nests.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) node: NodeId,
    pub(super) height: usize,
}

/// How often the rules that can call themselves are under way.
#[derive(Default)]
struct Depth {
    expr: usize,
    relation: usize,
    calc: usize,
}

pub(in crate::cel) struct Parser<'t> {
    pub(super) cursor: Cursor<'t>,
    pub(in crate::cel) ast: Ast,
    pub(in crate::cel) syntax: Syntax,
    /// Problems other than of syntax.
    pub(super) problems: Vec<Problem>,
    depth: Depth,
    /// What the rule that stops had read so far, if that is a part already.
    pub(super) partial: Option<Part>,
}

impl Parser<'_> {
    fn finish(
        self,
        root: Result<Part, Abort>,
        skipped: &[lexer::Unrecognized],
    ) -> Result<Parsed, Problem> {
        let text = self.cursor.text;
        let mut problems: Vec<Problem> = skipped
            .iter()
            .map(|piece| {
                let shown = quote(&text[piece.start..piece.end]);
                syntax(piece.start, &format!("token recognition error at: {shown}"))
            })
            .collect();
        problems.extend(self.cursor.problems);
        match &root {
            Err(Abort::Limit(message)) => problems.push(limit(message)),
            Err(Abort::GivenUp) => {}
            Ok(part) => {
                problems.extend(self.problems);
                if part.height > DEPTH_LIMIT {
                    problems.push(limit("max recursion depth exceeded"));
                }
            }
        }
        match (first(problems), root) {
            (None, Ok(part)) => Ok(Parsed {
                ast: self.ast,
                root: part.node,
            }),
            (Some(problem), _) => Err(problem),
            (None, Err(_)) => Err(limit("expression recursion limit exceeded")),
        }
    }

    /// `expr EOF`
    fn start(&mut self) -> Result<Part, Abort> {
        let part = self.expr(Set::of(&[Kind::End]))?;
        if let Err(stop) = self.cursor.expect(Kind::End, END) {
            self.cursor.recover(stop)?;
        }
        Ok(part)
    }

    /// Runs one rule; when it stops, its place is taken by a broken node and reading goes on behind it.
    pub(super) fn rule<T>(
        &mut self,
        follow: Set,
        body: impl FnOnce(&mut Self) -> Result<T, Stop>,
        broken: impl FnOnce(&mut Self) -> T,
    ) -> Result<T, Abort> {
        self.cursor.enter(follow);
        self.partial = None;
        let outcome = match body(self) {
            Ok(value) => Ok(value),
            Err(stop) => self.cursor.recover(stop).map(|()| broken(self)),
        };
        self.cursor.leave();
        outcome
    }

    pub(super) fn part_rule(
        &mut self,
        follow: Set,
        body: impl FnOnce(&mut Self) -> Result<Part, Stop>,
    ) -> Result<Part, Abort> {
        self.rule(follow, body, |parser| {
            let partial = parser.partial.take();
            partial.unwrap_or_else(|| parser.broken())
        })
    }

    /// A part of which nothing could be read.
    pub(super) fn broken(&mut self) -> Part {
        let at = self.cursor.peek(0).start;
        Part {
            node: self.node(Expr::Broken, at, at..at),
            height: 0,
        }
    }

    /// A part that is not complete, placed at `at`.
    pub(super) fn incomplete(&mut self, at: usize) -> Part {
        Part {
            node: self.node(Expr::Broken, at, at..at + 1),
            height: 0,
        }
    }

    /// Looks whether one of `expected` follows the bracket at `open`.
    pub(super) fn sync_in(&mut self, open: usize, expected: Set) -> Result<(), Stop> {
        let synced = self.cursor.sync(expected);
        if synced.is_err() {
            self.partial = Some(self.incomplete(open));
        }
        synced
    }

    /// Stops a rule, but keeps what it had read for the macros around it.
    pub(super) fn keep<T>(&mut self, outcome: Result<T, Stop>, partial: Part) -> Result<T, Stop> {
        if outcome.is_err() {
            self.partial = Some(partial);
        }
        outcome
    }

    fn deepen(depth: &mut usize) -> Result<(), Abort> {
        *depth += 1;
        if *depth > DEPTH_LIMIT {
            let message = format!("expression recursion limit exceeded: {DEPTH_LIMIT}");
            return Err(Abort::Limit(message));
        }
        Ok(())
    }

    /// `or ('?' or ':' expr)?`
    pub(super) fn expr(&mut self, follow: Set) -> Result<Part, Abort> {
        Self::deepen(&mut self.depth.expr)?;
        let part = self.part_rule(follow, Self::expr_body);
        self.depth.expr -= 1;
        part
    }

    fn expr_body(&mut self) -> Result<Part, Stop> {
        let condition = self.or(Set::of(&[Kind::Question]).or(END))?;
        if self.cursor.kind() != Kind::Question {
            return Ok(condition);
        }
        let question = self.cursor.take();
        let then = self.or(Set::of(&[Kind::Colon]))?;
        let colon = self.cursor.expect(Kind::Colon, START);
        let partial = self.incomplete(question.start);
        self.keep(colon, partial)?;
        let otherwise = self.expr(END)?;
        let span = self.span(condition).start..self.span(otherwise).end;
        let height = condition.height.max(then.height).max(otherwise.height) + 1;
        let args = vec![condition.node, then.node, otherwise.node];
        Ok(self.call(operator::CONDITIONAL, args, question.start, span, height))
    }

    fn or(&mut self, follow: Set) -> Result<Part, Abort> {
        self.logic(follow, Kind::Or, operator::OR, |parser, follow| {
            parser.logic(follow, Kind::And, operator::AND, |parser, follow| {
                parser.relation(0, follow)
            })
        })
    }

    /// `operand (operator operand)*` as a balanced tree.
    fn logic(
        &mut self,
        follow: Set,
        kind: Kind,
        function: &str,
        operand: impl Fn(&mut Self, Set) -> Result<Part, Abort>,
    ) -> Result<Part, Abort> {
        let next = Set::of(&[kind]).or(END);
        self.part_rule(follow, |parser| {
            let mut terms = vec![operand(parser, next)?];
            let mut operators = Vec::new();
            while parser.cursor.kind() == kind {
                operators.push(parser.cursor.take().start);
                terms.push(operand(parser, next)?);
            }
            Ok(parser.balanced(function, &terms, &operators))
        })
    }

    fn balanced(&mut self, function: &str, terms: &[Part], operators: &[usize]) -> Part {
        if operators.is_empty() {
            return terms[0];
        }
        let middle = operators.len() / 2;
        let left = self.balanced(function, &terms[..=middle], &operators[..middle]);
        let right = self.balanced(function, &terms[middle + 1..], &operators[middle + 1..]);
        let span = self.span(left).start..self.span(right).end;
        let height = left.height.max(right.height);
        self.call(
            function,
            vec![left.node, right.node],
            operators[middle],
            span,
            height,
        )
    }

    /// `calc (comparison relation)*`, from left to right.
    fn relation(&mut self, level: u8, follow: Set) -> Result<Part, Abort> {
        Self::deepen(&mut self.depth.relation)?;
        let next = COMPARISONS.or(END);
        let part = self.part_rule(follow, |parser| {
            let mut left = parser.calc(0, next)?;
            while level == 0 && COMPARISONS.has(parser.cursor.kind()) {
                let token = parser.cursor.take();
                let right = parser.relation(1, next)?;
                left = parser.binary(token, left, right);
            }
            Ok(left)
        });
        self.depth.relation -= 1;
        part
    }

    /// Sums (level 0) of products (level 1) of single operands (level 2).
    fn calc(&mut self, level: u8, follow: Set) -> Result<Part, Abort> {
        Self::deepen(&mut self.depth.calc)?;
        let next = PRODUCTS.or(SUMS).or(END);
        let part = self.part_rule(follow, |parser| {
            let mut left = parser.unary(next)?;
            loop {
                let kind = parser.cursor.kind();
                let operand = match level {
                    0 | 1 if PRODUCTS.has(kind) => 2,
                    0 if SUMS.has(kind) => 1,
                    _ => return Ok(left),
                };
                let token = parser.cursor.take();
                let right = parser.calc(operand, next)?;
                left = parser.binary(token, left, right);
            }
        });
        self.depth.calc -= 1;
        part
    }

    fn binary(&mut self, token: Token, left: Part, right: Part) -> Part {
        let function = match token.kind {
            Kind::Equals => operator::EQUALS,
            Kind::NotEquals => operator::NOT_EQUALS,
            Kind::In => operator::IN,
            Kind::Less => operator::LESS,
            Kind::LessEquals => operator::LESS_EQUALS,
            Kind::Greater => operator::GREATER,
            Kind::GreaterEquals => operator::GREATER_EQUALS,
            Kind::Plus => operator::ADD,
            Kind::Minus => operator::SUBTRACT,
            Kind::Star => operator::MULTIPLY,
            Kind::Slash => operator::DIVIDE,
            _ => operator::MODULO,
        };
        let span = self.span(left).start..self.span(right).end;
        let height = left.height.max(right.height) + 1;
        self.call(
            function,
            vec![left.node, right.node],
            token.start,
            span,
            height,
        )
    }

    /// `member | '!'+ member | '-'+ member`
    fn unary(&mut self, follow: Set) -> Result<Part, Abort> {
        self.part_rule(follow, |parser| {
            parser.cursor.sync(START)?;
            let next = parser.cursor.peek(1).kind;
            match parser.cursor.kind() {
                Kind::Exclamation => parser.sign(Kind::Exclamation, operator::NOT),
                Kind::Minus if matches!(next, Kind::Int | Kind::Float) => parser.member(),
                Kind::Minus if PRIMARY_START.has(next) => {
                    parser.sign(Kind::Minus, operator::NEGATE)
                }
                Kind::Minus => Err(Stop::NoAlternative(parser.cursor.index() + 1, Rule::Unary)),
                kind if START.has(kind) => parser.member(),
                _ => Err(Stop::NoAlternative(parser.cursor.index(), Rule::Unary)),
            }
        })
    }

    /// Repeated signs: an even number of them is none.
    fn sign(&mut self, kind: Kind, function: &str) -> Result<Part, Stop> {
        let first = self.cursor.take();
        let mut count = 1;
        loop {
            if kind == Kind::Exclamation {
                self.cursor.sync_repetition(START);
            }
            if self.cursor.kind() != kind {
                break;
            }
            if kind == Kind::Minus && !PRIMARY_START.has(self.cursor.peek(1).kind) {
                return Err(Stop::NoAlternative(self.cursor.index() + 1, Rule::Signs));
            }
            self.cursor.take();
            count += 1;
        }
        let operand = self.member()?;
        if count % 2 == 0 {
            return Ok(operand);
        }
        let span = first.start..self.span(operand).end;
        Ok(self.call(
            function,
            vec![operand.node],
            first.start,
            span,
            operand.height,
        ))
    }

    pub(super) fn span(&self, part: Part) -> Span {
        self.ast.node(part.node).span.clone()
    }

    pub(super) fn node(&mut self, expr: Expr, at: usize, span: Span) -> NodeId {
        self.ast.add(Node {
            expr,
            at,
            span,
            written: true,
        })
    }

    pub(super) fn call(
        &mut self,
        function: &str,
        args: Vec<NodeId>,
        at: usize,
        span: Span,
        height: usize,
    ) -> Part {
        let expr = Expr::Call {
            function: function.into(),
            target: None,
            args,
        };
        Part {
            node: self.node(expr, at, span),
            height,
        }
    }

    /// A macro could not be expanded because of one of its arguments.
    pub(in crate::cel) fn macro_problem(&mut self, argument: NodeId, message: &str) {
        let node = self.ast.node(argument);
        let is_unread = matches!(node.expr, Expr::Broken) && node.span.is_empty();
        let at = if is_unread {
            At::Start
        } else {
            At::Offset(node.at)
        };
        self.problems
            .push(Problem::parse(at, Fault::Macro, message));
    }

    /// Has the tree grown beyond what any text can need?
    pub(in crate::cel) fn is_too_large(&mut self) -> bool {
        let too_large = self.ast.len() > NODE_LIMIT;
        if too_large {
            self.problems.push(limit(
                "expression is too large once its macros are expanded",
            ));
        }
        too_large
    }
}

/// A field name without its backticks.
pub(super) fn unescaped(name: &str) -> Name {
    name.trim_matches('`').into()
}
