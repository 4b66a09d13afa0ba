//! Timestamps as Go's JSON writes them.

use jiff::Timestamp;

/// An RFC 3339 time in UTC, with as many digits of the fraction as it needs; `None` when the text is
/// no such time or its year cannot be written.
pub fn to_utc(text: &str) -> Option<String> {
    // Go takes only an upper-case `T` between date and time, and four digits of a year.
    let at = |index: usize| text.as_bytes().get(index).copied();
    if (at(4), at(7), at(10), at(13)) != (Some(b'-'), Some(b'-'), Some(b'T'), Some(b':')) {
        return None;
    }
    let written = text.parse::<Timestamp>().ok()?.to_string();
    written
        .starts_with(|c: char| c.is_ascii_digit())
        .then_some(written)
}

#[cfg(test)]
mod tests {
    use super::to_utc;

    #[test]
    fn times_are_converted_to_utc() {
        assert_eq!(
            to_utc("2025-05-23T02:00:00+02:00").as_deref(),
            Some("2025-05-23T00:00:00Z")
        );
        assert_eq!(
            to_utc("2025-05-23T00:00:00.120Z").as_deref(),
            Some("2025-05-23T00:00:00.12Z")
        );
        assert_eq!(to_utc("2025-05-23 00:00:00Z"), None);
        assert_eq!(to_utc("20250523T000000Z"), None);
        assert_eq!(to_utc("2025-05-23T00:00:00"), None);
        assert_eq!(to_utc("yesterday"), None);
    }
}
