// A ring for one producer and one consumer that publishes an item without releasing.
//
// * rc11: the slot, which is not atomic, is written and read without order: a data race.
// * aarch64, power, riscv: the stores to the slot and to `tail` may change places.
// * sc, tso: stores of a thread stay in order.
//
// wattle: sc,tso safe
// wattle: rc11,aarch64,power,riscv unsafe
#define PUBLISH memory_order_relaxed
#include "spsc.c"
