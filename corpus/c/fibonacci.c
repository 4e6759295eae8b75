// Two threads add each other's number, as corpus/fibonacci/fibonacci_5.wtl says it. Main, which runs beside the two, sees no number above
// the Fibonacci number with the number 2 N + 2: the largest that N additions of each can make, which is by turns. Buffered numbers
// are older, and numbers only grow, so that no model changes that.
// wattle: sc,tso,pso,power,aarch64,riscv safe
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 5
#define LARGEST 144
#endif

int x = 1, y = 1;

void *first(void *unused) {
  for (int k = 0; k < N; k++)
    x = x + y;
  return NULL;
}

void *second(void *unused) {
  for (int k = 0; k < N; k++)
    y = y + x;
  return NULL;
}

int main(void) {
  pthread_t one, other;
  pthread_create(&one, NULL, first, NULL);
  pthread_create(&other, NULL, second, NULL);
  assert(x <= LARGEST && y <= LARGEST);
  return 0;
}
