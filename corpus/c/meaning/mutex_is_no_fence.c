// A mutex is taken by a read-modify-write that acquires and given back by a store that releases. Neither is a fence: what
// stands before the one and what stands behind the other may still change places, each into the critical section and past the
// rest. So store buffering around two different mutexes is seen wherever read-modify-writes are no fences themselves.
//
// * tso: a read-modify-write is a locked instruction, which waits for the store buffer. Safe.
// * aarch64 (`CASA`, `STLR`), power (`lwarx … stwcx.; isync`, `lwsync; st`), riscv (`amocas.aq`, `fence rw,w; sw`): nothing keeps
//   an earlier store before a later load. Unsafe.
//
// wattle: sc,tso safe
// wattle: rc11,aarch64,power,riscv unsafe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int seen_x, seen_y;
pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;

void *first(void *unused) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  pthread_mutex_lock(&one);
  pthread_mutex_unlock(&one);
  seen_y = atomic_load_explicit(&y, memory_order_relaxed);
  return NULL;
}

void *second(void *unused) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  pthread_mutex_lock(&two);
  pthread_mutex_unlock(&two);
  seen_x = atomic_load_explicit(&x, memory_order_relaxed);
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
