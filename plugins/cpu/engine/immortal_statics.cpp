// Static objects of this library are never destroyed: not the plugin's, and not those of LLVM and Clang, which are linked
// in. A thread inside Clang cannot be interrupted, so the end of the process leaves it alone, and what it uses, or makes
// for the first time just then, has to stay. docs/design/0030-process-end.md
//
// Compilers register the destructor of a static object with __cxa_atexit. That the linker finds this one first, in the
// sources and in the archives, is checked after linking (check_immortal.cmake).
// NOLINTNEXTLINE(bugprone-reserved-identifier): its name in the C++ ABI
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) noexcept { return 0; }
