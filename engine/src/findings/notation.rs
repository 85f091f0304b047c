//! Long values made short without loss: a list or text whose end repeats its last item or character says how many there are
//! in all.

use serde_json::{Map, Value};
use std::fmt::Write as _;

/// Repetitions that are written out.
const WRITTEN_OUT: usize = 4;

/// `value` with long repetitions cut: `["a","a","a","a","a"]` is `["a","… 5 in all"]`, `"aaaaa"` is `"a… 5 in all"`.
pub(super) fn compact(value: &Value) -> Value {
    match value {
        Value::Array(items) => {
            let repeated = items.last().map_or(0, |last| items.iter().rev().take_while(|item| *item == last).count());
            let cut = if repeated > WRITTEN_OUT { repeated - 1 } else { 0 };
            let mut shown: Vec<Value> = items.iter().take(items.len() - cut).map(compact).collect();
            if cut > 0 {
                shown.push(Value::from(format!("… {} in all", items.len())));
            }
            Value::Array(shown)
        }
        Value::Object(members) => {
            Value::Object(members.iter().map(|(key, value)| (key.clone(), compact(value))).collect::<Map<_, _>>())
        }
        Value::String(text) => {
            let count = text.chars().count();
            let repeated =
                text.chars().next_back().map_or(0, |last| text.chars().rev().take_while(|c| *c == last).count());
            // What replaces the rest is itself of some length.
            if repeated <= 4 * WRITTEN_OUT {
                return value.clone();
            }
            let shown: String = text.chars().take(count - repeated + 1).collect();
            Value::from(format!("{shown}… {count} in all"))
        }
        plain => plain.clone(),
    }
}

/// JSON text with everything escaped that does not show: what is neither ASCII nor a letter or digit, but for `…`.
pub(super) fn visible(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() || c.is_alphanumeric() || c == '…' {
            text.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{compact, visible};
    use serde_json::{Value, json};

    #[test]
    fn only_long_repetitions_at_the_end_are_cut() {
        for (value, short) in [
            (json!(["a", "a", "a", "a"]), json!(["a", "a", "a", "a"])),
            (json!(["a", "a", "a", "a", "a"]), json!(["a", "… 5 in all"])),
            (json!([1, 2, 2, 2, 2, 2]), json!([1, 2, "… 6 in all"])),
            (json!([]), json!([])),
            (json!("a".repeat(16)), json!("a".repeat(16))),
            (json!({"b": format!(".{}", "é".repeat(17))}), json!({"b": ".é… 18 in all"})),
            (json!(vec!["a".repeat(17); 5]), json!(["a… 17 in all", "… 5 in all"])),
            (Value::Null, Value::Null),
        ] {
            assert_eq!(compact(&value), short);
        }
    }

    #[test]
    fn what_does_not_show_is_escaped() {
        assert_eq!(visible("aéſ…\u{feff}\u{1f600}"), "aéſ…\\ufeff\\ud83d\\ude00");
    }
}
