//! Probes of containers, and what runs at the start and end of their life.

use crate::ports::{port_name, port_number};
use crate::report::{Covered, non_negative, not_supported, text};
use crate::types::IntOrString;
use crate::types::core::v1::{
    Container, ExecAction, GRPCAction, HTTPGetAction, Lifecycle, LifecycleHandler, PodSpec, Probe, SleepAction,
    TCPSocketAction,
};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Signals that stop a container on Linux, besides those that are counted from `SIGRTMIN` and `SIGRTMAX`.
const BEFORE_REALTIME: [&str; 18] = [
    "SIGABRT", "SIGALRM", "SIGBUS", "SIGCHLD", "SIGCLD", "SIGCONT", "SIGFPE", "SIGHUP", "SIGILL", "SIGINT", "SIGIO",
    "SIGIOT", "SIGKILL", "SIGPIPE", "SIGPOLL", "SIGPROF", "SIGPWR", "SIGQUIT",
];
const AFTER_REALTIME: [&str; 16] = [
    "SIGSEGV",
    "SIGSTKFLT",
    "SIGSTOP",
    "SIGSYS",
    "SIGTERM",
    "SIGTRAP",
    "SIGTSTP",
    "SIGTTIN",
    "SIGTTOU",
    "SIGURG",
    "SIGUSR1",
    "SIGUSR2",
    "SIGVTALRM",
    "SIGWINCH",
    "SIGXCPU",
    "SIGXFSZ",
];

/// What a probe or hook does; at most one is set.
struct Handler<'a> {
    exec: Option<&'a ExecAction<'a>>,
    http_get: Option<&'a HTTPGetAction<'a>>,
    tcp_socket: Option<&'a TCPSocketAction<'a>>,
    grpc: Option<&'a GRPCAction<'a>>,
    sleep: Option<&'a SleepAction>,
}

/// Checks the three probes of a container at `path`.
pub(super) fn validate_probes(container: &Container, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(probe) = container.liveness_probe {
        let at = path.child("livenessProbe");
        validate_probe(probe, &at, errors);
        validate_one_success(probe, &at, errors);
    }
    if let Some(probe) = container.readiness_probe {
        let at = path.child("readinessProbe");
        validate_probe(probe, &at, errors);
        if let Some(seconds) = probe.termination_grace_period_seconds {
            let at = at.child("terminationGracePeriodSeconds");
            errors.push(FieldError::invalid(&at, seconds, "must not be set for readinessProbes"));
        }
    }
    if let Some(probe) = container.startup_probe {
        let at = path.child("startupProbe");
        validate_probe(probe, &at, errors);
        validate_one_success(probe, &at, errors);
    }
}

fn validate_one_success(probe: &Probe, path: &Path<'_>, errors: &mut ErrorList) {
    let successes = probe.success_threshold.unwrap_or(0);
    if successes != 1 {
        errors.push(FieldError::invalid(&path.child("successThreshold"), successes, "must be 1"));
    }
}

fn validate_probe(probe: &Probe, path: &Path<'_>, errors: &mut ErrorList) {
    let handler = Handler {
        exec: probe.exec,
        http_get: probe.http_get,
        tcp_socket: probe.tcp_socket,
        grpc: probe.grpc,
        sleep: None,
    };
    validate_handler(&handler, None, path, errors);
    for (member, number) in [
        ("initialDelaySeconds", probe.initial_delay_seconds),
        ("timeoutSeconds", probe.timeout_seconds),
        ("periodSeconds", probe.period_seconds),
        ("successThreshold", probe.success_threshold),
        ("failureThreshold", probe.failure_threshold),
    ] {
        non_negative(number.unwrap_or(0).into(), &path.child(member), Covered::No, errors);
    }
    if let Some(seconds) = probe.termination_grace_period_seconds.filter(|seconds| *seconds <= 0) {
        let at = path.child("terminationGracePeriodSeconds");
        errors.push(FieldError::invalid(&at, seconds, "must be greater than 0"));
    }
}

/// Checks the hooks of a container and the signal that stops it.
pub(super) fn validate_lifecycle(lifecycle: &Lifecycle, spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    for (member, hook) in [("postStart", lifecycle.post_start), ("preStop", lifecycle.pre_stop)] {
        if let Some(&LifecycleHandler { exec, http_get, sleep, tcp_socket }) = hook {
            let handler = Handler { exec, http_get, tcp_socket, grpc: None, sleep };
            validate_handler(&handler, spec.termination_grace_period_seconds, &path.child(member), errors);
        }
    }
    if let Some(signal) = lifecycle.stop_signal {
        validate_stop_signal(signal, spec, &path.child("stopSignal"), errors);
    }
}

fn validate_stop_signal(signal: &str, spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(os) = spec.os else {
        let detail = "may not be set for containers with empty `spec.os.name`";
        errors.push(FieldError::forbidden(path, detail));
        return;
    };
    match os.name {
        "windows" if !matches!(signal, "SIGKILL" | "SIGTERM") => {
            errors.push(not_supported(path, signal, &["SIGKILL", "SIGTERM"]));
        }
        "linux" => {
            let signals = linux_signals();
            if !signals.iter().any(|known| known == signal) {
                let signals: Vec<&str> = signals.iter().map(String::as_str).collect();
                errors.push(not_supported(path, signal, &signals));
            }
        }
        _ => {}
    }
}

/// All signals that stop a container on Linux, sorted.
fn linux_signals() -> Vec<String> {
    let plain = BEFORE_REALTIME.iter().chain(&AFTER_REALTIME).map(|signal| (*signal).to_owned());
    let ends = ["SIGRTMIN", "SIGRTMAX"].map(str::to_owned);
    let from_start = (1..=15).map(|steps| format!("SIGRTMIN+{steps}"));
    let from_end = (1..=14).map(|steps| format!("SIGRTMAX-{steps}"));
    let mut signals: Vec<String> = plain.chain(ends).chain(from_start).chain(from_end).collect();
    signals.sort();
    signals
}

/// Checks the one thing that a probe or hook does; `grace` is the time that a pod gets to end.
fn validate_handler(handler: &Handler<'_>, grace: Option<i64>, path: &Path<'_>, errors: &mut ErrorList) {
    let mut handlers = 0;
    let mut is_first = |member, errors: &mut ErrorList| {
        handlers += 1;
        if handlers > 1 {
            errors.push(FieldError::forbidden(&path.child(member), "may not specify more than 1 handler type"));
        }
        handlers == 1
    };
    if let Some(action) = handler.exec.filter(|_| is_first("exec", errors))
        && action.command.is_none_or(<[_]>::is_empty)
    {
        errors.push(FieldError::required(&path.child("exec").child("command"), ""));
    }
    if let Some(action) = handler.http_get.filter(|_| is_first("httpGet", errors)) {
        validate_http_get(action, &path.child("httpGet"), errors);
    }
    if let Some(action) = handler.tcp_socket.filter(|_| is_first("tcpSocket", errors)) {
        validate_port(&action.port, &path.child("tcpSocket").child("port"), errors);
    }
    if let Some(action) = handler.grpc.filter(|_| is_first("grpc", errors)) {
        validate_port(&IntOrString::Int(action.port), &path.child("grpc").child("port"), errors);
    }
    if let Some(action) = handler.sleep.filter(|_| is_first("sleep", errors))
        && let Some(grace) = grace.filter(|grace| action.seconds < 0 || action.seconds > *grace)
    {
        let detail = format!("must be non-negative and less than terminationGracePeriodSeconds ({grace})");
        errors.push(FieldError::invalid(&path.child("sleep"), action.seconds, detail));
    }
    if handlers == 0 {
        errors.push(FieldError::required(path, "must specify a handler type"));
    }
}

fn validate_http_get(action: &HTTPGetAction, path: &Path<'_>, errors: &mut ErrorList) {
    if text(action.path).is_empty() {
        errors.push(FieldError::required(&path.child("path"), ""));
    }
    validate_port(&action.port, &path.child("port"), errors);
    let scheme = text(action.scheme);
    if !matches!(scheme, "HTTP" | "HTTPS") {
        errors.push(not_supported(&path.child("scheme"), scheme, &["HTTP", "HTTPS"]));
    }
    for header in action.http_headers.into_iter().flatten() {
        let known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if header.name.is_empty() || !header.name.bytes().all(known) {
            let detail = "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', \
                          regex used for validation is '[-A-Za-z0-9]+')";
            errors.push(FieldError::invalid(&path.child("httpHeaders"), header.name, detail));
        }
    }
}

fn validate_port(port: &IntOrString, path: &Path<'_>, errors: &mut ErrorList) {
    match port {
        IntOrString::Int(number) => {
            if let Some(problem) = port_number(*number) {
                errors.push(FieldError::invalid(path, *number, problem));
            }
        }
        IntOrString::String(name) => {
            for problem in port_name(name) {
                errors.push(FieldError::invalid(path, *name, problem));
            }
        }
    }
}
