//! Live API servers, asked with dry runs.
