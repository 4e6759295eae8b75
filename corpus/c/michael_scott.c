// The queue of M. Michael and M. Scott, "Simple, fast, and practical non-blocking and blocking concurrent queue algorithms"
// (1996), in C11, without reuse of nodes: one thread puts two items, another takes.
//
// Property: items arrive whole and in order. Their values are not atomic.
// Safe everywhere: a node is filled before the exchange that links it releases; the taker reads `next` with an acquire.
//
// wattle: sc,tso,rc11,aarch64,power,riscv safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef LINK
#define LINK memory_order_release
#endif

#define EMPTY (-1)

struct node {
  int value;
  _Atomic(struct node *) next;
};

struct node nodes[3];
_Atomic(struct node *) head = &nodes[0], tail = &nodes[0];

void put(struct node *node, int value) {
  node->value = value;
  atomic_store_explicit(&node->next, NULL, memory_order_relaxed);
  while (1) {
    struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
    struct node *next = atomic_load_explicit(&last->next, memory_order_acquire);
    if (next == NULL) {
      if (atomic_compare_exchange_strong_explicit(&last->next, &next, node, LINK, memory_order_relaxed)) {
        atomic_compare_exchange_strong_explicit(&tail, &last, node, memory_order_release, memory_order_relaxed);
        return;
      }
    } else {
      atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release, memory_order_relaxed);
    }
  }
}

int take(void) {
  while (1) {
    struct node *first = atomic_load_explicit(&head, memory_order_acquire);
    struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
    struct node *next = atomic_load_explicit(&first->next, memory_order_acquire);
    if (next == NULL)
      return EMPTY;
    if (first == last) {
      atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release, memory_order_relaxed);
    } else {
      int value = next->value;
      if (atomic_compare_exchange_strong_explicit(&head, &first, next, memory_order_release, memory_order_relaxed))
        return value;
    }
  }
}

void *producer(void *unused) {
  put(&nodes[1], 1);
  put(&nodes[2], 2);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, producer, NULL);
  int first = take();
  int second = take();
  assert(first == EMPTY || first == 1);
  assert(second == EMPTY || second == (first == EMPTY ? 1 : 2));
  pthread_join(thread, NULL);
  return 0;
}
