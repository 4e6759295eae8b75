// Pointers: to locals, globals, fields, elements and pointers; arithmetic, comparison and difference; `void *`; arrays of
// several dimensions; passing by pointer.
// A compiled run ends without a failed assertion.
//
// wattle: sc,rc11 safe
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

int numbers[4] = {10, 20, 30, 40};
int table[2][3] = {{1, 2, 3}, {4, 5, 6}};
int *chosen = &numbers[1];
struct pair {
  int first, second;
} pair;

void swap(int *a, int *b) {
  int old = *a;
  *a = *b;
  *b = old;
}

void set(int **where, int *to) {
  *where = to;
}

int sum(int *from, int *end) {
  int sum = 0;
  for (; from != end; ++from)
    sum += *from;
  return sum;
}

int main(void) {
  int a = 1, b = 2, *p = &a, **pp = &p;
  swap(&a, &b);
  assert(a == 2 && b == 1);
  **pp = 5;
  assert(a == 5);
  set(&p, &b);
  assert(*p == 1 && p != &a && p == &b);
  assert(*chosen == 20 && chosen[1] == 30 && *(chosen - 1) == 10 && 2 [numbers] == 30);
  assert(chosen - numbers == 1 && chosen > numbers && &numbers[4] - chosen == 3);
  assert(sum(numbers, numbers + 4) == 100);
  chosen++;
  assert(*chosen++ == 30 && *chosen == 40);
  int *row = table[1];
  assert(row[2] == 6 && *(*(table + 1) + 1) == 5 && sizeof table == 24);
  int *field = &pair.second;
  *field = 9;
  assert(pair.second == 9 && pair.first == 0);
  void *any = &pair;
  assert(((struct pair *)any)->second == 9);
  int *none = NULL;
  assert(!none && none == 0 && p);
  uintptr_t number = (uintptr_t)&b;
  assert((int *)number == &b && *(int *)number == 1);
  char text[] = "ab";
  assert(sizeof text == 3 && text[1] == 'b' && text[2] == 0);
  return 0;
}
