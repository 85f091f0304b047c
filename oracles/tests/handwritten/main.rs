//! What the handwritten references say of objects that recorded verdicts show too rarely.

#![expect(clippy::expect_used, reason = "helpers of tests fail as tests do")]

mod node;
mod rbac;
mod storage;
mod support;
