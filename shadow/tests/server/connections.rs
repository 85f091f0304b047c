//! Connections: how long each may take, and how many there may be.

use crate::faults::request;
use crate::running::{PATIENCE, Running};
use crate::things::{allowed, review};
use std::time::Duration;
use takeover_shadow::load::{Connection, stream};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

/// A connection to a server that may be so busy that it gives up a few of them before they are open; how many it gave up.
fn opened(running: &Running) -> (TlsStream<TcpStream>, u64) {
    running.client.block_on(async {
        let mut given_up = 0;
        loop {
            match stream(running.server.webhook().unwrap(), &running.tls).await {
                Ok(stream) => return (stream, given_up),
                Err(error) => {
                    given_up += 1;
                    assert!(given_up < 1000, "{error}");
                }
            }
        }
    })
}

#[test]
fn connections_that_send_nothing_are_closed_and_others_are_served_meanwhile() {
    let running = Running::start(|setup| setup.settings.limits.head_milliseconds = 300);
    let slow: Vec<_> = (0..20)
        .map(|_| {
            let (mut stream, _) = opened(&running);
            // The server may have closed it by now.
            let _ = running.client.block_on(stream.write_all(b"POST /validate HTTP/1.1\r\nHost: lo"));
            stream
        })
        .collect();
    assert_eq!(running.review(&review("meanwhile", 1)), allowed("meanwhile"));
    running.client.block_on(async {
        for mut stream in slow {
            let mut rest = Vec::new();
            // Closed by the server, politely or not; what it says first is an HTTP error at most.
            let _ = stream.read_to_end(&mut rest).await;
            assert!(!String::from_utf8_lossy(&rest).contains("200"), "{rest:?}");
        }
    });
    running.until("they are gone", |running| running.metric("takeover_shadow_connections") == 0);
    assert!(running.metric("takeover_shadow_connections_broken_total") >= 20);
    running.settle(1);
    running.end();
}

#[test]
fn kept_connections_may_be_idle_for_longer_than_a_head_takes() {
    let running = Running::start(|setup| setup.settings.limits.head_milliseconds = 1000);
    let (mut stream, _) = opened(&running);
    let post = |uid: &str| {
        let body = review(uid, 1).to_string();
        request(&body, body.len())
    };
    running.client.block_on(async {
        for uid in ["first", "second"] {
            stream.write_all(&post(uid)).await.unwrap();
            let mut got = vec![0; 4096];
            let read = stream.read(&mut got).await.unwrap();
            assert!(got[..read].starts_with(b"HTTP/1.1 200 "), "{uid}");
            tokio::time::sleep(Duration::from_millis(2500)).await;
        }
        // What begins has to go on.
        stream.write_all(b"POST /validate HTTP/1.1\r\nHost: lo").await.unwrap();
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest).await;
        assert!(!String::from_utf8_lossy(&rest).contains("200"), "{rest:?}");
    });
    running.settle(2);
    running.end();
}

#[test]
fn clients_that_take_no_answers_are_let_go() {
    let running = Running::start(|setup| setup.settings.limits.head_milliseconds = 300);
    // Answers are longer than requests are: what is on its way to this client grows until no system keeps more of it.
    let uid = "u".repeat(500);
    let body = format!("{{\"request\":{{\"uid\":\"{uid}\",\"operation\":\"DELETE\"}}}}");
    let request = request(&body, body.len());
    let (mut stream, given_up) = opened(&running);
    running.client.block_on(async {
        let endless = async { while stream.write_all(&request).await.is_ok() {} };
        tokio::time::timeout(PATIENCE, endless).await.expect("the connection is never closed");
    });
    running.until("it is gone", |running| running.metric("takeover_shadow_connections") == 0);
    assert_eq!(running.metric("takeover_shadow_connections_broken_total"), 1 + given_up);
    running.end();
}

#[test]
fn idle_connections_beyond_the_limit_make_room_for_others() {
    let running = Running::start(|setup| setup.settings.limits.connections = 4);
    let (mut kept, _) = opened(&running);
    let body = review("kept", 1).to_string();
    let idle = running.client.block_on(async {
        kept.write_all(&request(&body, body.len())).await.unwrap();
        assert!(kept.read(&mut [0; 4096]).await.unwrap() > 0);
        let mut idle = Vec::new();
        for _ in 0..50 {
            idle.push(TcpStream::connect(running.server.webhook().unwrap()).await.unwrap());
        }
        idle
    });
    let begin = std::time::Instant::now();
    assert_eq!(running.review(&review("next", 1)), allowed("next"));
    assert!(begin.elapsed() < Duration::from_secs(5), "nobody waits for idle connections: {:?}", begin.elapsed());
    assert!(running.metric("takeover_shadow_connections_made_room_total") > 45);
    assert_eq!(running.metric("takeover_shadow_connections_refused_total"), 0);
    running.client.block_on(async {
        let body = review("again", 1).to_string();
        kept.write_all(&request(&body, body.len())).await.unwrap();
        assert!(kept.read(&mut [0; 4096]).await.unwrap() > 0, "a connection that was used before is kept");
    });
    drop(idle);
    running.settle(3);
    running.end();
}

#[test]
fn connections_beyond_the_limit_are_closed_and_counted_while_all_others_are_answered() {
    let running = Running::start(|setup| setup.settings.limits.connections = 1);
    let (mut first, _) = opened(&running);
    let body = review("first", 1).to_string();
    running.client.block_on(async {
        let head = request(&body, body.len());
        // All but the last byte: the answer waits for it.
        let (most, last) = head.split_at(head.len() - 1);
        first.write_all(most).await.unwrap();
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert!(Connection::open(running.server.webhook().unwrap(), &running.tls).await.is_err());
        first.write_all(last).await.unwrap();
        assert!(first.read(&mut [0; 4096]).await.unwrap() > 0);
    });
    assert_eq!(running.metric("takeover_shadow_connections_refused_total"), 1);
    running.settle(1);
    running.end();
}
