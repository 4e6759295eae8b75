//! Remote operations and flushes.

use wattle_logic::{Binary, Sort, Term};
use wattle_program::{Dimension, Mode, Op, ProcessId, Source, Update};

use crate::writer::Writer;

pub(crate) fn statement(writer: &mut Writer<'_>) {
    let Some(remote) = remote_place(writer) else {
        // Nobody else is there.
        let load = writer.load().1;
        return writer.plain(load);
    };
    let op = match writer.rng.below(20) {
        0..=3 => put_value(writer, remote.clone()),
        4..=6 => Op::Put { remote: remote.address.clone(), source: Source::Location(own_place(writer)) },
        7..=11 => Op::Get { into: own_place(writer), remote: remote.address.clone() },
        12..=14 => atomic(writer, &remote),
        _ => return writer.plain(flush(&remote)),
    };
    // Loops that start operations and never wait have no end of pending ones.
    let waits = writer.rng.chance(if writer.loops > 0 { 850 } else { 150 });
    writer.graph.step(Mode::Plain, vec![op]);
    if waits {
        writer.plain(flush(&remote));
    }
}

#[derive(Clone, Debug)]
struct RemotePlace {
    address: Term,
    variable: u32,
    owner: ProcessId,
    copy: Term,
}

fn flush(remote: &RemotePlace) -> Op {
    Op::Flush { process: remote.owner, copy: remote.copy.clone() }
}

/// A cell in the memory of somebody else (or, for one of several copies, perhaps one's own).
fn remote_place(writer: &mut Writer<'_>) -> Option<RemotePlace> {
    let others: Vec<u32> = (0..writer.world.variables.len() as u32)
        .filter(|number| {
            let owner = writer.world.variables[*number as usize].owner;
            owner.is_some_and(|owner| owner.0 != writer.process || writer.copies() > 1)
        })
        .collect();
    if others.is_empty() {
        return None;
    }
    let variable = *writer.rng.pick(&others);
    let info = &writer.world.variables[variable as usize];
    let owner = info.owner?;
    let copies = writer.world.copies[owner.0 as usize];
    let next = Term::binary(Binary::Add, Term::me(), Term::int(1));
    let copy = match owner.0 == writer.process {
        true => Term::binary(Binary::Remainder, next, Term::int(i64::from(copies))),
        false => Term::int(i64::from(writer.rng.below(copies))),
    };
    let per_copy = matches!(info.dimensions.first(), Some(Dimension::Copies(_)));
    let address = Term::address(variable, if per_copy { vec![copy.clone()] } else { vec![] });
    Some(RemotePlace { address, variable, owner, copy })
}

fn own_place(writer: &mut Writer<'_>) -> Term {
    let mine: Vec<u32> = (0..writer.world.variables.len() as u32)
        .filter(|number| {
            writer.world.variables[*number as usize].owner.is_some_and(|owner| owner.0 == writer.process)
        })
        .collect();
    let variable = *writer.rng.pick(&mine);
    writer.address(variable)
}

fn put_value(writer: &mut Writer<'_>, remote: RemotePlace) -> Op {
    let value = writer.value_for(remote.variable);
    Op::Put { remote: remote.address, source: Source::Value(value) }
}

fn atomic(writer: &mut Writer<'_>, remote: &RemotePlace) -> Op {
    let into = writer.rng.chance(700).then(|| own_place(writer));
    let info = &writer.world.variables[remote.variable as usize];
    let wraps = matches!(info.sort, Sort::Bits { .. });
    let update = match writer.rng.below(3) {
        // Sums stay finite where they wrap round, or where they happen once.
        0 if wraps || writer.loops == 0 => Update::Add(Term::int(1)),
        1 => Update::Replace(writer.value_for(remote.variable)),
        _ => {
            let expected = Term::int(i64::from(writer.rng.below(2)));
            Update::CompareAndSwap { expected, new: writer.value_for(remote.variable) }
        }
    };
    Op::RemoteAtomic { into, remote: remote.address.clone(), update }
}
