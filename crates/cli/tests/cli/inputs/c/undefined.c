#include <assert.h>

int decide(int n);

int x;

int main(void) {
  x = 1;
  int y = decide(x);
  assert(y > 0);
  return 0;
}
