//! Evaluates planned steps.
//!
//! A failure is a value like any other until something looks at it: `&&`, `||` and loops can absorb it, unless
//! it is fatal.

use std::rc::Rc;

use super::arithmetic;
use super::budget::{Budget, STEP_LIMIT};
use super::compare;
use super::convert;
use super::cost_tracker::Tracker;
use super::library;
use super::message_value;
use super::number;
use super::plan::{Attribute, Base, Call, Fold, Kind, Qualifier, Step};
use super::re2::Patterns;
use super::value::{Failure, Map, Outcome, Shown, Value};
use crate::cel::problem::Fault;
use crate::cel::syntax::macros::ACCUMULATOR;
use crate::cel::syntax::operator;
use crate::cel::typing::messages::MessageType;

/// Evaluates a plan with the given variables; a limit makes it count the cost.
pub(in crate::cel) fn evaluate(
    step: &Step,
    variables: &[(&str, Value)],
    cost_limit: Option<u64>,
) -> Outcome {
    run(step, variables, cost_limit.map(Tracker::new), STEP_LIMIT)
}

/// The value of a part without variables, if it takes few steps.
pub(in crate::cel) fn constant(step: &Step) -> Option<Outcome> {
    let outcome = run(step, &[], None, CONSTANT_LIMIT);
    match &outcome {
        Err(failure) if failure.fault == Fault::Limit => None,
        _ => Some(outcome),
    }
}

fn run(step: &Step, variables: &[(&str, Value)], tracker: Option<Tracker>, steps: u64) -> Outcome {
    let budget = Budget::new(steps);
    let (frames, patterns) = (Vec::new(), Patterns::default());
    Evaluator {
        variables,
        frames,
        patterns,
        budget,
        tracker,
    }
    .step(step)
}

/// So many steps may the value of a part take that is only looked at.
const CONSTANT_LIMIT: u64 = 100_000;

struct Evaluator<'p> {
    variables: &'p [(&'p str, Value)],
    /// The loops under way, innermost last.
    frames: Vec<Frame<'p>>,
    patterns: Patterns,
    budget: Budget,
    tracker: Option<Tracker>,
}

struct Frame<'p> {
    fold: &'p Fold,
    /// The accumulator; its first value is computed when it is first asked for.
    accumulated: Option<Outcome>,
    element: Value,
    /// The loop is over and its result is computed: its variable is gone.
    is_over: bool,
}

/// What a selection finds: the value, or nothing where nothing is allowed.
type Found = Result<Option<Value>, Failure>;

impl<'p> Evaluator<'p> {
    fn step(&mut self, step: &'p Step) -> Outcome {
        self.budget.spend(1)?;
        let mut outcome = self.kind(step);
        if let Err(failure) = &mut outcome {
            failure.at.get_or_insert(step.at);
        }
        if let Some(tracker) = &mut self.tracker
            && outcome.as_ref().err().is_none_or(|failure| !failure.fatal)
        {
            tracker.step(step, &outcome)?;
        }
        outcome
    }

    fn kind(&mut self, step: &'p Step) -> Outcome {
        match &step.kind {
            Kind::Constant(value) => Ok(value.clone()),
            Kind::Attribute(attribute) => self.attribute(attribute),
            Kind::Logic { or, terms } => self.logic(*or, terms),
            Kind::Equality { negated, args } => {
                let args = self.all_args(args)?;
                let equal = compare::equal(&args[0], &args[1], &mut self.budget)?;
                Ok(Value::Bool(equal != *negated))
            }
            Kind::Call(call) => self.call(call),
            Kind::List { elements } => self.list(elements),
            Kind::Map { entries } => self.map(entries),
            Kind::Message { type_, fields } => self.message(type_, fields),
            Kind::Fold(fold) => self.fold(fold),
            Kind::SetMembership { element, set } => {
                let element = self.step(element)?;
                self.budget.spend(1 + set.len() as u64 / 8)?;
                compare::set_contains(&element, set).map(Value::Bool)
            }
            Kind::OptionalOr { value, args } => self.optional_or(*value, args),
        }
    }

    /// The first operand that decides wins, even over one that fails.
    fn logic(&mut self, or: bool, terms: &'p [Box<Step>; 2]) -> Outcome {
        let mut failure = None;
        for term in terms {
            let this = match self.step(term) {
                Ok(Value::Bool(value)) if value == or => return Ok(Value::Bool(or)),
                Ok(Value::Bool(_)) => continue,
                Ok(_) => Failure::no_such_overload(),
                Err(failure) if failure.fatal => return Err(failure),
                Err(failure) => failure,
            };
            failure.get_or_insert(this);
        }
        failure.map_or(Ok(Value::Bool(!or)), Err)
    }

    /// Evaluates all arguments before the first failure counts.
    fn all_args(&mut self, args: &'p [Step]) -> Result<Vec<Value>, Failure> {
        let mut outcomes = Vec::with_capacity(args.len());
        for arg in args {
            let outcome = self.step(arg);
            if outcome.as_ref().is_err_and(|failure| failure.fatal) {
                outcome.clone()?;
            }
            outcomes.push(outcome);
        }
        outcomes.into_iter().collect()
    }

    fn call(&mut self, call: &'p Call) -> Outcome {
        if &*call.function == operator::NOT_STRICTLY_FALSE {
            return match self.step(&call.args[0]) {
                Err(failure) if failure.fatal => Err(failure),
                Ok(Value::Bool(value)) => Ok(Value::Bool(value)),
                _ => Ok(Value::Bool(true)),
            };
        }
        if !call.compiled_pattern {
            let args = self.all_args(&call.args)?;
            return self.apply(&call.function, args);
        }
        let mut args = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            args.push(self.step(arg)?);
        }
        // A compiled pattern asks nothing of its text but to be one when it is unwrapped.
        let text = args.first().and_then(Value::plain_text).cloned();
        args[0] = Value::String(text.ok_or_else(Failure::no_such_overload)?);
        self.apply(&call.function, args)
    }

    fn apply(&mut self, function: &str, mut args: Vec<Value>) -> Outcome {
        let budget = &mut self.budget;
        match (function, args.as_mut_slice()) {
            (operator::NOT, [Value::Bool(value)]) => Ok(Value::Bool(!*value)),
            (operator::NOT, _) => Err(Failure::no_such_overload()),
            (operator::NEGATE, [value]) => arithmetic::negate(value),
            (
                operator::ADD
                | operator::SUBTRACT
                | operator::MULTIPLY
                | operator::DIVIDE
                | operator::MODULO,
                [left, right],
            ) => {
                let (left, right) = (std::mem::replace(left, Value::Null), right.clone());
                arithmetic::apply(function, left, right, budget)
            }
            (operator::LESS, [left, right]) => {
                compare::order(left, right, function).map(|order| Value::Bool(order.is_lt()))
            }
            (operator::LESS_EQUALS, [left, right]) => {
                compare::order(left, right, function).map(|order| Value::Bool(order.is_le()))
            }
            (operator::GREATER, [left, right]) => {
                compare::order(left, right, function).map(|order| Value::Bool(order.is_gt()))
            }
            (operator::GREATER_EQUALS, [left, right]) => {
                compare::order(left, right, function).map(|order| Value::Bool(order.is_ge()))
            }
            (operator::IN, [element, container]) => {
                compare::contains(element, container, budget).map(Value::Bool)
            }
            (conversion, [value]) if convert::is_conversion(conversion) => {
                if let Value::String(text) = value {
                    budget.spend_bytes(text.len())?;
                }
                convert::apply(conversion, value.clone())
            }
            (other, args) => library::apply(other, args, &mut self.patterns, budget),
        }
    }

    fn list(&mut self, elements: &'p [(Step, bool)]) -> Outcome {
        let mut values = Vec::with_capacity(elements.len());
        for (step, optional) in elements {
            let value = self.step(step)?;
            if let Some(value) = if *optional {
                given(format_args!("list element"), value)?
            } else {
                Some(value)
            } {
                values.push(value);
            }
        }
        Ok(Value::list(values))
    }

    fn map(&mut self, entries: &'p [(Step, Step, bool)]) -> Outcome {
        let mut map = Map::default();
        for (key, value, optional) in entries {
            let key = self.step(key)?;
            let value = self.step(value)?;
            match if *optional {
                given(format_args!("entry '{}'", Shown(&key)), value)?
            } else {
                Some(value)
            } {
                Some(value) => map.insert(key, value)?,
                None => map.remove(&key)?,
            }
        }
        Ok(Value::Map(Rc::new(map)))
    }

    fn message(
        &mut self,
        type_: &'static MessageType,
        fields: &'p [(Rc<str>, Step, bool)],
    ) -> Outcome {
        let mut values: Vec<(&str, Value)> = Vec::with_capacity(fields.len());
        for (name, step, optional) in fields {
            let value = self.step(step)?;
            let value = if *optional {
                given(format_args!("entry '{name}'"), value)?
            } else {
                Some(value)
            };
            values.retain(|(known, _)| *known != &**name);
            if let Some(value) = value {
                values.push((name, value));
            }
        }
        message_value::make(type_, values)
    }

    fn optional_or(&mut self, value: bool, args: &'p [Box<Step>; 2]) -> Outcome {
        match self.step(&args[0])? {
            Value::Optional(Some(inner)) if value => Ok((*inner).clone()),
            Value::Optional(Some(inner)) => Ok(Value::Optional(Some(inner))),
            Value::Optional(None) => self.step(&args[1]),
            _ => Err(Failure::no_such_overload()),
        }
    }

    fn fold(&mut self, fold: &'p Fold) -> Outcome {
        let range = self.step(&fold.range)?;
        let elements: Vec<Value> = match &range {
            Value::List(elements) => elements.to_vec(),
            Value::Map(map) => map.keys().cloned().collect(),
            other => {
                let message = format!("got '{}', expected iterable type", go_type(other));
                return Err(Failure::new(Fault::NotIterable, message));
            }
        };
        self.budget.spend(elements.len() as u64 / 8)?;
        let frame = Frame {
            fold,
            accumulated: None,
            element: Value::Null,
            is_over: false,
        };
        self.frames.push(frame);
        let outcome = self.run(fold, elements);
        self.frames.pop();
        outcome
    }

    fn run(&mut self, fold: &'p Fold, elements: Vec<Value>) -> Outcome {
        for element in elements {
            self.frame().element = element;
            match self.step(&fold.condition) {
                Ok(Value::Bool(false)) => break,
                Err(failure) if failure.fatal => return Err(failure),
                _ => {}
            }
            let accumulated = self.step(&fold.step);
            if accumulated.as_ref().is_err_and(|failure| failure.fatal) {
                return accumulated;
            }
            self.frame().accumulated = Some(accumulated);
        }
        self.frame().is_over = true;
        self.step(&fold.result)
    }

    fn frame(&mut self) -> &mut Frame<'p> {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn variable(&mut self, name: &str, global: bool) -> Outcome {
        if !global {
            for depth in (0..self.frames.len()).rev() {
                let frame = &mut self.frames[depth];
                if *frame.fold.accumulator == *name {
                    return self.accumulator(depth);
                }
                if *frame.fold.variable == *name && !frame.is_over {
                    return Ok(frame.element.clone());
                }
            }
        }
        let found = self
            .variables
            .iter()
            .find(|(variable, _)| *variable == name);
        found.map(|(_, value)| value.clone()).ok_or_else(|| {
            let message = format!("no such attribute(s): {name}");
            Failure::new(Fault::UndeclaredReference, message)
        })
    }

    fn accumulator(&mut self, depth: usize) -> Outcome {
        if self.frames[depth].accumulated.is_none() {
            let inner = self.frames.split_off(depth);
            let init = self.step(&inner[0].fold.init);
            self.frames.extend(inner);
            self.frames[depth].accumulated = Some(init);
        }
        let frame = &mut self.frames[depth];
        match &frame.accumulated {
            // The standard macros read their accumulator once and then write it, so a list can be
            // handed over and grown in place.
            Some(Ok(Value::List(_))) if *frame.fold.accumulator == *ACCUMULATOR => {
                frame.accumulated.take().unwrap_or(Ok(Value::Null))
            }
            Some(outcome) => outcome.clone(),
            None => Ok(Value::Null),
        }
    }

    /// The value of an attribute as a step.
    fn attribute(&mut self, attribute: &'p Attribute) -> Outcome {
        let value = self.resolve(attribute)?;
        Ok(match value {
            Value::Optional(inner) if attribute.presence_test => Value::Bool(inner.is_some()),
            value => value,
        })
    }

    fn resolve(&mut self, attribute: &'p Attribute) -> Outcome {
        let value = match &attribute.base {
            Base::Variable { name, global } => self.variable(name, *global)?,
            Base::Value(step) => self.step(step)?,
            Base::Conditional {
                condition,
                then,
                otherwise,
            } => {
                return match self.step(condition)? {
                    Value::Bool(true) => self.resolve(then),
                    Value::Bool(false) => self.resolve(otherwise),
                    _ => Err(Failure::no_such_overload()),
                };
            }
        };
        self.qualify(value, &attribute.qualifiers)
    }

    /// Applies selections one after the other. From the first optional on, what is missing gives an empty optional.
    fn qualify(&mut self, value: Value, qualifiers: &'p [Rc<Qualifier>]) -> Outcome {
        let (mut value, mut optional) = match value {
            Value::Optional(Some(inner)) => (inner.rewrapped(), true),
            Value::Optional(None) => return Ok(value),
            value => (value, false),
        };
        for qualifier in qualifiers {
            self.budget.spend(1)?;
            optional |= qualifier.is_optional();
            match self.qualifier(&value, qualifier, optional)? {
                Some(found) => value = found,
                None => return Ok(Value::Optional(None)),
            }
        }
        Ok(if optional { Value::some(value) } else { value })
    }

    fn qualifier(&mut self, value: &Value, qualifier: &'p Qualifier, optional: bool) -> Found {
        match qualifier {
            Qualifier::Constant {
                id,
                key,
                presence_test,
                ..
            } => {
                let mut found = look_up(value, key, optional || *presence_test);
                if *presence_test && !optional {
                    found = found.map(|found| Some(Value::Bool(found.is_some())));
                }
                self.count(*id, &found, *presence_test && !optional)?;
                found
            }
            Qualifier::Computed { id, key, .. } => {
                let found = self.resolve(key).and_then(|key| {
                    if can_qualify(&key) {
                        look_up(value, &key, optional)
                    } else {
                        Err(invalid_qualifier(&key))
                    }
                });
                self.count(*id, &found, false)?;
                found
            }
        }
    }

    fn count(
        &mut self,
        id: crate::cel::syntax::ast::NodeId,
        found: &Found,
        presence_only: bool,
    ) -> Result<(), Failure> {
        let Some(tracker) = &mut self.tracker else {
            return Ok(());
        };
        match found {
            Err(failure) if failure.fatal => Err(failure.clone()),
            // What an optional selection does not find costs nothing.
            Ok(None) if !presence_only => Ok(()),
            Ok(value) => tracker.qualifier(id, &Ok(value.clone().unwrap_or(Value::Bool(false)))),
            Err(failure) => tracker.qualifier(id, &Err(failure.clone())),
        }
    }
}

impl Qualifier {
    fn is_optional(&self) -> bool {
        match self {
            Qualifier::Constant { optional, .. } | Qualifier::Computed { optional, .. } => {
                *optional
            }
        }
    }
}

/// The value inside an optional that stands for an element or entry.
fn given(what: std::fmt::Arguments<'_>, value: Value) -> Found {
    match value {
        Value::Optional(inner) => Ok(inner.map(|inner| (*inner).clone())),
        other => {
            let message = format!(
                "cannot initialize optional {what} from non-optional value {}",
                Shown(&other)
            );
            Err(Failure::new(Fault::NoSuchOverload, message))
        }
    }
}

/// Can the value be a key or an index?
pub(in crate::cel) fn can_qualify(key: &Value) -> bool {
    matches!(
        key,
        Value::String(_) | Value::Int(_) | Value::Uint(_) | Value::Bool(_) | Value::Double(_)
    )
}

pub(in crate::cel) fn invalid_qualifier(key: &Value) -> Failure {
    let message = format!("invalid qualifier type: {}", go_type(key));
    Failure::new(Fault::QualifierType, message)
}

/// `value[key]` or `value.key`. `lenient`: what is missing is no failure.
fn look_up(value: &Value, key: &Value, lenient: bool) -> Found {
    match value {
        Value::Map(map) => match map.find(key)? {
            Some(found) => Ok(Some(found.clone())),
            None if lenient => Ok(None),
            None => Err(Failure::no_such_key(key)),
        },
        Value::List(elements) => {
            let index = list_index(key)?;
            match usize::try_from(index)
                .ok()
                .and_then(|index| elements.get(index))
            {
                Some(found) => Ok(Some(found.clone())),
                None if lenient => Ok(None),
                None => {
                    let message = format!("index out of bounds: {}", Shown(key));
                    Err(Failure::new(Fault::IndexOutOfBounds, message))
                }
            }
        }
        Value::Message(message) => {
            let Value::String(name) = key else {
                return Err(Failure::no_such_overload());
            };
            let missing = || Failure::new(Fault::NoSuchKey, format!("no such field '{name}'"));
            if lenient && !message.is_set(name).ok_or_else(missing)? {
                return Ok(None);
            }
            message.get(name).map(Some).ok_or_else(missing)
        }
        _ if lenient => Ok(None),
        _ => Err(Failure::no_such_key(key)),
    }
}

fn list_index(key: &Value) -> Result<i64, Failure> {
    let unsupported = |message: String| Failure::new(Fault::UnsupportedIndex, message);
    let exact = match key {
        Value::Int(index) => Some(*index),
        Value::Double(index) => number::double_to_int_exactly(*index),
        Value::Uint(index) => i64::try_from(*index).ok(),
        other => {
            let type_ = other.type_name();
            return Err(unsupported(format!(
                "unsupported index type '{type_}' in list"
            )));
        }
    };
    exact.ok_or_else(|| unsupported(format!("unsupported index value {} in list", Shown(key))))
}

/// The name of the Go type behind a value, which some messages show.
fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "types.Null",
        Value::Bool(_) => "types.Bool",
        Value::Int(_) => "types.Int",
        Value::Uint(_) => "types.Uint",
        Value::Double(_) => "types.Double",
        Value::String(_) => "types.String",
        Value::Bytes(_) => "types.Bytes",
        Value::Timestamp(_) => "types.Timestamp",
        Value::Duration(_) => "types.Duration",
        Value::List(_) => "*types.baseList",
        Value::Map(_) => "*types.baseMap",
        Value::Type(_) => "*types.Type",
        Value::Optional(_) => "*types.Optional",
        Value::Message(_) => "*types.protoObj",
    }
}
