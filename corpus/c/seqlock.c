// A sequence lock: the writer makes the number odd, writes, and makes it even; a reader uses what it read if the number
// was the same before and after. The fences are those of H.-J. Boehm, "Can seqlocks get along with programming language
// memory models?" (2012).
//
// Property: a reader that uses what it read has both halves of one update.
// Safe everywhere: who sees the even number has synchronized with the writer's last store; who sees a half of the update has
// synchronized, through the two fences, with the odd number, so that its second look at the number cannot find the old one.
//
// wattle: sc,tso,rc11,aarch64,power,riscv safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef DONE
#define DONE memory_order_release
#endif

atomic_uint number;
atomic_int low, high;

void *write_both(void *unused) {
  atomic_store_explicit(&number, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&low, 1, memory_order_relaxed);
  atomic_store_explicit(&high, 1, memory_order_relaxed);
  atomic_store_explicit(&number, 2, DONE);
  return NULL;
}

int main(void) {
  pthread_t writer;
  pthread_create(&writer, NULL, write_both, NULL);
  unsigned before = atomic_load_explicit(&number, memory_order_acquire);
  int first = atomic_load_explicit(&low, memory_order_relaxed);
  int second = atomic_load_explicit(&high, memory_order_relaxed);
  atomic_thread_fence(memory_order_acquire);
  unsigned after = atomic_load_explicit(&number, memory_order_relaxed);
  if (before == after && before % 2 == 0)
    assert(first == second);
  pthread_join(writer, NULL);
  return 0;
}
