//! Recognizes templates that someone forgot to render.

use super::node::Pos;
use super::parsed::SyntaxError;
use super::position::Locator;

/// Says so in the error if it stands at a template directive. `bytes` begin at `start`.
pub(super) fn explain(bytes: &[u8], start: Pos, error: SyntaxError) -> SyntaxError {
    let mut locator = Locator::new(bytes, start);
    let mut at = 0;
    for line in bytes.split_inclusive(|&b| b == b'\n') {
        let line_pos = locator.pos(at);
        if line_pos.line > error.pos.line + 1 {
            break;
        }
        let open = line.windows(2).position(|pair| pair == b"{{");
        if let Some(open) = open.filter(|_| {
            line_pos.line + 1 >= error.pos.line || line.trim_ascii_start().starts_with(b"{{")
        }) {
            let pos = locator.pos(at + open);
            let message =
                "'{{' begins a template: render it first, for example with `helm template`";
            return SyntaxError {
                pos,
                message: message.into(),
            };
        }
        at += line.len();
    }
    error
}
