// The thread follows a pointer that main may have set to null by then: a fault under every model, with machine or without.
// wattle: sc,tso,pso,rc11,aarch64,power,riscv unsafe
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

int number;
_Atomic(int *) pointer = &number;

void *follow(void *unused) {
  int *here = atomic_load_explicit(&pointer, memory_order_acquire);
  *here = 3;
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, follow, NULL);
  atomic_store_explicit(&pointer, NULL, memory_order_release);
  pthread_join(thread, NULL);
  return 0;
}
