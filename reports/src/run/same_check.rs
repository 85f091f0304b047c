//! Reasons of one check that look different: `must be below 63Gi` is `must be below NGi`, and `must be below …` of an object that has this very
//! value.

use std::collections::BTreeMap;
use takeover_harness::judge::ObservedCheck;

/// Puts what was counted of a check under the check that it is another look of, where that is certain.
pub(super) fn put_together<T>(sums: &mut BTreeMap<&ObservedCheck, T>, add: impl Fn(&mut T, T)) {
    let of_values: Vec<&ObservedCheck> =
        sums.keys().copied().filter(|check| check.error_type.is_none() && check.message.contains('…')).collect();
    for check in of_values {
        let mut others = sums.keys().copied().filter(|other| is_look_of(check, other));
        let (Some(other), None) = (others.next(), others.next()) else { continue };
        if let Some(looks) = sums.remove(check)
            && let Some(sum) = sums.get_mut(other)
        {
            add(sum, looks);
        }
    }
}

/// Whether the message of a check is that of another one with a value where the other has a number.
fn is_look_of(check: &ObservedCheck, other: &ObservedCheck) -> bool {
    let (words, others) = (check.message.split(' '), other.message.split(' '));
    let is_limit = |word: &str, number: &str| {
        let of_value = word.trim_matches(|c: char| c.is_ascii_punctuation());
        of_value == "…" && is_quantity(number.trim_matches(|c: char| c.is_ascii_punctuation() && c != '%'))
    };
    check != other
        && (&check.field, check.error_type) == (&other.field, other.error_type)
        && words.clone().count() == others.clone().count()
        && words.zip(others).all(|(word, other)| word == other || is_limit(word, other))
}

/// Whether a word is a number and perhaps its unit: `NGi`, `N%`, `Nh`.
fn is_quantity(word: &str) -> bool {
    word.strip_prefix('N')
        .is_some_and(|unit| unit == "%" || (unit.len() <= 3 && unit.chars().all(|letter| letter.is_ascii_alphabetic())))
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
        ]);
        assert_eq!(left, expected);
    }
}
