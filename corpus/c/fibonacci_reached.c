// The number of fibonacci.c can be reached, so one below it is exceeded.
// wattle: sc,tso,pso,power,aarch64,riscv unsafe
#define N 5
#define LARGEST 143
#include "fibonacci.c"
