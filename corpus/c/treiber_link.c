// Treiber's stack that links a node without releasing.
//
// * rc11: the node, which is not atomic, is filled and looked at without order: a data race.
// * aarch64, power, riscv: the stores into the node and the exchange may change places (where another thread's address
//   depends on what it read does not help).
// * sc, tso: stores of a thread stay in order.
//
// wattle: sc,tso safe
// wattle: rc11,aarch64,power,riscv unsafe
#define LINK memory_order_relaxed
#include "treiber.c"
