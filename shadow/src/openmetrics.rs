//! Metrics in the form of OpenMetrics 1.0, which has exemplars; the client library writes the text form only.
//!
//! Source: <https://prometheus.io/docs/specs/om/open_metrics_spec/>.

use prometheus::proto::{LabelPair, Metric, MetricFamily, MetricType};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The content type of this form.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Most characters of an exemplar's labels, names and values together.
const LONGEST: usize = 128;

/// Name of the label that says where something was seen.
const SEEN_IN: &str = "seen_in";

/// Where something that is counted was seen lately, by counter and the value of its first label; empty where it has none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exemplars(BTreeMap<(String, String), Exemplar>);

/// Where something was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Exemplar {
    labels: Vec<(&'static str, String)>,
    at: jiff::Timestamp,
}

impl Exemplars {
    /// Notes where something that `counter` counts under `label` was seen, and what else there is to say of it by `more` labels. What is
    /// too long for the form is left out: first the other labels, then the exemplar.
    pub fn note(
        &mut self,
        counter: &str,
        label: &str,
        seen_in: &str,
        more: &[(&'static str, String)],
        at: jiff::Timestamp,
    ) {
        let mut left = LONGEST;
        let mut fits = |(name, value): &(&'static str, String)| {
            let rest = left.checked_sub(name.len() + value.chars().count());
            left = rest.unwrap_or(left);
            rest.is_some()
        };
        let seen_in = (SEEN_IN, seen_in.to_owned());
        if fits(&seen_in) {
            let more = more.iter().filter(|label| fits(label)).cloned();
            let labels = std::iter::once(seen_in).chain(more).collect();
            self.0.insert((counter.to_owned(), label.to_owned()), Exemplar { labels, at });
        }
    }

    fn find(&self, counter: &str, labels: &[LabelPair]) -> Option<&Exemplar> {
        let label = labels.first().map_or("", LabelPair::value);
        self.0.get(&(counter.to_owned(), label.to_owned()))
    }
}

/// Whether a request with this Accept header is better answered in this form than as text.
#[must_use]
pub fn is_wanted(accept: &str) -> bool {
    let mut best = (0.0, false);
    for offer in accept.split(',') {
        let mut parts = offer.split(';').map(str::trim);
        let is_this = match parts.next() {
            Some(name) if name.eq_ignore_ascii_case("application/openmetrics-text") => true,
            Some("text/plain" | "text/*" | "*/*") => false,
            _ => continue,
        };
        let parameters: Vec<(&str, &str)> = parts.filter_map(|part| part.split_once('=')).collect();
        let parameter = |wanted: &str| parameters.iter().find(|(name, _)| *name == wanted).map(|(_, value)| *value);
        if is_this && !matches!(parameter("version"), None | Some("1.0.0" | "0.0.1")) {
            continue;
        }
        let quality = parameter("q").map_or(1.0, |quality| quality.parse().unwrap_or(0.0));
        if quality > best.0 {
            best = (quality, is_this);
        }
    }
    best.1
}

/// The metrics in this form.
///
/// # Errors
/// When there is one of a type that this program does not have.
pub fn encode(families: &[MetricFamily], exemplars: &Exemplars) -> Result<String, prometheus::Error> {
    let mut out = String::new();
    for family in families {
        let (name, kind) = match family.get_field_type() {
            // The suffix belongs to the sample, not to the family.
            MetricType::COUNTER => (family.name().strip_suffix("_total").unwrap_or(family.name()), "counter"),
            MetricType::GAUGE => (family.name(), "gauge"),
            MetricType::HISTOGRAM => (family.name(), "histogram"),
            other => return Err(prometheus::Error::Msg(format!("`{}` is of type {other:?}", family.name()))),
        };
        let _ = writeln!(out, "# TYPE {name} {kind}\n# HELP {name} {}", escaped(family.help()));
        for metric in family.get_metric() {
            match family.get_field_type() {
                MetricType::COUNTER => {
                    let exemplar = exemplars.find(family.name(), metric.get_label());
                    sample(
                        &mut out,
                        &format!("{name}_total"),
                        metric,
                        None,
                        metric.get_counter().get_value(),
                        exemplar,
                    );
                }
                MetricType::GAUGE => sample(&mut out, name, metric, None, metric.get_gauge().get_value(), None),
                _ => histogram(&mut out, name, metric),
            }
        }
    }
    out.push_str("# EOF\n");
    Ok(out)
}

fn histogram(out: &mut String, name: &str, metric: &Metric) {
    let histogram = metric.get_histogram();
    #[expect(clippy::cast_precision_loss, reason = "the form has floating point numbers only")]
    let float = |count: u64| count as f64;
    let buckets = histogram.get_bucket().iter().map(|bucket| (bucket.upper_bound(), bucket.cumulative_count()));
    let all = (f64::INFINITY, histogram.get_sample_count());
    for (bound, count) in buckets.filter(|(bound, _)| bound.is_finite()).chain([all]) {
        sample(out, &format!("{name}_bucket"), metric, Some(&number(bound)), float(count), None);
    }
    sample(out, &format!("{name}_sum"), metric, None, histogram.get_sample_sum(), None);
    sample(out, &format!("{name}_count"), metric, None, float(histogram.get_sample_count()), None);
}

fn sample(out: &mut String, name: &str, metric: &Metric, bound: Option<&str>, value: f64, exemplar: Option<&Exemplar>) {
    let labels = metric.get_label().iter().map(|label| (label.name(), label.value()));
    let labels = labels.chain(bound.map(|bound| ("le", bound)));
    let labels: Vec<String> = labels.map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    out.push_str(name);
    if !labels.is_empty() {
        let _ = write!(out, "{{{}}}", labels.join(","));
    }
    let _ = write!(out, " {}", number(value));
    if let Some(Exemplar { labels, at }) = exemplar {
        let millis = at.as_millisecond();
        let (seconds, rest) = (millis.div_euclid(1000), millis.rem_euclid(1000));
        let labels: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        let _ = write!(out, " # {{{}}} 1.0 {seconds}.{rest:03}", labels.join(","));
    }
    out.push('\n');
}

/// Whole numbers have a decimal point: bounds of buckets are compared as text, and other clients write them so.
fn number(value: f64) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned()
    } else if value.fract() == 0.0 {
        format!("{value:.1}")
    } else {
        value.to_string()
    }
}

fn escaped(text: &str) -> Cow<'_, str> {
    if text.contains(['\\', '\n', '"']) {
        text.replace('\\', "\\\\").replace('\n', "\\n").replace('"', "\\\"").into()
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::{Exemplars, encode, is_wanted};
    use prometheus::{GaugeVec, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, Opts, Registry};

    fn registry() -> Registry {
        let registry = Registry::new();
        let plain = IntCounter::new("mismatch_total", "Errors.").unwrap();
        let counters = IntCounterVec::new(Opts::new("by_rule_total", "A \"rule\" of\nC:\\."), &["rule"]).unwrap();
        let gauge = GaugeVec::new(Opts::new("length", "Waiting."), &["of"]).unwrap();
        let times = HistogramOpts::new("seconds", "Times.").buckets(vec![0.25, 1.0]);
        let times = HistogramVec::new(times, &["side"]).unwrap();
        plain.inc_by(3);
        counters.with_label_values(&["a\"b\\c\nd"]).inc();
        counters.with_label_values(&["z"]).inc_by(2);
        gauge.with_label_values(&["q"]).set(-0.5);
        for time in [0.125, 0.5, 7.0] {
            times.with_label_values(&["left"]).observe(time);
        }
        registry.register(Box::new(plain)).unwrap();
        registry.register(Box::new(counters)).unwrap();
        registry.register(Box::new(gauge)).unwrap();
        registry.register(Box::new(times)).unwrap();
        registry
    }

    #[test]
    fn every_type_is_written_as_the_standard_has_it() {
        let mut exemplars = Exemplars::default();
        let at = "2026-01-02T03:04:05.678Z".parse().unwrap();
        let why = [("relation", "kept".to_owned()), ("cause", "ratchets".to_owned())];
        exemplars.note("mismatch_total", "", "admission review \"u-1\"", &why, at);
        exemplars.note("by_rule_total", "z", "admission review u-2", &[], at);
        exemplars.note("by_rule_total", "no such rule", "nowhere", &[], at);
        assert_eq!(
            encode(&registry().gather(), &exemplars).unwrap(),
            r#"# TYPE by_rule counter
# HELP by_rule A \"rule\" of\nC:\\.
by_rule_total{rule="a\"b\\c\nd"} 1.0
by_rule_total{rule="z"} 2.0 # {seen_in="admission review u-2"} 1.0 1767323045.678
# TYPE length gauge
# HELP length Waiting.
length{of="q"} -0.5
# TYPE mismatch counter
# HELP mismatch Errors.
mismatch_total 3.0 # {seen_in="admission review \"u-1\"",relation="kept",cause="ratchets"} 1.0 1767323045.678
# TYPE seconds histogram
# HELP seconds Times.
seconds_bucket{side="left",le="0.25"} 1.0
seconds_bucket{side="left",le="1.0"} 2.0
seconds_bucket{side="left",le="+Inf"} 3.0
seconds_sum{side="left"} 7.625
seconds_count{side="left"} 3.0
# EOF
"#
        );
    }

    #[test]
    fn an_exemplar_that_is_too_long_for_the_form_is_left_out() {
        let at = "2026-01-02T03:04:05Z".parse().unwrap();
        let mut exemplars = Exemplars::default();
        let cause = [("cause", "ratchets".to_owned())];
        exemplars.note("mismatch_total", "", &"ü".repeat(121), &cause, at);
        let kept = exemplars.find("mismatch_total", &[]).map(|exemplar| exemplar.labels.len());
        assert_eq!(kept, Some(1), "there is room for where it was seen alone");
        let before = exemplars.clone();
        exemplars.note("mismatch_total", "", &"u".repeat(122), &[], at);
        assert_eq!(exemplars, before);
    }

    #[test]
    fn the_form_is_the_one_that_is_asked_for_most() {
        let prometheus = "application/openmetrics-text;version=1.0.0;q=0.75,application/openmetrics-text;version=0.0.1;q=0.5,\
                          text/plain;version=0.0.4;q=0.25,*/*;q=0.1";
        for (accept, wanted) in [
            (prometheus, true),
            ("application/openmetrics-text", true),
            ("", false),
            ("*/*", false),
            ("text/plain", false),
            ("text/plain, application/openmetrics-text; q=0.5", false),
            ("text/plain; q=0.5, application/openmetrics-text; version=1.0.0", true),
            ("application/openmetrics-text; version=7.0.0", false),
            ("application/openmetrics-text; q=0", false),
            ("application/openmetrics-text; q=x, text/plain; q=0.1", false),
        ] {
            assert_eq!(is_wanted(accept), wanted, "{accept}");
        }
    }
}
