// POSIX does not say which of the threads that wait together a barrier chooses: main may be the one, or the other thread, and
// it need not be the last that comes.
// wattle: sc,tso,rc11,aarch64 unsafe
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

pthread_barrier_t barrier;

void *work(void *unused) {
  pthread_barrier_wait(&barrier);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&thread, NULL, work, NULL);
  assert(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
  pthread_join(thread, NULL);
  return 0;
}
