//! Which values of a list were there before.

use std::collections::BTreeSet;

/// How many values are kept without a set: most lists are shorter.
const FEW: usize = 8;

/// The values of a list that were there before. A short list allocates nothing, a long one is not looked through.
#[derive(Debug, Default)]
pub struct Distinct<'a> {
    few: [&'a str; FEW],
    len: usize,
    many: BTreeSet<&'a str>,
}

impl<'a> Distinct<'a> {
    /// Adds a value; false when it was there before.
    pub fn insert(&mut self, value: &'a str) -> bool {
        if self.few.iter().take(self.len).any(|known| *known == value) {
            return false;
        }
        match self.few.get_mut(self.len) {
            Some(place) => {
                *place = value;
                self.len += 1;
                true
            }
            None => self.many.insert(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Distinct;

    #[test]
    fn a_value_is_new_once_in_short_and_long_lists() {
        let values: Vec<String> = (0..20).map(|number| number.to_string()).collect();
        let mut distinct = Distinct::default();
        for (at, value) in values.iter().enumerate() {
            assert!(distinct.insert(value), "{value}");
            assert!(values.iter().take(at + 1).all(|value| !distinct.insert(value)), "{value}");
        }
        assert!(distinct.insert("") && !distinct.insert(""));
    }
}
