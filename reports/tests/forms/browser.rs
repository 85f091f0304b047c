//! Chromium without a window, spoken to through its debugging pipe.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tempfile::TempDir;

/// Names of another Chromium.
const NAMED: &str = "TAKEOVER_CHROMIUM";

/// Set where the tests must not be skipped.
const REQUIRED: &str = "TAKEOVER_REQUIRE_CHROMIUM";

/// How long it may take for one answer; only a browser that hangs needs it.
const PATIENCE: Duration = Duration::from_secs(120);

/// The Chromium of this machine; without one, says that the test is skipped, and fails where that is not allowed.
pub(crate) fn chromium() -> Option<PathBuf> {
    let named = std::env::var_os(NAMED).map(PathBuf::from);
    let usual =
        ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/opt/google/chrome/chrome"];
    let found = named.or_else(|| usual.iter().map(PathBuf::from).find(|place| place.is_file()));
    assert!(
        found.is_some() || std::env::var_os(REQUIRED).is_none(),
        "there is no Chromium, and {REQUIRED} asks for one; {NAMED} names it"
    );
    if let Some(place) = &found {
        assert!(place.is_file(), "{NAMED} names `{}`, which is no file", place.display());
    } else {
        // Past the capture of the test's output: a test that did nothing says so.
        let _ =
            writeln!(std::io::stderr(), "SKIPPED: no Chromium found; {NAMED} names one, {REQUIRED} makes this fail");
    }
    found
}

/// A page that is open.
pub(crate) struct Page {
    browser: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    session: String,
    sent: u64,
    /// What the page complained about: errors on the console, exceptions, violations of its policy.
    pub(crate) complaints: Vec<String>,
    /// What it asked for.
    pub(crate) requests: Vec<String>,
    _profile: TempDir,
}

impl Page {
    /// Opens `file`, with this behind its address, and waits until it is loaded.
    pub(crate) fn open(chromium: &Path, file: &Path, fragment: &str) -> Self {
        let profile = tempfile::tempdir().unwrap();
        // The browser reads its commands from the third descriptor, and answers on the fourth.
        let mut browser = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1"])
            .arg(chromium)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe"])
            .args(["--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=1200,900"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let to = browser.stdin.take().unwrap();
        let mut answers = BufReader::new(browser.stdout.take().unwrap());
        let (put, from) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while answers.read_until(0, &mut message).is_ok_and(|read| read > 0) {
                message.pop();
                let Ok(answer) = serde_json::from_slice(&message) else { break };
                if put.send(answer).is_err() {
                    break;
                }
                message.clear();
            }
        });
        let mut page = Self {
            browser,
            to,
            from,
            session: String::new(),
            sent: 0,
            complaints: Vec::new(),
            requests: Vec::new(),
            _profile: profile,
        };
        let target = page.ask("Target.createTarget", json!({"url": "about:blank"}));
        let attached = page.ask("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}));
        page.session = attached["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            page.ask(&format!("{domain}.enable"), json!({}));
        }
        page.ask("Page.navigate", json!({"url": format!("file://{}{fragment}", file.display())}));
        page.until("document.readyState === 'complete' && location.protocol === 'file:'");
        page
    }

    /// Sends a command and waits for its answer; what else the page has to say is noted.
    fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.sent += 1;
        let mut message = json!({"id": self.sent, "method": method, "params": parameters});
        if !self.session.is_empty() {
            message["sessionId"] = self.session.clone().into();
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        self.to.flush().unwrap();
        loop {
            let answer = self.from.recv_timeout(PATIENCE).expect("the browser answers");
            if answer["id"] == self.sent {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.note(&answer);
        }
    }

    fn note(&mut self, event: &Value) {
        let parameters = &event["params"];
        match event["method"].as_str().unwrap_or_default() {
            "Network.requestWillBeSent" => {
                self.requests.push(parameters["request"]["url"].as_str().unwrap().chars().take(200).collect());
            }
            "Runtime.exceptionThrown" => self.complaints.push(parameters["exceptionDetails"].to_string()),
            "Runtime.consoleAPICalled" => self.complaints.push(parameters["args"].to_string()),
            "Log.entryAdded" => self.complaints.push(parameters["entry"].to_string()),
            "Page.javascriptDialogOpening" => self.complaints.push(parameters["message"].to_string()),
            _ => {}
        }
    }

    /// The value of a JavaScript expression.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let result = self.ask("Runtime.evaluate", json!({"expression": expression, "returnByValue": true}));
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub(crate) fn until(&mut self, expression: &str) {
        let ticks = PATIENCE.as_millis() / 50;
        for _ in 0..ticks {
            if self.value(expression) == true {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        unreachable!("`{expression}` never became true: {}", self.value("document.body.innerText.slice(0, 500)"));
    }

    /// Presses a key and lets go of it.
    pub(crate) fn press(&mut self, key: &str) {
        let text = if key.chars().count() == 1 { key } else { "" };
        let code = match key {
            " " => 32,
            "Tab" => 9,
            "Escape" => 27,
            _ => 0,
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({"type": kind, "key": key, "windowsVirtualKeyCode": code});
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = text.into();
            }
            self.ask("Input.dispatchKeyEvent", event);
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.browser.kill();
        let _ = self.browser.wait();
    }
}
