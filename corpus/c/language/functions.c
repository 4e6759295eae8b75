// Functions: pointers to them in variables, tables and arguments; recursion, direct and mutual; static locals; forward declarations.
// A compiled run ends without a failed assertion.
//
// wattle: sc safe
#include <assert.h>

typedef int (*operation)(int, int);

static int plus(int a, int b) {
  return a + b;
}

static int times(int a, int b) {
  return a * b;
}

operation table[2] = {plus, times};

int apply(operation what, int a, int b) {
  return what(a, b);
}

int is_even(int n);

int is_odd(int n) {
  return n == 0 ? 0 : is_even(n - 1);
}

int is_even(int n) {
  return n == 0 ? 1 : is_odd(n - 1);
}

int next(void) {
  static int last = 3;
  return ++last;
}

int main(void) {
  operation what = &plus;
  assert(what(2, 3) == 5 && (*what)(2, 3) == 5 && what == plus);
  what = times;
  assert(what(2, 3) == 6);
  assert(table[0](1, 1) == 2 && apply(table[1], 4, 5) == 20);
  assert(is_even(2) && !is_odd(2));
  assert(next() == 4 && next() == 5);
  return 0;
}
