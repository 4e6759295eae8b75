// Two accesses that are not atomic, one of them a write, with nothing between them: a data race, which takes the
// meaning of the program away in C11 (5.1.2.4) whatever the values are: a violation. The other models know no races; the assertion holds.
//
// wattle: sc,tso,aarch64,power,riscv safe
// wattle: rc11 unsafe
#include <assert.h>
#include <pthread.h>

int x;

void *writer(void *unused) {
  x = 1;
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, writer, NULL);
  int seen = x;
  assert(seen == 0 || seen == 1);
  return 0;
}
