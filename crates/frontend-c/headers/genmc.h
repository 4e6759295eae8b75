/* What programs written for GenMC use beside C: hazard pointers and hints, which have no meaning of their own here. */
#ifndef WATTLE_GENMC_H
#define WATTLE_GENMC_H
#include <stdatomic.h>
typedef struct { int unused; } __VERIFIER_hp_t;
#define __VERIFIER_hp_alloc() ((__VERIFIER_hp_t *)0)
#define __VERIFIER_hp_free(hp) ((void)(hp))
#define __VERIFIER_hp_clear(hp) ((void)(hp))
#define __VERIFIER_hp_protect(hp, place) ((void)(hp), atomic_load_explicit((place), memory_order_acquire))
#define __VERIFIER_hp_retire(pointer) ((void)(pointer))
#define __VERIFIER_final_CAS(call) (call)
#define __VERIFIER_helping_CAS(call) do { call } while (0)
#define __VERIFIER_helped_CAS(call) do { call } while (0)
#define __VERIFIER_final_write(statement) statement
#define __VERIFIER_local_write(statement) statement
#define __VERIFIER_optional(statement) do { statement } while (0)
#define __VERIFIER_loop_bound(bound) ((void)0)
void __VERIFIER_assume(int);
#endif
