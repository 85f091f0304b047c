//! Difference of two multisets.

/// The members of `expected` that `found` lacks, and the reverse, counting multiplicity, in input order.
pub(super) fn difference<T>(expected: &[T], found: &[T], same: impl Fn(&T, &T) -> bool) -> (Vec<usize>, Vec<usize>) {
    let mut left: Vec<usize> = (0..found.len()).collect();
    let mut missing = Vec::new();
    for (index, want) in expected.iter().enumerate() {
        match left.iter().position(|got| found.get(*got).is_some_and(|got| same(want, got))) {
            Some(at) => {
                left.remove(at);
            }
            None => missing.push(index),
        }
    }
    (missing, left)
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn multiplicity_counts_and_order_does_not() {
        let same = |a: &u8, b: &u8| a == b;
        for (expected, found, missing, unexpected) in [
            (vec![], vec![], vec![], vec![]),
            (vec![1, 2], vec![2, 1], vec![], vec![]),
            (vec![1, 1], vec![1], vec![1], vec![]),
            (vec![1], vec![1, 1], vec![], vec![1]),
            (vec![1, 2], vec![3], vec![0, 1], vec![0]),
        ] {
            assert_eq!(difference(&expected, &found, same), (missing, unexpected), "{expected:?} {found:?}");
        }
    }
}
