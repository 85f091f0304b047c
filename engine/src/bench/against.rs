//! Measures two builds in turn, so that other load on the machine slows both.

use super::measure::quartiles;
use super::row::Row;
use anyhow::{Context as _, ensure};
use serde::Serialize;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

/// A line that both builds print.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Paired {
    /// The subject.
    pub subject: String,
    /// What was measured.
    pub what: String,
    /// The steps that the time of an item includes.
    pub includes: String,
    /// Nanoseconds per item in the other build, the median of the rounds.
    pub before_ns: f64,
    /// Nanoseconds per item in this build, the median of the rounds.
    pub after_ns: f64,
    /// The time of the other build divided by that of this one, the median of the rounds.
    pub ratio: f64,
    /// The lowest and the highest ratio of a round.
    pub spread: (f64, f64),
}

/// The result of measuring two builds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Against {
    /// How often each build was measured.
    pub rounds: usize,
    /// The lines that both builds print.
    pub lines: Vec<Paired>,
    /// Lines that only the other build prints.
    pub only_before: Vec<String>,
    /// Lines that only this build prints.
    pub only_after: Vec<String>,
}

/// Measures the builds `before` and `after` in turn, `rounds` times each, and passes the number of each round to `say`. `arguments` are
/// those of `bench`, with `--format json`.
///
/// # Errors
/// Returns an error when a build cannot be started, fails, or prints no such lines.
pub fn against(
    [before, after]: [&Path; 2],
    arguments: &[OsString],
    rounds: usize,
    say: &dyn Fn(usize),
) -> anyhow::Result<Against> {
    let mut measured: Vec<[Vec<Row>; 2]> = Vec::new();
    for round in 0..rounds {
        say(round);
        // The order alternates, because the first build of a round may run on a colder machine.
        let (one, other) = if round % 2 == 0 { (before, after) } else { (after, before) };
        let (one, other) = (rows(one, arguments)?, rows(other, arguments)?);
        measured.push(if round % 2 == 0 { [one, other] } else { [other, one] });
    }
    Ok(paired(&measured))
}

fn rows(program: &Path, arguments: &[OsString]) -> anyhow::Result<Vec<Row>> {
    let name = program.display();
    let output = Command::new(program)
        .args(arguments)
        .stderr(Stdio::piped())
        .output()
        .with_context(|| format!("failed to start `{name}`"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`{name}` failed with {}: {}", output.status, said.trim());
    serde_json::from_slice(&output.stdout)
        .with_context(|| format!("`{name}` printed no lines of `bench --format json`"))
}

/// Joins the rows of both builds over all rounds.
fn paired(rounds: &[[Vec<Row>; 2]]) -> Against {
    let mut lines = Vec::new();
    let [mut only_before, mut only_after] = [Vec::new(), Vec::new()];
    let Some([before, after]) = rounds.first() else { return Against::default() };
    let is_same = |one: &Row, other: &Row| one.subject == other.subject && one.what == other.what;
    let name = |row: &Row| format!("{}: {}", row.subject, row.what);
    only_after.extend(after.iter().filter(|row| !before.iter().any(|known| is_same(known, row))).map(name));
    for row in before {
        let of = |side: usize| {
            let rows = rounds.iter().filter_map(move |round| round.get(side)?.iter().find(|known| is_same(known, row)));
            rows.map(|row| row.median_ns).collect::<Vec<f64>>()
        };
        let (slow, quick) = (of(0), of(1));
        let Some(known) = after.iter().find(|known| is_same(known, row)) else {
            only_before.push(name(row));
            continue;
        };
        let ratios = slow.iter().zip(&quick).map(|(before, after)| before / after);
        let [least, _, ratio, _, most] = quartiles(ratios.collect());
        let [before_ns, after_ns] = [slow, quick].map(|side| {
            let [_, _, median, ..] = quartiles(side);
            median
        });
        let Row { subject, what, includes, .. } = known.clone();
        lines.push(Paired { subject, what, includes, before_ns, after_ns, ratio, spread: (least, most) });
    }
    Against { rounds: rounds.len(), lines, only_before, only_after }
}

#[cfg(test)]
mod tests {
    use super::paired;
    use crate::bench::Row;
    use serde_json::json;

    fn row(what: &str, median: f64) -> Row {
        let row = json!({"subject": "v1 Thing", "what": what, "includes": "all", "medianNs": median, "lowNs": 1.0, "highNs": 1.0,
            "leastNs": 1.0, "perSecond": 1.0, "timesDecode": 1.0});
        serde_json::from_value(row).unwrap()
    }

    #[test]
    fn rounds_are_paired_and_their_spread_is_kept() {
        let rounds = [(8.0, 4.0), (30.0, 10.0), (5.0, 5.0)].map(|(before, after)| {
            [vec![row("decode", before), row("gone", 1.0)], vec![row("decode", after), row("new", 1.0)]]
        });
        let against = paired(&rounds);
        let [line] = against.lines.as_slice() else { panic!("{:?}", against.lines) };
        // A round that is slow for both builds does not change the median ratio.
        assert_eq!((line.ratio, line.spread), (2.0, (1.0, 3.0)));
        assert_eq!((line.before_ns, line.after_ns, against.rounds), (8.0, 5.0, 3));
        assert_eq!(against.only_before, ["v1 Thing: gone"]);
        assert_eq!(against.only_after, ["v1 Thing: new"]);
    }
}
