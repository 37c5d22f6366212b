// LD_PRELOAD: makes one call fail for lack of a thread, a process, a descriptor or memory, as limits would. The
// variable KMUX_SCARCE is "KIND N": the N-th call of that kind fails; with N 0 none does. The number of calls is
// written to the file KMUX_SCARCE_COUNT. Only allocations by libkmux itself count: LLVM ends the process when it is out
// of memory.
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <new>
#include <pthread.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

std::atomic<int> calls{0};

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool fails(const char* kind) {
  static const char* const wanted = std::getenv("KMUX_SCARCE");
  const std::size_t length = std::strlen(kind);
  if (wanted == nullptr || std::strncmp(wanted, kind, length) != 0 || wanted[length] != ' ') return false;
  return ++calls == std::atoi(wanted + length);
}

struct CodeRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

/// Returns the code range of libkmux; empty in a process without it.
CodeRange range_of_kmux() {
  CodeRange range;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* found) {
        if (std::strstr(info->dlpi_name, "/libkmux.so") == nullptr) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& part = info->dlpi_phdr[i];
          if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
          *static_cast<CodeRange*>(found) = {info->dlpi_addr + part.p_vaddr,
                                             info->dlpi_addr + part.p_vaddr + part.p_memsz};
        }
        return 1;
      },
      &range);
  return range;
}

bool is_in_kmux(const void* code) {
  static const CodeRange range = range_of_kmux();
  const auto address = reinterpret_cast<std::uintptr_t>(code);
  return range.begin <= address && address < range.end;
}

int refuse(int number) {
  errno = number;
  return -1;
}

__attribute__((destructor)) void report() {
  const char* const path = std::getenv("KMUX_SCARCE_COUNT");
  std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "w");
  if (file == nullptr) return;
  std::fprintf(file, "%d\n", calls.load());
  std::fclose(file);
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

}  // namespace

#pragma GCC visibility push(default)
void* operator new(std::size_t bytes) {
  if (is_in_kmux(__builtin_return_address(0)) && fails("memory")) throw std::bad_alloc();
  void* const made = std::malloc(bytes == 0 ? 1 : bytes);
  if (made == nullptr) throw std::bad_alloc();
  return made;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) noexcept {
  static const auto real = next<decltype(pthread_create)>("pthread_create");
  return fails("thread") ? EAGAIN : real(thread, attributes, start, argument);
}

int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const argv[], char* const environment[]) noexcept {
  static const auto real = next<decltype(posix_spawn)>("posix_spawn");
  return fails("process") ? EAGAIN : real(child, path, actions, attributes, argv, environment);
}

int open(const char* path, int flags, ...) {
  static const auto real = next<int(const char*, int, ...)>("open");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return fails("descriptor") ? refuse(EMFILE) : real(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  static const auto real = next<int(const char*, int, ...)>("open64");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return fails("descriptor") ? refuse(EMFILE) : real(path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  static const auto real = next<int(int, const char*, int, ...)>("openat");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return fails("descriptor") ? refuse(EMFILE) : real(folder, path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) {
  static const auto real = next<decltype(fopen)>("fopen");
  return fails("descriptor") ? (refuse(EMFILE), nullptr) : real(path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  static const auto real = next<decltype(fopen64)>("fopen64");
  return fails("descriptor") ? (refuse(EMFILE), nullptr) : real(path, mode);
}

int pipe2(int ends[2], int flags) noexcept {
  static const auto real = next<decltype(pipe2)>("pipe2");
  return fails("descriptor") ? refuse(EMFILE) : real(ends, flags);
}

int socketpair(int domain, int type, int protocol, int ends[2]) noexcept {
  static const auto real = next<decltype(socketpair)>("socketpair");
  return fails("descriptor") ? refuse(EMFILE) : real(domain, type, protocol, ends);
}

}  // extern "C"
#pragma GCC visibility pop
