//! Any bytes as a tag line.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| takeover_fuzz::tag_parser(data));
