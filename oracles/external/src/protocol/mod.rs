//! The messages of the oracle protocol, version 1: `docs/oracle-protocol.md` describes them.
//!
//! A message is one JSON object on one line. [`read_message`] reads what an oracle writes, and says what is wrong with it.

mod answer;
mod hello;
mod line;
mod message;
mod misfit;
mod question;

pub use answer::{Answer, Said, Unusable};
pub use hello::{AnswerDetail, Greeting, Hello, KindEntry};
pub use line::{LineError, MAX_LINE, excerpt};
pub(crate) use line::{Lines, TooLong};
pub use message::{Message, read_message};
pub(crate) use question::write_question;
pub use question::{Question, User};

/// Version of the protocol.
pub const VERSION: u64 = 1;
