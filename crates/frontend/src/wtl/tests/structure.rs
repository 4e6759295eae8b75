//! What the graph of each statement looks like.
