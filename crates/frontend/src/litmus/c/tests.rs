//! Tests of C bodies.
