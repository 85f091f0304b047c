//! Values next to a limit, and texts that functions of CEL tell apart.

use serde_json::{Number, Value};

/// Texts that a function of Kubernetes' libraries reads, usually with one on either side of a limit; empty for other functions.
pub(super) fn of_function(name: &str) -> &'static [&'static str] {
    match name {
        "duration" | "timestamp" => &["0s", "1ms", "999ms", "1s", "10s", "1m", "1h", "9999h"],
        "quantity" | "isQuantity" => &["0", "100m", "1", "1Mi", "1Gi", "999Ti"],
        // Networks of both families, one that is not masked, and all addresses.
        "cidr" | "isCIDR" => &["10.0.0.0/8", "fd00::/64", "10.0.0.1/8", "fd00::1/64", "0.0.0.0/0", "::/0"],
        // Each greater than the one before.
        "semver" | "isSemver" => &["1.2.3", "1.2.4", "1.3.0", "2.0.0", "10.0.0.1"],
        "url" | "isURL" | "ip" | "isIP" => {
            &["https://example.com/a", "http://example.com", "10.0.0.1", "fd00::1", "10.0.0.0/8", "fd00::/64", "1.2.3"]
        }
        _ => &[],
    }
}

/// A number, and those next to it.
pub(super) fn around(number: &Number) -> Vec<Value> {
    match number.as_i64() {
        Some(whole) => {
            [Some(whole), whole.checked_sub(1), whole.checked_add(1)].into_iter().flatten().map(Value::from).collect()
        }
        None => {
            let value = number.as_f64().unwrap_or_default();
            [value, value - 0.5, value + 0.5].into_iter().map(Value::from).collect()
        }
    }
}

/// A text that says a quantity, a duration or a version, and those next to it: `64Gi` with `63Gi` and `65Gi`, `2.0.0` with `2.0.1`.
pub(super) fn beside(text: &str) -> Vec<String> {
    let mut all = vec![text.to_owned()];
    let (before, last) = text.rsplit_once('.').map_or(("", text), |(before, last)| (before, last));
    let end = last.find(|char: char| !char.is_ascii_digit()).unwrap_or(last.len());
    let (number, unit) = last.split_at(end);
    if let Ok(number) = number.parse::<u64>() {
        let near = [number.checked_sub(1), number.checked_add(1)];
        let point = if before.is_empty() { "" } else { "." };
        all.extend(near.into_iter().flatten().map(|near| format!("{before}{point}{near}{unit}")));
    }
    if text.split('.').count() == 3
        && let Some((first, _)) = text.split_once('.')
        && let Some(less) = first.parse::<u64>().ok().and_then(|first| first.checked_sub(1))
    {
        all.push(format!("{less}.9.9"));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::beside;

    #[test]
    fn limits_have_neighbours() {
        assert_eq!(beside("64Gi"), ["64Gi", "63Gi", "65Gi"]);
        assert_eq!(beside("500m"), ["500m", "499m", "501m"]);
        assert_eq!(beside("0.5"), ["0.5", "0.4", "0.6"]);
        assert_eq!(beside("2.0.0"), ["2.0.0", "2.0.1", "1.9.9"]);
        assert_eq!(beside("0"), ["0", "1"]);
        assert_eq!(beside("any"), ["any"]);
    }
}
