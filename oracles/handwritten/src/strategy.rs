//! What a request does to an object between defaulting and validation.

use super::kind::Prepare;
use super::meta::{Scope, has_version};
use super::request::RequestChecks;
use takeover_harness::case::Operation;
use takeover_harness::form::Strategy;
use takeover_harness::object::{Arena, Edit, Node};
use takeover_harness::oracle::Objects;

/// Where an object without namespace goes, as clients have it.
const DEFAULT_NAMESPACE: &str = "default";
/// The subresource that changes the number of replicas.
const SCALE: &str = "scale";
/// Longest name that is generated, in bytes.
const NAME_LIMIT: usize = 63;
/// Stands for the random end of a generated name, so that the same case always gives the same name.
pub const GENERATED_END: &str = "x7k2p";
/// Stands for the random name of an object that gets one as a whole.
pub const RANDOM_NAME: &str = "1d3e5f70-0000-4000-8000-000000000000";

/// Stands for the time of a request, so that the same case always gives the same object.
pub const REQUEST_TIME: &str = "2026-01-01T00:00:00Z";

/// The steps of a request of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    /// Whether the steps of every request run too. Those of the kind alone run on subresources only, as in verdicts
    /// recorded at a kind's own strategy.
    pub checks: RequestChecks,
    /// Whether objects live in namespaces.
    pub scope: Scope,
    /// Whether an update may leave out what it is based on.
    pub unconditional: bool,
    /// What the way through the server's internal version changes.
    pub convert: Option<fn(&mut Edit<'_>)>,
    /// What the registry changes in a stored object that it reads.
    pub stored: Option<fn(&mut Edit<'_>)>,
    /// The kind's own preparation.
    pub prepare: Option<Prepare>,
    /// Whether a scale that is sent to `/scale` changes the stored object of the kind; not so for the kind of the scales themselves.
    pub scaled: bool,
    /// Members that the server fills in from the authenticated user.
    pub user_fields: &'static [&'static str],
}

impl Strategy for Steps {
    fn prepare<'a>(
        &self,
        operation: Operation,
        subresource: &str,
        objects: &Objects<'a>,
        arena: &'a Arena,
    ) -> Objects<'a> {
        let Objects { schema, root, new, old, .. } = *objects;
        let every_request = self.checks.common_metadata();
        if !every_request && subresource.is_empty() {
            return *objects;
        }
        let convert = |object: &mut Edit<'_>| {
            if let Some(convert) = self.convert.filter(|_| every_request) {
                convert(object);
            }
        };
        let mut object = Edit::new(schema, arena, root, new);
        convert(&mut object);
        if let Some(stored) = old.filter(|_| every_request && self.scaled && subresource == SCALE) {
            let mut kept = Edit::new(schema, arena, root, stored);
            convert(&mut kept);
            take_over_scale(&mut kept, &object);
            object = kept;
        }
        let old = old.filter(|_| operation == Operation::Update).map(|old| {
            let mut old = Edit::new(schema, arena, root, old);
            convert(&mut old);
            if every_request {
                old.edit("metadata", |meta| settle_namespace(meta, "", self.scope));
                if let Some(read) = self.stored.filter(|_| subresource.is_empty()) {
                    read(&mut old);
                }
            }
            old
        });
        let stored = old.as_ref().and_then(|old| old.inside("metadata"));
        if every_request {
            object.edit("metadata", |meta| before(meta, stored.as_ref(), self.scope));
        }
        if let Some(prepare) = self.prepare {
            prepare(&mut object, old.as_ref(), subresource);
        }
        if every_request {
            object.edit("metadata", |meta| match &stored {
                None => generate_name(meta),
                Some(stored) => {
                    if (self.unconditional || self.checks != RequestChecks::AsSent)
                        && !has_version(meta.text("resourceVersion"))
                    {
                        meta.copy("resourceVersion", stored);
                    }
                    keep_system_fields(meta, stored);
                }
            });
        }
        Objects { new: object.finish(), old: old.map(Edit::finish).or(objects.old), ..*objects }
    }

    fn user_fields(&self) -> &'static [&'static str] {
        self.user_fields
    }
}

/// A scale changes the number of replicas alone; what else is in it serves to find the stored object in its right version.
fn take_over_scale<'a>(stored: &mut Edit<'a>, sent: &Edit<'a>) {
    for (part, names) in [("spec", &["replicas"][..]), ("metadata", &["resourceVersion", "managedFields"])] {
        let Some(sent) = sent.inside(part) else { continue };
        stored.edit(part, |stored| names.iter().for_each(|name| stored.copy(name, &sent)));
    }
}

/// An object is stored in a namespace, or in none, whatever a manifest says.
fn settle_namespace<'a>(meta: &mut Edit<'a>, stored: &'a str, scope: Scope) {
    match scope {
        Scope::Cluster => meta.clear("namespace"),
        Scope::Namespaced => {
            meta.set_default("namespace", Node::Text(if stored.is_empty() { DEFAULT_NAMESPACE } else { stored }));
        }
    }
}

/// What happens to metadata before the kind has its say.
fn before<'a>(meta: &mut Edit<'a>, old: Option<&Edit<'a>>, scope: Scope) {
    settle_namespace(meta, old.map_or("", |old| old.text("namespace")), scope);
    match old {
        None => {
            meta.clear("deletionTimestamp");
            meta.clear("deletionGracePeriodSeconds");
        }
        Some(old) => meta.copy("generation", old),
    }
}

fn generate_name(meta: &mut Edit<'_>) {
    let start = meta.text("generateName");
    if start.is_empty() || !meta.text("name").is_empty() {
        return;
    }
    let mut end = start.len().min(NAME_LIMIT - GENERATED_END.len());
    while !start.is_char_boundary(end) {
        end -= 1;
    }
    let start = start.get(..end).unwrap_or_default();
    let name = meta.arena().alloc_str(&format!("{start}{GENERATED_END}"));
    meta.set("name", Node::Text(name));
}

/// An update without these keeps what is stored; a deletion cannot be taken back.
fn keep_system_fields<'a>(meta: &mut Edit<'a>, old: &Edit<'a>) {
    for name in ["uid", "deletionGracePeriodSeconds"] {
        if meta.get(name).is_unset() {
            meta.copy(name, old);
        }
    }
    for name in ["creationTimestamp", "deletionTimestamp"] {
        if !old.get(name).is_unset() {
            meta.copy(name, old);
        }
    }
}
