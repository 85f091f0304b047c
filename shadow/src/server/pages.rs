//! The pages for operators: metrics, health, the live report, the evidence, the settings.

use super::keeper::Keeper;
use super::one::OneAtATime;
use crate::{export, openmetrics};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State as Shared};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use takeover_reports::Look;
use takeover_reports::run::{html, not_compared, table};

/// Columns of the report as text.
const WIDTH: usize = 160;

/// What pages are made of.
struct Pages {
    keeper: Arc<Keeper>,
    /// Metrics are made.
    metrics: OneAtATime,
    /// A report or evidence is made, which takes many times its own length for a moment.
    large: OneAtATime,
}

/// The routes of the pages.
pub(super) fn routes(keeper: Arc<Keeper>) -> Router {
    let pages = Arc::new(Pages { keeper, metrics: OneAtATime::default(), large: OneAtATime::default() });
    Router::new()
        .route("/", get(index))
        .route("/metrics", get(metrics))
        .route("/healthz", get(health))
        .route("/readyz", get(ready))
        .route("/report", get(report))
        .route("/evidence", get(evidence))
        .route("/config", get(config))
        .with_state(pages)
}

/// The text of the index page.
const INDEX: &str = "\
Takeover compares handwritten and declarative validation here.

/report     the live report; ?format=html, json or text
/evidence   everything that is known until now, for `takeover merge`
/metrics    for Prometheus
/config     settings and subjects
/healthz    whether the server works
/readyz     whether it takes requests
";

async fn index() -> &'static str {
    INDEX
}

async fn metrics(Shared(pages): Shared<Arc<Pages>>, headers: HeaderMap) -> Response {
    let open = openmetrics::is_wanted(accepted(&headers));
    let keeper = Arc::clone(&pages.keeper);
    let text = pages.metrics.run(move || {
        keeper.gather();
        let state = &keeper.state;
        state.meters.waiting(state.queue.len(), state.budget.taken());
        if open { state.meters.open_metrics() } else { state.meters.text() }
    });
    let content_type = if open { openmetrics::CONTENT_TYPE } else { "text/plain; version=0.0.4; charset=utf-8" };
    match text.await {
        Ok(Ok(text)) => ([(header::CONTENT_TYPE, content_type)], text).into_response(),
        Ok(Err(error)) => failed(&error.to_string()),
        Err(error) => error.into_response(),
    }
}

/// The Accept header; empty without one.
fn accepted(headers: &HeaderMap) -> &str {
    headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default()
}

async fn health(Shared(pages): Shared<Arc<Pages>>) -> Response {
    if pages.keeper.state.is_worn() {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many threads are lost to oracles that do not answer\n")
            .into_response();
    }
    "ok\n".into_response()
}

async fn ready(Shared(pages): Shared<Arc<Pages>>) -> Response {
    if pages.keeper.state.leaving.load(Ordering::Relaxed) {
        return (StatusCode::SERVICE_UNAVAILABLE, "about to end\n").into_response();
    }
    "ok\n".into_response()
}

/// The parameters of `/report`. A misspelt one is wrong usage, not nothing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    format: Option<String>,
}

async fn report(
    Shared(pages): Shared<Arc<Pages>>,
    query: Result<Query<Form>, QueryRejection>,
    headers: HeaderMap,
) -> Response {
    let Ok(Query(form)) = query else {
        return (StatusCode::BAD_REQUEST, "the only parameter is format: html, json or text\n").into_response();
    };
    let accepted = accepted(&headers);
    let by_header = if accepted.contains("text/html") {
        "html"
    } else if accepted.contains("application/json") {
        "json"
    } else {
        "text"
    };
    let form = form.format.unwrap_or_else(|| by_header.to_owned());
    if !["html", "json", "text"].contains(&form.as_str()) {
        return (StatusCode::BAD_REQUEST, "format is one of html, json, text\n").into_response();
    }
    let keeper = Arc::clone(&pages.keeper);
    let made = pages.large.run(move || {
        keeper.gather();
        let report = keeper.report();
        match form.as_str() {
            "json" => Json(report).into_response(),
            "html" => match html(&report) {
                Ok(page) => Html(page).into_response(),
                Err(error) => failed(&error.to_string()),
            },
            _ => (table(&report, Look::plain(WIDTH)) + &not_compared(&report)).into_response(),
        }
    });
    made.await.unwrap_or_else(IntoResponse::into_response)
}

/// Everything that is known until now, as `merge` takes it.
async fn evidence(Shared(pages): Shared<Arc<Pages>>) -> Response {
    let keeper = Arc::clone(&pages.keeper);
    let made = pages.large.run(move || {
        keeper.gather();
        keeper.look_at_api_server();
        keeper.ledger.note_lost(keeper.state.meters.lost());
        let (evidence, production) = keeper.ledger.copy();
        export::to_json(&keeper.state.plan.replica, &evidence, &production)
    });
    match made.await {
        Ok(Ok(text)) => ([(header::CONTENT_TYPE, "application/json")], text).into_response(),
        Ok(Err(error)) => failed(&error.to_string()),
        Err(error) => error.into_response(),
    }
}

async fn config(Shared(pages): Shared<Arc<Pages>>) -> Response {
    let keeper = &pages.keeper;
    let plan = &keeper.state.plan;
    let subjects: Vec<String> = plan.ids().iter().map(ToString::to_string).collect();
    Json(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "mode": plan.mode,
        "semantics": plan.semantics(),
        "authority": plan.authority,
        "replica": plan.replica,
        "apiServer": keeper.api_server(),
        "subjects": subjects,
        "settings": *keeper.state.live.get(),
    }))
    .into_response()
}

fn failed(why: &str) -> Response {
    (StatusCode::INTERNAL_SERVER_ERROR, format!("{why}\n")).into_response()
}
