//! The tokens of the language and sets of them.

/// What kind of token it is. The order is the grammar's own; lists of expected tokens are printed in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(in crate::cel) enum Kind {
    Equals = 1,
    NotEquals,
    In,
    Less,
    LessEquals,
    GreaterEquals,
    Greater,
    And,
    Or,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    LeftParen,
    RightParen,
    Dot,
    Comma,
    Minus,
    Exclamation,
    Question,
    Colon,
    Plus,
    Star,
    Slash,
    Percent,
    True,
    False,
    Null,
    Float,
    Int,
    Uint,
    String,
    Bytes,
    Identifier,
    EscapedIdentifier,
    End,
}

use Kind::*;

const ALL: [(Kind, &str); 36] = [
    (End, "<EOF>"),
    (Equals, "'=='"),
    (NotEquals, "'!='"),
    (In, "'in'"),
    (Less, "'<'"),
    (LessEquals, "'<='"),
    (GreaterEquals, "'>='"),
    (Greater, "'>'"),
    (And, "'&&'"),
    (Or, "'||'"),
    (LeftBracket, "'['"),
    (RightBracket, "']'"),
    (LeftBrace, "'{'"),
    (RightBrace, "'}'"),
    (LeftParen, "'('"),
    (RightParen, "')'"),
    (Dot, "'.'"),
    (Comma, "','"),
    (Minus, "'-'"),
    (Exclamation, "'!'"),
    (Question, "'?'"),
    (Colon, "':'"),
    (Plus, "'+'"),
    (Star, "'*'"),
    (Slash, "'/'"),
    (Percent, "'%'"),
    (True, "'true'"),
    (False, "'false'"),
    (Null, "'null'"),
    (Float, "NUM_FLOAT"),
    (Int, "NUM_INT"),
    (Uint, "NUM_UINT"),
    (String, "STRING"),
    (Bytes, "BYTES"),
    (Identifier, "IDENTIFIER"),
    (EscapedIdentifier, "ESC_IDENTIFIER"),
];

/// One token: its kind and the bytes it covers.
#[derive(Clone, Copy, Debug)]
pub(in crate::cel) struct Token {
    pub(in crate::cel) kind: Kind,
    pub(in crate::cel) start: usize,
    pub(in crate::cel) end: usize,
}

/// A set of token kinds; it can also hold the mark "and then the rule ends".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cel) struct Set(u64);

impl Set {
    pub(in crate::cel) const EMPTY: Set = Set(0);
    /// The rule may end here.
    pub(in crate::cel) const RULE_END: Set = Set(1);

    pub(in crate::cel) const fn of(kinds: &[Kind]) -> Set {
        let mut bits = 0;
        let mut index = 0;
        while index < kinds.len() {
            bits |= 1 << kinds[index] as u8;
            index += 1;
        }
        Set(bits)
    }

    pub(in crate::cel) const fn or(self, other: Set) -> Set {
        Set(self.0 | other.0)
    }

    pub(in crate::cel) const fn without_end(self) -> Set {
        Set(self.0 & !1)
    }

    pub(in crate::cel) const fn may_end(self) -> bool {
        self.0 & 1 != 0
    }

    pub(in crate::cel) const fn has(self, kind: Kind) -> bool {
        self.0 & (1 << kind as u8) != 0
    }
}

impl std::fmt::Display for Set {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = ALL
            .iter()
            .filter(|(kind, _)| self.has(*kind))
            .map(|(_, name)| *name)
            .collect();
        match names.as_slice() {
            [one] => f.write_str(one),
            several => write!(f, "{{{}}}", several.join(", ")),
        }
    }
}
