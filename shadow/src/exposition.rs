//! Metrics in the text form, read back.

use std::collections::BTreeMap;

/// Samples of a text exposition by name with labels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exposition(BTreeMap<String, f64>);

impl Exposition {
    /// Reads the text form; lines that are no samples are passed over.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let sample = |line: &str| {
            let (name, value) = line.rsplit_once(' ')?;
            Some((name.to_owned(), value.parse().ok()?))
        };
        Self(text.lines().filter(|line| !line.starts_with('#')).filter_map(sample).collect())
    }

    /// The value of a sample without labels; 0 when it is not there.
    #[must_use]
    pub fn value(&self, name: &str) -> f64 {
        self.0.get(name).copied().unwrap_or_default()
    }

    /// The sum of all samples of a metric.
    #[must_use]
    pub fn sum(&self, name: &str) -> f64 {
        self.of(name).map(|(_, value)| value).sum()
    }

    /// Whether there is a sample of a metric.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.of(name).next().is_some()
    }

    /// The value of the first sample of a metric with this label, such as `name="value"`.
    #[must_use]
    pub fn labelled(&self, name: &str, label: &str) -> Option<f64> {
        self.of(name).find(|(labels, _)| labels.contains(label)).map(|(_, value)| value)
    }

    /// The value of a label of the first sample of a metric.
    #[must_use]
    pub fn label_of(&self, name: &str, label: &str) -> Option<String> {
        let (labels, _) = self.of(name).next()?;
        let (_, value) = labels.split_once(&format!("{label}=\""))?;
        value.split_once('"').map(|(value, _)| value.to_owned())
    }

    /// The samples of a metric that has a single label, by its value; those that are 0 are left out.
    #[must_use]
    pub fn by_label(&self, name: &str) -> BTreeMap<String, u64> {
        let label = |labels: &str| labels.split('"').nth(1).unwrap_or_default().to_owned();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "counters are whole and not negative"
        )]
        let counts = self.of(name).map(|(labels, value)| (label(labels), value as u64));
        counts.filter(|(_, count)| *count > 0).collect()
    }

    fn of<'e>(&'e self, name: &'e str) -> impl Iterator<Item = (&'e str, f64)> {
        let samples = self.0.range(name.to_owned()..).take_while(move |(sample, _)| sample.starts_with(name));
        samples.filter_map(move |(sample, value)| {
            let labels = sample.strip_prefix(name)?;
            (labels.is_empty() || labels.starts_with('{')).then_some((labels, *value))
        })
    }

    /// What was counted since `before`.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let of = |(name, value): (&String, &f64)| (name.clone(), value - before.value(name));
        Self(self.0.iter().map(of).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::Exposition;

    const TEXT: &str = "# HELP a_total What.\n# TYPE a_total counter\na_total{of=\"x y\"} 3\na_total{of=\"z\"} 4\na_total{of=\"none\"} 0\n\
                        a_total_other 9\nlength 7\nsomething\n";

    #[test]
    fn samples_are_found_summed_and_compared() {
        let read = Exposition::read(TEXT);
        assert_eq!((read.value("length"), read.sum("a_total"), read.sum("b")), (7.0, 7.0, 0.0));
        assert_eq!((read.labelled("a_total", "of=\"z\""), read.labelled("a_total", "of=\"a\"")), (Some(4.0), None));
        assert_eq!(read.label_of("a_total", "of").as_deref(), Some("none"));
        assert!(read.has("a_total") && !read.has("a"));
        assert_eq!(read.by_label("a_total"), [("x y".to_owned(), 3), ("z".to_owned(), 4)].into());
        let later = Exposition::read(&TEXT.replace("} 4", "} 10"));
        assert_eq!(later.since(&read).by_label("a_total"), [("z".to_owned(), 6)].into());
    }
}
