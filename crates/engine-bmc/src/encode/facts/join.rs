//! Which expressions wait for which: operands, and reads whose value may depend on itself.

use wattle_program::symbolic::{Expr, Node};

use crate::unroll::structure::{EventId, Structure};

/// What a node is computed from.
pub(crate) fn operands(node: Node) -> impl Iterator<Item = Expr> {
    let [a, b, c] = match node {
        Node::Constant(_) | Node::Read(_) | Node::Cell(_) => [None, None, None],
        Node::Unary(_, _, a)
        | Node::Wrap(_, a)
        | Node::Number(a)
        | Node::Pointer(a)
        | Node::Content(_, a) => [Some(a), None, None],
        Node::Binary(_, _, a, b) | Node::Element(a, b, _) => [Some(a), Some(b), None],
        Node::If(a, b, c) => [Some(a), Some(b), Some(c)],
    };
    [a, b, c].into_iter().flatten()
}

/// For each event: does it read a value that may depend on itself? These are the reads on a cycle of
/// the graph from each expression to its operands, and from each read to what its candidates are made
/// of (Tarjan's strongly connected components, without recursion).
pub(super) fn circular(structure: &Structure<'_>, candidates: &[Vec<EventId>]) -> Vec<bool> {
    let count = structure.arena.len();
    let successors = |expr: usize| -> Vec<usize> {
        let node = structure.arena.node(Expr(expr as u32));
        let mut all: Vec<usize> = operands(node).map(|operand| operand.0 as usize).collect();
        if let Node::Read(event) = node {
            all.push(structure.events[event as usize].address.0 as usize);
            for write in &candidates[event as usize] {
                let write = &structure.events[*write as usize];
                let parts = [Some(write.address), Some(write.guard), write.written];
                all.extend(parts.into_iter().flatten().map(|part| part.0 as usize));
            }
        }
        all
    };
    const NEW: u32 = u32::MAX;
    let (mut number, mut low) = (vec![NEW; count], vec![NEW; count]);
    let mut on_stack = vec![false; count];
    let mut stack: Vec<usize> = Vec::new();
    let mut next = 0;
    let mut circular = vec![false; structure.events.len()];
    for root in 0..count {
        if number[root] != NEW {
            continue;
        }
        let mut calls: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut enter = Some(root);
        loop {
            if let Some(node) = enter.take() {
                (number[node], low[node]) = (next, next);
                next += 1;
                on_stack[node] = true;
                stack.push(node);
                calls.push((node, successors(node)));
            }
            let Some((node, rest)) = calls.last_mut() else { break };
            let node = *node;
            if let Some(successor) = rest.pop() {
                if number[successor] == NEW {
                    enter = Some(successor);
                } else if on_stack[successor] {
                    low[node] = low[node].min(number[successor]);
                }
                continue;
            }
            calls.pop();
            if let Some((caller, _)) = calls.last() {
                low[*caller] = low[*caller].min(low[node]);
            }
            if low[node] == number[node] {
                let start = stack.iter().rposition(|other| *other == node).unwrap_or(0);
                let members = stack.split_off(start);
                let alone = members.len() == 1 && !successors(node).contains(&node);
                for member in members {
                    on_stack[member] = false;
                    if let (Node::Read(event), false) = (structure.arena.node(Expr(member as u32)), alone) {
                        circular[event as usize] = true;
                    }
                }
            }
        }
    }
    circular
}
