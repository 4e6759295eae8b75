//! Tasks that begin with what others left, against the same tasks without.

use wattle_engine::{Hints, Task};
use wattle_program::passes::{Insertion, Place, Spot, forget_dead, insert};
use wattle_program::{Fence, Op, Program};

use super::{Trial, stated, with_buffers, word};
use crate::agree::ask;
use crate::compare::Disagreement;
use crate::laws::Obeyed;

impl Trial<'_> {
    /// The program, and with more and more fences: hints go from one to the next, as in the search for fences.
    pub fn keeps_to_hints(&self, program: &Program) -> Result<Obeyed, Disagreement> {
        let mut all = Obeyed::default();
        for memory in with_buffers() {
            let Ok(translation) = memory.translate(program) else { continue };
            let program = translation.program;
            let mut hints = Hints::default();
            for neighbour in [program.as_ref().clone(), fenced(&program, 2), fenced(&program, 1)] {
                let obeyed = self.keeps_to(&mut hints, &stated(&neighbour, memory));
                all.add(obeyed.map_err(|what| Disagreement {
                    model: memory.name.clone(),
                    subject: format!("{} with hints and without", self.subject.name()),
                    what,
                })?);
            }
        }
        Ok(all)
    }

    fn keeps_to(&self, hints: &mut Hints, task: &Task<'_>) -> Result<Obeyed, String> {
        let program = forget_dead(task.program);
        let cold = Task { program: &program, ..*task };
        if self.subject.accepts(&cold).is_err() {
            return Ok(Obeyed::default());
        }
        let warm = Task { hints: Some(hints), ..cold };
        let (without, with) =
            (ask(self.subject, self.effort, &cold)?, ask(self.subject, self.effort, &warm)?);
        self.looked_at(task, &with)?;
        let what = match (word(&without), word(&with)) {
            (one, other) if one == other && hints.is_empty() => "without hints yet",
            (one, other) if one == other => "the same with hints",
            ("unknown", _) => "decided with hints only",
            (_, "unknown") => "decided without hints only",
            (one, other) => return Err(format!("{one} without hints, {other} with")),
        };
        self.count(format!("hints: {what}"), task);
        hints.learn(with.hints);
        Ok(Obeyed { compared: true, telling: word(&without) == "unsafe" })
    }
}

/// The program with a full fence after every store, or after every other one.
pub fn fenced(program: &Program, every: usize) -> Program {
    let fence = program.vocabulary.fences().into_iter().max_by_key(|fence| fence.orders.0.count_ones());
    let mut places = vec![];
    for process in program.process_ids() {
        for edge in &program.process(process).cfg.edges {
            let stores = edge.ops.iter().any(|op| matches!(op, Op::Store { .. }));
            let place = Place { process, copy: None, spot: Spot::After(edge.origin) };
            if stores && !places.contains(&place) {
                places.push(place);
            }
        }
    }
    let op = Op::Fence(fence.unwrap_or_else(Fence::full));
    let insertion = |place| Insertion { place, op: op.clone() };
    insert(program, &places.into_iter().step_by(every).map(insertion).collect::<Vec<_>>())
}
