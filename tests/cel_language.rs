//! The standard functions, operators and macros of the CEL language definition: at least one row an overload, each
//! an expression that is true, and what must be refused or fail.

use aigwctl::cel::{Environment, Place, Request, check};

/// An overload (or rule) and an expression that is true.
const TRUE: &[(&str, &str)] = &[
    // Logic.
    ("conditional", "(true ? 1 : 2) == 1"),
    ("conditional", "(false ? 1/0 : 2) == 2"),
    ("logical_and", "true && true"),
    ("logical_and", "!(1/0 == 1 && false)"),
    ("logical_and", "!(false && 1/0 == 1)"),
    ("logical_or", "false || true"),
    ("logical_or", "1/0 == 1 || true"),
    ("logical_or", "true || 1/0 == 1"),
    ("logical_not", "!false"),
    // Equality.
    ("equals", "1 == 1"),
    (
        "equals",
        "1u == 1u && 1.0 == 1.0 && 'a' == 'a' && b'a' == b'a' && null == null",
    ),
    ("equals", "[1, 2] == [1, 2] && {'a': 1} == {'a': 1}"),
    (
        "equals",
        "type(1) == int && duration('60s') == duration('1m')",
    ),
    (
        "equals",
        "timestamp('2024-01-01T01:00:00+01:00') == timestamp('2024-01-01T00:00:00Z')",
    ),
    ("equals", "dyn(1) == 1u && dyn(1u) == 1.0 && dyn(1.0) == 1"),
    ("equals", "dyn(9007199254740993) == 9007199254740992.0"),
    ("equals", "!(0.0/0.0 == 0.0/0.0)"),
    ("not_equals", "1 != 2"),
    ("not_equals", "dyn('a') != 1 && 0.0/0.0 != 0.0/0.0"),
    // Arithmetic.
    ("add_int64", "1 + 2 == 3"),
    ("add_uint64", "1u + 2u == 3u"),
    ("add_double", "1.5 + 2.25 == 3.75"),
    ("add_string", "'a' + 'b' == 'ab'"),
    ("add_bytes", "b'a' + b'b' == b'ab'"),
    ("add_list", "[1] + [2, 3] == [1, 2, 3]"),
    (
        "add_duration_duration",
        "duration('1m') + duration('1s') == duration('61s')",
    ),
    (
        "add_duration_timestamp",
        "duration('1h') + timestamp('2024-01-01T00:00:00Z') == timestamp('2024-01-01T01:00:00Z')",
    ),
    (
        "add_timestamp_duration",
        "timestamp('2024-02-28T23:00:00Z') + duration('1h') == timestamp('2024-02-29T00:00:00Z')",
    ),
    ("subtract_int64", "1 - 2 == -1"),
    ("subtract_uint64", "3u - 2u == 1u"),
    ("subtract_double", "10.5 - 2.0 == 8.5"),
    (
        "subtract_duration_duration",
        "duration('1m') - duration('1s') == duration('59s')",
    ),
    (
        "subtract_timestamp_duration",
        "timestamp('2024-01-01T00:00:00Z') - duration('1s') == timestamp('2023-12-31T23:59:59Z')",
    ),
    (
        "subtract_timestamp_timestamp",
        "timestamp('2024-01-02T00:00:00Z') - timestamp('2024-01-01T00:00:00Z') == duration('24h')",
    ),
    ("multiply_int64", "-2 * 6 == -12"),
    ("multiply_uint64", "13u * 3u == 39u"),
    ("multiply_double", "3.5 * 40.0 == 140.0"),
    ("divide_int64", "-7 / 2 == -3"),
    ("divide_uint64", "7u / 2u == 3u"),
    ("divide_double", "7.0 / 2.0 == 3.5 && 1.0 / 0.0 > 1.0"),
    ("modulo_int64", "-7 % 2 == -1"),
    ("modulo_uint64", "7u % 3u == 1u"),
    ("negate_int64", "-(5) == 0 - 5 && --5 == 5"),
    ("negate_double", "-(2.5) == 0.0 - 2.5"),
    (
        "negate_int64",
        "-9223372036854775808 + 9223372036854775807 == -1",
    ),
    // Order.
    ("less_bool", "false < true"),
    ("less_int64", "-2 < 3"),
    ("less_uint64", "1u < 2u"),
    ("less_double", "2.0 < 2.5"),
    ("less_string", "'a' < 'b' && 'cab' < 'cat'"),
    ("less_bytes", "b'a' < b'b'"),
    ("less_timestamp", "timestamp(0) < timestamp(1)"),
    ("less_duration", "duration('1ms') < duration('1s')"),
    ("less_int64_double", "[1].all(x, x < 1.5)"),
    ("less_int64_uint64", "[1].all(x, x < 2u)"),
    ("less_uint64_double", "[1u].all(x, x < 1.5)"),
    (
        "less_uint64_int64",
        "[1u].all(x, x < 2) && [1u].all(x, !(x < -1))",
    ),
    ("less_double_int64", "[1.5].all(x, x < 2)"),
    ("less_double_uint64", "[-1.5].all(x, x < 2u)"),
    ("less_equals_bool", "false <= false"),
    ("less_equals_int64", "-2 <= -2"),
    ("less_equals_uint64", "1u <= 1u"),
    ("less_equals_double", "2.0 <= 2.0"),
    ("less_equals_string", "'a' <= 'a'"),
    ("less_equals_bytes", "b'a' <= b'a'"),
    ("less_equals_timestamp", "timestamp(0) <= timestamp(0)"),
    ("less_equals_duration", "duration('1s') <= duration('1s')"),
    ("less_equals_int64_double", "[1].all(x, x <= 1.0)"),
    ("less_equals_int64_uint64", "[-1].all(x, x <= 0u)"),
    ("less_equals_uint64_double", "[1u].all(x, x <= 1.0)"),
    ("less_equals_uint64_int64", "[1u].all(x, x <= 1)"),
    ("less_equals_double_int64", "[1.0].all(x, x <= 1)"),
    ("less_equals_double_uint64", "[1.0].all(x, x <= 1u)"),
    ("greater_bool", "true > false"),
    ("greater_int64", "3 > -2"),
    ("greater_uint64", "2u > 1u"),
    ("greater_double", "2.5 > 2.0"),
    ("greater_string", "'b' > 'a'"),
    ("greater_bytes", "b'b' > b'a'"),
    ("greater_timestamp", "timestamp(1) > timestamp(0)"),
    ("greater_duration", "duration('1s') > duration('1us')"),
    ("greater_int64_double", "[2].all(x, x > 1.5)"),
    ("greater_int64_uint64", "[3].all(x, x > 2u)"),
    ("greater_uint64_double", "[2u].all(x, x > 1.5)"),
    ("greater_uint64_int64", "[0u].all(x, x > -1)"),
    ("greater_double_int64", "[2.5].all(x, x > 2)"),
    ("greater_double_uint64", "[2.5].all(x, x > 2u)"),
    ("greater_equals_bool", "true >= true"),
    ("greater_equals_int64", "3 >= 3"),
    ("greater_equals_uint64", "2u >= 2u"),
    ("greater_equals_double", "2.0 >= 2.0"),
    ("greater_equals_string", "'b' >= 'b'"),
    ("greater_equals_bytes", "b'b' >= b'b'"),
    ("greater_equals_timestamp", "timestamp(1) >= timestamp(1)"),
    (
        "greater_equals_duration",
        "duration('60s') >= duration('1m')",
    ),
    ("greater_equals_int64_double", "[1].all(x, x >= 1.0)"),
    ("greater_equals_int64_uint64", "[2].all(x, x >= 2u)"),
    ("greater_equals_uint64_double", "[2u].all(x, x >= 1.5)"),
    ("greater_equals_uint64_int64", "[1u].all(x, x >= 1)"),
    ("greater_equals_double_int64", "[3.5].all(x, x >= 3)"),
    ("greater_equals_double_uint64", "[2.5].all(x, x >= 2u)"),
    // Containers.
    ("index_list", "[1, 2, 3][1] == 2"),
    ("index_map", "{'a': 1, 'b': 2}['b'] == 2 && {'a': 1}.a == 1"),
    (
        "index_map",
        "{1: 'a', 1u: 'b'}[1u] == 'b' && {1: 5}[dyn(1.0)] == 5",
    ),
    ("in_list", "2 in [1, 2] && !(3 in [1, 2])"),
    ("in_map", "'a' in {'a': 1} && !('b' in {'a': 1})"),
    ("size_string", "size('Grüße') == 5"),
    ("string_size", "'Grüße'.size() == 5"),
    ("size_bytes", "size(b'Grüße') == 7"),
    ("bytes_size", "b'abc'.size() == 3"),
    ("size_list", "size([1, 2]) == 2"),
    ("list_size", "[].size() == 0"),
    ("size_map", "size({'a': 1}) == 1"),
    ("map_size", "{}.size() == 0"),
    // Conversions.
    (
        "type",
        "type(1) == int && type('a') == string && type(type(1)) == type",
    ),
    (
        "type",
        "type([]) == list && type({}) == map && type(null) == null_type",
    ),
    ("type", "type(timestamp(0)) == google.protobuf.Timestamp"),
    ("to_dyn", "dyn(1) == 1"),
    ("bool_to_bool", "bool(true)"),
    ("string_to_bool", "bool('true') && !bool('F')"),
    ("bytes_to_bytes", "bytes(b'a') == b'a'"),
    ("string_to_bytes", "bytes('ü') == b'\\xc3\\xbc'"),
    ("double_to_double", "double(1.5) == 1.5"),
    ("int64_to_double", "double(2) == 2.0"),
    ("uint64_to_double", "double(2u) == 2.0"),
    (
        "string_to_double",
        "double('1.5e3') == 1500.0 && double('-inf') < 0.0",
    ),
    (
        "duration_to_duration",
        "duration(duration('1s')) == duration('1s')",
    ),
    (
        "string_to_duration",
        "duration('1h30m') == duration('5400s')",
    ),
    ("int64_to_int64", "int(1) == 1"),
    ("uint64_to_int64", "int(1u) == 1"),
    ("double_to_int64", "int(-1.9) == -1"),
    ("string_to_int64", "int('-12') == -12 && int('+1') == 1"),
    ("duration_to_int64", "int(duration('1s')) == 1000000000"),
    (
        "timestamp_to_int64",
        "int(timestamp('1970-01-01T00:01:00Z')) == 60",
    ),
    ("uint64_to_uint64", "uint(1u) == 1u"),
    ("int64_to_uint64", "uint(1) == 1u"),
    ("double_to_uint64", "uint(1.9) == 1u && uint(-0.0) == 0u"),
    ("string_to_uint64", "uint('12') == 12u"),
    ("string_to_string", "string('a') == 'a'"),
    ("bool_to_string", "string(true) == 'true'"),
    ("bytes_to_string", "string(b'\\xc3\\xbc') == 'ü'"),
    (
        "double_to_string",
        "string(1e20) == '1e+20' && string(2.5) == '2.5'",
    ),
    ("duration_to_string", "string(duration('1h30m')) == '5400s'"),
    ("int64_to_string", "string(-12) == '-12'"),
    ("uint64_to_string", "string(12u) == '12'"),
    (
        "timestamp_to_string",
        "string(timestamp(0)) == '1970-01-01T00:00:00Z'",
    ),
    (
        "timestamp_to_timestamp",
        "timestamp(timestamp(0)) == timestamp(0)",
    ),
    (
        "int64_to_timestamp",
        "timestamp(60) == timestamp('1970-01-01T00:01:00Z')",
    ),
    (
        "string_to_timestamp",
        "timestamp('2024-02-29T12:00:00.5Z').getMilliseconds() == 500",
    ),
    // Text.
    (
        "contains_string",
        "'hello'.contains('ell') && !'hello'.contains('x')",
    ),
    ("ends_with_string", "'hello'.endsWith('lo')"),
    ("starts_with_string", "'hello'.startsWith('he')"),
    ("matches", "matches('hello', '^h.*o$')"),
    ("matches_string", "'123-456'.matches('^[0-9]+(-[0-9]+)?$')"),
    ("matches_string", "'ab'.matches('(?P<n>a)(?P<n>b)')"),
    // Times.
    (
        "timestamp_to_year",
        "timestamp('2024-02-29T23:34:56.789Z').getFullYear() == 2024",
    ),
    (
        "timestamp_to_year_with_tz",
        "timestamp('2024-01-01T05:30:00Z').getFullYear('-08:00') == 2023",
    ),
    (
        "timestamp_to_month",
        "timestamp('2024-02-29T23:34:56Z').getMonth() == 1",
    ),
    (
        "timestamp_to_month_with_tz",
        "timestamp('2024-02-29T23:34:56Z').getMonth('+05:30') == 2",
    ),
    (
        "timestamp_to_day_of_year",
        "timestamp('2024-02-29T23:34:56Z').getDayOfYear() == 59",
    ),
    (
        "timestamp_to_day_of_year_with_tz",
        "timestamp('2024-02-29T23:34:56Z').getDayOfYear('Asia/Tokyo') == 60",
    ),
    (
        "timestamp_to_day_of_month",
        "timestamp('2024-02-29T23:34:56Z').getDayOfMonth() == 28",
    ),
    (
        "timestamp_to_day_of_month_with_tz",
        "timestamp('2024-02-29T23:34:56Z').getDayOfMonth('Asia/Tokyo') == 0",
    ),
    (
        "timestamp_to_day_of_month_1_based",
        "timestamp('2024-02-29T23:34:56Z').getDate() == 29",
    ),
    (
        "timestamp_to_day_of_month_1_based_with_tz",
        "timestamp('2024-02-29T23:34:56Z').getDate('Asia/Tokyo') == 1",
    ),
    (
        "timestamp_to_day_of_week",
        "timestamp('2024-02-29T23:34:56Z').getDayOfWeek() == 4",
    ),
    (
        "timestamp_to_day_of_week_with_tz",
        "timestamp('2024-02-29T23:34:56Z').getDayOfWeek('Asia/Tokyo') == 5",
    ),
    (
        "timestamp_to_hours",
        "timestamp('2024-02-29T23:34:56Z').getHours() == 23",
    ),
    (
        "timestamp_to_hours_with_tz",
        "timestamp('2024-07-01T12:00:00Z').getHours('America/New_York') == 8",
    ),
    (
        "timestamp_to_minutes",
        "timestamp('2024-02-29T23:34:56Z').getMinutes() == 34",
    ),
    (
        "timestamp_to_minutes_with_tz",
        "timestamp('2024-02-29T23:34:56Z').getMinutes('Asia/Kolkata') == 4",
    ),
    (
        "timestamp_to_seconds",
        "timestamp('2024-02-29T23:34:56Z').getSeconds() == 56",
    ),
    (
        "timestamp_to_seconds_with_tz",
        "timestamp('2024-02-29T23:34:56Z').getSeconds('UTC') == 56",
    ),
    (
        "timestamp_to_milliseconds",
        "timestamp('2024-02-29T23:34:56.789Z').getMilliseconds() == 789",
    ),
    (
        "timestamp_to_milliseconds_with_tz",
        "timestamp('2024-02-29T23:34:56.789Z').getMilliseconds('UTC') == 789",
    ),
    ("duration_to_hours", "duration('3723s').getHours() == 1"),
    (
        "duration_to_minutes",
        "duration('3723s').getMinutes() == 62",
    ),
    (
        "duration_to_seconds",
        "duration('3723.456s').getSeconds() == 3723",
    ),
    (
        "duration_to_milliseconds",
        "duration('1.5s').getMilliseconds() == 1500",
    ),
    // Macros.
    ("has", "has({'a': 1}.a) && !has({'a': 1}.b)"),
    (
        "all",
        "[1, 2].all(x, x > 0) && [].all(x, false) && {'a': 1}.all(k, k == 'a')",
    ),
    ("all", "![1, 0].all(x, 1/x < 1)"),
    ("exists", "[1, 2].exists(x, x == 2) && ![].exists(x, true)"),
    ("exists", "[0, 1].exists(x, 1/x == 1)"),
    (
        "exists_one",
        "[1, 2, 2].exists_one(x, x < 2) && ![1, 1].exists_one(x, x == 1)",
    ),
    (
        "map",
        "[1, 2].map(x, x * 2) == [2, 4] && {'a': 1}.map(k, k) == ['a']",
    ),
    ("map", "[1, 2, 3].map(x, x > 1, x * 10) == [20, 30]"),
    ("filter", "[1, 2, 3].filter(x, x % 2 == 1) == [1, 3]"),
    (
        "nested",
        "[[1, 2], [3]].map(l, l.map(x, x + 1)) == [[2, 3], [4]]",
    ),
    (
        "shadowing",
        "[1].all(model, model == 1) && [2].all(x, [3].all(x, x == 3))",
    ),
    // Literals.
    (
        "literals",
        "0x1F == 31 && 007 == 7 && 0xFFu == 255u && .5 == 0.5 && 1e3 == 1000.0",
    ),
    (
        "literals",
        r#""a" == 'a' && '''a'b''' == "a'b" && r'\n' == '\\n' && b'\xff' == b'\377'"#,
    ),
    (
        "literals",
        r"'\u00fc\U0001F600\101' == 'ü😀A' && '\a\b\f\v\?\`' == '\x07\x08\x0c\x0b?`'",
    ),
    (
        "literals",
        "[1, 2,] == [1, 2] && [,] == [] && {,} == {} && {'a': 1,} == {'a': 1}",
    ),
    ("literals", "{'a-b': 1}.`a-b` == 1 && {'if': 2}.if == 2"),
    ("comments", "true // the rest of the line\n && true"),
    // Messages.
    (
        "messages",
        "google.protobuf.Int64Value{value: 3} == 3 && google.protobuf.BoolValue{} == false",
    ),
    (
        "messages",
        "google.protobuf.Duration{seconds: 1} == duration('1s')",
    ),
    (
        "messages",
        "google.protobuf.Timestamp{seconds: 1} == timestamp(1)",
    ),
    (
        "messages",
        "google.protobuf.Struct{fields: {'a': 1}}.a == 1.0",
    ),
    (
        "messages",
        "google.protobuf.ListValue{values: ['a']}[0] == 'a'",
    ),
    (
        "messages",
        "google.protobuf.Value{string_value: 'a'} == 'a'",
    ),
    (
        "messages",
        "google.protobuf.Empty{} == google.protobuf.Empty{}",
    ),
    ("messages", "google.protobuf.NullValue.NULL_VALUE == 0"),
];

/// Optional values, which only MCP rules have.
const OPTIONAL: &[(&str, &str)] = &[
    ("optional_of", "optional.of(1).value() == 1"),
    (
        "optional_ofNonZeroValue",
        "!optional.ofNonZeroValue('').hasValue()",
    ),
    (
        "optional_ofNonZeroValue",
        "optional.ofNonZeroValue('a').value() == 'a'",
    ),
    ("optional_none", "!optional.none().hasValue()"),
    ("optional_value", "optional.of('a').value() == 'a'"),
    ("optional_hasValue", "optional.of(null).hasValue()"),
    (
        "optional_or_optional",
        "optional.none().or(optional.of(1)).value() == 1",
    ),
    ("optional_orValue_value", "optional.none().orValue(2) == 2"),
    (
        "select_optional_field",
        "request.?nothing.orValue('x') == 'x' && {'a': 1}.?a.value() == 1",
    ),
    (
        "list_optindex_optional_int",
        "[1, 2][?5].orValue(0) == 0 && [1, 2][?1].value() == 2",
    ),
    (
        "optional_list_optindex_optional_int",
        "optional.of([1])[?0].value() == 1",
    ),
    (
        "map_optindex_optional_value",
        "{'a': 1}[?'b'].orValue(0) == 0",
    ),
    (
        "optional_map_optindex_optional_value",
        "optional.of({'a': 1})[?'a'].value() == 1",
    ),
    (
        "optional_list_index_int",
        "optional.of([1])[0].value() == 1",
    ),
    (
        "optional_map_index_value",
        "optional.of({'a': 1})['a'].value() == 1",
    ),
    (
        "list_first",
        "[1, 2].first().value() == 1 && ![].first().hasValue()",
    ),
    ("list_last", "[1, 2].last().value() == 2"),
    (
        "optional_unwrap",
        "optional.unwrap([optional.of(1), optional.none()]) == [1]",
    ),
    (
        "optional_unwrapOpt",
        "[optional.of(1), optional.none()].unwrapOpt() == [1]",
    ),
    ("optMap", "optional.of(1).optMap(x, x + 1).value() == 2"),
    (
        "optFlatMap",
        "!optional.of({}).optFlatMap(m, m.?a).hasValue()",
    ),
    (
        "optional elements",
        "[1, ?optional.none(), ?optional.of(2)] == [1, 2]",
    ),
    (
        "optional entries",
        "{?'a': optional.none(), 'b': 1} == {'b': 1}",
    ),
    // A constant pattern is tried on what is inside an optional, and on the name of a type.
    ("matches_string", "dyn(optional.of('abc')).matches('b')"),
    ("matches_string", "dyn(type(1)).matches('^int$')"),
    // Maps that the expression did not build take any key.
    ("in_map", "!(b'a' in request) && !(b'a' in request.headers)"),
];

/// What is refused, with its class.
const REFUSED: &[(&str, &str)] = &[
    ("", "parse/syntax"),
    ("1 +", "parse/syntax"),
    ("a ? b ? 1 : 2 : 3", "parse/syntax"),
    ("if", "parse/reserved-identifier"),
    ("9223372036854775808", "parse/literal"),
    ("b'\\u00fc'.size()", "parse/literal"),
    ("has(1) ? 1 : 0", "parse/macro"),
    ("[1].all(1, true) ? 1 : 0", "parse/macro"),
    ("{'a': 1}.?a", "parse/unsupported-syntax"),
    ("foo", "check/undeclared-reference"),
    ("1 + 1u", "check/no-overload"),
    ("1 < 1u ? 1 : 0", "check/no-overload"),
    ("1 && true ? 1 : 0", "check/type-mismatch"),
    ("model.x", "check/no-field-selection"),
    (
        "google.protobuf.Int32Value{foo: 1}",
        "check/undefined-field",
    ),
    ("google.protobuf.Int32Value{value: 'a'}", "check/field-type"),
    ("int{}", "check/not-a-message"),
    ("'abc'.all(x, true) ? 1 : 0", "check/comprehension-range"),
    ("{null: 5}[null]", "program/qualifier-type"),
    (
        "google.protobuf.Int64Value == int ? 1 : 0",
        "program/undefined-type",
    ),
    ("1 / 0", "trial/division-by-zero"),
    ("1 % 0", "trial/modulus-by-zero"),
    ("9223372036854775807 + 1", "trial/int-overflow"),
    ("1u - 2u", "trial/uint-overflow"),
    (
        "timestamp(253402300800) > timestamp(0) ? 1 : 0",
        "trial/timestamp-overflow",
    ),
    ("{'a': 1}['b']", "trial/no-such-key"),
    ("[1][1]", "trial/index-out-of-bounds"),
    ("[1][dyn('a')]", "trial/unsupported-index"),
    ("dyn(1) + 1u", "trial/no-such-overload"),
    ("int('a')", "trial/conversion"),
    ("'a'.matches('[') ? 1 : 0", "trial/regex"),
    ("0.0/0.0 < 1.0 ? 1 : 0", "trial/nan-order"),
    ("timestamp(0).getHours('Mars')", "trial/timezone"),
    ("dyn(1).all(x, true) ? 1 : 0", "trial/not-iterable"),
    ("{b'a': 1}.size()", "trial/unhashable-key"),
    (
        "google.protobuf.Int32Value{value: dyn(1u)}",
        "trial/message-field",
    ),
    ("string(b'\\xff').size()", "trial/invalid-utf8"),
    ("google.protobuf.Any{}", "trial/unsupported-value"),
    ("-1", "result/negative"),
    ("1.5", "result/not-integer"),
];

#[test]
fn standard_library() {
    let mut wrong = Vec::new();
    for (overload, expression) in TRUE {
        let outcome = check(Environment::Cost, &format!("({expression}\n) ? 1 : 0"));
        let value = outcome
            .map(|accepted| accepted.trial)
            .map_err(|refusal| refusal.message);
        if value != Ok(Some(1)) {
            wrong.push(format!("{overload}: {expression}: {value:?}"));
        }
    }
    println!(
        "{} of {} rows of the standard library pass",
        TRUE.len() - wrong.len(),
        TRUE.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn standard_library_in_mcp_rules() {
    let mut wrong = Vec::new();
    let request = Request::default();
    // The names of cost expressions are variables there only.
    let rows = TRUE
        .iter()
        .chain(OPTIONAL)
        .filter(|(rule, _)| *rule != "shadowing");
    let count = rows.clone().count();
    for (overload, expression) in rows {
        let outcome = check(Environment::McpAuthorization, expression)
            .and_then(|accepted| accepted.matches(&request, Place::Authorization));
        if outcome != Ok(true) {
            wrong.push(format!("{overload}: {expression}: {outcome:?}"));
        }
    }
    println!("{} of {count} rows pass in MCP rules", count - wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn refusals() {
    let mut wrong = Vec::new();
    for (expression, class) in REFUSED {
        let found = match check(Environment::Cost, expression) {
            Ok(_) => "ok".to_owned(),
            Err(refusal) => refusal.class.to_string(),
        };
        if found != *class {
            wrong.push(format!("{expression}: {class} expected, {found} found"));
        }
    }
    println!(
        "{} of {} refusals have their class",
        REFUSED.len() - wrong.len(),
        REFUSED.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn mixed_types_are_foreseen() {
    let accepted = check(
        Environment::Cost,
        "{'dummy': 2u, 'gpt-4': 1}[model] * input_tokens",
    )
    .expect("accepted: the trial meets an unsigned number");
    let concerns = accepted.warnings.iter().map(|it| it.concern.to_string());
    assert!(
        concerns
            .collect::<Vec<_>>()
            .contains(&"no-such-overload".to_owned())
    );
}

/// Words that the help for a refused cost must have.
const HELP: &[(&str, &str)] = &[
    ("input_tokens * 2", "Write `input_tokens * 2u`"),
    ("model == gpt-4 ? 1u : 0u", "texts stand in quotes"),
    ("model != null ? 1u : 2u", "never null"),
    ("model in 'gpt' ? 1u : 2u", "text.contains(part)"),
    ("!model ? 1u : 2u", "compare first"),
    (
        "startsWith(model, 'gpt') ? 1u : 2u",
        "`model.startsWith('gpt')`",
    ),
    ("model.lower() == 'a' ? 1 : 2", "contains, startsWith"),
    ("math.ceil(double(input_tokens) * 0.3)", "uint(x + 0.5)"),
    ("max(input_tokens, 100u)", "`a > b ? a : b`"),
    ("prompt_tokens", "`input_tokens`"),
    ("model == 'a\" ? 1 : 2", "closing quote"),
    ("1_000u", "digit separators"),
    ("input_tokens × 2u", "`*`"),
    ("model.matches('(?!x)') ? 1 : 2", "look-around"),
];

#[test]
fn help_says_what_to_do() {
    for (expression, words) in HELP {
        let refusal = check(Environment::Cost, expression).expect_err(expression);
        let help = refusal.help.unwrap_or_default();
        assert!(help.contains(words), "{expression}: {help}");
    }
}
