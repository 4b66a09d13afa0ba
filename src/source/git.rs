//! A revision of a Git repository, read with the `git` program.
//!
//! Only objects are read (`rev-parse`, `ls-tree`, `cat-file`): no index, no working tree, no filter, no
//! hook and no network, whatever the repository's configuration says.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::Reader;
use super::files::is_manifest;
use crate::failure::Failure;

/// How a source says that it is a revision.
pub const PREFIX: &str = "git:";

/// A revision, and where in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// Any directory of the repository.
    pub directory: PathBuf,
    /// The revision as the user wrote it.
    pub revision: String,
    /// From the top of the repository; empty for everything.
    pub path: String,
    /// A path that the revision does not have is an empty one.
    pub may_lack: bool,
}

impl Revision {
    /// Reads `git:REV[:PATH]`, of the repository that the program runs in.
    ///
    /// # Errors
    /// When there is no revision.
    pub fn parse(source: &str) -> Result<Self, Failure> {
        let rest = source.strip_prefix(PREFIX).unwrap_or(source);
        let (revision, path) = rest.split_once(':').unwrap_or((rest, ""));
        checked(revision)?;
        Ok(Revision {
            directory: PathBuf::from("."),
            revision: revision.to_string(),
            path: normal(path),
            may_lack: false,
        })
    }

    /// A path of a working tree as it was at a revision.
    ///
    /// # Errors
    /// When the path is in no working tree.
    pub fn of_path(revision: &str, path: &str) -> Result<Self, Failure> {
        checked(revision)?;
        let absolute = std::path::absolute(path)
            .map_err(|e| Failure::new(format!("cannot tell where {path} is: {e}")))?;
        let absolute = lexical(&absolute);
        let directory = absolute
            .ancestors()
            .find(|a| a.is_dir())
            .unwrap_or(Path::new("."));
        let below = absolute.strip_prefix(directory).unwrap_or(Path::new(""));
        // Git says where the directory is, so that links above it do not matter.
        let prefix = text(run(directory, &["rev-parse", "--show-prefix"])?);
        let path = Path::new(prefix.trim_end_matches('\n')).join(below);
        Ok(Revision {
            directory: directory.to_path_buf(),
            revision: revision.to_string(),
            path: normal(&path.to_string_lossy()),
            may_lack: true,
        })
    }

    fn name(&self, path: &str) -> String {
        format!("{PREFIX}{}:{path}", self.revision)
    }
}

/// A revision is no option, and names a commit or tree only.
fn checked(revision: &str) -> Result<(), Failure> {
    let problem = match revision {
        "" => "the revision is missing",
        r if r.starts_with('-') => "a revision does not start with -",
        r if r.contains(|c: char| c.is_control()) => "a revision has no control characters",
        _ => return Ok(()),
    };
    Err(Failure::new(format!("git:{revision}: {problem}"))
        .hint("give it as git:REV or git:REV:PATH"))
}

/// Without `.` and with `..` taken back, as far as the text alone can tell.
fn lexical(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(clean.pop()),
            other => clean.push(other),
        }
    }
    clean
}

fn normal(path: &str) -> String {
    lexical(Path::new(path))
        .to_string_lossy()
        .trim_matches('/')
        .to_string()
}

/// Git without anything that could run another program or reach out.
fn git(directory: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(directory)
        .args(["--no-pager", "--no-replace-objects", "--literal-pathspecs"])
        .args([
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.hooksPath=/dev/null",
        ])
        .args(["-c", "protocol.allow=never"])
        .env("GIT_ALLOW_PROTOCOL", "none")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C");
    command
}

fn run(directory: &Path, arguments: &[&str]) -> Result<Vec<u8>, Failure> {
    let output = git(directory)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(cannot_start)?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(failed(&output.stderr)),
    }
}

fn cannot_start(error: std::io::Error) -> Failure {
    Failure::new(format!("cannot run git: {error}")).hint("git: sources need the git program")
}

fn failed(stderr: &[u8]) -> Failure {
    let text = String::from_utf8_lossy(stderr);
    let first = text.lines().next().unwrap_or("it gave no reason");
    Failure::new(format!("git: {}", first.trim_start_matches("fatal: ")))
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

/// One file of a tree.
struct Entry {
    path: String,
    is_link: bool,
    object: String,
}

/// Reads the manifests at a revision, by path.
///
/// # Errors
/// When there is no such revision or path, or git cannot be run. What cannot be read of a directory
/// is a finding.
pub(super) fn read(reader: &mut Reader, source: &Revision) -> Result<(), Failure> {
    let tree = format!("{}^{{tree}}", source.revision);
    let tree = run(
        &source.directory,
        &[
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &tree,
        ],
    );
    let tree = tree.map_err(|failure| match failure.message.contains("no reason") {
        true => Failure::new(format!("git has no revision {}", source.revision)),
        false => failure,
    })?;
    let tree = text(tree);
    let (entries, others) = list(&source.directory, tree.trim())?;
    let inside = |path: &str| {
        let below = path.strip_prefix(source.path.as_str());
        source.path.is_empty() || below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let named = |path: &str| path == source.path;
    let entries: Vec<Entry> = entries.into_iter().filter(|e| inside(&e.path)).collect();
    if entries.is_empty() && !others.iter().any(|path| inside(path)) && !source.path.is_empty() {
        let (revision, path) = (&source.revision, &source.path);
        if source.may_lack {
            reader.note(&source.name(path), "the revision does not have it");
            return Ok(());
        }
        return Err(Failure::new(format!("revision {revision} has no {path}"))
            .hint("paths are those from the top of the repository"));
    }
    let wanted = entries.into_iter().filter(|e| {
        named(&e.path) || (is_manifest(Path::new(&e.path)) && !is_hidden(source, &e.path))
    });
    let wanted: Vec<Entry> = wanted.collect();
    contents(source, tree.trim(), &wanted, &mut |entry, content| {
        let name = source.name(&entry.path);
        match content {
            Some(bytes) => {
                if named(&entry.path) {
                    reader.named(&name);
                }
                reader.bytes(&name, &bytes);
            }
            None => reader.note(
                &name,
                "a symbolic link that leads to no file of the revision",
            ),
        }
    })
}

/// Hidden below the path that was named, as in a directory.
fn is_hidden(source: &Revision, path: &str) -> bool {
    let below = path.strip_prefix(source.path.as_str()).unwrap_or(path);
    below.split('/').any(|part| part.starts_with('.'))
}

/// The files of a tree, and the paths of what is none (submodules).
fn list(directory: &Path, tree: &str) -> Result<(Vec<Entry>, Vec<String>), Failure> {
    let listing = run(directory, &["ls-tree", "-r", "-z", "--full-tree", tree])?;
    let (mut entries, mut others) = (Vec::new(), Vec::new());
    for line in listing.split(|&b| b == 0) {
        let line = String::from_utf8_lossy(line);
        let Some((meta, path)) = line.split_once('\t') else {
            continue;
        };
        let mut meta = meta.split(' ');
        let (mode, kind, object) = (meta.next(), meta.next(), meta.next());
        match (mode, kind, object) {
            (Some(mode), Some("blob"), Some(object)) => entries.push(Entry {
                path: path.to_string(),
                is_link: mode == "120000",
                object: object.to_string(),
            }),
            _ => others.push(path.to_string()),
        }
    }
    Ok((entries, others))
}

/// Gives the content of every entry, in order; `None` for a link that leads nowhere.
fn contents(
    source: &Revision,
    tree: &str,
    entries: &[Entry],
    each: &mut dyn FnMut(&Entry, Option<Vec<u8>>),
) -> Result<(), Failure> {
    let mut child = git(&source.directory)
        .args(["cat-file", "--batch", "--follow-symlinks"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(cannot_start)?;
    let asked: Vec<Option<String>> = entries.iter().map(|e| request(tree, e)).collect();
    let lines: String = asked
        .iter()
        .flatten()
        .map(|line| format!("{line}\n"))
        .collect();
    let mut stdin = child.stdin.take().expect("it was asked for");
    // Written beside the reading: git answers while it is asked.
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let mut answers = BufReader::new(child.stdout.take().expect("it was asked for"));
    for (entry, asked) in entries.iter().zip(&asked) {
        let content = match asked {
            Some(_) => answer(&mut answers, &mut child)?,
            None => None,
        };
        each(entry, content);
    }
    drop(writer.join());
    drop(child.wait());
    Ok(())
}

/// What is asked of git: an object, or for a link what its path leads to.
fn request(tree: &str, entry: &Entry) -> Option<String> {
    match entry.is_link {
        false => Some(entry.object.clone()),
        true if entry.path.contains('\n') => None,
        true => Some(format!("{tree}:{}", entry.path)),
    }
}

/// One answer of `cat-file --batch`: a line with name, kind and size, then the content. For a link
/// that leads nowhere the line has a word and a size, and a text that says where it would lead.
fn answer(from: &mut impl BufRead, child: &mut Child) -> Result<Option<Vec<u8>>, Failure> {
    let broken = |child: &mut Child| {
        let mut text = Vec::new();
        if let Some(stderr) = &mut child.stderr {
            drop(stderr.read_to_end(&mut text));
        }
        failed(&text)
    };
    let mut line = String::new();
    match from.read_line(&mut line) {
        Ok(n) if n > 0 => {}
        _ => return Err(broken(child)),
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let (size, is_blob) = match words[..] {
        [.., "missing" | "ambiguous"] => return Ok(None),
        ["symlink" | "dangling" | "loop" | "notdir", size] => (size, false),
        [_, kind, size] => (size, kind == "blob"),
        _ => return Err(Failure::new("git gave an answer that cannot be read")),
    };
    let size: usize = size
        .parse()
        .map_err(|_| Failure::new("git gave an answer that cannot be read"))?;
    let mut content = vec![0; size + 1];
    from.read_exact(&mut content).map_err(|_| broken(child))?;
    content.pop();
    Ok(is_blob.then_some(content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_is_no_option() {
        for bad in [
            "git:",
            "git:--output=x",
            "git:-x:path",
            "git::path",
            "git:a\nb",
        ] {
            assert!(Revision::parse(bad).is_err(), "{bad}");
        }
        let parsed = Revision::parse("git:HEAD~1:deploy/../k8s/./a.yaml").unwrap();
        assert_eq!(
            (parsed.revision.as_str(), parsed.path.as_str()),
            ("HEAD~1", "k8s/a.yaml")
        );
        assert_eq!(Revision::parse("git:v1").unwrap().path, "");
    }
}
