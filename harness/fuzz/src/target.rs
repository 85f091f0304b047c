//! The fuzz targets by name.

use super::{Broken, Equivalence, fixture_reader, go_front_end, manifest_loader, tag_parser};
use takeover_harness::judge::isolated;

/// What can be fuzzed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// Both sides of a subject, on generated cases.
    Equivalence,
    /// Files of recorded verdicts.
    FixtureReader,
    /// Go sources.
    GoFrontEnd,
    /// Manifests: YAML, JSON, JSON Lines, plain and packed.
    ManifestLoader,
    /// Validation tags.
    TagParser,
}

impl Target {
    /// Every target, by name.
    pub const ALL: [Self; 5] =
        [Self::Equivalence, Self::FixtureReader, Self::GoFrontEnd, Self::ManifestLoader, Self::TagParser];

    /// Name of the target, of its program and of its folders.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Equivalence => "equivalence",
            Self::FixtureReader => "fixture_reader",
            Self::GoFrontEnd => "go_front_end",
            Self::ManifestLoader => "manifest_loader",
            Self::TagParser => "tag_parser",
        }
    }

    /// What its bytes are, for people.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Equivalence => "generated cases: checks that decoding, judging and comparing obey their laws",
            Self::FixtureReader => "files of recorded verdicts: every line must yield a verdict or an error",
            Self::GoFrontEnd => "Go files: each must yield types and rules, or diagnostics that point into it",
            Self::ManifestLoader => "manifests, plain or compressed: every document must yield cases or an error",
            Self::TagParser => "tag lines: each must yield a tag and rules, or an error that points into it",
        }
    }

    /// File name of its dictionary.
    #[must_use]
    pub fn dictionary(self) -> &'static str {
        match self {
            Self::Equivalence => "choices.dict",
            Self::FixtureReader | Self::ManifestLoader => "manifest.dict",
            Self::GoFrontEnd | Self::TagParser => "go.dict",
        }
    }

    /// Longest input that is worth trying.
    #[must_use]
    pub fn max_len(self) -> usize {
        match self {
            // The bytes that a case can use up, and the one that chooses the subject.
            Self::Equivalence => Equivalence::STREAM,
            Self::TagParser => 512,
            Self::FixtureReader | Self::GoFrontEnd | Self::ManifestLoader => 8 << 10,
        }
    }

    /// Does with `data` what the target does. `equivalence` is used by the target of that name only.
    ///
    /// # Panics
    /// When something that has to hold does not.
    pub fn check(self, data: &[u8], equivalence: &Equivalence) {
        match self {
            Self::Equivalence => equivalence.check(data),
            Self::FixtureReader => fixture_reader(data),
            Self::GoFrontEnd => go_front_end(data),
            Self::ManifestLoader => manifest_loader(data),
            Self::TagParser => tag_parser(data),
        }
    }

    /// As [`Target::check`]; what panicked or did not hold is handed back.
    ///
    /// # Errors
    /// What did not hold.
    pub fn attempt(self, data: &[u8], equivalence: &Equivalence) -> Result<(), Broken> {
        let attempted = isolated(|| match self {
            Self::Equivalence => {
                let (subject, case) = equivalence.case(data);
                equivalence.examine(subject, &case)
            }
            _ => {
                self.check(data, equivalence);
                Ok(())
            }
        });
        attempted.unwrap_or_else(|panic| Err(Broken::of_panic(&panic)))
    }
}
