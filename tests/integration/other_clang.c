// kmux_cpu_clang.so of another release: all that two releases have in common is where the version is.
static const char* const kTable[] = {"0.0.9"};

const void* kmux_cpu_clang_query(void);
const void* kmux_cpu_clang_query(void) { return kTable; }
