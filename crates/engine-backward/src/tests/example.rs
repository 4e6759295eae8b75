//! The worked example of the paper's section 5, node by node.

use wattle_engine::{Run, Work};

use crate::cube::Cube;
use crate::init::initial_state;
use crate::literal::{BOUND, Cell, HERE, Literal, NONE, Process, Term, Value};
use crate::options::{Backward, Order};
use crate::pre::{Images, Limits, pre_image};
use crate::search::{End, Search};
use crate::start::bad_cubes;
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
    let variable = |sort, weak| Variable { sort, range: None, weak };
    let to = |value| Update::set(cell(0, 0), Value::Constructor(value));
    let write = |value| Update::set(cell(1, 0), Value::Constructor(value));
    let step = |literals, universal, updates, fence, reads| Transition {
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
        variables: vec![variable(Sort::Finite(3), false), variable(Sort::Finite(2), true)],
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
            step(vec![pc(0, IDLE)], vec![], vec![to(WANT), write(1)], false, false),
            step(vec![pc(0, WANT)], vec![free], vec![to(CRIT)], fence, true),
            step(vec![pc(0, CRIT)], vec![], vec![to(IDLE), write(0)], false, false),
        ],
        ..System::default()
    }
}

/// The pre-image of a cube by one transition of given processes that satisfies no read.
fn before(system: &System, cube: &Cube, transition: usize, arguments: &[Process]) -> Vec<Cube> {
    let mut images = Images::default();
    let limits = Limits { most: 4, lasting: 0 };
    pre_image(system, cube, &system.transitions[transition], limits, &mut images);
    let by = images.list.into_iter().filter(|pre| pre.arguments == arguments);
    by.map(|pre| pre.cube).collect()
}

/// Nodes 1 to 6. Processes keep their names as long as they look different, so that each step is found by who takes it.
#[test]
fn node_by_node() {
    for fence in [true, false] {
        let system = mutex(fence);
        let (_, one) = bad_cubes(&system).remove(0);
        assert_eq!(one.literals, [pc(0, CRIT), pc(1, CRIT)]);
        // enter(#2): it has read that #1 does not want; behind a fence, if there is one.
        let two = before(&system, &one, 1, &[1]).remove(0);
        assert_eq!((two.literals.len(), two.nodes.len()), (3, 1));
        let reader = two.literals[0].terms().next().unwrap();
        assert!(reader.is_read() && reader.by != reader.cell.index[0]);
        assert_eq!(two.nodes[0].events, 1 << reader.by);
        assert_eq!(two.nodes[0].drains, if fence { 1 << reader.by } else { 0 });
        // enter(#1): both have read, e1 and e2 without order between them.
        let three = before(&system, &two, 1, &[reader.cell.index[0]]).remove(0);
        assert_eq!(three.nodes.len(), 2);
        assert_eq!(three.nodes.iter().map(|node| node.after).collect::<Vec<_>>(), [1, 2]);
        // req(#2): its write is not what #1 read (node 4 is inconsistent and is not made), so that #1's read comes first (node 5). With the
        // fence, the write comes before #2's own read: (e2,e3) and (e3,e1) give (e2,e1).
        let five = before(&system, &three, 0, &[1]);
        assert_eq!(five.len(), 1);
        let five = &five[0];
        let ordered = five.nodes.iter().filter(|node| node.after == 3).count();
        assert_eq!((five.nodes.len(), ordered), (2, usize::from(fence)));
        // req(#1): with the fence, the cycle (e2,e3) (e3,e1) (e1,e4) (e4,e2); without, only (e2,e3) and (e1,e4) remain.
        let wants = (0..2).find(|process| five.literals.contains(&pc(*process, WANT))).unwrap();
        let six = before(&system, five, 0, &[wants]);
        assert_eq!(six.len(), usize::from(!fence));
        for six in six {
            assert!(initial_state(&system, &six).is_some());
        }
    }
}

#[test]
fn with_and_without_fence() {
    for fence in [true, false] {
        let system = mutex(fence);
        let (run, options) = (Run::default(), Backward { max_nodes: 60, ..Backward::default() });
        for (lasting, order) in [(0, Order::Best), (0, Order::Breadth), (0, Order::Depth)] {
            let options = Backward { order, ..options.clone() };
            let mut search = Search::new(&system, &options, lasting, None, &run);
            let end = search.backward(Work::nanoseconds(u64::MAX)).unwrap();
            assert_eq!(matches!(end, Some(End::Safe)), fence, "{order:?}");
            assert!(search.statistics.visited < 20);
        }
    }
}
