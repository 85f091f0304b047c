//! The certificate that a server gets in a cluster, which a program plays over HTTP.

use super::{Process, one_rc};
use assert_cmd::Command;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

const SECRET: &str = "/api/v1/namespaces/takeover/secrets/takeover-shadow-tls";
const MUTATING: &str = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/zz-takeover-shadow";
const VALIDATING: &str = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/takeover-shadow";

#[derive(Default)]
struct Stored {
    objects: BTreeMap<&'static str, Value>,
    /// Objects that may be read and not be changed.
    protected: Vec<&'static str>,
    replaced: Vec<String>,
}

/// A cluster with the Secret and the webhook configurations of the manifests.
struct Cluster {
    address: String,
    stored: Arc<Mutex<Stored>>,
}

impl Cluster {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let webhook = json!({"name": "shadow.takeover.dev", "clientConfig": {"service": {"name": "takeover-shadow"}}});
        let configuration = json!({"metadata": {"resourceVersion": "1"}, "webhooks": [webhook]});
        let stored = Arc::new(Mutex::new(Stored::default()));
        stored.lock().unwrap().objects.extend([
            (SECRET, json!({"metadata": {"resourceVersion": "1"}, "type": "Opaque"})),
            (MUTATING, configuration.clone()),
            (VALIDATING, configuration),
        ]);
        let served = Arc::clone(&stored);
        thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                let _ = answer(connection, &served);
            }
        });
        Self { address, stored }
    }

    fn object(&self, path: &str) -> Value {
        self.stored.lock().unwrap().objects[path].clone()
    }

    /// What is in the Secret under a name.
    fn secret(&self, name: &str) -> String {
        decoded(&self.object(SECRET)["data"][name])
    }

    fn replaced(&self) -> usize {
        self.stored.lock().unwrap().replaced.len()
    }

    fn run(&self, more: &[&str]) -> (Option<i32>, String, String) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("kubeconfig");
        let text = format!(
            "contexts: [{{name: play, context: {{cluster: c, user: u}}}}]\nclusters: [{{name: c, cluster: {{server: '{}'}}}}]\n\
             users: [{{name: u, user: {{}}}}]\n",
            self.address
        );
        fs::write(&file, text).unwrap();
        let output = Command::cargo_bin("takeover")
            .unwrap()
            .args(["shadow", "--certificate-secret", "takeover/takeover-shadow-tls", "--host", super::HOST])
            .args(["--context", "play", "--kubeconfig", &file.to_string_lossy()])
            .args(more)
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }
}

fn decoded(value: &Value) -> String {
    String::from_utf8(STANDARD.decode(value.as_str().unwrap()).unwrap()).unwrap()
}

fn answer(mut connection: TcpStream, stored: &Mutex<Stored>) -> std::io::Result<()> {
    let mut reader = BufReader::new(connection.try_clone()?);
    loop {
        let (mut head, mut length) = (String::new(), 0);
        if reader.read_line(&mut head)? == 0 {
            return Ok(());
        }
        let mut line = String::new();
        while reader.read_line(&mut line)? > 2 {
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            line.clear();
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let mut words = head.split(' ');
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let (code, said) = served(method, path, &body, &mut stored.lock().unwrap());
        let said = said.to_string();
        write!(connection, "HTTP/1.1 {code} x\r\nContent-Length: {}\r\n\r\n{said}", said.len())?;
    }
}

fn served(method: &str, path: &str, body: &[u8], stored: &mut Stored) -> (u16, Value) {
    let status = |code: u16, message: &str| (code, json!({"kind": "Status", "code": code, "message": message}));
    let Stored { objects, protected, replaced } = stored;
    let Some(object) = objects.get_mut(path) else { return status(404, "not found") };
    match method {
        "GET" => (200, object.clone()),
        "PUT" if protected.contains(&path) => status(403, "the account may not update it"),
        "PUT" => {
            let mut new: Value = serde_json::from_slice(body).unwrap();
            let version = &object["metadata"]["resourceVersion"];
            if new["metadata"]["resourceVersion"] != *version {
                return status(409, "the object has been modified");
            }
            let next = version.as_str().unwrap().parse::<u64>().unwrap() + 1;
            new["metadata"]["resourceVersion"] = next.to_string().into();
            *object = new.clone();
            replaced.push(path.to_owned());
            (200, new)
        }
        _ => status(405, "not done here"),
    }
}

#[test]
fn a_job_makes_a_certificate_that_the_server_serves_and_the_webhook_trusts_and_keeps_it() {
    let cluster = Cluster::start();
    for (trusted_by, path) in [("mutating/zz-takeover-shadow", MUTATING), ("validating/takeover-shadow", VALIDATING)] {
        cluster.stored.lock().unwrap().objects.get_mut(SECRET).unwrap()["data"] = Value::Null;
        let (code, said, errors) = cluster.run(&["--trusted-by", trusted_by]);
        assert_eq!(
            (code, said.as_str()),
            (Some(0), "the certificate in `takeover/takeover-shadow-tls` is made\n"),
            "{errors}"
        );
        let before = cluster.replaced();
        let (code, said, errors) = cluster.run(&["--trusted-by", trusted_by]);
        assert!(code == Some(0) && said.ends_with("is valid for long enough\n"), "{said}{errors}");
        assert_eq!(cluster.replaced(), before, "nothing changes");
        assert_eq!(cluster.object(SECRET)["type"], "Opaque", "the type of a Secret cannot be changed");

        let folder = tempfile::tempdir().unwrap();
        for name in ["tls.crt", "tls.key"] {
            fs::write(folder.path().join(name), cluster.secret(name)).unwrap();
        }
        let process = Process::start(folder.path(), &folder.path().join("evidence"), "one");
        let authority = decoded(&cluster.object(path)["webhooks"][0]["clientConfig"]["caBundle"]);
        assert_eq!(authority, cluster.secret("ca.crt"));
        assert_eq!(process.client(&authority).post("/mutate", one_rc("u")).unwrap().code, 200);
        assert_eq!(process.end(), 0);
    }
}

#[test]
fn rights_that_a_job_lacks_are_named_and_nothing_is_served_that_is_not_trusted() {
    let cluster = Cluster::start();
    cluster.stored.lock().unwrap().protected.push(MUTATING);
    let trusted_by = ["--trusted-by", "mutating/zz-takeover-shadow"];
    let (code, _, errors) = cluster.run(&trusted_by);
    assert_eq!(code, Some(2), "{errors}");
    assert!(errors.contains(MUTATING) && errors.contains("the account may not update it"), "{errors}");
    assert_eq!(cluster.object(SECRET)["data"], Value::Null, "an authority is trusted before its certificate is served");
    cluster.stored.lock().unwrap().objects.remove(SECRET);
    let (code, _, errors) = cluster.run(&trusted_by);
    assert!(code == Some(2) && errors.contains("there is no Secret `takeover/takeover-shadow-tls`"), "{errors}");
}
