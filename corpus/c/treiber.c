// The stack of R. K. Treiber, "Systems programming: coping with parallelism" (1986), in C11, without reuse of nodes.
//
// Property: each thread pushes a node and pops one; no node is popped twice and what it holds arrives. Nodes are not atomic.
// Safe everywhere: a node is filled before the exchange that links it releases, and looked at after `top` is acquired.
// Popping needs no release: it writes nothing that others read (the exchanges are read-modify-writes, so that the
// release sequence of a push goes on through them).
//
// wattle: sc,tso,rc11,aarch64,power,riscv safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef LINK
#define LINK memory_order_release
#endif
#ifndef LOOK
#define LOOK memory_order_acquire
#endif

struct node {
  int value;
  struct node *next;
};

_Atomic(struct node *) top;
struct node nodes[2];
int popped[2];

void push(struct node *node) {
  struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
  do {
    node->next = old;
  } while (!atomic_compare_exchange_strong_explicit(&top, &old, node, LINK, memory_order_relaxed));
}

struct node *pop(void) {
  struct node *old = atomic_load_explicit(&top, LOOK);
  while (old != NULL && !atomic_compare_exchange_strong_explicit(&top, &old, old->next, memory_order_relaxed, LOOK))
    ;
  return old;
}

void *use(void *argument) {
  struct node *mine = argument;
  mine->value = mine == &nodes[0] ? 1 : 2;
  push(mine);
  struct node *got = pop();
  assert(got != NULL);
  popped[mine == &nodes[0] ? 0 : 1] = got->value;
  return NULL;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, use, &nodes[0]);
  pthread_create(&two, NULL, use, &nodes[1]);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  assert(popped[0] + popped[1] == 3);
  return 0;
}
