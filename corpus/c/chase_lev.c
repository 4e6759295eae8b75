// The work-stealing deque of D. Chase and Y. Lev (2005), with the orders of N. M. Lê, A. Pop, A. Cohen and F. Zappa Nardelli,
// "Correct and efficient work-stealing for weak memory models" (2013). The owner has pushed two items and takes
// one, while a thief tries to steal twice.
//
// Property: nothing is taken twice.
// Safe everywhere: the owner's fence stands between its store to `bottom` and its load of `top`, the thief's between its loads of `top`
// and `bottom`; so either the owner sees what was stolen, or the thief sees that the deque has become shorter. For the
// last item both compete for `top`.
//
// wattle: sc,tso,rc11,aarch64,power,riscv safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef TAKE
#define TAKE memory_order_seq_cst
#endif

#define EMPTY 0
#define SLOTS 2

atomic_int top, bottom, slots[SLOTS];
int taken, stolen[2];

void push(int item) {
  int b = atomic_load_explicit(&bottom, memory_order_relaxed);
  atomic_store_explicit(&slots[b % SLOTS], item, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

int take(void) {
  int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
  atomic_store_explicit(&bottom, b, memory_order_relaxed);
  atomic_thread_fence(TAKE);
  int t = atomic_load_explicit(&top, memory_order_relaxed);
  if (t > b) {
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    return EMPTY;
  }
  int item = atomic_load_explicit(&slots[b % SLOTS], memory_order_relaxed);
  if (t == b) {
    if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
      item = EMPTY;
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
  }
  return item;
}

int steal(void) {
  int t = atomic_load_explicit(&top, memory_order_acquire);
  atomic_thread_fence(memory_order_seq_cst);
  int b = atomic_load_explicit(&bottom, memory_order_acquire);
  if (t >= b)
    return EMPTY;
  int item = atomic_load_explicit(&slots[t % SLOTS], memory_order_relaxed);
  if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
    return EMPTY;
  return item;
}

void *thief(void *unused) {
  stolen[0] = steal();
  stolen[1] = steal();
  return NULL;
}

int main(void) {
  pthread_t thread;
  push(1);
  push(2);
  pthread_create(&thread, NULL, thief, NULL);
  taken = take();
  pthread_join(thread, NULL);
  assert(taken == EMPTY || taken != stolen[0] && taken != stolen[1]);
  return 0;
}
