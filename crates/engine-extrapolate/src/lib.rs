//! Proofs under sequential consistency, extrapolated to store buffers (Dan, Meshman, Vechev, Yahav 2013).
