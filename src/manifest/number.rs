//! Numbers as Go's JSON reader and writer treat them.

use super::node::Value;

/// A number literal of JSON: an integer while it fits 64 bits, else a float. `None`: too large
/// even for that.
pub(super) fn from_json_text(text: &str) -> Option<Value> {
    if let Ok(int) = text.parse::<i64>() {
        return Some(Value::Int(int));
    }
    if let Ok(int) = text.parse::<u64>() {
        return Some(Value::UInt(int));
    }
    let float: f64 = text.parse().ok()?;
    float.is_finite().then_some(Value::Float(float))
}

/// A float as it comes out when Go has written it to JSON and read it back: without fraction and
/// exponent (these begin at 1e21) it is an integer again.
pub(super) fn through_json(float: f64) -> Value {
    if float.fract() != 0.0 || float.abs() >= 1e21 || !float.is_finite() {
        return Value::Float(float);
    }
    // Go writes the shortest digits that give this float, filled up with zeros: not always the
    // float's exact value. `{}` does the same.
    match format!("{float}").parse::<i128>() {
        Ok(int) => {
            if let Ok(int) = i64::try_from(int) {
                return Value::Int(int);
            }
            u64::try_from(int).map_or(Value::Float(float), Value::UInt)
        }
        Err(_) => Value::Float(float),
    }
}

/// A float as the text of a mapping key: `strconv.FormatFloat(float, 'g', -1, 32)`, with YAML's
/// names for what is not finite.
pub(super) fn float_key(float: f64) -> String {
    let float = float as f32;
    if float.is_nan() {
        return ".nan".to_owned();
    }
    if float.is_infinite() {
        return if float > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    let scientific = format!("{float:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>() {
        Ok(exponent) if !(-4..6).contains(&exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{mantissa}e{sign}{:02}", exponent.abs())
        }
        // Below the exponent form both languages write plain decimals.
        _ => format!("{float}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn float_keys_have_32_bit_precision() {
        for (float, text) in [
            (1.0, "1"),
            (-0.0, "-0"),
            (2.345678912345, "2.3456788"),
            (1.23e6, "1.23e+06"),
            (16777217.0, "1.6777216e+07"),
            (100000.0, "100000"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (1e100, ".inf"),
            (f64::NAN, ".nan"),
        ] {
            assert_eq!(float_key(float), text);
        }
    }

    #[test]
    fn floats_without_fraction_are_integers_after_json() {
        assert_eq!(through_json(1000.0), Value::Int(1000));
        assert_eq!(through_json(-0.0), Value::Int(0));
        assert_eq!(
            through_json(18446744073709551616.0),
            Value::Float(18446744073709551616.0)
        );
        assert_eq!(through_json(1e19), Value::UInt(10_000_000_000_000_000_000));
        assert_eq!(through_json(1e21), Value::Float(1e21));
        assert_eq!(through_json(1.5), Value::Float(1.5));
    }
}
