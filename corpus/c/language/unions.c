// A union of members of one size is one place, seen as each of them.
// A compiled run ends without a failed assertion.
//
// wattle: sc safe
#include <assert.h>

union word {
  int number;
  unsigned bits;
};

struct holder {
  int kind;
  union {
    long number;
    unsigned long bits;
  };
};

union word shared;

int main(void) {
  union word local = {.number = -1};
  assert(local.bits == 0xffffffffu);
  shared.bits = 0x80000000u;
  assert(shared.number < 0);
  struct holder holder = {1, {-2}};
  assert(holder.kind == 1 && holder.bits == 0xfffffffffffffffeul);
  return 0;
}
