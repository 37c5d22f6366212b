// assert, as NDEBUG is where this is included (assert.h). Read each time.
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(...) ((__VA_ARGS__) ? (void)0 : kmux_fail(#__VA_ARGS__, __FILE__, __LINE__))
#endif
