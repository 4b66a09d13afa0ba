//! Files and directories.

use std::fs;
use std::path::Path;

use walkdir::{DirEntry, WalkDir};

use super::{Reader, collected};
use crate::failure::Failure;

const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// Reads a file, or every manifest of a directory and those below it, sorted by name.
///
/// # Errors
/// When the path does not exist or a file that was named cannot be read. A file met in a directory
/// that cannot be read is a finding.
pub(super) fn read(reader: &mut Reader, path: &str) -> Result<(), Failure> {
    let metadata = fs::metadata(path).map_err(|e| {
        let failure = Failure::new(format!("cannot read {path}: {e}"));
        match path.starts_with('{') || path.contains('\n') {
            true => failure.hint("SOURCE is a file, a directory or - for standard input"),
            false => failure,
        }
    })?;
    if metadata.is_dir() {
        let collected = Path::new(path).join(collected::FILE);
        if collected.is_file() {
            let name = collected.display().to_string();
            reader.collected(&name, &bytes(&name)?)?;
        }
        read_directory(reader, path);
        return Ok(());
    }
    // Also a FIFO or a device: the user named it, as in `render <(helm template .)`.
    let bytes = bytes(path)?;
    reader.named(path);
    reader.bytes(path, &bytes);
    Ok(())
}

/// The content of a file that was named.
///
/// # Errors
/// When it cannot be read.
pub fn bytes(path: &str) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|e| Failure::new(format!("cannot read {path}: {e}")))
}

fn read_directory(reader: &mut Reader, root: &str) {
    let walk = WalkDir::new(root).follow_links(true).sort_by_file_name();
    for entry in walk
        .into_iter()
        .filter_entry(|e| e.depth() == 0 || !is_hidden(e))
    {
        match entry {
            Ok(entry) => read_entry(reader, &entry),
            Err(error) => unreadable_entry(reader, &error),
        }
    }
}

fn is_hidden(entry: &DirEntry) -> bool {
    entry.file_name().to_string_lossy().starts_with('.')
}

fn read_entry(reader: &mut Reader, entry: &DirEntry) {
    let path = entry.path();
    let name = path.display().to_string();
    let is_record = entry.file_name() == collected::FILE;
    if entry.file_type().is_dir() || !is_manifest(path) || is_record {
        return;
    }
    if !entry.file_type().is_file() {
        return reader.note(&name, "not a regular file; name it to have it read");
    }
    match fs::read(path) {
        Ok(bytes) => reader.bytes(&name, &bytes),
        Err(error) => reader.unreadable_file(&name, &format!("cannot be read: {error}")),
    }
}

/// Whether a file of a directory is read.
pub(super) fn is_manifest(path: &Path) -> bool {
    let extension = path
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default();
    EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str())
}

fn unreadable_entry(reader: &mut Reader, error: &walkdir::Error) {
    let name = error
        .path()
        .map(|p| p.display().to_string())
        .unwrap_or_default();
    if error.loop_ancestor().is_some() {
        return reader.note(
            &name,
            "a symbolic link back to a directory above it; not followed",
        );
    }
    let problem = error
        .io_error()
        .map(ToString::to_string)
        .unwrap_or_default();
    reader.unreadable_file(&name, &format!("cannot be read: {problem}"));
}
