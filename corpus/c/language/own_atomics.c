// Functions of the program whose names begin like those of a library: one of them keeps the pointer that it gets.
// wattle: sc safe
#include <assert.h>

int *kept;

void atomic_later(int *number) { kept = number; }

int atomic_now(int *number) { return ++*number; }

int main(void) {
  int first = 1, second = 2;
  atomic_later(&first);
  *kept = 7;
  assert(first == 7);
  assert(atomic_now(&second) == 3 && second == 3);
  return 0;
}
