// A ticket lock: draw a number, wait until it is served, serve the next one.
//
// Property: no increment of `counter` is lost.
// Safe everywhere: tickets are different because they are drawn by a read-modify-write, and who is served has read, with
// an acquire, the number that the one before released. Drawing needs no order.
//
// wattle: sc,tso,rc11,aarch64,power,riscv safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef SERVE
#define SERVE memory_order_release
#endif

struct lock {
  atomic_uint next, served;
} lock;
int counter;

void acquire(struct lock *lock) {
  unsigned mine = atomic_fetch_add_explicit(&lock->next, 1, memory_order_relaxed);
  while (atomic_load_explicit(&lock->served, memory_order_acquire) != mine)
    ;
}

void release(struct lock *lock) {
  unsigned mine = atomic_load_explicit(&lock->served, memory_order_relaxed);
  atomic_store_explicit(&lock->served, mine + 1, SERVE);
}

void *increment(void *unused) {
  acquire(&lock);
  counter++;
  release(&lock);
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
