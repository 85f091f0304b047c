//! Which of the cases are used.

use super::sample::{Sample, content_hash};
use super::shape::{Dedup, shape_of};
use crate::load::LoadedCase;
use std::collections::{BTreeSet, HashSet};

/// Why a case is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// Its hash is not among those chosen.
    NotInSample,
    /// One of the same shape came before it.
    SameShape,
}

impl LeftOut {
    /// What it is counted under.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::NotInSample => "not in the sample",
            Self::SameShape => "of a shape seen before",
        }
    }
}

/// Chooses among the cases that it is shown, in their order.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    sample: Option<Sample>,
    /// The hashes that a number of cases stands for, as far as they have not come yet; none before they are known.
    chosen: Option<HashSet<u64>>,
    /// Hashes of the shapes that came: 8 bytes and the set's overhead each.
    shapes: Option<HashSet<u64>>,
}

impl Selection {
    /// Chooses by these settings; without any, everything. Where a number of cases is asked for, [`Selection::count`] must see
    /// the cases first.
    #[must_use]
    pub fn new(sample: Option<Sample>, dedup: Option<Dedup>) -> Self {
        Self { sample, chosen: None, shapes: dedup.map(|Dedup::Shape| HashSet::new()) }
    }

    /// Whether [`Selection::count`] must see the cases first.
    #[must_use]
    pub fn needs_count(&self) -> bool {
        matches!(self.sample, Some(Sample::Count(_))) && self.chosen.is_none()
    }

    /// Finds out which cases a number of them stands for. Holds as many hashes as that number.
    pub fn count<'c>(&mut self, cases: impl Iterator<Item = impl std::borrow::Borrow<LoadedCase> + 'c>) {
        let Some(Sample::Count(most)) = self.sample else { return };
        let mut shapes = self.shapes.clone();
        let mut smallest = BTreeSet::new();
        for case in cases {
            let case = case.borrow();
            if shapes.as_mut().is_some_and(|shapes| !shapes.insert(shape_of(case))) {
                continue;
            }
            smallest.insert(content_hash(case));
            if smallest.len() as u64 > most {
                smallest.pop_last();
            }
        }
        self.chosen = Some(smallest.into_iter().collect());
    }

    /// Whether the next case is used.
    ///
    /// # Errors
    /// Returns an error when it is not, which says why.
    pub fn admit(&mut self, case: &LoadedCase) -> Result<(), LeftOut> {
        if let Some(shapes) = &mut self.shapes
            && !shapes.insert(shape_of(case))
        {
            return Err(LeftOut::SameShape);
        }
        let Some(sample) = self.sample else { return Ok(()) };
        let hash = content_hash(case);
        let taken = match sample.takes(hash) {
            Some(taken) => taken,
            None => self.chosen.as_mut().is_some_and(|chosen| chosen.remove(&hash)),
        };
        if taken { Ok(()) } else { Err(LeftOut::NotInSample) }
    }
}

#[cfg(test)]
mod tests {
    use super::{LeftOut, Selection};
    use crate::load::{Input, Limits, LoadedCase, load};
    use crate::select::{Dedup, Sample};

    fn cases(count: usize) -> Vec<LoadedCase> {
        let text: String =
            (0..count).map(|n| format!("---\napiVersion: v1\nkind: T\nmetadata: {{name: case-{n:03}}}\n")).collect();
        let input = Input::stream("t.yaml", std::io::Cursor::new(text.into_bytes()));
        load(vec![input], Limits::default()).cases().map(Result::unwrap).collect()
    }

    fn admitted(selection: &mut Selection, cases: &[LoadedCase]) -> Vec<usize> {
        (0..cases.len()).filter(|at| selection.admit(&cases[*at]).is_ok()).collect()
    }

    #[test]
    fn a_number_of_cases_is_chosen_by_content_whatever_their_order() {
        let mut cases = cases(50);
        let choose = |cases: &[LoadedCase]| {
            let mut selection = Selection::new(Some(Sample::Count(7)), None);
            selection.count(cases.iter());
            let taken = admitted(&mut selection, cases);
            let mut objects: Vec<String> =
                taken.iter().map(|at| format!("{:?} {}", cases[*at].case.object, cases[*at].case.operation)).collect();
            objects.sort();
            objects
        };
        let chosen = choose(&cases);
        assert_eq!(chosen.len(), 7);
        cases.reverse();
        assert_eq!(choose(&cases), chosen);
        // The same content once more is the same case.
        let twice = [cases.clone(), cases].concat();
        assert_eq!(choose(&twice), chosen);
    }

    #[test]
    fn a_share_is_about_that_part_and_grows_with_it() {
        let cases = cases(200);
        let taken = |share| admitted(&mut Selection::new(Some(Sample::Share(share)), None), &cases);
        let (tenth, half, all) = (taken(100_000), taken(500_000), taken(1_000_000));
        assert!(
            (20..=60).contains(&tenth.len()) && (150..=250).contains(&half.len()),
            "{} {}",
            tenth.len(),
            half.len()
        );
        assert!(tenth.iter().all(|case| half.contains(case)));
        assert_eq!(all.len(), 400);
    }

    #[test]
    fn one_case_of_each_shape_is_used() {
        let cases = cases(10);
        let mut selection = Selection::new(None, Some(Dedup::Shape));
        assert_eq!(admitted(&mut selection, &cases), [0, 1], "the creation and the update");
        assert_eq!(selection.admit(&cases[2]), Err(LeftOut::SameShape));
        assert_eq!(selection.admit(&cases[3]).unwrap_err().reason(), "of a shape seen before");
    }

    #[test]
    fn shapes_tell_words_lengths_and_signs_apart_and_not_names() {
        let shape = |text: &str| {
            let input = Input::stream("t.yaml", std::io::Cursor::new(text.as_bytes().to_vec()));
            super::shape_of(&load(vec![input], Limits::default()).cases().next().unwrap().unwrap())
        };
        let of = |rest: &str| shape(&format!("apiVersion: v1\nkind: T\nspec: {rest}\n"));
        assert_eq!(of("{n: 12, s: abc-1}"), of("{n: 57, s: xyz-9}"));
        assert_eq!(of("{l: [a1, b2]}"), of("{l: [a1, b2, c3]}"));
        assert_eq!(of("{m: {a.b/c: x}}"), of("{m: {a.b/d: z}}"));
        for (one, other) in [
            ("{n: 1}", "{n: -1}"),
            ("{n: 0}", "{n: 1}"),
            ("{n: 9}", "{n: 10}"),
            ("{s: Always}", "{s: Never}"),
            ("{s: ''}", "{s: a}"),
            ("{s: abc}", "{s: abcdefgh}"),
            ("{l: []}", "{l: [1]}"),
            ("{a: 1}", "{b: 1}"),
            ("{a: null}", "{}"),
        ] {
            assert_ne!(of(one), of(other), "{one} {other}");
        }
    }
}
