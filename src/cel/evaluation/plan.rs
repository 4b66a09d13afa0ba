//! A checked tree → the steps that evaluate it.
//!
//! The shape follows cel-go's planner where that can be seen from outside: which constants are computed at once
//! (and so fail when the program is made), how selections hang on the value they start from, what is counted as cost.

use std::collections::HashMap;
use std::rc::Rc;

use super::convert;
use super::evaluate;
use super::re2;
use super::value::{Failure, Map, Value};
use crate::cel::problem::Fault;
use crate::cel::syntax::ast::{Comprehension, Element, Entry, Expr, Field, Literal, NodeId};
use crate::cel::syntax::operator;
use crate::cel::typing::checker::{Checked, Reference};
use crate::cel::typing::env::Env;
use crate::cel::typing::messages::{self, MessageType};
use crate::cel::typing::types::Type;

/// One step of an evaluation.
#[derive(Debug)]
pub(in crate::cel) struct Step {
    pub(in crate::cel) id: NodeId,
    /// Where failures of this step are in the text.
    pub(in crate::cel) at: usize,
    pub(in crate::cel) kind: Kind,
}

#[derive(Debug)]
pub(in crate::cel) enum Kind {
    Constant(Value),
    Attribute(Attribute),
    /// `&&` or `||`
    Logic {
        or: bool,
        terms: [Box<Step>; 2],
    },
    /// `==` or `!=`
    Equality {
        negated: bool,
        args: Vec<Step>,
    },
    Call(Call),
    List {
        elements: Vec<(Step, bool)>,
    },
    Map {
        entries: Vec<(Step, Step, bool)>,
    },
    Message {
        type_: &'static MessageType,
        fields: Vec<(Rc<str>, Step, bool)>,
    },
    Fold(Box<Fold>),
    /// `element in set` with a constant set.
    SetMembership {
        element: Box<Step>,
        set: Vec<Value>,
    },
    /// `x.or(y)`, or `x.orValue(y)` where the second is no optional.
    OptionalOr {
        value: bool,
        args: [Box<Step>; 2],
    },
}

#[derive(Debug)]
pub(in crate::cel) struct Call {
    pub(in crate::cel) function: Rc<str>,
    /// The overload, when the checker knows the only one.
    pub(in crate::cel) overload: Option<&'static str>,
    pub(in crate::cel) args: Vec<Step>,
    /// A match with a compiled pattern: arguments are evaluated one by one, up to the first that fails.
    pub(in crate::cel) compiled_pattern: bool,
}

#[derive(Debug)]
pub(in crate::cel) struct Fold {
    pub(in crate::cel) range: Step,
    pub(in crate::cel) variable: Rc<str>,
    pub(in crate::cel) accumulator: Rc<str>,
    pub(in crate::cel) init: Step,
    pub(in crate::cel) condition: Step,
    pub(in crate::cel) step: Step,
    pub(in crate::cel) result: Step,
}

/// A value with selections and indexes on it.
#[derive(Debug)]
pub(in crate::cel) struct Attribute {
    id: NodeId,
    pub(in crate::cel) base: Base,
    pub(in crate::cel) qualifiers: Vec<Rc<Qualifier>>,
    /// It ends in a test whether the last field is there.
    pub(in crate::cel) presence_test: bool,
}

#[derive(Debug)]
pub(in crate::cel) enum Base {
    Variable {
        name: Rc<str>,
        global: bool,
    },
    Value(Box<Step>),
    Conditional {
        condition: Box<Step>,
        then: Box<Attribute>,
        otherwise: Box<Attribute>,
    },
}

/// One selection or index.
#[derive(Debug)]
pub(in crate::cel) enum Qualifier {
    Constant {
        id: NodeId,
        key: Value,
        optional: bool,
        presence_test: bool,
    },
    Computed {
        id: NodeId,
        key: Attribute,
        optional: bool,
    },
}

impl Qualifier {
    fn id(&self) -> NodeId {
        match self {
            Qualifier::Constant { id, .. } | Qualifier::Computed { id, .. } => *id,
        }
    }
}

impl Attribute {
    /// The id under which the cost tracker knows the value: that of the last selection.
    pub(in crate::cel) fn id(&self) -> NodeId {
        if let Some(last) = self.qualifiers.last() {
            return last.id();
        }
        match &self.base {
            Base::Conditional {
                then, otherwise, ..
            } if then.id() == otherwise.id() => then.id(),
            _ => self.id,
        }
    }

    /// Selections on a choice go to both branches.
    fn add(&mut self, qualifier: Rc<Qualifier>) {
        match &mut self.base {
            Base::Conditional {
                then, otherwise, ..
            } => {
                then.add(qualifier.clone());
                otherwise.add(qualifier);
            }
            _ => self.qualifiers.push(qualifier),
        }
    }
}

/// Plans the whole tree. `optimize`: compute what is constant now.
pub(in crate::cel) fn plan(checked: &Checked, env: &Env, optimize: bool) -> Result<Step, Failure> {
    let mut planner = Planner {
        checked,
        env,
        optimize,
        strings: HashMap::new(),
    };
    planner.plan(checked.root)
}

/// Plans one part that needs nothing from around it.
pub(in crate::cel) fn plan_part(
    checked: &Checked,
    env: &Env,
    part: NodeId,
) -> Result<Step, Failure> {
    Planner {
        checked,
        env,
        optimize: false,
        strings: HashMap::new(),
    }
    .plan(part)
}

struct Planner<'a> {
    checked: &'a Checked,
    env: &'a Env,
    optimize: bool,
    strings: HashMap<&'a str, Rc<str>>,
}

impl<'a> Planner<'a> {
    fn plan(&mut self, id: NodeId) -> Result<Step, Failure> {
        let checked = self.checked;
        let kind = match checked.ast.expr(id) {
            Expr::Broken => {
                return Err(Failure::new(Fault::Syntax, "unsupported expr"));
            }
            Expr::Literal(literal) => Kind::Constant(self.literal(literal)),
            Expr::Ident(_) => self.name(id)?,
            Expr::Select {
                operand,
                field,
                presence_test,
            } => {
                return self.select(id, *operand, field, *presence_test);
            }
            Expr::Call {
                function,
                target,
                args,
            } => {
                return self.call(id, function, *target, args);
            }
            Expr::List(elements) => self.list(elements)?,
            Expr::Map(entries) => self.map(entries)?,
            Expr::Message { name, fields } => self.message(name, fields)?,
            Expr::Comprehension(comprehension) => self.fold(comprehension)?,
        };
        Ok(self.step(id, kind))
    }

    fn step(&self, id: NodeId, kind: Kind) -> Step {
        Step {
            id,
            at: self.checked.ast.node(id).at,
            kind,
        }
    }

    fn string(&mut self, text: &'a str) -> Rc<str> {
        self.strings
            .entry(text)
            .or_insert_with(|| text.into())
            .clone()
    }

    fn literal(&mut self, literal: &'a Literal) -> Value {
        match literal {
            Literal::Null => Value::Null,
            Literal::Bool(value) => Value::Bool(*value),
            Literal::Int(value) => Value::Int(*value),
            Literal::Uint(value) => Value::Uint(*value),
            Literal::Double(value) => Value::Double(*value),
            Literal::String(text) => Value::String(self.string(text)),
            Literal::Bytes(bytes) => Value::Bytes((**bytes).into()),
        }
    }

    /// A node that the checker took as a name.
    fn name(&mut self, id: NodeId) -> Result<Kind, Failure> {
        match self.checked.reference(id) {
            Some(Reference::Constant(value)) => Ok(Kind::Constant(Value::Int(*value))),
            Some(Reference::Name { name, .. })
                if matches!(self.checked.type_of(id), Type::Meta(_)) =>
            {
                if !self.env.type_value_exists(name) {
                    let message = format!("reference to undefined type: {name}");
                    return Err(Failure::new(Fault::UndefinedType, message));
                }
                Ok(Kind::Constant(Value::Type(self.string(name))))
            }
            Some(Reference::Name { name, global }) => {
                let base = Base::Variable {
                    name: self.string(name),
                    global: *global,
                };
                Ok(Kind::Attribute(attribute(id, base)))
            }
            _ => Err(Failure::new(
                Fault::UndeclaredReference,
                "no such attribute",
            )),
        }
    }

    /// The value of a step as something that selections can hang on.
    fn as_attribute(step: Step) -> Attribute {
        match step.kind {
            Kind::Attribute(attribute) => attribute,
            kind => {
                let id = step.id;
                attribute(id, Base::Value(Box::new(Step { kind, ..step })))
            }
        }
    }

    fn select(
        &mut self,
        id: NodeId,
        operand: NodeId,
        field: &'a str,
        presence_test: bool,
    ) -> Result<Step, Failure> {
        if self.checked.reference(id).is_some() {
            let kind = self.name(id)?;
            return Ok(self.step(id, kind));
        }
        let mut attribute = Self::as_attribute(self.plan(operand)?);
        let key = Value::String(self.string(field));
        attribute.add(Rc::new(Qualifier::Constant {
            id,
            key,
            optional: false,
            presence_test,
        }));
        attribute.presence_test |= presence_test;
        Ok(self.step(id, Kind::Attribute(attribute)))
    }

    fn call(
        &mut self,
        id: NodeId,
        function: &'a str,
        target: Option<NodeId>,
        args: &'a [NodeId],
    ) -> Result<Step, Failure> {
        let (function, target) = self.resolve(function, target);
        let mut steps = Vec::with_capacity(args.len() + 1);
        for arg in target.iter().chain(args) {
            steps.push(self.plan(*arg)?);
        }
        let kind = match &*function {
            operator::AND | operator::OR => {
                let or = &*function == operator::OR;
                Kind::Logic {
                    or,
                    terms: two(steps)?.map(Box::new),
                }
            }
            operator::CONDITIONAL => Kind::Attribute(conditional(id, steps)?),
            operator::EQUALS | operator::NOT_EQUALS => Kind::Equality {
                negated: &*function == operator::NOT_EQUALS,
                args: steps,
            },
            operator::INDEX => Kind::Attribute(Self::index(id, steps, false)?),
            operator::OPTIONAL_INDEX | operator::OPTIONAL_SELECT => {
                Kind::Attribute(Self::index(id, steps, true)?)
            }
            "or" | "orValue" if self.env.has_optionals() && steps.len() == 2 => Kind::OptionalOr {
                value: &*function == "orValue",
                args: two(steps)?.map(Box::new),
            },
            _ => return self.plain_call(id, function, steps),
        };
        Ok(self.step(id, kind))
    }

    /// A target can be part of the function's name: `optional.of`.
    fn resolve(&mut self, function: &'a str, target: Option<NodeId>) -> (Rc<str>, Option<NodeId>) {
        let prefix = target.and_then(|target| self.checked.ast.qualified_name(target));
        if let Some(full) = prefix.map(|prefix| format!("{prefix}.{function}"))
            && self.env.function(&full).is_some()
        {
            return (full.trim_start_matches('.').into(), None);
        }
        (
            self.string(function.strip_prefix('.').unwrap_or(function)),
            target,
        )
    }

    fn index(id: NodeId, steps: Vec<Step>, optional: bool) -> Result<Attribute, Failure> {
        let [operand, index] = two(steps)?;
        let qualifier = match index.kind {
            Kind::Constant(key) if evaluate::can_qualify(&key) => Qualifier::Constant {
                id,
                key,
                optional,
                presence_test: false,
            },
            Kind::Constant(key) => return Err(evaluate::invalid_qualifier(&key)),
            Kind::Attribute(key) => Qualifier::Computed { id, key, optional },
            kind => {
                let key = attribute(id, Base::Value(Box::new(Step { kind, ..index })));
                Qualifier::Computed { id, key, optional }
            }
        };
        let mut attribute = Self::as_attribute(operand);
        attribute.add(Rc::new(qualifier));
        Ok(attribute)
    }

    fn plain_call(
        &mut self,
        id: NodeId,
        function: Rc<str>,
        args: Vec<Step>,
    ) -> Result<Step, Failure> {
        let overload = match self.checked.reference(id) {
            Some(Reference::Overload(overload)) => *overload,
            _ => None,
        };
        let mut call = Call {
            function,
            overload,
            args,
            compiled_pattern: false,
        };
        if self.optimize
            && let Some(kind) = optimized(&mut call)?
        {
            return Ok(self.step(id, kind));
        }
        Ok(self.step(id, Kind::Call(call)))
    }

    fn list(&mut self, elements: &'a [Element]) -> Result<Kind, Failure> {
        let mut steps = Vec::with_capacity(elements.len());
        for element in elements {
            steps.push((self.plan(element.value)?, element.optional));
        }
        if self.optimize
            && steps
                .iter()
                .all(|(step, optional)| !optional && step.is_constant())
        {
            let values = steps
                .into_iter()
                .filter_map(|(step, _)| step.into_constant());
            return Ok(Kind::Constant(Value::list(values.collect())));
        }
        Ok(Kind::List { elements: steps })
    }

    fn map(&mut self, entries: &'a [Entry]) -> Result<Kind, Failure> {
        let mut steps = Vec::with_capacity(entries.len());
        for entry in entries {
            steps.push((
                self.plan(entry.key)?,
                self.plan(entry.value)?,
                entry.optional,
            ));
        }
        let is_constant = |(key, value, optional): &(Step, Step, bool)| {
            !optional && key.is_constant() && value.is_constant()
        };
        if !self.optimize || !steps.iter().all(is_constant) {
            return Ok(Kind::Map { entries: steps });
        }
        let mut map = Map::default();
        for (key, value, _) in steps {
            if let (Some(key), Some(value)) = (key.into_constant(), value.into_constant()) {
                // Nothing catches the crash while the gateway loads its configuration.
                map.insert(key, value).map_err(|failure| Failure {
                    fault: Fault::Panic,
                    ..failure
                })?;
            }
        }
        Ok(Kind::Constant(Value::Map(Rc::new(map))))
    }

    fn message(&mut self, name: &str, fields: &'a [Field]) -> Result<Kind, Failure> {
        let name = name.strip_prefix('.').unwrap_or(name);
        let type_ = messages::find(name)
            .ok_or_else(|| Failure::new(Fault::UndefinedType, format!("unknown type: {name}")))?;
        let mut steps = Vec::with_capacity(fields.len());
        for field in fields {
            steps.push((
                self.string(&field.name),
                self.plan(field.value)?,
                field.optional,
            ));
        }
        Ok(Kind::Message {
            type_,
            fields: steps,
        })
    }

    fn fold(&mut self, comprehension: &'a Comprehension) -> Result<Kind, Failure> {
        let init = self.plan(comprehension.init)?;
        let range = self.plan(comprehension.range)?;
        Ok(Kind::Fold(Box::new(Fold {
            range,
            variable: self.string(&comprehension.variable),
            accumulator: self.string(&comprehension.accumulator),
            init,
            condition: self.plan(comprehension.condition)?,
            step: self.plan(comprehension.step)?,
            result: self.plan(comprehension.result)?,
        })))
    }
}

impl Step {
    pub(in crate::cel) fn is_constant(&self) -> bool {
        matches!(self.kind, Kind::Constant(_))
    }

    fn into_constant(self) -> Option<Value> {
        match self.kind {
            Kind::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The id under which the cost tracker knows the step's value.
    pub(in crate::cel) fn value_id(&self) -> NodeId {
        match &self.kind {
            Kind::Attribute(attribute) => attribute.id(),
            _ => self.id,
        }
    }
}

fn attribute(id: NodeId, base: Base) -> Attribute {
    Attribute {
        id,
        base,
        qualifiers: Vec::new(),
        presence_test: false,
    }
}

fn two(steps: Vec<Step>) -> Result<[Step; 2], Failure> {
    steps.try_into().map_err(|_| Failure::no_such_overload())
}

fn conditional(id: NodeId, steps: Vec<Step>) -> Result<Attribute, Failure> {
    let [condition, then, otherwise]: [Step; 3] =
        steps.try_into().map_err(|_| Failure::no_such_overload())?;
    let base = Base::Conditional {
        condition: Box::new(condition),
        then: Box::new(Planner::as_attribute(then)),
        otherwise: Box::new(Planner::as_attribute(otherwise)),
    };
    Ok(attribute(id, base))
}

/// What the gateway's optimizer does with a call: conversions of constants are computed, constant sets become
/// look-ups, constant patterns are compiled.
fn optimized(call: &mut Call) -> Result<Option<Kind>, Failure> {
    match (&*call.function, call.args.as_slice()) {
        (
            function,
            [
                Step {
                    kind: Kind::Constant(value),
                    ..
                },
            ],
        ) if convert::is_conversion(function) => {
            convert::apply(function, value.clone()).map(|value| Some(Kind::Constant(value)))
        }
        (
            operator::IN,
            [
                _,
                Step {
                    kind: Kind::Constant(Value::List(set)),
                    ..
                },
            ],
        ) if call.overload == Some("in_list") => {
            if set.is_empty() {
                return Ok(Some(Kind::Constant(Value::Bool(false))));
            }
            let is_key = |value: &Value| {
                use Value::{Bool, Double, Int, String, Uint};
                matches!(value, Bool(_) | Double(_) | Int(_) | String(_) | Uint(_))
            };
            if !set.iter().all(is_key) {
                return Ok(None);
            }
            let set = set.to_vec();
            let element = Box::new(call.args.swap_remove(0));
            Ok(Some(Kind::SetMembership { element, set }))
        }
        (
            "matches",
            [
                _,
                Step {
                    kind: Kind::Constant(Value::String(pattern)),
                    ..
                },
            ],
        ) => {
            re2::compile(pattern)?;
            call.compiled_pattern = true;
            Ok(None)
        }
        _ => Ok(None),
    }
}
