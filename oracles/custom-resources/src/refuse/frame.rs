//! A CRD around its schemas: names, versions, what they share, and what a server remembers of it.

use super::names::not_a_label;
use super::props::Props;
use super::{Before, UnknownFields, columns, conversion, schema};
use crate::validate::{named_metadata, subdomain_problems};
use serde_json::{Map, Value, json};
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::path::Path;

const APPROVAL: &str = "api-approved.kubernetes.io";
const MAX_WARNING: usize = 256;

/// Everything that is refused of a manifest; `unknown` is what becomes of unknown fields in defaults.
pub(super) fn check(document: &Value, before: Before, unknown: UnknownFields) -> Vec<FieldError> {
    let crd = Crd::of(document, before, unknown);
    let mut errors = crd.metadata();
    crd.spec(&mut errors);
    let (status, path) = (Props::new(&crd.status), Path::ROOT.child("status"));
    if let Some(accepted) = status.below("acceptedNames") {
        names(accepted, &path.child("acceptedNames"), &mut errors);
    }
    crd.stored_versions(&path.child("storedVersions"), &mut errors);
    errors.extend(crd.approval());
    if crd.preserves() {
        let detail =
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
        errors.push(FieldError::invalid(&Path::ROOT.child("spec").child("preserveUnknownFields"), true, detail));
    }
    errors
}

struct Crd<'d> {
    before: Before,
    unknown: UnknownFields,
    metadata: &'d Map<String, Value>,
    spec: Props<'d>,
    names: Value,
    conversion: Value,
    versions: Vec<Props<'d>>,
    /// Names of the parts that all versions say alike, which a server keeps once.
    shared: Vec<&'static str>,
    status: Value,
}

impl<'d> Crd<'d> {
    fn of(document: &'d Value, before: Before, unknown: UnknownFields) -> Self {
        static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
        let spec = Props::new(document.get("spec").unwrap_or(&Value::Null));
        let object = |name: &str| spec.get(name).filter(|value| value.is_object()).cloned();
        let mut names = object("names").unwrap_or_else(|| json!({}));
        let mut conversion = object("conversion").unwrap_or(Value::Null);
        let given = document.get("status").filter(|status| status.is_object()).cloned();
        let mut status = given.filter(|_| before == Before::Nothing).unwrap_or_else(|| json!({}));
        if before == Before::Defaults {
            set_names(&mut names);
            if conversion.is_null() {
                conversion = json!({"strategy": "None"});
            }
        }
        let versions: Vec<Props<'d>> = spec.list("versions").iter().map(Props::new).collect();
        let stored = versions.iter().filter(|version| version.flag("storage")).map(|version| version.text("name"));
        if status.get("storedVersions").is_none_or(Value::is_null) {
            set(&mut status, "storedVersions", stored.collect());
        }
        let metadata = document.get("metadata").and_then(Value::as_object).unwrap_or(&NONE);
        let shared = PARTS.into_iter().filter(|name| is_shared(&versions, name)).collect();
        Self { before, unknown, metadata, spec, names, conversion, versions, shared, status }
    }

    fn preserves(&self) -> bool {
        self.spec.flag("preserveUnknownFields")
    }

    fn metadata(&self) -> Vec<FieldError> {
        let plural = Props::new(&self.names).text("plural");
        let required = format!("{plural}.{}", self.spec.text("group"));
        named_metadata(self.metadata, &required, "must be spec.names.plural+\".\"+spec.group")
    }

    fn spec(&self, errors: &mut Vec<FieldError>) {
        let path = Path::ROOT.child("spec");
        self.frame(&path, errors);
        self.all_versions(&path, errors);
        let (of_names, names_path) = (Props::new(&self.names), path.child("names"));
        for name in ["plural", "singular", "kind", "listKind"] {
            if of_names.text(name).is_empty() {
                errors.push(FieldError::required(&names_path.child(name), ""));
            }
        }
        names(of_names, &names_path, errors);
        let parts = Parts::of(|name| self.shared(name));
        if let Some(of_all) = parts.schema {
            errors.extend(schema::check(of_all, self.any_status(), self.unknown, &path.child("validation")));
        }
        self.details(&parts, &path, "may only be set when validations.schema is included", errors);
        if !self.conversion.is_null() {
            let conversion = Props::new(&self.conversion);
            conversion::check(conversion, self.preserves(), self.before, &path.child("conversion"), errors);
        }
    }

    fn frame(&self, path: &Path<'_>, errors: &mut Vec<FieldError>) {
        let (group, at) = (self.spec.text("group"), path.child("group"));
        let problems = subdomain_problems(group);
        if group.is_empty() {
            errors.push(FieldError::required(&at, ""));
        } else if !problems.is_empty() {
            errors.push(FieldError::invalid(&at, group.to_owned(), problems.join(",")));
        } else if !group.contains('.') {
            errors.push(FieldError::invalid(&at, group.to_owned(), "should be a domain with at least one dot"));
        }
        match (self.spec.text("scope"), path.child("scope")) {
            ("Cluster" | "Namespaced", _) => {}
            ("", at) => errors.push(FieldError::required(&at, "")),
            (other, at) => {
                let detail = "supported values: \"Cluster\", \"Namespaced\"";
                errors.push(FieldError::new(ErrorType::NotSupported, &at, other.to_owned(), detail));
            }
        }
        let has_schema = |of: &Value| Props::new(of).get("openAPIV3Schema").is_some();
        if !self.shared("schema").is_some_and(has_schema) {
            let versions = path.child("versions");
            for (index, version) in self.versions.iter().enumerate() {
                if !self.own(*version, "schema").is_some_and(has_schema) {
                    let at = versions.index(index);
                    errors.push(FieldError::required(&at.child("schema").child("openAPIV3Schema"), ""));
                }
            }
        }
        let schemas = self.versions.iter().filter_map(|version| version.below("schema")?.below("openAPIV3Schema"));
        let has_default = |schema: Props<'_>| schema.get("default").is_some();
        if self.preserves() && schemas.into_iter().any(|schema| !too_deep(schema) && schema.any(&has_default)) {
            let detail = "must be false in order to use defaults in the schema";
            errors.push(FieldError::invalid(&path.child("preserveUnknownFields"), true, detail));
        }
    }

    fn all_versions(&self, path: &Path<'_>, errors: &mut Vec<FieldError>) {
        let versions = path.child("versions");
        let mut names: Vec<&str> = Vec::new();
        for (index, version) in self.versions.iter().enumerate() {
            let at = versions.index(index);
            let name = version.text("name");
            if let Some(problem) = not_a_label(name) {
                errors.push(FieldError::invalid(&at.child("name"), name.to_owned(), problem));
            }
            deprecation(*version, &at.child("deprecationWarning"), errors);
            let parts = Parts::of(|name| self.own(*version, name));
            let subresources = parts.subresources.or_else(|| self.shared("subresources"));
            if let Some(of_version) = parts.schema {
                let status = subresources.is_some_and(has_status);
                errors.extend(schema::check(of_version, status, self.unknown, &at.child("schema")));
            }
            let no_schema = "may only be set when `version.schema.openAPIV3Schema` is not included";
            self.details(&parts, &at, no_schema, errors);
            names.push(name);
        }
        let storages = self.versions.iter().filter(|version| version.flag("storage")).count();
        let repeats = names.iter().enumerate().any(|(index, name)| names.iter().take(index).any(|known| known == name));
        if repeats {
            errors.push(FieldError::invalid(&versions, BadValue::Hidden, "must contain unique version names"));
        }
        if storages != 1 {
            let detail = "must have exactly one version marked as storage version";
            errors.push(FieldError::invalid(&versions, BadValue::Hidden, detail));
        }
        // A server keeps the name of the first version at a second place.
        if let Some(name) = names.first().filter(|name| !name.is_empty())
            && let Some(problem) = not_a_label(name)
        {
            errors.push(FieldError::invalid(&path.child("version"), (*name).to_owned(), problem));
        }
    }

    /// What is refused of the parts of a version, or of what all versions share, beside the schema.
    fn details(&self, parts: &Parts<'_>, path: &Path<'_>, no_schema: &'static str, errors: &mut Vec<FieldError>) {
        if let Some(subresources) = parts.subresources {
            columns::subresources(Props::new(subresources), &path.child("subresources"), errors);
        }
        if let Some(Value::Array(columns)) = parts.columns {
            columns::columns(columns, &path.child("additionalPrinterColumns"), errors);
        }
        let Some(Value::Array(fields)) = parts.selectable else { return };
        if fields.is_empty() {
            return;
        }
        let at = path.child("selectableFields");
        match parts.schema.and_then(|value| Props::new(value).below("openAPIV3Schema")) {
            None => errors.push(FieldError::invalid(&at, "", no_schema)),
            Some(schema) if too_deep(schema) => {}
            Some(schema) => {
                let unsupported = schema.unsupported();
                if let Some(reason) = &unsupported {
                    errors.push(FieldError::invalid(&path.child("schema.openAPIV3Schema"), "", reason.clone()));
                }
                columns::selectable(fields, Some(schema).filter(|_| unsupported.is_none()), &at, errors);
            }
        }
    }

    /// What all versions say alike.
    fn shared(&self, name: &str) -> Option<&'d Value> {
        self.versions.first()?.get(name).filter(|_| self.shared.contains(&name))
    }

    /// What a version says for itself.
    fn own(&self, version: Props<'d>, name: &str) -> Option<&'d Value> {
        version.get(name).filter(|_| !self.shared.contains(&name))
    }

    fn any_status(&self) -> bool {
        self.versions.iter().filter_map(|version| version.get("subresources")).any(has_status)
    }

    fn stored_versions(&self, path: &Path<'_>, errors: &mut Vec<FieldError>) {
        let listed = Props::new(&self.status).texts("storedVersions");
        if listed.is_empty() {
            errors.push(FieldError::invalid(path, Value::Null, "must have at least one stored version"));
            return;
        }
        for version in self.versions.iter().filter(|version| version.flag("storage")) {
            let name = version.text("name");
            if !listed.contains(&name) {
                let detail = format!("must have the storage version {name}");
                errors.push(FieldError::invalid(path, Value::from(listed.clone()), detail));
            }
        }
        for (index, name) in listed.iter().enumerate() {
            if !self.versions.iter().any(|version| version.text("name") == *name) {
                let detail = format!(
                    "missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions until a \
                     storage migration ensures no data remains persisted in {name} and removes {name} from status.storedVersions"
                );
                errors.push(FieldError::invalid(&path.index(index), (*name).to_owned(), detail));
            }
        }
    }

    /// Groups of the Kubernetes project need a reason to be served.
    fn approval(&self) -> Option<FieldError> {
        let group = self.spec.text("group");
        let protected = ["k8s.io", "kubernetes.io"]
            .iter()
            .any(|domain| group.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')));
        if !protected {
            return None;
        }
        let given = self.metadata.get("annotations").and_then(|all| all.get(APPROVAL)).and_then(Value::as_str);
        let (path, given) = (Path::ROOT.child("metadata"), given.unwrap_or_default());
        let path = path.child("annotations");
        let (path, see) = (path.key(APPROVAL), "see https://github.com/kubernetes/enhancements/pull/1111");
        if given.is_empty() {
            let detail = format!("protected groups must have approval annotation \"{APPROVAL}\", {see}");
            return Some(FieldError::required(&path, detail));
        }
        let is_url = given.split_once("://").is_some_and(|(scheme, rest)| {
            let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
            !scheme.is_empty() && !host.is_empty() && !given.contains(' ')
        });
        if is_url || given.starts_with("unapproved") {
            return None;
        }
        let detail = format!(
            "protected groups must have approval annotation \"{APPROVAL}\" with either a URL or a reason starting with \
             \"unapproved\", {see}"
        );
        Some(FieldError::invalid(&path, given.to_owned(), detail))
    }
}

/// What a version says for itself, or all versions alike.
struct Parts<'d> {
    schema: Option<&'d Value>,
    subresources: Option<&'d Value>,
    columns: Option<&'d Value>,
    selectable: Option<&'d Value>,
}

impl<'d> Parts<'d> {
    fn of(part: impl Fn(&str) -> Option<&'d Value>) -> Self {
        Self {
            schema: part("schema"),
            subresources: part("subresources"),
            columns: part("additionalPrinterColumns"),
            selectable: part("selectableFields"),
        }
    }
}

/// The parts of a version that a server may keep for all versions.
const PARTS: [&str; 4] = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"];

fn is_shared(versions: &[Props<'_>], name: &str) -> bool {
    let mut said = versions.iter().map(|version| version.get(name));
    let Some(first) = said.next() else { return false };
    said.all(|other| same(first, other))
}

fn too_deep(schema: Props<'_>) -> bool {
    schema.is_deeper_than(crate::reader::MAX_DEPTH)
}

fn has_status(subresources: &Value) -> bool {
    Props::new(subresources).get("status").is_some()
}

fn set(object: &mut Value, name: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}

/// Names that a server sets where they are missing.
fn set_names(names: &mut Value) {
    let kind = Props::new(names).text("kind").to_owned();
    let missing = |name: &str| Props::new(names).text(name).is_empty();
    let (singular, list_kind) = (missing("singular"), missing("listKind") && !kind.is_empty());
    if singular {
        set(names, "singular", Value::from(kind.to_lowercase()));
    }
    if list_kind {
        set(names, "listKind", Value::from(format!("{kind}List")));
    }
}

fn names(names: Props<'_>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for name in ["plural", "singular"] {
        let text = names.text(name);
        if let Some(problem) = not_a_label(text).filter(|_| !text.is_empty()) {
            errors.push(FieldError::invalid(&path.child(name), text.to_owned(), problem));
        }
    }
    let (kind, list_kind) = (names.text("kind"), names.text("listKind"));
    for (name, text) in [("kind", kind), ("listKind", list_kind)] {
        if let Some(problem) = not_a_label(&text.to_lowercase()).filter(|_| !text.is_empty()) {
            let detail = format!("may have mixed case, but should otherwise match: {problem}");
            errors.push(FieldError::invalid(&path.child(name), text.to_owned(), detail));
        }
    }
    if !kind.is_empty() && kind == list_kind {
        let detail = "kind and listKind may not be the same";
        errors.push(FieldError::invalid(&path.child("listKind"), list_kind.to_owned(), detail));
    }
    for name in ["shortNames", "categories"] {
        let path = path.child(name);
        for (index, text) in names.texts(name).into_iter().enumerate() {
            if let Some(problem) = not_a_label(text) {
                errors.push(FieldError::invalid(&path.index(index), text.to_owned(), problem));
            }
        }
    }
}

fn deprecation(version: Props<'_>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let Some(warning) = version.optional_text("deprecationWarning") else { return };
    let mut refuse = |detail: String| errors.push(FieldError::invalid(path, warning.to_owned(), detail));
    if !version.flag("deprecated") {
        return refuse("can only be set for deprecated versions".to_owned());
    }
    if warning.len() > MAX_WARNING {
        refuse(format!("must be <= {MAX_WARNING} characters long"));
    }
    if warning.is_empty() {
        refuse("must not be an empty string".to_owned());
    }
    if let Some((index, _)) = warning.char_indices().find(|(_, c)| !is_printable(*c)) {
        refuse(format!("must only contain printable UTF-8 characters; non-printable character found at index {index}"));
    }
}

/// Whether Go takes a character for printable: no control and no white space but the blank.
fn is_printable(c: char) -> bool {
    c == ' ' || !(c.is_control() || c.is_whitespace())
}

/// Whether two versions say the same: null, absence and empty lists are one.
fn same(one: Option<&Value>, other: Option<&Value>) -> bool {
    let set = |value: &&Value| !value.is_null() && !value.as_array().is_some_and(Vec::is_empty);
    match (one.filter(set), other.filter(set)) {
        (None, None) => true,
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            // Each member once: to compare it from both sides takes the square of that at every level.
            let more = other.iter().filter(|(name, _)| !one.contains_key(*name));
            one.iter().all(|(name, value)| same(Some(value), other.get(name)))
                && more.into_iter().all(|(_, value)| same(None, Some(value)))
        }
        (Some(Value::Array(one)), Some(Value::Array(other))) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(Some(one), Some(other)))
        }
        (Some(Value::Number(one)), Some(Value::Number(other))) => one == other || one.as_f64() == other.as_f64(),
        (one, other) => one == other,
    }
}
