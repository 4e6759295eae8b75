// Statement expressions, compound literals, designated initialisers, commas, compound assignment, `sizeof`, enumerations, `_Generic`,
// `typeof`-free macros as libraries write them.
// A compiled run ends without a failed assertion.
//
// wattle: sc safe
#include <assert.h>

#define MAX(a, b)                                                                                                      \
  ({                                                                                                                   \
    int first = (a), second = (b);                                                                                     \
    first > second ? first : second;                                                                                   \
  })
#define NAME(of) _Generic((of), int: 1, long: 2, default: 3)

enum color { RED, GREEN = 5, BLUE };

struct item {
  int key;
  int values[3];
};

struct item items[] = {[1] = {.key = 4, .values = {[2] = 8}}, {.key = 6}};

int total(const int *values) {
  return values[0] + values[1];
}

int key(struct item item) {
  return item.key;
}

int main(void) {
  int i = 1;
  assert(MAX(i++, 5) == 5 && i == 2);
  assert(MAX(MAX(1, 9), 3) == 9);
  assert(total((int[]){3, 4}) == 7);
  assert(key((struct item){.key = 12}) == 12);
  assert(items[0].key == 0 && items[1].key == 4 && items[1].values[2] == 8 && items[2].key == 6);
  assert(sizeof items / sizeof items[0] == 3);
  int n = (i = 7, i + 1);
  n *= 2;
  n -= i, n <<= 1;
  n |= 1;
  n ^= 3;
  assert(n == ((((7 + 1) * 2 - 7) << 1 | 1) ^ 3));
  assert(BLUE == 6 && sizeof(enum color) == 4);
  assert(NAME(i) == 1 && NAME(1L) == 2 && NAME('a') == 1 && NAME(1u) == 3);
  assert(sizeof(char) == 1 && sizeof('a') == sizeof(int) && sizeof(i + 1L) == sizeof(long));
  int x = 5, y = x++ + 10;
  assert(x == 6 && y == 15 && x-- == 6 && --x == 4);
  return 0;
}
