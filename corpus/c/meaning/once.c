// pthread_once calls its function once, and whoever returns from it sees what the function did, the caller or not.
// wattle: sc,tso,rc11,aarch64,power,riscv safe
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
int made, calls;

void make(void) {
  calls++;
  made = 7;
}

void *work(void *unused) {
  pthread_once(&once, make);
  assert(made == 7);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  work(NULL);
  pthread_join(thread, NULL);
  assert(calls == 1);
  return 0;
}
