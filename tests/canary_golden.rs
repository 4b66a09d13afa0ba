//! No credential of a recorded world reaches any output.

mod support;

use aigwctl::controllers::ai_gateway::reconcile_all;
use aigwctl::world::build::Builder;

const CANARY: &str = "CANARY-";

#[test]
fn golden_credentials_are_in_no_format_and_no_message() {
    let worlds = support::worlds();
    let bytes = support::each(&worlds, |world| {
        let mut args = vec!["render".to_string(), world.objects(), world.controller()];
        args.extend(world.flags());
        for format in ["table", "config", "secret", "json"] {
            args.extend(["-o".to_string(), format.to_string()]);
        }
        args.extend(["-v".to_string(), "--sidecar".to_string()]);
        let output = support::aigwctl(&args);
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).unwrap();
        assert_none(&world.name(), &text);
        text.len()
    });
    let inputs = worlds.iter().filter(|w| {
        std::fs::read_to_string(w.controller())
            .unwrap()
            .contains(CANARY)
    });
    println!(
        "{} runs, {} bytes of output",
        worlds.len(),
        bytes.iter().sum::<usize>()
    );
    assert!(
        inputs.count() > 0,
        "the inputs hold no canary in clear text"
    );
}

#[test]
fn golden_credentials_are_in_no_debug_print() {
    let mut worlds = support::worlds();
    worlds.truncate(100);
    for world in &worlds {
        let mut builder = Builder::new(None);
        for path in [world.objects(), world.controller()] {
            let bytes = std::fs::read(&path).unwrap();
            for document in aigwctl::manifest::read(path.into(), &bytes, &Default::default()) {
                let document = document.unwrap();
                assert_none(&world.name(), &format!("{document:?}"));
                builder.add(document);
            }
        }
        let (objects, findings) = builder.finish();
        let options = support::options(world, &objects);
        let outcomes = reconcile_all(&objects, &options);
        assert_none(
            &world.name(),
            &format!("{objects:?} {findings:?} {outcomes:?}"),
        );
    }
    assert!(!worlds.is_empty(), "there are no worlds");
}

fn assert_none(name: &str, text: &str) {
    let found = text
        .find(CANARY)
        .map(|at| text[..at].chars().rev().take(80).collect::<String>());
    let before: Option<String> = found.map(|t| t.chars().rev().collect());
    assert!(
        before.is_none(),
        "{name}: a credential stands after {before:?}"
    );
}
