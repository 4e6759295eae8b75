#include <assert.h>

int main(void) {
  double half = 0.5;
  assert(half < 1);
  return 0;
}
