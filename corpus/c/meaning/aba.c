// Treiber's stack whose nodes are never freed: a cell is new each time, so an unchanged `top` is the same node. (The file
// `aba_free.c` frees them.)
//
// wattle: sc safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  _Atomic(struct node *) next;
};

_Atomic(struct node *) top;
struct node b;
atomic_int taken;

void push(struct node *node) {
  struct node *old = atomic_load(&top);
  do {
    atomic_store(&node->next, old);
  } while (!atomic_compare_exchange_strong(&top, &old, node));
}

struct node *pop(void) {
  struct node *old = atomic_load(&top);
  while (old != NULL && !atomic_compare_exchange_strong(&top, &old, atomic_load(&old->next)))
    ;
  return old;
}

void *other(void *unused) {
  struct node *a = pop();
  struct node *second = pop();
  if (second == &b)
    atomic_fetch_add(&taken, 1);
#ifdef FREE
  if (a != NULL && a != &b)
    free(a);
#endif
  push(malloc(sizeof(struct node)));
  return NULL;
}

int main(void) {
  pthread_t thread;
  push(&b);
  push(malloc(sizeof(struct node)));
  pthread_create(&thread, NULL, other, NULL);
  struct node *first = pop();
  struct node *second = pop();
  if (first == &b || second == &b)
    atomic_fetch_add(&taken, 1);
  pthread_join(thread, NULL);
  assert(atomic_load(&taken) <= 1);
  return 0;
}
