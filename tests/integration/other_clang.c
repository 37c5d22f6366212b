// kmux_cpu_clang.so of another release: two releases share only the place of the version.
static const char* const kTable[] = {"0.0.9"};

const void* kmux_cpu_clang_query(void);
const void* kmux_cpu_clang_query(void) { return kTable; }
