//! JSON: documents one after the other, each checked for repeated keys and bounded in depth and size.
//!
//! A byte scanner finds where a document ends, so that its text can be bounded before it is parsed and the documents after
//! a broken one are still found. A long list is never held as a whole: once its text is longer than [`Limits::list_bytes`], what was
//! read of its items is given back, and they are read one by one, as documents are.

mod framed;
mod items;
mod reader;
mod tree;

use super::error::{Fault, LoadErrorKind};
use super::limits::Limits;
use super::memory::Memory;
use super::unpack::{self, Parsed, Read};
use framed::{End, Framed};
use items::{Expected, Items, Split};
use reader::Reader;
use serde_json::Value;
use std::io::{BufRead, ErrorKind};

/// Documents of a JSON text, one after the other, with or without line breaks or `---` lines between them.
pub(super) struct Stream<R> {
    reader: Reader<R>,
    limits: Limits,
    memory: Memory,
    /// Bytes of a document from which the items of a list are read one by one.
    list_bytes: usize,
    /// The list that is being read.
    items: Option<Items>,
    done: bool,
}

impl<R: BufRead> Stream<R> {
    /// Documents of `reader`, whose first line is number `line` of its file. Each of them is read as a whole.
    pub(super) fn new(reader: R, line: u64, limits: Limits, memory: Memory) -> Self {
        Self { reader: Reader::new(reader, line), limits, memory, list_bytes: usize::MAX, items: None, done: false }
    }

    /// Reads the items of long lists one by one.
    pub(super) fn splitting(self) -> Self {
        Self { list_bytes: self.limits.list_bytes, ..self }
    }

    fn read(&mut self) -> Result<Option<Read>, Fault> {
        loop {
            if let Some(items) = self.items.take()
                && let Some(item) = self.read_item(items)?
            {
                return Ok(Some(item));
            }
            let Some(first) = self.reader.skip_space()? else { return Ok(None) };
            let start = self.reader.position();
            if matches!(first, b'{' | b'[') {
                let mut framed = Framed::document(start, self.list_bytes, self.limits);
                let Some(Split { items, rest }) = self.frame(&mut framed)? else {
                    return framed.parse(&self.memory).map(Some);
                };
                self.reader.give_back(rest, items.head_end);
                self.items = Some(items);
            } else if start.column != 1 || !self.reader.skip_separator()? {
                self.reader.skip_to_next()?;
                return Err(unexpected("a JSON object", first).at(start.line, start.column));
            }
        }
    }

    /// Reads up to the end of `framed`, or to where the items of a long list can be split off.
    fn frame(&mut self, framed: &mut Framed) -> Result<Option<Split>, Fault> {
        loop {
            let available = match self.reader.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.fatal(Fault::unreadable(&error).on_line(framed.position().line))),
            };
            if available.is_empty() {
                return Err(self.fatal(framed.incomplete()));
            }
            let (used, end) = framed.take(available);
            self.reader.consume(used, framed.position());
            match end {
                End::Open => {}
                End::Complete => return Ok(None),
                End::Long => {
                    if let Some(split) = framed.split() {
                        return Ok(Some(split));
                    }
                }
                End::TooLarge => return Err(self.fatal(framed.too_large())),
                End::Broken(fault) => {
                    if self.reader.position().column != 1 {
                        self.reader.skip_to_next()?;
                    }
                    return Err(fault);
                }
            }
        }
    }

    /// The next item; none after the last.
    fn read_item(&mut self, mut items: Items) -> Result<Option<Read>, Fault> {
        loop {
            let Some(byte) = self.reader.skip_space()? else {
                return Err(self.fatal(framed::incomplete(items.document)));
            };
            let position = self.reader.position();
            let broken = |detail: &str| Fault::new(LoadErrorKind::Syntax, detail).at(position.line, position.column);
            match (items.expected, byte) {
                (Expected::Separator, b',') => {
                    self.reader.pass(byte);
                    items.expected = Expected::Item;
                }
                (Expected::Separator, b']') => return self.read_around(items).map(|()| None),
                (Expected::Separator, b'{') if position.column == 1 => {
                    return Err(framed::another_begins(items.document));
                }
                (Expected::Separator, b'{') => {
                    items.expected = Expected::Item;
                    self.items = Some(items);
                    return Err(broken("expected `,` or `]`"));
                }
                (Expected::Item, b']') => {
                    items.expected = Expected::Separator;
                    self.items = Some(items);
                    return Err(broken("trailing comma"));
                }
                (Expected::Separator, _) | (Expected::Item, b'}' | b',' | b':') => {
                    self.reader.skip_to_next()?;
                    let expected = if items.expected == Expected::Item { "an item" } else { "`,` or `]`" };
                    return Err(unexpected(expected, byte).at(position.line, position.column));
                }
                (Expected::Item, _) => {
                    let framed = Framed::item(&items, position, byte, self.limits);
                    items.expected = Expected::Separator;
                    return self.read_value(items, framed).map(Some);
                }
            }
        }
    }

    fn read_value(&mut self, items: Items, mut framed: Framed) -> Result<Read, Fault> {
        let line = framed.position().line;
        // After a fault in here, it is not certain where the item ends.
        self.frame(&mut framed)?;
        let items = self.items.insert(items);
        let mut value = framed.value()?;
        unpack::inherit(&mut value, &items.owner);
        Ok(Read::Parsed(Parsed { line, value, item_lines: Vec::new() }, None))
    }

    /// What is around the items, now that they were read.
    fn read_around(&mut self, items: Items) -> Result<(), Fault> {
        let start = items.document;
        let mut framed = Framed::around(items, self.reader.position(), self.limits);
        self.frame(&mut framed)?;
        match framed.value()? {
            Value::Object(map) => unpack::expect_list(&map).map_err(|fault| fault.on_line(start.line)),
            _ => Ok(()),
        }
    }

    fn fatal(&mut self, fault: Fault) -> Fault {
        self.done = true;
        fault
    }
}

fn unexpected(expected: &str, found: u8) -> Fault {
    let found =
        if found.is_ascii_graphic() { format!("`{}`", char::from(found)) } else { format!("byte 0x{found:02x}") };
    Fault::new(LoadErrorKind::Syntax, format!("expected {expected}, found {found}"))
}

impl<R: BufRead> Iterator for Stream<R> {
    type Item = Result<Read, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let read = self.read();
        if matches!(&read, Err(fault) if matches!(fault.kind, LoadErrorKind::Compression | LoadErrorKind::Unreadable | LoadErrorKind::TooLarge))
        {
            self.done = true;
        }
        read.transpose()
    }
}
