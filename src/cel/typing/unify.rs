//! Type variables: which type each one stands for, and whether one type can take the place of another.

use super::types::Type;

/// So much work may one expression cause; types can grow far beyond the text that makes them.
const WORK_LIMIT: usize = 4_000_000;

/// What the type variables stand for so far, with a log so that an attempt can be undone.
#[derive(Default)]
pub(in crate::cel) struct Unifier {
    bindings: Vec<Option<Type>>,
    log: Vec<(u32, Option<Type>)>,
    work: usize,
}

impl Unifier {
    pub(in crate::cel) fn fresh(&mut self) -> Type {
        self.bindings.push(None);
        Type::Variable(u32::try_from(self.bindings.len() - 1).unwrap_or(u32::MAX))
    }

    /// Too much work; answers from here on are meaningless.
    pub(in crate::cel) fn is_exhausted(&self) -> bool {
        self.work > WORK_LIMIT
    }

    fn spend(&mut self) -> bool {
        self.work += 1;
        !self.is_exhausted()
    }

    fn binding(&self, type_: &Type) -> Option<Type> {
        match type_ {
            Type::Variable(number) => self.bindings[*number as usize].clone(),
            _ => None,
        }
    }

    fn bind(&mut self, variable: &Type, to: Type) {
        if let Type::Variable(number) = variable {
            let old = self.bindings[*number as usize].replace(to);
            self.log.push((*number, old));
        }
    }

    fn undo(&mut self, to: usize) {
        while self.log.len() > to {
            if let Some((number, old)) = self.log.pop() {
                self.bindings[number as usize] = old;
            }
        }
    }

    /// Can every one of `from` be used as the one of `to` at its place? Only then variables are bound.
    pub(in crate::cel) fn assign_all(&mut self, from: &[Type], to: &[Type]) -> bool {
        let mark = self.log.len();
        let fits = from.len() == to.len()
            && from
                .iter()
                .zip(to)
                .all(|(from, to)| self.assignable(from, to));
        if !fits {
            self.undo(mark);
        }
        fits
    }

    pub(in crate::cel) fn assign(&mut self, from: &Type, to: &Type) -> bool {
        let mark = self.log.len();
        let fits = self.assignable(from, to);
        if !fits {
            self.undo(mark);
        }
        fits
    }

    fn assignable(&mut self, from: &Type, to: &Type) -> bool {
        if !self.spend() {
            return false;
        }
        if matches!(to, Type::Variable(_)) {
            match self.substitutes(from, to) {
                Substitution::Fits => return true,
                Substitution::Conflicts => return false,
                Substitution::Circular => {}
            }
        }
        if matches!(from, Type::Variable(_)) {
            return matches!(self.substitutes(to, from), Substitution::Fits);
        }
        if from.is_dyn_or_error() || to.is_dyn_or_error() {
            return true;
        }
        match (from, to) {
            (Type::Null, other) | (other, Type::Null) => is_nullable(other),
            (Type::Meta(_), _) => matches!(to, Type::Meta(_)),
            (Type::List(from), Type::List(to)) | (Type::Optional(from), Type::Optional(to)) => {
                self.assignable(from, to)
            }
            (Type::Map(from), Type::Map(to)) => {
                self.assignable(&from.0, &to.0) && self.assignable(&from.1, &to.1)
            }
            _ => from.unwrapped() == to.unwrapped(),
        }
    }

    fn substitutes(&mut self, candidate: &Type, variable: &Type) -> Substitution {
        if self.same(candidate, variable) {
            return Substitution::Fits;
        }
        if let Some(bound) = self.binding(variable) {
            if self.same(candidate, &bound) {
                return Substitution::Fits;
            }
            if !self.assignable(candidate, &bound) {
                return Substitution::Conflicts;
            }
            let general = if self.is_as_general(candidate, &bound) {
                candidate.clone()
            } else {
                bound
            };
            if !self.occurs(variable, &general) {
                self.bind(variable, general);
            }
            return Substitution::Fits;
        }
        if self.occurs(variable, candidate) {
            return Substitution::Circular;
        }
        self.bind(variable, candidate.clone());
        Substitution::Fits
    }

    /// Exactly the same type; a wrapper counts as what it wraps.
    pub(in crate::cel) fn same(&mut self, left: &Type, right: &Type) -> bool {
        if !self.spend() {
            return false;
        }
        match (left, right) {
            (Type::List(left), Type::List(right))
            | (Type::Optional(left), Type::Optional(right))
            | (Type::Meta(Some(left)), Type::Meta(Some(right))) => self.same(left, right),
            (Type::Map(left), Type::Map(right)) => {
                self.same(&left.0, &right.0) && self.same(&left.1, &right.1)
            }
            (Type::List(_) | Type::Map(_) | Type::Optional(_) | Type::Meta(Some(_)), _)
            | (_, Type::List(_) | Type::Map(_) | Type::Optional(_) | Type::Meta(Some(_))) => false,
            _ => left.unwrapped() == right.unwrapped(),
        }
    }

    /// Is `left` the same as `right`, or the same with `dyn` in some places?
    fn is_as_general(&mut self, left: &Type, right: &Type) -> bool {
        if !self.spend() {
            return false;
        }
        let is_open = |type_: &Type| type_.is_dyn() || matches!(type_, Type::Variable(_));
        if is_open(left) || is_open(right) {
            return is_open(left);
        }
        match (left, right) {
            (Type::List(left), Type::List(right))
            | (Type::Optional(left), Type::Optional(right)) => self.is_as_general(left, right),
            (Type::Map(left), Type::Map(right)) => {
                self.is_as_general(&left.0, &right.0) && self.is_as_general(&left.1, &right.1)
            }
            (Type::Meta(_), Type::Meta(_)) => true,
            _ => self.same(left, right),
        }
    }

    /// Is `variable` part of `type_`? A type must not contain itself.
    fn occurs(&mut self, variable: &Type, type_: &Type) -> bool {
        if !self.spend() {
            return true;
        }
        if variable == type_ {
            return true;
        }
        match type_ {
            Type::Variable(_) => match self.binding(type_) {
                Some(bound) => self.occurs(variable, &bound),
                None => false,
            },
            Type::List(inner) | Type::Optional(inner) | Type::Meta(Some(inner)) => {
                self.occurs(variable, inner)
            }
            Type::Map(types) => self.occurs(variable, &types.0) || self.occurs(variable, &types.1),
            _ => false,
        }
    }

    /// The type with its bound variables replaced; free ones stay.
    pub(in crate::cel) fn resolve(&mut self, type_: &Type) -> Type {
        self.replace(type_, false)
    }

    /// The type with its bound variables replaced and free ones as `dyn`.
    pub(in crate::cel) fn resolve_fully(&mut self, type_: &Type) -> Type {
        self.replace(type_, true)
    }

    fn replace(&mut self, type_: &Type, free_to_dyn: bool) -> Type {
        if !self.spend() {
            return Type::Error;
        }
        match type_ {
            Type::Variable(_) => match self.binding(type_) {
                Some(bound) => self.replace(&bound, free_to_dyn),
                None if free_to_dyn => Type::Dyn,
                None => type_.clone(),
            },
            Type::List(element) => Type::list(self.replace(element, free_to_dyn)),
            Type::Optional(value) => Type::optional(self.replace(value, free_to_dyn)),
            Type::Meta(Some(of)) => Type::type_of(self.replace(of, free_to_dyn)),
            Type::Map(types) => {
                let key = self.replace(&types.0, free_to_dyn);
                Type::map(key, self.replace(&types.1, free_to_dyn))
            }
            other => other.clone(),
        }
    }

    /// The more general of two types that are known to fit.
    pub(in crate::cel) fn general(&mut self, left: &Type, right: &Type) -> Type {
        if self.is_as_general(left, right) {
            left.clone()
        } else {
            right.clone()
        }
    }
}

enum Substitution {
    Fits,
    /// The variable stands for something else already.
    Conflicts,
    /// The type contains the variable.
    Circular,
}

fn is_nullable(type_: &Type) -> bool {
    matches!(
        type_,
        Type::Null
            | Type::Wrapper(_)
            | Type::Optional(_)
            | Type::Message(_)
            | Type::Duration
            | Type::Timestamp
    )
}
