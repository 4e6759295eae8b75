// `pthread_mutex_trylock` gives 0 when it takes the mutex and something else when it does not: then nothing is protected.
//
// wattle: sc,tso,rc11,aarch64,power,riscv unsafe
#include <assert.h>
#include <pthread.h>

int owner;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *careful(void *unused) {
  if (pthread_mutex_trylock(&mutex) == 0) {
    owner = 1;
    assert(owner == 1);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

void *careless(void *unused) {
  pthread_mutex_trylock(&mutex);
  owner = 2;
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, careful, NULL);
  pthread_create(&b, NULL, careless, NULL);
  return 0;
}
