// Blocks of memory: whole objects, parts of arrays, overlapping ones, memory without a type, and what the functions return. A function
// that returns a struct with an array in it. A compiled run ends without a failed assertion.
//
// wattle: sc,rc11 safe
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct pair {
  int number;
  char name[4];
};

int given[4] = {1, 2, 3, 4};

struct pair made(int number) {
  struct pair result = {number, "abc"};
  return result;
}

int main(void) {
  int own[4];
  void *start = memcpy(own, given, sizeof given);
  assert(start == own && own[3] == 4);
  memmove(own, own + 1, 3 * sizeof *own);
  assert(own[0] == 2 && own[1] == 3 && own[2] == 4 && own[3] == 4);
  memmove(own + 1, own, 2 * sizeof(int));
  assert(own[0] == 2 && own[1] == 2 && own[2] == 3 && own[3] == 4);

  struct pair one = made(5), other;
  memcpy(&other, &one, sizeof other);
  assert(other.number == 5 && other.name[2] == 'c' && made(6).number == 6);
  struct pair *heap = malloc(sizeof *heap);
  memcpy(heap, &one, sizeof one);
  void *untyped = heap;
  struct pair back;
  memcpy(&back, untyped, sizeof back);
  assert(back.name[1] == 'b' && back.number == 5);
  memset(&back, 0xff, sizeof back);
  assert(back.number == -1 && back.name[0] == -1);

  char text[8];
  memset(text, 'x', 3);
  memcpy(text + 3, "yz", 3);
  assert(text[2] == 'x' && text[3] == 'y' && text[5] == 0);
  free(heap);
  return 0;
}
