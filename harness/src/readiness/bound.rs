//! What the cases seen say about those not seen.

use puruspe::invbetai;

/// The exact (Clopper–Pearson) one-sided upper bound of the rate of mismatches, after `mismatches` in `compared` independent
/// cases: a larger true rate would have shown so few with a chance of at most 1 − `confidence`. 1 when nothing was compared.
///
/// ```
/// use takeover_harness::readiness::upper_bound;
/// // The rule of three: none in 300 cases leaves at most about 3/300.
/// assert!((upper_bound(0, 300, 0.95) - 0.00994).abs() < 1e-5);
/// ```
#[must_use]
pub fn upper_bound(mismatches: u64, compared: u64, confidence: f64) -> f64 {
    if mismatches >= compared {
        return 1.0;
    }
    let cases = compared as f64;
    if mismatches == 0 {
        // The closed form, exact also for numbers of cases at which iterations lose their way.
        return -((1.0 - confidence).ln() / cases).exp_m1();
    }
    let seen = mismatches as f64;
    invbetai(confidence, seen + 1.0, cases - seen)
}

#[cfg(test)]
mod tests {
    use super::upper_bound;

    /// The chance of at most `k` mismatches in `n` cases at rate `p`, summed up term by term.
    fn chance(k: u64, n: u64, p: f64) -> f64 {
        let (mut term, mut sum) = ((1.0 - p).powf(n as f64), 0.0);
        for i in 0..=k {
            sum += term;
            term *= (n - i) as f64 / (i + 1) as f64 * p / (1.0 - p);
        }
        sum
    }

    #[test]
    fn at_the_bound_so_few_mismatches_have_the_remaining_chance() {
        for (k, n) in [(0, 1), (0, 299), (0, 5000), (1, 10), (1, 1000), (3, 50), (10, 400), (49, 50)] {
            for confidence in [0.5, 0.9, 0.95, 0.99] {
                let bound = upper_bound(k, n, confidence);
                let left = chance(k, n, bound);
                assert!((left - (1.0 - confidence)).abs() < 1e-6, "{k} of {n} at {confidence}: {bound} leaves {left}");
            }
        }
    }

    #[test]
    fn nothing_compared_or_all_wrong_rules_nothing_out() {
        assert_eq!((upper_bound(0, 0, 0.95), upper_bound(7, 7, 0.95), upper_bound(9, 7, 0.95)), (1.0, 1.0, 1.0));
    }

    #[test]
    fn more_cases_lower_the_bound_and_more_mismatches_raise_it() {
        assert!(upper_bound(0, 1000, 0.95) < upper_bound(0, 100, 0.95));
        assert!(upper_bound(2, 1000, 0.95) > upper_bound(1, 1000, 0.95));
        let tiny = upper_bound(0, u64::MAX, 0.95);
        assert!(tiny > 0.0 && tiny < 1e-18, "{tiny}");
    }
}
