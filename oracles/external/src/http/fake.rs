//! HTTP/1.1 servers of a test, with kept connections, and questions to ask.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use takeover_harness::case::{Operation, Options};
use takeover_harness::object::{Arena, Json, Node};
use takeover_harness::oracle::{Answer, BatchQuestion, Objects, OracleFailure, Question, View};
use takeover_harness::schema::{Kind, Schema};

/// A request that came in.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// `POST`.
    pub(crate) method: String,
    /// Path with query.
    pub(crate) target: String,
    /// Header lines, names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// Body.
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// A header; empty when there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }
}

/// What is sent back.
pub(crate) struct Response {
    /// HTTP code.
    pub(crate) code: u16,
    /// Lines of headers, each with its end.
    pub(crate) headers: &'static str,
    /// Body.
    pub(crate) body: Vec<u8>,
}

impl Response {
    /// JSON.
    pub(crate) fn json(code: u16, body: &Value) -> Self {
        Self { code, headers: "content-type: application/json\r\n", body: body.to_string().into_bytes() }
    }

    /// Anything else.
    pub(crate) fn raw(code: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { code, headers: "", body: body.into() }
    }
}

/// Answers requests.
type Handle = Arc<dyn Fn(&Request) -> Option<Response> + Send + Sync>;

/// A server that runs to the end of the test.
pub(crate) struct Fake {
    /// Where it listens.
    pub(crate) address: SocketAddr,
    connections: Arc<AtomicUsize>,
}

impl Fake {
    /// Answers HTTP; no answer closes the connection.
    pub(crate) fn http(handle: impl Fn(&Request) -> Option<Response> + Send + Sync + 'static) -> Self {
        Self::start(None, Arc::new(handle))
    }

    /// Answers HTTPS with this certificate and key, to clients whose certificate is of `clients` if that is given.
    pub(crate) fn https(
        certificate: &str,
        key: &str,
        clients: Option<&str>,
        handle: impl Fn(&Request) -> Option<Response> + Send + Sync + 'static,
    ) -> Self {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder =
            ServerConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions().unwrap();
        let builder = match clients {
            None => builder.with_no_client_auth(),
            Some(authority) => {
                let mut roots = RootCertStore::empty();
                roots.add(CertificateDer::from_pem_slice(authority.as_bytes()).unwrap()).unwrap();
                builder.with_client_cert_verifier(
                    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap(),
                )
            }
        };
        let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()];
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
        let config = builder.with_single_cert(chain, key).unwrap();
        Self::start(Some(Arc::new(config)), Arc::new(handle))
    }

    fn start(tls: Option<Arc<ServerConfig>>, handle: Handle) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                counted.fetch_add(1, Ordering::Relaxed);
                stream.set_nodelay(true).unwrap();
                let (tls, handle) = (tls.clone(), Arc::clone(&handle));
                thread::spawn(move || match tls {
                    None => serve(Plain(stream), handle.as_ref()),
                    Some(config) => {
                        let session = ServerConnection::new(config).unwrap();
                        serve(StreamOwned::new(session, stream), handle.as_ref());
                    }
                });
            }
        });
        Self { address, connections }
    }

    /// How many connections were made.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    /// A URL of this server.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

/// An authority, and PEM files of a certificate that it gave out: `ca.pem`, `tls.crt`, `tls.key`.
pub(crate) struct Certificates {
    /// Where the files are.
    pub(crate) folder: tempfile::TempDir,
    /// The authority.
    pub(crate) authority: String,
    /// The certificate.
    pub(crate) certificate: String,
    /// Its key.
    pub(crate) key: String,
}

impl Certificates {
    /// A certificate of this host.
    pub(crate) fn of(host: &str) -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(vec![host.to_owned()]).unwrap();
        let certificate = certificate.signed_by(&key, &authority).unwrap().pem();
        let folder = tempfile::tempdir().unwrap();
        let it = Self { authority: authority.pem(), certificate, key: key.serialize_pem(), folder };
        for (name, text) in [("ca.pem", &it.authority), ("tls.crt", &it.certificate), ("tls.key", &it.key)] {
            std::fs::write(it.folder.path().join(name), text).unwrap();
        }
        it
    }
}

struct Plain(TcpStream);

impl Read for Plain {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for Plain {
    fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
        self.0.write(buffer)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

/// Answers the requests of a connection until either side closes it.
fn serve(stream: impl Read + Write, handle: &dyn Fn(&Request) -> Option<Response>) {
    let mut stream = BufReader::new(stream);
    while let Some(request) = read(&mut stream) {
        let Some(Response { code, headers, mut body }) = handle(&request) else { return };
        let mut out = format!("HTTP/1.1 {code} Said\r\n{headers}content-length: {}\r\n\r\n", body.len()).into_bytes();
        out.append(&mut body);
        if stream.get_mut().write_all(&out).and_then(|()| stream.get_mut().flush()).is_err() {
            return;
        }
    }
}

fn read(stream: &mut impl BufRead) -> Option<Request> {
    let mut line = String::new();
    stream.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).ok()?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => headers.push((name.to_lowercase(), value.trim().to_owned())),
            None => break,
        }
    }
    let mut request = Request { method, target, headers, body: Vec::new() };
    let length = request.header("content-length").parse().unwrap_or(0);
    request.body.resize(length, 0);
    stream.read_exact(&mut request.body).ok()?;
    Some(request)
}

/// Something to ask about.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// The object.
    pub(crate) object: Value,
    /// The stored object, on updates.
    pub(crate) old: Option<Value>,
    /// Subresource.
    pub(crate) subresource: &'static str,
}

/// A create.
pub(crate) fn create(object: Value) -> Asked {
    Asked { object, old: None, subresource: "" }
}

/// An update.
pub(crate) fn update(old: Value, object: Value) -> Asked {
    Asked { object, old: Some(old), subresource: "" }
}

/// JSON of no known type in an arena.
fn json<'a>(value: &Value, arena: &'a Arena) -> Json<'a> {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Number(number) => number.as_i64().map_or(Json::Null, Json::Int),
        Value::String(text) => Json::Text(arena.alloc_str(text)),
        Value::Array(items) => {
            Json::Array(arena.alloc_slice_fill_iter(items.iter().map(|item| json(item, arena)).collect::<Vec<_>>()))
        }
        Value::Object(members) => {
            let members: Vec<_> =
                members.iter().map(|(name, value)| (&*arena.alloc_str(name), json(value, arena))).collect();
            Json::Object(arena.alloc_slice_fill_iter(members))
        }
    }
}

/// Asks everything in one batch with `ask_all`; every question with the answer it gets.
pub(crate) fn ask(
    asked: &[Asked],
    ask_all: impl FnOnce(&[BatchQuestion<'_>], &mut dyn FnMut(usize, Result<Answer, OracleFailure>)),
) -> Vec<Result<Answer, OracleFailure>> {
    let mut schema = Schema::new();
    let root = schema.add("test.Object", Kind::Any);
    schema.link();
    let (arena, options, view) = (Arena::new(), Options::new(), View::none());
    let raw = |value: &Value| Node::Raw(arena.alloc(json(value, &arena)));
    let questions: Vec<Question<'_>> = asked
        .iter()
        .map(|asked| Question {
            operation: if asked.old.is_some() { Operation::Update } else { Operation::Create },
            objects: Objects {
                schema: &schema,
                root,
                new: raw(&asked.object),
                old: asked.old.as_ref().map(raw),
                sent: None,
            },
            options: &options,
            subresource: asked.subresource,
        })
        .collect();
    let batch: Vec<BatchQuestion<'_>> =
        questions.iter().map(|question| BatchQuestion { question, view: &view }).collect();
    let mut answers: Vec<Option<Result<Answer, OracleFailure>>> = asked.iter().map(|_| None).collect();
    ask_all(&batch, &mut |number, answer| {
        assert!(answers[number].replace(answer).is_none(), "{number} answered twice")
    });
    answers.into_iter().map(|answer| answer.expect("an answer")).collect()
}
