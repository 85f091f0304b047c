//! Tests of loading, through the public surface.

mod cases;
mod hostile;
mod inputs;
mod json;
mod lists;
mod memory;
mod recorded;
mod recordings;
mod yaml;

use super::{Document, Input, Limits, LoadError, load};

/// Everything that `text` under the file name `name` gives.
fn loaded(name: &str, text: impl AsRef<[u8]>) -> Vec<Result<Document, LoadError>> {
    load(vec![stream(name, text)], Limits::default()).collect()
}

fn stream(name: &str, text: impl AsRef<[u8]>) -> Input {
    Input::stream(name, std::io::Cursor::new(text.as_ref().to_vec()))
}

/// Names of the documents and messages of the errors, in their order.
fn summary(items: &[Result<Document, LoadError>]) -> Vec<String> {
    items
        .iter()
        .map(|item| match item {
            Ok(document) => format!(
                "{} {} at {}",
                document.kind,
                document.value["metadata"]["name"].as_str().unwrap_or("-"),
                document.provenance
            ),
            Err(error) => error.to_string(),
        })
        .collect()
}
