// A sequence lock whose writer says without releasing that it is done: a reader may see the even number and the old
// half. (The fence before the writes orders the odd number before them, and nothing after them.)
// Under sc and tso stores of a thread stay in order.
//
// wattle: sc,tso safe
// wattle: rc11,aarch64,power,riscv unsafe
#define DONE memory_order_relaxed
#include "seqlock.c"
