//! Processes that speak the oracle protocol (`docs/oracle-protocol.md`).
