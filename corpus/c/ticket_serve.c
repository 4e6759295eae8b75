// A ticket lock that serves the next number without releasing.
//
// * rc11: nothing orders the two increments of `counter`, which is not atomic: a data race.
// * aarch64, power, riscv: the store to `counter` and that to `served` may change places, so that the next owner reads the
//   old counter.
// * sc, tso: stores of a thread stay in order, and so do loads.
//
// wattle: sc,tso safe
// wattle: rc11,aarch64,power,riscv unsafe
#define SERVE memory_order_relaxed
#include "ticket.c"
