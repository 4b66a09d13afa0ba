//! The pages of the probes are their doc comments. `AIGWCTL_BLESS=1` writes them anew.

use std::collections::BTreeMap;
use std::path::Path;

use aigwctl::doctor::registry::PROBES;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The doc comment of every function, by name.
fn comments() -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(root().join("src/doctor/probes")).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let mut comment = String::new();
        for line in text.lines() {
            if let Some(words) = line.strip_prefix("///") {
                comment.push_str(words.strip_prefix(' ').unwrap_or(words));
                comment.push('\n');
            } else if let Some(rest) = line.strip_prefix("pub(in crate::doctor) fn ") {
                let name = rest.split('(').next().unwrap();
                all.insert(name.to_string(), std::mem::take(&mut comment));
            } else {
                comment.clear();
            }
        }
    }
    all
}

#[test]
fn every_probe_has_its_page_and_every_page_its_probe() {
    let comments = comments();
    let folder = root().join("docs/doctor");
    let mut pages = BTreeMap::new();
    let mut index =
        "# Probes of `aigwctl doctor`\n\nIn the order in which things break.\n\n".to_string();
    for probe in PROBES {
        let comment = comments.get(&probe.id.replace('-', "_"));
        let comment = comment.unwrap_or_else(|| panic!("{} has no doc comment", probe.id));
        let first = comment.lines().next().unwrap();
        let kinds: Vec<&str> = probe.reads.iter().map(|kind| kind.name()).collect();
        let kinds = match kinds.is_empty() {
            true => "nothing in particular".to_string(),
            false => kinds.join(", "),
        };
        let page = format!(
            "# {}\n\n{comment}\nIt looks at: {kinds}. Without one of them it says that it could not tell.\n\n\
             `--skip {}` leaves it out.\n",
            probe.id, probe.id
        );
        index.push_str(&format!("* [{}]({}.md): {first}\n", probe.id, probe.id));
        pages.insert(format!("{}.md", probe.id), page);
    }
    pages.insert("README.md".to_string(), index);
    if std::env::var_os("AIGWCTL_BLESS").is_some() {
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        for (name, page) in &pages {
            std::fs::write(folder.join(name), page).unwrap();
        }
    }
    let found = std::fs::read_dir(&folder).unwrap().map(|e| {
        let path = e.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        (name, std::fs::read_to_string(&path).unwrap())
    });
    let found: BTreeMap<String, String> = found.collect();
    assert!(
        found == pages,
        "docs/doctor is stale: run with AIGWCTL_BLESS=1"
    );
}

#[test]
fn ids_are_unique() {
    let mut ids: Vec<&str> = PROBES.iter().map(|probe| probe.id).collect();
    ids.sort_unstable();
    let count = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), count);
}
