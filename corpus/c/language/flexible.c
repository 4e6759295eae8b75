// A struct whose last member is an array without a length, with as many elements as are asked for.
// wattle: sc,rc11 safe
#include <assert.h>
#include <stdlib.h>

struct list {
  int length;
  struct list *next;
  long numbers[];
};

struct old {
  short length;
  char letters[0];
};

struct list *make(int length) {
  struct list *list = malloc(sizeof(struct list) + length * sizeof(long));
  if (!list)
    abort();
  list->length = length;
  list->next = NULL;
  for (int i = 0; i < length; i++)
    list->numbers[i] = i * 10;
  return list;
}

int main(void) {
  struct list *first = make(4), *second = make(2);
  first->next = second;
  second->numbers[1] = 7;
  assert(first->numbers[3] == 30 && first->next->numbers[1] == 7 && first->numbers[1] == 10);
  struct old *old = malloc(sizeof(*old) + 3);
  if (!old)
    abort();
  old->letters[2] = 'c';
  old->length = 3;
  assert(old->letters[2] == 'c' && sizeof(struct old) == 2);
  return 0;
}
