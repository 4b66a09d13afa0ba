//! The code is built as the documentation says.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Which modules a module may name. Data flows one way, so this is also the order of the flow.
const MAY_USE: &[(&str, &[&str])] = &[
    ("secret", &[]),
    ("manifest", &["secret"]),
    ("cel", &["manifest"]),
    ("failure", &["manifest"]),
    ("world", &["manifest", "secret"]),
    (
        "controllers",
        &["cel", "failure", "manifest", "secret", "world"],
    ),
    ("diff", &["controllers", "manifest", "secret", "world"]),
    ("collect", &["controllers", "manifest", "secret", "world"]),
    ("doctor", &["controllers", "manifest", "secret", "world"]),
    ("source", &["failure", "manifest", "world"]),
    (
        "present",
        &[
            "cel",
            "controllers",
            "diff",
            "doctor",
            "failure",
            "manifest",
            "secret",
            "world",
        ],
    ),
    (
        "cli",
        &[
            "cel",
            "collect",
            "controllers",
            "diff",
            "doctor",
            "failure",
            "manifest",
            "present",
            "secret",
            "source",
            "world",
        ],
    ),
];

#[test]
fn modules_depend_only_on_those_before_them() {
    let src = root().join("src");
    let mut checked = 0;
    for file in rust_files(&src) {
        let path = file.strip_prefix(&src).unwrap().with_extension("");
        let module = path.iter().next().unwrap().to_str().unwrap();
        if matches!(module, "main" | "lib") {
            continue;
        }
        let (_, allowed) = MAY_USE
            .iter()
            .find(|(name, _)| *name == module)
            .unwrap_or_else(|| panic!("{module} is missing in the table of this test"));
        let text = std::fs::read_to_string(&file).unwrap();
        for used in used_modules(&text) {
            checked += 1;
            assert!(
                used == module || allowed.contains(&used.as_str()),
                "{} uses {used}",
                file.display()
            );
        }
    }
    assert!(checked > 50, "only {checked} uses were found");
}

/// The crate's modules that a text names outside of comments: `crate::name`.
fn used_modules(text: &str) -> BTreeSet<String> {
    let code = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let text = code.collect::<Vec<_>>().join("\n");
    let names = text.split("crate::").skip(1).map(|rest| {
        rest.chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect::<String>()
    });
    names.filter(|name| !name.is_empty()).collect()
}

#[test]
fn pure_modules_do_no_io_and_read_no_clock() {
    const FORBIDDEN: &[&str] = &[
        "std::fs",
        "std::env",
        "std::net",
        "std::process",
        "std::io",
        "SystemTime",
        "Instant::now",
    ];
    let mut checked = 0;
    for module in [
        "cel",
        "collect",
        "controllers",
        "diff",
        "doctor",
        "manifest",
        "world",
    ] {
        let folder = root().join("src").join(module);
        if !folder.exists() {
            continue;
        }
        for file in rust_files(&folder) {
            checked += 1;
            let text = std::fs::read_to_string(&file).unwrap();
            let (text, _tests) = text.split_once("#[cfg(test)]").unwrap_or((&text, ""));
            for word in FORBIDDEN {
                assert!(!text.contains(word), "{} names {word}", file.display());
            }
        }
    }
    assert!(checked > 20, "only {checked} files were checked");
}

#[test]
fn every_test_file_is_compiled() {
    let tests = root().join("tests");
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    assert!(
        !manifest.contains("autotests = false"),
        "test files are found by their place"
    );
    for file in rust_files(&tests) {
        let name = file.strip_prefix(&tests).unwrap();
        let at_top = name.components().count() == 1;
        let declared = name.file_name().unwrap() == "mod.rs" || at_top || {
            let stem = name.file_stem().unwrap().to_str().unwrap();
            let parent = std::fs::read_to_string(file.with_file_name("mod.rs")).unwrap_or_default();
            parent.contains(&format!("mod {stem};"))
        };
        assert!(declared, "no test declares {}", file.display());
    }
    for folder in std::fs::read_dir(&tests)
        .unwrap()
        .map(|e| e.unwrap().path())
    {
        if !folder.is_dir() || !folder.join("mod.rs").exists() {
            continue;
        }
        let line = format!("mod {};", folder.file_name().unwrap().to_str().unwrap());
        let used = rust_files(&tests)
            .iter()
            .any(|f| std::fs::read_to_string(f).unwrap().contains(&line));
        assert!(used, "no test declares {}", folder.display());
    }
}
