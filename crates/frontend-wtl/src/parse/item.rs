//! What stands at the top of a text.

use wattle_program::PropertyKind;

use super::super::ast::{Copies, File, Initial, Item, Thread, Type, Var};
use super::super::lex::Kind;
use super::{Failed, Parsed, Parser};

const ITEMS: [&str; 11] = [
    "shared",
    "const",
    "enum",
    "thread",
    "process",
    "init",
    "forbid",
    "always",
    "finally",
    "observe",
    "predicates",
];

impl Parser<'_, '_> {
    pub(crate) fn file(&mut self) -> File {
        let mut file = File::default();
        while self.kind() != Kind::End && !self.problems.is_full() {
            let start = self.at;
            match self.item() {
                Ok(item) => file.items.push(item),
                Err(Failed) => self.recover_item(start),
            }
        }
        file
    }

    /// Skip to the next word that starts an item, outside braces opened since.
    fn recover_item(&mut self, start: usize) {
        let mut open = 0;
        if self.at == start {
            self.advance();
        }
        loop {
            match self.kind() {
                Kind::End => break,
                Kind::Word(word) if open == 0 && ITEMS.contains(&word) => break,
                // A thread is never inside another: the braces before it do not match.
                Kind::Word("thread" | "process") => break,
                Kind::Sign("{") => open += 1,
                Kind::Sign("}") if open > 0 => open -= 1,
                _ => {}
            }
            self.advance();
        }
        for number in start..self.at {
            if let Kind::Word(word) = self.tokens[number].kind {
                self.problems.poison(word);
            }
        }
    }

    fn item(&mut self) -> Parsed<Item> {
        let start = self.span();
        let Kind::Word(word) = self.kind() else { return self.no_item() };
        match word {
            "shared" => {
                self.advance();
                let vars = self.list(Self::var)?;
                self.expect(";")?;
                Ok(Item::Shared(vars))
            }
            "const" => {
                self.advance();
                let name = self.name("a name")?;
                self.expect("=")?;
                let value = self.expression()?;
                self.expect(";")?;
                Ok(Item::Const { name, value })
            }
            "enum" => {
                self.advance();
                let name = self.name("the name of the enumeration")?;
                self.expect("{")?;
                let constructors = self.list(|parser| parser.name("a name"))?;
                self.expect("}")?;
                self.eat(";");
                Ok(Item::Enum { name, constructors })
            }
            "thread" | "process" => self.thread(word == "process"),
            "init" => {
                self.advance();
                let formula = self.condition(";")?;
                Ok(Item::Init(formula))
            }
            "forbid" | "always" | "finally" => {
                self.advance();
                let kind = match word {
                    "forbid" => PropertyKind::Forbid,
                    "always" => PropertyKind::Always,
                    _ => PropertyKind::Finally,
                };
                let formula = self.condition(";")?;
                Ok(Item::Property { kind, formula, span: self.since(start) })
            }
            "observe" => {
                self.advance();
                let terms = self.list(Self::expression)?;
                self.expect(";")?;
                Ok(Item::Observe(terms))
            }
            "predicates" => {
                self.advance();
                self.expect("{")?;
                let mut predicates = Vec::new();
                while !self.eat("}") {
                    predicates.push(self.expression()?);
                    self.expect(";")?;
                }
                Ok(Item::Predicates(predicates))
            }
            _ => {
                self.declared_as_in_c("shared")?;
                self.no_item()
            }
        }
    }

    fn no_item<T>(&mut self) -> Parsed<T> {
        self.expected_with(
            "a declaration",
"declarations begin with `shared`, `thread`, `process`, `const` or `enum`, properties with `forbid`, `always` or `finally`",
        )
    }

    fn thread(&mut self, is_process: bool) -> Parsed<Item> {
        let start = self.span();
        self.advance();
        let name =
            self.name(if is_process { "the name of the process" } else { "the name of the thread" })?;
        let mut copies = None;
        if self.eat("[") {
            copies = Some(match self.kind() {
                Kind::Sign("*") => {
                    self.advance();
                    Copies::Any
                }
                _ => Copies::Fixed(self.expression()?),
            });
            self.expect("]")?;
        }
        self.expect("{")?;
        let mut shared = Vec::new();
        let mut body = Vec::new();
        while !self.eat("}") {
            let first = self.at;
            if is_process && self.eat_word("shared") {
                let vars = self.list(Self::var);
                match vars.and_then(|vars| self.expect(";").map(|()| vars)) {
                    Ok(vars) => shared.extend(vars),
                    Err(Failed) => self.recover(first),
                }
            } else if !self.statement_into(&mut body) {
                break;
            }
        }
        Ok(Item::Thread(Thread { name, is_process, copies, shared, body, span: self.since(start) }))
    }

    /// The declaration of a variable or local.
    pub(crate) fn var(&mut self) -> Parsed<Var> {
        self.type_before_name();
        let name = self.name("the name of a variable")?;
        let size = match self.eat("[") {
            true => {
                let size = self.expression()?;
                self.expect("]")?;
                Some(size)
            }
            false => None,
        };
        let ty = if self.eat(":") { Some(self.ty()?) } else { None };
        let initial = if self.eat("=") { Some(self.initial()?) } else { None };
        Ok(Var { name, size, ty, initial })
    }

    fn ty(&mut self) -> Parsed<Type> {
        let bits = |width, signed| Some(Type::Bits { width, signed });
        let simple = match self.kind() {
            Kind::Word("int") => Some(Type::Int),
            Kind::Word("bool") => Some(Type::Bool),
            Kind::Word("u8") => bits(8, false),
            Kind::Word("i8") => bits(8, true),
            Kind::Word("u16") => bits(16, false),
            Kind::Word("i16") => bits(16, true),
            Kind::Word("u32") => bits(32, false),
            Kind::Word("i32") => bits(32, true),
            _ => None,
        };
        if let Some(ty) = simple {
            self.advance();
            return Ok(ty);
        }
        // A name alone is an enumeration; before `..` it is a constant.
        if !matches!(self.ahead(1), Kind::Sign(".." | "+" | "-" | "*" | "/" | "%"))
            && let Kind::Word(_) = self.kind()
        {
            return Ok(Type::Named(self.name(TYPE)?));
        }
        if !matches!(self.kind(), Kind::Word(_) | Kind::Number(_) | Kind::Sign("-" | "(")) {
            return self.expected(TYPE);
        }
        let low = self.bound()?;
        self.expect("..")?;
        let high = self.bound()?;
        Ok(Type::Range(Box::new(low), Box::new(high)))
    }

    fn initial(&mut self) -> Parsed<Initial> {
        let start = self.span();
        if self.eat("{") {
            let list = self.list(Self::expression)?;
            self.expect("}")?;
            return Ok(Initial::List(list, self.since(start)));
        }
        if self.is("*") && matches!(self.ahead(1), Kind::Sign("," | ";")) {
            self.advance();
            return Ok(Initial::Any);
        }
        Ok(Initial::Value(self.expression()?))
    }
}

const TYPE: &str = "a type (`int`, `bool`, `0..9`, `u8`, `i8`, `u16`, `i16`, `u32`, `i32` or an enumeration)";
