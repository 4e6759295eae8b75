// Globals that begin with addresses of others, and names that are hidden where they are used first.
// wattle: sc safe
#include <assert.h>

enum { SIZE = 5 };

int x = 5, y = 9, length = SIZE;
int *to_x = &x;
int *both[2] = {&x, &y};
struct part { int value; } part = {3};
struct part *to_part = &part;

// The static variable's value is that of the inner enumerator.
int next(void) {
  enum { SIZE = 7 };
  static int count = SIZE;
  return count++;
}

// What `to_y` begins with is the `y` outside, though a static variable of that name is in sight where `to_y` is used.
int *to_y = &y;
int through(void) {
  static int y = 100;
  enum { SIZE = 50 };
  return *to_y + y + length;
}

int main(void) {
  int x = 7;
  *to_x = 4;
  assert(*both[0] == 4 && x == 7);
  to_part->value = 6;
  assert(part.value == 6);
  assert(next() == 7 && next() == 8);
  assert(through() == 9 + 100 + 5);
  return 0;
}
