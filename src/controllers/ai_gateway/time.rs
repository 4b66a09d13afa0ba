//! Timestamps as Go's JSON writes them.

use chrono::{DateTime, SecondsFormat, Utc};

/// An RFC 3339 time in UTC, with as many digits of the fraction as it needs; `None` when the text is
/// no such time or its year cannot be written.
pub fn to_utc(text: &str) -> Option<String> {
    // Go takes only an upper-case `T` between date and time.
    if text.as_bytes().get(10) != Some(&b'T') {
        return None;
    }
    let time = DateTime::parse_from_rfc3339(text).ok()?.with_timezone(&Utc);
    let written = time.to_rfc3339_opts(SecondsFormat::Nanos, true);
    let (seconds, fraction) = written.trim_end_matches('Z').split_once('.')?;
    match fraction.trim_end_matches('0') {
        "" => Some(format!("{seconds}Z")),
        digits => Some(format!("{seconds}.{digits}Z")),
    }
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
        assert_eq!(to_utc("yesterday"), None);
    }
}
