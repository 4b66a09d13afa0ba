//! What an expression can name: variables, types, functions with their overloads. The overloads are data.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::messages;
use super::types::Type;

/// One form of a function.
#[derive(Debug)]
pub(in crate::cel) struct Overload {
    pub(in crate::cel) id: String,
    /// Called on its first argument: `x.f(y)`.
    pub(in crate::cel) member: bool,
    pub(in crate::cel) args: Vec<Type>,
    pub(in crate::cel) result: Type,
    /// Orders numbers of two types; off until the checker has entered a loop.
    pub(in crate::cel) cross_type: bool,
}

impl Overload {
    /// The type parameters in the order of their first use.
    pub(in crate::cel) fn parameters(&self) -> Vec<char> {
        let mut found = Vec::new();
        for type_ in self.args.iter().chain([&self.result]) {
            collect_parameters(type_, &mut found);
        }
        found
    }
}

fn collect_parameters(type_: &Type, found: &mut Vec<char>) {
    match type_ {
        Type::Parameter(letter) if !found.contains(letter) => found.push(*letter),
        Type::List(inner) | Type::Optional(inner) | Type::Meta(Some(inner)) => {
            collect_parameters(inner, found);
        }
        Type::Map(types) => {
            collect_parameters(&types.0, found);
            collect_parameters(&types.1, found);
        }
        _ => {}
    }
}

type Functions = HashMap<String, Vec<Overload>>;

/// The names that an expression can use.
pub(in crate::cel) struct Env {
    variables: &'static [(&'static str, Type)],
    functions: &'static Functions,
    optionals: bool,
}

/// LLM cost: three texts and six counts.
pub(in crate::cel) static COST: LazyLock<Env> = LazyLock::new(|| Env {
    variables: &[
        ("model", Type::String),
        ("backend", Type::String),
        ("route_name", Type::String),
        ("input_tokens", Type::Uint),
        ("cached_input_tokens", Type::Uint),
        ("cache_creation_input_tokens", Type::Uint),
        ("output_tokens", Type::Uint),
        ("total_tokens", Type::Uint),
        ("reasoning_tokens", Type::Uint),
    ],
    functions: &STANDARD,
    optionals: false,
});

/// MCP: the request, and optional values.
pub(in crate::cel) static MCP: LazyLock<Env> = LazyLock::new(|| Env {
    variables: &[("request", Type::Dyn)],
    functions: &WITH_OPTIONALS,
    optionals: true,
});

/// What a name means.
pub(in crate::cel) enum Meaning {
    Variable(Type),
    Type(Type),
    Constant(i64),
}

impl Env {
    pub(in crate::cel) fn has_optionals(&self) -> bool {
        self.optionals
    }

    pub(in crate::cel) fn variable_names(&self) -> impl Iterator<Item = &'static str> {
        self.variables.iter().map(|(name, _)| *name)
    }

    pub(in crate::cel) fn function_names(&self) -> impl Iterator<Item = &'static str> {
        let functions: &'static Functions = self.functions;
        functions.keys().map(String::as_str)
    }

    /// The overloads of a function in the order of their declaration.
    pub(in crate::cel) fn function(&self, name: &str) -> Option<&'static [Overload]> {
        self.functions
            .get(name.strip_prefix('.').unwrap_or(name))
            .map(Vec::as_slice)
    }

    /// The meaning of a name that no loop binds.
    pub(in crate::cel) fn global(&self, name: &str) -> Option<Meaning> {
        let variable = self
            .variables
            .iter()
            .find(|(variable, _)| *variable == name);
        if let Some((_, type_)) = variable {
            return Some(Meaning::Variable(type_.clone()));
        }
        if let Some(type_) = self.type_named(name) {
            return Some(Meaning::Type(type_));
        }
        (name == messages::NULL_VALUE).then_some(Meaning::Constant(0))
    }

    /// The type that a name stands for, in an expression or before a brace.
    pub(in crate::cel) fn type_named(&self, name: &str) -> Option<Type> {
        let type_ = match name {
            "bool" => Type::Bool,
            "bytes" => Type::Bytes,
            "double" => Type::Double,
            "int" => Type::Int,
            "uint" => Type::Uint,
            "string" => Type::String,
            "null_type" => Type::Null,
            "type" => Type::Meta(None),
            "list" => Type::list(Type::Dyn),
            "map" => Type::map(Type::Dyn, Type::Dyn),
            "optional_type" if self.optionals => Type::optional(Type::Dyn),
            _ => messages::find(name)?.value_type(),
        };
        Some(type_)
    }

    /// Is the name one of a type that exists as a value? Those of the wrapper messages do not.
    pub(in crate::cel) fn type_value_exists(&self, name: &str) -> bool {
        match messages::find(name) {
            Some(message) => matches!(
                message.value_type(),
                Type::Message(_) | Type::Duration | Type::Timestamp
            ),
            None => self.type_named(name).is_some(),
        }
    }
}

static STANDARD: LazyLock<Functions> = LazyLock::new(standard);
static WITH_OPTIONALS: LazyLock<Functions> = LazyLock::new(|| {
    let mut functions = standard();
    declare(&mut functions, OPTIONAL);
    functions
});

fn standard() -> Functions {
    let mut functions = Functions::new();
    declare(&mut functions, OPERATORS);
    for (function, id) in [
        ("_<_", "less"),
        ("_<=_", "less_equals"),
        ("_>_", "greater"),
        ("_>=_", "greater_equals"),
    ] {
        declare_order(&mut functions, function, id);
    }
    declare(&mut functions, LIBRARY);
    for (function, id) in TIME_PARTS {
        declare_time_part(&mut functions, function, id);
    }
    functions
}

/// Function, and the overloads: id, arguments (`.` first: called on the first one), result.
type Declaration = (
    &'static str,
    &'static [(&'static str, &'static str, &'static str)],
);

const OPERATORS: &[Declaration] = &[
    ("_?_:_", &[("conditional", "bool A A", "A")]),
    ("_&&_", &[("logical_and", "bool bool", "bool")]),
    ("_||_", &[("logical_or", "bool bool", "bool")]),
    ("!_", &[("logical_not", "bool", "bool")]),
    (
        "@not_strictly_false",
        &[("not_strictly_false", "bool", "bool")],
    ),
    ("_==_", &[("equals", "A A", "bool")]),
    ("_!=_", &[("not_equals", "A A", "bool")]),
    (
        "_+_",
        &[
            ("add_bytes", "bytes bytes", "bytes"),
            ("add_double", "double double", "double"),
            ("add_duration_duration", "duration duration", "duration"),
            ("add_duration_timestamp", "duration timestamp", "timestamp"),
            ("add_timestamp_duration", "timestamp duration", "timestamp"),
            ("add_int64", "int int", "int"),
            ("add_list", "list(A) list(A)", "list(A)"),
            ("add_string", "string string", "string"),
            ("add_uint64", "uint uint", "uint"),
        ],
    ),
    (
        "_/_",
        &[
            ("divide_double", "double double", "double"),
            ("divide_int64", "int int", "int"),
            ("divide_uint64", "uint uint", "uint"),
        ],
    ),
    (
        "_%_",
        &[
            ("modulo_int64", "int int", "int"),
            ("modulo_uint64", "uint uint", "uint"),
        ],
    ),
    (
        "_*_",
        &[
            ("multiply_double", "double double", "double"),
            ("multiply_int64", "int int", "int"),
            ("multiply_uint64", "uint uint", "uint"),
        ],
    ),
    (
        "-_",
        &[
            ("negate_double", "double", "double"),
            ("negate_int64", "int", "int"),
        ],
    ),
    (
        "_-_",
        &[
            ("subtract_double", "double double", "double"),
            (
                "subtract_duration_duration",
                "duration duration",
                "duration",
            ),
            ("subtract_int64", "int int", "int"),
            (
                "subtract_timestamp_duration",
                "timestamp duration",
                "timestamp",
            ),
            (
                "subtract_timestamp_timestamp",
                "timestamp timestamp",
                "duration",
            ),
            ("subtract_uint64", "uint uint", "uint"),
        ],
    ),
    (
        "_[_]",
        &[
            ("index_list", "list(A) int", "A"),
            ("index_map", "map(A,B) A", "B"),
        ],
    ),
    (
        "@in",
        &[
            ("in_list", "A list(A)", "bool"),
            ("in_map", "A map(A,B)", "bool"),
        ],
    ),
];

const LIBRARY: &[Declaration] = &[
    (
        "size",
        &[
            ("size_bytes", "bytes", "int"),
            ("bytes_size", ". bytes", "int"),
            ("size_list", "list(A)", "int"),
            ("list_size", ". list(A)", "int"),
            ("size_map", "map(A,B)", "int"),
            ("map_size", ". map(A,B)", "int"),
            ("size_string", "string", "int"),
            ("string_size", ". string", "int"),
        ],
    ),
    ("type", &[("type", "A", "type(A)")]),
    (
        "bool",
        &[
            ("bool_to_bool", "bool", "bool"),
            ("string_to_bool", "string", "bool"),
        ],
    ),
    (
        "bytes",
        &[
            ("bytes_to_bytes", "bytes", "bytes"),
            ("string_to_bytes", "string", "bytes"),
        ],
    ),
    (
        "double",
        &[
            ("double_to_double", "double", "double"),
            ("int64_to_double", "int", "double"),
            ("string_to_double", "string", "double"),
            ("uint64_to_double", "uint", "double"),
        ],
    ),
    (
        "duration",
        &[
            ("duration_to_duration", "duration", "duration"),
            ("string_to_duration", "string", "duration"),
        ],
    ),
    ("dyn", &[("to_dyn", "A", "dyn")]),
    (
        "int",
        &[
            ("int64_to_int64", "int", "int"),
            ("double_to_int64", "double", "int"),
            ("duration_to_int64", "duration", "int"),
            ("string_to_int64", "string", "int"),
            ("timestamp_to_int64", "timestamp", "int"),
            ("uint64_to_int64", "uint", "int"),
        ],
    ),
    (
        "string",
        &[
            ("string_to_string", "string", "string"),
            ("bool_to_string", "bool", "string"),
            ("bytes_to_string", "bytes", "string"),
            ("double_to_string", "double", "string"),
            ("duration_to_string", "duration", "string"),
            ("int64_to_string", "int", "string"),
            ("timestamp_to_string", "timestamp", "string"),
            ("uint64_to_string", "uint", "string"),
        ],
    ),
    (
        "timestamp",
        &[
            ("timestamp_to_timestamp", "timestamp", "timestamp"),
            ("int64_to_timestamp", "int", "timestamp"),
            ("string_to_timestamp", "string", "timestamp"),
        ],
    ),
    (
        "uint",
        &[
            ("uint64_to_uint64", "uint", "uint"),
            ("double_to_uint64", "double", "uint"),
            ("int64_to_uint64", "int", "uint"),
            ("string_to_uint64", "string", "uint"),
        ],
    ),
    (
        "contains",
        &[("contains_string", ". string string", "bool")],
    ),
    (
        "endsWith",
        &[("ends_with_string", ". string string", "bool")],
    ),
    (
        "startsWith",
        &[("starts_with_string", ". string string", "bool")],
    ),
    (
        "matches",
        &[
            ("matches", "string string", "bool"),
            ("matches_string", ". string string", "bool"),
        ],
    ),
];

const OPTIONAL: &[Declaration] = &[
    ("optional.of", &[("optional_of", "V", "optional(V)")]),
    (
        "optional.ofNonZeroValue",
        &[("optional_ofNonZeroValue", "V", "optional(V)")],
    ),
    ("optional.none", &[("optional_none", "", "optional(V)")]),
    ("value", &[("optional_value", ". optional(V)", "V")]),
    (
        "hasValue",
        &[("optional_hasValue", ". optional(V)", "bool")],
    ),
    (
        "or",
        &[(
            "optional_or_optional",
            ". optional(V) optional(V)",
            "optional(V)",
        )],
    ),
    (
        "orValue",
        &[("optional_orValue_value", ". optional(V) V", "V")],
    ),
    (
        "_?._",
        &[("select_optional_field", "dyn string", "optional(V)")],
    ),
    (
        "_[?_]",
        &[
            ("list_optindex_optional_int", "list(V) int", "optional(V)"),
            (
                "optional_list_optindex_optional_int",
                "optional(list(V)) int",
                "optional(V)",
            ),
            ("map_optindex_optional_value", "map(K,V) K", "optional(V)"),
            (
                "optional_map_optindex_optional_value",
                "optional(map(K,V)) K",
                "optional(V)",
            ),
        ],
    ),
    (
        "_[_]",
        &[
            (
                "optional_list_index_int",
                "optional(list(V)) int",
                "optional(V)",
            ),
            (
                "optional_map_index_value",
                "optional(map(K,V)) K",
                "optional(V)",
            ),
        ],
    ),
    ("last", &[("list_last", ". list(V)", "optional(V)")]),
    ("first", &[("list_first", ". list(V)", "optional(V)")]),
    (
        "optional.unwrap",
        &[("optional_unwrap", "list(optional(V))", "list(V)")],
    ),
    (
        "unwrapOpt",
        &[("optional_unwrapOpt", ". list(optional(V))", "list(V)")],
    ),
];

const TIME_PARTS: &[(&str, &str)] = &[
    ("getFullYear", "year"),
    ("getMonth", "month"),
    ("getDayOfYear", "day_of_year"),
    ("getDayOfMonth", "day_of_month"),
    ("getDate", "day_of_month_1_based"),
    ("getDayOfWeek", "day_of_week"),
    ("getHours", "hours"),
    ("getMinutes", "minutes"),
    ("getSeconds", "seconds"),
    ("getMilliseconds", "milliseconds"),
];

fn declare(functions: &mut Functions, declarations: &[Declaration]) {
    for (function, overloads) in declarations {
        for (id, args, result) in *overloads {
            add(functions, function, id, args, result);
        }
    }
}

fn add(functions: &mut Functions, function: &str, id: &str, args: &str, result: &str) {
    let (member, args) = match args.strip_prefix(". ") {
        Some(args) => (true, args),
        None => (false, args),
    };
    let overload = Overload {
        id: id.to_owned(),
        member,
        args: args.split_ascii_whitespace().map(read_type).collect(),
        result: read_type(result),
        cross_type: false,
    };
    functions
        .entry(function.to_owned())
        .or_default()
        .push(overload);
}

/// The comparisons of one operator: equal types, and numbers of two types.
fn declare_order(functions: &mut Functions, function: &str, prefix: &str) {
    let numbers = [("int64", "int"), ("uint64", "uint"), ("double", "double")];
    add(
        functions,
        function,
        &format!("{prefix}_bool"),
        "bool bool",
        "bool",
    );
    for (left_id, left) in numbers {
        add(
            functions,
            function,
            &format!("{prefix}_{left_id}"),
            &format!("{left} {left}"),
            "bool",
        );
        for (right_id, right) in numbers.into_iter().filter(|(id, _)| *id != left_id) {
            let id = format!("{prefix}_{left_id}_{right_id}");
            add(functions, function, &id, &format!("{left} {right}"), "bool");
            if let Some(overload) = functions.get_mut(function).and_then(|all| all.last_mut()) {
                overload.cross_type = true;
            }
        }
    }
    for type_ in ["string", "bytes", "timestamp", "duration"] {
        let id = format!("{prefix}_{type_}");
        add(
            functions,
            function,
            &id,
            &format!("{type_} {type_}"),
            "bool",
        );
    }
}

fn declare_time_part(functions: &mut Functions, function: &str, part: &str) {
    add(
        functions,
        function,
        &format!("timestamp_to_{part}"),
        ". timestamp",
        "int",
    );
    let with_zone = format!("timestamp_to_{part}_with_tz");
    add(functions, function, &with_zone, ". timestamp string", "int");
    if matches!(part, "hours" | "minutes" | "seconds" | "milliseconds") {
        add(
            functions,
            function,
            &format!("duration_to_{part}"),
            ". duration",
            "int",
        );
    }
}

/// Reads a type as the tables above write it.
fn read_type(text: &str) -> Type {
    let Some((name, inner)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) else {
        return match text {
            "bool" => Type::Bool,
            "bytes" => Type::Bytes,
            "double" => Type::Double,
            "duration" => Type::Duration,
            "int" => Type::Int,
            "string" => Type::String,
            "timestamp" => Type::Timestamp,
            "uint" => Type::Uint,
            "dyn" => Type::Dyn,
            letter => Type::Parameter(letter.chars().next().unwrap_or('A')),
        };
    };
    match (name, inner.split_once(',')) {
        ("list", _) => Type::list(read_type(inner)),
        ("optional", _) => Type::optional(read_type(inner)),
        ("map", Some((key, value))) => Type::map(read_type(key), read_type(value)),
        _ => Type::type_of(read_type(inner)),
    }
}
