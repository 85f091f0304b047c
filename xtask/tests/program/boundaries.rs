//! The classes of values that tags register: each can be planted, and each does to its rule what it says.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use takeover_corpora::generate::{GeneratedCase, Generator, GeneratorSettings, Mode};
use takeover_harness::case::Payload;
use takeover_harness::object::{Arena, from_value};
use takeover_harness::oracle::{Answer, Objects, Oracle as _, Question, View};
use takeover_harness::rule::RuleId;
use takeover_harness::schema::{Schema, TypeId};
use takeover_harness::subject::SubjectId;
use takeover_oracles::declarative::idl::{Loader, Memory};
use takeover_oracles::declarative::reference::Reference;
use takeover_oracles::declarative::{self, Declarative};
use takeover_oracles::registry::Registry;

const PACKAGE: &str = "example.com/api/v1";

/// A rule's class, as found in a run.
type Class = (RuleId, usize);

/// What planting showed.
#[derive(Default)]
struct Shown {
    /// Classes that were planted and could be read.
    judged: BTreeSet<Class>,
    /// Those among them at which the rule reported.
    reported: BTreeSet<Class>,
}

struct Kind {
    schema: Arc<Schema>,
    root: TypeId,
    oracle: Declarative,
    generator: Generator,
}

impl Kind {
    fn new(schema: Arc<Schema>, root: TypeId, oracle: Declarative, id: SubjectId) -> Self {
        let generator =
            Generator::new(Arc::clone(&schema), root, oracle.rules(), Vec::new(), GeneratorSettings::new(id, 5));
        Self { schema, root, oracle, generator }
    }

    fn of_source(go: &str) -> Self {
        let source = format!("package v1\n\n{go}\n");
        let loaded = Loader::new().with(Memory::new().file(PACKAGE, "types.go", &source)).load([PACKAGE]);
        let idl = loaded.into_result().unwrap_or_else(|error| panic!("{error}\n{go}"));
        let name = format!("{PACKAGE}.Example");
        let oracle = Declarative::compile(&idl, &name, &declarative::CompileSettings::default())
            .unwrap_or_else(|diagnostics| panic!("{diagnostics:?}\n{go}"));
        let root = idl.schema.lookup(&name).unwrap();
        Self::new(Arc::new(idl.schema), root, oracle, SubjectId::new("example.com/v1", "Example"))
    }

    /// The rules that reported on a case; none when it cannot be read.
    fn judge(&self, case: &GeneratedCase) -> Option<BTreeSet<RuleId>> {
        let arena = Arena::new();
        let value = |payload: &Payload| payload.to_value().unwrap();
        let new = value(&case.case.object);
        let old = case.case.old.as_ref().map(value);
        let question = Question {
            operation: case.case.operation,
            objects: Objects {
                schema: &self.schema,
                root: self.root,
                new: from_value(&self.schema, self.root, &new, &arena).ok()?,
                old: old.as_ref().map(|old| from_value(&self.schema, self.root, old, &arena)).transpose().ok()?,
                sent: None,
            },
            options: &case.case.options,
            subresource: self.oracle.subresources().first().map_or("", |path| path.trim_start_matches('/')),
        };
        let mut answer = Answer::new();
        self.oracle.answer(&question, &View::none(), &mut answer).unwrap();
        Some(answer.errors.iter().filter_map(|error| error.rule).collect())
    }

    /// Plants every class once: on create, and what is judged on update alone, in every pair of classes.
    fn plant_all(&self) -> Shown {
        let rules = self.oracle.rules();
        let mut shown = Shown::default();
        for number in 0..=self.generator.systematic_len() / 1_000 {
            for case in self.generator.chunk(number, 9) {
                let [planted] = case.planted.as_slice() else { continue };
                let rule = &rules[planted.rule.index()];
                let mode = if rule.update_only { Mode::Changed } else { Mode::Created };
                // A rule that is switched off says nothing.
                let options = rule.options.iter().chain(&rule.boundaries[planted.class].options);
                let off = options.into_iter().any(|(name, state)| case.case.options.get(name) != Some(*state));
                if planted.mode != mode || off || case.deviations > 0 {
                    continue;
                }
                let Some(reported) = self.judge(&case) else { continue };
                let class = (planted.rule, planted.class);
                shown.judged.insert(class);
                if reported.contains(&planted.rule) {
                    shown.reported.insert(class);
                }
            }
        }
        shown
    }

    /// Classes that do not do what they say, in words.
    fn wrong(&self, shown: &Shown) -> Vec<String> {
        let rules = self.oracle.rules().iter().filter(|rule| !rule.reports.is_empty());
        let classes = rules.flat_map(|rule| rule.boundaries.iter().enumerate().map(move |class| (rule, class)));
        classes
            .filter_map(|(rule, (index, boundary))| {
                let class = (rule.id, index);
                let what = match (shown.judged.contains(&class), shown.reported.contains(&class), boundary.breaks) {
                    (false, ..) => "cannot be planted",
                    (true, false, true) => "does not break its rule",
                    // Another item may lack what is set by default, which nobody does here.
                    (true, true, false) if !rule.after_default => "breaks its rule",
                    _ => return None,
                };
                let (path, chain, class, sample) = (&rule.path, &rule.chain, &boundary.class, &boundary.sample);
                Some(format!("{path} {chain} ({}): `{class}` {what}: {sample:?}", rule.tag))
            })
            .collect()
    }
}

/// Sources beside the examples of the tags: the same tags on other types, and together.
const SOURCES: &[&str] = &[
    "type Example struct {\n// +k8s:listType=map\n// +k8s:listMapKey=name\n// +k8s:listMapKey=port\nItems []Item `json:\"items,omitempty\"`\n}\n\
     type Item struct {\nName string `json:\"name\"`\nPort *int32 `json:\"port,omitempty\"`\n}",
    "type Example struct {\n// +k8s:listType=set\nItems []Item `json:\"items,omitempty\"`\n// +k8s:listType=set\nNumbers []int32 `json:\"numbers,omitempty\"`\n}\n\
     type Item struct {\nName string `json:\"name\"`\n}",
    "type Example struct {\n// +k8s:maxItems=3\n// +k8s:listType=map\n// +k8s:listMapKey=name\nItems []Item `json:\"items,omitempty\"`\n\
     // +k8s:minItems=2\nOthers []Item `json:\"others,omitempty\"`\n// +k8s:maxProperties=2\nMap map[string]Item `json:\"map,omitempty\"`\n\
     // +k8s:maxItems=4\nNumbers []int64 `json:\"numbers,omitempty\"`\n// +k8s:maxItems=4\nData []byte `json:\"data,omitempty\"`\n}\n\
     type Item struct {\nName string `json:\"name\"`\n// +k8s:required\nKind string `json:\"kind\"`\n}",
    "type Example struct {\n// +k8s:unionDiscriminator\nType string `json:\"type\"`\n// +k8s:unionMember\n// +k8s:optional\nA *A `json:\"a,omitempty\"`\n\
     // +k8s:unionMember(memberName: \"Bee\")\n// +k8s:optional\nB *string `json:\"b,omitempty\"`\n}\ntype A struct {\n// +k8s:required\nName string `json:\"name\"`\n}",
    "type Example struct {\n// +k8s:unionMember\n// +k8s:optional\nA *A `json:\"a,omitempty\"`\n// +k8s:unionMember\n// +k8s:optional\nB []string `json:\"b,omitempty\"`\n\
     // +k8s:unionMember\n// +k8s:optional\nC map[string]string `json:\"c,omitempty\"`\n}\ntype A struct {\nName string `json:\"name\"`\n}",
    "type Example struct {\n// +k8s:listType=map\n// +k8s:listMapKey=type\n// +k8s:item(type: \"Up\")=+k8s:zeroOrOneOfMember\n// +k8s:item(type: \"Down\")=+k8s:zeroOrOneOfMember\n\
     Items []Item `json:\"items,omitempty\"`\n}\ntype Item struct {\nType string `json:\"type\"`\n// +k8s:required\nStatus string `json:\"status\"`\n}",
    "type Example struct {\n// +k8s:listType=map\n// +k8s:listMapKey=type\n// +k8s:item(type: \"Up\")=+k8s:subfield(count)=+k8s:minimum=3\n\
     Items []Item `json:\"items,omitempty\"`\n}\ntype Item struct {\nType string `json:\"type\"`\nCount int32 `json:\"count\"`\n}",
    "type Example struct {\n// +k8s:modeDiscriminator\nType Mode `json:\"type\"`\n// +k8s:ifMode(\"A\")=+k8s:required\n// +k8s:ifMode(\"B\")=+k8s:optional\nValue *string `json:\"value,omitempty\"`\n\
     // +k8s:ifMode(\"B\")=+k8s:minimum=2\nCount *int32 `json:\"count,omitempty\"`\n}\n// +k8s:enum\ntype Mode string\nconst (\nModeA Mode = \"A\"\nModeB Mode = \"B\"\nModeC Mode = \"C\"\n)",
    "type Example struct {\n// +k8s:modeDiscriminator\nOn bool `json:\"on\"`\n// +k8s:ifMode(\"true\")=+k8s:required\nValue *string `json:\"value,omitempty\"`\n}",
    "type Example struct {\n// +k8s:dependentRequired(\"b\")\n// +k8s:optional\nA *A `json:\"a,omitempty\"`\n// +k8s:optional\nB []string `json:\"b,omitempty\"`\n}\ntype A struct {\nName string `json:\"name\"`\n}",
    "type Example struct {\n// +k8s:update=NoSet\nA *string `json:\"a,omitempty\"`\n// +k8s:update=NoUnset\nB int32 `json:\"b,omitempty\"`\n// +k8s:update=NoModify\nC bool `json:\"c,omitempty\"`\n\
     // +k8s:update=NoModify\nD D `json:\"d,omitempty\"`\n// +k8s:update=NoModify\n// +k8s:update=NoUnset\nE *bool `json:\"e,omitempty\"`\n}\ntype D struct {\nName string `json:\"name\"`\n}",
    "type Example struct {\n// +k8s:listType=set\n// +k8s:update=NoAddItem\nA []string `json:\"a,omitempty\"`\n// +k8s:listType=map\n// +k8s:listMapKey=name\n// +k8s:update=NoRemoveItem\nB []Item `json:\"b,omitempty\"`\n\
     // +k8s:update=NoAddItem\n// +k8s:update=NoRemoveItem\nC map[string]int32 `json:\"c,omitempty\"`\n}\ntype Item struct {\nName string `json:\"name\"`\n}",
    "type Example struct {\n// +k8s:immutable\nA *D `json:\"a,omitempty\"`\n// +k8s:immutable\nB []D `json:\"b,omitempty\"`\n// +k8s:immutable\nC bool `json:\"c,omitempty\"`\n// +k8s:immutable\nE map[string]string `json:\"e,omitempty\"`\n}\n\
     type D struct {\nName string `json:\"name\"`\n}",
    "type Example struct {\n// +k8s:monotonic\nA *int64 `json:\"a,omitempty\"`\n// +k8s:monotonic\nB int32 `json:\"b,omitempty\"`\n}",
    "type Example struct {\n// +k8s:required\nA []D `json:\"a\"`\n// +k8s:required\nB map[string]string `json:\"b\"`\n// +k8s:required\nC *int32 `json:\"c\"`\n// +k8s:forbidden\nE []string `json:\"e,omitempty\"`\n\
     // +k8s:forbidden\nF *string `json:\"f,omitempty\"`\n// +k8s:forbidden\nG int32 `json:\"g,omitempty\"`\n}\ntype D struct {\nName string `json:\"name\"`\n}",
    "type Example struct {\n// +k8s:eachKey=+k8s:maxLength=3\n// +k8s:eachVal=+k8s:minimum=2\nA map[string]int32 `json:\"a,omitempty\"`\n// +k8s:eachVal=+k8s:pattern=\"^[a-z]+$\"\nB []string `json:\"b,omitempty\"`\n\
     // +k8s:eachVal=+k8s:maxItems=2\nC map[string]Names `json:\"c,omitempty\"`\n}\ntype Names []string",
    "type Example struct {\n// +k8s:minimum=-3\nA int16 `json:\"a\"`\n// +k8s:maximum=7\nB uint64 `json:\"b\"`\n// +k8s:neq=9223372036854775807\nC int64 `json:\"c\"`\n// +k8s:minLength=4\nD string `json:\"d\"`\n\
     // +k8s:maxLength=1\nE *string `json:\"e\"`\n}",
    // Rules that stop others.
    "type Example struct {\n// +k8s:ifDisabled(X)=+k8s:forbidden\n// +k8s:ifEnabled(X)=+k8s:optional\nA *A `json:\"a,omitempty\"`\n\
     // +k8s:ifEnabled(X)=+k8s:required\n// +k8s:minLength=2\nB string `json:\"b,omitempty\"`\n// +k8s:ifEnabled(X)=+k8s:ifDisabled(Y)=+k8s:required\n// +k8s:minimum=2\nC int32 `json:\"c,omitempty\"`\n}\n\
     type A struct {\n// +k8s:required\n// +k8s:minLength=2\nName string `json:\"name\"`\n// +k8s:immutable\nFixed int64 `json:\"fixed,omitempty\"`\n}",
    "type Example struct {\n// +k8s:subfield(name)=+k8s:optional\n// +k8s:subfield(name)=+k8s:minLength=3\nA A `json:\"a,omitempty\"`\n// +k8s:listType=map\n// +k8s:listMapKey=type\n\
     // +k8s:item(type: \"Up\")=+k8s:subfield(count)=+k8s:required\n// +k8s:item(type: \"Up\")=+k8s:subfield(count)=+k8s:minimum=3\nItems []Item `json:\"items,omitempty\"`\n}\n\
     type A struct {\nName string `json:\"name,omitempty\"`\n}\ntype Item struct {\nType string `json:\"type\"`\nCount int32 `json:\"count\"`\n}",
    "type Example struct {\n// +k8s:optional\n// +k8s:monotonic\nA int64 `json:\"a,omitempty\"`\n// +k8s:listType=atomic\nB []*B `json:\"b,omitempty\"`\n// +k8s:optional\n// +k8s:update=NoModify\nC *C `json:\"c,omitempty\"`\n\
     // +k8s:immutable\nD D `json:\"d,omitempty\"`\n}\ntype B struct {\n// +k8s:required\nName string `json:\"name\"`\n}\ntype C struct {\nB []*B `json:\"b,omitempty\"`\n}\n\
     type D struct {\n// +k8s:maxItems=2\nC []C `json:\"c,omitempty\"`\n}",
];

/// Fields, path and tag of a rule of theirs, and its classes that no object can show, with the reason.
type Row = (&'static str, &'static str, &'static str, &'static [(&'static str, &'static str)]);

const UNREACHABLE: &[Row] = &[
    (
        "// +k8s:listType=map\n// +k8s:listMapKey=name\nA []A `json:\"a,omitempty\"`\n}\ntype A struct {\nName string `json:\"name\"`",
        "a",
        "listType",
        &[("same keys with another member", "all members are keys")],
    ),
    (
        "// +k8s:required\n// +k8s:minLength=2\nA string `json:\"a\"`",
        "a",
        "minLength",
        &[("empty", "stopped by `required`")],
    ),
    (
        "// +k8s:optional\n// +k8s:minLength=2\nA string `json:\"a,omitempty\"`",
        "a",
        "minLength",
        &[("empty", "stopped by `optional`")],
    ),
    ("// +k8s:optional\n// +k8s:minLength=2\nA *string `json:\"a,omitempty\"`", "a", "minLength", &[]),
    ("// +k8s:minLength=2\nA string `json:\"a,omitempty\"`", "a", "minLength", &[]),
    ("// +k8s:ifEnabled(X)=+k8s:required\n// +k8s:minLength=2\nA string `json:\"a,omitempty\"`", "a", "minLength", &[]),
    (
        "// +k8s:ifEnabled(X)=+k8s:required\n// +k8s:ifEnabled(X)=+k8s:minLength=2\nA string `json:\"a,omitempty\"`",
        "a",
        "minLength",
        &[("empty", "stopped by `required`")],
    ),
    (
        "// +k8s:listType=set\n// +k8s:maxItems=2\nA []string `json:\"a,omitempty\"`",
        "a",
        "listType",
        &[("duplicate apart", "stopped by `maxItems`"), ("duplicate beside another", "stopped by `maxItems`")],
    ),
    (
        "// +k8s:forbidden\n// +k8s:maxLength=1\nA *string `json:\"a,omitempty\"`",
        "a",
        "maxLength",
        &[
            ("on", "stopped by `forbidden`"),
            ("above", "stopped by `forbidden`"),
            ("wide characters", "stopped by `forbidden`"),
        ],
    ),
    (
        "// +k8s:immutable\nA A `json:\"a,omitempty\"`\n}\ntype A struct {\n// +k8s:immutable\nB bool `json:\"b,omitempty\"`",
        "a.b",
        "immutable",
        &[
            ("first", "stopped by `immutable` at `a`"),
            ("second", "stopped by `immutable` at `a`"),
            ("unset", "stopped by `immutable` at `a`"),
        ],
    ),
    (
        "// +k8s:eachVal=+k8s:immutable\nA map[string]string `json:\"a,omitempty\"`",
        "a[*]",
        "immutable",
        &[("unset", "what is not in the list or map is not judged")],
    ),
    (
        "// +k8s:immutable\nA A `json:\"a,omitempty\"`\n}\ntype A struct {",
        "a",
        "immutable",
        &[
            ("first", "samples of the type do not differ"),
            ("second", "samples of the type do not differ"),
            ("unset", "samples of the type do not differ"),
        ],
    ),
    ("// +k8s:maximum=32767\nA int16 `json:\"a\"`", "a", "maximum", &[("above", "the type does not hold 32768")]),
    (
        "// +k8s:maxBytes=15000\nA string `json:\"a\"`",
        "a",
        "maxBytes",
        &[("far above", "of size 30000, and samples are no larger than 20000")],
    ),
    (
        "// +k8s:pattern=`^x{40}$`\nA string `json:\"a\"`",
        "a",
        "pattern",
        &[("matching", "none of the texts tried is of it")],
    ),
    (
        "// +k8s:listType=set\nA []A `json:\"a,omitempty\"`\n}\ntype A struct {",
        "a",
        "listType",
        &[
            ("distinct", "samples of the element's type do not differ"),
            ("duplicate apart", "samples of the element's type do not differ"),
            ("duplicate beside another", "samples of the element's type do not differ"),
        ],
    ),
];

#[test]
fn classes_that_no_object_can_show_are_listed_with_the_reason() {
    for (fields, path, tag, expected) in UNREACHABLE {
        let kind = Kind::of_source(&format!("type Example struct {{\n{fields}\n}}"));
        let rule = kind.oracle.rules().iter().find(|rule| rule.path == *path && rule.tag == *tag);
        let rule = rule.unwrap_or_else(|| panic!("no rule of `{tag}` at `{path}`:\n{fields}"));
        let found: Vec<(&str, &str)> = rule.unreachable.iter().map(|c| (c.class.as_str(), c.reason.as_str())).collect();
        assert_eq!(found, *expected, "{fields}");
        assert!(rule.boundaries.iter().all(|b| expected.iter().all(|(class, _)| *class != b.class)), "{fields}");
    }
}

#[test]
fn what_an_option_forbids_is_under_the_other_state_of_it() {
    let kind = Kind::of_source(
        "type Example struct {\n// +k8s:ifDisabled(X)=+k8s:forbidden\nA *A `json:\"a,omitempty\"`\n}\ntype A struct {\n// +k8s:required\nB string `json:\"b\"`\n}",
    );
    let rule = kind.oracle.rules().iter().find(|rule| rule.path == "a.b").unwrap();
    assert_eq!(rule.options, [("X".to_owned(), true)]);
}

#[test]
fn every_class_of_every_tag_does_what_it_says() {
    let reference = Reference::new();
    let examples = reference.tags.iter().filter(|tag| tag.name != "validateError").map(|tag| tag.go.clone());
    let mut wrong = Vec::new();
    for go in examples.chain(SOURCES.iter().map(|go| (*go).to_owned())) {
        let kind = Kind::of_source(&go);
        let found = kind.wrong(&kind.plant_all());
        if !found.is_empty() {
            wrong.push(format!("{go}\n  {}", found.join("\n  ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_class_of_the_shipped_rules_does_what_it_says_or_says_why_it_cannot() {
    let registry = Registry::of_builtin().unwrap();
    let mut wrong = Vec::new();
    // Classes of a tag with its argument, reachable or not.
    let mut totals: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for known in registry.kinds() {
        let id = SubjectId::new(&*known.api_version, &*known.kind);
        let (root, oracle) = registry.candidate(&id).unwrap();
        for rule in oracle.rules() {
            let all = rule.boundaries.len() + rule.unreachable.len();
            if all == 0 {
                wrong.push(format!("{id} {} {}: no class", rule.path, rule.chain));
            }
            if matches!(rule.tag.as_str(), "format" | "maxItems" | "maxLength" | "maxBytes") {
                let own = rule.chain.rsplit_once(rule.tag.as_str()).map_or("", |(_, argument)| argument);
                totals.entry(format!("{}{}", rule.tag, own.replace('"', ""))).or_default().insert(all);
            }
        }
        let kind = Kind::new(Arc::clone(registry.schema()), root, oracle, id.clone());
        wrong.extend(kind.wrong(&kind.plant_all()).into_iter().map(|line| format!("{id} {line}")));
    }
    assert!(wrong.is_empty(), "{} classes:\n{}", wrong.len(), wrong.join("\n"));
    totals.retain(|_, totals| totals.len() > 1);
    assert!(totals.is_empty(), "the same tag, and not the same classes: {totals:#?}");
}
