// Being woken proves nothing: the only signal may come before the wait, where it is lost, and the wait may end later for no
// reason. A program that counts a wake-up as a sign that nobody else was woken is wrong.
//
// wattle: sc unsafe
#include <assert.h>
#include <pthread.h>

int woken;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

void *waiter(void *unused) {
  pthread_mutex_lock(&mutex);
  pthread_cond_wait(&condition, &mutex);
  woken++;
  assert(woken == 1);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_cond_signal(&condition);
  pthread_create(&a, NULL, waiter, NULL);
  pthread_create(&b, NULL, waiter, NULL);
  return 0;
}
