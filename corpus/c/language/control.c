// Control: `switch` with ranges of falling through, `goto` into and out of loops, `do`, `for`, `continue`, `break`, `&&`, `||`, `?:`.
// A compiled run ends without a failed assertion.
//
// wattle: sc safe
#include <assert.h>

int calls;

int called(int result) {
  calls++;
  return result;
}

int kind(int of) {
  int result = 0;
  switch (of) {
  case 1:
    result = 10;
  case 2:
    result += 1;
    break;
  default:
    result = -1;
    break;
  case 3 ... 5:
    result = 7;
  }
  return result;
}

int odd(int limit) {
  int sum = 0;
  for (int i = 0;; i++) {
    if (i % 2 == 0)
      continue;
    if (i > limit)
      break;
    sum += i;
  }
  return sum;
}

int jump(int n) {
  int steps = 0;
again:
  steps++;
  if (n-- > 0)
    goto again;
  do {
    if (steps > 2)
      goto out;
    steps += 10;
  } while (0);
out:
  return steps;
}

int main(void) {
  assert(kind(1) == 11 && kind(2) == 1 && kind(4) == 7 && kind(6) == -1);
  assert(odd(5) == 9);
  assert(jump(1) == 12 && jump(2) == 3);
  assert(!(called(0) && called(1)) && calls == 1);
  assert((called(1) || called(1)) && calls == 2);
  assert((called(1) ? 5 : called(0)) == 5 && calls == 3);
  int i = 3, n = 0;
  do
    n += i;
  while (--i);
  assert(n == 6);
  switch (n) {
    int unused;
  case 6:
    unused = 1;
    n += unused;
  }
  assert(n == 7);
  return 0;
}
