#include <pthread.h>

void reach_error(void);

struct node {
  int value;
  struct node *next;
};

struct node first = {1, 0}, second = {2, &first}, *list = &second;
int slots[2];

void *work(void *unused) {
  list->next->value = 5;
  slots[list->value - 1] = 7;
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  if (slots[1] == 7 && first.value == 5)
    reach_error();
  return 0;
}
