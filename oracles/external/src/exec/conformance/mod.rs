//! Whether a program speaks the protocol.
