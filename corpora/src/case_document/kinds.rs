//! The kinds of our own documents, and the format of corpora.

use takeover_harness::format::Format;

/// Group of our own kinds.
const OWN_GROUP: &str = "takeover.dev";

/// Version of our own kinds.
pub(crate) const OWN_VERSION: &str = "takeover.dev/v1alpha1";

/// Kind of a case.
pub(crate) const OWN_KIND: &str = "Case";

/// The format of corpora.
pub const CORPUS_FORMAT: Format =
    Format { name: "corpus", major: 1, minor: 1, remedy: "import its inputs again with `corpus import`" };

/// Kind of the first line of a corpus.
pub(crate) const CORPUS_BEGIN: &str = "Corpus";

/// Kind of the last line of a corpus.
pub(crate) const CORPUS_END: &str = "CorpusEnd";

/// Whether a document of this kind of our own begins or ends a corpus.
pub(crate) fn is_mark(kind: &str) -> bool {
    kind == CORPUS_BEGIN || kind == CORPUS_END
}

/// Whether this is a version of our own kinds, but not the one that is read.
pub(crate) fn is_other_version(api_version: &str) -> bool {
    api_version != OWN_VERSION && api_version.split_once('/').is_some_and(|(group, _)| group == OWN_GROUP)
}
