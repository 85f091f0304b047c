//! Reasons of one check that look different: `must be below 63Gi` is `must be below NGi`, and `must be below …` of an object that has this
//! very value. `unknown mode: …` is `unknown mode:` of an empty mode, `unknown mode: N` of one that is a number, and more.

use std::collections::BTreeMap;
use takeover_harness::judge::ObservedCheck;

/// Variants of a reason, from this number on, differ by values and not by wording.
const FEWEST_VALUES: usize = 3;
/// Messages of this many characters may be cut inside a value.
const CUT: usize = 160;

/// Puts what was counted of a check under the check that it is another look of, where that is certain.
pub(super) fn put_together<T>(sums: &mut BTreeMap<&ObservedCheck, T>, add: impl Fn(&mut T, T)) {
    let of_values: Vec<&ObservedCheck> =
        sums.keys().copied().filter(|check| check.error_type.is_none() && check.message.contains('…')).collect();
    for check in of_values {
        let others = |is_look: fn(&ObservedCheck, &ObservedCheck) -> bool| -> Vec<&ObservedCheck> {
            sums.keys().copied().filter(|other| is_look(check, other)).collect()
        };
        let (with_value, without) = (others(is_look_of), others(is_without));
        let (looks, one) = match with_value.as_slice() {
            _ if with_value.len() + without.len() >= FEWEST_VALUES => ([with_value, without].concat(), check),
            [other] => (vec![check], *other),
            _ => continue,
        };
        for look in looks {
            if let Some(counted) = sums.remove(look)
                && let Some(sum) = sums.get_mut(one)
            {
                add(sum, counted);
            }
        }
    }
}

/// Whether another message is the same with an empty value, or with one so long that the message was cut.
fn is_without(check: &ObservedCheck, other: &ObservedCheck) -> bool {
    if (&check.field, other.error_type) != (&other.field, None) {
        return false;
    }
    let Some((before, after)) = check.message.split_once('…') else { return false };
    let is_cut = || {
        let begins = !before.trim().is_empty() && other.message.starts_with(before);
        begins && other.message.chars().count() >= CUT
    };
    let words = before.split_whitespace().chain(after.split_whitespace());
    !after.contains('…') && (other.message.split_whitespace().eq(words) || is_cut())
}

/// Whether the message of a check is that of another one with a value where the other has a word of its own.
fn is_look_of(check: &ObservedCheck, other: &ObservedCheck) -> bool {
    let bare = |word: &'_ str| word.trim_matches(|c: char| c.is_ascii_punctuation()).to_owned();
    let is_value = |word: &str, of_check: &str| bare(word) == "…" && bare(of_check) != "…";
    let (words, others) = (check.message.split(' '), other.message.split(' '));
    let mut alike = words.clone().zip(others.clone());
    check != other
        && (&check.field, check.error_type) == (&other.field, other.error_type)
        && words.count() == others.count()
        && alike.clone().any(|(word, of_check)| word == of_check)
        && alike.all(|(word, of_check)| word == of_check || is_value(word, of_check))
}

#[cfg(test)]
mod tests {
    use super::put_together;
    use std::collections::BTreeMap;
    use takeover_harness::judge::ObservedCheck;

    #[test]
    fn a_limit_that_is_the_value_itself_makes_no_other_check() {
        let check = |field: &str, message: &str| ObservedCheck {
            field: field.to_owned(),
            error_type: None,
            message: message.to_owned(),
        };
        let long = format!("tag {}…", "a".repeat(156));
        let all = [
            check("spec.mem", "must be below NGi"),
            check("spec.mem", "must be below …"),
            check("spec.mem", "… is taken"),
            check("spec.cpu", "must be below …"),
            check("spec.size", "at most NGi"),
            check("spec.size", "at most NMi"),
            check("spec.size", "at most …"),
            check("spec.surge", "may not be N% now"),
            check("spec.surge", "may not be … now"),
            check("spec.host", "needs the prefix app-"),
            check("spec.host", "needs the prefix …"),
            check("spec.name", "taken"),
            check("spec.name", "…"),
            check("spec.mode", "unknown mode: …"),
            check("spec.mode", "unknown mode: N"),
            check("spec.mode", "unknown mode: a"),
            check("spec.mode", "unknown mode:"),
            check("spec.tag", "tag … is used twice"),
            check("spec.tag", "tag is used twice"),
            check("spec.tag", "tag a.b is used twice"),
            check("spec.tag", &long),
            check("spec.tag", "tag a.b is used once"),
        ];
        let mut sums: BTreeMap<&ObservedCheck, usize> = all.iter().map(|check| (check, 1)).collect();
        put_together(&mut sums, |sum, more| *sum += more);
        let left: BTreeMap<(&str, &str), usize> =
            sums.iter().map(|(check, count)| ((check.field.as_str(), check.message.as_str()), *count)).collect();
        let expected = BTreeMap::from([
            (("spec.cpu", "must be below …"), 1),
            (("spec.mem", "must be below NGi"), 2),
            (("spec.mem", "… is taken"), 1),
            (("spec.size", "at most NGi"), 1),
            (("spec.size", "at most NMi"), 1),
            (("spec.size", "at most …"), 1),
            (("spec.surge", "may not be N% now"), 2),
            (("spec.host", "needs the prefix app-"), 2),
            (("spec.name", "taken"), 1),
            (("spec.name", "…"), 1),
            (("spec.mode", "unknown mode: …"), 4),
            (("spec.tag", "tag … is used twice"), 4),
            (("spec.tag", "tag a.b is used once"), 1),
        ]);
        assert_eq!(left, expected);
    }
}
