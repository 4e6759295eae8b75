// What a thread did is seen by who joins it, and what was done before its creation by the thread: no race, and no fence needed.
//
// wattle: sc,tso,pso,rc11,aarch64,power,riscv safe
#include <assert.h>
#include <pthread.h>

int given, result;

void *work(void *argument) {
  int *from = argument;
  result = *from + 1;
  return &result;
}

int main(void) {
  pthread_t thread;
  void *got;
  given = 41;
  pthread_create(&thread, NULL, work, &given);
  pthread_join(thread, &got);
  assert(got == &result && *(int *)got == 42);
  return 0;
}
