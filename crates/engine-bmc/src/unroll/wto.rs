//! A weak topological order of a control-flow graph (Bourdoncle 1993): its points in a list in which
//! every loop is a nested list that begins with the loop's head.
//!
//! Every edge that goes back in the list goes to the head of a component that it comes from. So
//! a walk through the list, and through each component again and again, has always seen all ways
//! into a point before the point itself. Any graph has such an order, jumps into the middle of loops
//! included: such a jump goes forward, past the head.
//!
//! Bourdoncle finds components on the fly in one recursive search. Here strongly connected components
//! are found (Tarjan, without recursion), the first point that the search enters is taken for the
//! head, and the rest of the component is decomposed again: simpler, and one pass a level of nesting.

use wattle_program::{Cfg, Point};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    Point(Point),
    Component(Component),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Component {
    pub head: Point,
    /// What follows the head, in order.
    pub body: Vec<Element>,
    /// All its points, sorted.
    pub members: Vec<Point>,
    /// Does an edge lead out of it?
    pub exits: bool,
}

/// The order of all points that can be reached from the entry.
pub(crate) fn weak_topological_order(cfg: &Cfg) -> Vec<Element> {
    let mut successors = vec![Vec::new(); cfg.points.len()];
    for edge in &cfg.edges {
        successors[edge.from.0 as usize].push(edge.to.0);
    }
    let graph = Graph { successors };
    let everywhere = vec![true; cfg.points.len()];
    graph.decompose(&everywhere, &[cfg.entry.0])
}

struct Graph {
    successors: Vec<Vec<u32>>,
}

const UNSEEN: u32 = u32::MAX;

impl Graph {
    /// The points among `members` that can be reached from the roots without leaving them.
    fn decompose(&self, members: &[bool], roots: &[u32]) -> Vec<Element> {
        let mut order = Vec::new();
        // Components come out last first.
        for component in self.components(members, roots).into_iter().rev() {
            let head = component[0];
            if component.len() == 1 && !self.successors[head as usize].contains(&head) {
                order.push(Element::Point(Point(head)));
                continue;
            }
            let mut rest = vec![false; members.len()];
            component.iter().for_each(|point| rest[*point as usize] = true);
            let exits = component
                .iter()
                .any(|point| self.successors[*point as usize].iter().any(|next| !rest[*next as usize]));
            rest[head as usize] = false;
            let inside = |point: &&u32| rest[**point as usize];
            let mut roots: Vec<u32> = self.successors[head as usize].iter().filter(inside).copied().collect();
            // Ways in that do not lead through the head.
            roots.extend(component[1..].iter());
            let body = self.decompose(&rest, &roots);
            let mut members: Vec<Point> = component.iter().map(|point| Point(*point)).collect();
            members.sort_unstable();
            order.push(Element::Component(Component { head: Point(head), body, members, exits }));
        }
        order
    }

    /// Strongly connected components, each after those that can be reached from it, each with the point
    /// that was entered first in front.
    fn components(&self, members: &[bool], roots: &[u32]) -> Vec<Vec<u32>> {
        let mut number = vec![UNSEEN; members.len()];
        let mut low = vec![0; members.len()];
        let mut open = vec![false; members.len()];
        let mut stack = Vec::new();
        let mut found = Vec::new();
        let mut count = 0;
        for root in roots {
            if number[*root as usize] != UNSEEN {
                continue;
            }
            // A point, and how many of its successors are done; the last one goes first, so that what
            // the text says first comes first in the end.
            let mut path = vec![(*root, 0)];
            while let Some((point, done)) = path.last_mut() {
                let at = *point as usize;
                if *done == 0 {
                    number[at] = count;
                    low[at] = count;
                    count += 1;
                    open[at] = true;
                    stack.push(*point);
                }
                let successors = &self.successors[at];
                let mut next = None;
                while *done < successors.len() && next.is_none() {
                    *done += 1;
                    let to = successors[successors.len() - *done];
                    if !members[to as usize] {
                        continue;
                    }
                    if number[to as usize] == UNSEEN {
                        next = Some(to);
                    } else if open[to as usize] {
                        low[at] = low[at].min(number[to as usize]);
                    }
                }
                if let Some(next) = next {
                    path.push((next, 0));
                    continue;
                }
                path.pop();
                if let Some((parent, _)) = path.last() {
                    low[*parent as usize] = low[*parent as usize].min(low[at]);
                }
                if low[at] == number[at] {
                    let first = stack.iter().rposition(|point| *point as usize == at).unwrap_or(0);
                    let component = stack.split_off(first);
                    component.iter().for_each(|point| open[*point as usize] = false);
                    found.push(component);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use wattle_logic::Term;
    use wattle_program::{Edge, Mode, Origin, PointInfo, Role};

    use super::*;

    fn graph(points: u32, edges: &[(u32, u32)]) -> Cfg {
        let mut cfg = Cfg::default();
        (0..points).for_each(|_| {
            cfg.add_point(PointInfo::default());
        });
        for (from, to) in edges {
            cfg.edges.push(Edge {
                from: Point(*from),
                guard: Term::bool(true),
                ops: vec![],
                to: Point(*to),
                mode: Mode::Plain,
                role: Role::Step,
                origin: Origin::default(),
            });
        }
        cfg
    }

    fn shown(order: &[Element]) -> String {
        let parts = order.iter().map(|element| match element {
            Element::Point(point) => point.0.to_string(),
            Element::Component(component) if component.body.is_empty() => format!("({})", component.head.0),
            Element::Component(component) => format!("({} {})", component.head.0, shown(&component.body)),
        });
        parts.collect::<Vec<_>>().join(" ")
    }

    fn order(points: u32, edges: &[(u32, u32)]) -> String {
        shown(&weak_topological_order(&graph(points, edges)))
    }

    #[test]
    fn branches_come_in_the_order_of_the_text() {
        assert_eq!(order(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]), "0 1 2 3");
    }

    #[test]
    fn loops_nest() {
        let edges = [(0, 1), (1, 2), (2, 3), (3, 2), (3, 1), (1, 4)];
        assert_eq!(order(5, &edges), "0 (1 (2 3)) 4");
        assert_eq!(order(2, &[(0, 0), (0, 1)]), "(0) 1");
    }

    #[test]
    fn bourdoncles_example() {
        let edges =
            [(1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (4, 7), (6, 7), (6, 5), (7, 3), (2, 8), (7, 8), (0, 1)];
        assert_eq!(order(9, &edges), "0 1 2 (3 4 (5 6) 7) 8");
    }

    #[test]
    fn a_jump_into_a_loop_goes_past_its_head() {
        assert_eq!(order(4, &[(0, 1), (0, 2), (1, 2), (2, 1), (2, 3)]), "0 (2 1) 3");
    }

    #[test]
    fn points_out_of_reach_are_left_out() {
        assert_eq!(order(3, &[(0, 1), (2, 1)]), "0 1");
    }

    /// In random graphs, every edge that goes back goes to the head of a component around it.
    #[test]
    fn edges_go_back_to_heads_only() {
        let mut seed = 7_u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((seed >> 33) % below) as u32
        };
        for _ in 0..2000 {
            let points = 1 + random(9);
            let edges: Vec<(u32, u32)> =
                (0..random(20)).map(|_| (random(u64::from(points)), random(u64::from(points)))).collect();
            let cfg = graph(points, &edges);
            let order = weak_topological_order(&cfg);
            let mut places = vec![None; points as usize];
            place(&order, &mut vec![], &mut 0, &mut places);
            for (from, to) in edges {
                let Some((at, around)) = &places[from as usize] else { continue };
                let (target, _) = places[to as usize].as_ref().expect("it can be reached");
                assert!(target > at || around.contains(&to), "{from} -> {to} in {}", shown(&order));
            }
        }
    }

    fn place(
        order: &[Element],
        around: &mut Vec<u32>,
        count: &mut u32,
        places: &mut [Option<(u32, Vec<u32>)>],
    ) {
        for element in order {
            match element {
                Element::Point(point) => {
                    *count += 1;
                    places[point.0 as usize] = Some((*count, around.clone()));
                }
                Element::Component(component) => {
                    around.push(component.head.0);
                    *count += 1;
                    places[component.head.0 as usize] = Some((*count, around.clone()));
                    place(&component.body, around, count, places);
                    around.pop();
                }
            }
        }
    }
}
