//! How objects of a kind are decoded and defaulted, in the terms of the harness.

use crate::coerce::set_defaults;
use crate::kind::{CustomKind, Scope};
use crate::node_defaults::NodeDefaults;
use crate::request::{DEFAULT_NAMESPACE, SOME_VERSION, generated_name};
use crate::structural::{Additional, Structural};
use std::collections::BTreeSet;
use std::sync::Arc;
use takeover_harness::case::Operation;
use takeover_harness::form::{Defaulter, Form, Strategy};
use takeover_harness::object::{Arena, Edit, FieldValidation, Node, from_bytes_with, to_value};
use takeover_harness::oracle::Objects;
use takeover_harness::schema::{Schema, TypeId};
use takeover_harness::subject::SubjectId;

impl CustomKind {
    /// The name of the kind as a subject.
    #[must_use]
    pub fn subject(&self) -> SubjectId {
        SubjectId::new(self.api_version(), self.kind.as_str())
    }

    /// The steps of a request between decoding and validation, for oracles that see decoded objects beside a [`crate::CrdOracle`], which
    /// takes them itself.
    #[must_use]
    pub fn steps(&self) -> Box<dyn Strategy> {
        Box::new(Steps { scope: self.scope, has_status: self.status_subresource })
    }

    /// The form of its objects: decoded by its types, with the defaults of its schema. What a request does besides, such as leaving
    /// out the status, is not part of it.
    #[must_use]
    pub fn form(&self, field_validation: FieldValidation) -> Form {
        let defaulter = self.structural.has_defaults().then(|| {
            let defaulter: Box<dyn Defaulter> = Box::new(Defaults {
                structural: Arc::clone(&self.structural),
                of_nodes: NodeDefaults::of(&self.structural, &self.schema, self.root),
            });
            defaulter
        });
        Form { schema: Arc::clone(&self.schema), root: self.root, field_validation, defaulter, strategy: None }
    }

    /// The path patterns of its nullable fields, at which null is a value.
    #[must_use]
    pub fn nullable(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        nullable(&self.structural, "", &mut found);
        found
    }

    /// The kind as it was before some of its defaults existed: without those for whose number `is_new` says so, in the order of a walk
    /// through the schema.
    #[must_use]
    pub fn without_defaults(&self, is_new: impl Fn(usize) -> bool) -> Self {
        let mut at = 0;
        let mut is_next_new = || {
            at += 1;
            is_new(at - 1)
        };
        Self { structural: Arc::new(without_defaults(&self.structural, &mut is_next_new)), ..self.clone() }
    }
}

fn nullable(node: &Structural, path: &str, found: &mut BTreeSet<String>) {
    if node.nullable {
        found.insert(path.to_owned());
    }
    for (name, below) in &node.properties {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        nullable(below, &path, found);
    }
    let entries = match &node.additional {
        Some(Additional::Schema(entries)) => Some(entries),
        _ => None,
    };
    for below in node.items.iter().chain(entries) {
        nullable(below, &format!("{path}[*]"), found);
    }
}

fn without_defaults(node: &Structural, is_new: &mut dyn FnMut() -> bool) -> Structural {
    let default = node.default.clone().filter(|_| !is_new());
    let properties =
        node.properties.iter().map(|(name, of)| (name.clone(), Arc::new(without_defaults(of, is_new)))).collect();
    let items = node.items.as_ref().map(|of| Arc::new(without_defaults(of, is_new)));
    let additional = match &node.additional {
        Some(Additional::Schema(of)) => Some(Additional::Schema(Arc::new(without_defaults(of, is_new)))),
        other => other.clone(),
    };
    Structural { default, properties, items, additional, ..node.clone() }
}

/// What [`request`](crate::request) does to the JSON of an object, done to the decoded object; the generation stays as it is.
struct Steps {
    scope: Scope,
    has_status: bool,
}

impl Strategy for Steps {
    fn prepare<'a>(&self, _: Operation, subresource: &str, objects: &Objects<'a>, arena: &'a Arena) -> Objects<'a> {
        let Objects { schema, root, new, old, .. } = *objects;
        let mut object = Edit::new(schema, arena, root, new);
        let old = old.map(|old| {
            let mut old = Edit::new(schema, arena, root, old);
            old.edit("metadata", |metadata| {
                self.settle_namespace(metadata, None);
                metadata.set_default_text("resourceVersion", SOME_VERSION);
            });
            old.finish()
        });
        match old.map(|old| Edit::new(schema, arena, root, old)) {
            Some(mut changed) if !subresource.is_empty() => {
                changed.copy("status", &object);
                object = changed;
            }
            Some(old) => {
                if self.has_status {
                    object.copy("status", &old);
                }
                let stored = old.inside("metadata");
                object.edit("metadata", |metadata| {
                    self.settle_namespace(metadata, stored.as_ref());
                    let Some(stored) = &stored else { return };
                    for name in ["resourceVersion", "uid", "deletionGracePeriodSeconds"] {
                        if metadata.get(name).is_unset() {
                            metadata.copy(name, stored);
                        }
                    }
                    for name in ["creationTimestamp", "deletionTimestamp"] {
                        if !stored.get(name).is_unset() {
                            metadata.copy(name, stored);
                        }
                    }
                });
            }
            None => {
                if self.has_status {
                    object.clear("status");
                }
                object.edit("metadata", |metadata| {
                    self.settle_namespace(metadata, None);
                    metadata.clear("deletionTimestamp");
                    metadata.clear("deletionGracePeriodSeconds");
                    if metadata.text("name").is_empty() && !metadata.text("generateName").is_empty() {
                        let name = generated_name(metadata.text("generateName"));
                        metadata.set("name", Node::Text(metadata.arena().alloc_str(&name)));
                    }
                });
            }
        }
        Objects { new: object.finish(), old, ..*objects }
    }
}

impl Steps {
    fn settle_namespace<'a>(&self, metadata: &mut Edit<'a>, stored: Option<&Edit<'a>>) {
        match self.scope {
            Scope::Cluster => metadata.clear("namespace"),
            Scope::Namespaced => {
                if let Some(stored) = stored.filter(|_| metadata.text("namespace").is_empty()) {
                    metadata.copy("namespace", stored);
                }
                metadata.set_default_text("namespace", DEFAULT_NAMESPACE);
            }
        }
    }
}

/// Sets the defaults of a schema.
struct Defaults {
    structural: Arc<Structural>,
    /// The same for decoded objects; `None` when some defaults are in JSON without a known type.
    of_nodes: Option<NodeDefaults>,
}

impl Defaulter for Defaults {
    fn apply<'a>(&self, schema: &'a Schema, root: TypeId, object: Node<'a>, arena: &'a Arena) -> Node<'a> {
        if let Some(of_nodes) = &self.of_nodes {
            return of_nodes.set_whole(schema, root, object, arena).unwrap_or(object);
        }
        let before = to_value(schema, root, &object);
        let mut after = before.clone();
        set_defaults(&self.structural, &mut after);
        if after == before {
            return object;
        }
        let text = arena.alloc_str(&after.to_string());
        // Defaults that are not of their type leave the object as it was; servers do not take such schemas.
        from_bytes_with(schema, root, text.as_bytes(), FieldValidation::Warn, arena)
            .map_or(object, |decoded| decoded.node)
    }
}
