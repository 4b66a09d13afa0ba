//! Tokens → syntax tree. One function a rule of the grammar; macros are expanded and literals read on the way.
//!
//! Limits are cel-go's: 100 000 characters, 250 levels of nesting, chains of 250 operators or selections
//! (those of `&&` and `||` become balanced trees and have none).

use super::ast::{Ast, Element, Entry, Expr, Field, Literal, Name, Node, NodeId};
use super::lexer;
use super::literal;
use super::operator;
use super::problem::{At, Fault, Problem, first};
use super::recovery::{Abort, Cursor, Rule, Stop, limit, quote, syntax};
use super::source::Span;
use super::token::{Kind, Set, Token};

const CHARACTER_LIMIT: usize = 100_000;
const DEPTH_LIMIT: usize = 250;
/// Macros copy their target; this bounds what a chain of copies can grow to.
const NODE_LIMIT: usize = 1_000_000;

const START: Set = Set::of(&[
    Kind::LeftBracket,
    Kind::LeftBrace,
    Kind::LeftParen,
    Kind::Dot,
    Kind::Minus,
    Kind::Exclamation,
    Kind::True,
    Kind::False,
    Kind::Null,
    Kind::Float,
    Kind::Int,
    Kind::Uint,
    Kind::String,
    Kind::Bytes,
    Kind::Identifier,
]);
const PRIMARY_START: Set = Set::of(&[
    Kind::LeftBracket,
    Kind::LeftBrace,
    Kind::LeftParen,
    Kind::Dot,
    Kind::Minus,
    Kind::True,
    Kind::False,
    Kind::Null,
    Kind::Float,
    Kind::Int,
    Kind::Uint,
    Kind::String,
    Kind::Bytes,
    Kind::Identifier,
]);
const OPTIONAL_START: Set = START.or(Set::of(&[Kind::Question]));
const FIELD_START: Set = Set::of(&[Kind::Question, Kind::Identifier, Kind::EscapedIdentifier]);
const FIELD_NAME: Set = Set::of(&[Kind::Identifier, Kind::EscapedIdentifier]);
const COMPARISONS: Set = Set::of(&[
    Kind::Equals,
    Kind::NotEquals,
    Kind::In,
    Kind::Less,
    Kind::LessEquals,
    Kind::GreaterEquals,
    Kind::Greater,
]);
const PRODUCTS: Set = Set::of(&[Kind::Star, Kind::Slash, Kind::Percent]);
const SUMS: Set = Set::of(&[Kind::Plus, Kind::Minus]);
const END: Set = Set::RULE_END;
const COMMA_OR_END: Set = Set::of(&[Kind::Comma]).or(END);
const SUFFIX_OR_END: Set = Set::of(&[Kind::Dot, Kind::LeftBracket]).or(END);

/// What may differ between environments in how a text is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Syntax {
    /// `.?`, `[?…]`, `{?…}`, `optMap` and `optFlatMap` are on.
    pub(super) optionals: bool,
}

/// A tree and its root.
#[derive(Clone, Debug)]
pub(super) struct Parsed {
    pub(super) ast: Ast,
    pub(super) root: NodeId,
}

/// Reads one expression; of several problems the one that decides is returned.
pub(super) fn parse(text: &str, syntax: Syntax) -> Result<Parsed, Problem> {
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
struct Part {
    node: NodeId,
    height: usize,
}

/// How often the rules that can call themselves are under way.
#[derive(Default)]
struct Depth {
    expr: usize,
    relation: usize,
    calc: usize,
}

pub(super) struct Parser<'t> {
    cursor: Cursor<'t>,
    pub(super) ast: Ast,
    pub(super) syntax: Syntax,
    /// Problems other than of syntax.
    problems: Vec<Problem>,
    depth: Depth,
    /// What the rule that stops had read so far, if that is a part already.
    partial: Option<Part>,
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
    fn rule<T>(
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

    fn part_rule(
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
    fn broken(&mut self) -> Part {
        let at = self.cursor.peek(0).start;
        Part {
            node: self.node(Expr::Broken, at, at..at),
            height: 0,
        }
    }

    /// A part that is not complete, placed at `at`.
    fn incomplete(&mut self, at: usize) -> Part {
        Part {
            node: self.node(Expr::Broken, at, at..at + 1),
            height: 0,
        }
    }

    /// Looks whether one of `expected` follows the bracket at `open`.
    fn sync_in(&mut self, open: usize, expected: Set) -> Result<(), Stop> {
        let synced = self.cursor.sync(expected);
        if synced.is_err() {
            self.partial = Some(self.incomplete(open));
        }
        synced
    }

    /// Stops a rule, but keeps what it had read for the macros around it.
    fn keep<T>(&mut self, outcome: Result<T, Stop>, partial: Part) -> Result<T, Stop> {
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
    fn expr(&mut self, follow: Set) -> Result<Part, Abort> {
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

    /// `primary (selection | call | index)*`
    fn member(&mut self) -> Result<Part, Stop> {
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

    fn unsupported(&mut self, at: usize, what: &str) {
        let message = format!("unsupported syntax '{what}'");
        self.problems.push(Problem::parse(
            At::Offset(at),
            Fault::UnsupportedSyntax,
            message,
        ));
    }

    /// A name after a dot or in a message; none when it is broken.
    fn field_name(&mut self, follow: Set) -> Result<Option<Token>, Abort> {
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
    fn arguments(&mut self, open: usize) -> Result<(Vec<NodeId>, usize), Stop> {
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

    fn primary(&mut self) -> Result<Part, Abort> {
        self.part_rule(SUFFIX_OR_END, |parser| {
            parser.cursor.sync(PRIMARY_START)?;
            match parser.cursor.kind() {
                Kind::LeftParen => parser.nested(),
                Kind::LeftBracket => parser.list(),
                Kind::LeftBrace => parser.map(),
                Kind::Dot | Kind::Identifier => parser.name(),
                kind if PRIMARY_START.has(kind) => parser.literal(),
                _ => Err(Stop::NoAlternative(parser.cursor.index(), Rule::Primary)),
            }
        })
    }

    fn nested(&mut self) -> Result<Part, Stop> {
        let open = self.cursor.take();
        let inner = self.expr(Set::of(&[Kind::RightParen]))?;
        let close = self.cursor.expect(Kind::RightParen, END);
        let close = self.keep(close, inner)?;
        if !matches!(self.ast.expr(inner.node), Expr::Broken) {
            self.ast.node_mut(inner.node).span = open.start..close.end;
        }
        Ok(inner)
    }

    /// A variable, a call of a function, or the name of a message to make.
    fn name(&mut self) -> Result<Part, Stop> {
        let dots = usize::from(self.cursor.kind() == Kind::Dot);
        if self.cursor.peek(dots).kind != Kind::Identifier {
            return Err(Stop::NoAlternative(
                self.cursor.index() + dots,
                Rule::Primary,
            ));
        }
        let mut last = dots;
        while self.cursor.peek(last + 1).kind == Kind::Dot
            && self.cursor.peek(last + 2).kind == Kind::Identifier
        {
            last += 2;
        }
        if self.cursor.peek(last + 1).kind == Kind::LeftBrace {
            return self.message(last + 1);
        }
        let first = self.cursor.peek(0).start;
        if dots == 1 {
            self.cursor.take();
        }
        let token = self.cursor.take();
        let is_call = self.cursor.kind() == Kind::LeftParen;
        let word = self.cursor.text_of(token);
        let full: Name = if dots == 1 {
            format!(".{word}").into()
        } else {
            word.into()
        };
        if is_call {
            return self.global_call(first, word, &full);
        }
        if is_reserved(word) {
            self.reserved(first, word);
            return Ok(self.incomplete(first));
        }
        let node = self.node(Expr::Ident(full), token.start, first..token.end);
        Ok(Part { node, height: 0 })
    }

    fn reserved(&mut self, at: usize, word: &str) {
        let message = format!("reserved identifier: {word}");
        self.problems.push(Problem::parse(
            At::Offset(at),
            Fault::ReservedIdentifier,
            message,
        ));
    }

    fn global_call(&mut self, first: usize, word: &str, function: &str) -> Result<Part, Stop> {
        let open = self.cursor.take();
        if is_reserved(word) {
            return self.reserved_call(first, open.start, word);
        }
        let (args, height) = self.arguments(open.start)?;
        let close = self.cursor.expect(Kind::RightParen, END);
        let end = close.as_ref().map_or(open.end, |close| close.end);
        let node = self.global_call_node(function, args, open.start, first..end);
        self.keep(close, Part { node, height })?;
        Ok(Part { node, height })
    }

    /// The arguments of a call whose name is reserved are read but not looked at.
    fn reserved_call(&mut self, first: usize, open: usize, word: &str) -> Result<Part, Stop> {
        let known = self.problems.len();
        let arguments = self.arguments(open);
        self.problems.truncate(known);
        self.reserved(first, word);
        arguments?;
        self.cursor.expect(Kind::RightParen, END)?;
        Ok(self.broken())
    }

    /// `name.of.type{field: value, …}`; `brace` is how many tokens ahead the brace is.
    fn message(&mut self, brace: usize) -> Result<Part, Stop> {
        let first = self.cursor.peek(0).start;
        let mut name = String::new();
        for _ in 0..brace {
            let token = self.cursor.take();
            name.push_str(self.cursor.text_of(token));
        }
        let open = self.cursor.take();
        let closers = Set::of(&[Kind::Comma, Kind::RightBrace]);
        self.sync_in(open.start, FIELD_START.or(closers))?;
        let (mut fields, mut height) = (Vec::new(), 0);
        if FIELD_START.has(self.cursor.kind()) {
            (fields, height) = self.rule(closers, |parser| parser.fields(), |_| (Vec::new(), 0))?;
        }
        let close = self.closing(Kind::RightBrace)?;
        let expr = Expr::Message {
            name: name.into(),
            fields,
        };
        let node = self.node(expr, open.start, first..close.end);
        Ok(Part { node, height })
    }

    /// An optional comma and the closing bracket.
    fn closing(&mut self, kind: Kind) -> Result<Token, Stop> {
        self.cursor.sync(Set::of(&[Kind::Comma, kind]))?;
        if self.cursor.kind() == Kind::Comma {
            self.cursor.take();
        }
        self.cursor.expect(kind, END)
    }

    /// Is there a comma with a further element behind it?
    fn more(&self, start: Set) -> bool {
        self.cursor.kind() == Kind::Comma && start.has(self.cursor.peek(1).kind)
    }

    fn fields(&mut self) -> Result<(Vec<Field>, usize), Stop> {
        let (mut fields, mut height) = (Vec::new(), 0);
        loop {
            let (optional, name) = self.rule(
                Set::of(&[Kind::Colon]),
                |parser| {
                    parser.cursor.sync(FIELD_START)?;
                    let optional = parser.optional_mark();
                    Ok((optional, parser.field_name(END)?))
                },
                |_| (None, None),
            )?;
            let colon = self.cursor.expect(Kind::Colon, START)?;
            let value = self.expr(COMMA_OR_END)?;
            height = height.max(value.height);
            match (optional, name) {
                (Some(at), _) if !self.syntax.optionals => self.unsupported(at, "?"),
                (_, Some(name)) => fields.push(Field {
                    name: unescaped(self.cursor.text_of(name)),
                    at: colon.start,
                    value: value.node,
                    optional: optional.is_some(),
                }),
                _ => {}
            }
            if !self.more(FIELD_START) {
                return Ok((fields, height));
            }
            self.cursor.take();
        }
    }

    /// The `?` before an element or entry, if it is there: its place.
    fn optional_mark(&mut self) -> Option<usize> {
        (self.cursor.kind() == Kind::Question).then(|| self.cursor.take().start)
    }

    fn optional_expr(&mut self, follow: Set) -> Result<(Option<usize>, Part), Abort> {
        self.rule(
            follow,
            |parser| {
                parser.cursor.sync(OPTIONAL_START)?;
                let optional = parser.optional_mark();
                Ok((optional, parser.expr(END)?))
            },
            |parser| (None, parser.broken()),
        )
    }

    fn list(&mut self) -> Result<Part, Stop> {
        let open = self.cursor.take();
        let closers = Set::of(&[Kind::Comma, Kind::RightBracket]);
        self.sync_in(open.start, OPTIONAL_START.or(closers))?;
        let (mut elements, mut height) = (Vec::new(), 0);
        if OPTIONAL_START.has(self.cursor.kind()) {
            (elements, height) =
                self.rule(closers, |parser| parser.elements(), |_| (Vec::new(), 0))?;
        }
        let close = self.closing(Kind::RightBracket);
        let end = close.as_ref().map_or(open.end, |close| close.end);
        let node = self.node(Expr::List(elements), open.start, open.start..end);
        self.keep(close, Part { node, height })?;
        Ok(Part { node, height })
    }

    fn elements(&mut self) -> Result<(Vec<Element>, usize), Stop> {
        let (mut elements, mut height) = (Vec::new(), 0);
        loop {
            let (optional, part) = self.optional_expr(COMMA_OR_END)?;
            height = height.max(part.height);
            if let Some(at) = optional.filter(|_| !self.syntax.optionals) {
                self.unsupported(at, "?");
            }
            elements.push(Element {
                value: part.node,
                optional: optional.is_some(),
            });
            if !self.more(OPTIONAL_START) {
                return Ok((elements, height));
            }
            self.cursor.take();
        }
    }

    fn map(&mut self) -> Result<Part, Stop> {
        let open = self.cursor.take();
        let closers = Set::of(&[Kind::Comma, Kind::RightBrace]);
        self.sync_in(open.start, OPTIONAL_START.or(closers))?;
        let (mut entries, mut height) = (Vec::new(), 0);
        if OPTIONAL_START.has(self.cursor.kind()) {
            (entries, height) =
                self.rule(closers, |parser| parser.entries(), |_| (Vec::new(), 0))?;
        }
        let close = self.closing(Kind::RightBrace);
        let end = close.as_ref().map_or(open.end, |close| close.end);
        let node = self.node(Expr::Map(entries), open.start, open.start..end);
        self.keep(close, Part { node, height })?;
        Ok(Part { node, height })
    }

    fn entries(&mut self) -> Result<(Vec<Entry>, usize), Stop> {
        let (mut entries, mut height) = (Vec::new(), 0);
        loop {
            let known = self.problems.len();
            let (optional, key) = self.optional_expr(Set::of(&[Kind::Colon]))?;
            let colon = self.cursor.expect(Kind::Colon, START);
            if colon.is_err() {
                // Without a value the key is not looked at.
                self.problems.truncate(known);
            }
            colon?;
            let value = self.expr(COMMA_OR_END)?;
            height = height.max(key.height).max(value.height);
            if let Some(at) = optional.filter(|_| !self.syntax.optionals) {
                // The entry is not looked at any further.
                self.problems.truncate(known);
                self.unsupported(at, "?");
            }
            let optional = optional.is_some();
            entries.push(Entry {
                key: key.node,
                value: value.node,
                optional,
            });
            if !self.more(OPTIONAL_START) {
                return Ok((entries, height));
            }
            self.cursor.take();
        }
    }

    fn literal(&mut self) -> Result<Part, Stop> {
        let first = self.cursor.peek(0);
        let negative = first.kind == Kind::Minus;
        if negative {
            if !matches!(self.cursor.peek(1).kind, Kind::Int | Kind::Float) {
                return Err(Stop::NoAlternative(self.cursor.index() + 1, Rule::Literal));
            }
            self.cursor.take();
        }
        let token = self.cursor.take();
        let span = first.start..token.end;
        let text = self.cursor.text_of(token);
        let node = match literal::read(token.kind, text, negative) {
            Ok(literal) => self.node(Expr::Literal(literal), first.start, span),
            Err(message) => {
                self.problems.push(Problem::parse(
                    At::Offset(first.start),
                    Fault::Literal,
                    message,
                ));
                self.node(Expr::Broken, first.start, span)
            }
        };
        Ok(Part { node, height: 0 })
    }

    fn span(&self, part: Part) -> Span {
        self.ast.node(part.node).span.clone()
    }

    fn node(&mut self, expr: Expr, at: usize, span: Span) -> NodeId {
        self.ast.add(Node {
            expr,
            at,
            span,
            written: true,
        })
    }

    fn call(
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
    pub(super) fn macro_problem(&mut self, argument: NodeId, message: &str) {
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
    pub(super) fn is_too_large(&mut self) -> bool {
        let too_large = self.ast.len() > NODE_LIMIT;
        if too_large {
            self.problems.push(limit(
                "expression is too large once its macros are expanded",
            ));
        }
        too_large
    }
}

fn unescaped(name: &str) -> Name {
    name.trim_matches('`').into()
}

fn is_reserved(word: &str) -> bool {
    matches!(
        word,
        "as" | "break"
            | "const"
            | "continue"
            | "else"
            | "for"
            | "function"
            | "if"
            | "import"
            | "let"
            | "loop"
            | "package"
            | "namespace"
            | "return"
            | "var"
            | "void"
            | "while"
    )
}
