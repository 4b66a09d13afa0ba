//! What values a part of an expression can have, as sets that are never too small: ranges of numbers, known texts,
//! lists and maps with known elements.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::cel::typing::types::{Primitive, Type};

/// The values that are possible, by their type at run time.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cel) struct Possible {
    pub(in crate::cel) int: Option<Bounds>,
    pub(in crate::cel) uint: Option<Bounds>,
    pub(in crate::cel) double: Option<Doubles>,
    pub(in crate::cel) truth: Truth,
    pub(in crate::cel) text: Option<Text>,
    pub(in crate::cel) list: Option<Rc<List>>,
    pub(in crate::cel) map: Option<Rc<Entries>>,
    /// Something else: null, bytes, a time, a type, a message.
    pub(in crate::cel) other: bool,
}

/// The smallest and the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cel) struct Bounds {
    pub(in crate::cel) low: i128,
    pub(in crate::cel) high: i128,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::cel) struct Doubles {
    pub(in crate::cel) low: f64,
    pub(in crate::cel) high: f64,
    pub(in crate::cel) nan: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::cel) struct Truth {
    pub(in crate::cel) yes: bool,
    pub(in crate::cel) no: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cel) enum Text {
    Any,
    OneOf(BTreeSet<Rc<str>>),
}

#[derive(Clone, Debug, PartialEq)]
pub(in crate::cel) struct List {
    /// The elements one by one, when they are known.
    pub(in crate::cel) items: Option<Vec<Possible>>,
    /// What any element can be.
    pub(in crate::cel) element: Possible,
    /// How many there are.
    pub(in crate::cel) length: Bounds,
}

#[derive(Clone, Debug, PartialEq)]
pub(in crate::cel) struct Entries {
    /// Keys and values one by one, when they are known.
    pub(in crate::cel) known: Option<Vec<(Possible, Possible)>>,
    pub(in crate::cel) key: Possible,
    pub(in crate::cel) value: Possible,
}

const INT: Bounds = Bounds {
    low: i64::MIN as i128,
    high: i64::MAX as i128,
};
const UINT: Bounds = Bounds {
    low: 0,
    high: u64::MAX as i128,
};
const COUNT: Bounds = Bounds {
    low: 0,
    high: i64::MAX as i128,
};
/// More different texts than this are as good as any.
const TEXT_LIMIT: usize = 16;

impl Bounds {
    pub(in crate::cel) const INT: Bounds = INT;
    pub(in crate::cel) const UINT: Bounds = UINT;

    pub(in crate::cel) fn new(low: i128, high: i128) -> Bounds {
        Bounds { low, high }
    }

    pub(in crate::cel) fn exactly(value: i128) -> Bounds {
        Bounds::new(value, value)
    }

    pub(in crate::cel) fn contains(self, value: i128) -> bool {
        self.low <= value && value <= self.high
    }

    pub(in crate::cel) fn single(self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    /// The part inside `limits`; none when there is none.
    pub(in crate::cel) fn within(self, limits: Bounds) -> Option<Bounds> {
        let (low, high) = (self.low.max(limits.low), self.high.min(limits.high));
        (low <= high).then_some(Bounds { low, high })
    }

    pub(in crate::cel) fn is_within(self, limits: Bounds) -> bool {
        limits.low <= self.low && self.high <= limits.high
    }

    fn join(self, other: Bounds) -> Bounds {
        Bounds::new(self.low.min(other.low), self.high.max(other.high))
    }
}

impl Doubles {
    pub(in crate::cel) const ANY: Doubles = Doubles {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        nan: true,
    };

    /// The range of what an operation gives at the corners of its operands' ranges.
    pub(in crate::cel) fn corners(values: [f64; 4], nan: bool) -> Doubles {
        let nan = nan || values.iter().any(|value| value.is_nan());
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // A corner that is NaN says nothing about what lies between.
        if values.iter().any(|value| value.is_nan()) {
            Doubles::ANY
        } else {
            Doubles { low, high, nan }
        }
    }

    fn join(self, other: Doubles) -> Doubles {
        Doubles {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            nan: self.nan || other.nan,
        }
    }
}

impl Truth {
    pub(in crate::cel) const BOTH: Truth = Truth {
        yes: true,
        no: true,
    };

    pub(in crate::cel) fn is(value: bool) -> Truth {
        Truth {
            yes: value,
            no: !value,
        }
    }

    pub(in crate::cel) fn any(self) -> bool {
        self.yes || self.no
    }
}

impl Text {
    pub(in crate::cel) fn is(text: &str) -> Text {
        Text::OneOf([Rc::from(text)].into())
    }

    pub(in crate::cel) fn single(&self) -> Option<&str> {
        match self {
            Text::OneOf(texts) if texts.len() == 1 => texts.first().map(|text| &**text),
            _ => None,
        }
    }

    fn join(&self, other: &Text) -> Text {
        match (self, other) {
            (Text::OneOf(left), Text::OneOf(right)) if left.len() + right.len() <= TEXT_LIMIT => {
                Text::OneOf(left | right)
            }
            _ => Text::Any,
        }
    }
}

impl Possible {
    /// No value at all: it always fails, or it is never reached.
    pub(in crate::cel) fn nothing() -> Possible {
        Possible {
            int: None,
            uint: None,
            double: None,
            truth: Truth::default(),
            text: None,
            list: None,
            map: None,
            other: false,
        }
    }

    pub(in crate::cel) fn something_else() -> Possible {
        Possible {
            other: true,
            ..Possible::nothing()
        }
    }

    pub(in crate::cel) fn int(bounds: Bounds) -> Possible {
        Possible {
            int: Some(bounds),
            ..Possible::nothing()
        }
    }

    pub(in crate::cel) fn uint(bounds: Bounds) -> Possible {
        Possible {
            uint: Some(bounds),
            ..Possible::nothing()
        }
    }

    pub(in crate::cel) fn double(doubles: Doubles) -> Possible {
        Possible {
            double: Some(doubles),
            ..Possible::nothing()
        }
    }

    pub(in crate::cel) fn truth(truth: Truth) -> Possible {
        Possible {
            truth,
            ..Possible::nothing()
        }
    }

    pub(in crate::cel) fn text(text: Text) -> Possible {
        Possible {
            text: Some(text),
            ..Possible::nothing()
        }
    }

    pub(in crate::cel) fn list(items: Vec<Possible>) -> Possible {
        let length = Bounds::exactly(items.len() as i128);
        let element = items
            .iter()
            .fold(Possible::nothing(), |all, item| all.join(item));
        let list = List {
            items: Some(items),
            element,
            length,
        };
        Possible {
            list: Some(Rc::new(list)),
            ..Possible::nothing()
        }
    }

    /// A list of which only the kind of elements and the bounds of its length are known.
    pub(in crate::cel) fn list_of(element: Possible, length: Bounds) -> Possible {
        let list = List {
            items: None,
            element,
            length,
        };
        Possible {
            list: Some(Rc::new(list)),
            ..Possible::nothing()
        }
    }

    pub(in crate::cel) fn map(known: Vec<(Possible, Possible)>) -> Possible {
        let join = |all: Possible, one: &Possible| all.join(one);
        let key = known
            .iter()
            .map(|(key, _)| key)
            .fold(Possible::nothing(), join);
        let value = known
            .iter()
            .map(|(_, value)| value)
            .fold(Possible::nothing(), join);
        let map = Entries {
            known: Some(known),
            key,
            value,
        };
        Possible {
            map: Some(Rc::new(map)),
            ..Possible::nothing()
        }
    }

    /// All values of a static type.
    pub(in crate::cel) fn of_type(type_: &Type) -> Possible {
        match type_ {
            Type::Bool => Possible::truth(Truth::BOTH),
            Type::Int => Possible::int(INT),
            Type::Uint => Possible::uint(UINT),
            Type::Double => Possible::double(Doubles::ANY),
            Type::String => Possible::text(Text::Any),
            Type::Wrapper(primitive) => {
                let bare: fn(Primitive) -> Type = Primitive::bare;
                Possible {
                    other: true,
                    ..Possible::of_type(&bare(*primitive))
                }
            }
            Type::List(element) => Possible::list_of(Possible::of_type(element), COUNT),
            Type::Map(types) => {
                let (key, value) = (Possible::of_type(&types.0), Possible::of_type(&types.1));
                let map = Entries {
                    known: None,
                    key,
                    value,
                };
                Possible {
                    map: Some(Rc::new(map)),
                    ..Possible::nothing()
                }
            }
            Type::Dyn | Type::Any | Type::Error | Type::Variable(_) | Type::Parameter(_) => {
                Possible {
                    int: Some(INT),
                    uint: Some(UINT),
                    double: Some(Doubles::ANY),
                    truth: Truth::BOTH,
                    text: Some(Text::Any),
                    // Elements that nobody knows are looked at when they are used.
                    list: None,
                    map: None,
                    other: true,
                }
            }
            _ => Possible::something_else(),
        }
    }

    pub(in crate::cel) fn join(&self, other: &Possible) -> Possible {
        Possible {
            int: either(self.int, other.int, Bounds::join),
            uint: either(self.uint, other.uint, Bounds::join),
            double: either(self.double, other.double, Doubles::join),
            truth: Truth {
                yes: self.truth.yes || other.truth.yes,
                no: self.truth.no || other.truth.no,
            },
            text: either(self.text.clone(), other.text.clone(), |left, right| {
                left.join(&right)
            }),
            list: either(self.list.clone(), other.list.clone(), |left, right| {
                if left == right {
                    return left;
                }
                Rc::new(List {
                    items: None,
                    element: left.element.join(&right.element),
                    length: left.length.join(right.length),
                })
            }),
            map: either(self.map.clone(), other.map.clone(), |left, right| {
                if left == right {
                    return left;
                }
                Rc::new(Entries {
                    known: None,
                    key: left.key.join(&right.key),
                    value: left.value.join(&right.value),
                })
            }),
            other: self.other || other.other,
        }
    }

    /// The one value, when it is a known text or number, as something that can be compared.
    pub(in crate::cel) fn single(&self) -> Option<Single<'_>> {
        let kinds = [
            self.int.is_some(),
            self.uint.is_some(),
            self.double.is_some(),
            self.truth.any(),
            self.text.is_some(),
            self.list.is_some(),
            self.map.is_some(),
            self.other,
        ];
        if kinds.iter().filter(|kind| **kind).count() != 1 {
            return None;
        }
        if let Some(bounds) = self.int.or(self.uint) {
            return bounds.single().map(Single::Number);
        }
        if self.truth.any() {
            return (self.truth.yes != self.truth.no).then_some(Single::Truth(self.truth.yes));
        }
        self.text.as_ref().and_then(Text::single).map(Single::Text)
    }

    /// Is it a number and nothing else?
    pub(in crate::cel) fn whole_number(&self) -> Option<Bounds> {
        let is_other = self.double.is_some()
            || self.truth.any()
            || self.text.is_some()
            || self.list.is_some()
            || self.map.is_some()
            || self.other;
        if is_other {
            None
        } else {
            either(self.int, self.uint, Bounds::join)
        }
    }
}

/// One known value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cel) enum Single<'p> {
    Number(i128),
    Truth(bool),
    Text(&'p str),
}

fn either<T>(left: Option<T>, right: Option<T>, join: impl FnOnce(T, T) -> T) -> Option<T> {
    match (left, right) {
        (Some(left), Some(right)) => Some(join(left, right)),
        (left, right) => left.or(right),
    }
}
