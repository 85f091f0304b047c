//! Authorizers as values, and what they are asked: the library `authz`.

use std::fmt::Debug;
use std::sync::Arc;

/// Who asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The name.
    pub name: String,
    /// The UID; may be empty.
    pub uid: String,
    /// The groups.
    pub groups: Vec<String>,
}

/// What is asked of an authorizer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// How complete the question is.
    pub stage: Stage,
    /// Who asks.
    pub user: User,
    /// The path of a question without resource.
    pub path: String,
    /// The group of the resource.
    pub group: String,
    /// The resource.
    pub resource: String,
    /// The subresource, empty for the resource itself.
    pub subresource: String,
    /// The namespace, empty for all or none.
    pub namespace: String,
    /// The name of the object, empty for all.
    pub name: String,
    /// The field selector; may be empty.
    pub field_selector: String,
    /// The label selector; may be empty.
    pub label_selector: String,
    /// The verb.
    pub verb: String,
    /// Who answers; nobody answers with no opinion.
    pub authorizer: Option<Answerer>,
}

/// How complete a question is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// The authorizer itself.
    #[default]
    Authorizer,
    /// About a path.
    Path,
    /// About a group of resources.
    Group,
    /// About a resource.
    Resource,
    /// Answered.
    Decided(Decision),
}

/// What an authorizer answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// Whether it allows.
    pub allowed: bool,
    /// Why, in its words.
    pub reason: String,
    /// Why it cannot answer, if it cannot.
    pub error: Option<String>,
}

/// What answers whether somebody may do something.
pub trait Authorizer: Debug + Send + Sync {
    /// Answers a question with its verb.
    fn decide(&self, question: &Access) -> Decision;
}

/// An authorizer that values share.
#[derive(Clone, Debug)]
pub struct Answerer(pub Arc<dyn Authorizer>);

impl PartialEq for Answerer {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Answerer {}

impl Access {
    /// The name of its type.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self.stage {
            Stage::Authorizer => "kubernetes.authorization.Authorizer",
            Stage::Path => "kubernetes.authorization.PathCheck",
            Stage::Group => "kubernetes.authorization.GroupCheck",
            Stage::Resource => "kubernetes.authorization.ResourceCheck",
            Stage::Decided(_) => "kubernetes.authorization.Decision",
        }
    }

    /// The same question with its verb, answered.
    #[must_use]
    pub fn decided(&self, verb: &str) -> Self {
        let asked = Self { verb: verb.to_owned(), ..self.clone() };
        let decision =
            asked.authorizer.as_ref().map_or_else(Decision::default, |authorizer| authorizer.0.decide(&asked));
        Self { stage: Stage::Decided(decision), ..asked }
    }
}
