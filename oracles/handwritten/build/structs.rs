//! From Go types to Rust structs that borrow from decoded objects.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The packages whose objects have structs, by their folders in `oracles/idl`.
const PACKAGES: [&str; 15] = [
    "admissionregistration/v1",
    "apps/v1",
    "autoscaling/v1",
    "autoscaling/v2",
    "batch/v1",
    "certificates/v1",
    "core/v1",
    "discovery/v1",
    "flowcontrol/v1",
    "networking/v1",
    "node/v1",
    "policy/v1",
    "rbac/v1",
    "resource/v1",
    "storage/v1",
];

const META: &str = "apimachinery/pkg/apis/meta/v1";

/// Packages that these use.
const USED: [&str; 5] = [
    META,
    "apimachinery/pkg/api/resource",
    "apimachinery/pkg/runtime",
    "apimachinery/pkg/types",
    "apimachinery/pkg/util/intstr",
];

/// Types with a JSON form of their own, by package and name, and what the structs have in their place.
const WELL_KNOWN: [(&str, &str, &str); 5] = [
    (META, "Time", "crate::types::Time"),
    (META, "FieldsV1", "crate::types::Raw<'a>"),
    ("apimachinery/pkg/api/resource", "Quantity", "crate::types::Quantity<'a>"),
    ("apimachinery/pkg/runtime", "RawExtension", "crate::types::Raw<'a>"),
    ("apimachinery/pkg/util/intstr", "IntOrString", "crate::types::IntOrString<'a>"),
];

/// The structs of the objects in these packages and of everything that they reach, a module for each package.
pub(super) fn written(idl: &Path) -> Result<String> {
    let mut types = Types::default();
    for folder in PACKAGES.into_iter().chain(USED) {
        types.read(idl, folder)?;
    }
    let mut modules: BTreeMap<&str, BTreeMap<&str, String>> = BTreeMap::new();
    let mut waiting: BTreeSet<Name> = types.objects();
    let mut done = BTreeSet::new();
    while let Some(name) = waiting.pop_first() {
        let (group, version) = module(name.folder)?;
        let text = modules.entry(group).or_default().entry(version).or_default();
        types.write(text, name, &mut waiting).map_err(|error| format!("{}.{}: {error}", name.folder, name.of))?;
        done.insert(name);
        waiting.retain(|name| !done.contains(name));
    }
    let mut out = String::new();
    for (group, versions) in modules {
        writeln!(out, "/// Structs of `{group}`.\npub mod {group} {{")?;
        for (version, text) in versions {
            writeln!(out, "/// Structs of `{group}/{version}`.\npub mod {version} {{\n{text}}}")?;
        }
        out.push_str("}\n");
    }
    Ok(out)
}

/// The names of the modules of a package.
fn module(folder: &str) -> Result<(&str, &str)> {
    let (group, version) = folder.rsplit_once('/').ok_or("a package without version")?;
    Ok((group.rsplit('/').next().unwrap_or(group), version))
}

/// A Go type by the folder of its package and its name there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Name<'t> {
    folder: &'t str,
    of: &'t str,
}

/// The Go types of some packages.
#[derive(Default)]
struct Types {
    by_name: BTreeMap<(String, String), Declared>,
    /// The folder of what a package calls another.
    imports: BTreeMap<(String, String), String>,
}

/// What a Go type is declared as.
enum Declared {
    /// A struct with these fields.
    Struct(Vec<Field>),
    /// Another type.
    As(String),
    /// A struct that cannot be read, and why.
    Unreadable(String),
}

struct Field {
    /// Name of the member in JSON; empty for an inlined struct.
    json: String,
    go: String,
    omit_empty: bool,
}

impl Field {
    /// Whether the member can be unset: pointers, and what is left out where it is zero, but the metadata of a whole object.
    fn is_optional(&self, of_object: bool) -> bool {
        (self.omit_empty || self.go.starts_with('*')) && !(of_object && self.json == "metadata")
    }
}

/// A Go type below its pointers and names.
enum Shape<'t> {
    Text,
    Bytes,
    /// A number or bool, as Rust calls it.
    Scalar(&'static str),
    /// The Rust type of a well-known type.
    Known(&'static str),
    /// A list: the package that names the type of the items, and that name.
    List(&'t str, &'t str),
    /// A map: the package that names the type of the values, and that name.
    Map(&'t str, &'t str),
    Struct(Name<'t>),
}

impl Types {
    /// The structs with kind and version.
    fn objects(&self) -> BTreeSet<Name<'_>> {
        let is_object = |declared: &Declared| match declared {
            Declared::Struct(fields) => {
                fields.iter().any(|field| field.json.is_empty() && field.go.ends_with("TypeMeta"))
            }
            Declared::As(_) | Declared::Unreadable(_) => false,
        };
        let found = self.by_name.iter().filter(|(_, declared)| is_object(declared));
        found.map(|((folder, of), _)| Name { folder, of }).collect()
    }

    /// Reads the declarations of a package. The files hold a field or declaration a line, as gofmt writes them.
    fn read(&mut self, idl: &Path, folder: &str) -> Result<()> {
        for entry in fs::read_dir(idl.join(folder)).map_err(|error| format!("{folder}: {error}"))? {
            let path = entry?.path();
            if path.extension().is_none_or(|ending| ending != "go") {
                continue;
            }
            let mut inside: Option<(String, Declared)> = None;
            for (line, number) in fs::read_to_string(&path)?.lines().map(str::trim).zip(1..) {
                match &mut inside {
                    Some(_) if line == "}" => {
                        let done = inside.take();
                        self.by_name.extend(done.map(|(name, declared)| ((folder.to_owned(), name), declared)));
                    }
                    Some((_, declared)) => {
                        if let Declared::Struct(fields) = declared {
                            match field(line) {
                                Ok(field) => fields.extend(field),
                                Err(why) => {
                                    *declared = Declared::Unreadable(format!("{}:{number}: {why}", path.display()));
                                }
                            }
                        }
                    }
                    None => inside = self.declare(folder, line)?,
                }
            }
        }
        Ok(())
    }

    /// Takes a line outside structs; returns the struct that begins there.
    fn declare(&mut self, folder: &str, line: &str) -> Result<Option<(String, Declared)>> {
        let line = line.strip_prefix("import ").unwrap_or(line);
        if line.starts_with("//") {
            return Ok(None);
        }
        if let Some((name, path)) = line.strip_suffix('"').and_then(|line| line.split_once('"')) {
            let of = path.strip_prefix("k8s.io/api/").or_else(|| path.strip_prefix("k8s.io/")).unwrap_or(path);
            let name = match name.trim() {
                "" => path.rsplit('/').next().unwrap_or(path),
                name => name,
            };
            let before = self.imports.insert((folder.to_owned(), name.to_owned()), of.to_owned());
            return match before.filter(|before| before != of) {
                Some(before) => Err(format!("{folder} calls {before} and {of} `{name}`").into()),
                None => Ok(None),
            };
        }
        let Some((name, declared)) = line.strip_prefix("type ").and_then(|line| line.split_once(' ')) else {
            return Ok(None);
        };
        let declared = match declared {
            "struct {" => return Ok(Some((name.to_owned(), Declared::Struct(Vec::new())))),
            "struct{}" => Declared::Struct(Vec::new()),
            other => Declared::As(other.trim_start_matches("= ").to_owned()),
        };
        self.by_name.insert((folder.to_owned(), name.to_owned()), declared);
        Ok(None)
    }

    /// Writes the struct of a Go type, and notes which others it has.
    fn write<'t>(&'t self, out: &mut String, name: Name<'t>, reached: &mut BTreeSet<Name<'t>>) -> Result<()> {
        let mut members = Vec::new();
        let is_object = self.members(name, &mut members)?;
        let mut fields = String::new();
        for (folder, field) in members {
            let ty = self.rust(name.folder, folder, &field.go, field.is_optional(is_object), reached)?;
            if ty.starts_with("Option") {
                fields.push_str("        #[serde(skip_serializing_if = \"Option::is_none\")]\n");
            }
            let (json, rust) = (&field.json, snake(&field.json));
            writeln!(fields, "        /// `{json}`.\n        {json:?} => pub {rust}: {ty},")?;
        }
        let (borrowed, Name { folder, of }) = (self.lifetime(name)?, name);
        writeln!(out, "view! {{\n    /// `{folder}.{of}`.\n    pub struct {of}{borrowed} {{\n{fields}    }}\n}}")?;
        if is_object {
            let metadata =
                "fn metadata(&self) -> &crate::types::meta::v1::ObjectMeta<'a> {\n        &self.metadata\n    }";
            writeln!(out, "impl<'a> crate::types::Described<'a> for {of}<'a> {{\n    {metadata}\n}}")?;
        }
        Ok(())
    }

    /// Adds the members of a struct with the packages that they are declared in, those of inlined structs among them. Returns whether it
    /// is an object with kind and version, which are left out: they were compared when the object was decoded.
    fn members<'t>(&'t self, name: Name<'t>, members: &mut Vec<(&'t str, &'t Field)>) -> Result<bool> {
        let Some(Declared::Struct(fields)) = self.by_name.get(&(name.folder.to_owned(), name.of.to_owned())) else {
            return Err(format!("{name:?} is no struct").into());
        };
        let mut is_object = false;
        for field in fields {
            match field.go.as_str() {
                "metav1.TypeMeta" => is_object = true,
                inlined if field.json.is_empty() => {
                    let Shape::Struct(inlined) = self.shape(name.folder, inlined)? else {
                        return Err(format!("{inlined} is inlined and no struct").into());
                    };
                    is_object |= self.members(inlined, members)?;
                }
                _ => members.push((name.folder, field)),
            }
        }
        Ok(is_object)
    }

    /// Resolves a Go type as a package names it.
    fn shape<'t>(&'t self, folder: &'t str, go: &'t str) -> Result<Shape<'t>> {
        let go = go.trim_start_matches('*');
        if let Some(item) = go.strip_prefix("[]") {
            return Ok(if item == "byte" { Shape::Bytes } else { Shape::List(folder, item) });
        }
        if let Some((_, value)) = go.strip_prefix("map[").and_then(|map| map.split_once(']')) {
            return Ok(Shape::Map(folder, value));
        }
        match go {
            "string" => return Ok(Shape::Text),
            "bool" => return Ok(Shape::Scalar("bool")),
            "int32" => return Ok(Shape::Scalar("i32")),
            "int64" => return Ok(Shape::Scalar("i64")),
            _ => {}
        }
        let key = match go.split_once('.') {
            None => (folder.to_owned(), go.to_owned()),
            Some((import, name)) => {
                let of = self.imports.get(&(folder.to_owned(), import.to_owned()));
                (of.ok_or_else(|| format!("{folder} does not import {import}"))?.clone(), name.to_owned())
            }
        };
        let found = self.by_name.get_key_value(&key);
        let ((folder, of), declared) = found.ok_or_else(|| format!("{}.{} is not declared", key.0, key.1))?;
        if let Some((.., known)) = WELL_KNOWN.iter().find(|(package, known, _)| package == folder && known == of) {
            return Ok(Shape::Known(known));
        }
        match declared {
            Declared::Struct(_) => Ok(Shape::Struct(Name { folder, of })),
            Declared::As(other) => self.shape(folder, other),
            Declared::Unreadable(why) => Err(why.clone().into()),
        }
    }

    /// The type in Rust, as `package` names it, of a field that is declared in `folder`. Notes the structs that it has.
    fn rust<'t>(
        &'t self,
        package: &str,
        folder: &'t str,
        go: &'t str,
        optional: bool,
        reached: &mut BTreeSet<Name<'t>>,
    ) -> Result<String> {
        let mut ty = match self.shape(folder, go)? {
            Shape::Text => "&'a str".to_owned(),
            Shape::Bytes => "crate::types::ByteString<'a>".to_owned(),
            Shape::Scalar(ty) | Shape::Known(ty) => ty.to_owned(),
            Shape::List(folder, item) => format!("&'a [{}]", self.rust(package, folder, item, false, reached)?),
            Shape::Map(folder, value) => {
                format!("crate::types::Map<'a, {}>", self.rust(package, folder, value, false, reached)?)
            }
            Shape::Struct(name) => {
                reached.insert(name);
                let ((group, version), borrowed) = (module(name.folder)?, self.lifetime(name)?);
                let reference = if optional { "&'a " } else { "" };
                match name.folder == package {
                    true => format!("{reference}{}{borrowed}", name.of),
                    false => format!("{reference}crate::types::{group}::{version}::{}{borrowed}", name.of),
                }
            }
        };
        if optional {
            ty = format!("Option<{ty}>");
        }
        Ok(ty)
    }

    /// The lifetime of the struct of a Go type, if it borrows anything.
    fn lifetime(&self, name: Name<'_>) -> Result<&'static str> {
        let mut members = Vec::new();
        let is_object = self.members(name, &mut members)?;
        for (folder, field) in members {
            let borrows = match self.shape(folder, &field.go)? {
                Shape::Text | Shape::Bytes | Shape::List(..) | Shape::Map(..) => true,
                Shape::Scalar(_) => false,
                Shape::Known(ty) => ty.contains('\''),
                // Only a struct that is no member of itself is held without a reference.
                Shape::Struct(inner) => field.is_optional(is_object) || !self.lifetime(inner)?.is_empty(),
            };
            if borrows {
                return Ok("<'a>");
            }
        }
        Ok("")
    }
}

/// A line of a struct; none for an empty line, a comment and a field that JSON ignores.
fn field(line: &str) -> Result<Option<Field>> {
    if line.is_empty() || line.starts_with("//") {
        return Ok(None);
    }
    let (declared, tag) = line.split_once("`json:\"").ok_or("a field without `json` tag")?;
    let (tag, _) = tag.split_once('"').ok_or("a `json` tag without end")?;
    let mut parts = tag.split(',');
    let json = parts.next().unwrap_or_default().to_owned();
    let options: Vec<&str> = parts.collect();
    if json.is_empty() && !options.contains(&"inline") {
        return Err("a member without name".into());
    }
    let go = declared.split_whitespace().last().ok_or("a field without type")?.to_owned();
    Ok((json != "-").then_some(Field { json, go, omit_empty: options.contains(&"omitempty") }))
}

/// The name of a member in Rust: its words in lower case, where `IPs` is a word like `IP`; an underscore follows a keyword.
fn snake(json: &str) -> String {
    let letters: Vec<char> = json.chars().collect();
    let mut name = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let after = letters.get(at + 1);
        let is_plural = after == Some(&'s') && letters.get(at + 2).is_none_or(char::is_ascii_uppercase);
        let ends_acronym = after.is_some_and(char::is_ascii_lowercase) && !is_plural;
        let begins = |before: &char| before.is_ascii_lowercase() || before.is_ascii_digit() || ends_acronym;
        if letter.is_ascii_uppercase() && before.is_some_and(begins) {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    if matches!(name.as_str(), "continue" | "ref" | "type") {
        name.push('_');
    }
    name
}
