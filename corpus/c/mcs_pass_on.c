// The queue lock of Mellor-Crummey and Scott that passes the lock on without releasing.
//
// * rc11: nothing orders the increments of `counter`, which is not atomic: a data race.
// * aarch64, power, riscv: the store to `counter` and that to `blocked` may change places.
// * sc, tso: stores of a thread stay in order.
//
// wattle: sc,tso safe
// wattle: rc11,aarch64,power,riscv unsafe
#define PASS_ON memory_order_relaxed
#include "mcs.c"
