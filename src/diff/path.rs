//! Paths into a document: how a place is written, and which places a pattern names.
//!
//! `backends[name=ns/be/route/r/rule/0/ref/0].auth.apiKey.key`, `models[gpt-4o].OwnedBy`,
//! `llmRequestCosts[routeName=ns/r,metadataKey=k].cel`, `modelsByHost["a.example.com"][gpt-4o]`.

use std::borrow::Cow;
use std::fmt;

use super::shape::Shape;
use super::value::Value;

/// One step into a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<'a> {
    /// A member of a mapping.
    Key(Cow<'a, str>),
    /// An item of a list.
    Item {
        /// Its position, from 0.
        index: usize,
        /// What it is known by, as key and value; an empty key for a scalar that is its own name.
        names: Vec<(&'static str, Cow<'a, str>)>,
    },
}

/// A place in a document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Path(pub Vec<Step<'static>>);

impl<'a> Step<'a> {
    /// The step to an item of a list.
    pub fn item(index: usize, shape: Shape, item: &'a Value<'_>) -> Self {
        let names = match shape {
            Shape::Sequence => Vec::new(),
            Shape::Set([]) => vec![("", Cow::Borrowed(item.plain()))],
            shape => {
                let member = |key: &'static str| Some((key, item.get(key)?.plain().into()));
                shape.keys().iter().filter_map(|key| member(key)).collect()
            }
        };
        Step::Item { index, names }
    }

    fn owned(&self) -> Step<'static> {
        match self {
            Step::Key(key) => Step::Key(Cow::Owned(key.to_string())),
            Step::Item { index, names } => Step::Item {
                index: *index,
                names: names
                    .iter()
                    .map(|(key, value)| (*key, Cow::Owned(value.to_string())))
                    .collect(),
            },
        }
    }
}

impl Path {
    /// The place that these steps lead to.
    pub fn of(steps: &[Step<'_>]) -> Self {
        Path(steps.iter().map(Step::owned).collect())
    }

    /// The same with one more step.
    pub fn below(&self, step: &Step<'_>) -> Self {
        let mut steps = self.0.clone();
        steps.push(step.owned());
        Path(steps)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_steps(&self.0, f)
    }
}

/// Steps as one text.
pub fn text(steps: &[Step<'_>]) -> String {
    struct Steps<'s>(&'s [Step<'s>]);
    impl fmt::Display for Steps<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write_steps(self.0, f)
        }
    }
    Steps(steps).to_string()
}

fn write_steps(steps: &[Step<'_>], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (i, step) in steps.iter().enumerate() {
        match step {
            Step::Key(key) if is_plain(key) => {
                let dot = if i == 0 { "" } else { "." };
                write!(f, "{dot}{key}")?;
            }
            Step::Key(key) => write!(f, "[{}]", json_text(key))?,
            Step::Item { index, names } => write_item(*index, names, f)?,
        }
    }
    Ok(())
}

/// A model is known by nothing but its name, so that alone is written.
fn write_item(
    index: usize,
    names: &[(&'static str, Cow<'_, str>)],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    match names {
        [] => write!(f, "[{index}]"),
        [("" | "Name", value)] => write!(f, "[{}]", quoted(value)),
        names => {
            let names = names.iter().map(|(k, v)| format!("{k}={}", quoted(v)));
            write!(f, "[{}]", names.collect::<Vec<_>>().join(","))
        }
    }
}

fn is_plain(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric())
}

fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Text that could be taken for something else stands in quotes.
fn quoted(text: &str) -> Cow<'_, str> {
    let special = |c: char| c.is_control() || c.is_whitespace() || "[],=\"*".contains(c);
    let number = text.bytes().all(|b| b.is_ascii_digit());
    if text.is_empty() || number || text.contains(special) {
        Cow::Owned(json_text(text))
    } else {
        Cow::Borrowed(text)
    }
}

/// A pattern: a path in which a selector may leave names out, give a position instead, or be `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(Vec<Selector>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Selector {
    /// Any step.
    Any,
    /// A member by key.
    Key(String),
    /// `[text]`: a position, a name, or a key that is no plain word.
    Bracket(String),
    /// `[key=value,…]`.
    Names(Vec<(String, String)>),
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut selectors = Vec::new();
        let mut rest = text.trim();
        if rest.is_empty() {
            return Err("the path is empty".to_string());
        }
        while !rest.is_empty() {
            rest = match rest.strip_prefix('[') {
                Some(inner) => bracket(inner, &mut selectors)?,
                None => word(rest, selectors.is_empty(), &mut selectors)?,
            };
        }
        Ok(Pattern(selectors))
    }

    /// Whether the steps lead to what the pattern names, or to something in it.
    pub fn covers(&self, steps: &[Step<'_>]) -> bool {
        self.0.len() <= steps.len() && self.0.iter().zip(steps).all(|(s, step)| s.matches(step))
    }

    /// How many steps the pattern has.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has none; never, for one that was read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Selector {
    fn matches(&self, step: &Step<'_>) -> bool {
        match (self, step) {
            (Selector::Any, _) => true,
            (Selector::Key(key), Step::Key(k)) | (Selector::Bracket(key), Step::Key(k)) => k == key,
            (Selector::Bracket(text), Step::Item { index, names }) => {
                names.iter().any(|(_, value)| value == text) || text.parse() == Ok(*index)
            }
            (Selector::Names(wanted), Step::Item { names, .. }) => wanted
                .iter()
                .all(|(key, value)| names.iter().any(|(k, v)| k == key && v == value)),
            _ => false,
        }
    }
}

/// A word up to the next `.` or `[`.
fn word<'t>(rest: &'t str, first: bool, out: &mut Vec<Selector>) -> Result<&'t str, String> {
    let rest = match rest.strip_prefix('.') {
        Some(after) if !first => after,
        _ if first => rest,
        _ => return Err(format!("expected . or [ before {rest}")),
    };
    let end = rest.find(['.', '[']).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    match name {
        "" => return Err("a name is missing between two dots".to_string()),
        "*" => out.push(Selector::Any),
        name => out.push(Selector::Key(name.to_string())),
    }
    Ok(rest)
}

/// What stands after an opening bracket, up to its end.
fn bracket<'t>(inner: &'t str, out: &mut Vec<Selector>) -> Result<&'t str, String> {
    let mut names = Vec::new();
    let mut rest = inner;
    loop {
        let (first, after) = token(rest)?;
        rest = after;
        if let Some(after) = rest.strip_prefix('=') {
            let (value, after) = token(after)?;
            names.push((first, value));
            rest = after;
        } else if names.is_empty() && rest.starts_with(']') {
            let any = first == "*" && inner.starts_with('*');
            out.push(if any {
                Selector::Any
            } else {
                Selector::Bracket(first)
            });
            return Ok(&rest[1..]);
        } else {
            return Err(format!("expected = after {first}"));
        }
        match rest.as_bytes().first() {
            Some(b',') => rest = &rest[1..],
            Some(b']') => {
                out.push(Selector::Names(names));
                return Ok(&rest[1..]);
            }
            _ => return Err("a ] is missing".to_string()),
        }
    }
}

/// A text in quotes, or up to the next character that ends one.
fn token(text: &str) -> Result<(String, &str), String> {
    if text.starts_with('"') {
        let mut stream = serde_json::Deserializer::from_str(text).into_iter::<String>();
        let read = stream.next().and_then(Result::ok);
        let read = read.ok_or_else(|| format!("{text} is no text in quotes"))?;
        return Ok((read, &text[stream.byte_offset()..]));
    }
    let end = text.find([']', ',', '=']).ok_or("a ] is missing")?;
    Ok((text[..end].to_string(), &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(index: usize, names: &[(&'static str, &'static str)]) -> Step<'static> {
        let names = names.iter().map(|(k, v)| (*k, Cow::Borrowed(*v))).collect();
        Step::Item { index, names }
    }

    fn key(text: &'static str) -> Step<'static> {
        Step::Key(Cow::Borrowed(text))
    }

    #[test]
    fn paths_are_read_as_they_are_written() {
        let paths = [
            vec![
                key("backends"),
                item(3, &[("name", "a/b/route/r/rule/0/ref/1")]),
                key("auth"),
            ],
            vec![
                key("models"),
                item(0, &[("Name", "gpt-4o")]),
                key("OwnedBy"),
            ],
            vec![key("models"), item(0, &[("Name", "a]\"b\\")])],
            vec![key("models"), item(0, &[("Name", "7")])],
            vec![
                key("modelsByHost"),
                key("*.a.example.com"),
                item(0, &[("Name", "*")]),
            ],
            vec![
                key("llmRequestCosts"),
                item(2, &[("routeName", "ns/r"), ("metadataKey", "a=b")]),
                key("cel"),
            ],
            vec![key("rules"), item(4, &[])],
        ];
        for steps in paths {
            let text = text(&steps);
            let pattern = Pattern::parse(&text).unwrap();
            assert!(pattern.covers(&steps), "{text}");
        }
    }

    #[test]
    fn patterns_leave_names_out() {
        let steps = [
            key("models"),
            item(2, &[("Name", "gpt-4o")]),
            key("OwnedBy"),
        ];
        for covering in [
            "models",
            "models[*]",
            "models[2].OwnedBy",
            "models[gpt-4o]",
            "*[*].OwnedBy",
        ] {
            assert!(
                Pattern::parse(covering).unwrap().covers(&steps),
                "{covering}"
            );
        }
        for other in [
            "models[1]",
            "models[gpt-4o].Name",
            "model",
            "models[Name=gpt]",
        ] {
            assert!(!Pattern::parse(other).unwrap().covers(&steps), "{other}");
        }
        for broken in [
            "",
            "models[",
            "models[a",
            "a..b",
            "models[a=]x",
            "models[a=b,c]",
            "m[\"a]",
        ] {
            assert!(Pattern::parse(broken).is_err(), "{broken}");
        }
    }
}
