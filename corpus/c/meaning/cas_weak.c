// A weak compare-exchange may fail although it finds what it expects (C11 7.17.7.4); then it leaves what it found.
//
// wattle: sc,tso,rc11,aarch64,power,riscv unsafe
#include <assert.h>
#include <stdatomic.h>

atomic_int x;

int main(void) {
  int expected = 0;
  assert(atomic_compare_exchange_weak(&x, &expected, 1));
  return 0;
}
