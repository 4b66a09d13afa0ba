//! Where an answer is written.

use std::fs;
use std::io::{self, Write};

use crate::failure::Failure;

/// Writes a text to a file, or to standard output where there is no path.
///
/// # Errors
/// When the file cannot be written. A reader of standard output that has gone away is no error.
pub fn write(path: Option<&str>, text: &[u8]) -> Result<(), Failure> {
    let Some(path) = path else {
        let mut out = io::stdout().lock();
        let written = out.write_all(text).and_then(|()| out.flush());
        return match written {
            Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(format!(
                "cannot write to standard output: {e}"
            ))),
            _ => Ok(()),
        };
    };
    fs::write(path, text).map_err(|e| Failure::new(format!("cannot write {path}: {e}")))
}
