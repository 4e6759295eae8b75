// Threads whose functions are found by pointers: in a table, in a variable, in a struct.
// wattle: sc,rc11 safe
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

void *add(void *argument) {
  *(int *)argument += 5;
  return argument;
}

void *twice(void *argument) {
  *(int *)argument *= 2;
  return NULL;
}

struct job { void *(*work)(void *); int value; };

int main(void) {
  void *(*table[2])(void *) = {add, twice};
  pthread_t threads[2];
  int values[2] = {1, 10};
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, table[i], &values[i]);
  for (int i = 0; i < 2; i++) {
    void *result;
    pthread_join(threads[i], &result);
    assert(result == (i == 0 ? &values[0] : NULL));
  }
  assert(values[0] == 6 && values[1] == 20);
  struct job job = {twice, 4}, *which = &job;
  pthread_create(&threads[0], NULL, which->work, &which->value);
  pthread_join(threads[0], NULL);
  assert(job.value == 8);
  return 0;
}
