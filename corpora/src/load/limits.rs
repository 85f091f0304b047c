//! How much of a hostile or broken input is taken in.

/// Bounds on one document. Inputs as a whole have none: they are read document by document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a document's text, after decompression. A longer document ends its file. Default 64 MiB.
    pub document_bytes: usize,
    /// Bytes of a JSON `List` of which no more is held at once: of a longer one every item is read as a document of its own, and bounded as
    /// one. Default 1 MiB.
    pub list_bytes: usize,
    /// Nested lists and maps. Default 120: what is loaded can be written within an envelope and read again by any JSON
    /// reader that stops at 128.
    pub depth: usize,
    /// Values in a document: texts, numbers, lists, maps. Default 4 million.
    pub values: usize,
    /// Values that YAML aliases may add to a document. Default 100,000.
    pub alias_values: usize,
    /// Bytes of text that YAML aliases may add to a document. Default 8 MiB.
    pub alias_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            document_bytes: 64 << 20,
            list_bytes: 1 << 20,
            depth: 120,
            values: 4_000_000,
            alias_values: 100_000,
            alias_bytes: 8 << 20,
        }
    }
}
