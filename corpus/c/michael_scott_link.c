// The queue of Michael and Scott that links a node without releasing. The exchanges on `tail` release, but a taker that finds a
// node linked and `tail` old moves `tail` itself, and then reads the node.
//
// * rc11: `value` is written and read without order: a data race.
// * aarch64, power, riscv: the stores into the node and the one that links it may change places.
// * sc, tso: stores of a thread stay in order.
//
// wattle: sc,tso safe
// wattle: rc11,aarch64,power,riscv unsafe
#define LINK memory_order_relaxed
#include "michael_scott.c"
