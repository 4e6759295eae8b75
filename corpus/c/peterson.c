// Peterson's lock for two threads (G. L. Peterson, "Myths about the mutual exclusion problem", 1981), with
// sequentially consistent accesses.
//
// Property: `owner` is not atomic and each thread finds in it what it wrote, so both are never inside. Under rc11 two
// threads inside would also be a data race.
// Safe everywhere: all accesses to `wants` and `turn` are sequentially consistent, so they behave as under sc, and each
// thread enters after the last store of the other, which it reads with an acquire.
//
// wattle: sc,tso,rc11,aarch64,power,riscv safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef TURN
#define TURN memory_order_seq_cst
#endif

atomic_int wants[2], turn;
int owner;

void enter(int me) {
  int other = 1 - me;
  atomic_store(&wants[me], 1);
  atomic_store_explicit(&turn, other, TURN);
  while (atomic_load(&wants[other]) && atomic_load(&turn) == other)
    ;
}

void leave(int me) {
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
