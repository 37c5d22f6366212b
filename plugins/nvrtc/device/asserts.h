// assert as NDEBUG is where this is included. Read each time; the compiler has what fails.
#ifdef NDEBUG
#undef assert
#define assert(...) ((void)0)
#endif
