// A lock by test and test-and-set that is taken without acquiring.
//
// * rc11: nothing orders the increments of `counter`, which is not atomic: a data race.
// * aarch64, power, riscv: a branch on what the exchange read does not order later loads, so `counter` may be read before
//   the lock is taken.
// * sc, tso: the exchange is a locked step.
//
// wattle: sc,tso safe
// wattle: rc11,aarch64,power,riscv unsafe
#define TAKE memory_order_relaxed
#include "ttas.c"
