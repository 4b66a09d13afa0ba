//! Which texts may carry the tag `!!timestamp`.

/// Whether go-yaml takes the text for a date or a time. It stays a string in any case, so all that
/// hangs on this is whether an explicit tag is an error.
pub(super) fn is_timestamp(text: &str) -> bool {
    let year = text.bytes().take_while(u8::is_ascii_digit).count();
    year == 4 && parse(text).is_some()
}

fn parse(text: &str) -> Option<()> {
    let year: u32 = text.get(..4)?.parse().ok()?;
    let (month, rest) = number(text.get(4..)?.strip_prefix('-')?)?;
    let (day, rest) = number(rest.strip_prefix('-')?)?;
    if !(1..=12).contains(&month) || day < 1 || day > days_in(year, month) {
        return None;
    }
    if rest.is_empty() {
        return Some(());
    }
    let zoned = match rest.as_bytes()[0] {
        b'T' | b't' => true,
        b' ' => false,
        _ => return None,
    };
    let (hour, rest) = number(rest.get(1..)?)?;
    let (minute, rest) = number(rest.strip_prefix(':')?)?;
    let (second, rest) = number(rest.strip_prefix(':')?)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let rest = skip_fraction(rest);
    (if zoned {
        is_zone(rest)
    } else {
        rest.is_empty()
    })
    .then_some(())
}

/// One or two digits.
fn number(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take(2).take_while(u8::is_ascii_digit).count();
    Some((text[..digits].parse().ok()?, &text[digits..]))
}

fn skip_fraction(text: &str) -> &str {
    match text.strip_prefix(['.', ',']) {
        Some(rest) => {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            if digits == 0 { text } else { &rest[digits..] }
        }
        None => text,
    }
}

fn is_zone(text: &str) -> bool {
    let zone = |rest: &str| {
        let (hours, minutes) = rest.split_once(':')?;
        let two = |part: &str| -> Option<u32> {
            let digits = part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
            if digits { part.parse().ok() } else { None }
        };
        Some(two(hours)? <= 24 && two(minutes)? < 60)
    };
    text == "Z"
        || text
            .strip_prefix(['+', '-'])
            .and_then(zone)
            .unwrap_or(false)
}

fn days_in(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(if year.is_multiple_of(100) { 400 } else { 4 }) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}
