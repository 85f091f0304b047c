//! Values next to a limit.

use serde_json::{Number, Value};

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
