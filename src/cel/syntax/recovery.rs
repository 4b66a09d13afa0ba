//! What the parser does at a token that fits nothing: report it once, delete or insert one token if that helps,
//! else skip to where an outer rule can go on. The decisions (and the limits on them) are those of the parser
//! generator that cel-go uses, because they decide which of several problems is the first one.

use super::token::{Kind, Set, Token};
use crate::cel::problem::{At, Fault, Problem, Stage};

/// So many tokens may one recovery skip.
const SKIP_LIMIT: usize = 256;
/// So many recoveries may one text need.
const ATTEMPT_LIMIT: usize = 30;

/// Parsing cannot go on at all.
#[derive(Debug)]
pub(in crate::cel) enum Abort {
    /// A limit that is reported for the whole text.
    Limit(String),
    /// Too many recoveries; all that was found is reported already.
    GivenUp,
}

/// Why a rule stopped.
#[derive(Debug)]
pub(in crate::cel) enum Stop {
    /// The current token is not among these.
    Mismatch(Set),
    /// No way of reading the tokens from the current one to this index, in this rule.
    NoAlternative(usize, Rule),
    Abort(Abort),
}

/// The rules that choose by looking ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cel) enum Rule {
    Unary,
    Signs,
    Member,
    Primary,
    Literal,
    FieldName,
}

/// Where a rule stopped, as far as it takes to see that it stopped there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Site {
    Expected(Set),
    Choice(Rule),
}

impl From<Abort> for Stop {
    fn from(abort: Abort) -> Stop {
        Stop::Abort(abort)
    }
}

/// The tokens with a reading position, what may follow in the rules under way, and the problems found.
pub(in crate::cel) struct Cursor<'t> {
    pub(in crate::cel) text: &'t str,
    tokens: &'t [Token],
    position: usize,
    /// For each rule under way: what may come after it inside the rule that called it.
    follow: Vec<Set>,
    /// A problem was reported and no token matched since; further ones would be noise.
    recovering: bool,
    attempts: usize,
    /// The position of the last recovery and the sites that stopped there.
    last_stop: usize,
    sites: Vec<Site>,
    pub(in crate::cel) problems: Vec<Problem>,
}

impl<'t> Cursor<'t> {
    pub(in crate::cel) fn new(text: &'t str, tokens: &'t [Token]) -> Cursor<'t> {
        Cursor {
            text,
            tokens,
            position: 0,
            follow: Vec::new(),
            recovering: false,
            attempts: 0,
            last_stop: usize::MAX,
            sites: Vec::new(),
            problems: Vec::new(),
        }
    }

    pub(in crate::cel) fn enter(&mut self, follow: Set) {
        self.follow.push(follow);
    }

    pub(in crate::cel) fn leave(&mut self) {
        self.follow.pop();
    }

    /// The token `ahead` places on; the end of the text goes on for ever.
    pub(in crate::cel) fn peek(&self, ahead: usize) -> Token {
        let last = self.tokens.len() - 1;
        self.tokens[(self.position + ahead).min(last)]
    }

    pub(in crate::cel) fn kind(&self) -> Kind {
        self.peek(0).kind
    }

    pub(in crate::cel) fn index(&self) -> usize {
        self.position
    }

    pub(in crate::cel) fn text_of(&self, token: Token) -> &'t str {
        &self.text[token.start..token.end]
    }

    fn advance(&mut self) {
        self.position = (self.position + 1).min(self.tokens.len() - 1);
    }

    /// Takes the current token, which the caller has looked at.
    pub(in crate::cel) fn take(&mut self) -> Token {
        let token = self.peek(0);
        self.matched();
        self.advance();
        token
    }

    fn matched(&mut self) {
        self.recovering = false;
        self.last_stop = usize::MAX;
        self.sites.clear();
    }

    /// Takes a token of this kind; `next` is what may come behind it. A missing one may be assumed.
    pub(in crate::cel) fn expect(&mut self, kind: Kind, next: Set) -> Result<Token, Stop> {
        if self.kind() == kind {
            return Ok(self.take());
        }
        self.count_attempt()?;
        if self.peek(1).kind == kind {
            self.report_unwanted(Set::of(&[kind]));
            self.advance();
            return Ok(self.take());
        }
        let current = self.peek(0);
        if self.in_context(next).has(current.kind) {
            let shown = self.shown(current);
            self.report(
                current.start,
                format!("missing {} at {shown}", Set::of(&[kind])),
            );
            return Ok(Token {
                kind,
                start: current.start,
                end: current.start,
            });
        }
        Err(Stop::Mismatch(Set::of(&[kind])))
    }

    /// Before a choice: is the current token one that can come here? One wrong token is deleted.
    pub(in crate::cel) fn sync(&mut self, expected: Set) -> Result<(), Stop> {
        if self.recovering || expected.may_end() || expected.has(self.kind()) {
            return Ok(());
        }
        if expected.has(self.peek(1).kind) {
            self.report_unwanted(expected);
            self.advance();
            self.matched();
            return Ok(());
        }
        Err(Stop::Mismatch(expected))
    }

    /// Inside a repetition: wrong tokens are skipped until it can go on.
    pub(in crate::cel) fn sync_repetition(&mut self, expected: Set) {
        if self.recovering || expected.has(self.kind()) {
            return;
        }
        self.report_unwanted(expected);
        let until = expected.or(self.recovery_set());
        while self.kind() != Kind::End && !until.has(self.kind()) {
            self.advance();
        }
    }

    /// A rule stopped: report it and skip to where one of the rules around it can go on.
    pub(in crate::cel) fn recover(&mut self, stop: Stop) -> Result<(), Abort> {
        let current = self.peek(0);
        let site = match stop {
            Stop::Abort(abort) => return Err(abort),
            Stop::Mismatch(expected) => {
                let shown = self.shown(current);
                self.report(
                    current.start,
                    format!("mismatched input {shown} expecting {expected}"),
                );
                Site::Expected(expected)
            }
            Stop::NoAlternative(index, rule) => {
                self.report_no_alternative(index);
                Site::Choice(rule)
            }
        };
        self.count_attempt()?;
        let mut skipped = 0;
        if self.last_stop == self.position && self.sites.contains(&site) {
            // The same again without a step forward: without this one it would go round for ever.
            self.advance();
            skipped = 1;
        }
        self.last_stop = self.position;
        self.sites.push(site);
        let until = self.recovery_set();
        while self.kind() != Kind::End && !until.has(self.kind()) {
            if skipped == SKIP_LIMIT {
                let message =
                    format!("error recovery token lookahead limit exceeded: {SKIP_LIMIT}");
                return Err(Abort::Limit(message));
            }
            self.advance();
            skipped += 1;
        }
        Ok(())
    }

    /// `local`, and where the rule may end there also what the rules around it allow.
    pub(in crate::cel) fn in_context(&self, local: Set) -> Set {
        let mut all = local;
        let mut last = local;
        for follow in self.follow.iter().rev() {
            if !last.may_end() {
                break;
            }
            last = *follow;
            all = all.or(last);
        }
        if last.may_end() {
            all.or(Set::of(&[Kind::End]))
        } else {
            all
        }
        .without_end()
    }

    fn recovery_set(&self) -> Set {
        self.follow
            .iter()
            .fold(Set::EMPTY, |all, follow| all.or(*follow))
            .without_end()
    }

    fn count_attempt(&mut self) -> Result<(), Abort> {
        self.attempts += 1;
        if self.attempts <= ATTEMPT_LIMIT {
            return Ok(());
        }
        let at = self.peek(0).start;
        let message = format!("error recovery attempt limit exceeded: {ATTEMPT_LIMIT}");
        self.problems.push(syntax(at, &message));
        Err(Abort::GivenUp)
    }

    fn report(&mut self, at: usize, message: String) {
        if !self.recovering {
            self.recovering = true;
            self.problems.push(syntax(at, &message));
        }
    }

    fn report_unwanted(&mut self, expected: Set) {
        let current = self.peek(0);
        let shown = self.shown(current);
        self.report(
            current.start,
            format!("extraneous input {shown} expecting {expected}"),
        );
    }

    fn report_no_alternative(&mut self, index: usize) {
        let last = self.tokens.len() - 1;
        let (first, offending) = (self.peek(0), self.tokens[index.min(last)]);
        let read = match (first.kind, offending.kind) {
            (Kind::End, _) => "<EOF>",
            (_, Kind::End) => &self.text[first.start..],
            _ => &self.text[first.start..offending.end],
        };
        // The upstream parser rewords this one message for words that look like names.
        let message = match behind_first(read) {
            word @ ("true" | "false" | "null") => {
                format!("mismatched input '{word}' expecting IDENTIFIER")
            }
            _ => format!("no viable alternative at input {}", quote(read)),
        };
        self.report(offending.start, message);
    }

    fn shown(&self, token: Token) -> String {
        quote(if token.kind == Kind::End {
            "<EOF>"
        } else {
            self.text_of(token)
        })
    }
}

/// A limit on the whole text as a problem.
pub(in crate::cel) fn limit(message: &str) -> Problem {
    Problem::limit(Stage::Parse, message)
}

pub(in crate::cel) fn syntax(at: usize, message: &str) -> Problem {
    Problem::parse(
        At::Offset(at),
        Fault::Syntax,
        format!("Syntax error: {message}"),
    )
}

pub(in crate::cel) fn quote(text: &str) -> String {
    format!(
        "'{}'",
        text.replace('\t', "\\t")
            .replace('\n', "\\n")
            .replace('\r', "\\r")
    )
}

fn behind_first(text: &str) -> &str {
    let mut characters = text.chars();
    characters.next();
    characters.as_str()
}
