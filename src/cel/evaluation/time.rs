//! Timestamps: reading, writing, arithmetic, calendar parts, time zones. All rules are those of Go's `time`.

use std::fmt;
use std::sync::LazyLock;

use super::value::Failure;
use crate::cel::problem::Fault;

const MIN_SECONDS: i64 = -62_135_596_800;
const MAX_SECONDS: i64 = 253_402_300_799;
const NANOS: i64 = 1_000_000_000;
const DAY: i64 = 86_400;

/// A moment, and the offset it was written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::cel) struct Timestamp {
    seconds: i64,
    nanos: i32,
    /// Seconds east of UTC; only the text form shows it.
    offset: i32,
}

impl Timestamp {
    /// From seconds since 1970; none outside the years 1 to 9999.
    pub(in crate::cel) fn from_seconds(seconds: i64) -> Option<Timestamp> {
        let in_range = (MIN_SECONDS..=MAX_SECONDS).contains(&seconds);
        in_range.then_some(Timestamp {
            seconds,
            nanos: 0,
            offset: 0,
        })
    }

    /// From the fields of a message, which nobody has checked.
    pub(in crate::cel) fn from_fields(seconds: i64, nanos: i32) -> Timestamp {
        let carried = seconds.saturating_add(i64::from(nanos).div_euclid(NANOS));
        let nanos = i64::from(nanos).rem_euclid(NANOS);
        Timestamp {
            seconds: carried,
            nanos: i32::try_from(nanos).unwrap_or(0),
            offset: 0,
        }
    }

    pub(in crate::cel) fn seconds(self) -> i64 {
        self.seconds
    }

    /// Order and equality look at the moment only.
    pub(in crate::cel) fn moment(self) -> (i64, i32) {
        (self.seconds, self.nanos)
    }

    /// This time and a duration later.
    pub(in crate::cel) fn add(self, nanoseconds: i64) -> Result<Timestamp, Failure> {
        let total = i128::from(self.seconds) * i128::from(NANOS)
            + i128::from(self.nanos)
            + i128::from(nanoseconds);
        let seconds = i64::try_from(total.div_euclid(i128::from(NANOS))).map_err(|_| overflow())?;
        let nanos = i32::try_from(total.rem_euclid(i128::from(NANOS))).map_err(|_| overflow())?;
        if !(MIN_SECONDS..=MAX_SECONDS).contains(&seconds) {
            return Err(overflow());
        }
        Ok(Timestamp {
            seconds,
            nanos,
            ..self
        })
    }

    /// The duration since another time, in nanoseconds.
    pub(in crate::cel) fn since(self, earlier: Timestamp) -> Option<i64> {
        let seconds = self.seconds.checked_sub(earlier.seconds)?;
        let nanos = i64::from(self.nanos) - i64::from(earlier.nanos);
        seconds.checked_mul(NANOS)?.checked_add(nanos)
    }

    /// A calendar part of this time in a zone.
    pub(in crate::cel) fn component(
        self,
        function: &str,
        zone: &str,
    ) -> Result<Option<i64>, Failure> {
        let local = Local::new(self.seconds + i64::from(offset(zone, self.seconds)?));
        Ok(Some(match function {
            "getFullYear" => local.year,
            "getMonth" => local.month - 1,
            "getDayOfYear" => local.day_of_year,
            "getDayOfMonth" => local.day - 1,
            "getDate" => local.day,
            "getDayOfWeek" => local.day_of_week,
            "getHours" => local.second_of_day / 3600,
            "getMinutes" => local.second_of_day / 60 % 60,
            "getSeconds" => local.second_of_day % 60,
            "getMilliseconds" => i64::from(self.nanos) / 1_000_000,
            _ => return Ok(None),
        }))
    }
}

pub(in crate::cel) fn overflow() -> Failure {
    Failure::new(Fault::TimestampOverflow, "timestamp overflow")
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let local = Local::new(self.seconds + i64::from(self.offset));
        let second = local.second_of_day;
        write!(f, "{:04}-{:02}-{:02}T", local.year, local.month, local.day)?;
        write!(
            f,
            "{:02}:{:02}:{:02}",
            second / 3600,
            second / 60 % 60,
            second % 60
        )?;
        if self.nanos > 0 {
            let digits = format!("{:09}", self.nanos);
            write!(f, ".{}", digits.trim_end_matches('0'))?;
        }
        if self.offset == 0 {
            return f.write_str("Z");
        }
        let sign = if self.offset < 0 { '-' } else { '+' };
        let minutes = self.offset.abs() / 60;
        write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
}

/// A moment on the calendar and the clock of some place.
struct Local {
    year: i64,
    month: i64,
    day: i64,
    /// From 0.
    day_of_year: i64,
    /// From 0, a Sunday.
    day_of_week: i64,
    second_of_day: i64,
}

impl Local {
    fn new(seconds: i64) -> Local {
        let days = seconds.div_euclid(DAY);
        let (year, month, day) = date(days);
        Local {
            year,
            month,
            day,
            day_of_year: days - days_before(year, 1, 1),
            day_of_week: (days + 4).rem_euclid(7),
            second_of_day: seconds.rem_euclid(DAY),
        }
    }
}

/// Days from 1970-01-01 to a date of the Gregorian calendar. Years are counted from March on, so that the
/// leap day is the last one.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The date so many days after 1970-01-01.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Reads an RFC 3339 time: `None` when it is none, an error when it is out of range.
pub(in crate::cel) fn parse(text: &str) -> Option<Result<Timestamp, Failure>> {
    let mut reader = Reader {
        rest: text.as_bytes(),
    };
    let year = reader.digits(4)?;
    reader.skip(b'-')?;
    let month = reader.digits(2)?;
    reader.skip(b'-')?;
    let day = reader.digits(2)?;
    reader.skip(b'T')?;
    let hour = reader.one_or_two_digits()?;
    reader.skip(b':')?;
    let minute = reader.digits(2)?;
    reader.skip(b':')?;
    let second = reader.digits(2)?;
    let nanos = reader.fraction();
    let offset = reader.zone()?;
    let is_date = (1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day);
    if !is_date || hour > 23 || minute > 59 || second > 59 || !reader.rest.is_empty() {
        return None;
    }
    let seconds = days_before(year, month, day) * DAY + hour * 3600 + minute * 60 + second - offset;
    if !(MIN_SECONDS..=MAX_SECONDS).contains(&seconds) {
        return Some(Err(overflow()));
    }
    let offset = i32::try_from(offset).unwrap_or(0);
    Some(Ok(Timestamp {
        seconds,
        nanos,
        offset,
    }))
}

struct Reader<'t> {
    rest: &'t [u8],
}

impl Reader<'_> {
    fn skip(&mut self, byte: u8) -> Option<()> {
        self.rest = self.rest.strip_prefix(&[byte])?;
        Some(())
    }

    fn digits(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.rest.split_at_checked(count)?;
        let value = decimal(digits)?;
        self.rest = rest;
        Some(value)
    }

    fn one_or_two_digits(&mut self) -> Option<i64> {
        self.digits(2).or_else(|| self.digits(1))
    }

    /// Digits behind a point or a comma; those beyond nanoseconds are dropped.
    fn fraction(&mut self) -> i32 {
        let is_mark = matches!(self.rest.first(), Some(b'.' | b','));
        let count = self
            .rest
            .iter()
            .skip(1)
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if !is_mark || count == 0 {
            return 0;
        }
        let digits = &self.rest[1..=count];
        self.rest = &self.rest[count + 1..];
        (0..9).fold(0, |nanos, index| {
            nanos * 10 + digits.get(index).map_or(0, |digit| i32::from(digit - b'0'))
        })
    }

    /// `Z` or `+hh:mm`, in seconds.
    fn zone(&mut self) -> Option<i64> {
        let sign = match self.rest.first()? {
            b'Z' => {
                self.skip(b'Z')?;
                return Some(0);
            }
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        self.rest = &self.rest[1..];
        let hours = self.digits(2)?;
        self.skip(b':')?;
        let minutes = self.digits(2)?;
        (hours <= 24 && minutes <= 60).then_some(sign * (hours * 3600 + minutes * 60))
    }
}

fn decimal(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |value, digit| {
        digit
            .is_ascii_digit()
            .then(|| value * 10 + i64::from(digit - b'0'))
    })
}

/// Seconds east of UTC that a zone is at a moment: `±hh:mm` or a name of the tz database.
fn offset(zone: &str, seconds: i64) -> Result<i32, Failure> {
    let unknown = |message: String| Failure::new(Fault::Timezone, message);
    if let Some((hours, minutes)) = zone.split_once(':') {
        let number = |text: &str| {
            text.parse::<i64>()
                .map_err(|_| unknown(format!("strconv.Atoi: parsing {text:?}: invalid syntax")))
        };
        let (hours, minutes) = (number(hours)?, number(minutes)?);
        let minutes = if zone.starts_with('-') {
            -minutes
        } else {
            minutes
        };
        let offset = hours
            .saturating_mul(3600)
            .saturating_add(minutes.saturating_mul(60));
        // Further away than any clock can be set, the calendar below would overflow.
        return Ok(i32::try_from(offset).unwrap_or(i32::MAX));
    }
    if matches!(zone, "" | "UTC" | "Local") {
        return Ok(0);
    }
    let zone = named_zone(zone).ok_or_else(|| unknown(format!("unknown time zone {zone}")))?;
    // The library's times end two days before ours.
    let last = jiff::Timestamp::MAX.as_second();
    let moment = jiff::Timestamp::from_second(seconds.min(last));
    Ok(moment.map_or(0, |moment| zone.to_offset(moment).seconds()))
}

/// A zone of the tz database that is built in. Names are file names to Go, so their case counts.
fn named_zone(name: &str) -> Option<jiff::tz::TimeZone> {
    static ZONES: LazyLock<jiff::tz::TimeZoneDatabase> =
        LazyLock::new(jiff::tz::TimeZoneDatabase::bundled);
    let zone = ZONES.get(name).ok()?;
    (zone.iana_name() == Some(name)).then_some(zone)
}

#[cfg(test)]
mod tests {
    use super::{Timestamp, parse};

    fn shown(text: &str) -> Option<String> {
        parse(text)?.ok().map(|time| time.to_string())
    }

    #[test]
    fn times_are_read_as_go_reads_them() {
        let good = [
            ("2024-01-01T1:02:03Z", "2024-01-01T01:02:03Z"),
            ("2024-01-01T01:02:03,5Z", "2024-01-01T01:02:03.5Z"),
            (
                "2024-01-01T01:02:03.123456789999Z",
                "2024-01-01T01:02:03.123456789Z",
            ),
            ("2024-01-01T01:02:03+24:60", "2024-01-01T01:02:03+25:00"),
            ("2024-01-01T01:02:03-00:00", "2024-01-01T01:02:03Z"),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
            ("9999-12-31T23:59:59.9Z", "9999-12-31T23:59:59.9Z"),
        ];
        for (text, expected) in good {
            assert_eq!(shown(text).as_deref(), Some(expected));
        }
        for bad in [
            "2024-01-01T01:02:60Z",
            "2024-01-01T24:00:00Z",
            "2024-02-30T00:00:00Z",
            "2024-01-01T01:02:03.Z",
            "2024-01-01t01:02:03z",
            "2024-1-01T01:02:03Z",
            "2024-01-01T01:02:03+0530",
            "2024-01-01T01:02:03+25:00",
            " 2024-01-01T01:02:03Z",
            "2024-01-01T01:02:03Z ",
        ] {
            assert!(parse(bad).is_none(), "{bad}");
        }
        assert!(matches!(parse("0000-01-01T00:00:00Z"), Some(Err(_))));
    }

    #[test]
    fn calendar_parts_depend_on_the_zone() {
        let part = |seconds, function, zone| {
            let time = Timestamp::from_seconds(seconds).expect("in range");
            time.component(function, zone)
                .map_err(|failure| failure.message)
        };
        assert_eq!(part(1_709_249_696, "getDayOfYear", ""), Ok(Some(59)));
        assert_eq!(part(1_709_249_696, "getDayOfWeek", "UTC"), Ok(Some(4)));
        assert_eq!(part(1_709_249_696, "getHours", "05:30"), Ok(Some(5)));
        assert_eq!(part(1_709_249_696, "getHours", "-05:30"), Ok(Some(18)));
        assert_eq!(
            part(1_709_249_696, "getHours", "America/New_York"),
            Ok(Some(18))
        );
        assert_eq!(
            part(253_402_300_799, "getFullYear", "Asia/Tokyo"),
            Ok(Some(10_000))
        );
        let unknown = Err("unknown time zone europe/berlin".to_owned());
        assert_eq!(part(0, "getHours", "europe/berlin"), unknown);
    }
}
