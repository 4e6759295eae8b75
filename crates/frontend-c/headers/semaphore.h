/* Semaphores of POSIX: wattle knows the calls by their names. */
#ifndef WATTLE_SEMAPHORE_H
#define WATTLE_SEMAPHORE_H
typedef int sem_t;
struct timespec;
int sem_init(sem_t *, int, unsigned int);
int sem_destroy(sem_t *);
int sem_wait(sem_t *);
int sem_trywait(sem_t *);
int sem_timedwait(sem_t *, const struct timespec *);
int sem_post(sem_t *);
int sem_getvalue(sem_t *, int *);
#endif
