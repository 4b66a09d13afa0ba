//! Input that was made to hurt, or that is no manifest at all. Each ends in a value or in a clear
//! error, in time and memory that grow with the input.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use aigwctl::manifest::{Document, Limits, ReadError, read};

type Answers = Vec<Result<Document, ReadError>>;

fn read_bytes(bytes: &[u8]) -> Answers {
    read("hostile.yaml".into(), bytes, &Limits::default())
}

/// Reads, and fails if it takes what only more than linear time explains, even in a slow build on a
/// busy machine.
fn read_in_time(bytes: &[u8]) -> Answers {
    let start = Instant::now();
    let answers = read_bytes(bytes);
    let elapsed = start.elapsed();
    assert!(
        elapsed < Duration::from_secs(60),
        "{elapsed:?} for {} bytes",
        bytes.len()
    );
    answers
}

/// The message of the only answer, which must be an error with a position.
fn error(bytes: &[u8]) -> String {
    let mut answers = read_in_time(bytes);
    assert_eq!(answers.len(), 1, "{answers:?}");
    let error = answers.remove(0).expect_err("this must not be readable");
    assert!(error.pos.is_some(), "{error}");
    error.to_string()
}

/// The only answer, which must be a document.
fn document(bytes: &[u8]) -> Document {
    let mut answers = read_in_time(bytes);
    assert_eq!(answers.len(), 1, "{answers:?}");
    answers.remove(0).expect("this must be readable")
}

fn assert_says(message: &str, what: &str) {
    assert!(message.contains(what), "{message:?} does not say {what:?}");
}

#[test]
fn alias_bomb() {
    let mut bomb = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
    for level in 1..10 {
        let aliases = vec![format!("*a{}", level - 1); 9].join(", ");
        let _ = writeln!(bomb, "a{level}: &a{level} [{aliases}]");
    }
    assert_says(&error(bomb.as_bytes()), "aliases");
}

#[test]
fn many_aliases_of_one_large_value() {
    let mut text = format!("a: &a [{}]\nb:\n", vec!["x"; 20_000].join(","));
    for _ in 0..2_000 {
        text.push_str("- *a\n");
    }
    assert_says(&error(text.as_bytes()), "aliases");
}

#[test]
fn nested_anchors_that_are_all_used() {
    let mut text = String::new();
    for level in 0..900 {
        let _ = write!(text, "&a{level} [");
    }
    text.push_str(&vec!["x"; 200_000].join(","));
    text.push_str(&"]".repeat(900));
    let aliases: Vec<_> = (0..900).map(|level| format!("*a{level}")).collect();
    let text = format!("[{text}, {}]", aliases.join(", "));
    assert_says(&error(text.as_bytes()), "aliases");
}

#[test]
fn merge_bomb() {
    let mut text = "m0: &m0 {a: 1}\n".to_owned();
    for level in 1..30 {
        let _ = writeln!(
            text,
            "m{level}: &m{level} {{<<: [*m{0}, *m{0}], k{level}: 1}}",
            level - 1
        );
    }
    read_in_time(text.as_bytes());
}

#[test]
fn deep_nesting() {
    for (name, text) in [
        ("flow lists", "[".repeat(100_000)),
        (
            "closed flow lists",
            "[".repeat(10_000) + &"]".repeat(10_000),
        ),
        ("flow mappings", "{a: ".repeat(10_000)),
        ("JSON", "{\"a\":".repeat(10_000) + "1" + &"}".repeat(10_000)),
        ("JSON lists", "{\"a\":".to_owned() + &"[".repeat(100_000)),
        ("block lists", "- ".repeat(20_000)),
        ("block keys", "? ".repeat(20_000)),
    ] {
        let message = error(text.as_bytes());
        assert!(message.contains("nested too deeply"), "{name}: {message}");
    }
    let mut text = String::new();
    for level in 0..10_000 {
        let _ = writeln!(text, "{:level$}a:", "");
        if text.len() > 4_000_000 {
            break;
        }
    }
    assert_says(&error(text.as_bytes()), "nested too deeply");
}

#[test]
fn nesting_up_to_the_limit() {
    for text in [
        "[".repeat(1000) + &"]".repeat(1000),
        "{\"a\":".repeat(1000) + "1" + &"}".repeat(1000),
    ] {
        let document = document(text.as_bytes());
        let copy = document.clone();
        assert_eq!(copy, document);
        drop(document.root.to_json());
    }
}

#[test]
fn nesting_by_aliases() {
    let mut text = format!("a0: &a0 {}1{}\n", "[".repeat(600), "]".repeat(600));
    let _ = writeln!(text, "b: {}*a0{}", "[".repeat(600), "]".repeat(600));
    assert_says(&error(text.as_bytes()), "nested too deeply");
}

#[test]
fn very_long_scalars() {
    let long = "x".repeat(17 << 20);
    for text in [
        format!("a: {long}\n"),
        format!("a: \"{long}\"\n"),
        format!("a: |\n  {long}\n"),
    ] {
        assert_says(&error(text.as_bytes()), "larger than");
        let limits = Limits {
            object_bytes: 32 << 20,
            ..Limits::default()
        };
        let answers = read("long.yaml".into(), text.as_bytes(), &limits);
        let root = &answers[0].as_ref().expect("within the limit").root;
        assert!(
            root.get("a")
                .and_then(|node| node.as_str())
                .is_some_and(|s| s.len() >= 17 << 20)
        );
    }
    // Many short lines, in a scalar that folds.
    let text = format!("a: >\n{}", "  x y\n".repeat(1_000_000));
    document(text.as_bytes());
    let text = format!("a: x\n{}", "\n  y".repeat(1_000_000));
    document(text.as_bytes());
}

#[test]
fn many_keys() {
    let mut text = String::new();
    for key in 0..300_000 {
        let _ = writeln!(text, "key-{key}: v");
    }
    assert_eq!(
        document(text.as_bytes()).root.as_map().map(|map| map.len()),
        Some(300_000)
    );
    let flow = format!("{{{}}}", text.replace('\n', ","));
    assert_eq!(
        document(flow.as_bytes()).root.as_map().map(|map| map.len()),
        Some(300_000)
    );
    let same = "a: 1\n".repeat(300_000);
    assert_eq!(document(same.as_bytes()).duplicates.len(), 299_999);
}

#[test]
fn many_anchors() {
    let mut text = String::new();
    for anchor in 0..100_000 {
        let _ = writeln!(text, "- &a{anchor} x\n- *a{anchor}");
    }
    assert_eq!(
        document(text.as_bytes()).root.as_list().map(<[_]>::len),
        Some(200_000)
    );
}

#[test]
fn many_items_and_documents() {
    let text = format!("a: [{}]\n", "x, ".repeat(500_000));
    document(text.as_bytes());
    let text = "a: 1\n---\n".repeat(100_000);
    assert_eq!(read_in_time(text.as_bytes()).len(), 100_000);
    let text = "---\n".repeat(500_000);
    assert!(read_in_time(text.as_bytes()).is_empty());
    let text = "{\"a\":1}".repeat(100_000);
    assert_eq!(read_in_time(text.as_bytes()).len(), 100_000);
    let text = format!("kind: List\nitems:\n{}", "- kind: A\n".repeat(100_000));
    assert_eq!(read_in_time(text.as_bytes()).len(), 100_000);
    let text = "a: [\n---\n".repeat(50_000);
    assert!(read_in_time(text.as_bytes()).iter().all(Result::is_err));
    let text = "--- x\n".repeat(100_000);
    assert!(read_in_time(text.as_bytes()).iter().all(Result::is_err));
}

#[test]
fn long_lines_of_indicators() {
    for piece in [
        "- ", "? ", ": ", "[", "]", "{", "}", ",", "&a ", "*a ", "!t ", "\"", "'", "| ", "# ", "%",
        "-", "\t",
    ] {
        read_in_time(piece.repeat(50_000).as_bytes());
        read_in_time(format!("{piece}\n").repeat(50_000).as_bytes());
        read_in_time(format!("a: [{}", piece.repeat(50_000)).as_bytes());
    }
}

#[test]
fn a_list_of_objects_that_are_lists() {
    let depth = 300;
    let text = format!(
        "{}{{\"kind\":\"A\"}}{}",
        "{\"kind\":\"List\",\"items\":[".repeat(depth),
        "]}".repeat(depth)
    );
    assert_eq!(
        document(text.as_bytes()).root.to_json(),
        serde_json::json!({"kind": "A"})
    );
}

#[test]
fn tabs() {
    assert_says(&error(b"a:\n\tb: c\n"), "tab");
    assert_says(&error(b"a:\n  b: c\n\td: e\n"), "tab");
    assert_says(&error(b"a: |\n\tx\n"), "tab");
    // Between brackets they are harmless.
    let root = document(b"{\n\t\"a\": {\n\t},\n}").root;
    assert_eq!(root.to_json(), serde_json::json!({"a": {}}));
}

#[test]
fn line_ends_and_byte_order_marks() {
    let expected = serde_json::json!({"a": "x\ny\n", "b": [1]});
    for text in [
        "a: |\n  x\n  y\nb:\n- 1\n",
        "a: |\r\n  x\r\n  y\r\nb:\r\n- 1\r\n",
        "\u{FEFF}a: |\n  x\n  y\nb:\n- 1",
    ] {
        assert_eq!(document(text.as_bytes()).root.to_json(), expected);
    }
    // As some tools leave it.
    assert_eq!(
        document(b"a: |\r\r\n  x\r\r\n  y\r\r\nb: [1]\r\r\n")
            .root
            .to_json(),
        expected
    );
}

#[test]
fn utf16() {
    let units = || "\u{FEFF}a: b\n".encode_utf16();
    let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
    assert_eq!(document(&big).root.to_json(), serde_json::json!({"a": "b"}));
    let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
    assert_says(&error(&little), "save the file as UTF-8");
    // Without the mark nothing tells what it is.
    assert_says(&error(&little[2..]), "NUL");
    assert_says(&error(&[0xFE, 0xFF, 0xDC, 0x00]), "UTF-16");
}

#[test]
fn bytes_that_are_no_text() {
    assert_says(
        &error(b"a: 1\nb: \xff\n"),
        "hostile.yaml:2:4: this byte is not UTF-8",
    );
    assert_says(&error(b"a: caf\xe9\n"), "save the file as UTF-8");
    assert_says(&error(b"\x7fELF\x02\x01\x01\0\0\0"), "control character");
    assert_says(&error(b"\x1f\x8b\x08\0\0\0\0\0"), "control character");
    assert_says(&error(b"\0\0\0\0"), "NUL");
    assert_says(&error("a: \u{FFFE}\n".as_bytes()), "control character");
    let mut noise = 12345u32;
    let bytes: Vec<u8> = std::iter::repeat_with(|| {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (noise >> 24) as u8
    })
    .take(1 << 20)
    .collect();
    assert!(read_in_time(&bytes).iter().all(Result::is_err));
}

#[test]
fn truncated_input() {
    let yaml = "a: &x {b: [\"c\\u0041\", 'd']}\ne: |+2\n    f\n? g\n: *x\nh: !!str \"\\x41\"\n---\n{\"i\": [1, \"\\ud83d\\ude00\"]}\n";
    let json = "{\"a\": [1, -2.5e+3, true, null, \"\\ud83d\\ude00é\"]}\n{\"b\": {}}";
    for text in [yaml, json] {
        for end in 0..text.len() {
            read_bytes(&text.as_bytes()[..end]);
            // And with something in the way.
            for byte in [b'\0', b'\xff', b'\n', b'"', b'{', b'-', b'\t'] {
                let mut bytes = text.as_bytes().to_vec();
                bytes[end] = byte;
                read_bytes(&bytes);
            }
        }
    }
}

#[test]
fn empty_input() {
    for text in [
        "",
        "\n",
        "# comment\n",
        "---\n",
        "---\n---\n",
        "~\n",
        "null",
        " \n\n",
    ] {
        assert!(read_bytes(text.as_bytes()).is_empty(), "{text:?}");
    }
}
