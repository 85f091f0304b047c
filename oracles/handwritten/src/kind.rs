//! What a handwritten reference consists of: the checks of a kind, and the versions it is served as.

use super::meta::{self, Scope};
use super::net::Addresses;
use super::report::text;
use super::request::RequestChecks;
use super::typed_pair::TypedPair;
use crate::types::Described;
use crate::types::meta::v1::ObjectMeta;
use std::marker::PhantomData;
use std::ops::RangeInclusive;
use takeover_harness::case::{Operation, Options};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::form::Defaulter;
use takeover_harness::object::{Arena, Edit, FromNode, KnownChanges, Node, equal};
use takeover_harness::oracle::{Answer, Bound, Objects, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::pair::Delegated;
use takeover_harness::path::Path;
use takeover_harness::release::Release;
use takeover_harness::schema::{Schema, TypeId};

/// The handwritten checks of a kind, over the struct that Kubernetes validates (its hub version).
pub trait Checks: Send + Sync + 'static {
    /// The struct.
    type Object<'a>: FromNode<'a> + Described<'a> + Send + Sync;

    /// Whether objects live in namespaces.
    const SCOPE: Scope;

    /// Whether objects of the kind are created and updated by themselves; not so for those that only a subresource has.
    const MAIN: bool = true;

    /// Subresources, without leading slash, through which whole objects of the kind are updated.
    const SUBRESOURCES: &'static [&'static str] = &[];

    /// Whether an update may leave out `metadata.resourceVersion` (`AllowUnconditionalUpdate`).
    const UNCONDITIONAL_UPDATE: bool = true;

    /// Feature gates that the checks obey.
    const GATES: &'static [Gate] = &[];

    /// Judges what the registry of the kind looks at before anything is validated, in a request as a whole. When it reports
    /// something, nothing else is looked at.
    fn refuse(
        _new: &Self::Object<'_>,
        _old: Option<&Self::Object<'_>>,
        _request: &Request<'_>,
        _errors: &mut ErrorList,
    ) {
    }

    /// Judges a new object.
    fn create(new: &Self::Object<'_>, request: &Request<'_>, errors: &mut ErrorList);

    /// Judges the change of `old` to `new`.
    fn update(new: &Self::Object<'_>, old: &Self::Object<'_>, request: &Request<'_>, errors: &mut ErrorList);

    /// Forgets what earlier judgements of this thread left to later ones; false when they leave nothing.
    #[must_use]
    fn forget() -> bool {
        false
    }

    /// The parts of the object that nothing here judges.
    #[must_use]
    fn delegated() -> Vec<Delegated> {
        Vec::new()
    }
}

/// A version in which a kind is served. One type may stand for several versions of the same shape.
pub trait Served: Send + Sync + 'static {
    /// The checks of the kind.
    type Kind: Checks;

    /// The releases of Kubernetes that the checks model. Where a check differs from release to release, it asks the
    /// [`Request`]; a kind that differs as a whole has one type of this trait for each.
    const RELEASES: RangeInclusive<Release> = Release::V1_35..=Release::V1_37;

    /// Sets the defaults of this version, when it has any.
    const DEFAULTS: Option<fn(&mut Edit<'_>)> = None;

    /// Whether the defaults that its types declare are registered with the server.
    const DECLARED_DEFAULTS: bool = true;

    /// Path patterns that the defaults never leave unset, where what is around them is set.
    const FILLED: &'static [&'static str] = &[];

    /// Changes an object before validation as the registry strategy of the kind does (`PrepareForCreate`, `PrepareForUpdate`), given
    /// the stored object of an update and the subresource. Doing it twice must be the same as doing it once.
    const PREPARE: Option<Prepare> = None;

    /// Changes an object as the way through the server's internal version does, before anything looks at it. Doing it twice must
    /// be the same as doing it once.
    const CONVERT: Option<fn(&mut Edit<'_>)> = None;

    /// Changes a stored object as the registry of the kind does when it reads one for an update of the main resource. Doing it twice must
    /// be the same as doing it once.
    const STORED: Option<fn(&mut Edit<'_>)> = None;

    /// The validation option that the registry strategy of the kind switches on for these objects, whatever the feature gates say.
    const SWITCHED_ON: Option<fn(&Objects<'_>) -> Option<&'static str>> = None;

    /// Members, as paths, that the registry strategy sets from the authenticated user on create.
    const USER_FIELDS: &'static [&'static str] = &[];

    /// Members that errors name as this version does: the name in the struct of the checks, and that of the version.
    const RENAMED: &'static [(&'static str, &'static str)] = &[];

    /// Where paths of this version differ from those of the checks: a pattern on the version's paths and its replacement,
    /// which refers to groups as `$1`.
    const NORMALIZATION: &'static [(&'static str, &'static str)] = &[];

    /// The struct that the checks judge, made from the decoded objects.
    ///
    /// # Errors
    /// When a decoded object has no such form.
    fn objects<'a>(objects: &Objects<'a>, arena: &'a Arena) -> Result<TypedPair<Form<'a, Self>>, OracleFailure> {
        TypedPair::of(objects, arena)
    }
}

/// The struct that the checks of a served version judge.
pub type Form<'a, S> = <<S as Served>::Kind as Checks>::Object<'a>;

/// A preparation: the new object, the old one on updates, the subresource without leading slash.
pub type Prepare = for<'a> fn(&mut Edit<'a>, Option<&Edit<'a>>, &str);

/// What a kind's checks may ask about the request.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Subresource without leading slash; empty for the main resource.
    pub subresource: &'a str,
    /// State of the kind's validation options.
    pub options: &'a Options,
    /// The release of Kubernetes whose checks are asked for.
    pub release: Release,
    /// The decoded objects, which know more than the structs do.
    pub objects: Objects<'a>,
    /// Members that errors name as the request's version does, as [`Served::RENAMED`].
    pub renamed: &'static [(&'static str, &'static str)],
}

/// A feature gate that checks obey: a case switches it on or off by name, otherwise its release decides.
#[derive(Clone, Copy, Debug)]
pub struct Gate {
    /// Its name.
    pub name: &'static str,
    /// The first release in which it is on by default.
    pub on_since: Release,
}

/// The feature gate of strict reading of addresses.
pub const STRICT_ADDRESSES: Gate = Gate { name: "StrictIPCIDRValidation", on_since: Release::V1_36 };

/// The feature gate of service names that start with a digit.
pub const RELAXED_SERVICE_NAMES: Gate = Gate { name: "RelaxedServiceNameValidation", on_since: Release::V1_36 };

impl Request<'_> {
    /// What errors call the member `name`.
    #[must_use]
    pub fn shown(&self, name: &'static str) -> &'static str {
        self.renamed.iter().find(|(known, _)| *known == name).map_or(name, |(_, shown)| shown)
    }

    /// Whether the object of the request has the list or map at `path`, be it empty. The structs do not tell where a member is
    /// required: they have an empty one either way.
    #[must_use]
    pub fn has_at(&self, path: &Path<'_>) -> bool {
        !self.objects.at(path).is_unset()
    }

    /// Whether an update leaves the value at `path` as it is, which a create never does. Nil and empty lists and maps are the same here.
    #[must_use]
    pub fn keeps(&self, path: &Path<'_>) -> bool {
        let before = self.objects.old.map(|old| Objects { new: old, ..self.objects });
        before.is_some_and(|before| equal(&self.objects.at(path), &before.at(path)))
    }

    /// Whether a feature gate is on.
    #[must_use]
    pub fn has(&self, gate: Gate) -> bool {
        self.options.get(gate.name).unwrap_or(self.release >= gate.on_since)
    }

    /// How old fields read addresses: strictly where [`STRICT_ADDRESSES`] is on.
    #[must_use]
    pub fn addresses(&self) -> Addresses {
        if self.has(STRICT_ADDRESSES) { Addresses::Strict } else { Addresses::Sloppy }
    }
}

/// The reference oracle of a served version.
pub struct Handwritten<S> {
    checks: RequestChecks,
    release: Release,
    served: PhantomData<fn() -> S>,
}

impl<S: Served> Handwritten<S> {
    /// An oracle that runs these steps of a request as a release of Kubernetes does.
    #[must_use]
    pub fn new(checks: RequestChecks, release: Release) -> Self {
        Self { checks, release, served: PhantomData }
    }
}

impl<S: Served> Oracle for Handwritten<S> {
    fn precision(&self) -> Precision {
        Precision { reached: false, ..Precision::KUBERNETES }
    }

    fn view<'a>(&self, objects: &Objects<'a>, arena: &'a Arena) -> Result<View<'a>, OracleFailure> {
        let Self { checks, release, .. } = *self;
        Ok(View::bound(Ready::<S> { checks, release, objects: S::objects(objects, arena)? }, arena))
    }

    fn answer(&self, question: &Question<'_>, view: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        view.as_bound()
            .ok_or_else(|| OracleFailure::new("the view does not borrow from objects"))?
            .answer(question, answer)
    }

    fn forget(&self) -> bool {
        <S::Kind as Checks>::forget()
    }
}

/// The objects of a case, ready to be judged.
struct Ready<'a, S: Served> {
    checks: RequestChecks,
    release: Release,
    objects: TypedPair<Form<'a, S>>,
}

impl<S: Served> Clone for Ready<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Served> Copy for Ready<'_, S> {}

impl<S: Served> Bound for Ready<'_, S> {
    fn answer(&self, question: &Question<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        let errors = &mut answer.errors;
        let (new, old) = self.objects.objects();
        let request = Request {
            subresource: question.subresource,
            options: question.options,
            release: self.release,
            objects: question.objects,
            renamed: S::RENAMED,
        };
        let path = Path::ROOT.child("metadata");
        let meta = new.metadata();
        let scope = <S::Kind as Checks>::SCOPE;
        if self.checks == RequestChecks::AsSent
            && !<S::Kind as Checks>::UNCONDITIONAL_UPDATE
            && old.is_some_and(|old| version(old.metadata()))
            && !version(meta)
        {
            errors.push(FieldError::invalid(&path.child("resourceVersion"), 0, "must be specified for an update"));
            return Ok(());
        }
        if self.checks.common_metadata() {
            let before = errors.len();
            <S::Kind as Checks>::refuse(new, old, &request, errors);
            if errors.len() > before {
                return Ok(());
            }
        }
        match (question.operation, old) {
            (Operation::Create, _) => {
                let before = errors.len();
                <S::Kind as Checks>::create(new, &request, errors);
                if self.checks.common_metadata() && errors.len() == before {
                    meta::validate_common_create(meta, scope, &path, errors);
                }
            }
            (Operation::Update, Some(old)) => {
                if self.checks.common_metadata() {
                    let before = old.metadata();
                    meta::validate_common_update(meta, before, scope, &path, errors);
                }
                <S::Kind as Checks>::update(new, old, &request, errors);
            }
            (Operation::Update, None) => return Err(OracleFailure::new("an update needs the old object")),
        }
        Ok(())
    }
}

fn version(meta: &ObjectMeta) -> bool {
    meta::has_version(text(meta.resource_version))
}

/// The defaulter of a served version.
#[derive(Clone, Copy, Debug)]
pub struct Defaults(pub fn(&mut Edit<'_>));

impl Defaulter for Defaults {
    fn apply<'a>(&self, schema: &'a Schema, root: TypeId, object: Node<'a>, arena: &'a Arena) -> Node<'a> {
        self.changed(Edit::new(schema, arena, root, object))
    }

    fn apply_beside<'a>(
        &self,
        schema: &'a Schema,
        root: TypeId,
        object: Node<'a>,
        known: &'a KnownChanges<'a>,
        arena: &'a Arena,
    ) -> Node<'a> {
        self.changed(Edit::new(schema, arena, root, object).beside(known))
    }
}

impl Defaults {
    fn changed<'a>(&self, mut object: Edit<'a>) -> Node<'a> {
        (self.0)(&mut object);
        object.finish()
    }
}
