// Treiber's stack that looks at `top` without acquiring. Hardware does not mind: what is read through a pointer is read after the
// pointer (an address dependency). For the language it is a data race all the same.
//
// wattle: sc,tso,aarch64,power,riscv safe
// wattle: rc11 unsafe
#define LOOK memory_order_relaxed
#include "treiber.c"
