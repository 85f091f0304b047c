//! `known-tags-only`, `require-explicit-disablement`: the generator tags of `doc.go`.

use crate::grammar;
use crate::idl::{Position, TagLine};
use crate::lint::def::{Lint, Origin};
use crate::lint::model::Model;
use crate::lint::sink::{Sink, Spot};
use crate::lint::version::Version;
use takeover_harness::schema::{Kind, Presence};

pub(in crate::lint) static KNOWN_TAGS_ONLY: Lint = Lint {
    name: "known-tags-only",
    summary: "A generator tag in `doc.go` belongs to no known generator.",
    explanation: "No generator of Kubernetes reads this `+k8s:…-gen…` line.",
    source: Origin::Generator,
    on_request: true,
    ..Lint::DEFAULT
};

pub(in crate::lint) static EXPLICIT_DISABLEMENT: Lint = Lint {
    name: "require-explicit-disablement",
    summary: "An API version must enable or disable each generator it needs in `doc.go`.",
    explanation: "A package of versioned API types (its last path element is a version, it has `+groupName` or a generator \
                  tag, and a type embeds `TypeMeta`) needs `+k8s:deepcopy-gen`; a package of defaults and validation of a \
                  version needs `+k8s:conversion-gen`, `+k8s:defaulter-gen` and `+k8s:validation-gen`.",
    source: Origin::Generator,
    on_request: true,
    ..Lint::DEFAULT
};

/// The names that generators of Kubernetes read in `doc.go`.
const KNOWN: &[&str] = &[
    "k8s:applyconfiguration-gen",
    "k8s:client-gen",
    "k8s:conversion-gen",
    "k8s:conversion-gen-external-types",
    "k8s:deepcopy-gen",
    "k8s:defaulter-gen",
    "k8s:defaulter-gen-input",
    "k8s:informer-gen",
    "k8s:lister-gen",
    "k8s:openapi-gen",
    "k8s:prerelease-lifecycle-gen",
    "k8s:protobuf-gen",
    "k8s:register-gen",
    "k8s:validation-gen",
    "k8s:validation-gen-input",
    "k8s:validation-gen-nolint",
    "k8s:validation-gen-scheme-registry",
    "k8s:validation-gen-test-fixture",
    "k8s:validation-gen-test-targets",
];

pub(in crate::lint) fn known_tags_only(model: &Model<'_>, sink: &mut Sink<'_>) {
    for line in model.packages.iter().flat_map(|package| &package.doc) {
        let name = grammar::name_of(&line.text);
        let Some(short) = name.strip_prefix("k8s:").filter(|short| short.contains("-gen")) else { continue };
        // What follows a second colon says more to the same generator.
        let end = short.find(':').map_or(name.len(), |colon| colon + "k8s:".len());
        if !name.get(..end).is_some_and(|base| KNOWN.contains(&base)) {
            let spot = Spot::at(Some(line.position.clone())).of_length(name.len() + 1);
            sink.plain(spot, format!("`{name}` is the tag of no known generator"));
        }
    }
}

pub(in crate::lint) fn explicit_disablement(model: &Model<'_>, sink: &mut Sink<'_>) {
    for package in &model.packages {
        let has = |wanted: &str| package.doc.iter().any(|line| grammar::name_of(&line.text) == wanted);
        let api = has("groupName") || KNOWN.iter().any(|known| has(known));
        if !api || Version::of_path(&package.path).is_none() {
            continue;
        }
        let needed: &[&str] = if declares_kinds(model, &package.path) {
            &["k8s:deepcopy-gen"]
        } else if ["k8s:defaulter-gen", "k8s:defaulter-gen-input", "k8s:validation-gen", "k8s:validation-gen-input"]
            .iter()
            .any(|name| has(name))
        {
            &["k8s:conversion-gen", "k8s:defaulter-gen", "k8s:validation-gen"]
        } else {
            &[]
        };
        for missing in needed.iter().filter(|name| !has(name)) {
            let message = format!("`doc.go` of `{}` neither sets nor disables `+{missing}`", package.path);
            sink.plain(Spot::at(place(&package.doc)), message).help(format!("add `// +{missing}=…`, or `=false`"));
        }
    }
}

/// Whether a type of the package embeds `TypeMeta`.
fn declares_kinds(model: &Model<'_>, path: &str) -> bool {
    model.idl.types.iter().zip(model.idl.schema.iter()).any(|(info, (_, ty))| {
        let embeds = match &ty.kind {
            Kind::Struct(fields) => {
                let mut fields = fields.fields.iter();
                fields.any(|field| &*field.go_name == "TypeMeta" && field.presence == Presence::Inlined)
            }
            _ => false,
        };
        &*info.package == path && embeds
    })
}

/// The first tag line, where there is one.
fn place(doc: &[TagLine]) -> Option<Position> {
    doc.first().map(|line| line.position.clone())
}
