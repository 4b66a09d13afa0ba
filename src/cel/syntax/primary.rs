//! What stands by itself: names, calls, literals, lists, maps, messages.

use super::ast::{Element, Entry, Expr, Field, Name};
use super::first::{
    COMMA_OR_END, END, FIELD_START, OPTIONAL_START, PRIMARY_START, START, SUFFIX_OR_END,
};
use super::literal;
use super::parser::{Parser, Part, unescaped};
use super::recovery::{Abort, Rule, Stop};
use super::token::{Kind, Set, Token};
use crate::cel::problem::{At, Fault, Problem};

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Result<Part, Abort> {
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
