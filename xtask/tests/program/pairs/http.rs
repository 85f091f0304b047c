//! A server on loopback that answers requests with JSON.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

/// A request.
pub(crate) struct Request {
    pub(crate) method: String,
    /// Path and query.
    pub(crate) target: String,
    pub(crate) body: Vec<u8>,
    /// Whether it is the first of its connection.
    pub(crate) first: bool,
}

/// The code of a response, and its body; a text is sent as it is.
pub(crate) type Reply = (u16, Value);

/// Starts a server, which runs until the test program ends; `state` is what it knows. Returns its URL, without path.
pub(crate) fn serve<S: Send + Sync + 'static>(state: &Arc<S>, answer: fn(&S, &Request) -> Reply) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let state = Arc::clone(state);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let state = Arc::clone(&state);
            std::thread::spawn(move || converse(&stream, |request| answer(&state, request)));
        }
    });
    url
}

/// Answers the requests of a connection until it ends.
fn converse(stream: &TcpStream, answer: impl Fn(&Request) -> Reply) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let (mut reader, mut writer) = (BufReader::new(stream), stream);
    let mut first = true;
    loop {
        let begin = line(&mut reader)?;
        let mut words = begin.split_whitespace().map(str::to_owned);
        let (method, target) = (words.next()?, words.next()?);
        let mut length = 0;
        loop {
            let line = line(&mut reader)?.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(text) = line.strip_prefix("content-length:") {
                length = text.trim().parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let (code, reply) = answer(&Request { method, target, body, first });
        first = false;
        let reply = reply.as_str().map_or_else(|| reply.to_string(), str::to_owned);
        let head = format!("HTTP/1.1 {code} Said\r\nContent-Type: application/json\r\nContent-Length: {}", reply.len());
        writer.write_all(format!("{head}\r\n\r\n{reply}").as_bytes()).ok()?;
    }
}

/// The next line; none at the end.
fn line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    Some(line)
}
