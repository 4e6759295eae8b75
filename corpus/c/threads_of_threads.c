// Fibonacci's third number, where each call gives one of its two parts to a thread of its own: three threads beside main in all.
// wattle: sc,tso,rc11,aarch64,power safe
#include <assert.h>
#include <pthread.h>
struct job { int n; int result; };
void *fib(void *argument) {
  struct job *job = argument;
  if (job->n < 2) {
    job->result = job->n;
    return NULL;
  }
  struct job left = { job->n - 1, 0 }, right = { job->n - 2, 0 };
  pthread_t other;
  pthread_create(&other, NULL, fib, &left);
  fib(&right);
  pthread_join(other, NULL);
  job->result = left.result + right.result;
  return NULL;
}
int main(void) {
  struct job job = { 3, 0 };
  fib(&job);
  assert(job.result == 2);
  return 0;
}
