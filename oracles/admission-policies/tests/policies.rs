//! What recorded requests do not show: budgets, chains of variables, refusals of bindings, hostile policies, hints and rows.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may stop at the first surprise")]

use serde_json::{Value, json};
use takeover_admission_policies::api::{Binding, Policy};
use takeover_admission_policies::{
    Cluster, Policies, PolicyFaults, PolicyOracle, PolicySet, Requester, Resource, Response, Target, binding_errors,
    policy_errors,
};
use takeover_harness::case::Operation;
use takeover_harness::control::Controls as _;
use takeover_harness::error::ErrorType;
use takeover_harness::rule::Sample;
use takeover_harness::subject::SubjectId;

fn policy(spec: Value) -> Policy {
    let mut spec = spec;
    if spec.get("matchConstraints").is_none() {
        spec["matchConstraints"] = json!({"resourceRules": [{
            "apiGroups": ["shop.example.com"], "apiVersions": ["v1"], "operations": ["*"], "resources": ["widgets"]}]});
    }
    Policy::read(&json!({"metadata": {"name": "widgets.shop.example.com"}, "spec": spec})).unwrap()
}

fn binding(actions: &[&str]) -> Binding {
    let spec = json!({"policyName": "widgets.shop.example.com", "validationActions": actions});
    Binding::read(&json!({"metadata": {"name": "all"}, "spec": spec})).unwrap()
}

fn oracle(spec: Value, actions: &[&str]) -> PolicyOracle {
    let mut cluster = Cluster::default();
    cluster.assume_namespaces();
    let version = |version: &str| Resource {
        group: "shop.example.com".to_owned(),
        version: version.to_owned(),
        resource: "widgets".to_owned(),
        kind: "Widget".to_owned(),
    };
    cluster.add_equivalents(vec![version("v1"), version("v2")]);
    let set = PolicySet::new(vec![policy(spec)], &[binding(actions)]);
    let target =
        Target { subject: SubjectId::new("shop.example.com/v1", "Widget"), resource: None, namespaced: Some(true) };
    Policies::new(set, cluster, Requester::default()).judging(target)
}

fn answer(spec: Value, actions: &[&str], object: Value) -> Response {
    oracle(spec, actions).respond(Operation::Create, object, None, &mut |_| ())
}

fn message(spec: Value, object: Value) -> String {
    answer(spec, &["Deny"], object).status.map(|status| status.message).unwrap_or_default()
}

#[test]
fn a_spent_budget_takes_all_other_decisions() {
    // To ask an authorizer costs 350,000.
    let dear = "!authorizer.path('/a').check('get').allowed() && !authorizer.path('/b').check('get').allowed()";
    let validations: Vec<Value> = std::iter::once(json!({"expression": "false", "message": "first"}))
        .chain((0..15).map(|_| json!({"expression": dear})))
        .collect();
    let spec = json!({"validations": validations});
    let told = message(spec.clone(), json!({}));
    assert!(told.ends_with("running out of cost budget, no further validation rules will be run"), "{told}");
    let ignored = json!({"failurePolicy": "Ignore", "validations": validations});
    assert!(answer(ignored, &["Deny"], json!({})).allows());
    let first = json!({"validations": [validations[0].clone(), validations[1].clone()]});
    assert!(message(first, json!({})).ends_with("denied request: first"));
}

#[test]
fn long_chains_of_variables_are_evaluated_once() {
    let mut variables = vec![json!({"name": "v0", "expression": "1"})];
    // Were each evaluated whenever it is read, this would never end.
    variables.extend((1..600).map(|at| {
        json!({"name": format!("v{at}"), "expression": format!("variables.v{0} == 0 ? 0 : variables.v{0}", at - 1)})
    }));
    let spec = json!({"variables": variables, "validations": [{"expression": "variables.v599 == 1"}]});
    assert!(policy_errors(&policy(spec.clone())).is_empty());
    assert_eq!(message(spec, json!({})), "");
}

#[test]
fn variables_that_read_each_other_end_in_an_error() {
    let spec = json!({
        "variables": [
            {"name": "a", "expression": "1"},
            {"name": "b", "expression": "variables.a"},
            {"name": "a", "expression": "variables.b"},
        ],
        "validations": [{"expression": "variables.a == 1"}]});
    assert!(message(spec, json!({})).contains("it depends on itself"));
}

#[test]
fn objects_are_seen_in_the_version_that_a_rule_names() {
    let spec = |match_policy: &str| {
        json!({
            "matchConstraints": {"matchPolicy": match_policy, "resourceRules": [{
                "apiGroups": ["shop.example.com"], "apiVersions": ["v2"], "operations": ["CREATE"], "resources": ["widgets"]}]},
            "validations": [{"expression": "object.apiVersion + request.kind.version + request.requestKind.version == ''",
                "messageExpression": "object.apiVersion + request.kind.version + request.requestKind.version"}]})
    };
    assert!(message(spec("Equivalent"), json!({})).ends_with("denied request: shop.example.com/v2v2v1"));
    assert_eq!(message(spec("Exact"), json!({})), "");
}

#[test]
fn every_action_is_taken() {
    let spec = json!({"validations": [{"expression": "object.spec.size < 3", "message": "too <large>"}]});
    let object = json!({"metadata": {"name": "w"}, "spec": {"size": 3.0}});
    let response = answer(spec, &["Warn", "Audit"], object);
    assert!(response.allows());
    let warning =
        "Validation failed for ValidatingAdmissionPolicy 'widgets.shop.example.com' with binding 'all': too <large>";
    assert_eq!(response.sent_warnings(), [warning]);
    let audited = &response.audit_annotations["validation.policy.admission.k8s.io/validation_failure"];
    assert!(audited.starts_with(r#"[{"message":"too \u003clarge\u003e","policy":"#), "{audited}");
}

#[test]
fn warnings_that_no_header_takes_are_not_sent() {
    let long = "x".repeat(3_000);
    let response = Response {
        warnings: vec!["a\nb".to_owned(), long.clone(), long, "y".repeat(3_000), "z".to_owned()],
        ..Response::default()
    };
    let sent: Vec<usize> = response.sent_warnings().iter().map(String::len).collect();
    assert_eq!(sent, [256, 256, 1]);
}

#[test]
fn bindings_are_refused_as_a_server_does() {
    let refused = |spec: Value| -> Vec<String> {
        let binding = Binding::read(&json!({"metadata": {"name": "b"}, "spec": spec})).unwrap();
        binding_errors(&binding).iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        refused(json!({"validationActions": []})),
        [
            "spec.policyName: Required value",
            "spec.validationActions: Required value: at least one validation action is required"
        ]
    );
    let twice = refused(json!({"policyName": "p", "validationActions": ["Deny", "Warn", "Deny"],
        "paramRef": {"name": "a/b", "selector": {"matchExpressions": [{"key": "k", "operator": "In"}]}}}));
    assert_eq!(
        twice,
        [
            "spec.paramRef.name: Invalid value: \"a/b\": may not contain '/'",
            "spec.paramRef.name: Forbidden: name and selector are mutually exclusive",
            "spec.paramRef.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
            "spec.paramRef.selector: Forbidden: name and selector are mutually exclusive",
            "spec.paramRef.parameterNotFoundAction: Required value",
            "spec.validationActions[2]: Duplicate value: \"Deny\"",
            "spec.validationActions: Invalid value: [\"Deny\",\"Warn\",\"Deny\"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
        ]
    );
}

#[test]
fn malformed_manifests_are_named() {
    let wrong = json!({"metadata": {"name": "p"}, "spec": {"validations": {"expression": "true"}}});
    let error = Policy::read(&wrong).unwrap_err().to_string();
    assert!(error.starts_with("ValidatingAdmissionPolicy `p`: spec: invalid type: map"), "{error}");
}

#[test]
fn hostile_expressions_end_in_errors() {
    let deep = "[".repeat(300) + &"]".repeat(300);
    let wide = vec!["object.a"; 1_000].join(" + ");
    for expression in [deep, wide, "a".repeat(20_000), "'a'.matches('(((a*)*)*)*b')".to_owned()] {
        let spec = json!({"validations": [{"expression": expression}]});
        let _ = policy_errors(&policy(spec.clone()));
        assert!(!answer(spec, &["Deny"], json!({})).allows());
    }
}

#[test]
fn rows_and_hints_follow_the_expressions() {
    let spec = json!({
    "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
    "variables": [{"name": "most", "expression": "int(params.data.most)"}],
    "validations": [
        {"expression": "object.spec.size <= variables.most"},
        {"expression": "object.metadata.labels.team == 'a' && object.spec.parts.all(p, p.kind in ['x', 'y'])"},
        {"expression": "object.spec.owner in params.data.owners.split(',')"},
    ]});
    let mut cluster = Cluster::default();
    cluster.add_object(json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"most": "3", "owners": "alice,bob"}}));
    let set = PolicySet::new(vec![policy(spec)], &[binding(&["Deny"])]);
    let rows: Vec<String> = set.rules(&|_, _| None).into_iter().map(|rule| rule.chain).collect();
    assert_eq!(rows[0], "policy(widgets.shop.example.com)[0]=object.spec.size <= variables.most");
    let hints = set.hints(&cluster);
    let samples = |path: &str| -> Vec<(String, bool)> {
        let of_path = hints.rules.iter().filter(|rule| rule.path == path).flat_map(|rule| &rule.boundaries);
        of_path.map(|boundary| (boundary.class.clone(), boundary.breaks)).collect()
    };
    let classes = |of: &[(&str, bool)]| -> Vec<(String, bool)> {
        of.iter().map(|(class, breaks)| ((*class).to_owned(), *breaks)).collect()
    };
    assert_eq!(samples("spec.size"), classes(&[("2", false), ("3", false), ("4", true)]));
    assert_eq!(samples("metadata.labels"), classes(&[("team \"a\"", false), ("team \"ax\"", true)]));
    assert_eq!(samples("spec.owner"), classes(&[("\"alice\"", false), ("\"bob\"", false), ("another", true)]));
    assert_eq!(samples("spec.parts[*].kind"), classes(&[("\"x\"", false), ("\"y\"", false), ("another", true)]));
}

#[test]
fn what_selects_objects_or_their_limits_is_told_from_what_is_judged() {
    let spec = json!({
        "matchConstraints": {
            "objectSelector": {"matchExpressions": [{"key": "skip", "operator": "DoesNotExist"}]},
            "resourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], "operations": ["*"]}],
        },
        "matchConditions": [
            {"name": "gold", "expression": "object.spec.tier == 'gold'"},
            {"name": "there", "expression": "!has(object.metadata.deletionTimestamp)"},
        ],
        "variables": [{"name": "most", "expression": "has(object.metadata.labels.big) ? 200 : 100"}],
        "validations": [{"expression": "object.spec.size <= variables.most"}],
    });
    let hints = PolicySet::new(vec![policy(spec)], &[binding(&["Deny"])]).hints(&Cluster::default());
    let known: Vec<(&str, &str, bool)> = hints
        .rules
        .iter()
        .map(|rule| {
            let (_, what) = rule.chain.split_once('=').unwrap();
            (rule.path.as_str(), what, rule.selects)
        })
        .collect();
    for expected in [
        ("metadata.labels", "matches skip DoesNotExist", true),
        ("spec.tier", "== \"gold\"", true),
        ("metadata.deletionTimestamp", "is there", true),
        ("metadata.labels", "has big", true),
        ("spec.size", "<= 200", false),
        ("spec.size", "<= 100", false),
    ] {
        assert!(known.contains(&expected), "{expected:?}: {known:#?}");
    }
}

#[test]
fn a_validation_reads_what_its_variables_read() {
    let spec = json!({
        "matchConstraints": {
            "resourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], "operations": ["*"]}],
        },
        "variables": [
            {"name": "spec", "expression": "object.spec"},
            {"name": "big", "expression": "variables.spec.size > 3 || has(oldObject.spec.big)"},
        ],
        "validations": [
            {"expression": "variables.spec.id.startsWith('a') && request.name != ''"},
            {"expression": "!variables.big"},
            {"expression": "false"},
        ],
    });
    let rules = PolicySet::new(vec![policy(spec)], &[binding(&["Deny"])]).rules(&|_, _| None);
    let reads: Vec<&[String]> = rules.iter().map(|rule| rule.reads.as_slice()).collect();
    let expected: [&[&str]; 3] = [&["metadata.name", "spec.id"], &["spec.big", "spec.size"], &[]];
    assert_eq!(reads, expected);
}

#[test]
fn a_selector_that_tells_no_known_namespaces_apart_is_noticed() {
    let spec = |selector: Value| {
        json!({"matchConstraints": {"namespaceSelector": selector,
            "resourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], "operations": ["*"]}]},
            "validations": [{"expression": "object.spec.size <= 3"}]})
    };
    let dev = json!({"matchExpressions": [{"key": "env", "operator": "NotIn", "values": ["dev"]}]});
    let mut cluster = Cluster::default();
    cluster.assume_namespaces();
    let alike = |selector: Value, cluster: &Cluster| {
        PolicySet::new(vec![policy(spec(selector))], &[binding(&["Deny"])]).hints(cluster).selects_alike
    };
    assert!(alike(dev.clone(), &cluster), "no namespace is known to be a dev");
    assert!(!alike(json!({}), &cluster));
    let sandbox =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "sandbox", "labels": {"env": "dev"}}});
    cluster.add_namespace(sandbox.clone());
    cluster.add_object(sandbox);
    assert!(!alike(dev, &cluster));
}

#[test]
fn sizes_and_comparisons_of_two_fields_have_values_on_both_sides() {
    let of = |expression: &str| {
        let spec = json!({"validations": [{"expression": expression}]});
        PolicySet::new(vec![policy(spec)], &[binding(&["Deny"])]).hints(&Cluster::default())
    };
    let limits = |expression: &str| -> Vec<(String, ErrorType, i64)> {
        let checks = of(expression).checks;
        checks.into_iter().map(|check| (check.error.field.clone(), check.error_type(), check.limit.unwrap())).collect()
    };
    let both = |path: &str, limit: i64| {
        [ErrorType::TooMany, ErrorType::TooLong].map(|of| (path.to_owned(), of, limit)).to_vec()
    };
    assert_eq!(limits("size(object.spec.parts) <= 20"), both("spec.parts", 20));
    assert_eq!(limits("20 > object.spec.parts[0].name.size()"), both("spec.parts[*].name", 19));
    assert_eq!(limits("object.spec.note.size() == 8"), [both("spec.note", 7), both("spec.note", 8)].concat());
    assert_eq!(limits("object.spec.parts.all(p, size(p.name) >= 3)"), both("spec.parts[*].name", 2));

    let samples = |expression: &str| -> Vec<(String, bool, Value)> {
        let value = |sample: &Sample| match sample {
            Sample::Value(value) => value.clone(),
            _ => Value::Null,
        };
        let rules = of(expression).rules;
        let classes = rules.iter().flat_map(|rule| rule.boundaries.iter().map(move |class| (rule, class)));
        classes.map(|(rule, class)| (rule.path.clone(), class.breaks, value(&class.sample))).collect()
    };
    let found = samples("object.spec.low < object.spec.high");
    for (low, high, breaks) in [(1, 2, false), (2, 2, true), (2, 1, true)] {
        assert!(found.contains(&("spec".to_owned(), breaks, json!({"low": low, "high": high}))), "{found:?}");
    }
    let found = samples("object.spec.parts.all(p, p.name != object.metadata.labels.team)");
    let around =
        |name: &str, team: &str| json!({"spec": {"parts": [{"name": name}]}, "metadata": {"labels": {"team": team}}});
    assert!(found.contains(&(String::new(), true, around("2", "2"))), "{found:?}");
    assert!(found.contains(&(String::new(), false, around("1", "2"))), "{found:?}");
    let found = samples("size(object.spec.parts) <= object.spec.most");
    let spec = |parts: Value, most: i64| json!({"parts": parts, "most": most});
    assert!(found.contains(&("spec".to_owned(), true, spec(json!([{}, {}]), 1))), "{found:?}");
    assert!(found.contains(&("spec".to_owned(), false, spec(json!("aa"), 2))), "{found:?}");
    // The size of an entry of a map is that of a text.
    let found = samples("size(object.metadata.labels['team']) <= 2");
    assert!(found.contains(&("metadata.labels".to_owned(), true, json!({"team": "aaa"}))), "{found:?}");
    assert!(samples("object.spec == object.spec.part").is_empty());
}

#[test]
fn faults_of_validations_and_conditions_show_in_decisions() {
    let spec = json!({
        "matchConditions": [{"name": "big", "expression": "object.spec.size > 5"}],
        "validations": [{"expression": "object.spec.mode != 'A' && object.spec.size <= 10"}]});
    let oracle = oracle(spec.clone(), &["Deny"]);
    let faults = PolicyFaults::of(&oracle);
    let names: Vec<&str> = faults.catalogue().iter().map(|fault| fault.name.as_str()).collect();
    assert!(names.contains(&"match condition `big`: `>` is `>=`"), "{names:#?}");
    assert!(names.contains(&"`<=` is `<`") && names.contains(&"`10` is `11`"), "{names:#?}");
    // The faults that a request of these members shows, by what the whole policy with the fault answers.
    let shown = |spec: Value| {
        let answer = |oracle: &PolicyOracle| {
            oracle.respond(Operation::Create, json!({"spec": spec}), None, &mut |_| ()).status.is_some()
        };
        let sound = answer(&oracle);
        let differs = |(index, name): (usize, &&str)| {
            (answer(&faults.faulty(index).unwrap()) != sound).then(|| (*name).to_owned())
        };
        names.iter().enumerate().filter_map(differs).collect::<Vec<String>>()
    };
    let on = shown(json!({"size": 10, "mode": "B"}));
    assert!(on.contains(&"`<=` is `<`".to_owned()) && !on.contains(&"`10` is `11`".to_owned()), "{on:#?}");
    let above = shown(json!({"size": 11, "mode": "B"}));
    assert!(above.contains(&"`10` is `11`".to_owned()) && above.contains(&"dropped".to_owned()), "{above:#?}");
    let small = shown(json!({"size": 5, "mode": "A"}));
    assert!(small.contains(&"match condition `big`: dropped".to_owned()), "{small:#?}");
    assert!(!small.contains(&"`<=` is `<`".to_owned()), "{small:#?}");
    let warns = self::oracle(spec, &["Warn"]);
    assert!(PolicyFaults::of(&warns).catalogue().iter().all(|fault| fault.equivalent.is_some()));
}

#[test]
fn hints_follow_variables_patterns_truth_values_and_alternatives() {
    let spec = json!({
    "variables": [
        {"name": "pod", "expression": "object.spec.template.spec"},
        {"name": "parts", "expression": "has(object.spec.parts) ? object.spec.parts : []"},
    ],
    "validations": [
        {"expression": "variables.parts.size() <= 5"},
        {"expression": "object.spec.id.matches('^[A-Z]{2,3}$')"},
        {"expression": "variables.pod.safe || variables.pod.containers.all(c, c.safe)"},
        {"expression": "variables.pod.containers.all(c, c.image.startsWith('corp/'))"},
        {"expression": "!variables.pod.containers.exists(c, c.image.endsWith(':latest'))"},
        {"expression": "has(object.metadata.annotations) && 'cpu' in variables.pod.limits"},
    ]});
    let hints = PolicySet::new(vec![policy(spec)], &[binding(&["Deny"])]).hints(&Cluster::default());
    assert!(hints.checks.iter().any(|check| check.error.field == "spec.parts" && check.limit == Some(5)));
    let samples = |path: &str| -> Vec<Value> {
        let of_path = hints.rules.iter().filter(|rule| rule.path == path).flat_map(|rule| &rule.boundaries);
        let values = of_path.filter_map(|boundary| match &boundary.sample {
            Sample::Value(value) => Some(value.clone()),
            _ => None,
        });
        values.collect()
    };
    for (path, expected) in [
        ("spec.id", json!("AAA")),
        ("spec.id", json!("AAAA")),
        ("spec.template.spec.safe", json!(false)),
        ("spec.template.spec", json!({"safe": true, "containers": [{"safe": false}]})),
        ("spec.template.spec.containers[*].image", json!("corp/x:latest")),
        ("spec.template.spec.limits", json!({"cpu": "1e0"})),
    ] {
        assert!(samples(path).contains(&expected), "{path}: {expected} is not in {:?}", samples(path));
    }
    assert_eq!(samples("metadata"), [] as [Value; 0], "metadata is no map, though its name ends with `data`");
}
