// Texts as values: followed, indexed, returned, passed on, in initial values of globals, and `__func__`.
// A compiled run ends without a failed assertion.
//
// wattle: sc,rc11 safe
#include <assert.h>

static const char *names[2] = {"ab", "c"};
static char own[] = "xyz";

const char *answer(int yes) { return yes ? "yes" : "no"; }

int length(const char *text) {
  int count = 0;
  while (*text++)
    count++;
  return count;
}

int main(void) {
  assert(names[0][1] == 'b' && names[1][0] == 'c' && names[1][1] == 0);
  own[0] = 'X';
  assert(own[0] == 'X' && own[2] == 'z' && sizeof own == 4);
  assert(answer(1)[0] == 'y' && length(answer(0)) == 2 && length("") == 0);
  assert("abc"[1] == 'b' && sizeof "abc" == 4);
  assert(__func__[0] == 'm' && length(__func__) == 4);
  const char *walk = names[0];
  walk++;
  assert(*walk == 'b' && walk[1] == 0);
  return 0;
}
