//! What the .cat language reads and what it makes of it.
