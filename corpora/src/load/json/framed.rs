//! Where a document ends.

use super::items::{Items, Split};
use super::reader::{TextPosition, is_space};
use super::tree;
use crate::load::error::{Fault, LoadErrorKind};
use crate::load::limits::Limits;
use crate::load::memory::{Again, Memory, Met, Reader};
use crate::load::unpack::{Parsed, Read};
use serde_json::Value;
use takeover_harness::object::text_as_go_reads;

/// The text of one document, or of one item of a list, as far as it has been read.
pub(super) struct Framed {
    limits: Limits,
    /// Where the document starts that this is or belongs to.
    document: TextPosition,
    /// Where the text starts.
    start: TextPosition,
    position: TextPosition,
    text: Vec<u8>,
    /// Where a part of the file was left out of the text, and where it goes on.
    gap: Option<(TextPosition, TextPosition)>,
    length: usize,
    /// Lists and maps around the text.
    around: usize,
    depth: usize,
    /// Whether it is a value that no bracket ends.
    scalar: bool,
    /// Whether the value at depth 1 is an object, and the one at depth 2 a list.
    outer: [bool; 2],
    item_lines: Vec<u64>,
    in_text: bool,
    escaped: bool,
    /// The last byte outside texts that is not white space.
    significant: u8,
    /// A fault that was met within the document while its end is still looked for.
    fault: Option<Fault>,
    /// Bytes from which the items of a list are read one by one.
    list_bytes: usize,
    /// Where the last key at depth 1 starts.
    key: usize,
    /// The list at depth 2.
    list: Option<List>,
    /// From where on the list can be split off; never while that is not known.
    split_at: usize,
}

/// A list directly below the document, by offsets in the text.
#[derive(Clone, Copy)]
struct List {
    key: usize,
    /// Of its `[`.
    open: usize,
    /// After its `[`.
    position: TextPosition,
    /// After its first list or map; zero before that.
    first: usize,
}

const NEVER: usize = usize::MAX;

pub(super) enum End {
    /// The document goes on.
    Open,
    /// The document is complete.
    Complete,
    /// The document is long, and within a list that [`Framed::split`] may split off.
    Long,
    /// The document is longer than the limit.
    TooLarge,
    /// The document is not JSON, and what follows is not part of it.
    Broken(Fault),
}

impl Framed {
    /// A document that starts at `start` and may be split from `list_bytes` on.
    pub(super) fn document(start: TextPosition, list_bytes: usize, limits: Limits) -> Self {
        Self {
            limits,
            document: start,
            start,
            position: start,
            text: Vec::new(),
            gap: None,
            length: 0,
            around: 0,
            depth: 0,
            scalar: false,
            outer: [false; 2],
            item_lines: Vec::new(),
            in_text: false,
            escaped: false,
            significant: b':',
            fault: None,
            list_bytes,
            key: 0,
            list: None,
            split_at: NEVER,
        }
    }

    /// The item at `start`, whose first byte is `first`.
    pub(super) fn item(items: &Items, start: TextPosition, first: u8, limits: Limits) -> Self {
        let scalar = !matches!(first, b'{' | b'[');
        Self { document: items.document, around: 2, scalar, ..Self::document(start, NEVER, limits) }
    }

    /// The text around the items: the part before them, and the part after them from `position` on.
    pub(super) fn around(items: Items, position: TextPosition, limits: Limits) -> Self {
        Self {
            position,
            length: items.head.len(),
            gap: Some((items.head_end, position)),
            text: items.head,
            depth: 2,
            outer: [true; 2],
            ..Self::document(items.document, NEVER, limits)
        }
    }

    pub(super) fn position(&self) -> TextPosition {
        self.position
    }

    /// Takes in bytes up to the end of the document; how many were used, and where that leaves the document.
    pub(super) fn take(&mut self, available: &[u8]) -> (usize, End) {
        let mut end = End::Open;
        let mut used = 0;
        let before = self.length;
        for &byte in available {
            self.length = before + used;
            if self.length >= self.split_at {
                end = End::Long;
                break;
            }
            if self.length >= self.limits.document_bytes {
                end = End::TooLarge;
                break;
            }
            if self.begins_anew(byte) {
                end = End::Broken(another_begins(self.document));
                break;
            }
            if self.in_text && byte == b'\n' {
                end = End::Broken(
                    Fault::new(LoadErrorKind::Syntax, "a line break in a JSON string")
                        .at(self.position.line, self.position.column),
                );
                self.position.pass(byte);
                used += 1;
                break;
            }
            if self.scalar && !self.in_text && (is_space(byte) || matches!(byte, b',' | b']' | b'}' | b'{' | b'[')) {
                end = End::Complete;
                break;
            }
            let complete = self.structure(byte);
            self.position.pass(byte);
            used += 1;
            if complete {
                end = End::Complete;
                break;
            }
        }
        self.length = before + used;
        if self.fault.is_none() {
            self.text.extend(available.iter().take(used));
        }
        (used, end)
    }

    /// Whether a `{` at the beginning of a line cannot belong to this document: no value may stand there.
    fn begins_anew(&self, byte: u8) -> bool {
        byte == b'{'
            && self.position.column == 1
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
            b'"' => {
                self.in_text = true;
                if self.depth == 1 {
                    self.key = self.length;
                }
            }
            b'{' | b'[' => self.open(byte),
            b'}' | b']' => self.close(),
            _ if is_space(byte) => return false,
            _ => {}
        }
        self.significant = byte;
        self.depth == 0 && !self.scalar
    }

    fn open(&mut self, byte: u8) {
        match (self.depth, &mut self.outer) {
            (0, [object, _]) => *object = byte == b'{',
            (1, [object, list]) => {
                *list = byte == b'[';
                if *object && *list && self.list_bytes != NEVER {
                    let mut position = self.position;
                    position.pass(byte);
                    self.list = Some(List { key: self.key, open: self.length, position, first: 0 });
                }
            }
            (2, [true, true]) if byte == b'{' && self.item_lines.len() < self.limits.values => {
                self.item_lines.push(self.position.line);
            }
            _ => {}
        }
        self.depth += 1;
        if self.depth + self.around > self.limits.depth && self.fault.is_none() {
            self.fault = Some(Fault::too_deep(self.limits.depth).at(self.position.line, self.position.column));
            self.text = Vec::new();
            (self.list_bytes, self.list, self.split_at) = (NEVER, None, NEVER);
        }
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        match (self.depth, &mut self.list) {
            (2, Some(list)) if list.first == 0 => {
                list.first = self.length + 1;
                self.split_at = list.first.max(self.list_bytes);
            }
            (1, list) => (*list, self.split_at) = (None, NEVER),
            _ => {}
        }
    }

    /// Splits the items off that the text is within. None if they are not surely those of a list of objects; the document then stays whole.
    pub(super) fn split(&mut self) -> Option<Split> {
        self.split_at = NEVER;
        let List { key, open, position, first } = self.list.take()?;
        let key = std::str::from_utf8(self.text.get(key..open)?).ok()?;
        let key: String = serde_json::from_str(key.trim_ascii_end().strip_suffix(':')?).ok()?;
        if key != "items" {
            return None;
        }
        // Another list of this name would be a fault of the document.
        self.list_bytes = NEVER;
        let head = self.text.get(..=open)?;
        let owner = Items::owner(head, self.text.get(open + 1..first)?, self.limits)?;
        let rest = self.text.split_off(open + 1);
        let head = std::mem::take(&mut self.text);
        Some(Split { items: Items::new(self.document, head, position, owner), rest })
    }

    /// The fault of an input that ends here.
    pub(super) fn incomplete(&mut self) -> Fault {
        self.fault.take().unwrap_or_else(|| incomplete(self.document))
    }

    pub(super) fn too_large(&mut self) -> Fault {
        let fault = Fault::too_large(self.limits.document_bytes).on_line(self.start.line);
        self.fault.take().unwrap_or(fault)
    }

    pub(super) fn parse(mut self, memory: &Memory) -> Result<Read, Fault> {
        let line = self.start.line;
        let before = match &self.fault {
            Some(_) => None,
            None => match memory.meet(Reader::Json, &self.text) {
                Met::Known(known) => return Ok(Read::Known(known, line)),
                Met::Before(hash) => Some(hash),
                Met::Never => None,
            },
        };
        let value = self.value()?;
        let again = before.map(|hash| Again { hash, reader: Reader::Json, first: line, text: self.text });
        Ok(Read::Parsed(Parsed { line, value, item_lines: self.item_lines }, again))
    }

    /// The value of the text.
    pub(super) fn value(&mut self) -> Result<Value, Fault> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        let encoding = std::str::from_utf8(&self.text).map_err(|error| {
            let mut position = TextPosition { line: 1, column: 1 };
            self.text.iter().take(error.valid_up_to()).for_each(|byte| position.pass(*byte));
            let position = self.in_file(position);
            Fault::new(LoadErrorKind::Encoding, "the text is not UTF-8").at(position.line, position.column)
        });
        let parsed = tree::parse(&text_as_go_reads(&self.text), self.limits);
        // Within strings, what is no text is replaced; elsewhere, it is what is wrong.
        if parsed.is_err() {
            encoding?;
        }
        parsed.map_err(|(line, column, kind, detail)| {
            let position = self.in_file(TextPosition { line, column });
            Fault::new(kind, detail).at(position.line, position.column)
        })
    }

    /// Where a position of the text is in the file.
    fn in_file(&self, TextPosition { line, column }: TextPosition) -> TextPosition {
        let position = moved(TextPosition { line, column }, TextPosition { line: 1, column: 1 }, self.start);
        match self.gap {
            Some((from, to)) if (position.line, position.column) >= (from.line, from.column) => {
                moved(position, from, to)
            }
            _ => position,
        }
    }
}

/// Returns `position` after the text at `from` moved to `to`.
fn moved(position: TextPosition, from: TextPosition, to: TextPosition) -> TextPosition {
    let column = if position.line == from.line {
        to.column + position.column.saturating_sub(from.column)
    } else {
        position.column.max(1)
    };
    TextPosition { line: to.line + position.line.saturating_sub(from.line), column }
}

/// The fault of a document that starts at `start` and that the end of the input cuts off.
pub(super) fn incomplete(start: TextPosition) -> Fault {
    Fault::new(LoadErrorKind::Syntax, "the JSON document is incomplete: the input ends inside it")
        .at(start.line, start.column)
}

/// The fault of a document that starts at `start` and within which another one begins.
pub(super) fn another_begins(start: TextPosition) -> Fault {
    Fault::new(LoadErrorKind::Syntax, "the JSON document is incomplete: another one begins on the next line")
        .at(start.line, start.column)
}
