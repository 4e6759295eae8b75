// A ring for one producer and one consumer (L. Lamport, "Specifying concurrent program modules", 1983, in C11): each
// side owns one index and reads the other.
//
// Property: the consumer gets what was put, in order. Slots are not atomic: under rc11 each use of one must be ordered.
// Safe everywhere: a slot is written before `tail` is released and read after `tail` is acquired; it is written again only
// after `head` is acquired, which the consumer released after it had read.
//
// wattle: sc,tso,rc11,aarch64,power,riscv safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef PUBLISH
#define PUBLISH memory_order_release
#endif

#define SLOTS 1
#define ITEMS 2

struct ring {
  int slots[SLOTS];
  atomic_uint head, tail;
} ring;

void put(struct ring *ring, int item) {
  unsigned tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
  while (tail - atomic_load_explicit(&ring->head, memory_order_acquire) == SLOTS)
    ;
  ring->slots[tail % SLOTS] = item;
  atomic_store_explicit(&ring->tail, tail + 1, PUBLISH);
}

int get(struct ring *ring) {
  unsigned head = atomic_load_explicit(&ring->head, memory_order_relaxed);
  while (atomic_load_explicit(&ring->tail, memory_order_acquire) == head)
    ;
  int item = ring->slots[head % SLOTS];
  atomic_store_explicit(&ring->head, head + 1, memory_order_release);
  return item;
}

void *produce(void *unused) {
  for (int i = 1; i <= ITEMS; i++)
    put(&ring, i);
  return NULL;
}

int main(void) {
  pthread_t producer;
  pthread_create(&producer, NULL, produce, NULL);
  for (int i = 1; i <= ITEMS; i++)
    assert(get(&ring) == i);
  pthread_join(producer, NULL);
  return 0;
}
