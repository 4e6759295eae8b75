/* The calls of this header stay as they are written: wattle knows them by their names. */
#ifndef WATTLE_STDATOMIC_H
#define WATTLE_STDATOMIC_H
#include <stddef.h>
#include <stdint.h>
typedef enum memory_order {
  memory_order_relaxed = 0,
  memory_order_consume = 1,
  memory_order_acquire = 2,
  memory_order_release = 3,
  memory_order_acq_rel = 4,
  memory_order_seq_cst = 5
} memory_order;
#define ATOMIC_VAR_INIT(value) (value)
#define ATOMIC_FLAG_INIT 0
#define kill_dependency(value) (value)
typedef _Atomic _Bool atomic_bool;
typedef _Atomic char atomic_char;
typedef _Atomic signed char atomic_schar;
typedef _Atomic unsigned char atomic_uchar;
typedef _Atomic short atomic_short;
typedef _Atomic unsigned short atomic_ushort;
typedef _Atomic int atomic_int;
typedef _Atomic unsigned int atomic_uint;
typedef _Atomic long atomic_long;
typedef _Atomic unsigned long atomic_ulong;
typedef _Atomic long long atomic_llong;
typedef _Atomic unsigned long long atomic_ullong;
typedef _Atomic long atomic_intptr_t;
typedef _Atomic unsigned long atomic_uintptr_t;
typedef _Atomic unsigned long atomic_size_t;
typedef _Atomic long atomic_ptrdiff_t;
typedef _Atomic long long atomic_intmax_t;
typedef _Atomic unsigned long long atomic_uintmax_t;
typedef _Atomic signed char atomic_int_least8_t, atomic_int_fast8_t;
typedef _Atomic unsigned char atomic_uint_least8_t, atomic_uint_fast8_t;
typedef _Atomic short atomic_int_least16_t;
typedef _Atomic unsigned short atomic_uint_least16_t;
typedef _Atomic int atomic_int_least32_t;
typedef _Atomic unsigned int atomic_uint_least32_t;
typedef _Atomic long long atomic_int_least64_t;
typedef _Atomic unsigned long long atomic_uint_least64_t;
typedef _Atomic long atomic_int_fast16_t, atomic_int_fast32_t, atomic_int_fast64_t;
typedef _Atomic unsigned long atomic_uint_fast16_t, atomic_uint_fast32_t, atomic_uint_fast64_t;
typedef _Atomic unsigned char atomic_flag;
#endif
