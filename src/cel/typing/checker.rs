//! Gives every node a type, or says why none fits.

use super::env::{Env, Meaning, Overload};
use super::messages;
use super::types::{Primitive, Type};
use super::unify::Unifier;
use crate::cel::problem::{Fault, Problem, Stage, first};
use crate::cel::syntax::ast::{
    Ast, Comprehension, Element, Entry, Expr, Field, Literal, Name, NodeId,
};
use crate::cel::syntax::operator;
use crate::cel::syntax::parser::Parsed;

/// What the checker found out about a node besides its type.
#[derive(Clone, Debug)]
pub(in crate::cel) enum Reference {
    /// A variable, or the name of a type.
    Name {
        name: Name,
        /// A global that a loop variable hides, named with a leading dot.
        global: bool,
    },
    Constant(i64),
    /// The overload, when only one fits.
    Overload(Option<&'static str>),
}

/// A tree with the type of each node.
#[derive(Clone, Debug)]
pub(in crate::cel) struct Checked {
    pub(in crate::cel) ast: Ast,
    pub(in crate::cel) root: NodeId,
    types: Vec<Type>,
    references: Vec<Option<Reference>>,
}

impl Checked {
    pub(in crate::cel) fn type_of(&self, id: NodeId) -> &Type {
        &self.types[id.index()]
    }

    pub(in crate::cel) fn reference(&self, id: NodeId) -> Option<&Reference> {
        self.references[id.index()].as_ref()
    }
}

/// Checks a tree; of several problems the one that decides is returned.
pub(in crate::cel) fn check(parsed: Parsed, env: &Env) -> Result<Checked, Problem> {
    let Parsed { ast, root } = parsed;
    let count = ast.len();
    let mut checker = Checker {
        ast: &ast,
        env,
        scopes: Vec::new(),
        unifier: Unifier::default(),
        cross_type: false,
        types: vec![Type::Error; count],
        references: vec![None; count],
        problems: Vec::new(),
    };
    checker.check(root);
    let Checker {
        mut unifier,
        mut types,
        references,
        problems,
        ..
    } = checker;
    for type_ in &mut types {
        *type_ = unifier.resolve_fully(type_);
    }
    if unifier.is_exhausted() {
        return Err(Problem::limit(
            Stage::Check,
            "the types of the expression are too large",
        ));
    }
    match first(problems) {
        Some(problem) => Err(problem),
        None => Ok(Checked {
            ast,
            root,
            types,
            references,
        }),
    }
}

struct Checker<'a> {
    ast: &'a Ast,
    env: &'a Env,
    /// The names that loops bind, innermost last.
    scopes: Vec<(Name, Type)>,
    unifier: Unifier,
    /// Numbers of two types may be ordered. Upstream forgets its ban once a loop was entered.
    cross_type: bool,
    types: Vec<Type>,
    references: Vec<Option<Reference>>,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    fn check(&mut self, id: NodeId) {
        let ast = self.ast;
        match ast.expr(id) {
            Expr::Broken => {}
            Expr::Literal(literal) => self.set(id, literal_type(literal)),
            Expr::Ident(name) => self.ident(id, name),
            Expr::Select {
                operand,
                field,
                presence_test,
            } => {
                self.select(id, *operand, field, *presence_test);
            }
            Expr::Call {
                function,
                target,
                args,
            } => self.call(id, function, *target, args),
            Expr::List(elements) => self.list(id, elements),
            Expr::Map(entries) => self.map(id, entries),
            Expr::Message { name, fields } => self.message(id, name, fields),
            Expr::Comprehension(comprehension) => self.comprehension(id, comprehension),
        }
    }

    fn set(&mut self, id: NodeId, type_: Type) {
        self.types[id.index()] = type_;
    }

    fn get(&self, id: NodeId) -> Type {
        self.types[id.index()].clone()
    }

    fn refer(&mut self, id: NodeId, reference: Reference) {
        self.references[id.index()] = Some(reference);
    }

    fn at(&self, id: NodeId) -> usize {
        self.ast.node(id).at
    }

    fn report(&mut self, at: usize, fault: Fault, message: String) {
        self.problems.push(Problem::check(at, fault, message));
    }

    fn local(&self, name: &str) -> Option<Type> {
        self.scopes
            .iter()
            .rev()
            .find(|(bound, _)| **bound == *name)
            .map(|(_, type_)| type_.clone())
    }

    fn ident(&mut self, id: NodeId, name: &Name) {
        let bare = name.strip_prefix('.');
        let local = self.local(bare.unwrap_or(name));
        if let (Some(type_), None) = (&local, bare) {
            self.set(id, type_.clone());
            self.refer(
                id,
                Reference::Name {
                    name: name.clone(),
                    global: false,
                },
            );
        } else if !self.global(id, bare.unwrap_or(name), local.is_some()) {
            self.undeclared(id, name);
        }
    }

    /// Takes the name as a global one, if it is.
    fn global(&mut self, id: NodeId, name: &str, hidden: bool) -> bool {
        let Some(meaning) = self.env.global(name) else {
            return false;
        };
        let (type_, reference) = match meaning {
            Meaning::Constant(value) => (Type::Int, Reference::Constant(value)),
            Meaning::Variable(type_) => (
                type_,
                Reference::Name {
                    name: name.into(),
                    global: hidden,
                },
            ),
            Meaning::Type(type_) => (
                Type::type_of(type_),
                Reference::Name {
                    name: name.into(),
                    global: hidden,
                },
            ),
        };
        self.set(id, type_);
        self.refer(id, reference);
        true
    }

    fn undeclared(&mut self, id: NodeId, name: &str) {
        self.set(id, Type::Error);
        let message = format!("undeclared reference to '{name}' (in container '')");
        self.report(self.at(id), Fault::UndeclaredReference, message);
    }

    fn select(&mut self, id: NodeId, operand: NodeId, field: &Name, presence_test: bool) {
        if !presence_test && self.qualified(id) {
            return;
        }
        let mut result = self.field(id, operand, field, false);
        if presence_test {
            result = Type::Bool;
        }
        let result = self.unifier.resolve(&result);
        self.set(id, result);
    }

    /// Takes a chain of selections as one dotted name, if it is.
    fn qualified(&mut self, id: NodeId) -> bool {
        let Some(name) = self.ast.qualified_name(id) else {
            return false;
        };
        let first = name
            .trim_start_matches('.')
            .split('.')
            .next()
            .unwrap_or_default();
        let local = self.local(first).is_some();
        match name.strip_prefix('.') {
            Some(absolute) => self.global(id, absolute, local),
            None => !local && self.global(id, &name, false),
        }
    }

    fn field(&mut self, id: NodeId, operand: NodeId, field: &str, optional: bool) -> Type {
        self.check(operand);
        let operand_type = self.get(operand);
        let operand_type = self.unifier.resolve(&operand_type);
        let (target, is_optional) = unwrap_optional(operand_type);
        let result = match &target {
            Type::Map(types) => types.1.clone(),
            Type::Message(name) => self.message_field(self.at(id), name, field),
            Type::Variable(_) => {
                self.unifier.assign(&Type::Dyn, &target);
                Type::Dyn
            }
            other => {
                if !other.is_dyn_or_error() {
                    let message = format!("type '{other}' does not support field selection");
                    self.report(self.at(id), Fault::NoFieldSelection, message);
                }
                Type::Dyn
            }
        };
        if is_optional || optional {
            Type::optional(result)
        } else {
            result
        }
    }

    fn message_field(&mut self, at: usize, message: &str, field: &str) -> Type {
        let Some(message_type) = messages::find(message) else {
            let message = format!("unexpected failed resolution of '{message}'");
            self.report(at, Fault::UndefinedField, message);
            return Type::Error;
        };
        match message_type.field(field) {
            Some(kind) => kind.value_type(),
            None => {
                self.report(
                    at,
                    Fault::UndefinedField,
                    format!("undefined field '{field}'"),
                );
                Type::Error
            }
        }
    }

    fn call(&mut self, id: NodeId, function: &Name, target: Option<NodeId>, args: &[NodeId]) {
        if **function == *operator::OPTIONAL_SELECT {
            return self.optional_select(id, args);
        }
        for arg in args {
            self.check(*arg);
        }
        let Some(target) = target else {
            return match self.env.function(function) {
                Some(overloads) => {
                    let name = function.strip_prefix('.').unwrap_or(function);
                    self.overload(id, name, overloads, None, args);
                }
                None => self.undeclared(id, function),
            };
        };
        if let Some(prefix) = self.ast.qualified_name(target) {
            let full = format!("{prefix}.{function}");
            if let Some(overloads) = self.env.function(&full) {
                let name = full.strip_prefix('.').unwrap_or(&full);
                return self.overload(id, name, overloads, None, args);
            }
        }
        self.check(target);
        match self.env.function(function) {
            Some(overloads) => self.overload(id, function, overloads, Some(target), args),
            None => self.undeclared(id, function),
        }
    }

    fn optional_select(&mut self, id: NodeId, args: &[NodeId]) {
        let [operand, field] = *args else { return };
        let Expr::Literal(Literal::String(name)) = self.ast.expr(field).clone() else {
            return;
        };
        let result = self.field(id, operand, &name, true);
        let result = self.unifier.resolve(&result);
        self.set(id, result);
        self.refer(id, Reference::Overload(Some("select_optional_field")));
    }

    fn overload(
        &mut self,
        id: NodeId,
        function: &str,
        overloads: &'static [Overload],
        target: Option<NodeId>,
        args: &[NodeId],
    ) {
        if function == operator::AND || function == operator::OR {
            return self.logic(id, overloads, args);
        }
        let types: Vec<Type> = target
            .iter()
            .chain(args)
            .map(|arg| self.get(*arg))
            .collect();
        let mut result: Option<Type> = None;
        let mut fitting = Vec::new();
        for overload in overloads {
            let is_off = overload.cross_type && !self.cross_type;
            if is_off || overload.member != target.is_some() {
                continue;
            }
            let (candidates, declared) = self.instantiate(overload);
            if !self.unifier.assign_all(&types, &candidates) {
                continue;
            }
            fitting.push(overload.id.as_str());
            let this = self.unifier.resolve(&declared);
            result = Some(match result {
                Some(previous) if !previous.is_dyn() && !self.unifier.same(&this, &previous) => {
                    Type::Dyn
                }
                Some(previous) => previous,
                None => this,
            });
        }
        match result {
            Some(type_) => {
                self.set(id, type_);
                let only = if fitting.len() == 1 {
                    Some(fitting[0])
                } else {
                    None
                };
                self.refer(id, Reference::Overload(only));
            }
            None => self.no_overload(id, function, target.is_some(), &types),
        }
    }

    /// The overload's types with fresh variables for its parameters.
    fn instantiate(&mut self, overload: &Overload) -> (Vec<Type>, Type) {
        let parameters = overload.parameters();
        if parameters.is_empty() {
            return (overload.args.clone(), overload.result.clone());
        }
        let fresh: Vec<(char, Type)> = parameters
            .into_iter()
            .map(|parameter| (parameter, self.unifier.fresh()))
            .collect();
        let args = overload
            .args
            .iter()
            .map(|arg| with_parameters(arg, &fresh))
            .collect();
        (args, with_parameters(&overload.result, &fresh))
    }

    fn no_overload(&mut self, id: NodeId, function: &str, member: bool, types: &[Type]) {
        let shown: Vec<String> = types
            .iter()
            .map(|type_| self.unifier.resolve_fully(type_).to_string())
            .collect();
        let signature = match shown.split_first() {
            Some((target, rest)) if member => format!("{target}.({})", rest.join(", ")),
            _ => format!("({})", shown.join(", ")),
        };
        let message =
            format!("found no matching overload for '{function}' applied to '{signature}'");
        self.set(id, Type::Error);
        self.report(self.at(id), Fault::NoOverload, message);
    }

    /// `&&` and `||` name the operand that is no boolean.
    fn logic(&mut self, id: NodeId, overloads: &'static [Overload], args: &[NodeId]) {
        let mut result = Type::Bool;
        for arg in args {
            let type_ = self.get(*arg);
            if !self.unifier.assign(&type_, &Type::Bool) {
                self.mismatch(self.at(*arg), &Type::Bool, &type_);
                result = Type::Error;
            }
        }
        if result == Type::Bool {
            let only = overloads.first().map(|overload| overload.id.as_str());
            self.refer(id, Reference::Overload(only));
        }
        self.set(id, result);
    }

    fn mismatch(&mut self, at: usize, expected: &Type, found: &Type) {
        let message = format!("expected type '{expected}' but found '{found}'");
        self.report(at, Fault::TypeMismatch, message);
    }

    /// The type of a value, out of its optional when it is given as one.
    fn given(&mut self, value: NodeId, optional: bool) -> Type {
        let type_ = self.get(value);
        if !optional {
            return type_;
        }
        let (type_, is_optional) = unwrap_optional(type_);
        if !is_optional && !type_.is_dyn() {
            self.mismatch(self.at(value), &Type::optional(type_.clone()), &type_);
        }
        type_
    }

    /// The type of elements so far, joined with a further one.
    fn join(&mut self, previous: Option<Type>, current: Type) -> Type {
        match previous {
            None => current,
            Some(previous) if self.unifier.assign(&previous, &current) => {
                self.unifier.general(&previous, &current)
            }
            Some(_) => Type::Dyn,
        }
    }

    fn list(&mut self, id: NodeId, elements: &[Element]) {
        let mut type_ = None;
        for element in elements {
            self.check(element.value);
            let current = self.given(element.value, element.optional);
            type_ = Some(self.join(type_, current));
        }
        let element = type_.unwrap_or_else(|| self.unifier.fresh());
        self.set(id, Type::list(element));
    }

    fn map(&mut self, id: NodeId, entries: &[Entry]) {
        let (mut key_type, mut value_type) = (None, None);
        for entry in entries {
            self.check(entry.key);
            let key = self.get(entry.key);
            key_type = Some(self.join(key_type, key));
            self.check(entry.value);
            let value = self.given(entry.value, entry.optional);
            value_type = Some(self.join(value_type, value));
        }
        let key = key_type.unwrap_or_else(|| self.unifier.fresh());
        let value = value_type.unwrap_or_else(|| self.unifier.fresh());
        self.set(id, Type::map(key, value));
    }

    fn message(&mut self, id: NodeId, name: &Name, fields: &[Field]) {
        let bare = name.strip_prefix('.').unwrap_or(name);
        let Some(type_) = self.env.type_named(bare) else {
            return self.undeclared(id, name);
        };
        self.refer(
            id,
            Reference::Name {
                name: bare.into(),
                global: false,
            },
        );
        let message = message_of(&type_);
        if message.is_none() {
            let message = format!("'{}' is not a message type", runtime_name(&type_));
            self.report(self.at(id), Fault::NotAMessage, message);
        }
        self.set(
            id,
            if message.is_some() {
                type_
            } else {
                Type::Error
            },
        );
        for field in fields {
            self.check(field.value);
            let declared = self.message_field(field.at, message.unwrap_or(bare), &field.name);
            let given = self.given(field.value, field.optional);
            if !self.unifier.assign(&declared, &given) {
                let message = format!(
                    "expected type of field '{}' is '{declared}' but provided type is '{given}'",
                    field.name
                );
                self.report(field.at, Fault::FieldType, message);
            }
        }
    }

    fn comprehension(&mut self, id: NodeId, comprehension: &Comprehension) {
        self.check(comprehension.range);
        self.check(comprehension.init);
        let range = self.get(comprehension.range);
        let range = self.unifier.resolve(&range);
        let accumulated = self.get(comprehension.init);
        self.cross_type = true;
        self.scopes
            .push((comprehension.accumulator.clone(), accumulated.clone()));
        let element = self.element(comprehension.range, &range);
        self.scopes.push((comprehension.variable.clone(), element));
        self.check(comprehension.condition);
        self.require(comprehension.condition, &Type::Bool);
        self.check(comprehension.step);
        self.require(comprehension.step, &accumulated);
        self.scopes.pop();
        self.check(comprehension.result);
        self.scopes.pop();
        let result = self.get(comprehension.result);
        let result = self.unifier.resolve(&result);
        self.set(id, result);
    }

    fn element(&mut self, id: NodeId, range: &Type) -> Type {
        match range {
            Type::List(element) => (**element).clone(),
            Type::Map(types) => types.0.clone(),
            Type::Dyn | Type::Error | Type::Variable(_) => {
                self.unifier.assign(&Type::Dyn, range);
                Type::Dyn
            }
            other => {
                let message = format!(
                    "expression of type '{other}' cannot be range of a comprehension \
                     (must be list, map, or dynamic)"
                );
                self.report(self.at(id), Fault::ComprehensionRange, message);
                Type::Error
            }
        }
    }

    fn require(&mut self, id: NodeId, expected: &Type) {
        let found = self.get(id);
        if !self.unifier.assign(expected, &found) {
            self.mismatch(self.at(id), expected, &found);
        }
    }
}

fn literal_type(literal: &Literal) -> Type {
    match literal {
        Literal::Null => Type::Null,
        Literal::Bool(_) => Type::Bool,
        Literal::Int(_) => Type::Int,
        Literal::Uint(_) => Type::Uint,
        Literal::Double(_) => Type::Double,
        Literal::String(_) => Type::String,
        Literal::Bytes(_) => Type::Bytes,
    }
}

fn unwrap_optional(type_: Type) -> (Type, bool) {
    match type_ {
        Type::Optional(inner) => ((*inner).clone(), true),
        other => (other, false),
    }
}

fn with_parameters(type_: &Type, fresh: &[(char, Type)]) -> Type {
    let inside = |inner: &Type| with_parameters(inner, fresh);
    match type_ {
        Type::Parameter(letter) => fresh
            .iter()
            .find(|(parameter, _)| parameter == letter)
            .map_or(Type::Dyn, |(_, type_)| type_.clone()),
        Type::List(inner) => Type::list(inside(inner)),
        Type::Optional(inner) => Type::optional(inside(inner)),
        Type::Meta(Some(inner)) => Type::type_of(inside(inner)),
        Type::Map(types) => Type::map(inside(&types.0), inside(&types.1)),
        other => other.clone(),
    }
}

/// The message whose fields a value of this type is made with.
fn message_of(type_: &Type) -> Option<&'static str> {
    let name = match type_ {
        Type::Message(name) => name,
        Type::Any => "google.protobuf.Any",
        Type::Timestamp => "google.protobuf.Timestamp",
        Type::Duration => "google.protobuf.Duration",
        Type::Dyn => "google.protobuf.Value",
        Type::Null => "google.protobuf.NullValue",
        Type::List(element) if **element == Type::Dyn => "google.protobuf.ListValue",
        Type::Map(types) if **types == (Type::String, Type::Dyn) => "google.protobuf.Struct",
        Type::Wrapper(primitive) => match primitive {
            Primitive::Bool => "google.protobuf.BoolValue",
            Primitive::Bytes => "google.protobuf.BytesValue",
            Primitive::Double => "google.protobuf.DoubleValue",
            Primitive::Int => "google.protobuf.Int64Value",
            Primitive::String => "google.protobuf.StringValue",
            Primitive::Uint => "google.protobuf.UInt64Value",
        },
        _ => return None,
    };
    Some(name)
}

/// What the type is called when parameters are left out.
fn runtime_name(type_: &Type) -> String {
    match type_ {
        Type::List(_) => "list".to_owned(),
        Type::Map(_) => "map".to_owned(),
        Type::Optional(_) => "optional_type".to_owned(),
        other => other.to_string(),
    }
}
