//! Types that are recognised by their qualified name, whether or not their package is there.

use takeover_harness::schema::{Kind, WellKnown};

/// Module folder and name, and the shape. The folder counts from the module's own root, so that vendored copies and
/// checkouts without the host name are recognised too.
const KNOWN: &[(&str, &str, &str, Option<WellKnown>)] = &[
    ("apimachinery", "pkg/apis/meta/v1", "Time", Some(WellKnown::Time)),
    ("apimachinery", "pkg/apis/meta/v1", "MicroTime", Some(WellKnown::MicroTime)),
    ("apimachinery", "pkg/apis/meta/v1", "Duration", Some(WellKnown::Duration)),
    ("apimachinery", "pkg/apis/meta/v1", "FieldsV1", Some(WellKnown::Raw)),
    ("apimachinery", "pkg/api/resource", "Quantity", Some(WellKnown::Quantity)),
    ("apimachinery", "pkg/util/intstr", "IntOrString", Some(WellKnown::IntOrString)),
    ("apimachinery", "pkg/runtime", "RawExtension", Some(WellKnown::Raw)),
    ("apimachinery", "pkg/runtime", "Object", None),
    ("apimachinery", "pkg/runtime", "Unknown", None),
    ("apiextensions-apiserver", "pkg/apis/apiextensions", "JSON", Some(WellKnown::Raw)),
    ("apiextensions-apiserver", "pkg/apis/apiextensions/v1", "JSON", Some(WellKnown::Raw)),
    ("apiextensions-apiserver", "pkg/apis/apiextensions/v1beta1", "JSON", Some(WellKnown::Raw)),
];

/// The shape of a type that decodes itself.
pub(super) fn well_known(package: &str, name: &str) -> Option<Kind> {
    if package == "encoding/json" && name == "RawMessage" {
        return Some(Kind::WellKnown(WellKnown::Raw));
    }
    KNOWN.iter().find(|(module, folder, known, _)| *known == name && is_package(package, module, folder)).map(
        |(.., shape)| match shape {
            Some(shape) => Kind::WellKnown(*shape),
            None => Kind::Any,
        },
    )
}

fn is_package(path: &str, module: &str, folder: &str) -> bool {
    match path.strip_suffix(folder) {
        Some("") => true,
        Some(before) => before
            .strip_suffix('/')
            .and_then(|before| before.strip_suffix(module))
            .is_some_and(|host| host.is_empty() || host.ends_with('/')),
        None => false,
    }
}

/// The shape of a predeclared type.
pub(super) fn builtin(name: &str) -> Option<Kind> {
    let int = |bits, signed| Kind::Int { bits, signed };
    Some(match name {
        "bool" => Kind::Bool,
        "string" => Kind::Text,
        "int8" => int(8, true),
        "int16" => int(16, true),
        "int32" | "rune" => int(32, true),
        "int64" | "int" => int(64, true),
        "uint8" | "byte" => int(8, false),
        "uint16" => int(16, false),
        "uint32" => int(32, false),
        "uint64" | "uint" | "uintptr" => int(64, false),
        "float32" => Kind::Float { bits: 32 },
        "float64" => Kind::Float { bits: 64 },
        "any" | "error" | "comparable" | "complex64" | "complex128" => Kind::Any,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_known_types_are_recognised_by_package_and_name() {
        let rows = [
            ("k8s.io/apimachinery/pkg/apis/meta/v1", "Time", true),
            ("apimachinery/pkg/apis/meta/v1", "MicroTime", true),
            ("pkg/apis/meta/v1", "Duration", true),
            ("x/vendor/k8s.io/apimachinery/pkg/util/intstr", "IntOrString", true),
            ("k8s.io/apimachinery/pkg/runtime", "Object", true),
            ("k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1", "JSON", true),
            ("encoding/json", "RawMessage", true),
            ("k8s.io/apimachinery/pkg/apis/meta/v1", "ObjectMeta", false),
            ("k8s.io/other/pkg/apis/meta/v1", "Time", false),
            ("k8s.io/myapimachinery/pkg/runtime", "Unknown", false),
            ("time", "Time", false),
        ];
        for (package, name, known) in rows {
            assert_eq!(well_known(package, name).is_some(), known, "{package}.{name}");
        }
    }
}
