//! A manifest whose name the first byte chooses.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| takeover_fuzz::manifest_loader(data));
