// The time may be over while main has the lock.
// wattle: sc,tso,rc11,aarch64 unsafe
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *work(void *unused) {
  assert(pthread_mutex_timedlock(&mutex, NULL) == 0);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return 0;
}
