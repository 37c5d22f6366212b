// assert, depending on NDEBUG at the place of inclusion (assert.h). Read at each inclusion.
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(...) ((__VA_ARGS__) ? (void)0 : kmux_fail(#__VA_ARGS__, __FILE__, __LINE__))
#endif
