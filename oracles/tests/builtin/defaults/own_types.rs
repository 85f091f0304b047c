//! The markers of a user's types, as a built-in and as a custom resource.

use super::shop::{PACKAGE, case, differences};
use serde_json::{Value, json};
use std::sync::Arc;
use takeover_declarative::idl::{Loader, Memory, builtin};
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::judge::{CaseRecord, Judge, Judgement, Outcome};
use takeover_harness::object::Arena;
use takeover_harness::oracle::{Answer, Oracle, OracleFailure, Question, View};
use takeover_harness::pair::Pair;
use takeover_harness::path::Path;
use takeover_harness::rule::Law;
use takeover_harness::subject::{PairId, SubjectId};
use takeover_oracles::defaults::{self, INVALID, LATER, Sources};
use takeover_oracles::registry::Registry;

#[test]
fn the_default_of_a_type_is_a_marker_of_each_list_and_map_of_its_values() {
    let source = "package v1\n\n// +default=\"red\"\ntype Color string\n\n\
                  type Shop struct {\n\tSpec ShopSpec `json:\"spec,omitempty\"`\n}\n\n\
                  type ShopSpec struct {\n\tColors []*Color `json:\"colors,omitempty\"`\n\t\
                  Plain []Color `json:\"plain,omitempty\"`\n\tByRoom map[string]*Color `json:\"byRoom,omitempty\"`\n}\n";
    let pair = own_types(source);
    let markers = pair.rules.iter().filter(|rule| rule.law.is_none());
    let known: Vec<String> = markers.map(|rule| format!("{} {}", rule.path, rule.chain)).collect();
    let of = |path: &str| format!("spec.{path}[*] default=\"red\"");
    assert_eq!(known, ["colors", "plain", "byRoom"].map(of));
    assert_eq!(
        differences(&pair, &json!({"colors": [null, "blue"], "byRoom": {"hall": null, "shop": "blue"}})),
        [""; 0]
    );
    // Go writes the empty string, which counts as set in a custom resource.
    assert_eq!(differences(&pair, &json!({"plain": ["blue", ""]})), ["extra spec.plain[1] default=\"red\""]);
}

#[test]
fn a_schema_sets_what_generated_code_leaves_out() {
    // Go cannot change a struct in a map, and a type's own default is for pointers and items alone.
    let source = "package v1\n\n// +default=\"red\"\ntype Color string\n\n\
                  type Shop struct {\n\tSpec ShopSpec `json:\"spec,omitempty\"`\n}\n\n\
                  type Door struct {\n\t// +default=1\n\tWidth int32 `json:\"width,omitempty\"`\n}\n\n\
                  type ShopSpec struct {\n\tDoors map[string]Door `json:\"doors,omitempty\"`\n\t\
                  ByRoom map[string]*Door `json:\"byRoom,omitempty\"`\n\tPlain Color `json:\"plain,omitempty\"`\n}\n";
    let pair = own_types(source);
    assert_eq!(
        differences(&pair, &json!({"doors": {"a": {}}, "byRoom": {"a": {}}, "plain": "blue"})),
        ["missing spec.byRoom[a].width default=1", "missing spec.doors[a].width default=1"]
    );
    assert_eq!(differences(&pair, &json!({})), ["missing spec.plain default=\"red\""]);
}

/// The example of KEP-1929 for maps of strings: admission that removes an entry or item removes more than a default.
#[test]
fn entries_and_items_that_were_sent_are_not_removed_before_objects_are_defaulted_again() {
    let source = "package v1\n\n// +default=\"apple\"\ntype Fruit string\n\n\
                  type Shop struct {\n\tSpec ShopSpec `json:\"spec,omitempty\"`\n}\n\n\
                  type ShopSpec struct {\n\tColors map[string]Fruit `json:\"colors,omitempty\"`\n\t\
                  Names []Fruit `json:\"names,omitempty\"`\n\t// +default=1\n\tSize *int32 `json:\"size,omitempty\"`\n}\n";
    let pair = own_types(source);
    for spec in [
        json!({"colors": {"a": "", "b": ""}}),
        json!({"colors": {"a": null, "b": "pear", "c": null}}),
        json!({"names": ["", "pear", null]}),
    ] {
        let laws: Vec<String> = differences(&pair, &spec).into_iter().filter(|of| of.contains(LATER)).collect();
        assert_eq!(laws, [""; 0], "{spec}");
    }
}

/// A pair for a package with a `Shop`: its markers as a built-in and as a custom resource.
fn own_types(source: &str) -> Pair {
    judged_types(source, None)
}

/// As [`own_types`], with what judges whether defaults are valid.
fn judged_types(source: &str, validator: Option<Box<dyn Oracle>>) -> Pair {
    let idl = Loader::new().with(Memory::new().file(PACKAGE, "types.go", source)).load([PACKAGE]).idl;
    let root = idl.schema.lookup(&format!("{PACKAGE}.Shop")).unwrap();
    let id = PairId::named(SubjectId::new("shop.example.com/v1", "Shop"), defaults::NAME).unwrap();
    let sources = Sources::of_custom_resource(&idl, root).unwrap();
    defaults::semantics(id, &Arc::new(idl.schema), root, Sources { validator, ..sources }).unwrap()
}

#[test]
fn each_value_of_a_map_list_or_struct_is_set_by_the_marker_that_has_it() {
    let pair = own_types(
        r#"package v1

type Shop struct {
	Spec ShopSpec `json:"spec,omitempty"`
}

type ShopSpec struct {
	// +default={"tier":"web"}
	Labels map[string]string `json:"labels,omitempty"`
	// +default={"tier":"web"}
	Written map[string]string `json:"written"`
	// +default=["a","b"]
	Steps []string `json:"steps"`
	// +default={"name":"front"}
	Door *Door `json:"door,omitempty"`
	// +default={}
	Yard *Door `json:"yard,omitempty"`
	Inner Inner `json:"inner,omitempty"`
}

type Door struct {
	// +default="any"
	Name string `json:"name,omitempty"`
}

type Inner struct {
	Steps []string `json:"steps,omitempty"`
}
"#,
    );
    let set = |spec: Value| -> Vec<String> {
        let mut record = CaseRecord::new();
        let judged = Judge::new(&pair).case(&case(spec.clone()), &mut Arena::new(), &mut record);
        assert!(matches!(judged, Judgement::Compared(Outcome::AgreedReject)), "{spec}: {:?}", record.differences);
        let rule = |error: &FieldError| error.rule.map_or("none", |id| &pair.rules[id.index()].path);
        let of = |error: &FieldError| {
            format!("{} {} by {}", error.field, error.origin, rule(error)).replace("spec.", "").replace("default=", "")
        };
        record.candidate.errors.iter().map(of).collect()
    };
    let sorted = |mut lines: Vec<String>| {
        lines.sort();
        lines
    };
    assert_eq!(
        sorted(set(json!({}))),
        [
            "door {} by door",
            "door.name \"front\" by door",
            "labels[tier] \"web\" by labels",
            "steps [\"a\",\"b\"] by steps",
            "written[tier] \"web\" by written",
            "yard {} by yard",
            "yard.name \"any\" by yard.name",
        ]
    );
    // Go does not write an empty list with `omitempty`, so both sides set the default.
    let empty = set(json!({"labels": {}, "door": {"name": "a"}, "yard": {"name": "a"}, "written": {}, "steps": []}));
    assert_eq!(empty, ["labels[tier] \"web\" by labels"]);
    // A struct that is set only gets the defaults of its fields, and empty values that are set stay.
    let given =
        json!({"door": {}, "yard": {}, "labels": {"a": "b"}, "written": {}, "steps": [], "inner": {"steps": []}});
    assert_eq!(sorted(set(given)), ["door.name \"any\" by door.name", "yard.name \"any\" by yard.name"]);
}

#[test]
fn a_default_does_not_depend_on_the_value_that_is_set_in_its_place() {
    let pair = own_types(
        r#"package v1

type Shop struct {
	Spec ShopSpec `json:"spec,omitempty"`
}

type ShopSpec struct {
	// +default=[1,2,3]
	Steps []int32 `json:"steps,omitempty"`
	// +default=[["a","b"]]
	Rows [][]string `json:"rows,omitempty"`
	// +default=[{"name":"front"},{"name":"back"}]
	Doors []Door `json:"doors,omitempty"`
	// +default={"tier":["web","shop"]}
	Tiers map[string][]string `json:"tiers,omitempty"`
	// +default={"a":{"b":1}}
	Config interface{} `json:"config,omitempty"`
}

type Door struct {
	Name string `json:"name,omitempty"`
}
"#,
    );
    for spec in [
        json!({"steps": [1, 1]}),
        json!({"steps": [0, 0, 0, 0]}),
        json!({"rows": [["c"], []]}),
        json!({"doors": [{}]}),
        json!({"tiers": {"tier": ["web"]}}),
        json!({"config": {"c": 1}}),
        json!({"config": 1}),
    ] {
        assert_eq!(differences(&pair, &spec), [""; 0], "{spec}");
    }
}

#[test]
fn a_type_inside_itself_has_its_markers_at_every_level() {
    let pair = own_types(
        r#"package v1

type Shop struct {
	Spec ShopSpec `json:"spec,omitempty"`
}

type ShopSpec struct {
	Door *Door `json:"door,omitempty"`
}

type Door struct {
	// +default=2
	Wings *int32 `json:"wings,omitempty"`
	Inner *Door `json:"inner,omitempty"`
	Others []Door `json:"others,omitempty"`
	Rows [][]Door `json:"rows,omitempty"`
	Halls [][]*Door `json:"halls,omitempty"`
}
"#,
    );
    let object = json!({"door": {
        "inner": {"others": [{"inner": {}}]},
        "rows": [[{}], [{"wings": 1}, {}]],
        "halls": [[{}, null], [], null],
    }});
    let mut record = CaseRecord::new();
    let judged = Judge::new(&pair).case(&case(object), &mut Arena::new(), &mut record);
    assert!(matches!(judged, Judgement::Compared(Outcome::AgreedReject)), "{:?}", record.differences);
    let fields: Vec<&str> = record.candidate.errors.iter().map(|error| error.field.as_str()).collect();
    let expected = [
        "halls[0][0].wings",
        "inner.others[0].inner.wings",
        "inner.others[0].wings",
        "inner.wings",
        "rows[0][0].wings",
        "rows[1][1].wings",
        "wings",
    ];
    assert_eq!(fields, expected.map(|field| format!("spec.door.{field}")));
    assert!(record.candidate.errors.iter().all(|error| error.rule.is_some()), "{:?}", record.candidate.errors);
    assert!(record.reference.errors.iter().all(|error| error.covered_by_declarative), "{:?}", record.reference.errors);
}

#[test]
fn a_default_of_own_types_that_their_tags_reject_breaks_a_law() {
    let source = r#"// +groupName=shop.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Shop struct {
	metav1.TypeMeta `json:",inline"`
	Spec ShopSpec `json:"spec,omitempty"`
}

type ShopSpec struct {
	// +default=5
	// +k8s:optional
	// +k8s:maximum=2
	Size *int32 `json:"size,omitempty"`
	// +default=2
	// +k8s:optional
	// +k8s:maximum=2
	Width *int32 `json:"width,omitempty"`
}
"#;
    let own = Memory::new().file(PACKAGE, "types.go", source);
    let registry = Registry::new(Loader::new().with(own).with(builtin()).load([PACKAGE]).idl);
    let pair = registry.defaults_pair(&SubjectId::new("shop.example.com/v1", "Shop")).unwrap();
    assert!(pair.rules.iter().any(|rule| rule.law == Some(Law::Valid)));
    assert_eq!(differences(&pair, &json!({})), [format!("extra spec.size {INVALID}")]);
}

/// A validator with rules over several fields, which it tries only where all that is required is there.
struct Together;

impl Oracle for Together {
    fn answer(&self, question: &Question<'_>, _: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        let spec = Path::ROOT.child("spec");
        let at = |name: &'static str| question.objects.at(&spec.child(name));
        for name in ["name", "most"] {
            if at(name).is_unset() {
                answer.push(FieldError::new(ErrorType::Required, &spec.child(name), BadValue::Hidden, ""));
                answer.push(FieldError::new(ErrorType::Invalid, &Path::ROOT, BadValue::Hidden, "unchecked"));
                return Ok(());
            }
        }
        for (less, more) in [("used", "limit"), ("least", "most")] {
            let said = match (at(less).is_unset(), at(more).is_unset()) {
                (true, _) => format!("no such key: {less} evaluating rule: self.{less} <= self.{more}"),
                (_, true) => format!("no such key: {more} evaluating rule: self.{less} <= self.{more}"),
                _ if at(less).int() > at(more).int() => format!("failed rule: self.{less} <= self.{more}"),
                _ => continue,
            };
            answer.push(FieldError::new(ErrorType::Invalid, &spec, BadValue::Hidden, said));
        }
        Ok(())
    }
}

#[test]
fn defaults_that_are_not_valid_together_break_a_law() {
    let source = |limit: u8| {
        format!(
            "package v1\n\ntype Shop struct {{\n\tSpec ShopSpec `json:\"spec,omitempty\"`\n}}\n\ntype ShopSpec struct {{\n\t\
             Name *string `json:\"name,omitempty\"`\n\tMost *int32 `json:\"most,omitempty\"`\n\t// +default=0\n\t\
             Least *int32 `json:\"least,omitempty\"`\n\t// +default={limit}\n\tLimit *int32 `json:\"limit,omitempty\"`\n\t\
             // +default=9\n\tUsed *int32 `json:\"used,omitempty\"`\n\t// +default=true\n\t\
             Open *bool `json:\"open,omitempty\"`\n}}\n"
        )
    };
    let pair = |limit: u8| judged_types(&source(limit), Some(Box::new(Together)));
    let broken = ["limit", "used"].map(|field| format!("extra spec.{field} {INVALID}"));
    assert_eq!(differences(&pair(5), &json!({"name": "a", "most": 7})), broken);
    assert_eq!(differences(&pair(9), &json!({"name": "a", "most": 7})), [""; 0]);
    // What the object sets is at fault there, not a default.
    assert_eq!(differences(&pair(9), &json!({"name": "a", "most": -7})), [""; 0]);
    // Without what is required, nothing can be said.
    assert_eq!(differences(&pair(5), &json!({"name": "a"})), [""; 0]);
}
