//! Bad input ends in a clear message and the right exit code, never in a panic or a hang.

mod support;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const GATEWAY: &str = "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata:\n  \
                       name: gw\n  namespace: edge\nspec:\n  gatewayClassName: eg\n";

/// A file, what its message says, and the exit code.
struct Case {
    name: &'static str,
    bytes: Vec<u8>,
    says: &'static str,
    code: i32,
    /// The Gateway in a document of its own is still answered for.
    neighbour: bool,
}

fn case(name: &'static str, bytes: impl Into<Vec<u8>>, says: &'static str, code: i32) -> Case {
    Case {
        name,
        bytes: bytes.into(),
        says,
        code,
        neighbour: false,
    }
}

/// A bad document between good ones.
fn amid(name: &'static str, bad: &str, says: &'static str, code: i32) -> Case {
    let bytes = format!(
        "{GATEWAY}---\n{bad}\n---\n{}",
        GATEWAY.replace("name: gw", "name: gw2")
    );
    Case {
        neighbour: true,
        ..case(name, bytes, says, code)
    }
}

fn utf16(text: &str) -> Vec<u8> {
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    units.flat_map(u16::to_be_bytes).collect()
}

fn cases() -> Vec<Case> {
    let bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_string()
        + &(0..12)
            .map(|i| {
                let (from, to) = ((b'a' + i) as char, (b'b' + i) as char);
                format!(
                    "{to}: &{to} [*{from}, *{from}, *{from}, *{from}, *{from}, *{from}, *{from}]\n"
                )
            })
            .collect::<String>();
    let bomb: &'static str = Box::leak(bomb.into_boxed_str());
    let deep_flow = format!("kind: {}1{}", "[".repeat(10_000), "]".repeat(10_000));
    let deep_block: String = (0..2_000)
        .map(|i| format!("{}a:\n", " ".repeat(i)))
        .collect();
    let long = format!("{GATEWAY}  note: {}\n", "x".repeat(17 << 20));
    vec![
        amid("alias bomb", bomb, "alias", 3),
        amid("10 000 nested lists", &deep_flow, "nest", 3),
        amid("2 000 nested mappings", &deep_block, "nest", 3),
        case("a scalar of 17 MB", long, "object", 3),
        amid("a tab as indentation", "kind: X\nspec:\n\ta: 1", "tab", 3),
        case("a byte order mark", format!("\u{feff}{GATEWAY}"), "", 0),
        case("CRLF line ends", GATEWAY.replace('\n', "\r\n"), "", 0),
        case("UTF-16", utf16(GATEWAY), "", 0),
        case(
            "invalid UTF-8",
            [GATEWAY.as_bytes(), b"  a: \xff\xfe\n"].concat(),
            "UTF-8",
            3,
        ),
        case(
            "a truncated stream",
            format!("{GATEWAY}  note: \"cut o"),
            "",
            3,
        ),
        case(
            "a binary file",
            b"\x7fELF\x02\x01\x01\0\0\0\0\0".as_slice(),
            "",
            3,
        ),
        case("an empty file", "", "", 0),
        case("only comments", "# nothing\n---\n# here\n", "", 0),
        amid("an unclosed quote", "kind: \"X\na: b", "", 3),
        amid("an unknown alias", "kind: *nowhere", "", 3),
        amid(
            "a Helm template",
            "kind: {{ .Values.kind }}\n",
            "render it first",
            3,
        ),
        amid("a plain scalar", "just text", "", 0),
        amid("a list of nothing known", "- a\n- b", "", 0),
        case(
            "a bad separator",
            format!("{GATEWAY}--- |\n{GATEWAY}"),
            "",
            3,
        ),
        case(
            "truncated JSON",
            "{\"kind\": \"Gateway\", \"metadata\": {",
            "",
            3,
        ),
        case(
            "an object without a name",
            GATEWAY.replace("  name: gw\n", ""),
            "metadata.name",
            0,
        ),
        case(
            "a name that is a number",
            GATEWAY.replace("name: gw", "name: 7"),
            "metadata.name",
            0,
        ),
        case(
            "a version that does not exist",
            "apiVersion: aigateway.envoyproxy.io/v1beta1\nkind: QuotaPolicy\nmetadata: {name: q}\n",
            "v1alpha1",
            0,
        ),
        case(
            "a control character",
            [GATEWAY.as_bytes(), b"  a: \x07\n"].concat(),
            "control",
            3,
        ),
        case(
            "terminal escapes in a name",
            GATEWAY.replace("name: gw", "name: \"\\e[31mgw\""),
            "\\u{1b}",
            0,
        ),
        amid(
            "100 000 anchors",
            &format!("kind: X\na: [{}]", "&a 1, ".repeat(100_000)),
            "",
            0,
        ),
    ]
}

#[test]
fn every_bad_file_ends_in_a_message_and_an_exit_code() {
    let folder = TempDir::new().unwrap();
    let cases = cases();
    assert!(cases.len() >= 25, "{} cases", cases.len());
    support::each(&cases, |case| {
        let path = folder
            .path()
            .join(format!("{}.yaml", case.name.replace([' ', '/'], "-")));
        fs::write(&path, &case.bytes).unwrap();
        let output = support::aigwctl([Path::new("render"), &path]);
        let text = said(&output);
        assert!(!text.contains("panicked"), "{}: {text}", case.name);
        assert!(
            !text.contains('\u{1b}'),
            "{}: drives the terminal",
            case.name
        );
        assert_eq!(
            output.status.code(),
            Some(case.code),
            "{}: {text}",
            case.name
        );
        assert!(text.contains(case.says), "{}: says {text}", case.name);
        if case.code == 3 {
            assert!(
                text.contains("AIGW001") && text.contains(".yaml"),
                "{}: {text}",
                case.name
            );
        }
        if case.neighbour {
            let both = text.contains("edge/gw\n") || text.contains("edge/gw ");
            assert!(
                both && text.contains("edge/gw2"),
                "{}: hides others: {text}",
                case.name
            );
        }
    });
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

fn render(path: &Path) -> (Option<i32>, String) {
    let output = support::aigwctl([Path::new("render"), path]);
    (output.status.code(), said(&output))
}

#[test]
fn what_is_not_there_is_a_failure() {
    let (code, text) = render(Path::new("no/such/place.yaml"));
    assert_eq!(code, Some(2));
    assert!(text.contains("no/such/place.yaml"), "{text}");
}

#[test]
#[cfg(unix)]
fn a_directory_is_read_in_order_and_without_what_cannot_be_read() {
    use std::os::unix::fs::symlink;
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("sub")).unwrap();
    fs::create_dir(at(".hidden")).unwrap();
    fs::write(at("b.yaml"), GATEWAY).unwrap();
    fs::write(at("a.yml"), GATEWAY).unwrap();
    fs::write(at("sub/c.json"), "{\"replicas\": 1}").unwrap();
    fs::write(at("sub/notes.txt"), "not: read").unwrap();
    fs::write(at(".hidden/x.yaml"), "a: [").unwrap();
    symlink(folder.path(), at("sub/loop")).unwrap();
    // Reading this file fails although it can be opened.
    symlink("/proc/self/mem", at("unreadable.yaml")).unwrap();
    let fifo = Command::new("mkfifo")
        .arg(at("pipe.yaml"))
        .status()
        .unwrap();
    assert!(fifo.success());
    let (code, text) = render(folder.path());
    assert!(text.contains("unreadable.yaml"), "{text}");
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("is defined 2 times"), "{text}");
    let output = support::aigwctl([Path::new("render"), folder.path(), Path::new("-v")]);
    let text = said(&output);
    assert!(
        text.contains("pipe.yaml") && text.contains("sub/loop"),
        "{text}"
    );
    let (last, earlier) = (
        text.find("b.yaml:1:1: warning").unwrap(),
        text.find("a.yml:1:1").unwrap(),
    );
    assert!(last < earlier, "the last in reading order wins: {text}");
}

#[test]
#[cfg(unix)]
fn a_fifo_that_is_named_is_read() {
    let folder = TempDir::new().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::write(pipe, GATEWAY).unwrap()
    });
    let (code, text) = render(&pipe);
    writer.join().unwrap();
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("Gateway edge/gw"), "{text}");
}

#[test]
fn standard_input_is_read() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_aigwctl"))
        .args(["render", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(GATEWAY.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(said(&output).contains("Gateway edge/gw"));
}

#[test]
fn a_file_that_holds_no_object_is_a_warning_when_it_is_named() {
    let folder = TempDir::new().unwrap();
    let values = folder.path().join("values.yaml");
    fs::write(&values, "replicas: 1\n").unwrap();
    let (code, text) = render(&values);
    assert_eq!(code, Some(0));
    assert!(text.contains("not-an-object"), "{text}");
    let (_, text) = render(folder.path());
    assert!(!text.contains("not-an-object"), "{text}");
    assert!(text.contains("1 documents that are no objects"), "{text}");
}

#[test]
fn flags_that_mean_nothing_are_failures() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/quickstart");
    let file = file.display().to_string();
    for (flags, says) in [
        (vec!["--controller-version=v9.9.9"], "known are"),
        (vec!["--kubernetes-version=latest"], "1.33"),
        (vec!["--controller-flag=noSuchFlag=1"], "noSuchFlag"),
        (
            vec!["--controller-flag=extProcLogLevel=loud"],
            "extProcLogLevel",
        ),
        (vec!["--gateway=edge/none"], "edge/gw"),
        (vec!["--gateway=edge"], "NAMESPACE/NAME"),
        (vec!["--output=xml"], "table"),
        (vec!["--values=no/such/file"], "no/such/file"),
        (vec!["--missing-secrets=maybe"], "placeholder"),
        (vec!["--no-such-flag"], "--no-such-flag"),
    ] {
        let mut args = vec!["render", file.as_str()];
        args.extend(flags.iter().copied());
        let output = support::aigwctl(&args);
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
        assert!(said(&output).contains(says), "{flags:?}: {}", said(&output));
    }
}

#[test]
fn findings_reach_the_exit_code_from_their_level_on() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/quickstart");
    let code = |more: &[&str]| {
        let file = file.display().to_string();
        let mut args = vec!["render", file.as_str()];
        args.extend(more);
        support::aigwctl(&args).status.code()
    };
    assert_eq!(code(&[]), Some(0), "assumptions are infos");
    assert_eq!(code(&["--fail-on=info"]), Some(1));
    assert_eq!(code(&["--missing-secrets=fail"]), Some(1));
    assert_eq!(
        code(&["--missing-secrets=skip"]),
        Some(0),
        "a skip is a warning"
    );
    assert_eq!(
        code(&["--missing-secrets=skip", "--fail-on=warning"]),
        Some(1)
    );
}
