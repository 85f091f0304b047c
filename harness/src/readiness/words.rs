//! The words in which findings are told: what is different, why, and what to do.

use crate::case::Operation;
use crate::compare::{Cause, ComparedBy, Direction, Matter, Signature};
use crate::evidence::SignatureEvidence;
use crate::rule::ErrorShape;
use crate::text::{grouped, plural};

/// Most errors that a text lists.
const MOST_NAMED: usize = 3;

/// What to do where apply breaks a law.
const BREAKS: &str = "change the types or defaults so that apply keeps the law, or excuse the finding";

/// How the two sides are called, and what is said of differences on which one is alone, in words that fit the comparison.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    reference: &'static str,
    candidate: &'static str,
    missing: OneSided,
    extra: OneSided,
    /// Whether comparing by decision would leave the form of errors out.
    may_compare_decisions: bool,
    /// What the sides are compared in.
    matter: Matter,
}

/// The words for differences on which one side is alone.
#[derive(Clone, Copy, Debug)]
struct OneSided {
    /// Follows a number of cases.
    found: &'static str,
    /// What would change it.
    remedy: &'static str,
}

/// Whether errors of all sorts are compared, so that a project may also choose to compare decisions.
fn compares_all(compared_by: Option<ComparedBy>) -> bool {
    matches!(compared_by, Some(ComparedBy::Fields { .. } | ComparedBy::Verbatim))
}

/// What a pair with rules or validators is compared in.
fn matter(compared_by: Option<ComparedBy>) -> Matter {
    if matches!(compared_by, Some(ComparedBy::Objects { .. })) { Matter::Objects } else { Matter::Errors }
}

const fn one(found: &'static str, remedy: &'static str) -> OneSided {
    OneSided { found, remedy }
}

/// What makes a default mean the same in a custom resource.
const AS_CUSTOM_RESOURCE: &str =
    "write `omitempty` on the field or make it a pointer, so that Go does not write a zero value that nobody set";

/// The same of the default of items, which no `omitempty` leaves out.
const OF_ITEMS: &str = "make the items pointers, so that Go writes null where nobody set a value, and not a zero value";

impl Words {
    /// The words for a rule.
    #[must_use]
    pub fn of_rule(compared_by: Option<ComparedBy>) -> Self {
        let (candidate, matter) = ("the rule", matter(compared_by));
        match compared_by {
            Some(ComparedBy::Objects { .. }) => Self {
                reference: "the reference",
                candidate,
                may_compare_decisions: compares_all(compared_by),
                matter,
                missing: one("in which only the reference sets the value", "make the candidate set the value"),
                extra: one("in which only the candidate sets the value", "make the candidate leave the value unset"),
            },
            Some(ComparedBy::Decision | ComparedBy::Fields { .. } | ComparedBy::Verbatim) => Self {
                reference: "the reference",
                candidate,
                may_compare_decisions: compares_all(compared_by),
                matter,
                missing: one(
                    "that only the reference rejects",
                    "make the rule reject this too, or decide that the reference's check is not needed",
                ),
                extra: one(
                    "that only the rule rejects",
                    "make the rule accept this, or decide that it may reject more",
                ),
            },
            Some(ComparedBy::Kubernetes { .. }) | None => Self {
                reference: "the handwritten check",
                candidate,
                may_compare_decisions: compares_all(compared_by),
                matter,
                missing: one(
                    "that only the handwritten check rejects",
                    "make the rule reject this too, or decide that the check is not needed",
                ),
                extra: one(
                    "that only the rule rejects",
                    "make the rule accept this, or decide that it may reject more",
                ),
            },
        }
    }

    /// The words for defaults.
    #[must_use]
    pub fn of_defaults() -> Self {
        Self {
            reference: "code",
            candidate: "the marker",
            may_compare_decisions: false,
            matter: Matter::Defaults,
            missing: one(
                "in which only code sets this default",
                "write the value of code into the marker, or keep the line of SetDefaults",
            ),
            extra: one(
                "in which only the marker sets this default",
                "set the same default in code, or remove the marker",
            ),
        }
    }

    /// The words for defaults of the same types in a built-in and in a custom resource.
    #[must_use]
    pub fn of_semantics() -> Self {
        Self {
            reference: "the custom resource",
            candidate: "the built-in resource",
            may_compare_decisions: false,
            matter: Matter::Semantics,
            missing: one("in which only a custom resource has this default", AS_CUSTOM_RESOURCE),
            extra: one("in which only a built-in resource has this default", AS_CUSTOM_RESOURCE),
        }
    }

    /// The words for the laws of server-side apply.
    #[must_use]
    pub fn of_apply() -> Self {
        Self {
            reference: "the law",
            candidate: "apply",
            may_compare_decisions: false,
            matter: Matter::Apply,
            missing: one("in which only the law is heard", "change the types, or excuse the finding"),
            extra: one("in which apply breaks the law", BREAKS),
        }
    }

    /// The words for a pair as a whole.
    #[must_use]
    pub fn of_pair(compared_by: Option<ComparedBy>) -> Self {
        let (reference, candidate, matter) = ("the reference", "the candidate", matter(compared_by));
        match compared_by {
            Some(ComparedBy::Objects { .. }) => Self {
                reference,
                candidate,
                may_compare_decisions: compares_all(compared_by),
                matter,
                missing: one(
                    "in which only the reference sets a value or rejects",
                    "make the candidate set the same values and reject the same objects",
                ),
                extra: one(
                    "in which only the candidate sets a value or rejects",
                    "make the candidate set no other values and reject no other objects",
                ),
            },
            _ => Self {
                reference,
                candidate,
                may_compare_decisions: compares_all(compared_by),
                matter,
                missing: one("that only the reference rejects", "make the candidate reject them"),
                extra: one("that only the candidate rejects", "make the candidate accept them"),
            },
        }
    }

    fn alone(&self, direction: Direction) -> OneSided {
        match direction {
            Direction::Missing => self.missing,
            Direction::Extra => self.extra,
            Direction::Differs => {
                one("in which the two sides set different values", "make both sides set the same value")
            }
        }
    }

    /// The side that keeps silent, or that lacks something.
    fn silent(&self, direction: Direction) -> &'static str {
        if direction == Direction::Extra { self.reference } else { self.candidate }
    }

    fn reporting(&self, direction: Direction) -> &'static str {
        if direction == Direction::Extra { self.candidate } else { self.reference }
    }

    /// Says what a difference changes for the user; see [`decision`].
    #[must_use]
    pub(super) fn decision(&self, cases: u64, deciding: u64) -> String {
        decision(self.matter, cases, deciding)
    }

    /// Says of how many cases under an operation that one side is alone in them.
    #[must_use]
    pub(super) fn counted(&self, cases: u64, operation: Operation, direction: Direction) -> String {
        format!("{} {}, on {operation}", plural(cases, "case"), self.alone(direction).found)
    }

    /// Says why the two sides differ; none when one simply reports what the other does not, or nobody looked for the cause.
    #[must_use]
    pub fn why(&self, signature: &Signature, seen: &SignatureEvidence) -> Option<String> {
        self.why_by(signature.direction, signature.cause, &seen.stopped_by.iter().collect::<Vec<_>>())
    }

    /// Does the same as [`Words::why`], by the parts.
    pub(super) fn why_by(
        &self,
        direction: Direction,
        cause: Option<Cause>,
        stopped_by: &[&ErrorShape],
    ) -> Option<String> {
        let (reporting, silent) = (self.reporting(direction), self.silent(direction));
        Some(match cause? {
            Cause::ReportsMore | Cause::ReportsLess => return None,
            Cause::Ratchets => format!("{silent} accepts a stored bad value, {reporting} does not"),
            Cause::CreateOnly => format!("{silent} judges only creates, {reporting} updates too"),
            Cause::Stopped => format!("{} stops {silent}, and not {reporting}", stoppers(stopped_by)),
            Cause::Unmarked => {
                let lacks = match direction {
                    Direction::Extra => "is not marked as covered, or lacks the origin",
                    Direction::Missing | Direction::Differs => "lacks the origin",
                };
                format!("both report it, and the error of {silent} {lacks}")
            }
            Cause::OtherType => "both reject the value, with errors of different types".to_owned(),
            Cause::OtherPlace => "both reject the value, at different places".to_owned(),
            Cause::OtherOrigin => "both report it, with different origins".to_owned(),
            Cause::Unsteady => "the same case gets another answer when judged again".to_owned(),
            Cause::LostTwin => {
                format!("{} says that a rule covers it, and no rule reports such an error", self.reference)
            }
            Cause::BreaksLaw if self.matter == Matter::Apply => "server-side apply breaks a law".to_owned(),
            Cause::BreaksLaw => "defaulting breaks a law".to_owned(),
            Cause::DependsOnField => {
                "the default depends on another field, which KEP-1929 calls an anti-pattern".to_owned()
            }
            Cause::StaleDefault => {
                "a default of the former object stays after an apply, because no client owns it".to_owned()
            }
            Cause::AtomicDefault => {
                "a default inside an atomic list or map belongs to who applied it, and is extracted with it".to_owned()
            }
            Cause::FilledStruct => {
                "an empty struct that has fields of others, such as defaults, is not extracted".to_owned()
            }
            Cause::UnownedStruct => {
                "a struct that has nothing but empty lists belongs to nobody, and is not extracted".to_owned()
            }
            Cause::ChangedByDefault if self.matter == Matter::Objects => {
                "one side changes or removes a value that was sent".to_owned()
            }
            Cause::ChangedByDefault => "defaulting changes or removes what was applied".to_owned(),
            Cause::BeforeFirstApply => {
                "an apply that sets no field leaves no manager, so the next one finds every field owned by \
                 `before-first-apply`"
                    .to_owned()
            }
            Cause::DuplicateKey => "an apply refuses items with the same key, and validation accepts them".to_owned(),
            Cause::MissingKey => "an apply refuses items without a key, and validation accepts them".to_owned(),
            Cause::OtherJsonType => {
                "an apply refuses a value of another JSON type than its schema says, and validation accepts it"
                    .to_owned()
            }
            Cause::EmptiedList => {
                "a list that an apply empties becomes null first, and empty when the same is applied again".to_owned()
            }
            Cause::NullOrAbsent => format!("{reporting} writes null, {silent} leaves the value out"),
            Cause::EmptyOrAbsent => format!("{reporting} writes an empty value, {silent} leaves it unset"),
            Cause::Order => "both have the same items, in another order".to_owned(),
            Cause::NotDefaulted => format!("{reporting} sets a default, {silent} leaves the value unset"),
            Cause::OtherDefault => "both set a default, and the defaults differ".to_owned(),
            Cause::DefaultsNull => "null was sent: one side sets a default there, the other does not".to_owned(),
            Cause::DefaultsZero => {
                "a zero or empty value was sent: one side sets a default there, the other does not".to_owned()
            }
        })
    }

    /// Says what would make the differences with a signature go.
    #[must_use]
    pub fn remedy_of(&self, signature: &Signature) -> String {
        let is_of_unset = |cause| matches!(cause, Cause::NotDefaulted | Cause::DefaultsNull | Cause::DefaultsZero);
        if self.matter == Matter::Semantics
            && signature.cause.is_none_or(is_of_unset)
            && signature.path.ends_with("[*]")
        {
            return OF_ITEMS.to_owned();
        }
        self.remedy(signature.direction, signature.cause)
    }

    /// Says what would make the difference go.
    #[must_use]
    pub fn remedy(&self, direction: Direction, cause: Option<Cause>) -> String {
        let (reporting, silent) = (self.reporting(direction), self.silent(direction));
        match cause {
            None | Some(Cause::ReportsMore | Cause::ReportsLess) => self.alone(direction).remedy.to_owned(),
            Some(Cause::NotDefaulted) if self.matter.is_of_defaults() => self.alone(direction).remedy.to_owned(),
            Some(Cause::Ratchets) if direction == Direction::Extra => {
                format!("make {reporting} accept stored values: updates that pass today would be rejected")
            }
            Some(Cause::Ratchets) => {
                format!("decide that updates may keep a stored bad value, or make {silent} judge stored values")
            }
            Some(Cause::CreateOnly) => format!("make {silent} judge updates, or {reporting} creates only"),
            Some(Cause::Stopped) => {
                "let both sides stop at the same error, or decide that one error is enough".to_owned()
            }
            Some(Cause::Unmarked) if direction == Direction::Extra => {
                format!("mark the error of {silent} as covered, with the origin of {reporting}")
            }
            Some(Cause::Unmarked) => format!("give the error of {silent} the origin of {reporting}"),
            Some(Cause::OtherType | Cause::OtherPlace | Cause::OtherOrigin) if self.may_compare_decisions => {
                "compare by decision, tolerate the cause, or make both report the same".to_owned()
            }
            Some(Cause::OtherType) => "make both report the same type of error".to_owned(),
            Some(Cause::OtherPlace) => "make both report it at the same place".to_owned(),
            Some(Cause::OtherOrigin) => "give both errors the same origin".to_owned(),
            Some(Cause::Unsteady) => "find out which side gives different answers to the same case".to_owned(),
            Some(Cause::LostTwin) => "add the rule, or remove the mark".to_owned(),
            Some(Cause::BreaksLaw) if self.matter == Matter::Apply => BREAKS.to_owned(),
            Some(Cause::BreaksLaw) => "change the default so that it keeps the law".to_owned(),
            Some(Cause::DependsOnField) => "keep it in code: no marker can say it".to_owned(),
            Some(Cause::StaleDefault) => {
                "set the field in every configuration, or make its default depend on no other field".to_owned()
            }
            Some(Cause::AtomicDefault) => {
                "set the default in the configuration, or make the list or map granular (`+listType`, `+mapType`)"
                    .to_owned()
            }
            Some(Cause::FilledStruct | Cause::UnownedStruct) => "set a field of the struct".to_owned(),
            Some(Cause::ChangedByDefault) if self.matter == Matter::Objects => {
                "make both sides keep what is set".to_owned()
            }
            Some(Cause::ChangedByDefault) => "change the default so that what is set is kept".to_owned(),
            Some(Cause::BeforeFirstApply) => "set a field in the first configuration".to_owned(),
            Some(Cause::DuplicateKey) => "make validation reject the second item".to_owned(),
            Some(Cause::MissingKey) => "make validation require the key".to_owned(),
            Some(Cause::OtherJsonType) => "make validation reject other JSON types".to_owned(),
            Some(Cause::EmptiedList) => "leave an empty list out of the configuration".to_owned(),
            Some(Cause::NullOrAbsent | Cause::EmptyOrAbsent) => {
                "make both sides leave unset values out, or tolerate the cause".to_owned()
            }
            Some(Cause::NotDefaulted) => format!("set the default in {silent} too, or drop it from {reporting}"),
            Some(Cause::OtherDefault) => "make both set the same default".to_owned(),
            Some(Cause::DefaultsNull) => "make both sides treat null alike".to_owned(),
            Some(Cause::DefaultsZero) => {
                "make both sides keep what is set explicitly: a pointer tells zero from unset".to_owned()
            }
            Some(Cause::Order) => {
                "make both sides keep the order of items, or declare the list a set or map (`+listType`)".to_owned()
            }
        }
    }
}

fn stoppers(stopped_by: &[&ErrorShape]) -> String {
    let name = |shape: &&ErrorShape| {
        let origin = if shape.origin.is_empty() { String::new() } else { format!(" ({})", shape.origin) };
        format!("{} {}{origin}", shape.error_type.api_name(), shape.field)
    };
    let named = stopped_by.iter().take(MOST_NAMED).map(name).collect::<Vec<_>>().join(" or ");
    match stopped_by.len() {
        0 => "another error".to_owned(),
        all if all > MOST_NAMED => format!("{named} or {} more", all - MOST_NAMED),
        _ => named,
    }
}

/// Says what changes for the user: accept or reject, and in how many cases, only words, or the object.
#[must_use]
pub fn decision(matter: Matter, cases: u64, deciding: u64) -> String {
    match (matter, deciding) {
        (Matter::Defaults | Matter::Semantics | Matter::Objects, _) => "the object changes".to_owned(),
        (Matter::Apply, _) => "the law is broken".to_owned(),
        (Matter::Errors, 0) => "only the wording changes".to_owned(),
        (Matter::Errors, all) if all >= cases => "the outcome changes".to_owned(),
        (Matter::Errors, some) => format!("the outcome changes in {} of them", grouped(some)),
    }
}
