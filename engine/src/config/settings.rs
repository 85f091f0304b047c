//! `takeover.toml`: what a project decides once.

use super::exceptions;
use super::mistake::{TomlMistake, TomlText};
use super::sections::{BudgetSection, CorporaSection, GateSection, SubjectsSection};
use crate::bounded;
use crate::catalogue::{CatalogueError, PairCatalogue, PairDescription};
use crate::plan::JudgingPlan;
use anyhow::Context as _;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use takeover_corpora::load::Input;
use takeover_harness::exception::Exceptions;
use takeover_harness::readiness::ReadinessPolicy;
use takeover_harness::subject::{PairId, SubjectId};
use takeover_oracles::registry::Registry;

/// The file that is read when none is named.
pub const FILE: &str = "takeover.toml";

/// Every setting with its meaning and default.
pub const EXAMPLE: &str = include_str!("example.toml");

/// The settings of a project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Config {
    /// What is judged.
    pub subjects: SubjectsSection,
    /// Which objects it is judged on, beside generated ones.
    pub corpora: CorporaSection,
    /// How much is generated.
    pub budget: BudgetSection,
    /// What is held against the result.
    pub gate: GateSection,
    /// How much evidence a rule needs.
    pub policy: ReadinessPolicy,
    /// Pairs beside the built-in ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pair: Vec<PairDescription>,
    /// The pairs of the command line, which are judged instead.
    #[serde(skip)]
    of_flags: Vec<PairDescription>,
    /// The folder that paths are relative to: that of the file.
    #[serde(skip)]
    folder: PathBuf,
    /// The file and its text, for pointing at mistakes; empty if there is no file.
    #[serde(skip)]
    source: (PathBuf, String),
}

impl Config {
    /// Reads `named`; without it, `takeover.toml` in the current folder if there is one, and the defaults otherwise.
    ///
    /// # Errors
    /// Returns an error when the file cannot be read, is not TOML, or has a setting that does not exist or makes no sense; the
    /// message shows the line.
    pub fn load(named: Option<&Path>) -> anyhow::Result<Self> {
        let place = match named {
            Some(place) => place,
            None if Path::new(FILE).is_file() => Path::new(FILE),
            None => return Ok(Self::default()),
        };
        let text =
            bounded::text(place, bounded::SETTINGS).with_context(|| format!("failed to read `{}`", place.display()))?;
        let config = Self::parse(TomlText { file: place, text: &text })
            .with_context(|| format!("failed to read `{}`", place.display()))?;
        let folder = place.parent().map(Path::to_path_buf).unwrap_or_default();
        let policy = config.policy_with_pairs();
        Ok(Self { folder, source: (place.to_owned(), text), policy, ..config })
    }

    fn parse(source: TomlText<'_>) -> Result<Self, TomlMistake> {
        let config: Self = toml::from_str(source.text).map_err(|error| source.refused(&error))?;
        let at = |table: &str, key: &str, message: String| source.mistake_at(table, key, message);
        config.policy.check().map_err(|error| at("policy", error.name(), error.to_string()))?;
        if config.subjects.chooses() || !config.pair.is_empty() {
            let judging = JudgingPlan { pairs: config.pair.clone(), ..JudgingPlan::default() };
            let catalogue = judging.catalogue().map_err(|error| match error {
                CatalogueError::Twice(id) => config.twice(&id, source),
                error => source.mistake_in("pair", error.to_string()),
            })?;
            config.subjects.check(&catalogue).map_err(|(key, message)| at("subjects", key, message))?;
        }
        if config.corpora.max_document == 0 {
            return Err(at("corpora", "max-document", "must be at least 1".to_owned()));
        }
        Ok(config)
    }

    /// The mistake of two pairs of one name, at the second of them.
    fn twice(&self, id: &PairId, source: TomlText<'_>) -> TomlMistake {
        let places = source.tables("pair");
        let same = self.pair.iter().zip(&places).filter(|(pair, _)| pair.id().is_ok_and(|of| of == *id));
        let mut same = same.map(|(_, place)| place);
        let (first, second) = (same.next(), same.next());
        let lines = first.zip(second).map_or_else(String::new, |(first, second)| {
            format!(", in lines {} and {}", source.line_of(first.start), source.line_of(second.start))
        });
        let message = format!("there are two pairs `{id}`{lines}: give one of them another `name`");
        source.mistake(second.cloned().unwrap_or_default(), message)
    }

    /// The folder of Go types, as seen from the current folder; none for the built-in ones.
    #[must_use]
    pub fn types(&self) -> Option<PathBuf> {
        let named = &self.subjects.types;
        (!named.as_os_str().is_empty()).then(|| self.place(named))
    }

    /// The types in `[subjects]` and in pairs, each once, for commands without a path.
    ///
    /// # Errors
    /// Returns an error when the settings name none.
    pub fn named_types(&self) -> anyhow::Result<Vec<PathBuf>> {
        let of_pairs = self.described().into_iter().filter_map(|pair| pair.types);
        let mut types: Vec<PathBuf> = Vec::new();
        for place in self.types().into_iter().chain(of_pairs) {
            if !types.contains(&place) {
                types.push(place);
            }
        }
        anyhow::ensure!(
            !types.is_empty(),
            "no types are named, neither here nor in the settings: name a folder or a file"
        );
        Ok(types)
    }

    /// The same settings for pairs of the command line alone, whose paths are seen from the current folder. Without such pairs, nothing
    /// changes.
    #[must_use]
    pub fn with_pairs(mut self, of_flags: Vec<PairDescription>) -> Self {
        if !of_flags.is_empty() {
            (self.subjects, self.pair) = (SubjectsSection::default(), Vec::new());
            self.policy.candidate_may.clear();
            self.of_flags = of_flags;
        }
        self
    }

    /// The pairs that the project, or else the command line describes, with paths as seen from the current folder.
    #[must_use]
    pub fn described(&self) -> Vec<PairDescription> {
        if !self.of_flags.is_empty() {
            return self.of_flags.clone();
        }
        self.pair.iter().map(|pair| pair.clone().below(&self.folder)).collect()
    }

    /// How much evidence a rule needs, and what the candidates of described pairs may do.
    fn policy_with_pairs(&self) -> ReadinessPolicy {
        let mut policy = self.policy.clone();
        for pair in self.pair.iter().filter(|pair| !pair.candidate_may.is_default()) {
            if let Ok(id) = pair.id() {
                policy.candidate_may.insert(id.to_string(), pair.candidate_may);
            }
        }
        policy
    }

    /// The pairs, in the order of a run.
    ///
    /// # Errors
    /// Returns an error when a name is unknown or the choice leaves nothing.
    pub fn pairs(&self, catalogue: &PairCatalogue) -> anyhow::Result<Vec<PairId>> {
        self.subjects.pairs(catalogue).map_err(|(key, message)| anyhow::anyhow!("[subjects] {key}: {message}"))
    }

    /// The pairs that `[subjects]` chooses among those of its types, and all of these; nothing when it leaves the choice open.
    ///
    /// # Errors
    /// Returns an error when the types do not load, a name is unknown or the choice leaves nothing.
    pub fn chosen_pairs(&self) -> anyhow::Result<Option<(PairCatalogue, Vec<PairId>)>> {
        self.chosen_among(self.types())
    }

    fn chosen_among(&self, types: Option<PathBuf>) -> anyhow::Result<Option<(PairCatalogue, Vec<PairId>)>> {
        if !self.subjects.chooses() {
            return Ok(None);
        }
        let judging = JudgingPlan { types, pairs: self.described(), ..JudgingPlan::default() };
        let catalogue = judging.catalogue()?;
        let pairs = self.pairs(&catalogue)?;
        Ok(Some((catalogue, pairs)))
    }

    /// The pairs that `[subjects]` chooses among those of the built-in types and the described ones; nothing when it leaves the choice open.
    ///
    /// # Errors
    /// Returns an error when a name is unknown or the choice leaves nothing.
    pub fn chosen_builtin_pairs(&self) -> anyhow::Result<Option<Vec<PairId>>> {
        Ok(self.chosen_among(None)?.map(|(_, pairs)| pairs))
    }

    /// The built-in subjects that `[subjects]` chooses, in the order of a run and each once; nothing when it leaves the choice open.
    ///
    /// # Errors
    /// Returns an error when a name is unknown or the choice leaves nothing.
    pub fn chosen(&self, registry: &Registry) -> anyhow::Result<Option<Vec<SubjectId>>> {
        let Some(pairs) = self.chosen_builtin_pairs()? else { return Ok(None) };
        let chosen: BTreeSet<_> = pairs.into_iter().map(|pair| pair.subject).collect();
        Ok(Some(registry.subjects().filter(|id| chosen.contains(id)).collect()))
    }

    /// What a command judges, and by which types: what its flags name, or else what `[subjects]` does. No kind stands for all.
    ///
    /// # Errors
    /// Returns an error when the types do not load, a name in the settings is unknown, the choice leaves nothing, or `types` are
    /// named for a pair that has its own.
    pub fn judged(
        &self,
        kinds: Vec<String>,
        types: Option<PathBuf>,
        all_versions: bool,
    ) -> anyhow::Result<(Vec<String>, Option<PathBuf>)> {
        let of_flag = types.is_some();
        let refuse_types = |names: &[String]| -> anyhow::Result<()> {
            if of_flag && !self.pair.is_empty() {
                JudgingPlan { pairs: self.described(), ..JudgingPlan::default() }.catalogue()?.refuse_types(names)?;
            }
            Ok(())
        };
        let types = types.or_else(|| self.types());
        if !kinds.is_empty() || !self.subjects.chooses() {
            refuse_types(&kinds)?;
            return Ok((kinds, types));
        }
        let judging = JudgingPlan { types, pairs: self.described(), ..JudgingPlan::default() };
        let subjects =
            SubjectsSection { all_versions: all_versions || self.subjects.all_versions, ..self.subjects.clone() };
        let pairs = subjects.pairs(&judging.catalogue()?);
        let pairs = pairs.map_err(|(key, message)| anyhow::anyhow!("[subjects] {key}: {message}"))?;
        let names: Vec<String> = pairs.iter().map(ToString::to_string).collect();
        refuse_types(&names)?;
        Ok((names, judging.types))
    }

    /// Checks that the files and folders that a gate reads exist.
    ///
    /// # Errors
    /// Returns an error when one is not; the message shows the line.
    pub fn check_places(&self) -> anyhow::Result<()> {
        let (file, text) = &self.source;
        let wrong = |table: &str, key: &str, message: String| {
            let mistake = TomlText { file, text }.mistake_at(table, key, message);
            Err(mistake).with_context(|| format!("failed to read `{}`", file.display()))
        };
        for recorded in &self.corpora.recorded {
            if let Err(error) = Input::check(&self.place(recorded)) {
                return wrong("corpora", "recorded", error.to_string());
            }
        }
        let types = self.place(&self.subjects.types);
        if !self.subjects.types.as_os_str().is_empty() && !types.is_dir() {
            return wrong("subjects", "types", format!("`{}` is not a folder", types.display()));
        }
        let by_default = GateSection::default();
        for (key, place, default) in [
            ("exceptions", &self.gate.exceptions, &by_default.exceptions),
            ("baseline", &self.gate.baseline, &by_default.baseline),
        ] {
            let whole = self.place(place);
            if place.as_os_str().is_empty() || whole.is_dir() {
                return wrong("gate", key, format!("`{}` is not the name of a file", place.display()));
            }
            // The other may be about to be written.
            if key == "exceptions" && place != default && !whole.exists() {
                return wrong("gate", key, format!("there is no file `{}`", whole.display()));
            }
        }
        Ok(())
    }

    /// A path of the file, as seen from the current folder.
    pub fn place(&self, path: &Path) -> PathBuf {
        self.folder.join(path)
    }

    /// Returns the exceptions of the project as of `today`. There are none if no file is named and the default one does not
    /// exist.
    ///
    /// # Errors
    /// Returns an error when the file cannot be read, or has a mistake; the message shows the line.
    pub fn exceptions(&self, today: Date) -> anyhow::Result<Exceptions> {
        let place = self.place(&self.gate.exceptions);
        if self.gate.exceptions == GateSection::default().exceptions && !place.exists() {
            return Ok(Exceptions::default());
        }
        read_exceptions(&place, today)
    }
}

/// The exceptions in `file` as of `today`.
///
/// # Errors
/// Returns an error when the file cannot be read, or has a mistake; the message shows the line.
pub fn read_exceptions(file: &Path, today: Date) -> anyhow::Result<Exceptions> {
    let text =
        bounded::text(file, bounded::SETTINGS).with_context(|| format!("failed to read `{}`", file.display()))?;
    exceptions::parse(TomlText { file, text: &text }, today)
        .with_context(|| format!("failed to read `{}`", file.display()))
}

#[cfg(test)]
mod tests {
    use super::{Config, EXAMPLE};
    use crate::config::mistake::tests::{drawn, toml};
    use takeover_harness::readiness::ReadinessPolicy;

    #[test]
    fn the_example_has_every_setting_with_its_default() {
        assert_eq!(Config::parse(toml(EXAMPLE)).unwrap(), Config::default());
        let settings = serde_json::to_value(Config::default()).unwrap();
        for (table, settings) in settings.as_object().unwrap() {
            let (_, of_table) = EXAMPLE.split_once(&format!("\n[{table}]\n")).unwrap();
            let of_table = format!("\n{}", of_table.split("\n[").next().unwrap());
            for name in settings.as_object().unwrap().keys() {
                let is_there = of_table.contains(&format!("\n{name} = "));
                let is_table = EXAMPLE.contains(&format!("\n[{table}.{name}]\n"));
                assert!(is_there || is_table, "{table}.{name} is not in the example");
            }
        }
    }

    #[test]
    fn what_is_left_out_is_as_by_default() {
        let config = Config::parse(toml("[policy]\nmin-rejects = 3\n")).unwrap();
        assert_eq!(config.policy, ReadinessPolicy { min_rejects: 3, ..ReadinessPolicy::default() });
    }

    #[test]
    fn mistakes_are_shown_with_their_line() {
        for (text, shown) in [
            ("[policy]\nmin-reject = 3\n", "2 │ min-reject = 3"),
            ("[policy]\nmin-accepts = -1\n", "2 │ min-accepts = -1"),
            ("[policy\n", "1 │ [policy"),
            ("[policy]\nconfidence = 2\n", "policy `confidence` is 2"),
            ("[policy]\nmin-rejects = 1\nconfidence = 2\n", "3 │ confidence = 2\n· ──────────"),
            ("[policy.causes]\nratchet = { treat = \"block\" }\n", "2 │ ratchet = { treat"),
            ("[policy.causes]\nratchet = { treat = \"block\" }\n", "unknown value `ratchet`: did you mean `ratchets`?"),
            ("[policy.causes]\nstopped = { treat = \"tolerate\" }\n", "2 │ stopped = { treat"),
            ("[policy.causes.stopped]\ntreat = \"tolerate\"\n", "needs a `reason`"),
            ("[policy.causes.stopped]\ntreat = \"ignore\"\nreason = \"r\"\n", "2 │ treat = \"ignore\""),
            ("policy = { confidence = 2 }\n", "1 │ policy = { confidence = 2 }\n"),
            ("[subjects]\nonly = [\"IPAddress\", \"Pod\"]\n", "2 │ only = [\"IPAddress\", \"Pod\"]\n· ────"),
            ("[subjects]\nonly = [\"Pod\"]\n", "`Pod` has no handwritten validator"),
            ("[subjects]\nonly = [\"Gizmo\"]\n", "unknown kind `Gizmo`"),
            ("[subjects]\nexcept = [\"Pod\"]\n", "2 │ except"),
            ("[subjects]\nonly = [\"IPAddress\"]\nexcept = [\"IPAddress\"]\n", "nothing is left"),
            ("[subject]\nonly = []\n", "1 │ [subject]"),
            ("[budget]\ncases = \"many\"\n", "2 │ cases = \"many\""),
            ("[corpora]\nmax-document = 0\n", "2 │ max-document = 0"),
            ("[gate]\nfloor = \"ceiling\"\n", "2 │ floor = \"ceiling\""),
        ] {
            let said = drawn(&Config::parse(toml(text)).unwrap_err());
            assert!(shown.lines().all(|shown| said.contains(shown)), "{text}: {said}");
        }
    }
}
