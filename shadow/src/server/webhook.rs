//! The webhook: a review in, an answer out, the rest to the workers.

use super::body::{Taken, Whole, take};
use crate::admission::{API_VERSION, Answer, Envelope, KIND};
use crate::intake::{Arrival, Job};
use crate::metrics::{AnswerOutcome, RequestOutcome};
use crate::settings::operation;
use crate::state::State;
use axum::Router;
use axum::body::Body;
use axum::extract::State as Shared;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The routes of the webhook.
pub(super) fn routes(state: Arc<State>) -> Router {
    Router::new()
        .route("/mutate", post(|state: Shared<Arc<State>>, body: Body| review(state, body, Arrival::MutatingWebhook)))
        .route(
            "/validate",
            post(|state: Shared<Arc<State>>, body: Body| review(state, body, Arrival::ValidatingWebhook)),
        )
        .route("/audit", post(batch))
        .method_not_allowed_fallback(|state: Shared<Arc<State>>| nothing_here(state, StatusCode::METHOD_NOT_ALLOWED))
        .fallback(|state: Shared<Arc<State>>| nothing_here(state, StatusCode::NOT_FOUND))
        .with_state(state)
}

/// A webhook configuration may name another path, and the failure policy hide that.
async fn nothing_here(Shared(state): Shared<Arc<State>>, code: StatusCode) -> Response {
    state.meters.request(RequestOutcome::NotHere);
    (code, "reviews are posted to /mutate or /validate, batches of audit events to /audit\n").into_response()
}

async fn review(Shared(state): Shared<Arc<State>>, body: Body, arrival: Arrival) -> Response {
    let begin = Instant::now();
    let settings = state.live.get();
    let taken = take(body, &settings.limits, &state.budget).await;
    let envelope = Envelope::read(&taken.bytes);
    let Some(uid) = envelope.uid.as_deref() else {
        // No answer could be taken for one to this request, so the server's failure policy decides; nothing else is possible.
        let outcome = if taken.is == Whole::CutOff { RequestOutcome::CutOff } else { RequestOutcome::NoUid };
        state.meters.request(outcome);
        state.meters.answered(AnswerOutcome::Error, begin.elapsed());
        return (StatusCode::BAD_REQUEST, "the body has no request.uid to answer to\n").into_response();
    };
    let (outcome, wait) = hand_over(&state, &envelope, uid, (taken, arrival));
    state.meters.request(outcome);
    let (answer, answered) = match wait {
        None if state.plan.mode.waits() && is_lost(&state, &envelope, outcome) => {
            (Answer::ALLOWED, AnswerOutcome::Unjudged)
        }
        None => (Answer::ALLOWED, AnswerOutcome::Allowed),
        Some(wait) => {
            let time = Duration::from_millis(settings.limits.answer_milliseconds);
            match tokio::time::timeout(time, wait).await {
                Ok(Ok(answer)) if answer.refusal.is_some() => (answer, AnswerOutcome::Refused),
                Ok(Ok(answer)) => (answer, AnswerOutcome::Allowed),
                // Too slow, or given up.
                Ok(Err(_)) | Err(_) => (Answer::ALLOWED, AnswerOutcome::Unjudged),
            }
        }
    };
    let body = answer.body(&envelope, uid);
    state.meters.answered(answered, begin.elapsed());
    ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response()
}

/// A batch of audit events. It is always taken: an API server would send it again and hold up others meanwhile.
async fn batch(Shared(state): Shared<Arc<State>>, body: Body) -> StatusCode {
    let settings = state.live.get();
    let Taken { bytes, room, is } = take(body, &settings.limits, &state.budget).await;
    let outcome = match is {
        Whole::Yes => match state.events.push(Job { body: bytes, arrival: Arrival::AuditLog, room, reply: None }) {
            Ok(_) => RequestOutcome::Queued,
            Err(crate::intake::Full) => RequestOutcome::QueueFull,
        },
        Whole::TooLarge => RequestOutcome::TooLarge,
        Whole::NoRoom => RequestOutcome::NoRoom,
        Whole::CutOff => RequestOutcome::CutOff,
    };
    state.meters.batch(outcome);
    StatusCode::OK
}

/// Queues a review, if it is one to compare; where the answer depends on the judgement, returns what to wait for.
fn hand_over(
    state: &State,
    envelope: &Envelope,
    uid: &str,
    (taken, arrival): (Taken, Arrival),
) -> (RequestOutcome, Option<oneshot::Receiver<Answer>>) {
    let outcome = match taken.is {
        Whole::Yes => wanted(state, envelope, uid).err(),
        Whole::TooLarge => Some(RequestOutcome::TooLarge),
        Whole::NoRoom => Some(RequestOutcome::NoRoom),
        Whole::CutOff => Some(RequestOutcome::CutOff),
    };
    if let Some(outcome) = outcome {
        return (outcome, None);
    }
    let (reply, wait) = if state.plan.mode.waits() {
        let (reply, wait) = oneshot::channel();
        (Some(reply), Some(wait))
    } else {
        (None, None)
    };
    match state.queue.push(Job { body: taken.bytes, arrival, room: taken.room, reply }) {
        Ok(_) => (RequestOutcome::Queued, wait),
        Err(crate::intake::Full) => (RequestOutcome::QueueFull, None),
    }
}

/// Whether a review should have been judged and is not. What nobody wanted to be judged is not lost: a share or a switch says so.
fn is_lost(state: &State, envelope: &Envelope, outcome: RequestOutcome) -> bool {
    match outcome {
        RequestOutcome::QueueFull | RequestOutcome::TooLarge | RequestOutcome::NoRoom | RequestOutcome::CutOff => true,
        // By its oracles, that is.
        RequestOutcome::SwitchedOff => {
            envelope.subject().and_then(|id| state.plan.find(&id)).is_some_and(|subject| state.is_off(subject))
        }
        _ => false,
    }
}

fn wanted(state: &State, envelope: &Envelope, uid: &str) -> Result<(), RequestOutcome> {
    let named = (envelope.api_version.as_deref(), envelope.kind.as_deref());
    if named != (Some(API_VERSION), Some(KIND)) {
        return Err(RequestOutcome::OtherVersion);
    }
    if envelope.operation.as_deref().is_some_and(|name| operation(name).is_none()) {
        return Err(RequestOutcome::NoObject);
    }
    match envelope.subject() {
        Some(subject) => state.admits(&subject, uid),
        // A worker finds out what is wrong with it, and counts that.
        None => Ok(()),
    }
}
