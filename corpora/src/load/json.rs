//! JSON: documents one after the other, each checked for repeated keys and bounded in depth and size.
//!
//! A byte scanner finds where a document ends, so that its text can be bounded before it is parsed and the documents after
//! a broken one are still found.

use super::error::{Fault, Reason};
use super::limits::Limits;
use super::memory::{Again, Memory, Met};
use super::unpack::{Parsed, Read};
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::cell::Cell;
use std::fmt;
use std::io::BufRead;

/// Documents of a JSON text, one after the other, with or without line breaks between them.
pub(super) struct Stream<R> {
    reader: R,
    limits: Limits,
    memory: Memory,
    place: Place,
    done: bool,
}

/// Position of the next byte.
#[derive(Clone, Copy)]
struct Place {
    line: u64,
    column: u64,
}

impl Place {
    fn pass(&mut self, byte: u8) {
        if byte == b'\n' {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
    }
}

impl<R: BufRead> Stream<R> {
    /// Documents of `reader`, whose first line is number `line` of its file.
    pub(super) fn new(reader: R, line: u64, limits: Limits, memory: Memory) -> Self {
        Self { reader, limits, memory, place: Place { line, column: 1 }, done: false }
    }

    fn peek(&mut self) -> Result<Option<u8>, Fault> {
        loop {
            match self.reader.fill_buf() {
                Ok(available) => return Ok(available.first().copied()),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Fault::unreadable(&error).on_line(self.place.line)),
            }
        }
    }

    fn pass(&mut self, byte: u8) {
        self.reader.consume(1);
        self.place.pass(byte);
    }

    /// Skips white space and, at the very beginning, a byte order mark.
    fn skip_space(&mut self) -> Result<Option<u8>, Fault> {
        if self.place.column == 1 && self.place.line == 1 {
            for expected in [0xef, 0xbb, 0xbf] {
                if self.peek()? == Some(expected) {
                    self.reader.consume(1);
                }
            }
        }
        while let Some(byte) = self.peek()? {
            if !matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                return Ok(Some(byte));
            }
            self.pass(byte);
        }
        Ok(None)
    }

    /// Skips to the next line that begins with `{`, the only place where a document surely begins.
    fn skip_to_next(&mut self) -> Result<(), Fault> {
        while let Some(byte) = self.peek()? {
            if byte == b'{' && self.place.column == 1 {
                return Ok(());
            }
            self.pass(byte);
        }
        Ok(())
    }

    fn read(&mut self) -> Result<Option<Read>, Fault> {
        let Some(first) = self.skip_space()? else { return Ok(None) };
        let start = self.place;
        if !matches!(first, b'{' | b'[') {
            let fault = if first.is_ascii_graphic() {
                format!("expected a JSON object, found `{}`", char::from(first))
            } else {
                format!("expected a JSON object, found byte 0x{first:02x}")
            };
            self.pass(first);
            self.skip_to_next()?;
            return Err(Fault::new(Reason::Syntax, fault).at(start.line, start.column));
        }
        let mut framed = Framed::new(start, self.limits);
        loop {
            let available = match self.reader.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.fatal(Fault::unreadable(&error).on_line(start.line))),
            };
            if available.is_empty() {
                let fault = framed.fault.take().unwrap_or_else(|| {
                    Fault::new(Reason::Syntax, "the JSON document is not complete: the input ends within it")
                        .at(start.line, start.column)
                });
                return Err(self.fatal(fault));
            }
            let (used, end) = framed.take(available);
            self.reader.consume(used);
            self.place = framed.place;
            match end {
                End::Open => {}
                End::Complete => return framed.parse(self.limits, &self.memory).map(Some),
                End::TooLarge => {
                    let fault = Fault::too_large(self.limits.document_bytes).on_line(start.line);
                    return Err(self.fatal(framed.fault.take().unwrap_or(fault)));
                }
                End::Broken(fault) => {
                    if self.place.column != 1 {
                        self.skip_to_next()?;
                    }
                    return Err(fault);
                }
            }
        }
    }

    fn fatal(&mut self, fault: Fault) -> Fault {
        self.done = true;
        fault
    }
}

impl<R: BufRead> Iterator for Stream<R> {
    type Item = Result<Read, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let read = self.read();
        if matches!(&read, Err(fault) if matches!(fault.reason, Reason::Compression | Reason::Unreadable)) {
            self.done = true;
        }
        read.transpose()
    }
}

/// The text of one document as far as it has been read.
struct Framed {
    limits: Limits,
    start: Place,
    place: Place,
    text: Vec<u8>,
    length: usize,
    depth: usize,
    /// Whether the value at depth 1 is an object, and the one at depth 2 a list.
    outer: [bool; 2],
    item_lines: Vec<u64>,
    in_text: bool,
    escaped: bool,
    /// The last byte outside texts that is not white space.
    significant: u8,
    /// A fault that was met within the document while its end is still looked for.
    fault: Option<Fault>,
}

enum End {
    /// The document goes on.
    Open,
    /// The document is complete.
    Complete,
    /// The document is longer than the limit.
    TooLarge,
    /// The document is not JSON, and what follows is not part of it.
    Broken(Fault),
}

impl Framed {
    fn new(start: Place, limits: Limits) -> Self {
        Self {
            limits,
            start,
            place: start,
            text: Vec::new(),
            length: 0,
            depth: 0,
            outer: [false; 2],
            item_lines: Vec::new(),
            in_text: false,
            escaped: false,
            significant: b':',
            fault: None,
        }
    }

    /// Takes in bytes up to the end of the document; how many were used, and where that leaves the document.
    fn take(&mut self, available: &[u8]) -> (usize, End) {
        let mut end = End::Open;
        let mut used = 0;
        for &byte in available {
            if self.length + used >= self.limits.document_bytes {
                end = End::TooLarge;
                break;
            }
            if self.begins_anew(byte) {
                end = End::Broken(
                    Fault::new(
                        Reason::Syntax,
                        "the JSON document is not complete: another one begins on the next line",
                    )
                    .at(self.start.line, self.start.column),
                );
                break;
            }
            if self.in_text && byte == b'\n' {
                end = End::Broken(
                    Fault::new(Reason::Syntax, "a line break within a JSON text")
                        .at(self.place.line, self.place.column),
                );
                self.place.pass(byte);
                used += 1;
                break;
            }
            let complete = self.structure(byte);
            self.place.pass(byte);
            used += 1;
            if complete {
                end = End::Complete;
                break;
            }
        }
        self.length += used;
        if self.fault.is_none() {
            self.text.extend(available.iter().take(used));
        }
        (used, end)
    }

    /// Whether a `{` at the beginning of a line cannot belong to this document: no value may stand there.
    fn begins_anew(&self, byte: u8) -> bool {
        byte == b'{'
            && self.place.column == 1
            && !self.in_text
            && self.depth > 0
            && !matches!(self.significant, b'[' | b',' | b':' | b'{')
    }

    /// Follows the structure; whether the document is complete after this byte.
    fn structure(&mut self, byte: u8) -> bool {
        if self.in_text {
            if self.escaped {
                self.escaped = false;
            } else if byte == b'\\' {
                self.escaped = true;
            } else if byte == b'"' {
                self.in_text = false;
            }
            return false;
        }
        match byte {
            b'"' => self.in_text = true,
            b'{' | b'[' => self.open(byte),
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            b' ' | b'\t' | b'\r' | b'\n' => return false,
            _ => {}
        }
        self.significant = byte;
        self.depth == 0
    }

    fn open(&mut self, byte: u8) {
        match (self.depth, &mut self.outer) {
            (0, [object, _]) => *object = byte == b'{',
            (1, [_, list]) => *list = byte == b'[',
            (2, [true, true]) if byte == b'{' && self.item_lines.len() < self.limits.values => {
                self.item_lines.push(self.place.line);
            }
            _ => {}
        }
        self.depth += 1;
        if self.depth > self.limits.depth && self.fault.is_none() {
            self.fault = Some(Fault::too_deep(self.limits.depth).at(self.place.line, self.place.column));
            self.text = Vec::new();
        }
    }

    fn parse(self, limits: Limits, memory: &Memory) -> Result<Read, Fault> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let start = self.start;
        let before = match memory.meet(&self.text) {
            Met::Known(known) => return Ok(Read::Known(known, start.line)),
            Met::Before(hash) => Some(hash),
            Met::Never => None,
        };
        let text = std::str::from_utf8(&self.text).map_err(|error| {
            let mut place = start;
            self.text.iter().take(error.valid_up_to()).for_each(|byte| place.pass(*byte));
            Fault::new(Reason::Encoding, "the text is not UTF-8").at(place.line, place.column)
        })?;
        let value = parse(text, limits).map_err(|(line, column, reason, detail)| {
            let column = if line == 1 { start.column + column.saturating_sub(1) } else { column };
            Fault::new(reason, detail).at(start.line + line.saturating_sub(1), column.max(1))
        })?;
        let again = before.map(|hash| Again { hash, first: start.line, text: self.text });
        Ok(Read::Parsed(Parsed { line: start.line, value, item_lines: self.item_lines }, again))
    }
}

type ParseFault = (u64, u64, Reason, String);

fn parse(text: &str, limits: Limits) -> Result<Value, ParseFault> {
    let context = Context { limits, values: Cell::new(0), reason: Cell::new(Reason::Syntax) };
    let mut json = serde_json::Deserializer::from_str(text);
    let parsed = Tree(&context).deserialize(&mut json).and_then(|value| json.end().map(|()| value));
    parsed.map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let message = error.to_string();
        let detail = message.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&message);
        (line as u64, column as u64, context.reason.get(), detail.to_owned())
    })
}

struct Context {
    limits: Limits,
    values: Cell<usize>,
    /// What sort of fault the last error of our own is.
    reason: Cell<Reason>,
}

impl Context {
    fn fail<E: serde::de::Error>(&self, fault: Fault) -> E {
        self.reason.set(fault.reason);
        E::custom(fault.detail)
    }

    fn count<E: serde::de::Error>(&self) -> Result<(), E> {
        self.values.set(self.values.get() + 1);
        if self.values.get() > self.limits.values {
            return Err(self.fail(Fault::too_many_values(self.limits.values)));
        }
        Ok(())
    }
}

/// Builds a value and refuses what serde_json's own would let pass.
#[derive(Clone, Copy)]
struct Tree<'c>(&'c Context);

impl<'de> DeserializeSeed<'de> for Tree<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, source: D) -> Result<Value, D::Error> {
        self.0.count()?;
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        // The parser makes a float of `-0`; Go reads an integer.
        if value == 0.0 && value.is_sign_negative() {
            return Ok(0.into());
        }
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element_seed(self)? {
            list.push(element);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if map.contains_key(&key) {
                return Err(self.0.fail(Fault::repeated_key(&key)));
            }
            let value = entries.next_value_seed(self)?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}
