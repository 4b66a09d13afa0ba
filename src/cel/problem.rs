//! Why an expression is refused or fails: the class, cel-go's words for it, and the place.

use std::fmt;

/// How far an expression came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// The text is no expression.
    Parse,
    /// The types do not fit.
    Check,
    /// It cannot be planned.
    Program,
    /// The controller's trial evaluation fails.
    Trial,
    /// The trial's result is no cost.
    Result,
    /// It is accepted and fails on given values.
    Eval,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stage::Parse => "parse",
            Stage::Check => "check",
            Stage::Program => "program",
            Stage::Trial => "trial",
            Stage::Result => "result",
            Stage::Eval => "eval",
        })
    }
}

macro_rules! faults {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)*) => {
        /// What is wrong, in one word.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Fault { $($(#[$doc])* $name,)* }

        impl fmt::Display for Fault {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Fault::$name => $word,)* })
            }
        }
    };
}

faults! {
    /// Not the grammar.
    Syntax = "syntax",
    /// A word that the language keeps for itself.
    ReservedIdentifier = "reserved-identifier",
    /// A number out of range or a bad escape.
    Literal = "literal",
    /// A macro with arguments that it cannot expand.
    Macro = "macro",
    /// Optional syntax where it is off.
    UnsupportedSyntax = "unsupported-syntax",
    /// Too large, too deep, or too much work.
    Limit = "limit",
    /// No such variable, type or function.
    UndeclaredReference = "undeclared-reference",
    /// No form of the function takes these types.
    NoOverload = "no-overload",
    /// Another type is needed here.
    TypeMismatch = "type-mismatch",
    /// A message field of another type.
    FieldType = "field-type",
    /// A value of this type has no fields.
    NoFieldSelection = "no-field-selection",
    /// The message has no such field.
    UndefinedField = "undefined-field",
    /// The type is no message.
    NotAMessage = "not-a-message",
    /// Neither list nor map, so nothing to loop over.
    ComprehensionRange = "comprehension-range",
    /// A type name that exists for the checker only.
    UndefinedType = "undefined-type",
    /// A constant that can be no key.
    QualifierType = "qualifier-type",
    /// Division by zero.
    DivisionByZero = "division-by-zero",
    /// Modulus by zero.
    ModulusByZero = "modulus-by-zero",
    /// An unsigned result below zero or above 2^64-1.
    UintOverflow = "uint-overflow",
    /// A signed result outside 64 bits.
    IntOverflow = "int-overflow",
    /// A time outside the years 1 to 9999.
    TimestampOverflow = "timestamp-overflow",
    /// A map without the key.
    NoSuchKey = "no-such-key",
    /// A list without the index.
    IndexOutOfBounds = "index-out-of-bounds",
    /// The values' types fit no form of the function.
    NoSuchOverload = "no-such-overload",
    /// A value that cannot become the other type.
    Conversion = "conversion",
    /// A pattern that RE2 refuses.
    Regex = "regex",
    /// NaN has no order.
    NanOrder = "nan-order",
    /// An unknown time zone.
    Timezone = "timezone",
    /// Nothing to loop over.
    NotIterable = "not-iterable",
    /// An index that is no whole number.
    UnsupportedIndex = "unsupported-index",
    /// A map key that cannot be one.
    UnhashableKey = "unhashable-key",
    /// A value that does not fit a message field.
    MessageField = "message-field",
    /// Bytes that are no text.
    InvalidUtf8 = "invalid-utf8",
    /// A message that is no value.
    UnsupportedValue = "unsupported-value",
    /// The loader would crash.
    Panic = "panic",
    /// The result is below zero.
    Negative = "negative",
    /// The result is no whole number.
    NotInteger = "not-integer",
    /// The result is no boolean.
    NotBoolean = "not-boolean",
    /// The gateway's limit on the work of one evaluation.
    CostLimit = "cost-limit",
    /// The value of an empty optional.
    OptionalNone = "optional-none",
}

/// Stage and fault, written `check/no-overload`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Class {
    /// How far it came.
    pub stage: Stage,
    /// What is wrong.
    pub fault: Fault,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.stage, self.fault)
    }
}

/// Where a problem is. Problems are ordered by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum At {
    /// Nowhere: it is about the whole text.
    Whole,
    /// In a part that could not be read at all, which upstream places before the first character.
    Start,
    /// At a byte offset.
    Offset(usize),
}

impl At {
    pub(super) fn offset(self) -> usize {
        match self {
            At::Whole | At::Start => 0,
            At::Offset(offset) => offset,
        }
    }
}

/// One problem found by the parser or the checker.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) at: At,
    pub(super) class: Class,
    /// cel-go's words, without the position.
    pub(super) message: String,
}

impl Problem {
    pub(super) fn parse(at: At, fault: Fault, message: impl Into<String>) -> Problem {
        let class = Class {
            stage: Stage::Parse,
            fault,
        };
        Problem {
            at,
            class,
            message: message.into(),
        }
    }

    pub(super) fn check(at: usize, fault: Fault, message: impl Into<String>) -> Problem {
        let class = Class {
            stage: Stage::Check,
            fault,
        };
        Problem {
            at: At::Offset(at),
            class,
            message: message.into(),
        }
    }

    /// A limit on the whole text was exceeded.
    pub(super) fn limit(stage: Stage, message: impl Into<String>) -> Problem {
        Problem {
            at: At::Whole,
            class: Class {
                stage,
                fault: Fault::Limit,
            },
            message: message.into(),
        }
    }
}

/// Upstream keeps so many problems, in the order in which it finds them.
const KEPT: usize = 100;

/// The problem that decides: of those that are kept the first by position.
pub(super) fn first(problems: Vec<Problem>) -> Option<Problem> {
    // `min_by_key` keeps the earlier of two equal ones.
    problems
        .into_iter()
        .take(KEPT)
        .min_by_key(|problem| problem.at)
}
