//! Hello: who speaks, which version, and what an oracle can judge and say.

use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;
use takeover_harness::oracle::{Detail, Precision};
use takeover_harness::subject::SubjectId;

/// More questions at once would take memory and gain nothing.
const MOST_AT_ONCE: usize = 1024;

/// The hello of Takeover, which comes first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Greeting {
    /// Version of the protocol that it speaks.
    pub protocol: u64,
    /// Name and version of the program.
    pub program: String,
}

impl Greeting {
    /// The hello of this program.
    #[must_use]
    pub fn ours() -> Self {
        Self { protocol: super::VERSION, program: concat!("takeover ", env!("CARGO_PKG_VERSION")).to_owned() }
    }

    /// The message, without line end.
    #[must_use]
    pub fn to_line(&self) -> String {
        serde_json::json!({ "hello": self }).to_string()
    }
}

/// The hello of an oracle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hello {
    /// Version of the protocol that it speaks.
    pub protocol: u64,
    /// Its name, for reports.
    pub name: String,
    /// Its version, for reports; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// The kinds that it judges; none means any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kinds: Option<Vec<KindEntry>>,
    /// What its answers consist of.
    #[serde(default)]
    pub answers: AnswerDetail,
    /// Whether errors name their origin.
    #[serde(default)]
    pub origins: bool,
    /// Whether errors carry Kubernetes' marks.
    #[serde(default)]
    pub marks: bool,
    /// Whether the same question always gets the same answer.
    #[serde(default = "yes")]
    pub steady: bool,
    /// Most questions in one line.
    #[serde(default = "one")]
    pub batch: NonZeroUsize,
    /// Most questions that may wait for an answer.
    #[serde(default = "most_pending")]
    pub pending: NonZeroUsize,
}

/// Kinds that an oracle judges: one kind with its subresources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KindEntry {
    /// Group and version: `v1`, `apps/v1`.
    pub api_version: String,
    /// The kind.
    pub kind: String,
    /// Subresources that it judges, without leading slash.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subresources: Vec<String>,
    /// Whether it judges the main resource.
    #[serde(default = "yes")]
    pub main: bool,
}

/// What the answers of an oracle consist of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerDetail {
    /// Field errors.
    #[default]
    Errors,
    /// Allowed or not.
    Decision,
    /// The object as the oracle changed it.
    Object,
}

fn yes() -> bool {
    true
}

fn one() -> NonZeroUsize {
    NonZeroUsize::MIN
}

fn most_pending() -> NonZeroUsize {
    NonZeroUsize::MIN.saturating_add(63)
}

impl Hello {
    /// What the answers can say. An oracle takes as many questions at once as may wait for an answer, up to 1024.
    #[must_use]
    pub fn precision(&self) -> Precision {
        let detail = match self.answers {
            AnswerDetail::Errors => Detail::Errors,
            AnswerDetail::Decision => Detail::Decision,
            AnswerDetail::Object => Detail::Object,
        };
        let &Self { origins, marks, steady, pending, .. } = self;
        let batch = NonZeroUsize::new(MOST_AT_ONCE).map_or(pending, |most| most.min(pending));
        Precision { detail, origins, marks, steady, batch, ..Precision::ERRORS }
    }

    /// Most questions in one line: never more than may wait.
    #[must_use]
    pub fn questions_per_line(&self) -> NonZeroUsize {
        self.batch.min(self.pending)
    }

    /// Whether the oracle judges objects of this kind, sent to this subresource (empty for the main resource).
    #[must_use]
    pub fn judges(&self, api_version: &str, kind: &str, subresource: &str) -> bool {
        self.kinds.as_ref().is_none_or(|kinds| kinds.iter().any(|entry| entry.covers(api_version, kind, subresource)))
    }

    /// The subjects that the oracle judges; none means any.
    #[must_use]
    pub fn subjects(&self) -> Option<Vec<SubjectId>> {
        Some(self.kinds.as_ref()?.iter().flat_map(KindEntry::subjects).collect())
    }

    /// Name and version for people: `widget-oracle 1.2`.
    #[must_use]
    pub fn title(&self) -> String {
        if self.version.is_empty() { self.name.clone() } else { format!("{} {}", self.name, self.version) }
    }

    /// What is wrong with a hello that has the right shape, if anything.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        if self.protocol != super::VERSION {
            return Some(other_version(self.protocol));
        }
        if self.name.trim().is_empty() {
            return Some("the hello has an empty `name`".to_owned());
        }
        let kinds = self.kinds.as_ref()?;
        if kinds.is_empty() {
            return Some("the hello has an empty list of `kinds`: leave it out to judge any kind".to_owned());
        }
        kinds.iter().find_map(KindEntry::fault)
    }
}

impl KindEntry {
    fn covers(&self, api_version: &str, kind: &str, subresource: &str) -> bool {
        self.api_version == api_version
            && self.kind == kind
            && if subresource.is_empty() { self.main } else { self.subresources.iter().any(|name| name == subresource) }
    }

    fn subjects(&self) -> impl Iterator<Item = SubjectId> {
        let main = SubjectId::new(&self.api_version, &self.kind);
        let subresources: Vec<_> = self.subresources.iter().map(|name| main.clone().with_subresource(name)).collect();
        self.main.then_some(main).into_iter().chain(subresources)
    }

    fn fault(&self) -> Option<String> {
        let Self { api_version, kind, .. } = self;
        if api_version.is_empty() || kind.is_empty() {
            return Some("an entry of `kinds` has an empty `apiVersion` or `kind`".to_owned());
        }
        if !self.main && self.subresources.is_empty() {
            return Some(format!("`kinds` lists {api_version} {kind} without main resource and without subresources"));
        }
        let odd = self.subresources.iter().find(|name| name.is_empty() || name.starts_with('/'))?;
        Some(format!("`kinds` lists {api_version} {kind} with the subresource `{odd}`: write it as `status`"))
    }
}

/// What to say of an oracle that speaks another version.
pub(super) fn other_version(version: u64) -> String {
    format!(
        "the oracle speaks version {version} of the oracle protocol; this Takeover speaks version {}",
        super::VERSION
    )
}

#[cfg(test)]
mod tests {
    use super::{AnswerDetail, Hello};
    use serde_json::json;
    use takeover_harness::oracle::{Detail, Precision};

    fn hello(value: serde_json::Value) -> Hello {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_hello_without_more_says_errors() {
        let hello = hello(json!({"protocol": 1, "name": "w"}));
        assert_eq!(hello.answers, AnswerDetail::Errors);
        assert_eq!((hello.batch.get(), hello.pending.get(), hello.steady), (1, 64, true));
        assert_eq!(hello.precision(), Precision { batch: hello.pending, ..Precision::ERRORS });
        assert!(hello.judges("v1", "Pod", "status"));
        assert_eq!((hello.title(), hello.fault()), ("w".to_owned(), None));
    }

    #[test]
    fn precision_is_what_the_hello_says() {
        let hello = hello(json!({"protocol": 1, "name": "w", "version": "2", "answers": "decision", "origins": true,
            "marks": true, "steady": false, "batch": 900, "pending": 7}));
        let precision = hello.precision();
        assert_eq!(precision.detail, Detail::Decision);
        assert!(precision.origins && precision.marks && !precision.steady);
        assert_eq!((precision.batch.get(), hello.questions_per_line().get()), (7, 7));
        assert_eq!(hello.title(), "w 2");
    }

    #[test]
    fn kinds_are_judged_as_listed() {
        let hello = hello(json!({"protocol": 1, "name": "w", "kinds": [
            {"apiVersion": "v1", "kind": "Pod", "subresources": ["status"]},
            {"apiVersion": "apps/v1", "kind": "Deployment", "subresources": ["scale"], "main": false}]}));
        for (version, kind, subresource, judges) in [
            ("v1", "Pod", "", true),
            ("v1", "Pod", "status", true),
            ("v1", "Pod", "scale", false),
            ("apps/v1", "Deployment", "", false),
            ("apps/v1", "Deployment", "scale", true),
            ("apps/v2", "Deployment", "scale", false),
        ] {
            assert_eq!(hello.judges(version, kind, subresource), judges, "{version} {kind} {subresource}");
        }
        let subjects: Vec<_> = hello.subjects().unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(subjects, ["v1 Pod", "v1 Pod/status", "apps/v1 Deployment/scale"]);
    }

    #[test]
    fn senseless_members_are_named() {
        for (value, says) in [
            (json!({"protocol": 2, "name": "w"}), "speaks version 2"),
            (json!({"protocol": 1, "name": " "}), "empty `name`"),
            (json!({"protocol": 1, "name": "w", "kinds": []}), "empty list of `kinds`"),
            (json!({"protocol": 1, "name": "w", "kinds": [{"apiVersion": "", "kind": "A"}]}), "empty `apiVersion`"),
            (
                json!({"protocol": 1, "name": "w", "kinds": [{"apiVersion": "v1", "kind": "A", "main": false}]}),
                "without",
            ),
            (
                json!({"protocol": 1, "name": "w", "kinds": [{"apiVersion": "v1", "kind": "A", "subresources": ["/a"]}]}),
                "the subresource `/a`",
            ),
        ] {
            let fault = hello(value).fault().unwrap();
            assert!(fault.contains(says), "{fault}");
        }
    }
}
