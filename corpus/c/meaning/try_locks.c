// What tries fails only where it would have had to wait. One thread alone, so the standard says each result.
// wattle: sc,rc11,aarch64 safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
pthread_spinlock_t spin;
sem_t semaphore;

int main(void) {
  int value;
  assert(pthread_rwlock_tryrdlock(&lock) == 0);
  assert(pthread_rwlock_timedrdlock(&lock, NULL) == 0);
  assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
  pthread_rwlock_unlock(&lock);
  assert(pthread_rwlock_timedwrlock(&lock, NULL) == ETIMEDOUT);
  pthread_rwlock_unlock(&lock);
  assert(pthread_rwlock_trywrlock(&lock) == 0);
  assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  assert(pthread_spin_trylock(&spin) == 0 && pthread_spin_trylock(&spin) == EBUSY);
  pthread_spin_unlock(&spin);
  assert(pthread_spin_trylock(&spin) == 0);
  sem_init(&semaphore, 0, 1);
  sem_getvalue(&semaphore, &value);
  assert(value == 1 && sem_trywait(&semaphore) == 0 && sem_trywait(&semaphore) == -1);
  assert(sem_timedwait(&semaphore, NULL) == -1);
  sem_post(&semaphore);
  sem_getvalue(&semaphore, &value);
  assert(value == 1);
  return 0;
}
