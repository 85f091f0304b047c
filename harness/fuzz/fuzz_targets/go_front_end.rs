//! Any bytes as a Go file.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| takeover_fuzz::go_front_end(data));
