// A fault ends a thread at once: what it would choose later is never chosen. `scale` divides by what main may have set to zero by
// then, and only afterwards takes a free number. (A relaxed load may read either value under every model, so the division
// by zero is always reachable.)
// wattle: sc,tso,pso,rc11,aarch64,power,riscv unsafe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

int __VERIFIER_nondet_int(void);

atomic_int divisor = 1;

void *scale(void *unused) {
  int by = atomic_load_explicit(&divisor, memory_order_relaxed);
  int share = 100 / by;
  int more = __VERIFIER_nondet_int();
  assert(share == 100 || more == more + 1);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, scale, NULL);
  atomic_store_explicit(&divisor, 0, memory_order_relaxed);
  pthread_join(thread, NULL);
  return 0;
}
