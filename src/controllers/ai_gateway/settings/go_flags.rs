//! Command lines as Go's flag package reads them.

use super::flags::{Flag, Kind};
use crate::controllers::profile::Profile;

/// What one step of reading found. Positions are indices of elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// A flag with its value; a bare boolean has the value `true`.
    Given {
        name: &'static str,
        value: String,
        at: usize,
    },
    /// The controller would exit here; `name` is the flag, where there is one.
    Refused { problem: String, at: usize },
    /// The first element that is no flag: it and everything after it is not read.
    Stopped { at: usize },
}

/// Reads a command line to its end. Go would stop at the first error; what follows is read as if
/// the faulty element were not there.
pub(super) fn read(args: &[&str], profile: &Profile) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        let Some(body) = arg.strip_prefix('-').filter(|body| !body.is_empty()) else {
            steps.push(Step::Stopped { at });
            break;
        };
        if body == "-" {
            if at + 1 < args.len() {
                steps.push(Step::Stopped { at: at + 1 });
            }
            break;
        }
        let body = body.strip_prefix('-').unwrap_or(body);
        at += element(body, at, args, profile, &mut steps);
    }
    steps
}

/// Reads the flag at `at`; gives how many elements it takes.
fn element(
    body: &str,
    at: usize,
    args: &[&str],
    profile: &Profile,
    steps: &mut Vec<Step>,
) -> usize {
    let refused = |problem: String| Step::Refused { problem, at };
    if body.starts_with(['-', '=']) {
        steps.push(refused("bad flag syntax".to_string()));
        return 1;
    }
    // The name has at least one character, so an `=` in front is none that separates.
    let (name, value) = match body.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (body, None),
    };
    let Some(flag) = Flag::find(name, profile) else {
        steps.push(refused(format!(
            "there is no flag -{name} in {}",
            profile.release
        )));
        let takes_next = value.is_none() && args.get(at + 1).is_some_and(|a| !a.starts_with('-'));
        return 1 + usize::from(takes_next);
    };
    let is_bool = matches!(flag.kind, Kind::Bool(_));
    let given = |value: &str, at| Step::Given {
        name: flag.name,
        value: value.to_string(),
        at,
    };
    match (value, args.get(at + 1)) {
        (Some(value), _) => steps.push(given(value, at)),
        (None, _) if is_bool => steps.push(given("true", at)),
        (None, Some(next)) => {
            steps.push(given(next, at + 1));
            return 2;
        }
        (None, None) => steps.push(refused(format!("flag -{name} needs a value"))),
    }
    1
}

/// A boolean as `strconv.ParseBool` takes it.
pub(super) fn bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

/// A whole number in Go's notation: `10`, `0x10`, `0b1`, `0o7`, `07`, `1_000`.
pub(super) fn int(text: &str) -> Option<i64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let sign = if text.starts_with('-') { "-" } else { "" };
    let lower = unsigned.to_ascii_lowercase();
    let (digits, base) = match lower.get(..2) {
        Some("0x") => (&lower[2..], 16),
        Some("0b") => (&lower[2..], 2),
        Some("0o") => (&lower[2..], 8),
        _ if lower.len() > 1 && lower.starts_with('0') => (&lower[1..], 8),
        _ => (&lower[..], 10),
    };
    // An underscore stands between digits, or between the prefix and a digit.
    let separated = lower
        .split('_')
        .enumerate()
        .all(|(i, group)| !group.is_empty() && (i == 0 || !group.contains('x')));
    if !separated
        || !digits
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_')
    {
        return None;
    }
    i64::from_str_radix(&format!("{sign}{}", digits.replace('_', "")), base).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::profile::{V1_0_0, V1_1_0};

    fn given(name: &'static str, value: &str, at: usize) -> Step {
        Step::Given {
            name,
            value: value.to_string(),
            at,
        }
    }

    #[test]
    fn every_spelling_of_a_flag() {
        let steps = read(
            &[
                "-rootPrefix=/a",
                "--rootPrefix=/b=c",
                "-rootPrefix",
                "-x",
                "--rootPrefix=",
                "--extProcEnableRedaction",
                "-extProcEnableRedaction=false",
            ],
            &V1_1_0,
        );
        let expected = [
            given("rootPrefix", "/a", 0),
            given("rootPrefix", "/b=c", 1),
            given("rootPrefix", "-x", 3),
            given("rootPrefix", "", 4),
            given("extProcEnableRedaction", "true", 5),
            given("extProcEnableRedaction", "false", 6),
        ];
        assert_eq!(steps, expected);
    }

    #[test]
    fn a_boolean_takes_no_second_element() {
        let steps = read(
            &["-enableLeaderElection", "false", "-rootPrefix=/a"],
            &V1_1_0,
        );
        assert_eq!(
            steps,
            [
                given("enableLeaderElection", "true", 0),
                Step::Stopped { at: 1 }
            ]
        );
        assert_eq!(
            read(&["--", "-rootPrefix=/a"], &V1_1_0),
            [Step::Stopped { at: 1 }]
        );
        assert_eq!(read(&["-"], &V1_1_0), [Step::Stopped { at: 0 }]);
        assert_eq!(read(&["--"], &V1_1_0), []);
    }

    #[test]
    fn what_is_refused_is_stepped_over() {
        let steps = read(&["--nope", "x", "---a", "-=b", "-rootPrefix"], &V1_1_0);
        let positions: Vec<_> = steps
            .iter()
            .map(|step| match step {
                Step::Refused { at, .. } => *at,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(positions, [0, 2, 3, 4]);
    }

    #[test]
    fn a_flag_of_another_version_is_unknown() {
        assert!(matches!(
            read(&["-extProcLogFormat=json"], &V1_0_0)[..],
            [Step::Refused { .. }]
        ));
        assert!(matches!(
            read(&["-extProcLogFormat=json"], &V1_1_0)[..],
            [Step::Given { .. }]
        ));
    }

    #[test]
    fn numbers_in_every_base() {
        for (text, number) in [
            ("10", Some(10)),
            ("-1", Some(-1)),
            ("+1", Some(1)),
            ("0", Some(0)),
            ("0x10", Some(16)),
            ("0X1F", Some(31)),
            ("0b11", Some(3)),
            ("0o17", Some(15)),
            ("017", Some(15)),
            ("1_000", Some(1000)),
            ("0x_1", Some(1)),
            ("9223372036854775807", Some(i64::MAX)),
            ("9223372036854775808", None),
            ("08", None),
            ("1__0", None),
            ("_1", None),
            ("1_", None),
            ("", None),
            ("-", None),
            ("--1", None),
            ("1e5", None),
            ("1.0", None),
            ("0x", None),
            (" 1", None),
        ] {
            assert_eq!(int(text), number, "{text:?}");
        }
    }
}
