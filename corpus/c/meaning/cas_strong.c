// A strong compare-exchange fails only if it finds something else, which it leaves in `expected`; the old builtins
// give the old value, or whether they exchanged.
//
// wattle: sc,tso,rc11,aarch64,power,riscv safe
#include <assert.h>
#include <stdatomic.h>

atomic_int x;
int y;

int main(void) {
  int expected = 0;
  assert(atomic_compare_exchange_strong(&x, &expected, 1));
  assert(!atomic_compare_exchange_strong(&x, &expected, 2));
  assert(expected == 1 && atomic_load(&x) == 1);
  assert(__sync_val_compare_and_swap(&y, 0, 5) == 0);
  assert(!__sync_bool_compare_and_swap(&y, 0, 6) && y == 5);
  expected = 5;
  assert(__atomic_compare_exchange_n(&y, &expected, 7, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED) && y == 7);
  assert(__sync_lock_test_and_set(&y, 9) == 7);
  __sync_lock_release(&y);
  assert(y == 0);
  return 0;
}
