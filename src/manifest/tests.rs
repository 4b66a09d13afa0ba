//! Positions, lists, streams and notes: what the recorded answers of the Go libraries do not show.

use super::*;

fn read_all(text: &[u8]) -> Vec<Result<Document, ReadError>> {
    read("file".into(), text, &Limits::default())
}

fn only(text: &str) -> Document {
    let mut documents = read_all(text.as_bytes());
    assert_eq!(documents.len(), 1, "{documents:?}");
    documents.remove(0).unwrap()
}

fn only_error(text: &[u8]) -> ReadError {
    let mut documents = read_all(text);
    assert_eq!(documents.len(), 1, "{documents:?}");
    documents.remove(0).unwrap_err()
}

fn at(node: &Node) -> (u32, u32) {
    (node.pos.line, node.pos.column)
}

fn key_at(node: &Node, key: &str) -> (u32, u32) {
    let pos = node.as_map().unwrap().entry(key).unwrap().key_pos;
    (pos.line, pos.column)
}

#[test]
fn scalars_start_at_their_first_character() {
    let root = only("a: 1\nb:   'x y'\nc: \"q\"\nd: &x !!str 5\ne:\nf: [p, {g: h}]\n").root;
    assert_eq!(key_at(&root, "b"), (2, 1));
    assert_eq!(at(root.get("a").unwrap()), (1, 4));
    assert_eq!(at(root.get("b").unwrap()), (2, 6));
    assert_eq!(at(root.get("c").unwrap()), (3, 4));
    // Anchor and tag do not count.
    assert_eq!(at(root.get("d").unwrap()), (4, 13));
    // An absent value stands after the colon.
    assert_eq!(at(root.get("e").unwrap()), (5, 3));
    let list = root.get("f").unwrap();
    assert_eq!(at(list), (6, 4));
    assert_eq!(at(&list.as_list().unwrap()[1]), (6, 8));
    assert_eq!(at(list.as_list().unwrap()[1].get("g").unwrap()), (6, 12));
}

#[test]
fn block_collections_start_at_their_first_entry() {
    let root = only("a:\n  b:\n  - c\n  -  d: 1\n     e: 2\n").root;
    assert_eq!(at(&root), (1, 1));
    assert_eq!(at(root.get("a").unwrap()), (2, 3));
    let list = root.at(&["a", "b"]).unwrap();
    assert_eq!(at(list), (3, 3));
    assert_eq!(at(&list.as_list().unwrap()[0]), (3, 5));
    assert_eq!(at(&list.as_list().unwrap()[1]), (4, 6));
    assert_eq!(at(list.as_list().unwrap()[1].get("e").unwrap()), (5, 9));
}

#[test]
fn block_scalars_start_at_their_first_line_of_text() {
    let root = only("a: |\n\n   x\n   y\nb: >-\n  z\nc: |\nd: 1\n").root;
    assert_eq!(root.get("a").unwrap().as_str(), Some("\nx\ny\n"));
    assert_eq!(at(root.get("a").unwrap()), (3, 4));
    assert_eq!(at(root.get("b").unwrap()), (6, 3));
    // Without text they start at the indicator.
    assert_eq!(at(root.get("c").unwrap()), (7, 4));
    assert_eq!(at(root.get("d").unwrap()), (8, 4));
}

#[test]
fn columns_count_characters() {
    let root = only("é日😀: [ü, x]\n").root;
    let list = root.get("é日😀").unwrap();
    assert_eq!(at(list), (1, 6));
    assert_eq!(at(&list.as_list().unwrap()[1]), (1, 10));
    let root = only("{\"é日😀\": [\"ü\", 1]}").root;
    let list = root.get("é日😀").unwrap();
    assert_eq!(at(&list.as_list().unwrap()[1]), (1, 15));
}

#[test]
fn lines_end_with_a_line_feed_only() {
    let root = only("a: 1\r\nb:\r\n  c: x\r\n").root;
    assert_eq!(at(root.at(&["b", "c"]).unwrap()), (3, 6));
    // The YAML reader sees two lines here, an editor one.
    let root = only("a: 1\u{2028}b: 2\nc: 3\n").root;
    assert_eq!(at(root.get("b").unwrap()), (1, 9));
    assert_eq!(at(root.get("c").unwrap()), (2, 4));
}

#[test]
fn a_byte_order_mark_takes_no_column() {
    let root = only("\u{FEFF}a: 1\n").root;
    assert_eq!(key_at(&root, "a"), (1, 1));
}

#[test]
fn big_endian_utf16_is_read_and_little_endian_refused() {
    let encode = |to_bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        "\u{FEFF}a: é\nb: 😀\n"
            .encode_utf16()
            .flat_map(to_bytes)
            .collect()
    };
    let documents = read_all(&encode(u16::to_be_bytes));
    let root = &documents[0].as_ref().unwrap().root;
    assert_eq!(root.get("b").unwrap().as_str(), Some("😀"));
    assert_eq!(at(root.get("b").unwrap()), (2, 4));
    // apimachinery adds a line feed of one byte to the last line, which begins with a zero byte.
    let error = only_error(&encode(u16::to_le_bytes));
    assert!(error.message.contains("UTF-16"), "{error}");
}

#[test]
fn aliases_stand_where_their_anchor_does() {
    let root = only("a: &x\n  b: 1\nc: *x\nd:\n  <<: *x\n  e: 2\n&k key: v\n*k : w\n").root;
    assert_eq!(at(root.get("c").unwrap()), (2, 3));
    assert_eq!(at(root.at(&["c", "b"]).unwrap()), (2, 6));
    assert_eq!(at(root.at(&["d", "b"]).unwrap()), (2, 6));
    assert_eq!(key_at(root.get("d").unwrap(), "b"), (2, 3));
    // A key is where it is used.
    assert_eq!(key_at(&root, "key"), (8, 1));
}

#[test]
fn positions_go_on_through_the_documents_of_a_file() {
    let documents = read_all(b"# c\n---\na: 1\n---\n---\n---\n{\"b\":\n 2}\n");
    let positions: Vec<_> = documents
        .iter()
        .map(|document| {
            let root = &document.as_ref().unwrap().root;
            at(&root.as_map().unwrap().iter().next().unwrap().value)
        })
        .collect();
    assert_eq!(positions, [(3, 4), (8, 2)]);
    let indices: Vec<_> = documents
        .iter()
        .map(|d| d.as_ref().unwrap().index)
        .collect();
    assert_eq!(indices, [0, 1]);
}

#[test]
fn json_then_yaml() {
    let documents = read_all(b"{\"a\":1}\n---\nb: 2\n---\nc: 3\n");
    let roots: Vec<_> = documents
        .iter()
        .map(|d| d.as_ref().unwrap().root.to_json())
        .collect();
    assert_eq!(
        serde_json::Value::from(roots),
        serde_json::json!([{"a":1},{"b":2},{"c":3}])
    );
    assert_eq!(
        at(documents[2].as_ref().unwrap().root.get("c").unwrap()),
        (5, 4)
    );
}

#[test]
fn documents_after_an_unreadable_one_are_read() {
    let documents = read_all(b"a: 1\n---\nb: [\n---\nc: 3\n");
    assert_eq!(documents.len(), 3);
    assert!(documents[0].is_ok() && documents[2].is_ok());
    let error = documents[1].as_ref().unwrap_err();
    assert_eq!(error.pos.map(|pos| pos.line), Some(4), "{error}");
    assert!(!error.lost_neighbour);
}

#[test]
fn a_refused_separator_costs_the_document_before_it() {
    let documents = read_all(b"a: 1\n--- |\n text\n---\nb: 2\n");
    assert_eq!(documents.len(), 3, "{documents:?}");
    let error = documents[1].as_ref().unwrap_err();
    assert!(error.lost_neighbour);
    assert_eq!(error.pos, Some(Pos { line: 2, column: 1 }));
    assert!(documents[2].is_ok());
    // A line of dashes hides nothing.
    let documents = read_all(b"a: 1\n--------\nb: 2\n");
    assert!(documents[1].is_err() && documents[2].is_ok());
}

#[test]
fn two_json_values_and_a_separator() {
    let documents = read_all(b"{\"a\":1}\n{\"b\":2}\n---\nc: 3\n");
    assert_eq!(documents.len(), 4, "{documents:?}");
    let error = documents[2].as_ref().unwrap_err();
    assert_eq!(error.pos.map(|pos| pos.line), Some(3), "{error}");
    assert_eq!(
        documents[3].as_ref().unwrap().root.to_json(),
        serde_json::json!({"c": 3})
    );
}

#[test]
fn json_numbers_and_strings() {
    let root = only(
        r#"{"a": [1, -9223372036854775808, 18446744073709551615, 1e2, 80.0, "\ud83d\ude00\/\ud800x"]}"#,
    )
    .root;
    let values: Vec<_> = root
        .get("a")
        .unwrap()
        .as_list()
        .unwrap()
        .iter()
        .map(|n| &n.value)
        .collect();
    assert_eq!(
        values,
        [
            &Value::Int(1),
            &Value::Int(i64::MIN),
            &Value::UInt(u64::MAX),
            &Value::Float(100.0),
            &Value::Float(80.0),
            &Value::String("😀/\u{FFFD}x".to_owned()),
        ]
    );
    let error = only_error(b"{\"a\": 1e999}");
    assert_eq!(error.pos, Some(Pos { line: 1, column: 7 }));
}

#[test]
fn json_duplicates_and_bad_utf8() {
    let documents = read_all(b"{\"a\":1,\n \"a\":\"\xff\xc3\"}");
    let document = documents[0].as_ref().unwrap();
    assert_eq!(
        document.root.get("a").unwrap().as_str(),
        Some("\u{FFFD}\u{FFFD}")
    );
    assert_eq!(document.duplicates.len(), 1);
    assert_eq!(document.duplicates[0].again, Pos { line: 2, column: 2 });
}

#[test]
fn lists_become_their_items() {
    let text = "apiVersion: v1\nkind: List\nitems:\n- kind: A\n  x: 1\n  x: 2\n- kind: BList\n  apiVersion: b/v1\n  items:\n  - spec: 1\n  - kind: C\n";
    let documents = read_all(text.as_bytes());
    let json: Vec<_> = documents
        .iter()
        .map(|d| d.as_ref().unwrap().root.to_json())
        .collect();
    assert_eq!(
        serde_json::Value::from(json),
        serde_json::json!([
            {"kind": "A", "x": 2},
            {"apiVersion": "b/v1", "kind": "B", "spec": 1},
            {"kind": "C"},
        ])
    );
    let items: Vec<_> = documents.iter().map(|d| d.as_ref().unwrap().item).collect();
    assert_eq!(items, [Some(0), Some(1), Some(2)]);
    assert_eq!(documents[0].as_ref().unwrap().duplicates.len(), 1);
    // The kind was taken from the list, and so is its position.
    let given = documents[1].as_ref().unwrap().root.get("kind").unwrap();
    assert_eq!(at(given), (7, 9));
}

#[test]
fn what_only_looks_like_a_list_is_none() {
    for text in [
        "kind: AllowList\nspec: {}\n",
        "kind: AList\nitems: {}\n",
        "kind: A\nitems: [1]\n",
    ] {
        assert_eq!(only(text).item, None, "{text}");
    }
    assert!(read_all(b"kind: List\nitems: []\n").is_empty());
}

#[test]
fn the_size_limit_is_one_of_objects() {
    let limits = Limits {
        object_bytes: 100,
        ..Limits::default()
    };
    let long = "x".repeat(150);
    let yaml = format!("kind: List\nitems:\n- kind: A\n- kind: B\n  v: {long}\n- kind: C\n");
    let json =
        format!(r#"{{"kind":"List","items":[{{"kind":"A"}},{{"v":"{long}"}},{{"kind":"C"}}]}}"#);
    for text in [yaml, json] {
        let documents = read("file".into(), text.as_bytes(), &limits);
        let readable: Vec<_> = documents.iter().map(Result::is_ok).collect();
        assert_eq!(readable, [true, false, true], "{documents:?}");
    }
    let object = format!("kind: A\nv: {long}\n");
    assert!(read("file".into(), object.as_bytes(), &limits)[0].is_err());
}

#[test]
fn notes_tell_what_happens_in_silence() {
    let kinds = |text: &str| -> Vec<(NoteKind, (u32, u32))> {
        let notes = only(text).notes;
        notes
            .into_iter()
            .map(|n| (n.kind, (n.pos.line, n.pos.column)))
            .collect()
    };
    assert_eq!(kinds(" a: 1\nb: 2\n"), [(NoteKind::Unread, (2, 1))]);
    assert_eq!(
        kinds("a: 1\n...\n# c\nb: 2\n"),
        [(NoteKind::Unread, (4, 1))]
    );
    assert_eq!(kinds("{a: 1} {b: 2}\n"), [(NoteKind::Unread, (1, 8))]);
    assert_eq!(kinds("a: 1\n...\n# c\n"), []);
    assert_eq!(kinds("true: 1\n\"on\": 2\n"), []);
    let written = "on".to_owned();
    let key = "true".to_owned();
    assert_eq!(
        kinds("a:\n  on: 1\n"),
        [(NoteKind::BooleanKey { written, key }, (2, 3))]
    );
    let first = Pos { line: 1, column: 1 };
    let key = "1".to_owned();
    assert_eq!(
        kinds("1: a\n\"1\": b\n"),
        [(NoteKind::CollidingKey { key, first }, (2, 1))]
    );
    let odd = NoteKind::OddCharacter {
        character: '\u{2028}',
    };
    assert_eq!(kinds("a: 1\u{2028}b: 2\n"), [(odd, (1, 5))]);
}

#[test]
fn a_last_line_that_fills_the_line_buffer_is_lost() {
    let last = format!("b: {}", "x".repeat(4093));
    let document = only(&format!("a: 1\n{last}"));
    assert_eq!(document.root.to_json(), serde_json::json!({"a": 1}));
    let pos = Pos { line: 2, column: 1 };
    assert_eq!(
        document.notes,
        [Note {
            pos,
            kind: NoteKind::LostLine
        }]
    );
    assert!(only(&format!("a: 1\n{last}\n")).root.get("b").is_some());
    assert_eq!(
        only_error(last.as_bytes()).pos,
        Some(Pos { line: 1, column: 1 })
    );
}

#[test]
fn duplicates_have_both_positions() {
    let duplicates = only("b: &b {a: 1}\nx:\n  a: 2\n  <<: *b\n  a: 3\n").duplicates;
    let positions: Vec<_> = duplicates
        .iter()
        .map(|d| (d.first.line, d.again.line, d.merged))
        .collect();
    assert_eq!(positions, [(3, 4, true), (1, 5, false)]);
}

#[test]
fn templates_are_recognized() {
    for text in [
        "a: {{ .Values.x }}\n",
        "{{- if .x }}\na: 1\n{{- end }}\n",
        "a:\n{{ toYaml .x | indent 2 }}\n",
    ] {
        let error = only_error(text.as_bytes());
        assert!(error.message.contains("render it first"), "{text}: {error}");
    }
    let error = only_error(b"a: '{{ x }}'\nb: 1\nc: 1\n d: 1\n");
    assert!(!error.message.contains("template"), "{error}");
}
