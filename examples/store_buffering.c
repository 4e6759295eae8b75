// Store buffering (SB) in C: each thread raises its flag and looks at the other's. With relaxed accesses
// both may find the other's flag down, under every model but sc: the stores are still on their way when the loads are done.
//
// A sequentially consistent fence between store and load helps in each thread; `wattle fix` finds both.
//
// wattle: sc safe
// wattle: tso,rc11,aarch64,power,riscv unsafe, fix 2

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int seen_x, seen_y;

void *first(void *unused) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  seen_y = atomic_load_explicit(&y, memory_order_relaxed);
  return NULL;
}

void *second(void *unused) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  seen_x = atomic_load_explicit(&x, memory_order_relaxed);
  return NULL;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, first, NULL);
  pthread_create(&two, NULL, second, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  assert(seen_x || seen_y);
  return 0;
}
