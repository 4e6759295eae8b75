// A barrier lets nobody go on before all have come, again and again; what was written before it is seen behind it. One of those that
// wait together is the chosen one.
// wattle: sc,tso,rc11,aarch64,power,riscv safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_barrier_t barrier;
int came[2];
atomic_int chosen;

void *work(void *argument) {
  long me = (long)argument;
  came[me] = 1;
  if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
    atomic_fetch_add(&chosen, 1);
  assert(came[1 - me] == 1);
  pthread_barrier_wait(&barrier);
  assert(atomic_load(&chosen) == 1);
  came[me] = 2;
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&thread, NULL, work, (void *)1);
  work((void *)0);
  pthread_join(thread, NULL);
  assert(came[0] == 2 && came[1] == 2);
  return 0;
}
