// Peterson's lock whose store to `turn` only releases.
//
// The first thread writes `turn` and reads `wants[1] == 0`; the second writes `wants[1]` and `turn`, reads
// `wants[0] == 1` and then `turn == 1`, the first thread's store, which comes last. So both are inside, if the first
// thread's store to `turn` and its load of `wants[1]` may change places:
// * rc11: a release store and a later sequentially consistent load of another place are in no order. Unsafe.
// * tso: a release store is a plain one without a fence behind it. Unsafe.
// * aarch64: a release store is `STLR`, as a sequentially consistent one, and `LDAR` waits for it. Safe.
// * power: the first thread's `sync` (of its load) keeps its store and load in order, but the second thread's two stores are ordered by
//   the `lwsync` of the release only, and that does not order a store after another store that it comes behind in coherence: the shape R
//   with `lwsync` and `sync`, which Power allows (Maranget, Sarkar and Sewell, "A tutorial introduction to the ARM and POWER
//   relaxed memory models", 2012). Unsafe.
// * riscv: such a load has a `fence rw,rw` before it (table A.6). Safe.
//
// wattle: sc,aarch64,riscv safe
// wattle: tso,rc11,power unsafe
#define TURN memory_order_release
#include "peterson.c"
