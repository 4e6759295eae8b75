// With a barrier for two threads and three that use it, somebody goes on with one that has nothing to do with the writer: `came` may be 0. (With
// three threads and a barrier for two, two meet and the third waits for ever; main may meet the one that wrote nothing.)
// wattle: sc,tso,rc11 unsafe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_barrier_t barrier;
atomic_int came;

void *writer(void *unused) {
  atomic_store(&came, 1);
  pthread_barrier_wait(&barrier);
  return NULL;
}

void *other(void *unused) {
  pthread_barrier_wait(&barrier);
  return NULL;
}

int main(void) {
  pthread_t first, second;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&first, NULL, writer, NULL);
  pthread_create(&second, NULL, other, NULL);
  pthread_barrier_wait(&barrier);
  assert(atomic_load(&came) == 1);
  return 0;
}
