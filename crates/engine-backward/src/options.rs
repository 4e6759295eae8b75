//! What a user can set.

/// Backward reachability with its options.
#[derive(Clone, Debug)]
pub struct Backward {
    /// Cubes with more processes are not looked at: then there is no *safe*.
    pub max_processes: usize,
    /// Give up after this many nodes.
    pub max_nodes: u64,
    pub order: Order,
    /// So many may make pre-images at the same time. Answers are the same.
    pub threads: usize,
}

impl Default for Backward {
    fn default() -> Backward {
        Backward { max_processes: 12, max_nodes: 1_000_000, order: Order::default(), threads: 1 }
    }
}

/// Which node is looked at next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The one with the fewest processes, then the fewest reads and literals, then the oldest: general cubes include many others.
    #[default]
    Best,
    /// The oldest.
    Breadth,
    /// The newest.
    Depth,
}
