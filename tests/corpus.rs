//! Manifests that other people wrote: no panic, every unreadable document reported.

mod support;

use std::path::{Path, PathBuf};

fn manifests(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            manifests(&path, found);
        } else if path
            .extension()
            .is_some_and(|e| ["yaml", "yml", "json"].map(Some).contains(&e.to_str()))
        {
            found.push(path);
        }
    }
}

#[test]
fn the_corpus_renders() {
    let Some(folder) = std::env::var_os("AIGWCTL_CORPUS") else {
        println!("skipped: AIGWCTL_CORPUS names no folder of manifests");
        return;
    };
    let mut files = Vec::new();
    manifests(Path::new(&folder), &mut files);
    assert!(!files.is_empty(), "there are no manifests");
    let codes = support::each(&files, |file| {
        let output = support::aigwctl(
            ["render", "-o", "json", "-o", "table"]
                .map(Into::into)
                .into_iter()
                .chain([file.clone().into_os_string()]),
        );
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(!text.contains("panicked"), "{}: {text}", file.display());
        assert!(
            !text.contains("CANARY-"),
            "{}: shows a credential",
            file.display()
        );
        let code = output.status.code().unwrap_or(-1);
        assert!((0..=3).contains(&code), "{}: exit {code}", file.display());
        if code == 3 {
            let said = ["AIGW001", "unknown-version"]
                .iter()
                .any(|code| text.contains(code));
            assert!(said, "{}: what is incomplete is not said", file.display());
        }
        code
    });
    let count = |code| codes.iter().filter(|c| **c == code).count();
    println!(
        "{} files: {} clean, {} with errors, {} unusable, {} with unreadable documents",
        files.len(),
        count(0),
        count(1),
        count(2),
        count(3)
    );
}
