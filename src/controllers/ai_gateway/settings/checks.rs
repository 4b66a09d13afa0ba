//! Values of flags that make the controller exit.

use crate::secret::Secret;

type Check = Result<(), String>;

/// The levels of zap, in any case.
pub(super) fn zap_level(text: &str) -> Check {
    const LEVELS: [&str; 9] = [
        "", "debug", "info", "warn", "warning", "error", "dpanic", "panic", "fatal",
    ];
    one_of(&text.to_lowercase(), &LEVELS, text)
}

/// The levels of Go's slog: a name in any case, perhaps with an offset such as `info+2`.
pub(super) fn slog_level(text: &str) -> Check {
    let (name, offset) = text.split_at(text.find(['+', '-']).unwrap_or(text.len()));
    let digits = offset.get(1..).unwrap_or_default();
    if !offset.is_empty()
        && (!digits.bytes().all(|b| b.is_ascii_digit()) || offset.parse::<i64>().is_err())
    {
        return Err(format!("{text:?} has an offset that is no number"));
    }
    one_of(
        &name.to_lowercase(),
        &["debug", "info", "warn", "error"],
        text,
    )
}

pub(super) fn log_format(text: &str) -> Check {
    one_of(text, &["text", "json"], text)
}

pub(super) fn pull_policy(text: &str) -> Check {
    one_of(text, &["Always", "Never", "IfNotPresent"], text)
}

fn one_of(text: &str, allowed: &[&str], shown: &str) -> Check {
    if allowed.contains(&text) {
        return Ok(());
    }
    let named: Vec<_> = allowed
        .iter()
        .filter(|word| !word.is_empty())
        .copied()
        .collect();
    Err(format!("{shown:?} is none of {}", named.join(", ")))
}

/// `header:attribute`, separated by commas.
pub(super) fn attributes(text: &str) -> Check {
    for_each_pair(text, |header, attribute, at| {
        if header.is_empty() || attribute.is_empty() {
            return Err(format!("pair {at} lacks the header or the attribute"));
        }
        Ok(())
    })
}

/// `provider:prefix`, separated by commas; a prefix may be empty.
pub(super) fn endpoint_prefixes(text: &str) -> Check {
    for_each_pair(text, |provider, _, at| {
        one_of(provider, &["openai", "cohere", "anthropic"], provider)
            .map_err(|error| format!("pair {at}: {error}"))
    })
}

fn for_each_pair(text: &str, mut check: impl FnMut(&str, &str, usize) -> Check) -> Check {
    if text.is_empty() {
        return Ok(());
    }
    for (i, pair) in text.split(',').enumerate() {
        let at = i + 1;
        match pair.trim().split_once(':') {
            Some((key, value)) => check(key.trim(), value.trim(), at)?,
            None if pair.trim().is_empty() => return Err(format!("pair {at} is empty")),
            None => return Err(format!("pair {at}, {:?}, has no colon", pair.trim())),
        }
    }
    Ok(())
}

pub(super) fn env_vars(text: &str) -> Check {
    parse_env_vars(text).map(|_| ())
}

/// `NAME=value`, separated by semicolons.
///
/// # Errors
/// Which pair is malformed; nothing of its text, which may be a credential.
pub(super) fn parse_env_vars(text: &str) -> Result<Vec<(String, Secret<String>)>, String> {
    let mut pairs = Vec::new();
    for (i, pair) in text.split(';').map(str::trim).enumerate() {
        let at = i + 1;
        match pair
            .split_once('=')
            .map(|(name, value)| (name.trim(), value))
        {
            None if pair.is_empty() => {}
            None => return Err(format!("pair {at} has no equals sign")),
            Some(("", _)) => return Err(format!("pair {at} has no name")),
            Some((name, value)) => {
                pairs.push((name.to_string(), Secret::new(value.to_string())));
            }
        }
    }
    Ok(pairs)
}

pub(super) fn at_least_one(text: &str) -> Check {
    match text.parse::<i64>() {
        Ok(1..) => Ok(()),
        _ => Err(format!("{text} is not positive")),
    }
}

/// Go's durations: `2m`, `1h30m`, `1.5s`, `0`.
pub(super) fn duration(text: &str) -> Check {
    let error = || Err(format!("{text:?} is no duration"));
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return Ok(());
    }
    if rest.is_empty() {
        return error();
    }
    while !rest.is_empty() {
        let end = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let (number, tail) = rest.split_at(end);
        let unit = tail
            .find(|c: char| c.is_ascii_digit() || c == '.')
            .unwrap_or(tail.len());
        let known = matches!(
            &tail[..unit],
            "ns" | "us" | "µs" | "μs" | "ms" | "s" | "m" | "h"
        );
        let digits = number.bytes().any(|b| b.is_ascii_digit());
        if !known || !digits || number.matches('.').count() > 1 {
            return error();
        }
        rest = &tail[unit..];
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_the_controller_takes_and_refuses() {
        type Case = (
            &'static str,
            fn(&str) -> Check,
            &'static [&'static str],
            &'static [&'static str],
        );
        let cases: &[Case] = &[
            (
                "zap",
                zap_level,
                &["", "INFO", "Debug", "warn", "fatal"],
                &["trace", "info "],
            ),
            (
                "slog",
                slog_level,
                &["info", "INFO", "info+2", "Warn-1", "error"],
                &[
                    "trace", "fatal", "panic", "", "info+", "info+x", "info+-1", "info++1",
                    "warning",
                ],
            ),
            (
                "format",
                log_format,
                &["text", "json"],
                &["", "JSON", "xml"],
            ),
            ("policy", pull_policy, &["Always", "Never"], &["", "always"]),
            (
                "attributes",
                attributes,
                &["", "a:b", " a : b , c:d:e "],
                &["a", "a:", ":b", "a:b,", ","],
            ),
            (
                "prefixes",
                endpoint_prefixes,
                &[
                    "",
                    "openai:",
                    "openai:,cohere:/c,anthropic:/a",
                    " openai : / ",
                ],
                &["openai", "OpenAI:/", "openai:,", "mistral:/m"],
            ),
            (
                "env",
                env_vars,
                &["", ";", "A=1;B=a=b;", " A = x ", "A="],
                &["A", "=x", " = x", "A=1;B"],
            ),
            ("iterations", at_least_one, &["1", "100000"], &["0", "-1"]),
            (
                "duration",
                duration,
                &["2m", "1h30m", "1.5s", "0", "-1s", ".5s", "1µs"],
                &["", "2", "m", "1d", "1..5s", ".s", "-"],
            ),
        ];
        for (name, check, good, bad) in cases {
            good.iter()
                .for_each(|text| assert_eq!(check(text), Ok(()), "{name} {text:?}"));
            bad.iter()
                .for_each(|text| assert!(check(text).is_err(), "{name} {text:?}"));
        }
    }

    #[test]
    fn variables_keep_the_blanks_before_their_value() {
        let pairs = parse_env_vars(" LOG = x ;;A=").unwrap();
        let shown: Vec<_> = pairs
            .iter()
            .map(|(n, v)| (n.as_str(), v.reveal().as_str()))
            .collect();
        assert_eq!(shown, [("LOG", " x"), ("A", "")]);
    }

    #[test]
    fn errors_of_variables_show_no_value() {
        let error = parse_env_vars("A=1;s3cret").unwrap_err();
        assert!(!error.contains("s3cret"), "{error}");
    }
}
