//! Numbers: exact conversions and Go's texts.

/// 2^63 and 2^64, which the doubles that are integers of 64 bits stay below.
const INT_END: f64 = 9_223_372_036_854_775_808.0;
const UINT_END: f64 = 18_446_744_073_709_551_616.0;

/// The integer that a double is exactly.
pub(crate) fn exact_int(double: f64) -> Option<i64> {
    (double > -INT_END && double < INT_END && double.fract() == 0.0).then_some(double as i64)
}

/// The unsigned integer that a double is exactly.
pub(crate) fn exact_uint(double: f64) -> Option<u64> {
    ((0.0..UINT_END).contains(&double) && double.fract() == 0.0).then_some(double as u64)
}

/// A double in Go's shortest `g` form.
#[must_use]
pub fn double_text(double: f64) -> String {
    go_general(double, 21)
}

/// A double in Go's `g` form: an exponent where it is below -4 or at least `limit`.
#[must_use]
pub fn go_general(double: f64, limit: i32) -> String {
    if double.is_nan() {
        return "NaN".to_owned();
    }
    if double.is_infinite() {
        return if double > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{double:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if exponent < -4 || exponent >= limit {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{digits}e{sign}{:02}", exponent.abs())
    } else {
        format!("{double}")
    }
}
