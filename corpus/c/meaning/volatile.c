// `volatile` is no synchronization. Under rc11 its accesses are not atomic: a race. On hardware they are plain accesses, whose order
// tso keeps and the others do not.
//
// wattle: sc,tso safe
// wattle: rc11,pso,aarch64,power,riscv unsafe
#include <assert.h>
#include <pthread.h>

int data;
volatile int ready;

void *writer(void *unused) {
  data = 1;
  ready = 1;
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, writer, NULL);
  if (ready)
    assert(data == 1);
  return 0;
}
