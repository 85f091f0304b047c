//! A file of recorded verdicts.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| takeover_fuzz::fixture_reader(data));
