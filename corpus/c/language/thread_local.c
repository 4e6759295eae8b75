// Variables of each thread, with lists of initial values; every thread has its own from the start.
// wattle: sc,rc11 safe
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct part { int number; const char *name; };

_Thread_local int counts[3] = {1, 2, 3};
_Thread_local struct part part = {7, "seven"};
static __thread int single = 4;

void *work(void *unused) {
  int *first = counts;
  assert(first[0] + counts[1] + counts[2] == 6);
  counts[1] = 20;
  assert(part.number == 7 && part.name[1] == 'e' && single == 4);
  part.number = 8;
  single++;
  assert(first[1] == 20 && part.number == 8 && single == 5);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  work(NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  assert(counts[1] == 20 && single == 5);
  return 0;
}
