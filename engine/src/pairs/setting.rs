//! From what is asked for to subjects, in a run and in its workers alike.

use crate::isolate::{Absent, Setting};
use crate::plan::{Plan, Plant, ids};
use serde::{Deserialize, Serialize};
use takeover_harness::object::FieldValidation;
use takeover_harness::subject::{Subject, SubjectId};
use takeover_oracles::registry::{Registry, RegistryError};

/// Which subjects are judged in worker processes, which their oracles may end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Isolation {
    /// Those of these names.
    Some(Vec<String>),
    /// None.
    #[default]
    None,
    /// All.
    All,
}

impl Isolation {
    /// The name of all subjects.
    pub const EVERYTHING: &str = "all";

    /// Whether a subject is judged in workers.
    pub fn takes(&self, subject: &SubjectId) -> bool {
        match self {
            Self::None => false,
            Self::Some(names) => names.contains(&subject.to_string()),
            Self::All => true,
        }
    }

    /// As arguments of a command.
    pub fn arguments(&self) -> impl Iterator<Item = String> {
        let names = match self {
            Self::None => Vec::new(),
            Self::Some(names) => names.clone(),
            Self::All => vec![Self::EVERYTHING.to_owned()],
        };
        names.into_iter().map(|name| format!("--isolate={name}"))
    }

    /// What either of them takes.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::All, _) | (_, Self::All) => Self::All,
            (Self::None, other) | (other, Self::None) => other,
            (Self::Some(mut names), Self::Some(more)) => {
                names.extend(more);
                names.sort_unstable();
                names.dedup();
                Self::Some(names)
            }
        }
    }
}

impl FromIterator<String> for Isolation {
    /// From names of subjects, or [`Isolation::EVERYTHING`].
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> Self {
        let one = |name| if name == Self::EVERYTHING { Self::All } else { Self::Some(vec![name]) };
        names.into_iter().map(one).fold(Self::None, Self::and)
    }
}

/// The subjects of a plan. Where an oracle may end the process, none is there to be asked by accident.
///
/// # Errors
/// When there are none of that name, their rules do not compile, or the types do not load.
pub fn subjects(plan: &Plan) -> anyhow::Result<Vec<Subject>> {
    let setting = Setting::of(plan);
    let registry = setting.registry()?;
    let ids = setting.ids()?;
    if let Isolation::Some(names) = &plan.isolation
        && let Some(unknown) = names.iter().find(|name| !ids.iter().any(|id| id.to_string() == **name))
    {
        anyhow::bail!("--isolate: there is no subject `{unknown}` in this run; it is named as `subjects` prints it");
    }
    let sound = Setting { plants: Vec::new(), ..setting.clone() };
    let one = |id| {
        if !plan.isolation.takes(id) {
            return setting.subject(&registry, id);
        }
        let subject = sound.subject(&registry, id)?;
        Ok(Subject { reference: Box::new(Absent), candidate: Box::new(Absent), ..subject })
    };
    ids.iter().map(one).collect()
}

impl Setting {
    /// What of a plan its evidence depends on.
    pub fn of(plan: &Plan) -> Self {
        Self {
            kinds: plan.kinds.clone(),
            idl: plan.idl.clone(),
            semantics: plan.semantics,
            strict: plan.field_validation == FieldValidation::Strict,
            seed: plan.seed,
            plants: plan.plants.iter().map(ToString::to_string).collect(),
        }
    }

    /// The subjects that are asked for.
    ///
    /// # Errors
    /// When there are none of that name.
    pub fn ids(&self) -> Result<Vec<SubjectId>, RegistryError> {
        ids(&self.kinds)
    }

    /// The types that are asked for.
    ///
    /// # Errors
    /// When they do not load.
    pub fn registry(&self) -> Result<Registry, RegistryError> {
        match &self.idl {
            Some(folder) => Registry::of_folder(folder),
            None => Registry::of_builtin(),
        }
    }

    /// A subject, with what is planted in it.
    ///
    /// # Errors
    /// When it has no rules, they do not compile, or what is to be planted would harm the machine.
    pub fn subject(&self, registry: &Registry, id: &SubjectId) -> anyhow::Result<Subject> {
        let field_validation = if self.strict { FieldValidation::Strict } else { FieldValidation::Warn };
        let mut subject = Subject { field_validation, ..registry.subject(id)? };
        if subject.rules.is_empty() {
            return Err(RegistryError::NoRules { asked: id.to_string() }.into());
        }
        for plant in &self.plants {
            subject = plant.parse::<Plant>()?.in_subject(subject)?;
        }
        Ok(subject)
    }
}
