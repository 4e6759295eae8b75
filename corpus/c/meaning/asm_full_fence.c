// A fence in assembly counts under every architecture as what it orders: `mfence` orders everything, so it
// forbids store buffering on aarch64, power and riscv as it does on x86. C11 knows no such fence: under rc11 the program
// has no meaning.
//
// wattle: sc,tso,pso,aarch64,power,riscv safe
// wattle: rc11 unknown
#include <assert.h>
#include <pthread.h>

#ifndef FENCE
#define FENCE __asm__ volatile("mfence" ::: "memory")
#endif

volatile int x, y;
int seen_x, seen_y;

void *first(void *unused) {
  x = 1;
  FENCE;
  seen_y = y;
  return NULL;
}

void *second(void *unused) {
  y = 1;
  FENCE;
  seen_x = x;
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(seen_x || seen_y);
  return 0;
}
