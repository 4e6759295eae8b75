// Creating a thread synchronizes with that thread only. Under rc11 it is no fence between a store of the creator and a later load of it, as
// seen by a thread that ran before: store buffering. On hardware the libraries' creation is taken as the strongest
// fence (docs/semantics.md).
//
// wattle: sc,tso,aarch64,power,riscv safe
// wattle: rc11 unsafe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int seen_x, seen_y;

void *earlier(void *unused) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_seq_cst);
  seen_x = atomic_load_explicit(&x, memory_order_relaxed);
  return NULL;
}

void *nothing(void *unused) {
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, earlier, NULL);
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  pthread_create(&b, NULL, nothing, NULL);
  seen_y = atomic_load_explicit(&y, memory_order_relaxed);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(seen_x || seen_y);
  return 0;
}
