//! Timestamps as Go's JSON writes them.

use jiff::SignedDuration;
use jiff::civil::DateTime;
use jiff::fmt::temporal::{Pieces, PiecesOffset};

/// An RFC 3339 time in UTC, with as many digits of the fraction as it needs; `None` when the text is
/// no such time or its year cannot be written.
pub fn to_utc(text: &str) -> Option<String> {
    // Go takes only an upper-case `T` between date and time, and four digits of a year.
    let at = |index: usize| text.as_bytes().get(index).copied();
    if (at(4), at(7), at(10), at(13)) != (Some(b'-'), Some(b'-'), Some(b'T'), Some(b':')) {
        return None;
    }
    let pieces = Pieces::parse(text).ok()?;
    let east = match pieces.offset()? {
        PiecesOffset::Numeric(numeric) => numeric.offset().seconds(),
        _ => 0,
    };
    let local = DateTime::from_parts(pieces.date(), pieces.time()?);
    // Not a `Timestamp`: that one ends a day before the year 9999 does.
    let utc = local
        .checked_sub(SignedDuration::from_secs(east.into()))
        .ok()?;
    (utc.year() >= 0).then(|| format!("{utc}Z"))
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
        assert_eq!(
            to_utc("9999-12-31T23:59:59Z").as_deref(),
            Some("9999-12-31T23:59:59Z")
        );
        assert_eq!(
            to_utc("0001-01-01T00:00:00+00:01").as_deref(),
            Some("0000-12-31T23:59:00Z")
        );
        assert_eq!(to_utc("9999-12-31T23:59:59-01:00"), None);
        assert_eq!(to_utc("2025-05-23 00:00:00Z"), None);
        assert_eq!(to_utc("20250523T000000Z"), None);
        assert_eq!(to_utc("2025-05-23T00:00:00"), None);
        assert_eq!(to_utc("yesterday"), None);
    }
}
