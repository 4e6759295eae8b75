//! Text to program.
//!
//! Two passes over the lines: the first collects names, sorts and labels, so that the second can
//! read terms that speak of what comes later. Each line that is wrong gives one error.

use wattle_logic::{Sort, Term};
use wattle_source::{Diagnostic, FileId, Sources, Span};

use super::codes;
use super::lex::{Kind, Token, lex};
use super::term::{Line, Read};
use crate::{
    Broadcast, Cfg, Choice, Condition, Dimension, Edge, Enumeration, Fence, Init, Local, Mode, Name, Op,
    Orders, Origin, Place, Point, PointInfo, Process, Program, Property, PropertyKind, Question, Range,
    Replicas, Role, Source, Tags, Update, Variable, Vocabulary,
};

/// See the module `text`. The result need not be valid; `validate` tells.
pub fn parse(sources: &Sources, file: FileId) -> Result<Program, Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let mut lines: Vec<Vec<Token>> = Vec::new();
    let mut start = 0;
    for line in sources.text(file).split('\n') {
        match lex(line, file, start) {
            Ok(tokens) if tokens.len() > 1 => lines.push(tokens),
            Ok(_) => {}
            Err(problem) => problems.push(problem),
        }
        start += line.len() + 1;
    }
    let header =
        lines.first().is_some_and(|line| line[0].is("wir") && line[1].text == "1" && line.len() == 3);
    if !header {
        let span = lines.first().map_or(Span::new(file, 0, 0), |line| line[0].span);
        let problem = Diagnostic::error(codes::HEADER, span, "expected `wir 1` on the first line");
        return Err(vec![problem.expecting("expected `wir 1`")]);
    }
    lines.remove(0);
    let outline = outline(&lines);
    let mut program = Program::empty("", Vocabulary::Generic);
    for tokens in &lines {
        // Lines of a process speak of the one that was begun last.
        let current = program.processes.len().checked_sub(1);
        let inner = current.and_then(|current| outline.processes.get(current));
        let process = if is_inner(tokens) { inner } else { None };
        let mut line = Line::new(tokens, &outline, process);
        if let Err(problem) = read(&mut line, &mut program) {
            problems.push(*problem);
        }
    }
    problems.sort_by_key(Diagnostic::span);
    if problems.is_empty() { Ok(program) } else { Err(problems) }
}

fn is_inner(tokens: &[Token]) -> bool {
    ["local", "entry", "point", "edge"].iter().any(|word| tokens[0].is(word))
}

/// Names, sorts and labels. Lines that are wrong are left to the second pass.
fn outline(lines: &[Vec<Token>]) -> Program {
    let mut outline = Program::empty("", Vocabulary::Generic);
    for tokens in lines {
        // Sorts speak of enumerations, which come first.
        let before =
            Program { enumerations: outline.enumerations.clone(), ..Program::empty("", Vocabulary::Generic) };
        let mut line = Line::new(tokens, &before, None);
        let word = line.next();
        let _ = outline_line(&mut line, &word.text, &mut outline);
    }
    outline
}

fn outline_line(line: &mut Line<'_>, word: &str, outline: &mut Program) -> Read<()> {
    let sort_after_colon = |line: &mut Line<'_>| -> Read<Sort> {
        while !line.accept(":") {
            if line.peek().kind == Kind::End {
                return Ok(Sort::Int);
            }
            line.next();
        }
        line.sort()
    };
    match word {
        "enum" => outline.enumerations.push(enumeration(line)?),
        "variable" => {
            let name = line.name()?;
            let sort = sort_after_colon(line).unwrap_or(Sort::Int);
            outline.variables.push(Variable {
                name,
                sort,
                dimensions: vec![],
                range: None,
                init: Init::Any,
                unbuffered: false,
                place: None,
                owner: None,
                span: Span::NOWHERE,
            });
        }
        "process" => {
            let (replicas, locals, cfg) = (Replicas::Once, vec![], Cfg::default());
            outline.processes.push(Process {
                name: line.name()?,
                replicas,
                locals,
                cfg,
                span: Span::NOWHERE,
            });
        }
        "local" => {
            let Some(process) = outline.processes.last_mut() else { return Ok(()) };
            let name = line.name()?;
            let sort = sort_after_colon(line).unwrap_or(Sort::Int);
            process.locals.push(Local { name, sort, range: None, init: Init::Any, hidden: false });
        }
        "point" => {
            let Some(process) = outline.processes.last_mut() else { return Ok(()) };
            let mut info = PointInfo::default();
            while line.peek().kind != Kind::End {
                if line.accept("label") {
                    info.labels.push(line.name()?);
                } else {
                    line.next();
                }
            }
            process.cfg.add_point(info);
        }
        _ => {}
    }
    Ok(())
}

fn enumeration(line: &mut Line<'_>) -> Read<Enumeration> {
    let name = line.name()?;
    line.expect("{")?;
    let mut constructors = Vec::new();
    while !line.accept("}") {
        constructors.push(line.name()?);
    }
    Ok(Enumeration { name, constructors })
}

fn read(line: &mut Line<'_>, program: &mut Program) -> Read<()> {
    let word = line.next();
    let name = if word.kind == Kind::Word { word.text.as_str() } else { "" };
    match name {
        "program" => {
            let token = line.next();
            if token.kind != Kind::Quoted {
                line.at -= 1;
                return line.unexpected("a name in quotes");
            }
            program.name = token.text.as_str().into();
        }
        "vocabulary" => {
            let token = line.next();
            match Vocabulary::ALL.iter().find(|(name, _)| *name == token.text) {
                Some((_, vocabulary)) => program.vocabulary = *vocabulary,
                None => {
                    let message = format!("there is no vocabulary {}", token.describe());
                    return line.error(codes::UNKNOWN_NAME, token.span, message);
                }
            }
        }
        "enum" => program.enumerations.push(enumeration(line)?),
        "variable" => program.variables.push(variable(line)?),
        "process" => program.processes.push(process(line)?),
        "init" => program.init = Some(line.term()?),
        "filter" => program.filter = Some(line.term()?),
        "condition" => {
            let token = line.next();
            let Some(question) = Question::ALL.into_iter().find(|question| question.name() == token.text)
            else {
                line.at -= 1;
                return line.unexpected("`exists`, `never` or `forall`");
            };
            let formula = line.term()?;
            program.condition = Some(Condition { question, formula, span: line.span()? });
        }
        "observe" => program.observed.push(line.term()?),
        "predicate" => program.predicates.push(line.term()?),
        "forbid" | "always" | "finally" => {
            let kind = match name {
                "forbid" => PropertyKind::Forbid,
                "always" => PropertyKind::Always,
                _ => PropertyKind::Finally,
            };
            let formula = line.term()?;
            program.properties.push(Property { kind, formula, span: line.span()? });
        }
        "local" | "entry" | "point" | "edge" => {
            let Some(process) = program.processes.last_mut() else {
                return line.error(codes::SYNTAX, word.span, format!("`{name}` before the first `process`"));
            };
            match name {
                "local" => process.locals.push(local(line)?),
                "entry" => process.cfg.entry = Point(line.number()?),
                "point" => point(line, &mut process.cfg)?,
                _ => process.cfg.edges.push(edge(line)?),
            }
        }
        _ => {
            line.at = 0;
            return line.unexpected("`variable`, `process`, `edge` or another beginning of a line");
        }
    }
    line.end()
}

fn variable(line: &mut Line<'_>) -> Read<Variable> {
    let name = line.name()?;
    let mut dimensions = Vec::new();
    while line.accept("[") {
        dimensions.push(match line.accept("copies") {
            true => Dimension::Copies(line.process_reference()?),
            false => Dimension::Fixed(line.number()?),
        });
        line.expect("]")?;
    }
    line.expect(":")?;
    let sort = line.sort()?;
    let range = range(line)?;
    let init = init(line)?;
    let unbuffered = line.accept("unbuffered");
    let place = if line.accept("part") { Some(place(line)?) } else { None };
    let owner = if line.accept("owner") { Some(line.process_reference()?) } else { None };
    Ok(Variable { name, sort, dimensions, range, init, unbuffered, place, owner, span: line.span()? })
}

/// `part 3 at 8 by 16 4`: the object by the number of its first variable, the offset, the strides.
fn place(line: &mut Line<'_>) -> Read<Place> {
    let object = line.number()?;
    line.expect("at")?;
    let offset = line.number()?;
    let mut strides = Vec::new();
    if line.accept("by") {
        while line.peek().kind == Kind::Number {
            strides.push(line.number()?);
        }
    }
    Ok(Place { object, offset, strides })
}

fn range(line: &mut Line<'_>) -> Read<Option<Range>> {
    if !line.accept("range") {
        return Ok(None);
    }
    let low = line.integer()?;
    line.expect("..")?;
    let span = line.peek().span;
    let high = line.integer()?;
    if high < low {
        return line.error(codes::RANGE, span, format!("the range {low}..{high} is empty"));
    }
    Ok(Some(Range { low, high }))
}

fn init(line: &mut Line<'_>) -> Read<Init> {
    line.expect("init")?;
    if line.accept("any") {
        return Ok(Init::Any);
    }
    let mut values = Vec::new();
    if !line.accept("none") {
        values.push(line.term()?);
        while line.accept(",") {
            values.push(line.term()?);
        }
    }
    Ok(Init::Values(values))
}

fn process(line: &mut Line<'_>) -> Read<Process> {
    let name = line.name()?;
    let replicas = match line.accept("copies") {
        false => Replicas::Once,
        true if line.accept("any") => Replicas::Any,
        true => Replicas::Exactly(line.number()?),
    };
    Ok(Process { name, replicas, locals: vec![], cfg: Cfg::default(), span: line.span()? })
}

fn local(line: &mut Line<'_>) -> Read<Local> {
    let name = line.name()?;
    line.expect(":")?;
    let sort = line.sort()?;
    let range = range(line)?;
    let init = init(line)?;
    Ok(Local { name, sort, range, init, hidden: line.accept("hidden") })
}

fn point(line: &mut Line<'_>, cfg: &mut Cfg) -> Read<()> {
    let token = line.peek();
    let number: u32 = line.number()?;
    if number as usize != cfg.points.len() {
        let message = format!("points are numbered in their order: this is number {}", cfg.points.len());
        return line.error(codes::SYNTAX, token.span, message);
    }
    let mut info = PointInfo::default();
    while line.accept("label") {
        info.labels.push(line.name()?);
    }
    info.end = line.accept("end");
    if line.accept("inside") {
        match mode(line) {
            Some(mode) => info.inside = Some(mode),
            None => return line.unexpected("`plain`, `locked` or `buffered`"),
        }
    }
    info.origin = Origin(line.span()?);
    cfg.add_point(info);
    Ok(())
}

fn mode(line: &mut Line<'_>) -> Option<Mode> {
    let modes = [("plain", Mode::Plain), ("locked", Mode::Locked), ("buffered", Mode::Buffered)];
    modes.into_iter().find(|(name, _)| line.accept(name)).map(|(_, mode)| mode)
}

fn edge(line: &mut Line<'_>) -> Read<Edge> {
    let from = Point(line.number()?);
    line.expect("->")?;
    let to = Point(line.number()?);
    let mode = mode(line).unwrap_or_default();
    let roles = [("retries", Role::Retries), ("asserts", Role::Asserts)];
    let role = roles.into_iter().find(|(name, _)| line.accept(name)).map_or(Role::Step, |(_, role)| role);
    let guard = if line.accept("when") { line.term()? } else { Term::bool(true) };
    let mut ops = Vec::new();
    if line.accept("do") {
        ops.push(op(line)?);
        while line.accept(";") {
            ops.push(op(line)?);
        }
    }
    Ok(Edge { from, guard, ops, to, mode, role, origin: Origin(line.span()?) })
}

fn op(line: &mut Line<'_>) -> Read<Op> {
    let token = line.peek();
    let word = if token.kind == Kind::Word { token.text.as_str() } else { "" };
    line.next();
    Ok(match word {
        "load" | "load_exclusive" => {
            let into = line.local()?;
            line.expect("from")?;
            let address = line.term()?;
            let tags = tags(line)?;
            match word {
                "load" => Op::Load { into, address, tags },
                _ => Op::LoadExclusive { into, address, tags },
            }
        }
        "store" => {
            let (address, value) = equation(line)?;
            Op::Store { address, value, tags: tags(line)? }
        }
        "store_conditional" => {
            let success = line.local()?;
            line.expect("to")?;
            let (address, value) = equation(line)?;
            Op::StoreConditional { success, address, value, tags: tags(line)? }
        }
        "together" => {
            line.expect("{")?;
            let mut stores = Vec::new();
            if !line.accept("}") {
                stores.push(broadcast(line)?);
                while line.accept(",") {
                    stores.push(broadcast(line)?);
                }
                line.expect("}")?;
            }
            Op::Together { stores }
        }
        "assign" => {
            let local = line.local()?;
            line.expect("=")?;
            Op::Assign { local, value: line.term()? }
        }
        "havoc" => {
            let local = line.local()?;
            let among = if line.accept("from") {
                let low = line.term()?;
                line.expect("to")?;
                Choice::Between(low, line.term()?)
            } else if line.accept("in") {
                Choice::Member(line.term()?)
            } else {
                Choice::Any
            };
            Op::Havoc { local, among }
        }
        "forget" => Op::Forget { local: line.local()? },
        "assume" => Op::Assume { condition: line.term()? },
        "assert" => {
            let condition = line.term()?;
            Op::Assert { condition, span: line.span()? }
        }
        "fence" => Op::Fence(fence(line)?),
        "put" => {
            let remote = line.term()?;
            let source = if line.accept("from") {
                Source::Location(line.term()?)
            } else {
                line.expect("=")?;
                Source::Value(line.term()?)
            };
            Op::Put { remote, source }
        }
        "get" => {
            let into = line.term()?;
            line.expect("from")?;
            Op::Get { into, remote: line.term()? }
        }
        "remote" => {
            let remote = line.term()?;
            let update = if line.accept("add") {
                Update::Add(line.term()?)
            } else if line.accept("replace") {
                Update::Replace(line.term()?)
            } else if line.accept("cas") {
                let expected = line.term()?;
                line.expect("to")?;
                Update::CompareAndSwap { expected, new: line.term()? }
            } else {
                return line.unexpected("`add`, `replace` or `cas`");
            };
            let into = if line.accept("into") { Some(line.term()?) } else { None };
            Op::RemoteAtomic { into, remote, update }
        }
        "flush" | "spawn" | "join" => {
            let (process, copy) = line.copy()?;
            match word {
                "flush" => Op::Flush { process, copy },
                "spawn" => Op::Spawn { process, copy },
                _ => Op::Join { process, copy },
            }
        }
        "cut" | "unsupported" => {
            let (what, span) = (line.name()?, line.span()?);
            if word == "cut" { Op::Cut { what, span } } else { Op::Unsupported { what, span } }
        }
        _ => {
            let message =
                format!("expected an operation such as `load` or `store`, found {}", token.describe());
            return line.error(codes::SYNTAX, token.span, message);
        }
    })
}

/// `each ?0 in p: address = value when condition`
fn broadcast(line: &mut Line<'_>) -> Read<Broadcast> {
    let mut each = Vec::new();
    while line.accept("each") {
        line.expect("?")?;
        let bound = line.number()?;
        line.expect("in")?;
        each.push((bound, line.process_reference()?));
        line.expect(":")?;
    }
    let (address, value) = equation(line)?;
    let when = if line.accept("when") { line.term()? } else { Term::bool(true) };
    Ok(Broadcast { each, when, address, value })
}

/// `address = value`
fn equation(line: &mut Line<'_>) -> Read<(Term, Term)> {
    let address = line.term()?;
    line.expect("=")?;
    Ok((address, line.term()?))
}

fn tags(line: &mut Line<'_>) -> Read<Tags> {
    let mut tags = Tags::new();
    if line.accept("tagged") {
        while line.is_name() {
            tags.insert(line.name()?);
        }
    }
    Ok(tags)
}

fn fence(line: &mut Line<'_>) -> Read<Fence> {
    // A fence is mostly called `fence`, a word of this language.
    let tag: Name = if line.accept("fence") { "fence".into() } else { line.name()? };
    let mut orders = Orders::NONE;
    if line.accept("bits") {
        orders = Orders(line.number()?);
    }
    while let Some((_, order)) = Orders::NAMES.into_iter().find(|(name, _)| line.accept(name)) {
        orders = orders.union(order);
    }
    let cumulative = line.accept("cumulative");
    let location = if line.accept("at") { Some(line.term()?) } else { None };
    Ok(Fence { tag, orders, cumulative, location })
}
