// The deque of Chase and Lev whose owner takes with a fence that acquires and releases, but does not order its store to
// `bottom` before its load of `top`. The owner reads `top == 0` and takes the second item without an exchange; the thief
// steals the first, still sees the old `bottom`, and steals the second too.
//
// * rc11, and tso, where such a fence needs no instruction. Unsafe.
// * power and riscv: `lwsync` and `fence.tso` let a load pass earlier stores. Unsafe.
// * aarch64: the fence is `dmb ish`, because there is no weaker one that orders earlier loads and stores before later
//   stores, and that orders everything. Safe.
//
// wattle: sc,aarch64 safe
// wattle: tso,rc11,power,riscv unsafe
#define TAKE memory_order_acq_rel
#include "chase_lev.c"
