// Division by zero is a fault, whether anybody uses its result or not: the thread divides by what may be zero and drops the quotient.
// A relaxed load may read the initial zero under every model.
// wattle: sc,tso,pso,rc11,aarch64,power,riscv unsafe
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

atomic_int parts;

void *divide(void *unused) {
  int share = 12 / atomic_load_explicit(&parts, memory_order_relaxed);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, divide, NULL);
  atomic_store_explicit(&parts, 3, memory_order_relaxed);
  pthread_join(thread, NULL);
  return 0;
}
