//! Which modules a module of a crate names.

use super::tokens::{Token, tokens};

/// A module by its names from the root of its crate, which has none.
pub(crate) type Module = Vec<String>;

/// A path that a module names: whether it is part of a `use` statement without a root, and its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// The module that names it.
    pub(crate) by: Module,
    /// Its names from the root of the crate.
    pub(crate) path: Vec<String>,
    /// The name that it gets there, if it is part of a `use` statement: what it imports, perhaps for others.
    pub(crate) imports: Option<String>,
}

/// What a source file says.
#[derive(Debug, Default)]
pub(crate) struct Source {
    /// Modules that are declared, but for those of tests.
    pub(crate) modules: Vec<Module>,
    /// Modules of tests.
    pub(crate) tests: Vec<Module>,
    /// Paths that are named outside of tests.
    pub(crate) named: Vec<Named>,
}

/// Reads the source of `module`.
pub(crate) fn source(module: &[String], text: &str) -> Source {
    let mut reader = Reader { tokens: tokens(text), at: 0, source: Source::default() };
    reader.items(module);
    reader.source
}

struct Reader {
    tokens: Vec<Token>,
    at: usize,
    source: Source,
}

impl Reader {
    fn peek(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead)
    }

    fn word(&self, ahead: usize) -> Option<String> {
        self.peek(ahead).and_then(|token| if let Token::Word(word) = token { Some(word.clone()) } else { None })
    }

    fn is_mark(&self, ahead: usize, mark: char) -> bool {
        self.peek(ahead).is_some_and(|token| token.is_mark(mark))
    }

    /// Reads up to the end of a block, or of the file.
    fn items(&mut self, module: &[String]) {
        let mut depth = 0;
        let mut only_tests = false;
        while let Some(token) = self.peek(0).cloned() {
            match token {
                Token::Mark('#') => only_tests |= self.attribute(),
                Token::Word(word) if only_tests => {
                    only_tests = false;
                    if word == "mod" {
                        self.test_module(module);
                    }
                    self.skip_item();
                }
                Token::Word(word) if word == "mod" && self.word(1).is_some() => self.module(module),
                Token::Word(word) if word == "use" => {
                    self.at += 1;
                    self.tree(module, None);
                }
                Token::Word(word) if matches!(word.as_str(), "crate" | "super" | "self") => self.path(module),
                Token::Mark('{') => (depth, self.at) = (depth + 1, self.at + 1),
                Token::Mark('}') if depth == 0 => return self.at += 1,
                Token::Mark('}') => (depth, self.at) = (depth - 1, self.at + 1),
                _ => self.at += 1,
            }
        }
    }

    /// Reads an attribute; whether it leaves what follows to tests.
    fn attribute(&mut self) -> bool {
        let begin = self.at;
        self.at += if self.is_mark(1, '!') { 2 } else { 1 };
        self.skip_group('[', ']');
        let words: Vec<&Token> = self.tokens[begin..self.at].iter().collect();
        let is = |at: usize, word: &str| words.get(at).is_some_and(|token| token.is_word(word));
        is(2, "cfg") && is(4, "test") || is(2, "test")
    }

    fn skip_group(&mut self, open: char, close: char) {
        let mut depth = 0;
        while let Some(token) = self.peek(0) {
            let (opens, closes) = (token.is_mark(open), token.is_mark(close));
            self.at += 1;
            depth += i32::from(opens) - i32::from(closes);
            if depth == 0 {
                return;
            }
        }
    }

    /// Goes behind an item: its `;` or its block.
    fn skip_item(&mut self) {
        while let Some(token) = self.peek(0) {
            if token.is_mark(';') {
                self.at += 1;
                return;
            }
            if token.is_mark('{') {
                return self.skip_group('{', '}');
            }
            self.at += 1;
        }
    }

    fn test_module(&mut self, module: &[String]) {
        let name = self.word(1).unwrap_or_default();
        self.source.tests.push(child(module, &name));
    }

    fn module(&mut self, module: &[String]) {
        let name = self.word(1).unwrap_or_default();
        let inner = child(module, &name);
        self.at += 2;
        self.source.modules.push(inner.clone());
        if self.is_mark(0, '{') {
            self.at += 1;
            self.items(&inner);
        } else {
            self.at += 1;
        }
    }

    /// Reads a path in the middle of code.
    fn path(&mut self, module: &[String]) {
        // The part of a visibility is no use.
        let restricts = self.at > 0 && self.tokens[self.at - 1].is_word("in");
        let mut names = vec![self.word(0).unwrap_or_default()];
        self.at += 1;
        while self.peek(0) == Some(&Token::Path)
            && let Some(name) = self.word(1)
        {
            names.push(name);
            self.at += 2;
        }
        if !restricts && names.len() > 1 {
            self.name(module, names, None);
        }
    }

    /// Reads a tree of a `use` statement, behind these names.
    fn tree(&mut self, module: &[String], before: Option<&[String]>) {
        let mut names = before.unwrap_or_default().to_vec();
        loop {
            if let Some(name) = self.word(0) {
                names.push(name);
                self.at += 1;
            } else if self.is_mark(0, '{') {
                self.at += 1;
                while !self.is_mark(0, '}') && self.peek(0).is_some() {
                    self.tree(module, Some(&names));
                    if self.is_mark(0, ',') {
                        self.at += 1;
                    }
                }
                self.at += 1;
                return;
            } else {
                self.at += 1;
            }
            if self.peek(0) == Some(&Token::Path) {
                self.at += 1;
                continue;
            }
            let mut imported = names.last().cloned();
            if imported.as_deref() == Some("self") {
                names.pop();
                imported = names.last().cloned();
            }
            if self.word(0).as_deref() == Some("as") {
                imported = self.word(1);
                self.at += 2;
            }
            return self.name(module, names, imported);
        }
    }

    /// Keeps a path, from the root of the crate on.
    fn name(&mut self, module: &[String], names: Vec<String>, imports: Option<String>) {
        let mut from: Module = module.to_vec();
        let mut rest = names.as_slice();
        match rest.first().map(String::as_str) {
            Some("crate") => (from, rest) = (Vec::new(), &rest[1..]),
            Some("self") => rest = &rest[1..],
            _ => {}
        }
        while rest.first().is_some_and(|name| name == "super") {
            from.pop();
            rest = &rest[1..];
        }
        from.extend_from_slice(rest);
        self.source.named.push(Named { by: module.to_vec(), path: from, imports });
    }
}

fn child(module: &[String], name: &str) -> Module {
    module.iter().cloned().chain([name.to_owned()]).collect()
}
