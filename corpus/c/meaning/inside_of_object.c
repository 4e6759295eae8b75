// A pointer into the middle of an int, by way of void *: which bytes are there is not known here, so the answer is *unknown*, and no fault. (The
// assertion holds on machines that store the lowest byte first.)
// wattle: sc,tso,rc11,power unknown
#include <assert.h>

int number = 0x01020304;

int main(void) {
  void *start = &number;
  char *letter = start;
  assert(letter[1] == 3);
  return 0;
}
