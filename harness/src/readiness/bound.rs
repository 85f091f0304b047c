//! What the cases seen say about those not seen.

use puruspe::ln_gamma;

/// Halvings of the interval that holds the bound: what is left of it is less than a rate can be told apart by.
const HALVINGS: usize = 64;
/// Most terms of the continued fraction; it needs some multiple of the square root of the number of cases.
const TERMS: u32 = 1_000_000;

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
    // The chance of more mismatches than were seen grows with the rate. Halving cannot lose its way, as steps along the slope do
    // where the slope is too steep for a number; and what is no number counts as too small a chance, so that the bound errs upwards.
    let (mut low, mut high) = (seen / cases, 1.0);
    for _ in 0..HALVINGS {
        let rate = f64::midpoint(low, high);
        if incomplete_beta(seen + 1.0, cases - seen, rate) >= confidence {
            high = rate;
        } else {
            low = rate;
        }
    }
    high
}

/// The regularised incomplete beta function, the chance of at least `a` in `a + b - 1` at the rate `x`. By its continued fraction: the
/// library's function integrates where both numbers are large, and is wrong there.
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let ahead = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp();
    // The fraction converges quickly below the mean; above it, the other side's does.
    if x < (a + 1.0) / (a + b + 2.0) {
        ahead / (a * fraction(a, b, x))
    } else {
        1.0 - ahead / (b * fraction(b, a, 1.0 - x))
    }
}

/// The denominator 1 + d1 / (1 + d2 / (1 + …)) of the incomplete beta function, from its first term on (Lentz).
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    let nonzero = |value: f64| if value.abs() < f64::MIN_POSITIVE { f64::MIN_POSITIVE } else { value };
    let (mut value, mut numerator, mut denominator) = (1.0, 1.0, 0.0);
    for term in 1..TERMS {
        let half = f64::from(term / 2);
        let of = |top: f64, bottom: f64| top * x / bottom;
        let step = if term % 2 == 0 {
            of(half * (b - half), (a + 2.0 * half - 1.0) * (a + 2.0 * half))
        } else {
            of(-(a + half) * (a + b + half), (a + 2.0 * half) * (a + 2.0 * half + 1.0))
        };
        denominator = 1.0 / nonzero(1.0 + step * denominator);
        numerator = nonzero(1.0 + step / numerator);
        let change = numerator * denominator;
        value *= change;
        if (change - 1.0).abs() <= f64::EPSILON {
            break;
        }
    }
    value
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
    fn many_cases_leave_what_the_normal_distribution_leaves() {
        for n in [100_000_u64, 130_001, 397_312, 1_000_000, 20_000_000, 4_000_000_000] {
            for share in [0.000_3, 0.001, 0.004, 0.02, 0.3, 0.7, 0.999] {
                let k = (n as f64 * share) as u64;
                let (rate, bound) = (k as f64 / n as f64, upper_bound(k, n, 0.95));
                let margin = 1.644_853_6 * (rate * (1.0 - rate) / n as f64).sqrt();
                let (found, shown) = (bound - rate, format!("{k} of {n}: {bound}"));
                assert!(found > 0.0 && bound < 1.0, "{shown}");
                // The distribution is skewed where mismatches are few.
                assert!((found / margin - 1.0).abs() < 0.35, "{shown}: {found} instead of {margin}");
            }
        }
    }

    #[test]
    fn every_number_of_mismatches_has_a_bound() {
        for n in [1_u64, 2, 17, 1000, 65_536, 199_000, u64::from(u32::MAX)] {
            for k in (0..64).map(|power| 1_u64 << power).take_while(|k| *k < n).chain([n - 1]) {
                let bound = upper_bound(k, n, 0.95);
                assert!(bound >= k as f64 / n as f64 && bound <= 1.0, "{k} of {n}: {bound}");
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
