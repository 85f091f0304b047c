//! Webhooks on loopback: honest, wrong, slow and gone.

use super::{Answers, Webhook, WebhookSettings};
use crate::http::fake::{Asked, Certificates, Fake, Request, Response, ask, create, update};
use base64::Engine as _;
use serde_json::{Value, json};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use takeover_harness::error::{BadValue, ErrorType};
use takeover_harness::oracle::{Answer, BatchOracle, Decision, Detail, OracleFailure};
use takeover_harness::subject::SubjectId;

fn widget(name: &str, size: i64) -> Value {
    json!({
        "apiVersion": "shop.example.com/v1", "kind": "Widget", "metadata": {"name": name, "namespace": "shop"},
        "spec": {"size": size},
    })
}

fn put(webhook: &Webhook, asked: &[Asked]) -> Vec<Result<Answer, OracleFailure>> {
    ask(asked, |asked, give| webhook.ask_all(asked, give))
}

fn one(settings: WebhookSettings, asked: Asked) -> Result<Answer, OracleFailure> {
    put(&Webhook::new(settings).unwrap(), &[asked]).remove(0)
}

/// A review that answers `request` with these members.
fn review(request: &Request, mut response: Value) -> Response {
    response["uid"] = request.json()["request"]["uid"].clone();
    Response::json(200, &json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}))
}

/// Refuses sizes below zero, as Kubernetes would.
fn sizes(request: &Request) -> Option<Response> {
    let size = request.json()["request"]["object"]["spec"]["size"].as_i64().unwrap();
    Some(match size {
        0.. => review(request, json!({"allowed": true, "warnings": ["size is deprecated"]})),
        size => review(
            request,
            json!({"allowed": false, "status": {"code": 422, "reason": "Invalid", "message": "Widget is invalid", "details": {
                "causes": [{"reason": "FieldValueInvalid", "field": "spec.size", "message": format!("Invalid value: {size}: must be greater than or equal to 0")}],
            }}}),
        ),
    })
}

#[test]
fn causes_become_field_errors_and_connections_are_kept() {
    let fake = Fake::http(sizes);
    let settings = WebhookSettings { concurrency: 4, ..WebhookSettings::new(fake.url("/validate")) };
    let webhook = Webhook::new(settings).unwrap();
    assert_eq!(webhook.precision().detail, Detail::Errors);
    assert_eq!(webhook.precision().batch.get(), 128);
    let asked: Vec<Asked> = (-50..50).map(|size| create(widget("a", size))).collect();
    for _ in 0..3 {
        for (answer, size) in put(&webhook, &asked).into_iter().zip(-50..50) {
            let answer = answer.unwrap();
            assert_eq!(answer.rejects(), size < 0);
            assert_eq!(answer.decision, None);
            let errors = answer.errors.into_vec();
            assert_eq!(errors.len(), usize::from(size < 0));
            for error in errors {
                assert_eq!((error.error_type, error.field.as_str()), (ErrorType::Invalid, "spec.size"));
                assert_eq!(error.bad_value, BadValue::Int(size));
                assert_eq!(error.detail, "must be greater than or equal to 0");
            }
        }
    }
    assert!(fake.connections() <= 4, "{} connections", fake.connections());
}

#[test]
fn a_webhook_that_is_gone_is_named_before_it_is_asked() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/validate", listener.local_addr().unwrap());
    drop(listener);
    let error = Webhook::connect(WebhookSettings::new(&url)).unwrap_err().to_string();
    assert!(error.starts_with(&format!("cannot connect to `{url}`: ")), "{error}");
    let mute = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/validate", mute.local_addr().unwrap());
    let timeout = Duration::from_millis(50);
    let error = Webhook::connect(WebhookSettings { timeout, ..WebhookSettings::new(&url) }).unwrap_err().to_string();
    assert_eq!(error, format!("no answer from `{url}` within 0.05 s"));
    // It may take a GET for wrong, or hang up.
    let teapot = Fake::http(|_| Some(Response::raw(418, "no tea")));
    let rude = Fake::http(|_| None);
    for there in [teapot, rude] {
        Webhook::connect(WebhookSettings::new(there.url("/validate"))).unwrap();
    }
}

#[test]
fn a_webhook_that_never_answers_is_given_up() {
    let mute = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/validate", mute.local_addr().unwrap());
    let timeout = Duration::from_millis(50);
    let webhook = Webhook::new(WebhookSettings { timeout, ..WebhookSettings::new(url) }).unwrap();
    let asked: Vec<Asked> = (0..1_000).map(|size| create(widget("a", size))).collect();
    let begun = Instant::now();
    let last = put(&webhook, &asked).pop().unwrap().unwrap_err().to_string();
    assert!(last.starts_with("not asked: the webhook gave no answer to 1"), "{last}");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[test]
fn the_review_is_what_an_api_server_sends() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    let fake = Fake::http(move |request| {
        kept.lock().unwrap().push(request.clone());
        Some(review(request, json!({"allowed": true})))
    });
    let webhook = Webhook::new(WebhookSettings::new(fake.url("/path?x=1"))).unwrap();
    let asked = Asked { subresource: "status", ..update(widget("a", 1), widget("a", 2)) };
    put(&webhook, &[asked]).remove(0).unwrap();
    put(&webhook, &[create(widget("a", 1))]).remove(0).unwrap();
    let seen = seen.lock().unwrap();
    assert_eq!((seen[0].method.as_str(), seen[0].target.as_str()), ("POST", "/path?x=1"));
    assert_eq!(seen[0].header("content-type"), "application/json");
    let mut sent = seen[0].json();
    let uid = sent["request"]["uid"].take();
    assert_eq!(uid.as_str().unwrap().len(), 36);
    assert_ne!(uid, seen[1].json()["request"]["uid"]);
    let kind = json!({"group": "shop.example.com", "version": "v1", "kind": "Widget"});
    let resource = json!({"group": "shop.example.com", "version": "v1", "resource": "widgets"});
    assert_eq!(
        sent,
        json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
            "uid": null, "kind": kind, "resource": resource, "subResource": "status", "requestKind": kind,
            "requestResource": resource, "requestSubResource": "status", "name": "a", "namespace": "shop",
            "operation": "UPDATE", "userInfo": {"username": "takeover", "groups": ["system:authenticated"]},
            "object": widget("a", 2), "oldObject": widget("a", 1), "dryRun": true,
            "options": {"kind": "UpdateOptions", "apiVersion": "meta.k8s.io/v1", "dryRun": ["All"]},
        }})
    );
    let created = &seen[1].json()["request"];
    assert_eq!(created["operation"], "CREATE");
    assert_eq!(created["options"]["kind"], "CreateOptions");
    assert_eq!(created["oldObject"], json!(null));
    assert!(created.get("subResource").is_none());
}

#[test]
fn a_subject_fills_in_what_the_object_does_not_say() {
    let seen = Arc::new(Mutex::new(Value::Null));
    let kept = Arc::clone(&seen);
    let fake = Fake::http(move |request| {
        *kept.lock().unwrap() = request.json()["request"].take();
        Some(review(request, json!({"allowed": true})))
    });
    let bare = create(json!({"metadata": {"name": "shop"}}));
    let failure = one(WebhookSettings::new(fake.url("/")), bare.clone()).unwrap_err().to_string();
    assert_eq!(failure, "the object does not say its `apiVersion`, and no subject is set");
    let subject = Some(SubjectId::new("v1", "Namespace"));
    one(WebhookSettings { subject, ..WebhookSettings::new(fake.url("/")) }, bare).unwrap();
    let seen = seen.lock().unwrap();
    assert_eq!(seen["object"]["kind"], "Namespace");
    assert_eq!(seen["namespace"], "shop");
}

#[test]
fn a_denial_with_a_message_alone_is_a_decision() {
    let fake = Fake::http(|request| Some(review(request, json!({"allowed": false, "status": {"message": "too big"}}))));
    for answers in [Answers::Errors, Answers::Decision, Answers::Object] {
        let settings = WebhookSettings { answers, ..WebhookSettings::new(fake.url("/")) };
        let answer = one(settings, create(widget("a", 1))).unwrap();
        assert_eq!(answer.decision, Some(Decision::Reject("too big".into())));
        assert!(answer.errors.is_empty() && answer.object.is_none());
    }
}

#[test]
fn decisions_leave_causes_out() {
    let fake = Fake::http(sizes);
    let settings = WebhookSettings { answers: Answers::Decision, ..WebhookSettings::new(fake.url("/")) };
    let webhook = Webhook::new(settings).unwrap();
    assert_eq!(webhook.precision().detail, Detail::Decision);
    let answers = put(&webhook, &[create(widget("a", 1)), create(widget("a", -1))]);
    let decisions: Vec<_> = answers.into_iter().map(|answer| answer.unwrap()).collect();
    assert_eq!(decisions[0].decision, Some(Decision::Accept));
    assert_eq!(decisions[1].decision, Some(Decision::Reject("Widget is invalid".into())));
    assert!(decisions[1].errors.is_empty());
}

fn mutating(patch: &'static str, patch_type: &'static str) -> Result<Answer, OracleFailure> {
    let patch = base64::engine::general_purpose::STANDARD.encode(patch);
    let fake = Fake::http(move |request| {
        Some(review(request, json!({"allowed": true, "patch": patch, "patchType": patch_type})))
    });
    one(WebhookSettings { answers: Answers::Object, ..WebhookSettings::new(fake.url("/")) }, create(widget("a", 1)))
}

#[test]
fn patches_make_the_object_of_the_answer() {
    let answer = mutating(r#"[{"op": "add", "path": "/spec/colour", "value": "red"}]"#, "JSONPatch").unwrap();
    let mut object = widget("a", 1);
    object["spec"]["colour"] = json!("red");
    assert_eq!((answer.object, answer.decision), (Some(object), Some(Decision::Accept)));
    assert_eq!(mutating("", "").unwrap().object, Some(widget("a", 1)), "no change");
}

#[test]
fn patches_that_cannot_be_applied_are_failures() {
    for (patch, patch_type, says) in [
        (r#"[{"op": "remove", "path": "/spec/none"}]"#, "JSONPatch", "the patch of the webhook does not apply"),
        ("{}", "JSONPatch", "the patch of the webhook is not a JSON patch"),
        ("[]", "MergePatch", "answered with a patch of type `MergePatch`, not `JSONPatch`"),
    ] {
        let failure = mutating(patch, patch_type).unwrap_err().to_string();
        assert!(failure.contains(says), "{failure}");
    }
}

#[test]
fn wrong_answers_are_failures_that_say_what_is_wrong() {
    let review = |mut change: Value| {
        let mut whole = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": {"uid": "?", "allowed": true}});
        for (name, value) in change.as_object_mut().unwrap() {
            whole[name] = value.take();
        }
        Response::json(200, &whole)
    };
    type Make = Box<dyn Fn() -> Option<Response> + Send + Sync>;
    let answers: Vec<(Make, &str)> = vec![
        (Box::new(|| Some(Response::raw(404, "page not found\n"))), "answered with HTTP status 404: `page not found`"),
        (
            Box::new(|| Some(Response { headers: "location: /other\r\n", ..Response::raw(307, "") })),
            "HTTP status 307: an empty body",
        ),
        (Box::new(|| Some(Response::raw(200, "<html>"))), "did not answer with an AdmissionReview"),
        (Box::new(move || Some(review(json!({})))), "answered with uid `?`, not that of the request"),
        (Box::new(move || Some(review(json!({"response": null})))), "an AdmissionReview that has no `response`"),
        (
            Box::new(move || Some(review(json!({"apiVersion": "admission.k8s.io/v1beta1"})))),
            "answered with apiVersion `admission.k8s.io/v1beta1`, not `admission.k8s.io/v1`",
        ),
        (Box::new(move || Some(review(json!({"kind": "Status"})))), "answered with kind `Status`"),
        (Box::new(move || Some(review(json!({"response": {"uid": "?"}})))), "missing field `allowed`"),
        (Box::new(|| Some(Response::raw(200, vec![b' '; (16 << 20) + 1]))), "is larger than 16 MiB"),
        (Box::new(|| None), "no answer from"),
    ];
    for (make, says) in answers {
        let fake = Fake::http(move |_| make());
        let failure = one(WebhookSettings::new(fake.url("/x")), create(widget("a", 1))).unwrap_err().to_string();
        assert!(failure.contains(says) && failure.contains(&fake.url("/x")), "{failure}");
    }
}

#[test]
fn a_webhook_that_is_not_there_or_is_slow_is_named() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let failure = one(WebhookSettings::new(format!("http://{free}/x?token=secret")), create(widget("a", 1)));
    let failure = failure.unwrap_err().to_string();
    assert!(failure.starts_with(&format!("cannot connect to `http://{free}/x`: ")), "{failure}");
    let fake = Fake::http(|request| {
        std::thread::sleep(Duration::from_secs(2));
        Some(review(request, json!({"allowed": true})))
    });
    let settings = WebhookSettings { timeout: Duration::from_millis(100), ..WebhookSettings::new(fake.url("/x")) };
    let failure = one(settings, create(widget("a", 1))).unwrap_err().to_string();
    assert_eq!(failure, format!("no answer from `{}` within 0.1 s", fake.url("/x")));
}

#[test]
fn a_kept_connection_that_was_closed_costs_no_answer() {
    let count = Mutex::new(0);
    let fake = Fake::http(move |request| {
        let mut count = count.lock().unwrap();
        *count += 1;
        (*count % 3 != 0).then(|| review(request, json!({"allowed": true})))
    });
    let settings = WebhookSettings { concurrency: 1, ..WebhookSettings::new(fake.url("/")) };
    let asked: Vec<Asked> = (0..20).map(|size| create(widget("a", size))).collect();
    for answer in put(&Webhook::new(settings).unwrap(), &asked) {
        assert!(!answer.unwrap().rejects());
    }
}

#[test]
fn requests_are_sent_at_the_same_time_but_never_more_than_allowed() {
    let under_way = Arc::new(Mutex::new((0_usize, 0_usize)));
    let counted = Arc::clone(&under_way);
    let fake = Fake::http(move |request| {
        let mut now = counted.lock().unwrap();
        now.0 += 1;
        now.1 = now.1.max(now.0);
        drop(now);
        std::thread::sleep(Duration::from_millis(20));
        counted.lock().unwrap().0 -= 1;
        Some(review(request, json!({"allowed": true})))
    });
    let settings = WebhookSettings { concurrency: 5, ..WebhookSettings::new(fake.url("/")) };
    let webhook = Webhook::new(settings).unwrap();
    let asked: Vec<Asked> = (0..25).map(|size| create(widget("a", size))).collect();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| put(&webhook, &asked));
        }
    });
    assert_eq!(under_way.lock().unwrap().1, 5);
}

#[test]
fn settings_that_make_no_webhook_are_refused() {
    let with = |url: &str, change: &dyn Fn(&mut WebhookSettings)| {
        let mut settings = WebhookSettings::new(url);
        change(&mut settings);
        Webhook::new(settings).unwrap_err().to_string()
    };
    let none = |_: &mut WebhookSettings| {};
    assert_eq!(
        with("https://a/b", &none),
        "trust `https://a/b`: name its certificate authority, with `ca = \"FILE\"` in a table or `webhook URL FILE` on the command line"
    );
    assert_eq!(with("a", &none), "use the URL of the webhook: it does not begin with `http://` or `https://`");
    assert!(with("https://a", &|s| s.ca = Some("/no/such.pem".into())).starts_with("read `/no/such.pem`: "));
    assert!(with("http://a", &|s| s.client_key = Some("k".into())).contains("without its certificate"));
    assert!(with("http://a", &|s| s.resource = Some("Widgets".into())).contains("use resource `Widgets`"));
}

fn settings(pems: &Certificates, fake: &Fake) -> WebhookSettings {
    let mut settings = WebhookSettings::new(format!("https://localhost:{}/x", fake.address.port()));
    settings.ca = Some(pems.folder.path().join("ca.pem"));
    settings
}

#[test]
fn https_is_trusted_by_its_authority_alone() {
    let (pems, others) = (Certificates::of("localhost"), Certificates::of("localhost"));
    let fake = Fake::https(&pems.certificate, &pems.key, None, sizes);
    assert!(!one(settings(&pems, &fake), create(widget("a", 1))).unwrap().rejects());
    let failure = one(settings(&others, &fake), create(widget("a", 1))).unwrap_err().to_string();
    assert!(failure.starts_with("cannot connect to `https://localhost:"), "{failure}");
    let on_loopback = WebhookSettings { ca: None, ..settings(&pems, &fake) };
    assert!(!one(on_loopback, create(widget("a", 1))).unwrap().rejects());
}

#[test]
fn a_webhook_that_asks_for_a_client_certificate_gets_it() {
    let pems = Certificates::of("localhost");
    let fake = Fake::https(&pems.certificate, &pems.key, Some(&pems.authority), sizes);
    assert!(one(settings(&pems, &fake), create(widget("a", 1))).is_err());
    let mut settings = settings(&pems, &fake);
    settings.client_certificate = Some(pems.folder.path().join("tls.crt"));
    settings.client_key = Some(pems.folder.path().join("tls.key"));
    assert!(!one(settings, create(widget("a", 1))).unwrap().rejects());
}

#[test]
fn the_certificate_may_be_that_of_a_service_which_is_reached_elsewhere() {
    let pems = Certificates::of("hook.shop.svc");
    let fake = Fake::https(&pems.certificate, &pems.key, None, sizes);
    assert!(one(settings(&pems, &fake), create(widget("a", 1))).is_err());
    let url = "https://hook.shop.svc/x".to_owned();
    let settings = WebhookSettings { url, address: Some(fake.address), ..settings(&pems, &fake) };
    assert!(!one(settings, create(widget("a", 1))).unwrap().rejects());
}

#[test]
fn thousands_of_questions_a_second_are_possible() {
    let fake = Fake::http(sizes);
    let webhook = Webhook::new(WebhookSettings::new(fake.url("/"))).unwrap();
    let asked: Vec<Asked> = (0..256).map(|size| create(widget("a", size))).collect();
    put(&webhook, &asked);
    let started = Instant::now();
    for _ in 0..16 {
        put(&webhook, &asked);
    }
    let rate = 16.0 * 256.0 / started.elapsed().as_secs_f64();
    println!("{rate:.0} questions a second");
    // Far below what an optimised build does: 3,000 a second are wanted of that.
    assert!(rate > 100.0, "{rate:.0} questions a second");
}
