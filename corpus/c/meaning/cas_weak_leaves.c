// What a weak compare-exchange promises when it fails: nothing is written, and `expected` holds what was found. A loop of them is
// as good as a strong one.
//
// wattle: sc,tso,rc11,aarch64,power,riscv safe
#include <assert.h>
#include <stdatomic.h>

atomic_int x;

int main(void) {
  int expected = 0;
  if (!atomic_compare_exchange_weak(&x, &expected, 1)) {
    assert(expected == 0);
    assert(atomic_load(&x) == 0);
  } else {
    assert(atomic_load(&x) == 1);
  }
  return 0;
}
