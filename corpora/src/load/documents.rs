//! The stream of documents over all inputs.

use super::barren::Barren;
use super::cases::{Cases, cases};
use super::document::{Content, Document, Reading};
use super::error::{Fault, LoadError, LoadErrorKind};
use super::input::{Format, Input, Source, Sources};
use super::json;
use super::limits::Limits;
use super::memory::{Again, Memory};
use super::open::Plain;
use super::plain;
use super::unpack::{self, Read};
use super::yaml;
use std::collections::VecDeque;
use takeover_harness::case::Provenance;

/// Reads `inputs` one document at a time, in the given order; files of a folder in the order of their names.
///
/// Errors do not end the iteration: after a broken document comes the next one whose beginning is certain, after a broken
/// file the next file. When no input held any document and nothing was wrong, the last item is an error with
/// [`LoadErrorKind::NothingFound`].
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
        memory: Memory::default(),
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
    memory: Memory,
    open: Option<OpenFile>,
    ready: VecDeque<Result<Reading, LoadError>>,
    /// Whether a document or an error was given out.
    anything: bool,
}

struct OpenFile {
    name: String,
    barren: Barren,
    /// Number of the last object given out.
    document: u64,
    parser: Box<dyn Iterator<Item = Result<Read, Fault>> + Send>,
    memory: Memory,
}

impl OpenFile {
    fn new(source: Source, limits: Limits, memory: Memory) -> Self {
        let Source { name, format, bytes } = source;
        let barren = Barren::default();
        // A document that is too long is left first.
        let bytes = barren.watched(bytes, limits.document_bytes.saturating_mul(2));
        let parser: Box<dyn Iterator<Item = Result<Read, Fault>> + Send> = match format {
            Format::Json => Box::new(json::Stream::new(bytes, 1, limits, memory.clone()).splitting()),
            Format::JsonLines => {
                let (ready, memory) = (VecDeque::new(), memory.clone());
                Box::new(JsonLines { bytes, line: 0, limits, memory, ready, done: false })
            }
            Format::Yaml | Format::Log | Format::Unknown => Box::new(yaml::Stream::new(bytes, limits, memory.clone())),
        };
        Self { name, barren, document: 0, parser, memory }
    }

    fn next(&mut self) -> Option<Vec<Result<Reading, LoadError>>> {
        let read = self.parser.next()?;
        self.barren.end();
        let (parsed, again) = match read {
            Ok(Read::Parsed(parsed, again)) => (parsed, again),
            Ok(Read::Known(known, line)) => {
                let provenance = self.place(line + known.lines_before);
                return Some(vec![Ok(Reading(Content::Known { known, provenance }))]);
            }
            Err(fault) => return Some(vec![Err(LoadError::new(self.name.clone(), fault))]),
        };
        let mut out: Vec<Result<Reading, LoadError>> = Vec::new();
        for object in unpack::objects(parsed) {
            self.document += 1;
            out.push(document(&self.name, self.document, object).map(Reading::from));
        }
        if let (Some(again), [Ok(Reading(content))]) = (again, out.as_mut_slice()) {
            self.remember(again, content);
        }
        Some(out)
    }

    /// The place of the next object.
    fn place(&mut self, line: u64) -> Provenance {
        self.document += 1;
        Provenance::File { path: self.name.clone(), document: self.document, line }
    }

    /// Keeps the object of a text that came before, if it is a plain one.
    fn remember(&self, again: Again, content: &mut Content) {
        let Content::Parsed(document) = content else { return };
        let Provenance::File { line, .. } = document.provenance else { return };
        if !plain::is_plain(document) {
            return;
        }
        let lines_before = line.saturating_sub(again.first);
        let identity = (document.api_version.as_str(), document.kind.as_str());
        let known = self.memory.keep(again, lines_before, identity, plain::texts(document.value.clone()));
        if let Some(known) = known {
            *content = Content::Known { known, provenance: document.provenance.clone() };
        }
    }
}

impl Documents {
    /// The cases of the documents; see [`cases`].
    #[must_use]
    pub fn cases(self) -> Cases<Self> {
        cases(self)
    }
}

impl Documents {
    /// Does not parse a text again that holds one plain object and came before. What is remembered is bounded.
    #[must_use]
    pub fn remembering(self) -> Remembering {
        Remembering(Self { memory: Memory::new(), ..self })
    }

    fn read(&mut self) -> Option<Result<Reading, LoadError>> {
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
                Some(Ok(source)) => self.open = Some(OpenFile::new(source, self.limits, self.memory.clone())),
                Some(Err(error)) => self.ready.push_back(Err(error)),
                None if self.anything => return None,
                None => {
                    self.anything = true;
                    let fault = Fault::new(LoadErrorKind::NothingFound, "no Kubernetes object in any of the inputs");
                    return Some(Err(LoadError::new(self.names.join(", "), fault)));
                }
            }
        }
    }
}

impl Iterator for Documents {
    type Item = Result<Document, LoadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().map(|reading| reading.map(Document::from))
    }
}

/// Iterator over documents of which some came before; made by [`Documents::remembering`].
pub struct Remembering(Documents);

impl Remembering {
    /// The cases of the documents; see [`cases`]. Those of plain objects that came before have a [number](crate::load::LoadedCase::content).
    #[must_use]
    pub fn cases(self) -> Cases<Self> {
        cases(self)
    }
}

impl Iterator for Remembering {
    type Item = Result<Reading, LoadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.read()
    }
}

/// The documents of one line of JSON Lines, as [`load`] finds them in a file: `number` is that of the line in the file `name`, from 1.
#[must_use]
pub fn line(text: &[u8], name: &str, number: u64, limits: Limits) -> Vec<Result<Document, LoadError>> {
    let parser = json::Stream::new(text, number, limits, Memory::default());
    let mut out = Vec::new();
    for read in parser {
        match read {
            Ok(Read::Parsed(parsed, _)) => {
                out.extend(unpack::objects(parsed).into_iter().map(|object| document(name, number, object)));
            }
            Ok(Read::Known(known, line)) => {
                let provenance = Provenance::File { path: name.to_owned(), document: number, line };
                out.push(Ok(Reading(Content::Known { known, provenance }).into()));
            }
            Err(fault) => out.push(Err(LoadError::new(name, fault))),
        }
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
    memory: Memory,
    ready: VecDeque<Result<Read, Fault>>,
    done: bool,
}

impl Iterator for JsonLines {
    type Item = Result<Read, Fault>;

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
                Ok(Line::Read) => {
                    self.ready.extend(json::Stream::new(text.as_slice(), self.line, self.limits, self.memory.clone()))
                }
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
