//! What a server cannot be asked, and old objects whose names or versions need care.

use super::tests::{Cluster, fields, one, put, shop, widget};
use crate::http::fake::{Asked, create, update};
use serde_json::json;

#[test]
fn what_no_server_can_be_asked_is_declined_and_no_failure_of_it() {
    let cluster = Cluster::new();
    let server = cluster.connect();
    let why = |asked: Asked| one(&server, asked).unwrap_err().declined_because();
    assert_eq!(why(update(widget(-1), widget(2))), Some("it does not store the old object"));
    let mut renamed = widget(2);
    renamed["metadata"]["name"] = json!("b");
    assert_eq!(why(update(widget(1), renamed)), Some("an update goes to the name and namespace of the old object"));
    let mut taken = shop(1);
    taken["metadata"]["name"] = json!("main");
    assert_eq!(why(create(taken)), Some("the name is taken"));
    assert_eq!(why(update(shop(1), shop(2))), Some("updates of kinds without namespaces are not asked"));
    let mut other = widget(2);
    other["metadata"]["uid"] = json!("another");
    assert_eq!(why(update(widget(1), other)), Some("the object is based on another one than is stored"));
    assert_eq!(why(create(widget(1001))), None, "a server that is down has failed");
}

#[test]
fn an_unusual_name_is_kept_and_the_next_old_object_waits_for_it() {
    let cluster = Cluster::new();
    let server = cluster.connect();
    let named = |size: i64| {
        let mut widget = widget(size);
        widget["metadata"]["name"] = json!("system:a.b");
        widget
    };
    let asked: Vec<Asked> = (1..9).map(|size| update(named(1), named(size))).collect();
    assert!(put(&server, &asked).into_iter().all(|answer| !answer.unwrap().rejects()));
    let now = cluster.now();
    let stored = now.writes.iter().filter(|(method, path)| method == "POST" && path.ends_with("/widgets")).count();
    let deleted = now.writes.iter().filter(|(method, path)| method == "DELETE" && path.ends_with("/system%3Aa.b"));
    assert_eq!((stored, deleted.count()), (8, 8));
}

#[test]
fn an_update_is_sent_again_when_a_controller_was_faster() {
    let cluster = Cluster::new();
    let server = cluster.connect();
    cluster.now().meddling = 2;
    assert!(!one(&server, update(widget(1), widget(2))).unwrap().rejects());
    cluster.now().meddling = 2;
    assert_eq!(fields(one(&server, update(widget(1), widget(-2)))), ["spec.size"]);
    assert_eq!(cluster.now().meddling, 0);
}
