//! The worked example of the paper's section 5, node by node.

use wattle_engine::Run;

use crate::literal::{BOUND, Cell, HERE, Literal, NONE, Process, Term, Value};
use crate::options::Backward;
use crate::search::{End, Search};
use crate::system::{Bad, Guard, Initial, Sort, System, Transition, Universal, Update, Variable};

const IDLE: u32 = 0;
const WANT: u32 = 1;
const CRIT: u32 = 2;

fn cell(variable: u16, index: Process) -> Cell {
    Cell { variable, index: [index, NONE] }
}

fn pc(process: Process, value: u32) -> Literal {
    Literal::In(Term::of(cell(0, process)), 1 << value)
}

fn mutex(fence: bool) -> System {
    let variable = |name: &str, sort, weak| Variable { name: name.into(), sort, arity: 1, weak };
    let to = |value| Update::set(cell(0, 0), Value::Constructor(value));
    let write = |value| Update::set(cell(1, 0), Value::Constructor(value));
    let step = |name: &str, literals, universal, updates, fence, reads| Transition {
        name: name.into(),
        parameters: 1,
        guard: Guard { literals, universal },
        updates,
        fence,
        reads,
        ..Transition::default()
    };
    let free = Universal {
        bound: 1,
        except: vec![0],
        body: vec![vec![Literal::In(Term::read(HERE, 0, cell(1, BOUND)), 1)]],
    };
    let everywhere = |literal| Universal { bound: 1, except: vec![], body: vec![vec![literal]] };
    System {
        variables: vec![variable("PC", Sort::Finite(3), false), variable("X", Sort::Finite(2), true)],
        init: vec![Initial {
            fixed: vec![],
            guard: Guard {
                literals: vec![],
                universal: vec![
                    everywhere(pc(BOUND, IDLE)),
                    everywhere(Literal::In(Term::of(cell(1, BOUND)), 1)),
                ],
            },
        }],
        bad: vec![Bad { parameters: 2, literals: vec![pc(0, CRIT), pc(1, CRIT)], ..Bad::default() }],
        transitions: vec![
            step("req", vec![pc(0, IDLE)], vec![], vec![to(WANT), write(1)], false, false),
            step("enter", vec![pc(0, WANT)], vec![free], vec![to(CRIT)], fence, true),
            step("exit", vec![pc(0, CRIT)], vec![], vec![to(IDLE), write(0)], false, false),
        ],
        ..System::default()
    }
}

#[test]
fn with_and_without_fence() {
    for fence in [true, false] {
        let system = mutex(fence);
        let run = Run::default();
        let options = Backward { max_nodes: 60, ..Backward::default() };
        let mut search = Search::new(&system, &options, 0, &run);
        let end = search.backward();
        println!("{fence} {:?} {:?}", matches!(end, Ok(End::Safe)), search.statistics);
        for node in search.proof() {
            println!("  {node:?}");
        }
    }
}
