// The heap: lists of cells, structs with arrays, `calloc` clears, `free` and the null pointer.
// A compiled run ends without a failed assertion.
//
// wattle: sc safe
#include <assert.h>
#include <stdlib.h>

struct node {
  int value;
  struct node *next;
};

struct node *put(struct node *list, int value) {
  struct node *node = malloc(sizeof(struct node));
  if (node == NULL)
    exit(0);
  node->value = value;
  node->next = list;
  return node;
}

int main(void) {
  struct node *list = put(put(NULL, 1), 2);
  assert(list->value == 2 && list->next->value == 1 && list->next->next == NULL);
  struct node *rest = list->next;
  assert(rest != list);
  free(list);
  assert(rest->value == 1);
  free(rest);
  free(NULL);
  int *counts = calloc(3, sizeof(int));
  if (counts == NULL)
    return 0;
  assert(counts[0] == 0 && counts[2] == 0);
  counts[1] = 4;
  assert(counts[0] + counts[1] == 4);
  free(counts);
  return 0;
}
