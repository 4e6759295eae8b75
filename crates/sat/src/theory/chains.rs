//! Few chains that cover the events of a graph.
//!
//! A chain is a list of events each of which reaches the next by fixed edges. Under sequential
//! consistency a thread is one chain; under weaker models it falls apart into a few. A greedy choice
//! is made in topological order: of the chains whose last event reaches it, an event goes to the one
//! whose last event reaches fewest. So under tso a write follows a write, which only writes may follow,
//! and leaves the chain that ends with a read to the next read. (The fewest chains are a matching
//! problem, after Dilworth; the greedy answer is the fewest on threads without branches, and elsewhere
//! more chains cost time only.)

use std::cmp::Reverse;

/// The fixed part of a graph, without edges that others imply.
pub(super) struct Cover {
    /// The chain of each vertex, and its position there, from 1.
    pub chain: Vec<u32>,
    pub position: Vec<u32>,
    pub chains: usize,
    /// The vertices so that every edge goes forwards.
    pub order: Vec<u32>,
    /// The positions of the edges that are needed.
    pub kept: Vec<u32>,
}

/// Covers a graph, or returns the positions of edges that are a cycle.
pub(super) fn cover(vertices: usize, edges: &[(u32, u32)]) -> Result<Cover, Vec<u32>> {
    let mut leaving = vec![Vec::new(); vertices];
    let mut entering = vec![0u32; vertices];
    for (number, (from, to)) in edges.iter().enumerate() {
        leaving[*from as usize].push(number as u32);
        entering[*to as usize] += 1;
    }
    let Some(order) = topological(edges, &leaving, &mut entering) else {
        return Err(cycle(vertices, edges, &leaving));
    };
    let mut place = vec![0u32; vertices];
    for (position, vertex) in order.iter().enumerate() {
        place[*vertex as usize] = position as u32;
    }

    let words = vertices.div_ceil(64);
    let mut reached = vec![0u64; vertices * words];
    let mut kept = Vec::new();
    for vertex in order.iter().rev() {
        let from = *vertex as usize;
        leaving[from].sort_by_key(|number| place[edges[*number as usize].1 as usize]);
        for number in &leaving[from] {
            let to = edges[*number as usize].1 as usize;
            if reached[from * words + to / 64] >> (to % 64) & 1 == 0 {
                kept.push(*number);
                for word in 0..words {
                    reached[from * words + word] |= reached[to * words + word];
                }
                reached[from * words + to / 64] |= 1 << (to % 64);
            }
        }
    }
    kept.sort_unstable();

    let row = |vertex: usize| &reached[vertex * words..(vertex + 1) * words];
    let ahead: Vec<u32> =
        (0..vertices).map(|vertex| row(vertex).iter().map(|word| word.count_ones()).sum()).collect();
    let mut chain = vec![0; vertices];
    let mut position = vec![0; vertices];
    let mut ends: Vec<u32> = Vec::new();
    for vertex in &order {
        let (to, bit) = (*vertex as usize / 64, *vertex % 64);
        let best = (0..ends.len())
            .filter(|chain| reached[ends[*chain] as usize * words + to] >> bit & 1 == 1)
            .min_by_key(|chain| (ahead[ends[*chain] as usize], Reverse(place[ends[*chain] as usize])));
        let best = best.unwrap_or_else(|| {
            ends.push(*vertex);
            ends.len() - 1
        });
        chain[*vertex as usize] = best as u32;
        position[*vertex as usize] =
            if ends[best] == *vertex { 1 } else { position[ends[best] as usize] + 1 };
        ends[best] = *vertex;
    }
    Ok(Cover { chain, position, chains: ends.len(), order, kept })
}

/// The smallest number first among those that may come next.
fn topological(edges: &[(u32, u32)], leaving: &[Vec<u32>], entering: &mut [u32]) -> Option<Vec<u32>> {
    let free = (0..entering.len() as u32).filter(|vertex| entering[*vertex as usize] == 0);
    let mut free: std::collections::BinaryHeap<_> = free.map(Reverse).collect();
    let mut order = Vec::with_capacity(entering.len());
    while let Some(Reverse(vertex)) = free.pop() {
        order.push(vertex);
        for number in &leaving[vertex as usize] {
            let to = edges[*number as usize].1;
            entering[to as usize] -= 1;
            if entering[to as usize] == 0 {
                free.push(Reverse(to));
            }
        }
    }
    (order.len() == entering.len()).then_some(order)
}

/// Some cycle of a graph that has one.
fn cycle(vertices: usize, edges: &[(u32, u32)], leaving: &[Vec<u32>]) -> Vec<u32> {
    // Whatever cannot reach a cycle is peeled off; from the rest, any walk comes back.
    let mut remaining: Vec<usize> = leaving.iter().map(Vec::len).collect();
    let mut into = vec![Vec::new(); vertices];
    for (from, to) in edges {
        into[*to as usize].push(*from as usize);
    }
    let mut open: Vec<usize> = (0..vertices).filter(|vertex| remaining[*vertex] == 0).collect();
    while let Some(vertex) = open.pop() {
        for from in &into[vertex] {
            remaining[*from] -= 1;
            if remaining[*from] == 0 {
                open.push(*from);
            }
        }
    }
    let mut walk: Vec<u32> = Vec::new();
    let mut visited = vec![usize::MAX; vertices];
    let Some(mut vertex) = (0..vertices).find(|vertex| remaining[*vertex] > 0) else { return walk };
    while visited[vertex] == usize::MAX {
        visited[vertex] = walk.len();
        let on = |number: &&u32| remaining[edges[**number as usize].1 as usize] > 0;
        let Some(number) = leaving[vertex].iter().find(on) else { return walk };
        walk.push(*number);
        vertex = edges[*number as usize].1 as usize;
    }
    walk.split_off(visited[vertex])
}
