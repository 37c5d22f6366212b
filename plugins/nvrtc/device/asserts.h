// assert, depending on NDEBUG at the place of inclusion. Read at each inclusion; the compiler provides the failure handler.
#ifdef NDEBUG
#undef assert
#define assert(...) ((void)0)
#endif
