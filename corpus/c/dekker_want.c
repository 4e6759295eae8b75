// Dekker's lock whose threads say with a release store only that they want to enter.
//
// Store buffering: each thread writes its `wants` and reads 0 in the other's. A release store and a later
// sequentially consistent load may change places under rc11 and tso. They may not where the load is ordered after all
// that comes before it: aarch64 (`STLR`, then `LDAR`), power (`sync` before the load), riscv (`fence rw,rw` before it).
//
// wattle: sc,aarch64,power,riscv safe
// wattle: tso,rc11 unsafe
#define WANT memory_order_release
#include "dekker.c"
