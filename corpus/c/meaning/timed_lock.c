// A lock that is waited for until a time is had, or the time is over: then nothing is protected, and nothing was taken.
// wattle: sc,tso,rc11,aarch64 safe
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int inside;

void *work(void *unused) {
  if (pthread_mutex_timedlock(&mutex, NULL) == 0) {
    inside++;
    assert(inside == 1);
    inside--;
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_mutex_lock(&mutex);
  inside++;
  assert(inside == 1);
  inside--;
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return 0;
}
