//! A model as a program over slots.
//!
//! The core of a model is lowered once, for all tests: each node that an axiom needs gets a slot, and
//! an instruction that computes it from other slots. Instructions stand in the order in which axioms
//! need them, divided into three stages (`cat::analysis::Stage`): what is known before anything is chosen,
//! what needs `rf`, what needs `co`. An axiom is checked as soon as its slot is there. A second list
//! has what the *monotone* axioms need in any stage; the search runs it on parts of executions.
//!
//! There are two plans for each model, one for programs all of whose addresses are known beforehand
//! (then `loc` is), and one for the others.

use wattle_engine::Unsupported;
use wattle_memory::cat::{Core, Node, NodeId, Role, Test, Type, base};
use wattle_program::Name;

use wattle_memory::cat::analysis::{Coherence, Stage, coherence, stages};

pub(crate) type Slot = u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Empty,
    AllSet,
    AllRelation,
    Union,
    Intersection,
    Difference,
    Sequence,
    /// The rows of the second operand that the first, a set, has.
    FromSet,
    /// The columns of the first operand that the second, a set, has.
    IntoSet,
    Inverse,
    Closure,
    Identity,
    Product,
    Domain,
    Range,
    /// A variable of a group that has settled.
    Settled,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction {
    pub operator: Operator,
    pub target: Slot,
    /// Unused ones are the target itself.
    pub left: Slot,
    pub right: Slot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Compute(u32),
    Settle(u32),
    /// The axiom with this number.
    Check(u32),
}

#[derive(Clone, Debug)]
pub(crate) struct PlanGroup {
    /// The slots from outside that the bodies use.
    pub inputs: Vec<Slot>,
    pub bodies: Vec<Body>,
}

#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub steps: Vec<Step>,
    pub result: Slot,
    pub variable: Slot,
}

#[derive(Clone, Debug)]
pub(crate) struct Check {
    pub name: Name,
    pub role: Role,
    pub test: Test,
    pub negated: bool,
    pub slot: Slot,
}

/// A set or relation that the search provides.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    pub name: Name,
    pub slot: Slot,
    pub relation: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub slots: usize,
    pub bases: Vec<Base>,
    pub reads_from: Option<Slot>,
    pub coherence: Option<Slot>,
    pub last_writes: Option<Slot>,
    /// Where addresses are not known beforehand.
    pub location: Option<Slot>,
    pub instructions: Vec<Instruction>,
    pub groups: Vec<PlanGroup>,
    pub stages: [Vec<Step>; 3],
    /// What shows early that part of an execution breaks an axiom.
    pub early: Vec<Step>,
    pub checks: Vec<Check>,
    pub coherent: Coherence,
}

/// Both plans of a model.
#[derive(Clone, Debug)]
pub(crate) struct Plans {
    pub fixed: Plan,
    pub open: Plan,
}

impl Plans {
    pub(crate) fn new(core: &Core) -> Result<Plans, Unsupported> {
        Ok(Plans { fixed: lower(core, true)?, open: lower(core, false)? })
    }
}

fn lower(core: &Core, fixed: bool) -> Result<Plan, Unsupported> {
    let mut lowering = Lowering::new(core);
    let stages = stages(core, fixed);
    // Axioms that reject first, marks later; earlier stages first, in the order of the text.
    let mut order: Vec<usize> = (0..core.axioms.len()).collect();
    order.sort_by_key(|number| {
        let axiom = &core.axioms[*number];
        (axiom.role != Role::Require, stages[axiom.body.0 as usize].0)
    });
    // The steps so far that are made anew for each execution.
    let mut varying = Vec::new();
    for number in order {
        let axiom = &core.axioms[number];
        let (mut body, mut test) = (axiom.body, axiom.test);
        while let (Node::Closure(inner), Test::Acyclic | Test::Irreflexive) = (core.node(body), test) {
            (body, test) = (*inner, Test::Acyclic);
        }
        let (stage, grows) = stages[axiom.body.0 as usize];
        let slot = lowering.slot(body)?;
        let check = Step::Check(number as u32);
        (lowering.plan.checks[number].test, lowering.plan.checks[number].slot) = (test, slot);
        for (at, step) in std::mem::take(&mut lowering.made) {
            lowering.plan.stages[stages[at.0 as usize].0 as usize].push(step);
            if stages[at.0 as usize].0 != Stage::Static {
                varying.push((at, step));
            }
        }
        lowering.plan.stages[stage as usize].push(check);
        if grows && stage != Stage::Static && axiom.role == Role::Require && !axiom.negated {
            lowering.early(body, &varying);
            lowering.plan.early.push(check);
        }
    }
    let find =
        |bases: &[Base], name: &str| bases.iter().find(|base| &*base.name == name).map(|base| base.slot);
    let plan = &mut lowering.plan;
    plan.reads_from = find(&plan.bases, "rf");
    plan.coherence = find(&plan.bases, "co");
    plan.last_writes = find(&plan.bases, "FW");
    plan.location = find(&plan.bases, "loc").filter(|_| !fixed);
    Ok(lowering.plan)
}

fn operands(core: &Core, id: NodeId) -> Vec<NodeId> {
    match core.node(id) {
        Node::Union(a, b)
        | Node::Intersection(a, b)
        | Node::Difference(a, b)
        | Node::Sequence(a, b)
        | Node::Product(a, b) => vec![*a, *b],
        Node::Inverse(a) | Node::Closure(a) | Node::Identity(a) | Node::Domain(a) | Node::Range(a) => {
            vec![*a]
        }
        Node::Fixpoint(group, ..) => core.groups[*group as usize].bodies.clone(),
        Node::Base(..) | Node::Empty(_) | Node::All(_) | Node::Variable(..) => vec![],
    }
}

/// The nodes that a node is computed from.
fn needed(core: &Core, root: NodeId) -> Vec<bool> {
    let mut seen = vec![false; core.nodes.len()];
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        if !std::mem::replace(&mut seen[id.0 as usize], true) {
            open.extend(operands(core, id));
        }
    }
    seen
}

/// For each node, the groups whose variables it depends on and that have not settled there.
fn open_groups(core: &Core) -> Vec<Vec<u32>> {
    let mut open: Vec<Vec<u32>> = Vec::with_capacity(core.nodes.len());
    for (number, node) in core.nodes.iter().enumerate() {
        let mut groups: Vec<u32> = operands(core, NodeId(number as u32))
            .iter()
            .filter_map(|operand| open.get(operand.0 as usize))
            .flatten()
            .copied()
            .collect();
        match node {
            Node::Variable(group, ..) => groups.push(*group),
            Node::Fixpoint(group, ..) => groups.retain(|other| other != group),
            _ => {}
        }
        groups.sort_unstable();
        groups.dedup();
        open.push(groups);
    }
    open
}

struct Lowering<'a> {
    core: &'a Core,
    open: Vec<Vec<u32>>,
    slots: Vec<Option<Slot>>,
    variables: Vec<Vec<Option<Slot>>>,
    numbers: Vec<Option<u32>>,
    plan: Plan,
    /// The steps made since they were last taken, with the node that each computes.
    made: Vec<(NodeId, Step)>,
}

impl Lowering<'_> {
    fn new(core: &Core) -> Lowering<'_> {
        let checks = core.axioms.iter().map(|axiom| {
            let (name, role, test, negated) = (axiom.name.clone(), axiom.role, axiom.test, axiom.negated);
            Check { name, role, test, negated, slot: 0 }
        });
        Lowering {
            core,
            open: open_groups(core),
            slots: vec![None; core.nodes.len()],
            variables: core.groups.iter().map(|group| vec![None; group.bodies.len()]).collect(),
            numbers: vec![None; core.groups.len()],
            plan: Plan {
                slots: 0,
                bases: vec![],
                reads_from: None,
                coherence: None,
                last_writes: None,
                location: None,
                instructions: vec![],
                groups: vec![],
                stages: [vec![], vec![], vec![]],
                early: vec![],
                checks: checks.collect(),
                coherent: coherence(core),
            },
            made: vec![],
        }
    }

    /// Those of the steps that a node is computed by are taken early, too.
    fn early(&mut self, root: NodeId, steps: &[(NodeId, Step)]) {
        let core = self.core;
        let needed = needed(core, root);
        // Any variable of a group needs the step that settles it.
        let settles = |at: NodeId, other: usize| match (core.node(at), &core.nodes[other]) {
            (Node::Fixpoint(group, ..), Node::Fixpoint(same, ..)) => group == same && needed[other],
            _ => false,
        };
        for (at, step) in steps {
            let wanted = needed[at.0 as usize]
                || (matches!(step, Step::Settle(_))
                    && (0..core.nodes.len()).any(|other| settles(*at, other)));
            if wanted && !self.plan.early.contains(step) {
                self.plan.early.push(*step);
            }
        }
    }

    fn fresh(&mut self) -> Slot {
        self.plan.slots += 1;
        self.plan.slots as Slot - 1
    }

    /// The slot of a node; steps that compute it are appended to `made`.
    fn slot(&mut self, id: NodeId) -> Result<Slot, Unsupported> {
        if let Some(slot) = self.slots[id.0 as usize] {
            return Ok(slot);
        }
        let slot = match self.core.node(id) {
            Node::Base(name, sort) => self.base(name, *sort)?,
            Node::Variable(group, variable, _) => self.variable(*group, *variable),
            Node::Fixpoint(group, variable, _) => {
                self.settle(id, *group)?;
                let variable = self.variable(*group, *variable);
                self.instruction(id, Operator::Settled, Some(variable), None)
            }
            Node::Empty(_) => self.instruction(id, Operator::Empty, None, None),
            Node::All(Type::Set) => self.instruction(id, Operator::AllSet, None, None),
            Node::All(Type::Relation) => self.instruction(id, Operator::AllRelation, None, None),
            Node::Union(a, b) => self.binary(id, Operator::Union, *a, *b)?,
            Node::Intersection(a, b) => self.binary(id, Operator::Intersection, *a, *b)?,
            Node::Difference(a, b) => self.binary(id, Operator::Difference, *a, *b)?,
            Node::Sequence(a, b) => match (self.core.node(*a), self.core.node(*b)) {
                (Node::Identity(set), _) => self.binary(id, Operator::FromSet, *set, *b)?,
                (_, Node::Identity(set)) => self.binary(id, Operator::IntoSet, *a, *set)?,
                _ => self.binary(id, Operator::Sequence, *a, *b)?,
            },
            Node::Product(a, b) => self.binary(id, Operator::Product, *a, *b)?,
            Node::Inverse(a) => self.unary(id, Operator::Inverse, *a)?,
            Node::Closure(a) => self.unary(id, Operator::Closure, *a)?,
            Node::Identity(a) => self.unary(id, Operator::Identity, *a)?,
            Node::Domain(a) => self.unary(id, Operator::Domain, *a)?,
            Node::Range(a) => self.unary(id, Operator::Range, *a)?,
        };
        self.slots[id.0 as usize] = Some(slot);
        Ok(slot)
    }

    fn unary(&mut self, id: NodeId, operator: Operator, a: NodeId) -> Result<Slot, Unsupported> {
        let a = self.slot(a)?;
        Ok(self.instruction(id, operator, Some(a), None))
    }

    fn binary(&mut self, id: NodeId, operator: Operator, a: NodeId, b: NodeId) -> Result<Slot, Unsupported> {
        let a = self.slot(a)?;
        let b = self.slot(b)?;
        Ok(self.instruction(id, operator, Some(a), Some(b)))
    }

    fn instruction(
        &mut self,
        id: NodeId,
        operator: Operator,
        left: Option<Slot>,
        right: Option<Slot>,
    ) -> Slot {
        let target = self.fresh();
        let (left, right) = (left.unwrap_or(target), right.or(left).unwrap_or(target));
        self.plan.instructions.push(Instruction { operator, target, left, right });
        self.made.push((id, Step::Compute(self.plan.instructions.len() as u32 - 1)));
        target
    }

    fn variable(&mut self, group: u32, variable: u32) -> Slot {
        if let Some(slot) = self.variables[group as usize][variable as usize] {
            return slot;
        }
        let slot = self.fresh();
        self.variables[group as usize][variable as usize] = Some(slot);
        slot
    }

    fn base(&mut self, name: &Name, sort: Type) -> Result<Slot, Unsupported> {
        let relation = sort == Type::Relation;
        let known = self.plan.bases.iter().find(|base| base.name == *name && base.relation == relation);
        if let Some(known) = known {
            return Ok(known.slot);
        }
        if relation && !base::RELATIONS.iter().any(|(known, _)| *known == &**name) {
            return Err(Unsupported::new(format!("the model needs the relation `{name}`")));
        }
        let slot = self.fresh();
        self.plan.bases.push(Base { name: name.clone(), slot, relation });
        Ok(slot)
    }

    /// The step that computes all variables of a group.
    fn settle(&mut self, at: NodeId, group: u32) -> Result<(), Unsupported> {
        if self.numbers[group as usize].is_some() {
            return Ok(());
        }
        let bodies = self.core.groups[group as usize].bodies.clone();
        // What does not depend on the variables is computed once, outside.
        let outer = std::mem::take(&mut self.made);
        let mut results = Vec::new();
        for body in &bodies {
            results.push(self.slot(*body)?);
        }
        let all = std::mem::replace(&mut self.made, outer);
        let inside = |id: NodeId| self.open[id.0 as usize].contains(&group);
        let (inner, before): (Vec<_>, Vec<_>) = all.into_iter().partition(|(id, _)| inside(*id));
        let mut plan_bodies = Vec::new();
        for (number, body) in bodies.iter().enumerate() {
            let needed = needed(self.core, *body);
            let steps = inner.iter().filter(|(id, _)| needed[id.0 as usize]).map(|(_, step)| *step);
            let steps = steps.collect();
            let (result, variable) = (results[number], self.variable(group, number as u32));
            plan_bodies.push(Body { steps, result, variable });
        }
        let mut inputs = Vec::new();
        for (_, step) in &inner {
            match step {
                Step::Compute(number) => {
                    let instruction = &self.plan.instructions[*number as usize];
                    inputs.extend([instruction.left, instruction.right]);
                }
                Step::Settle(number) => inputs.extend(&self.plan.groups[*number as usize].inputs),
                Step::Check(_) => {}
            }
        }
        inputs.extend(&results);
        let made_inside: Vec<Slot> = inner
            .iter()
            .filter_map(|(_, step)| match step {
                Step::Compute(number) => Some(self.plan.instructions[*number as usize].target),
                _ => None,
            })
            .chain(plan_bodies.iter().map(|body| body.variable))
            .collect();
        inputs.retain(|slot| !made_inside.contains(slot));
        inputs.sort_unstable();
        inputs.dedup();
        self.made.extend(before);
        let number = self.plan.groups.len() as u32;
        self.plan.groups.push(PlanGroup { inputs, bodies: plan_bodies });
        self.numbers[group as usize] = Some(number);
        self.made.push((at, Step::Settle(number)));
        Ok(())
    }
}
