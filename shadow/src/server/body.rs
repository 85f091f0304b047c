//! Taking a request's body in, as far as there is room for it.

use crate::intake::{BodyBudget, BodyRoom};
use crate::settings::Limits;
use axum::body::Body;
use http_body_util::BodyExt as _;
use std::sync::Arc;
use std::time::Duration;

/// How much of a body that cannot be kept is kept nevertheless: it holds what an answer needs.
const BEGINNING: usize = 16 << 10;

/// A body, or the beginning of one.
pub(crate) struct Taken {
    /// What was kept.
    pub(crate) bytes: Vec<u8>,
    /// The memory that it takes.
    pub(crate) room: BodyRoom,
    /// Whether that is all of it.
    pub(crate) is: Whole,
}

/// Whether a body was kept whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whole {
    Yes,
    /// It is longer than the limit.
    TooLarge,
    /// There are too many bodies in memory.
    NoRoom,
    /// It came too slowly, or broke off.
    CutOff,
}

/// Reads a body to its end, or until the time is up. What has no room is read past.
pub(crate) async fn take(body: Body, limits: &Limits, budget: &Arc<BodyBudget>) -> Taken {
    let mut taken = Taken { bytes: Vec::new(), room: BodyRoom::none(budget), is: Whole::Yes };
    let time = Duration::from_millis(limits.body_milliseconds);
    match tokio::time::timeout(time, read(body, limits.body_bytes, budget, &mut taken)).await {
        Ok(Ok(())) => {}
        Ok(Err(_)) | Err(_) => taken.keep_beginning(Whole::CutOff, budget),
    }
    // What waits takes no more memory than was counted for it.
    taken.bytes.shrink_to_fit();
    taken
}

async fn read(mut body: Body, most: usize, budget: &Arc<BodyBudget>, taken: &mut Taken) -> Result<(), axum::Error> {
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else { continue };
        if taken.is != Whole::Yes {
            continue;
        }
        if taken.bytes.len() + data.len() > most {
            taken.add_beginning(&data);
            taken.keep_beginning(Whole::TooLarge, budget);
        } else if taken.room.grow(data.len()) {
            taken.bytes.extend_from_slice(&data);
        } else {
            taken.add_beginning(&data);
            taken.keep_beginning(Whole::NoRoom, budget);
        }
    }
    Ok(())
}

impl Taken {
    fn add_beginning(&mut self, data: &[u8]) {
        let missing = BEGINNING.saturating_sub(self.bytes.len());
        self.bytes.extend_from_slice(data.get(..missing).unwrap_or(data));
    }

    /// Gives the room back. The beginning is small, and gone as soon as the answer is.
    fn keep_beginning(&mut self, is: Whole, budget: &Arc<BodyBudget>) {
        self.bytes.truncate(BEGINNING);
        self.bytes.shrink_to_fit();
        self.room = BodyRoom::none(budget);
        self.is = is;
    }
}
