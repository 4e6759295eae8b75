// `lwsync` orders all but a store before a later load, which is all that store buffering needs.
//
// wattle: sc safe
// wattle: tso,pso,aarch64,power,riscv unsafe
#define FENCE __asm__ volatile("lwsync" ::: "memory")
#include "asm_full_fence.c"
