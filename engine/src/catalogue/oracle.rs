//! Oracles as data.

use super::oracle_mistake::OracleMistake;
use super::oracle_sorts::{
    AnswersLevel, DefaultsSource, ExecDescription, LawsOf, ServerDescription, WebhookDescription,
};
use super::policies::{Files, PolicyDescription};
use serde::de::{Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};

/// One side of a pair: a table with one of the keys `exec`, `webhook`, `server`, `crd`, `policy`, `tags`, `builtin`, `defaults` and
/// `laws`, and what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "OracleTable", into = "OracleTable")]
pub enum OracleDescription {
    /// The rules that the types declare as `+k8s:` tags.
    Tags,
    /// The handwritten validators that are built into the program.
    Builtin,
    /// A process that speaks the oracle protocol.
    Exec(ExecDescription),
    /// A webhook that takes AdmissionReviews.
    Webhook(WebhookDescription),
    /// A live API server.
    Server(ServerDescription),
    /// An API server that serves a CRD, judged in this program: the CRD manifests in this file or folder, or those that are the
    /// types of the pair.
    Crd(Option<PathBuf>),
    /// ValidatingAdmissionPolicies, judged in this program.
    Policy(PolicyDescription),
    /// What sets defaults in this program: it answers with the object.
    Defaults(DefaultsSource),
    /// The laws that objects of a CRD are held to, a reference alone.
    Laws(LawsOf),
}

impl OracleDescription {
    /// Whether it is a program, or somewhere on the network.
    pub(crate) fn asks_others(&self) -> bool {
        matches!(self, Self::Exec(_)) || self.is_asked_by_https()
    }

    /// Whether it is somewhere on the network.
    pub(super) fn is_asked_by_https(&self) -> bool {
        matches!(self, Self::Webhook(_) | Self::Server(_))
    }
}

/// Where the CRD of an oracle is, as written in the settings.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum CrdPlace {
    /// `true`: those that are the types of the pair.
    Types(bool),
    /// A file or folder.
    Path(PathBuf),
}

/// The table as it is written.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct OracleTable {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) exec: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) webhook: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) server: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) crd: Option<CrdPlace>,
    pub(super) policy: Option<Files>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tags: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) builtin: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) defaults: Option<DefaultsSource>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) laws: Option<LawsOf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) folder: Option<PathBuf>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) environment: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "at_least_one")]
    pub(super) processes: Option<NonZeroUsize>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "at_least_one")]
    pub(super) memory: Option<NonZeroU32>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "at_least_one")]
    pub(super) timeout: Option<NonZeroU32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ca: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) client_certificate: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) client_key: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) resource: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) answers: Option<AnswersLevel>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "at_least_one")]
    pub(super) concurrency: Option<NonZeroUsize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) context: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "at_least_one")]
    pub(super) rate: Option<NonZeroU32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) user: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) groups: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) may: Vec<String>,
}

/// Reads a number that is not zero, and says so in plain words where it is.
fn at_least_one<'de, D: Deserializer<'de>, N: TryFrom<NonZeroU64>>(reader: D) -> Result<Option<N>, D::Error> {
    struct AtLeastOne<N>(PhantomData<N>);

    impl<N: TryFrom<NonZeroU64>> Visitor<'_> for AtLeastOne<N> {
        type Value = Option<N>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a number of at least 1")
        }

        fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Option<N>, E> {
            let fits = NonZeroU64::new(number).and_then(|number| N::try_from(number).ok());
            fits.map(Some).ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
        }

        fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Option<N>, E> {
            match u64::try_from(number) {
                Ok(number) => self.visit_u64(number),
                Err(_) => Err(E::invalid_value(Unexpected::Signed(number), &self)),
            }
        }
    }

    reader.deserialize_u64(AtLeastOne(PhantomData))
}

impl TryFrom<OracleTable> for OracleDescription {
    type Error = OracleMistake;

    fn try_from(table: OracleTable) -> Result<Self, OracleMistake> {
        let OracleTable { exec, webhook, server, crd, policy, tags, builtin, defaults, laws, answers, .. } = &table;
        let (tags, builtin) = (*tags == Some(true), *builtin == Some(true));
        let crd = match crd {
            None | Some(CrdPlace::Types(false)) => None,
            Some(CrdPlace::Types(true)) => Some(None),
            Some(CrdPlace::Path(place)) if place.as_os_str().is_empty() => return Err(OracleMistake::NoCrd),
            Some(CrdPlace::Path(place)) => Some(Some(place.clone())),
        };
        let sorts = [
            ("exec", exec.is_some()),
            ("webhook", webhook.is_some()),
            ("server", server.is_some()),
            ("crd", crd.is_some()),
            ("policy", policy.is_some()),
            ("tags", tags),
            ("builtin", builtin),
            ("defaults", defaults.is_some()),
            ("laws", laws.is_some()),
        ];
        let mut said = sorts.iter().filter(|(_, said)| *said).map(|(sort, _)| *sort);
        let (Some(sort), None) = (said.next(), said.next()) else { return Err(OracleMistake::Which) };
        let foreign = table.said().into_iter().find(|(_, is_said, sorts)| *is_said && !sorts.contains(&sort));
        if let Some((key, _, sorts)) = foreign {
            return Err(OracleMistake::Foreign { key, sort, sorts });
        }
        if server.is_some() && *answers == Some(AnswersLevel::Decision) {
            return Err(OracleMistake::NoDecision);
        }
        if let Some(of) = *laws {
            return Ok(Self::Laws(of));
        }
        let timeout = table.timeout;
        Ok(match (exec.clone(), webhook.clone(), server.clone()) {
            (Some(command), ..) => {
                if command.first().is_none_or(String::is_empty) {
                    return Err(OracleMistake::NoProgram);
                }
                let OracleTable { folder, environment, processes, memory, .. } = table;
                Self::Exec(ExecDescription { command, folder, environment, processes, timeout, memory })
            }
            (_, Some(url), _) => {
                if !url.starts_with("https://") && !url.starts_with("http://") {
                    return Err(OracleMistake::Url(url));
                }
                let OracleTable { ca, client_certificate, client_key, resource, answers, concurrency, .. } = table;
                if client_certificate.is_some() != client_key.is_some() {
                    return Err(OracleMistake::HalfACertificate);
                }
                Self::Webhook(WebhookDescription {
                    url,
                    ca,
                    client_certificate,
                    client_key,
                    resource,
                    answers,
                    concurrency,
                    timeout,
                })
            }
            (.., Some(kubeconfig)) => {
                let context = table.context.filter(|context| !context.is_empty()).ok_or(OracleMistake::NoContext)?;
                Self::Server(ServerDescription {
                    kubeconfig,
                    context,
                    rate: table.rate,
                    timeout,
                    answers: table.answers,
                })
            }
            _ if table.defaults.is_some() => Self::Defaults(table.defaults.unwrap_or_default()),
            _ if table.policy.is_some() => Self::Policy(table.policies()?),
            _ if tags => Self::Tags,
            _ => crd.map_or(Self::Builtin, Self::Crd),
        })
    }
}

impl OracleTable {
    /// Every key that belongs to some sorts: whether it is said, and to which.
    fn said(&self) -> [(&'static str, bool, &'static [&'static str]); 16] {
        const EXEC: &[&str] = &["exec"];
        const WEBHOOK: &[&str] = &["webhook"];
        const SERVER: &[&str] = &["server"];
        const POLICY: &[&str] = &["policy"];
        [
            ("folder", self.folder.is_some(), EXEC),
            ("environment", !self.environment.is_empty(), EXEC),
            ("processes", self.processes.is_some(), EXEC),
            ("memory", self.memory.is_some(), EXEC),
            ("timeout", self.timeout.is_some(), &["exec", "webhook", "server"]),
            ("ca", self.ca.is_some(), WEBHOOK),
            ("client-certificate", self.client_certificate.is_some(), WEBHOOK),
            ("client-key", self.client_key.is_some(), WEBHOOK),
            ("resource", self.resource.is_some(), &["webhook", "policy"]),
            ("answers", self.answers.is_some(), &["webhook", "server"]),
            ("concurrency", self.concurrency.is_some(), WEBHOOK),
            ("context", self.context.is_some(), SERVER),
            ("rate", self.rate.is_some(), SERVER),
            ("user", self.user.is_some(), POLICY),
            ("groups", !self.groups.is_empty(), POLICY),
            ("may", !self.may.is_empty(), POLICY),
        ]
    }

    fn policies(self) -> Result<PolicyDescription, OracleMistake> {
        let Self { policy, resource, user, groups, may, .. } = self;
        let files = policy.map(Files::all).unwrap_or_default();
        if files.is_empty() || files.iter().any(|file| file.as_os_str().is_empty()) {
            return Err(OracleMistake::NoPolicy);
        }
        Ok(PolicyDescription { files, resource, user, groups, may })
    }
}

impl From<OracleDescription> for OracleTable {
    fn from(oracle: OracleDescription) -> Self {
        let none = Self::default();
        match oracle {
            OracleDescription::Tags => Self { tags: Some(true), ..none },
            OracleDescription::Builtin => Self { builtin: Some(true), ..none },
            OracleDescription::Crd(place) => {
                Self { crd: Some(place.map_or(CrdPlace::Types(true), CrdPlace::Path)), ..none }
            }
            OracleDescription::Policy(of) => Self {
                policy: Some(Files::of(of.files)),
                resource: of.resource,
                user: of.user,
                groups: of.groups,
                may: of.may,
                ..none
            },
            OracleDescription::Exec(of) => Self {
                exec: Some(of.command),
                folder: of.folder,
                environment: of.environment,
                processes: of.processes,
                memory: of.memory,
                timeout: of.timeout,
                ..none
            },
            OracleDescription::Webhook(of) => Self {
                webhook: Some(of.url),
                ca: of.ca,
                client_certificate: of.client_certificate,
                client_key: of.client_key,
                resource: of.resource,
                answers: of.answers,
                concurrency: of.concurrency,
                timeout: of.timeout,
                ..none
            },
            OracleDescription::Server(of) => Self {
                server: Some(of.kubeconfig),
                context: Some(of.context),
                rate: of.rate,
                timeout: of.timeout,
                answers: of.answers,
                ..none
            },
            OracleDescription::Defaults(of) => Self { defaults: Some(of), ..none },
            OracleDescription::Laws(of) => Self { laws: Some(of), ..none },
        }
    }
}

impl OracleDescription {
    /// Returns the description with its paths as seen from where `folder` is. A program without `/` is looked for on the search path.
    #[must_use]
    pub(super) fn below(self, folder: &Path) -> Self {
        let place = |path: Option<PathBuf>| path.map(|path| folder.join(path));
        match self {
            Self::Exec(mut of) => {
                let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
                // The program is named as it is seen from the folder in which it runs.
                of.folder = Some(of.folder.map_or_else(|| here.to_owned(), |below| here.join(below)));
                Self::Exec(of)
            }
            Self::Webhook(of) => Self::Webhook(WebhookDescription {
                ca: place(of.ca),
                client_certificate: place(of.client_certificate),
                client_key: place(of.client_key),
                ..of
            }),
            Self::Server(of) => Self::Server(ServerDescription { kubeconfig: folder.join(of.kubeconfig), ..of }),
            Self::Crd(of) => Self::Crd(place(of)),
            Self::Policy(of) => {
                Self::Policy(PolicyDescription { files: of.files.iter().map(|file| folder.join(file)).collect(), ..of })
            }
            other => other,
        }
    }

    /// How many cases it is asked about before a run; none for an oracle of this program.
    pub(super) fn probing_cases(&self) -> Option<u64> {
        match self {
            Self::Tags | Self::Builtin | Self::Defaults(_) | Self::Laws(_) => None,
            // Their rules do not tell which objects are accepted.
            Self::Exec(_) | Self::Crd(_) | Self::Policy(_) => Some(4_000),
            Self::Webhook(_) => Some(2_000),
            // Each case is several requests, and requests are few a second.
            Self::Server(_) => Some(0),
        }
    }

    /// Whether it names the field of every rejection.
    pub(super) fn names_fields(&self) -> bool {
        match self {
            Self::Tags | Self::Builtin | Self::Crd(_) | Self::Defaults(_) | Self::Laws(_) => true,
            Self::Exec(_) | Self::Webhook(_) | Self::Server(_) | Self::Policy(_) => false,
        }
    }

    /// The sort, as it is written: `exec`.
    #[must_use]
    pub fn sort(&self) -> &'static str {
        match self {
            Self::Tags => "tags",
            Self::Builtin => "builtin",
            Self::Exec(_) => "exec",
            Self::Webhook(_) => "webhook",
            Self::Server(_) => "server",
            Self::Crd(_) => "crd",
            Self::Policy(_) => "policy",
            Self::Defaults(_) => "defaults",
            Self::Laws(_) => "laws",
        }
    }
}

/// Prints what is asked, for people: `exec ./bin/oracle`.
impl fmt::Display for OracleDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tags | Self::Builtin | Self::Crd(None) => f.write_str(self.sort()),
            Self::Crd(Some(place)) => write!(f, "crd {}", place.display()),
            Self::Exec(of) => write!(f, "exec {}", of.command.join(" ")),
            Self::Webhook(of) => write!(f, "webhook {}", of.url),
            Self::Server(of) => {
                let objects = if of.answers == Some(AnswersLevel::Object) { " object" } else { "" };
                write!(f, "server {} {}{objects}", of.kubeconfig.display(), of.context)
            }
            Self::Defaults(of) => write!(f, "defaults {}", of.word()),
            Self::Laws(of) => write!(f, "laws {}", of.word()),
            Self::Policy(of) => of.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::OracleDescription;
    use std::path::Path;

    fn read(toml: &str) -> Result<OracleDescription, String> {
        toml::from_str(toml).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn tables_are_read_and_written_back() {
        for table in [
            "tags = true",
            "builtin = true",
            "exec = [\"./bin/oracle\", \"--strict\"]\nprocesses = 2\nmemory = 512\ntimeout = 5",
            "exec = [\"oracle\"]\nenvironment = { MODE = \"old\" }\nfolder = \"hack\"",
            "webhook = \"https://127.0.0.1:9443/validate\"\nca = \"ca.pem\"\nclient-certificate = \"c.pem\"\nclient-key = \"k.pem\"",
            "webhook = \"http://127.0.0.1:9443/validate\"\nanswers = \"decision\"\nresource = \"widgets\"\nconcurrency = 4",
            "server = \"kubeconfig\"\ncontext = \"kind-test\"\nrate = 20",
            "server = \"kubeconfig\"\ncontext = \"kind-test\"\nanswers = \"object\"",
            "defaults = \"markers\"",
            "laws = \"apply\"",
            "crd = true",
            "crd = \"config/crd\"",
            "policy = \"policies\"",
            "policy = [\"policies\", \"params.yaml\"]\nresource = \"widgets\"\nuser = \"alice\"\ngroups = [\"dev\"]\nmay = [\"admin\"]",
        ] {
            let read = read(table).unwrap();
            let json = serde_json::to_string(&read).unwrap();
            assert_eq!(serde_json::from_str::<OracleDescription>(&json).unwrap(), read, "{table}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (table, said) in [
            ("", "exactly one of"),
            ("tags = false", "exactly one of"),
            ("tags = true\nbuiltin = true", "exactly one of"),
            (
                "tags = true\ntimeout = 3",
                "`timeout` is for `exec` and `webhook` and `server` oracles; this one is `tags`",
            ),
            ("webhook = \"https://x\"\nmemory = 3", "`memory` is for `exec` oracles; this one is `webhook`"),
            ("webhook = \"https://x\"\ntimeout = 0", "expected a number of at least 1"),
            ("exec = [\"x\"]\nmemory = -3", "expected a number of at least 1"),
            ("exec = []", "names no program"),
            ("exec = [\"\"]", "names no program"),
            ("webhook = \"localhost:8080\"", "begins with `https://`"),
            ("webhook = \"https://x\"\nclient-key = \"k\"", "go together"),
            ("server = \"kubeconfig\"", "needs `context`"),
            ("server = \"kubeconfig\"\ncontext = \"a\"\nanswers = \"decision\"", "`errors` or `object`"),
            ("defaults = \"tags\"", "unknown variant `tags`"),
            ("crd = \"\"", "names no file"),
            ("crd = false", "exactly one of"),
            ("crd = true\ntimeout = 3", "this one is `crd`"),
            ("policy = []", "names no file"),
            ("tags = true\nuser = \"alice\"", "`user` is for `policy` oracles; this one is `tags`"),
            ("exce = [\"x\"]", "unknown field `exce`"),
        ] {
            let mistake = read(table).unwrap_err();
            assert!(mistake.contains(said), "{table}: {mistake}");
        }
    }

    #[test]
    fn paths_are_seen_from_the_folder_of_the_settings() {
        let exec = "exec ./bin/oracle".parse::<OracleDescription>().unwrap().below(Path::new("shop"));
        let OracleDescription::Exec(of) = exec else { panic!() };
        assert_eq!(
            (of.folder.as_deref(), of.command.as_slice()),
            (Some(Path::new("shop")), &["./bin/oracle".to_owned()][..])
        );
        let crd = "crd crd.yaml".parse::<OracleDescription>().unwrap().below(Path::new("shop"));
        assert_eq!(crd.to_string(), "crd shop/crd.yaml");
        let server = "server kubeconfig test".parse::<OracleDescription>().unwrap().below(Path::new("shop"));
        assert_eq!(server.to_string(), "server shop/kubeconfig test");
    }
}
