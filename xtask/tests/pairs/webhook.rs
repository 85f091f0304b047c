//! A webhook on loopback against a process.

use crate::lab::{Lab, has_python};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a webhook says of a Widget that it refuses.
#[derive(Clone, Copy)]
enum Says {
    /// A message, and a cause for each field.
    Causes,
    /// A message alone.
    Message,
}

/// How much was asked of a webhook.
#[derive(Default)]
struct Asked {
    connections: AtomicU64,
    requests: AtomicU64,
}

/// Starts a webhook that judges Widgets as `oracle.py` does, but for their colours. Returns where it listens.
fn webhook(says: Says) -> (String, Arc<Asked>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/validate", listener.local_addr().unwrap());
    let asked: Arc<Asked> = Arc::default();
    let counted = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            counted.connections.fetch_add(1, Ordering::Relaxed);
            let counted = Arc::clone(&counted);
            // The connection ends when the program does.
            std::thread::spawn(move || serve(&stream, says, &counted));
        }
    });
    (url, asked)
}

fn serve(stream: &TcpStream, says: Says, asked: &Asked) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let (mut reader, mut writer) = (BufReader::new(stream), stream);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(text) = line.strip_prefix("content-length:") {
                length = text.trim().parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        asked.requests.fetch_add(1, Ordering::Relaxed);
        let review: Value = serde_json::from_slice(&body).ok()?;
        let answer = reviewed(&review["request"], says).to_string();
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length:";
        writer.write_all(format!("{head} {}\r\n\r\n{answer}", answer.len()).as_bytes()).ok()?;
    }
}

/// The review with its response.
fn reviewed(request: &Value, says: Says) -> Value {
    let (new, old) = (&request["object"]["spec"], &request["oldObject"]);
    let mut causes = Vec::new();
    let mut refuse = |reason: &str, field: &str, message: &str| {
        causes.push(json!({"reason": reason, "field": field, "message": message}));
    };
    let owner = |spec: &Value| spec["owner"].as_str().unwrap_or_default().to_owned();
    if owner(new).is_empty() {
        refuse("FieldValueRequired", "spec.owner", "Required value");
    }
    let size = new["size"].as_i64().unwrap_or_default();
    if !(1..=1000).contains(&size) {
        let message = format!("Invalid value: {size}: must be between 1 and 1000, inclusive");
        refuse("FieldValueInvalid", "spec.size", &message);
    }
    if !old.is_null() && owner(&old["spec"]) != owner(new) {
        refuse("FieldValueInvalid", "spec.owner", "Invalid value: field is immutable");
    }
    let mut response = json!({"uid": request["uid"], "allowed": causes.is_empty()});
    if !causes.is_empty() {
        response["status"] = json!({"code": 422, "message": format!("refused: {} faults", causes.len())});
        if matches!(says, Says::Causes) {
            response["status"]["reason"] = "Invalid".into();
            response["status"]["details"] = json!({"causes": causes});
        }
    }
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response})
}

#[test]
fn a_webhook_with_causes_is_compared_by_field() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    let (url, asked) = webhook(Says::Causes);
    let ran = lab.soak(&format!("webhook {url}"), "exec python3 oracle.py", &["--cases", "512", "--out", "run"]);
    assert_eq!(ran.code, 1, "{}", ran.said());
    for finding in lab.findings("run") {
        let about = crate::lab::about(&finding);
        assert_eq!(about, ["extra", "FieldValueNotSupported", "spec.colour", "reports-more"].map(str::to_owned));
    }
    assert!(!lab.findings("run").is_empty());
    assert_eq!(lab.json("run/report.json")["semantics"], "by field");
    let (connections, requests) = (asked.connections.load(Ordering::Relaxed), asked.requests.load(Ordering::Relaxed));
    assert!(requests > 512 && connections <= 64, "{connections} connections for {requests} requests");
}

#[test]
fn a_webhook_with_messages_alone_is_compared_by_decision() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    let (url, _) = webhook(Says::Message);
    let ran = lab.soak(&format!("webhook {url}"), "exec python3 oracle.py", &["--cases", "512", "--out", "run"]);
    assert_eq!(ran.code, 1, "{}", ran.said());
    assert_eq!(lab.json("run/report.json")["semantics"], "by decision");
    for finding in lab.findings("run") {
        assert_eq!(finding["signature"]["direction"], "extra", "{finding}");
        let object = finding["minimal"]["object"].to_string();
        assert!(object.contains("colour"), "{object}");
    }
    assert!(!lab.findings("run").is_empty());
}
