// What a mutex protects is no race, and no increment is lost, under every model.
//
// wattle: sc,tso,pso,rc11,aarch64,power,riscv safe
#include <assert.h>
#include <pthread.h>

int counter;
pthread_mutex_t mutex;

void *increment(void *unused) {
  pthread_mutex_lock(&mutex);
  counter++;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  pthread_mutex_init(&mutex, NULL);
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, increment, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  assert(counter == 2);
  return 0;
}
