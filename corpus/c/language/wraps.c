// Signed overflow wraps in wattle: the text is taken as with `-fwrapv`, with which a compiled run ends without a failed assertion.
//
// wattle: sc safe
#include <assert.h>
#include <limits.h>

int big = INT_MAX;
long huge = LONG_MAX;
signed char small = 127;

int main(void) {
  big++;
  assert(big == INT_MIN);
  assert(big - 1 == INT_MAX && -big == INT_MIN && big * 2 == 0);
  huge += 1;
  assert(huge == LONG_MIN);
  small++;
  assert(small == -128);
  unsigned none = 0;
  assert(none - 1 == UINT_MAX);
  return 0;
}
