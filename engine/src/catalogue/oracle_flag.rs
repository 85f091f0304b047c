//! Oracles as flags of the command line describe them.

use super::oracle::{CrdPlace, OracleDescription, OracleTable};
use super::oracle_mistake::OracleMistake;
use super::oracle_sorts::{AnswersLevel, DefaultsSource, LawsOf};
use super::policies::Files;
use std::path::PathBuf;
use std::str::FromStr;

/// The sorts of oracles that need more than their name.
const TAKE_MORE: [&str; 7] = ["exec", "webhook", "server", "crd", "policy", "defaults", "laws"];

impl OracleDescription {
    /// What a flag takes to describe it, before a shell reads it: `exec ./bin/oracle --strict`. Settings that only a table holds are
    /// left out.
    #[must_use]
    pub fn as_flag(&self) -> String {
        match self {
            Self::Exec(of) => {
                let words = of.command.iter().map(String::as_str);
                shlex::try_join(words).map_or_else(|_| self.to_string(), |command| format!("exec {command}"))
            }
            Self::Webhook(of) => {
                let ca = of.ca.as_ref().map(|ca| ca.to_string_lossy().into_owned());
                let words: Vec<String> = [self.sort().to_owned(), of.url.clone()].into_iter().chain(ca).collect();
                shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| self.to_string())
            }
            Self::Server(of) => {
                let objects = (of.answers == Some(AnswersLevel::Object)).then_some("object");
                let kubeconfig = of.kubeconfig.to_string_lossy();
                let words = [self.sort(), &kubeconfig, &of.context].into_iter().chain(objects);
                let words: Vec<String> = words.map(str::to_owned).collect();
                shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| self.to_string())
            }
            Self::Crd(Some(place)) => {
                let words = [self.sort(), &place.to_string_lossy()].map(str::to_owned);
                shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| self.to_string())
            }
            Self::Policy(of) => {
                let files = of.files.iter().map(|file| file.to_string_lossy().into_owned());
                let words: Vec<String> = std::iter::once(self.sort().to_owned()).chain(files).collect();
                shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| self.to_string())
            }
            _ => self.to_string(),
        }
    }
}

/// Reads the form of the command line: `tags`, `builtin`, `defaults markers`, `laws apply`, `exec ./bin/oracle --strict`, `webhook
/// https://… ca.pem`, `server ~/.kube/config kind-test`, the same with `object`, `crd widgets.yaml`, `policy policies.yaml params.yaml`.
/// The first space may be a colon: `webhook:https://…`.
impl FromStr for OracleDescription {
    type Err = OracleMistake;

    fn from_str(text: &str) -> Result<Self, OracleMistake> {
        let wrong = || OracleMistake::Text(text.to_owned());
        let spaced = text.split_once(':').filter(|(sort, _)| TAKE_MORE.contains(sort));
        let spaced = spaced.map_or_else(|| text.to_owned(), |(sort, rest)| format!("{sort} {rest}"));
        let words = shlex::split(&spaced).ok_or_else(wrong)?;
        let (sort, rest) = words.split_first().ok_or_else(wrong)?;
        let table = match (sort.as_str(), rest) {
            ("tags", []) => OracleTable { tags: Some(true), ..OracleTable::default() },
            ("builtin", []) => OracleTable { builtin: Some(true), ..OracleTable::default() },
            ("crd", []) => OracleTable { crd: Some(CrdPlace::Types(true)), ..OracleTable::default() },
            ("crd", [place]) => OracleTable { crd: Some(CrdPlace::Path(place.into())), ..OracleTable::default() },
            ("exec", command) => OracleTable { exec: Some(command.to_vec()), ..OracleTable::default() },
            ("policy", files @ [_, ..]) => OracleTable {
                policy: Some(Files::of(files.iter().map(PathBuf::from).collect())),
                ..OracleTable::default()
            },
            ("webhook", [url]) => OracleTable { webhook: Some(url.clone()), ..OracleTable::default() },
            ("webhook", [url, ca]) => {
                OracleTable { webhook: Some(url.clone()), ca: Some(ca.into()), ..OracleTable::default() }
            }
            ("server", [kubeconfig, context, rest @ ..]) if matches!(rest, [] | [_]) => OracleTable {
                server: Some(kubeconfig.into()),
                context: Some(context.clone()),
                answers: match rest {
                    [] => None,
                    [answers] if answers == "object" => Some(AnswersLevel::Object),
                    _ => return Err(wrong()),
                },
                ..OracleTable::default()
            },
            ("defaults", [source]) => {
                let known = [DefaultsSource::Builtin, DefaultsSource::Markers, DefaultsSource::Crd];
                let source = known.into_iter().find(|known| known.word() == source).ok_or_else(wrong)?;
                OracleTable { defaults: Some(source), ..OracleTable::default() }
            }
            ("laws", [of]) => {
                let known = [LawsOf::Apply, LawsOf::Defaults];
                let of = known.into_iter().find(|known| known.word() == of).ok_or_else(wrong)?;
                OracleTable { laws: Some(of), ..OracleTable::default() }
            }
            _ => return Err(wrong()),
        };
        Self::try_from(table)
    }
}

#[cfg(test)]
mod tests {
    use super::super::oracle::OracleDescription;
    use super::super::oracle_sorts::ExecDescription;
    use std::path::Path;

    #[test]
    fn the_command_line_has_a_short_form() {
        let exec = "exec './bin/my oracle' --strict".parse::<OracleDescription>().unwrap();
        let OracleDescription::Exec(ExecDescription { command, .. }) = &exec else { panic!("{exec:?}") };
        assert_eq!(command, &["./bin/my oracle", "--strict"]);
        for (text, flag) in [
            ("webhook:https://localhost:9443/v", "webhook https://localhost:9443/v"),
            ("exec:./bin/oracle", "exec ./bin/oracle"),
            ("crd", "crd"),
            ("crd 'my crd.yaml'", "crd 'my crd.yaml'"),
            ("server kubeconfig 'kind test' object", "server kubeconfig 'kind test' object"),
            ("defaults:markers", "defaults markers"),
            ("laws:apply", "laws apply"),
            ("crd:crd.yaml", "crd crd.yaml"),
            ("webhook:https://a/v 'my ca.pem'", "webhook https://a/v 'my ca.pem'"),
        ] {
            assert_eq!(text.parse::<OracleDescription>().map(|oracle| oracle.as_flag()), Ok(flag.to_owned()));
        }
        let mistake = "exce ./bin/oracle".parse::<OracleDescription>().unwrap_err().to_string();
        assert!(mistake.contains("`exce ./bin/oracle` is not an oracle (did you mean `exec`?): write"), "{mistake}");
        for policy in ["policy a.yaml 'b c.yaml'", "policy:a.yaml 'b c.yaml'"] {
            let policy = policy.parse::<OracleDescription>().unwrap();
            assert_eq!(policy.below(Path::new("shop")).as_flag(), "policy shop/a.yaml 'shop/b c.yaml'");
        }
        for text in [
            "policy",
            "policy:",
            "crd a b",
            "tags:",
            "",
            "oracle",
            "tags x",
            "exec",
            "webhook x",
            "server kubeconfig",
            "server kubeconfig test objects",
            "defaults",
            "defaults tags",
            "exec 'x",
        ] {
            assert!(text.parse::<OracleDescription>().is_err(), "{text}");
        }
    }
}
