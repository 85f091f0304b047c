//! `takeover.toml`: what a project decides once.

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use std::path::Path;
use takeover_harness::readiness::Policy;

/// The file that is read when none is named.
const FILE: &str = "takeover.toml";

/// Every setting with its meaning and default.
pub const EXAMPLE: &str = include_str!("example.toml");

/// The settings of a project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Config {
    /// How much evidence a rule needs.
    pub policy: Policy,
}

impl Config {
    /// Reads `named`; without it, `takeover.toml` in the current folder if there is one, and the defaults otherwise.
    ///
    /// # Errors
    /// When the file cannot be read, is not TOML, or has a setting that does not exist or makes no sense; the message shows the
    /// line.
    pub fn load(named: Option<&Path>) -> anyhow::Result<Self> {
        let place = match named {
            Some(place) => place,
            None if Path::new(FILE).is_file() => Path::new(FILE),
            None => return Ok(Self::default()),
        };
        let text = std::fs::read_to_string(place).with_context(|| format!("failed to read `{}`", place.display()))?;
        Self::parse(&text).with_context(|| format!("failed to read `{}`", place.display()))
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let config: Self = toml::from_str(text)?;
        config.policy.check()?;
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::{Config, EXAMPLE};
    use takeover_harness::readiness::Policy;

    #[test]
    fn the_example_has_every_setting_with_its_default() {
        assert_eq!(Config::parse(EXAMPLE).unwrap(), Config::default());
        let settings = serde_json::to_value(Policy::default()).unwrap();
        for name in settings.as_object().unwrap().keys() {
            assert!(EXAMPLE.contains(&format!("\n{name} = ")), "{name} is not in the example");
        }
    }

    #[test]
    fn what_is_left_out_is_as_by_default() {
        let config = Config::parse("[policy]\nmin-rejects = 3\n").unwrap();
        assert_eq!(config.policy, Policy { min_rejects: 3, ..Policy::default() });
    }

    #[test]
    fn mistakes_are_shown_with_their_line() {
        for (text, shown) in [
            ("[policy]\nmin-reject = 3\n", "2 | min-reject = 3"),
            ("[policy]\nmin-accepts = -1\n", "2 | min-accepts = -1"),
            ("[policy\n", "1 | [policy"),
            ("[policy]\nconfidence = 2\n", "policy `confidence` is 2"),
        ] {
            let said = format!("{:#}", Config::parse(text).unwrap_err());
            assert!(said.contains(shown), "{text}: {said}");
        }
    }
}
