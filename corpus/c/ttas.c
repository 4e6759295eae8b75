// A lock by test and test-and-set: wait until it looks free, then try to take it.
//
// Property: no increment of `counter` is lost.
// Safe everywhere: the exchange that takes the lock reads, with an acquire, the store that released it.
//
// wattle: sc,tso,rc11,aarch64,power,riscv safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef TAKE
#define TAKE memory_order_acquire
#endif

atomic_bool locked;
int counter;

void acquire(void) {
  do {
    while (atomic_load_explicit(&locked, memory_order_relaxed))
      ;
  } while (atomic_exchange_explicit(&locked, true, TAKE));
}

void release(void) {
  atomic_store_explicit(&locked, false, memory_order_release);
}

void *increment(void *unused) {
  acquire();
  counter++;
  release();
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, increment, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  assert(counter == 2);
  return 0;
}
