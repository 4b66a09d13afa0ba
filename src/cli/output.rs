//! `-o FORMAT[=PATH]`.

use std::str::FromStr;

use clap::ValueEnum;

/// A format and where it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output<F> {
    /// The format.
    pub format: F,
    /// The file; standard output when there is none.
    pub path: Option<String>,
}

impl<F: ValueEnum> FromStr for Output<F> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, path) = match text.split_once('=') {
            Some((_, "")) => return Err("the path after = is empty".to_string()),
            Some((name, path)) => (name, Some(path.to_string())),
            None => (text, None),
        };
        let format = F::from_str(name, false).map_err(|_| {
            let known = F::value_variants().iter();
            let known =
                known.filter_map(|format| Some(format.to_possible_value()?.get_name().to_string()));
            format!("{name} is none of {}", known.collect::<Vec<_>>().join(", "))
        })?;
        Ok(Output { format, path })
    }
}
