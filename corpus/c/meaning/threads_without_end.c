// Each thread creates the next one, for ever. However many are looked at, there is one more.
// wattle: sc,rc11 bounded
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int count;

void *next(void *unused) {
  pthread_t thread;
  int before = atomic_fetch_add(&count, 1);
  assert(before >= 0);
  pthread_create(&thread, NULL, next, NULL);
  return NULL;
}

int main(void) {
  next(NULL);
  return 0;
}
