//! From C's tree to a program: one process for `main` and one for each place that creates threads.
//!
//! Functions are inlined where they are called, so that every process is one control-flow graph. Only what `main` and
//! its threads reach is translated. A scalar local whose address goes nowhere is a register; every other object is
//! memory, one variable for each scalar in it, laid out as C does ([`Place`]).
//!
//! A statement that wattle does not handle becomes an operation that is *unsupported*, by its name; what a bound of
//! ours cuts off (recursion, creation in loops, heap cells) becomes one that says so.

mod arguments;
mod atomics;
mod blocks;
mod call;
mod expression;
mod graph;
mod heap;
mod initial;
mod letters;
mod link;
mod lists;
mod locks;
mod place;
mod statement;
mod threads;
mod value;

use std::collections::{HashMap, VecDeque};

use lang_c::ast::*;
use lang_c::span::Node;
use wattle_logic::{Binary, Sort, Term};
use wattle_program::{
    Choice, Dimension, Init, Local, Name, Op, Place, Process, ProcessId, Program, Replicas, Tags, Variable,
    Vocabulary, passes,
};
use wattle_source::{Diagnostic, Span, did_you_mean};

use crate::codes;
use crate::declare::{Declares, Meaning, Scopes, Storage, is_opaque};
use crate::look::{Look, declared_name, function_declarator};
use crate::places::Places;
use crate::refusal::{Low, Refusal, wrong};
use crate::settings::Settings;
use crate::types::{Kind, Type, Types};
use graph::Graph;
use heap::Pool;
use place::Lvalue;
use threads::{Creation, Waiting};

/// More points than this in one thread are the sign of functions that call each other without end.
const MOST_POINTS: usize = 200_000;

pub(crate) struct Lowered {
    pub program: Program,
    pub problems: Vec<Diagnostic>,
}

/// The program of these files, with their names. The last may be the library.
pub(crate) fn lower(
    names: &[&str],
    units: &[TranslationUnit],
    has_library: bool,
    places: &Places<'_>,
    settings: &Settings,
) -> Lowered {
    let mut lowering = Unit::new(names, units, places, settings);
    lowering.library = has_library.then(|| units.len() - 1);
    if units.len() > 1 {
        lowering.scopes.shared.agreeing = link::agreeing(units, places, settings);
    }
    for (file, unit) in units.iter().enumerate() {
        lowering.scopes.turn_to(file);
        lowering.declare_all(unit);
    }
    let main = match lowering.scopes.shared.externals.get("main") {
        Some(Meaning::Function(main)) => Some(*main),
        _ => None,
    };
    match main.filter(|main| lowering.functions[*main].definition.is_some()) {
        Some(main) => lowering.threads(main),
        None => {
            let problem = Diagnostic::error(codes::MAIN, Span::NOWHERE, "there is no function `main`");
            lowering.problems.push(problem);
        }
    }
    Lowered { program: lowering.program, problems: lowering.problems }
}

/// A global variable, or a static one of a function.
struct Global<'a> {
    name: String,
    of: Type,
    initializer: Option<&'a Node<Initializer>>,
    storage: Storage,
    span: Span,
    /// The file that it is declared in, first.
    file: usize,
    /// Of one that is not this file's alone: where it is defined, and whether with a value.
    defined: Option<(usize, Span, bool)>,
    /// Has it memory yet?
    object: Option<usize>,
    constant: Option<Option<i64>>,
}

struct Function<'a> {
    name: String,
    /// What tells it from others of the same name ([`Look::key`]).
    key: String,
    of: Type,
    definition: Option<&'a Node<FunctionDefinition>>,
    /// Where its names mean what its body means.
    file: usize,
    span: Span,
}

/// Memory: the variables of its scalars, by their paths.
struct Object {
    leaves: Vec<(String, u32, Type)>,
}

/// What all threads share.
struct Unit<'a> {
    places: &'a Places<'a>,
    /// The file of the library. What users say of the types of its functions may differ in `const` and the like.
    library: Option<usize>,
    /// The names of the files, without folders.
    files: Vec<String>,
    settings: &'a Settings,
    types: Types,
    scopes: Scopes,
    look: Look,
    globals: Vec<Global<'a>>,
    functions: Vec<Function<'a>>,
    objects: Vec<Object>,
    pools: Vec<Pool>,
    /// The memory of texts, by their bytes.
    texts: HashMap<Vec<i64>, usize>,
    program: Program,
    creations: Vec<Creation>,
    /// Threads that are created somewhere and still to be translated.
    waiting: VecDeque<Waiting<'a>>,
    /// Calls and creations of threads so far.
    calls: u32,
    /// Numbers for threads, as `pthread_t` holds them.
    next_thread: i64,
    frees: bool,
    /// Does somebody ask for the result of a thread?
    results: bool,
    problems: Vec<Diagnostic>,
}

impl<'a> Unit<'a> {
    fn new(
        names: &[&str],
        units: &'a [TranslationUnit],
        places: &'a Places<'a>,
        settings: &'a Settings,
    ) -> Unit<'a> {
        Unit {
            places,
            files: names.iter().map(|name| name.rsplit('/').next().unwrap_or(name).to_owned()).collect(),
            library: None,
            settings,
            types: Types { model: settings.data_model, records: vec![] },
            scopes: Scopes::new(units.len()),
            look: Look::at(units),
            globals: vec![],
            functions: vec![],
            objects: vec![],
            pools: vec![],
            texts: HashMap::new(),
            program: Program::empty(names.first().copied().unwrap_or_default(), Vocabulary::C11),
            creations: vec![],
            waiting: VecDeque::new(),
            calls: 0,
            next_thread: 1,
            frees: units.iter().any(heap::frees),
            results: units.iter().any(threads::wants_results),
            problems: vec![],
        }
    }

    fn declare_all(&mut self, unit: &'a TranslationUnit) {
        for item in &unit.0 {
            let done = match &item.node {
                ExternalDeclaration::Declaration(declaration) => self.declaration(declaration),
                ExternalDeclaration::FunctionDefinition(function) => self.definition(function),
                ExternalDeclaration::StaticAssert(_) => Ok(()),
            };
            // What cannot be declared is missed where it is used.
            if let Err(refusal) = done {
                self.problem(&refusal);
                if let ExternalDeclaration::Declaration(declaration) = &item.node {
                    for declarator in &declaration.node.declarators {
                        let name = declared_name(&declarator.node.declarator);
                        let meaning = Meaning::Refused(refusal.what.clone());
                        name.into_iter().for_each(|name| self.scopes.declare(&name, meaning.clone()));
                    }
                }
            }
        }
    }

    fn problem(&mut self, refusal: &Refusal) {
        self.problems.extend(self.diagnostic(refusal));
    }

    fn declaration(&mut self, declaration: &'a Node<Declaration>) -> Low<()> {
        let (base, storage) = self.declared(&declaration.node.specifiers)?;
        for declarator in &declaration.node.declarators {
            let (name, of) = self.derived(base.clone(), &declarator.node.declarator)?;
            let Some(name) = name else { continue };
            self.declare_one(name, of, storage, declarator.node.initializer.as_ref(), declarator.span)?;
        }
        Ok(())
    }

    fn declare_one(
        &mut self,
        name: String,
        of: Type,
        storage: Storage,
        initializer: Option<&'a Node<Initializer>>,
        span: lang_c::span::Span,
    ) -> Low<()> {
        if storage.is_typedef {
            let of = match name.as_str() {
                "pthread_t" | "thrd_t" => Type::plain(Kind::Thread),
                name if is_opaque(name) => Type::plain(Kind::Opaque),
                _ => self.shared_type(&name, of),
            };
            self.scopes.declare(&name, Meaning::Typedef(of));
        } else if matches!(of.kind, Kind::Function(_)) {
            if self.function_named(&name).is_none() {
                self.add_function(&name, of, span)?;
            }
        } else {
            self.global(name, of, storage, initializer, span)?;
        }
        Ok(())
    }

    /// A global may be declared several times; one of them may define it.
    fn global(
        &mut self,
        name: String,
        of: Type,
        storage: Storage,
        initializer: Option<&'a Node<Initializer>>,
        span: lang_c::span::Span,
    ) -> Low<()> {
        let of = self.completed(of, initializer)?;
        let at_top = self.scopes.depth() == 1;
        // An `extern` inside of a function is the variable of that name outside, even where a local hides it.
        let known = match self.scopes.global(&name) {
            Some(Meaning::Global(number)) if at_top || storage.is_extern => Some(*number),
            _ => None,
        };
        let is_external = !storage.is_static && (at_top || storage.is_extern);
        let known = match known {
            None if is_external => self.external_global(&name, &of, span)?,
            known => known,
        };
        match known {
            Some(number) => {
                self.scopes.declare(&name, Meaning::Global(number));
                if at_top {
                    self.defines(number, storage, initializer.is_some(), span)?;
                }
                let global = &mut self.globals[number];
                global.initializer = global.initializer.or(initializer);
                if self.types.size(&global.of).is_none() {
                    global.of = of;
                }
                global.storage.is_extern &= storage.is_extern && initializer.is_none();
            }
            None => {
                let number = self.globals.len();
                let at = self.places.span(span);
                let own = Storage { is_extern: storage.is_extern && initializer.is_none(), ..storage };
                self.globals.push(Global {
                    name: name.clone(),
                    of,
                    initializer,
                    storage: own,
                    span: at,
                    file: self.scopes.file(),
                    defined: None,
                    object: None,
                    constant: None,
                });
                self.scopes.declare(&name, Meaning::Global(number));
                if is_external {
                    self.scopes.shared.externals.insert(name, Meaning::Global(number));
                }
                if at_top {
                    self.defines(number, storage, initializer.is_some(), span)?;
                }
            }
        }
        Ok(())
    }

    fn definition(&mut self, function: &'a Node<FunctionDefinition>) -> Low<()> {
        let Some(name) = declared_name(&function.node.declarator) else { return Ok(()) };
        let (base, _) = self.declared(&function.node.specifiers)?;
        let (_, of) = self.derived(base, &function.node.declarator)?;
        let span = function.node.declarator.span;
        let number = match self.function_named(&name) {
            Some(number) => number,
            None => self.add_function(&name, of.clone(), span)?,
        };
        let known = &self.functions[number];
        if known.definition.is_some() {
            return self.twice(&known.name.clone(), span, known.span);
        }
        let (file, span) = (self.scopes.file(), self.places.span(span));
        let known = &mut self.functions[number];
        (known.of, known.definition, known.file, known.span) = (of, Some(function), file, span);
        Ok(())
    }

    fn function_named(&self, name: &str) -> Option<usize> {
        match self.scopes.global(name) {
            Some(Meaning::Function(number)) => Some(*number),
            _ => None,
        }
    }

    fn undeclared<T>(&self, name: &str, span: lang_c::span::Span) -> Low<T> {
        let hint = did_you_mean(name, self.scopes.all()).map_or(String::new(), |hint| format!("; {hint}"));
        wrong(codes::UNDECLARED, format!("`{name}` is not declared{hint}"), span)
    }

    /// Make memory for an object. `leading` are dimensions before those of the type.
    fn object(
        &mut self,
        name: &str,
        of: &Type,
        leading: &[(Dimension, u32)],
        init: &dyn Fn(&Unit<'a>, usize) -> Init,
    ) -> Result<usize, String> {
        let leaves = self.types.leaves(of)?;
        if leaves.is_empty() {
            return Err("an object without content".into());
        }
        let first = self.program.variables.len() as u32;
        let gaps = "[]".repeat(leading.len());
        let mut made = Vec::new();
        for (number, leaf) in leaves.iter().enumerate() {
            let own = leaf.dimensions.iter().map(|(length, stride)| (Dimension::Fixed(*length), *stride));
            let (dimensions, strides): (Vec<_>, Vec<_>) = leading.iter().copied().chain(own).unzip();
            made.push((leaf.path.clone(), first + number as u32, leaf.of.clone()));
            let init = init(self, number);
            self.program.variables.push(Variable {
                name: format!("{name}{gaps}{}", leaf.path).into(),
                sort: leaf.of.sort(),
                dimensions,
                range: None,
                init,
                unbuffered: false,
                place: Some(Place { object: first, offset: leaf.offset as u32, strides }),
                owner: None,
                span: Span::NOWHERE,
            });
        }
        self.objects.push(Object { leaves: made });
        Ok(self.objects.len() - 1)
    }
}

impl Declares for Unit<'_> {
    fn types(&mut self) -> &mut Types {
        &mut self.types
    }
    fn scopes(&mut self) -> &mut Scopes {
        &mut self.scopes
    }
    fn layouts(&self, span: lang_c::span::Span) -> Vec<(usize, crate::prefilter::Layout)> {
        self.places.layouts(span)
    }
    fn constant(&mut self, expression: &Node<Expression>) -> Low<i64> {
        initial::constant(self, expression)
    }
    fn type_of(&mut self, expression: &Node<Expression>) -> Low<Type> {
        initial::type_of(self, expression)
    }
}

/// Where a local lives.
#[derive(Clone, Debug)]
enum Home {
    /// One register for each scalar, by offset.
    Registers(usize),
    Object(usize),
    /// A parameter that is another name for what it points to.
    Reference(Box<Lvalue>),
}

#[derive(Clone, Debug)]
struct Owned {
    of: Type,
    home: Home,
}

/// A function that is being inlined.
struct Frame<'a> {
    function: Option<usize>,
    labels: HashMap<String, wattle_program::Point>,
    breaks: Vec<wattle_program::Point>,
    continues: Vec<wattle_program::Point>,
    switches: Vec<statement::Switch<'a>>,
    returns: wattle_program::Point,
    result: Option<usize>,
    /// How many times loops around this place run, if that is known; `None` if it is not.
    rounds: Option<u32>,
}

/// One thread while it is translated.
struct Body<'u, 'a> {
    unit: &'u mut Unit<'a>,
    process: ProcessId,
    copies: u32,
    graph: Graph,
    locals: Vec<Local>,
    owned: Vec<Owned>,
    /// Registers of variables, by offset.
    registers: Vec<Vec<(u64, u32, Type)>>,
    frames: Vec<Frame<'a>>,
    /// What an atomic section has read and written so far.
    cache: place::Cache,
    thread_locals: HashMap<usize, Owned>,
    /// What a pointer that is being assigned points to, for allocations that do not say it.
    hint: Option<Type>,
    /// How many statements the present one stands in.
    nested: u32,
    /// The functions in which the thread was created, and its creator.
    chain: Vec<usize>,
}

impl<'a> Body<'_, 'a> {
    fn register(&mut self, name: impl Into<Name>, sort: Sort, hidden: bool) -> u32 {
        let init = Init::Values(vec![Term::value(sort.zero(), sort)]);
        self.locals.push(Local { name: name.into(), sort, range: None, init, hidden });
        self.locals.len() as u32 - 1
    }

    fn temporary(&mut self, sort: Sort) -> u32 {
        let name = format!("t{}", self.locals.len());
        self.register(name, sort, true)
    }

    fn local_term(&self, local: u32) -> Term {
        Term::local(local, self.locals[local as usize].sort)
    }

    /// A copy of a value, which later assignments do not change.
    fn kept(&mut self, term: Term) -> Term {
        if term.as_value().is_some() || term.locals().is_empty() {
            return term;
        }
        let local = self.temporary(term.sort());
        self.graph.op(Op::Assign { local, value: term });
        self.local_term(local)
    }

    fn frame(&mut self) -> &mut Frame<'a> {
        self.frames.last_mut().expect("statements are inside a function")
    }

    /// What a bound of ours cuts off: the thread stops, and the answer says so.
    fn cut(&mut self, what: &str, span: lang_c::span::Span) {
        let span = self.unit.places.span(span);
        self.write_back();
        self.graph.halt(cut(what, span));
    }

    fn unsupported(&mut self, refusal: &Refusal) {
        // What nothing reaches may speak of things that could not be declared.
        if self.graph.is_dead() {
            return;
        }
        self.unit.problem(refusal);
        let span = self.unit.places.span(refusal.span);
        self.write_back();
        self.graph.halt(Op::Unsupported { what: refusal.what.as_str().into(), span });
    }

    /// Where the condition holds, this cannot go on.
    fn refuse_if(&mut self, condition: Term, what: &str, span: lang_c::span::Span) {
        if condition.is_false() {
            return;
        }
        self.write_back();
        let (bad, good) = self.graph.branch(condition);
        self.graph.continue_at(bad);
        let span = self.unit.places.span(span);
        self.graph.halt(Op::Unsupported { what: what.into(), span });
        self.graph.continue_at(good);
    }

    /// Any value of a type, into a register.
    fn any(&mut self, of: &Type) -> value::Value {
        let local = self.temporary(of.sort());
        self.graph.op(Op::Havoc { local, among: Choice::Any });
        value::Value::new(self.local_term(local), of)
    }

    fn finish(self, name: &str, replicas: Replicas, span: Span) -> Process {
        let cfg = self.graph.finish();
        let mut process = Process { name: name.into(), replicas, locals: self.locals, cfg, span };
        forget_choices(&mut process);
        process
    }
}

/// Locals that are declared without a value hold any value; where nobody looks at it, no choice is needed.
fn forget_choices(process: &mut Process) {
    let live = passes::liveness(process, &Default::default(), |_| false);
    for edge in &mut process.cfg.edges {
        let mut after = live[edge.to.0 as usize].clone();
        let mut kept = Vec::with_capacity(edge.ops.len());
        for op in edge.ops.drain(..).rev() {
            let dead = match &op {
                Op::Havoc { local, .. } => !after.contains(local),
                Op::Assign { local, value } => !after.contains(local) && !divides(value),
                _ => false,
            };
            if dead {
                continue;
            }
            if let Some(local) = op.sets() {
                after.remove(&local);
            }
            for term in wattle_program::op_terms(&op) {
                after.extend(term.locals());
            }
            kept.push(op);
        }
        kept.reverse();
        edge.ops = kept;
    }
}

/// May a term have no value?
fn divides(term: &Term) -> bool {
    let mut found = false;
    term.walk(&mut |node| {
        found |= matches!(node.kind(), wattle_logic::Kind::Binary(Binary::Divide | Binary::Remainder, ..));
    });
    found
}

fn cut(what: &str, span: Span) -> Op {
    Op::Cut { what: what.into(), span }
}

/// The tags of accesses that are not atomic.
fn plain() -> Tags {
    ["NA".into()].into()
}

/// The parameters of a function that is defined.
fn parameters(definition: &Node<FunctionDefinition>) -> &[Node<ParameterDeclaration>] {
    function_declarator(&definition.node.declarator).map_or(&[], |function| &function.node.parameters)
}
