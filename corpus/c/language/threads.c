// Threads: created in a loop with arguments of their own, with results that joining hands over; thread-local and
// static variables; `pthread_exit` from a function; `pthread_self`.
// A compiled run ends without a failed assertion.
//
// wattle: sc,rc11 safe
#include <assert.h>
#include <pthread.h>

__thread int mine = 5;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int sum;

void finish(long result) {
  pthread_exit((void *)result);
}

void *work(void *argument) {
  long number = (long)argument;
  static int started;
  mine += number;
  assert(mine == 5 + number);
  pthread_mutex_lock(&mutex);
  started++;
  sum += number;
  assert(started <= 2);
  pthread_mutex_unlock(&mutex);
  finish(number * 10);
  assert(0);
  return 0;
}

int main(void) {
  pthread_t threads[2];
  long total = 0;
  for (long i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, work, (void *)(i + 1));
  for (int i = 0; i < 2; i++) {
    void *result;
    pthread_join(threads[i], &result);
    total += (long)result;
  }
  assert(total == 30 && sum == 3 && mine == 5);
  assert(pthread_equal(pthread_self(), pthread_self()) && !pthread_equal(threads[0], threads[1]));
  return 0;
}
