// Looking at the condition again after each wait is right under every model; a signal that came before anybody waited is lost, and
// the condition says so.
//
// wattle: sc,tso safe
// later: rc11,aarch64,power,riscv safe, but a wait may end for no reason any number of times
#include <assert.h>
#include <pthread.h>

int ready;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

void *setter(void *unused) {
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, setter, NULL);
  pthread_mutex_lock(&mutex);
  while (!ready)
    pthread_cond_wait(&condition, &mutex);
  assert(ready == 1);
  pthread_mutex_unlock(&mutex);
  return 0;
}
