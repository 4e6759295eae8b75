/* Assertions are what wattle checks. */
#undef assert
void __wattle_assert(int condition);
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) __wattle_assert(!!(condition))
#endif
#ifndef static_assert
#define static_assert _Static_assert
#endif
