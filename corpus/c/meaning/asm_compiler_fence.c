// A barrier for the compiler is no instruction.
//
// wattle: sc safe
// wattle: tso,pso,aarch64,power,riscv unsafe
#define FENCE __asm__ volatile("" ::: "memory")
#include "asm_full_fence.c"
