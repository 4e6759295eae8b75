// A spin lock: whoever finds the flag down raises it and is inside; the others wait until it looks down before they try again.
//
// Taking the lock acquires and giving it back releases, so what one owner wrote the next one reads, under every model. Weaken
// either order to `memory_order_relaxed`, and `wattle check examples/spinlock.c --model rc11` shows how an increment is lost.
//
// wattle: sc,tso,rc11,aarch64,power,riscv safe

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int taken;
int counter;

void *increment(void *unused) {
  while (atomic_exchange_explicit(&taken, 1, memory_order_acquire))
    while (atomic_load_explicit(&taken, memory_order_relaxed))
      ;
  counter++;
  atomic_store_explicit(&taken, 0, memory_order_release);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, increment, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  assert(counter == 2);
  return 0;
}
