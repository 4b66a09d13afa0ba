//! Quantities as `k8s.io/apimachinery` writes what it has read.

/// The spelling of a quantity once it has been read: `1000m` is `1`, `1024Mi` is `1Gi`, `0.5` is
/// `500m`, but `1.500` and `+1` stay. `None` for what is no quantity, or has more digits than can be
/// computed with.
pub fn canonical(text: &str) -> Option<String> {
    let (negative, unsigned) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let end = unsigned
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(unsigned.len());
    let (number, suffix) = unsigned.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.len() + fraction.len() == 0 || fraction.contains('.') {
        return None;
    }
    let suffix = Suffix::read(suffix)?;
    if suffix.keeps(whole, fraction) {
        return Some(text.to_string());
    }
    let digits: u128 = format!("{whole}{fraction}").parse().ok()?;
    let amount = Amount {
        digits,
        exponent: -i32::try_from(fraction.len()).ok()?,
    };
    let text = match suffix {
        Suffix::Decimal(exponent) => amount.shifted(exponent)?.decimal_si()?,
        Suffix::Scientific(exponent) => amount.shifted(exponent)?.scientific()?,
        Suffix::Binary(exponent) => Amount {
            digits: digits.checked_mul(1 << exponent)?,
            ..amount
        }
        .at_most_max()?
        .binary_si()?,
    };
    Some(if negative && text != "0" {
        format!("-{text}")
    } else {
        text
    })
}

/// The unit of a quantity, as the exponent of its base.
#[derive(Clone, Copy)]
enum Suffix {
    Decimal(i32),
    Scientific(i32),
    Binary(u32),
}

/// The decimal units with their powers of ten.
const DECIMAL: [(&str, i32); 10] = [
    ("n", -9),
    ("u", -6),
    ("m", -3),
    ("", 0),
    ("k", 3),
    ("M", 6),
    ("G", 9),
    ("T", 12),
    ("P", 15),
    ("E", 18),
];

/// The binary units, each 1024 times the one before; nothing stands before `Ki`.
const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

impl Suffix {
    fn read(text: &str) -> Option<Self> {
        if let Some((_, exponent)) = DECIMAL.iter().find(|(unit, _)| *unit == text) {
            return Some(Suffix::Decimal(*exponent));
        }
        if let Some(at) = BINARY.iter().position(|unit| *unit == text) {
            return Some(Suffix::Binary(10 * at as u32));
        }
        let exponent = text.strip_prefix(['e', 'E'])?.parse().ok()?;
        // Beyond these every digit is lost or the number cannot be held anyway.
        (-100..=100)
            .contains(&exponent)
            .then_some(Suffix::Scientific(exponent))
    }

    /// Whether the reader takes the text for canonical already and keeps it with its sign, zeros and
    /// all. It looks at little more than the last digits of a number that is small enough.
    fn keeps(self, whole: &str, fraction: &str) -> bool {
        let whole = match whole.trim_start_matches('0') {
            "" => "0",
            whole => whole,
        };
        let digits = format!("{whole}{fraction}");
        match self {
            Suffix::Decimal(exponent) | Suffix::Scientific(exponent) => {
                let scale = exponent - fraction.len().min(100) as i32;
                digits.len() <= 18
                    && scale >= -9
                    && scale % 3 == 0
                    && !digits.ends_with("000")
                    && !digits.starts_with('0')
            }
            Suffix::Binary(exponent) => {
                let room = 14usize.checked_sub(whole.len() + exponent as usize * 3 / 10);
                let last = digits.parse::<u64>().unwrap_or_default() % 8;
                fraction.is_empty() && room.is_some() && last != 0
            }
        }
    }
}

/// `digits × 10^exponent`.
#[derive(Clone, Copy)]
struct Amount {
    digits: u128,
    exponent: i32,
}

impl Amount {
    fn shifted(self, by: i32) -> Option<Self> {
        Some(Amount {
            exponent: self.exponent.checked_add(by)?,
            ..self
        })
    }

    /// Binary amounts end at the largest 64-bit integer.
    fn at_most_max(self) -> Option<Self> {
        const MAX: u128 = i64::MAX as u128;
        let parts = 10u128.checked_pow(self.exponent.unsigned_abs())?;
        Some(if self.digits / parts >= MAX {
            Amount {
                digits: MAX,
                exponent: 0,
            }
        } else {
            self
        })
    }

    /// Nothing is finer than a billionth; the rest is rounded away from zero.
    fn rounded_to_nano(mut self) -> Self {
        while self.exponent < -9 && self.digits > 0 {
            self.digits = self.digits.div_ceil(10);
            self.exponent += 1;
        }
        self
    }

    /// As few digits as possible, with an exponent that is a multiple of three.
    fn canonical(self) -> Option<Self> {
        let Amount {
            mut digits,
            mut exponent,
        } = self.rounded_to_nano();
        if digits == 0 {
            return Some(Amount {
                digits,
                exponent: 0,
            });
        }
        while digits.is_multiple_of(10) {
            digits /= 10;
            exponent += 1;
        }
        while exponent % 3 != 0 {
            digits = digits.checked_mul(10)?;
            exponent -= 1;
        }
        Some(Amount { digits, exponent })
    }

    fn decimal_si(self) -> Option<String> {
        let Amount { digits, exponent } = self.canonical()?;
        // Beyond `E` the unit is lost.
        let unit = DECIMAL.iter().find(|(_, power)| *power == exponent);
        let unit = unit.map_or("", |(unit, _)| unit);
        Some(format!("{digits}{unit}"))
    }

    fn scientific(self) -> Option<String> {
        let Amount { digits, exponent } = self.canonical()?;
        Some(if exponent == 0 {
            digits.to_string()
        } else {
            format!("{digits}e{exponent}")
        })
    }

    /// Binary units are for whole numbers from 1024 on; everything else is written in decimal units.
    fn binary_si(self) -> Option<String> {
        let Amount { digits, exponent } = self.canonical()?;
        if exponent < 0 {
            return self.decimal_si();
        }
        let mut whole = digits.checked_mul(10u128.checked_pow(exponent.unsigned_abs())?)?;
        if whole < 1024 {
            return self.decimal_si();
        }
        let mut unit = 0;
        while whole.is_multiple_of(1024) && unit + 1 < BINARY.len() {
            whole /= 1024;
            unit += 1;
        }
        Some(format!("{whole}{}", BINARY[unit]))
    }
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn spellings_of_one_amount_become_one() {
        for (text, expected) in [
            ("1000m", "1"),
            ("1024Mi", "1Gi"),
            ("0.5", "500m"),
            (".5", "500m"),
            ("5.", "5."),
            ("+1", "+1"),
            ("+1000", "1k"),
            ("01", "01"),
            ("+01Ki", "+01Ki"),
            ("+8Ki", "8Ki"),
            ("1.500", "1.500"),
            ("1.5000", "1500m"),
            ("1.000", "1"),
            ("12e+3", "12e+3"),
            ("1e0", "1e0"),
            ("2000E", "2"),
            ("8Ei", "9223372036854775807"),
            ("+1Pi", "1Pi"),
            ("-0.5", "-500m"),
            ("-0", "0"),
            ("0", "0"),
            ("0Mi", "0"),
            ("0.000", "0"),
            ("1500m", "1500m"),
            ("100000", "100k"),
            ("1e3", "1e3"),
            ("1E3", "1E3"),
            ("10E3", "10E3"),
            ("1000E3", "1e6"),
            ("1000e0", "1e3"),
            ("1E", "1E"),
            ("10e-3", "10e-3"),
            ("1.5Gi", "1536Mi"),
            ("0.5Ki", "512"),
            ("1.1Mi", "1153433600m"),
            ("1000Ki", "1000Ki"),
            ("1073741824", "1073741824"),
            ("1Ki", "1Ki"),
            ("1023", "1023"),
            ("0.0000000001", "1n"),
            ("1.0000000001", "1000000001n"),
            ("123456789", "123456789"),
            ("12000M", "12G"),
        ] {
            assert_eq!(canonical(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "",
            "-",
            ".",
            "1.2.3",
            "1Kib",
            "e3",
            "1e",
            "x",
            "1 ",
            "1e99999999999",
        ] {
            assert_eq!(canonical(text), None, "{text}");
        }
    }
}
