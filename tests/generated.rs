//! The files that are made from the command line are up to date. `AIGWCTL_BLESS=1` writes them anew.
#![cfg(feature = "cluster")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aigwctl::cli::generated::{completion_script, manual, reference};
use clap_complete::Shell;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files_of(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn check(folder: &str, expected: &BTreeMap<String, String>) {
    let folder = root().join(folder);
    if std::env::var_os("AIGWCTL_BLESS").is_some() {
        std::fs::create_dir_all(&folder).unwrap();
        for (name, text) in expected {
            std::fs::write(folder.join(name), text).unwrap();
        }
    }
    for (name, text) in expected {
        let path = folder.join(name);
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == *text,
            "{} is old; AIGWCTL_BLESS=1 writes it",
            path.display()
        );
    }
}

#[test]
fn completions() {
    let script = |(shell, name): (Shell, &str)| (name.to_string(), completion_script(shell));
    let shells = [
        (Shell::Bash, "aigwctl.bash"),
        (Shell::Elvish, "aigwctl.elv"),
        (Shell::Fish, "aigwctl.fish"),
        (Shell::PowerShell, "_aigwctl.ps1"),
        (Shell::Zsh, "_aigwctl"),
    ];
    let expected: BTreeMap<_, _> = shells.map(script).into();
    check("completions", &expected);
    assert_eq!(files_of(&root().join("completions")).len(), expected.len());
}

#[test]
fn manual_pages() {
    let pages = manual().into_iter();
    let expected: BTreeMap<_, _> = pages
        .map(|(name, text)| (format!("{name}.1"), text))
        .collect();
    check("docs/man", &expected);
    assert_eq!(files_of(&root().join("docs/man")).len(), expected.len());
}

#[test]
fn the_reference() {
    check("docs", &[("cli.md".to_string(), reference())].into());
}
