// The queue lock of J. Mellor-Crummey and M. Scott, "Algorithms for scalable synchronization on shared-memory
// multiprocessors" (1991), in C11: each thread waits at a node of its own.
//
// Property: no increment of `counter` is lost.
// Safe everywhere: a thread that had nobody before it reads `tail` with an acquire from the release of the last owner, and one that
// waited reads `blocked` with an acquire from the release of the one before. A node is linked with a release store after it is
// made ready, and read with an acquire.
//
// wattle: sc,tso,rc11,aarch64,power,riscv safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef PASS_ON
#define PASS_ON memory_order_release
#endif

struct node {
  _Atomic(struct node *) next;
  atomic_int blocked;
};

_Atomic(struct node *) tail;
struct node nodes[2];
int counter;

void acquire(struct node *me) {
  atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
  atomic_store_explicit(&me->blocked, 1, memory_order_relaxed);
  struct node *before = atomic_exchange_explicit(&tail, me, memory_order_acq_rel);
  if (before != NULL) {
    atomic_store_explicit(&before->next, me, memory_order_release);
    while (atomic_load_explicit(&me->blocked, memory_order_acquire))
      ;
  }
}

void release(struct node *me) {
  struct node *next = atomic_load_explicit(&me->next, memory_order_acquire);
  if (next == NULL) {
    struct node *last = me;
    if (atomic_compare_exchange_strong_explicit(&tail, &last, NULL, memory_order_release, memory_order_relaxed))
      return;
    while ((next = atomic_load_explicit(&me->next, memory_order_acquire)) == NULL)
      ;
  }
  atomic_store_explicit(&next->blocked, 0, PASS_ON);
}

void *increment(void *argument) {
  struct node *me = argument;
  acquire(me);
  counter++;
  release(me);
  return NULL;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, increment, &nodes[0]);
  pthread_create(&two, NULL, increment, &nodes[1]);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  assert(counter == 2);
  return 0;
}
