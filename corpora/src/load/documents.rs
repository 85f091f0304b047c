//! The stream of documents over all inputs.

use super::cases::{Cases, cases};
use super::error::{Fault, LoadError, Reason};
use super::input::{Format, Input, Source, Sources};
use super::json;
use super::limits::Limits;
use super::open::Plain;
use super::unpack::{self, Parsed};
use super::yaml;
use serde_json::Value;
use std::collections::VecDeque;
use takeover_harness::case::Provenance;

/// An object as loaded, not yet known to be valid or of a known kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// File, number of the object in the file (lists unpacked) and line; always [`Provenance::File`].
    pub provenance: Provenance,
    /// The object.
    pub value: Value,
    /// Its `apiVersion`; not empty.
    pub api_version: String,
    /// Its `kind`; not empty.
    pub kind: String,
}

/// Reads `inputs` one document at a time, in the given order; files of a folder in the order of their names.
///
/// Errors do not end the iteration: after a broken document comes the next one whose beginning is certain, after a broken
/// file the next file. When no input held any document and nothing was wrong, the last item is an error with
/// [`Reason::NothingFound`].
///
/// ```
/// use takeover_corpora::load::{Input, Limits, load};
///
/// let text = "apiVersion: v1\nkind: Service\n---\nbroken: [\n---\napiVersion: v1\nkind: Pod\n";
/// let loaded: Vec<_> = load(vec![Input::stream("some.yaml", text.as_bytes())], Limits::default()).collect();
/// assert_eq!(loaded.len(), 3);
/// assert_eq!(loaded[1].as_ref().unwrap_err().path(), "some.yaml");
/// assert_eq!(loaded[2].as_ref().unwrap().kind, "Pod");
/// ```
#[must_use]
pub fn load(inputs: Vec<Input>, limits: Limits) -> Documents {
    Documents {
        names: inputs.iter().map(ToString::to_string).collect(),
        sources: Sources::new(inputs),
        limits,
        open: None,
        ready: VecDeque::new(),
        anything: false,
    }
}

/// Iterator over the documents of inputs; made by [`load`].
pub struct Documents {
    names: Vec<String>,
    sources: Sources,
    limits: Limits,
    open: Option<OpenFile>,
    ready: VecDeque<Result<Document, LoadError>>,
    /// Whether a document or an error was given out.
    anything: bool,
}

struct OpenFile {
    name: String,
    /// Number of the last object given out.
    document: u64,
    parser: Box<dyn Iterator<Item = Result<Parsed, Fault>> + Send>,
}

impl OpenFile {
    fn new(source: Source, limits: Limits) -> Self {
        let Source { name, format, bytes } = source;
        let parser: Box<dyn Iterator<Item = Result<Parsed, Fault>> + Send> = match format {
            Format::Json => Box::new(json::Stream::new(bytes, 1, limits)),
            Format::JsonLines => Box::new(JsonLines { bytes, line: 0, limits, ready: VecDeque::new(), done: false }),
            Format::Yaml | Format::Log | Format::Unknown => Box::new(yaml::Stream::new(bytes, limits)),
        };
        Self { name, document: 0, parser }
    }

    fn next(&mut self) -> Option<Vec<Result<Document, LoadError>>> {
        let parsed = match self.parser.next()? {
            Ok(parsed) => parsed,
            Err(fault) => return Some(vec![Err(LoadError::new(self.name.clone(), fault))]),
        };
        let mut out = Vec::new();
        for object in unpack::objects(parsed) {
            self.document += 1;
            out.push(document(&self.name, self.document, object));
        }
        Some(out)
    }
}

impl Documents {
    /// The cases of the documents; see [`cases`].
    #[must_use]
    pub fn cases(self) -> Cases<Self> {
        cases(self)
    }
}

impl Iterator for Documents {
    type Item = Result<Document, LoadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                self.anything = true;
                return Some(item);
            }
            if let Some(open) = &mut self.open {
                match open.next() {
                    Some(items) => self.ready.extend(items),
                    None => self.open = None,
                }
                continue;
            }
            match self.sources.next() {
                Some(Ok(source)) => self.open = Some(OpenFile::new(source, self.limits)),
                Some(Err(error)) => self.ready.push_back(Err(error)),
                None if self.anything => return None,
                None => {
                    self.anything = true;
                    let fault = Fault::new(Reason::NothingFound, "no Kubernetes object in any of the inputs");
                    return Some(Err(LoadError::new(self.names.join(", "), fault)));
                }
            }
        }
    }
}

/// The documents of one line of JSON Lines, as [`load`] finds them in a file: `number` is that of the line in the file `name`, from 1.
#[must_use]
pub fn line(text: &[u8], name: &str, number: u64, limits: Limits) -> Vec<Result<Document, LoadError>> {
    let parser = json::Stream::new(text, number, limits);
    let mut out = Vec::new();
    for parsed in parser {
        let objects = match parsed {
            Ok(parsed) => unpack::objects(parsed),
            Err(fault) => vec![Err(fault)],
        };
        out.extend(objects.into_iter().map(|object| document(name, number, object)));
    }
    out
}

/// An object as the `number`th of the file `name`.
fn document(name: &str, number: u64, object: Result<unpack::Object, Fault>) -> Result<Document, LoadError> {
    let object = object.map_err(|fault| LoadError::new(name, fault))?;
    Ok(Document {
        provenance: Provenance::File { path: name.to_owned(), document: number, line: object.line },
        value: object.value,
        api_version: object.api_version,
        kind: object.kind,
    })
}

/// JSON Lines: a line is a document, so a broken one harms no other.
struct JsonLines {
    bytes: Plain,
    line: u64,
    limits: Limits,
    ready: VecDeque<Result<Parsed, Fault>>,
    done: bool,
}

impl Iterator for JsonLines {
    type Item = Result<Parsed, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        use super::lines::{Line, append_line};
        loop {
            if let Some(parsed) = self.ready.pop_front() {
                return Some(parsed);
            }
            if self.done {
                return None;
            }
            let mut text = Vec::new();
            let read = append_line(&mut self.bytes, &mut text, self.limits.document_bytes);
            self.line += 1;
            match read {
                Ok(Line::Read) => self.ready.extend(json::Stream::new(text.as_slice(), self.line, self.limits)),
                Ok(Line::End) => self.done = true,
                Ok(Line::TooLong) => {
                    self.done = true;
                    return Some(Err(Fault::too_large(self.limits.document_bytes).on_line(self.line)));
                }
                Err(error) => {
                    self.done = true;
                    return Some(Err(Fault::unreadable(&error).on_line(self.line)));
                }
            }
        }
    }
}
