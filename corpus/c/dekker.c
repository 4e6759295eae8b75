// Dekker's lock for two threads (E. W. Dijkstra, EWD 123, 1965), with sequentially consistent accesses; each thread
// enters once.
//
// Property: `owner` is not atomic and each thread finds in it what it wrote.
// Safe everywhere: the accesses behave as under sc, and who enters has read, with an acquire, the last store of the other.
//
// wattle: sc,tso,rc11,aarch64,power,riscv safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef WANT
#define WANT memory_order_seq_cst
#endif

atomic_int wants[2], turn;
int owner;

void enter(int me) {
  int other = 1 - me;
  atomic_store_explicit(&wants[me], 1, WANT);
  while (atomic_load(&wants[other])) {
    if (atomic_load(&turn) != me) {
      atomic_store(&wants[me], 0);
      while (atomic_load(&turn) != me)
        ;
      atomic_store_explicit(&wants[me], 1, WANT);
    } else {
      while (atomic_load(&wants[other]) && atomic_load(&turn) == me)
        ;
    }
  }
}

void leave(int me) {
  atomic_store(&turn, 1 - me);
  atomic_store(&wants[me], 0);
}

void *first(void *unused) {
  enter(0);
  owner = 1;
  assert(owner == 1);
  leave(0);
  return NULL;
}

void *second(void *unused) {
  enter(1);
  owner = 2;
  assert(owner == 2);
  leave(1);
  return NULL;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, first, NULL);
  pthread_create(&two, NULL, second, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}
