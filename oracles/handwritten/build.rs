//! Packs the list of checks, which is built into the program, and writes the structs that the checks judge, from the Go types in
//! `oracles/idl`.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

const LIST: &str = "checks.jsonl";

/// The packages whose structs are written, by their folders in `oracles/idl`.
const PACKAGES: [&str; 20] = [
    "admissionregistration/v1",
    "apimachinery/pkg/apis/meta/v1",
    "apps/v1",
    "autoscaling/v1",
    "autoscaling/v2",
    "batch/v1",
    "certificates/v1",
    "core/v1",
    "discovery/v1",
    "discovery/v1beta1",
    "flowcontrol/v1",
    "networking/v1",
    "node/v1",
    "node/v1alpha1",
    "policy/v1",
    "rbac/v1",
    "resource/v1",
    "resource/v1beta1",
    "scheduling/v1",
    "storage/v1",
];

/// Types with a JSON form of their own, by package and name, as the structs have them.
const WELL_KNOWN: [(&str, &str, &str); 8] = [
    ("apimachinery/pkg/apis/meta/v1", "Time", "crate::types::Time"),
    ("apimachinery/pkg/apis/meta/v1", "MicroTime", "crate::types::Time"),
    ("apimachinery/pkg/apis/meta/v1", "Duration", "i64"),
    ("apimachinery/pkg/apis/meta/v1", "FieldsV1", "crate::types::Raw<'a>"),
    ("apimachinery/pkg/api/resource", "Quantity", "crate::types::Quantity<'a>"),
    ("apimachinery/pkg/runtime", "RawExtension", "crate::types::Raw<'a>"),
    ("apimachinery/pkg/runtime", "Object", "crate::types::Raw<'a>"),
    ("apimachinery/pkg/util/intstr", "IntOrString", "crate::types::IntOrString<'a>"),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={LIST}");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&fs::read(LIST)?)?;
    fs::write(out.join(LIST).with_extension("gz"), packed.finish()?)?;
    let idl = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or("CARGO_MANIFEST_DIR is not set")?).join("../idl");
    println!("cargo::rerun-if-changed={}", idl.display());
    fs::write(out.join("structs.rs"), structs(&idl)?)?;
    Ok(())
}

/// The Rust structs of all packages, a module each.
fn structs(idl: &Path) -> Result<String, Box<dyn Error>> {
    let mut types = Types::default();
    for folder in PACKAGES.into_iter().chain(WELL_KNOWN.map(|(folder, ..)| folder)).chain(["apimachinery/pkg/types"]) {
        types.read(idl, folder)?;
    }
    let mut modules: BTreeMap<&str, BTreeMap<&str, String>> = BTreeMap::new();
    for folder in PACKAGES {
        let (group, version) = module(folder)?;
        let mut written = String::new();
        for (name, declared) in types.of(folder) {
            let is_struct = matches!(declared, Declared::Struct(_));
            if is_struct && !WELL_KNOWN.iter().any(|(of, known, _)| (*of, *known) == (folder, name)) {
                types.write(&mut written, folder, name)?;
            }
        }
        modules.entry(group).or_default().insert(version, written);
    }
    let mut out = String::new();
    for (group, versions) in modules {
        writeln!(out, "/// Structs of `{group}`.\npub mod {group} {{")?;
        for (version, written) in versions {
            writeln!(out, "/// Structs of `{group}/{version}`.\npub mod {version} {{\n{written}}}")?;
        }
        out.push_str("}\n");
    }
    Ok(out)
}

/// The names of the modules of a package.
fn module(folder: &str) -> Result<(&str, &str), Box<dyn Error>> {
    let (group, version) = folder.rsplit_once('/').ok_or("a package without version")?;
    Ok((group.rsplit('/').next().unwrap_or(group), version))
}

/// The Go types of some packages.
#[derive(Default)]
struct Types {
    by_name: BTreeMap<(String, String), Declared>,
    /// What a package calls another, by its folder and that name.
    imports: HashMap<(String, String), String>,
}

/// What a Go type is declared as.
enum Declared {
    /// Its fields.
    Struct(Vec<Field>),
    /// Another type.
    As(String),
}

struct Field {
    /// Name of the member in JSON; empty for an inlined struct.
    json: String,
    go_type: String,
    omit_empty: bool,
}

impl Field {
    /// Whether the member can be unset: pointers, and what is left out where it is zero, but the metadata of a whole object.
    fn is_optional(&self, of_root: bool) -> bool {
        (self.omit_empty || self.go_type.starts_with('*')) && !(of_root && self.json == "metadata")
    }
}

impl Types {
    fn of<'t>(&'t self, folder: &'t str) -> impl Iterator<Item = (&'t str, &'t Declared)> {
        self.by_name.iter().filter(move |((of, _), _)| of == folder).map(|((_, name), declared)| (&**name, declared))
    }

    /// Reads the declarations of a package. The files hold one field a line, as gofmt writes them.
    fn read(&mut self, idl: &Path, folder: &str) -> Result<(), Box<dyn Error>> {
        for entry in fs::read_dir(idl.join(folder)).map_err(|error| format!("{folder}: {error}"))? {
            let path = entry?.path();
            if path.extension().is_none_or(|ending| ending != "go") {
                continue;
            }
            let mut inside: Option<(String, Vec<Field>)> = None;
            for line in fs::read_to_string(&path)?.lines().map(str::trim) {
                match &mut inside {
                    Some((name, fields)) if line == "}" => {
                        let name = (folder.to_owned(), std::mem::take(name));
                        self.by_name.insert(name, Declared::Struct(std::mem::take(fields)));
                        inside = None;
                    }
                    Some((_, fields)) => fields.extend(field(line)),
                    None => inside = self.declare(folder, line),
                }
            }
        }
        Ok(())
    }

    /// Takes a line outside structs; returns the struct that begins there.
    fn declare(&mut self, folder: &str, line: &str) -> Option<(String, Vec<Field>)> {
        let line = line.strip_prefix("import ").unwrap_or(line);
        if let Some(path) = line.strip_suffix('"').and_then(|line| line.split_once('"')) {
            let (name, path) = (path.0.trim(), path.1);
            let last = path.rsplit('/').next().unwrap_or(path);
            let of = path.strip_prefix("k8s.io/api/").or_else(|| path.strip_prefix("k8s.io/")).unwrap_or(path);
            let name = if name.is_empty() { last } else { name };
            self.imports.insert((folder.to_owned(), name.to_owned()), of.to_owned());
            return None;
        }
        let (name, declared) = line.strip_prefix("type ")?.split_once(' ')?;
        match declared.trim() {
            "struct {" => return Some((name.to_owned(), Vec::new())),
            "struct {}" | "struct{}" => self.add(folder, name, Declared::Struct(Vec::new())),
            other => self.add(folder, name, Declared::As(other.trim_start_matches("= ").to_owned())),
        }
        None
    }

    fn add(&mut self, folder: &str, name: &str, declared: Declared) {
        self.by_name.insert((folder.to_owned(), name.to_owned()), declared);
    }

    /// Writes the struct of a Go type, and how it is read.
    fn write(&self, out: &mut String, folder: &str, name: &str) -> Result<(), Box<dyn Error>> {
        let mut members = Vec::new();
        let is_root = self.members(folder, name, &mut members)?;
        let mut fields = String::new();
        for (of, field) in members {
            let ty = self.rust(folder, of, &field.go_type, field.is_optional(is_root))?;
            if ty.starts_with("Option") {
                fields.push_str("        #[serde(skip_serializing_if = \"Option::is_none\")]\n");
            }
            let (json, rust) = (&field.json, snake(&field.json));
            writeln!(fields, "        /// `{json}`.\n        {json:?} => pub {rust}: {ty},")?;
        }
        let borrowed = if fields.contains("'a") { "<'a>" } else { "" };
        writeln!(out, "view! {{\n    /// `{folder}.{name}`.\n    pub struct {name}{borrowed} {{\n{fields}    }}\n}}")?;
        if is_root {
            let metadata =
                "fn metadata(&self) -> &crate::types::meta::v1::ObjectMeta<'a> {\n        &self.metadata\n    }";
            writeln!(out, "impl<'a> crate::types::Described<'a> for {name}<'a> {{\n    {metadata}\n}}")?;
        }
        Ok(())
    }

    /// Adds the members of a struct with the packages that they are declared in, those of inlined structs among them. Returns whether it
    /// is an object with kind and version, whose names are left out: they were compared when the object was decoded.
    fn members<'t>(
        &'t self,
        folder: &'t str,
        name: &str,
        members: &mut Vec<(&'t str, &'t Field)>,
    ) -> Result<bool, Box<dyn Error>> {
        let (folder, declared) = self.find(folder, name)?;
        let Declared::Struct(fields) = declared else { return Err(format!("{name} is no struct").into()) };
        let mut is_root = false;
        for field in fields {
            match (field.json.as_str(), field.go_type.as_str()) {
                ("", "metav1.TypeMeta" | "TypeMeta") => is_root = true,
                ("", inlined) => is_root |= self.members(folder, inlined, members)?,
                _ => members.push((folder, field)),
            }
        }
        Ok(is_root)
    }

    /// The declaration of a name that a package uses, and the package that it is in.
    fn find(&self, folder: &str, name: &str) -> Result<(&str, &Declared), Box<dyn Error>> {
        let key = match name.split_once('.') {
            None => (folder.to_owned(), name.to_owned()),
            Some((import, name)) => {
                let of = self.imports.get(&(folder.to_owned(), import.to_owned()));
                (of.ok_or_else(|| format!("{folder} does not import {import}"))?.clone(), name.to_owned())
            }
        };
        let found = self.by_name.get_key_value(&key).map(|((folder, _), declared)| (folder.as_str(), declared));
        found.ok_or_else(|| format!("{}.{} is not declared", key.0, key.1).into())
    }

    /// The type in Rust, as a package names it, of a field that is declared in `folder`.
    fn rust(&self, package: &str, folder: &str, go: &str, optional: bool) -> Result<String, Box<dyn Error>> {
        let option = |ty: String| if optional { format!("Option<{ty}>") } else { ty };
        let pointed = go.trim_start_matches('*');
        if pointed == "[]byte" {
            return Ok(option("crate::types::ByteString<'a>".to_owned()));
        }
        if let Some(item) = pointed.strip_prefix("[]") {
            return Ok(option(format!("&'a [{}]", self.rust(package, folder, item, false)?)));
        }
        if let Some(value) = pointed.strip_prefix("map[").and_then(|map| map.split_once(']')) {
            return Ok(option(format!("crate::types::Map<'a, {}>", self.rust(package, folder, value.1, false)?)));
        }
        let scalar = match pointed {
            "string" => "&'a str",
            "bool" => "bool",
            "int32" | "int16" | "int8" => "i32",
            "int64" | "int" => "i64",
            "float64" => "f64",
            _ => "",
        };
        if !scalar.is_empty() {
            return Ok(option(scalar.to_owned()));
        }
        let (of, declared) = self.find(folder, pointed)?;
        let name = pointed.rsplit('.').next().unwrap_or(pointed);
        if let Some((.., known)) = WELL_KNOWN.iter().find(|(package, known, _)| (*package, *known) == (of, name)) {
            return Ok(option((*known).to_owned()));
        }
        if let Declared::As(other) = declared {
            return self.rust(package, of, other, optional);
        }
        let (group, version) = module(of)?;
        let borrows = if self.borrows(of, name)? { "<'a>" } else { "" };
        let own = if of == package { String::new() } else { format!("crate::types::{group}::{version}::") };
        let ty = format!("{own}{name}{borrows}");
        Ok(if optional { format!("Option<&'a {ty}>") } else { ty })
    }

    /// Whether the struct of a Go type borrows anything.
    fn borrows(&self, folder: &str, name: &str) -> Result<bool, Box<dyn Error>> {
        let mut members = Vec::new();
        let is_root = self.members(folder, name, &mut members)?;
        for (of, field) in members {
            let optional = field.is_optional(is_root);
            // A struct that is pointed at is borrowed, whatever it is.
            if self.rust(folder, of, &field.go_type, optional)?.contains('\'') {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// A line of a struct; none for a comment or an empty line.
fn field(line: &str) -> Option<Field> {
    let (declared, tag) = line.split_once('`')?;
    if line.starts_with("//") {
        return None;
    }
    let tag = tag.strip_prefix("json:\"")?;
    let mut parts = tag.get(..tag.find('"')?)?.split(',');
    let json = parts.next()?.to_owned();
    let omit_empty = parts.any(|part| part == "omitempty");
    let go_type = declared.split_whitespace().last()?.to_owned();
    (json != "-").then_some(Field { json, go_type, omit_empty })
}

/// The name of a member in Rust: words in lower case, and an underscore after a keyword.
fn snake(json: &str) -> String {
    let letters: Vec<char> = json.chars().collect();
    let mut name = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let after = letters.get(at + 1);
        let is_plural = after == Some(&'s') && letters.get(at + 2).is_none_or(|next| next.is_ascii_uppercase());
        let begins = letter.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || (after.is_some_and(char::is_ascii_lowercase) && !is_plural)
            });
        if begins {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    if ["type", "ref", "continue", "enum", "match", "in", "as", "use", "final"].contains(&name.as_str()) {
        name.push('_');
    }
    name
}
