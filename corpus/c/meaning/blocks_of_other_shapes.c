// The bytes of two numbers make another one. Locations are scalars as they were declared, so what `both` is afterwards is not known here;
// it was once taken for the first of the two. (Compiled on a machine of 64 bits, the assertion fails.)
//
// wattle: sc,rc11 unknown
#include <assert.h>
#include <string.h>

int main(void) {
  long both = 0;
  int halves[2] = {1, 2};
  memcpy(&both, halves, sizeof both);
  assert(both == 1);
  return 0;
}
