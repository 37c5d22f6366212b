#include "engine/installation.h"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <elf.h>

#include "clang/Basic/Version.h"
#include "engine/compiler.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

namespace kmux::cpu {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBuiltWith = KMUX_CLANG_RESOURCE_DIR;

std::vector<fs::path> candidates() {
  const fs::path version = std::to_string(CLANG_VERSION_MAJOR);
  const fs::path plugins = fs::path(own_library()).parent_path();
  const std::vector<std::string> compiler = compiler_libraries();
  const fs::path libraries = compiler.empty() ? plugins : fs::path(compiler.front()).parent_path();
  return {plugins / ("clang-" + version.string()),
          plugins.parent_path() / "clang" / version,
          kBuiltWith,
          libraries / "clang" / version,
          fs::path("/usr/lib/llvm-" + version.string()) / "lib/clang" / version,
          fs::path("/usr/lib/clang") / version};
}

}  // namespace

std::string compiler_version() { return "LLVM " LLVM_VERSION_STRING; }

std::string library_of(void* address) {
  Dl_info info{};
  if (!dladdr(address, &info) || !info.dli_fname) return "";
  std::error_code error;
  const fs::path real = fs::canonical(info.dli_fname, error);
  return error ? std::string(info.dli_fname) : real.string();
}

std::string own_library() {
  static const std::string own = library_of(reinterpret_cast<void*>(&own_library));
  return own;
}

Result<std::string> resource_dir() {
  // Asked for each key of the cache. What is missing may be installed while the process runs.
  static const Result<std::string> at_first = first_resource_dir(candidates());
  return at_first ? at_first : first_resource_dir(candidates());
}

std::string resource_dir_or_default() {
  const auto found = resource_dir();
  return found ? *found : kBuiltWith;
}

Result<std::string> first_resource_dir(std::span<const fs::path> folders) {
  std::string searched;
  std::error_code error;
  for (const fs::path& folder : folders) {
    if (fs::exists(folder / "include/stddef.h", error)) return folder.string();
    searched += (searched.empty() ? "\"" : ", \"") + folder.string() + "\"";
  }
  return make_error(ErrorCode::kUnavailable, "Clang's own headers were not found (searched " + searched +
                                                 "). Install them: apt-get install libclang-common-19-dev.");
}

namespace {

// Of ISO C and POSIX, and what those include; Clang brings the others of ISO C itself.
constexpr std::array<std::string_view, 27> kLibcHeaders = {
    "alloca.h", "assert.h", "complex.h", "ctype.h",  "dlfcn.h",    "errno.h",      "fcntl.h",
    "fenv.h",   "locale.h", "malloc.h",  "math.h",   "memory.h",   "pthread.h",    "sched.h",
    "setjmp.h", "signal.h", "stdio.h",   "stdlib.h", "string.h",   "strings.h",    "threads.h",
    "time.h",   "uchar.h",  "unistd.h",  "wchar.h",  "features.h", "linux/errno.h"};

// Those that most sources take, and a test for the rest: they all end alike.
constexpr std::array<std::string_view, 12> kClangHeaders = {"float.h",    "inttypes.h",  "iso646.h", "limits.h",
                                                            "stdalign.h", "stdarg.h",    "stddef.h", "stdint.h",
                                                            "stdbool.h",  "stdatomic.h", "tgmath.h", "stdnoreturn.h"};

bool is_clangs(std::string_view name) {
  return std::ranges::find(kClangHeaders, name) != kClangHeaders.end() || name.ends_with("intrin.h");
}

bool is_libcs(std::string_view name) {
  return std::ranges::find(kLibcHeaders, name) != kLibcHeaders.end() || name.starts_with("bits/") ||
         name.starts_with("sys/") || name.starts_with("gnu/");
}

// The standard library's have no ending ("vector", "cmath").
bool is_cpps(std::string_view name) { return name.find_first_of("./") == std::string_view::npos; }

}  // namespace

std::string_view missing_header(std::string_view log) {
  constexpr std::string_view kBefore = "fatal error: '";
  constexpr std::string_view kAfter = "' file not found";
  const std::size_t end = log.find(kAfter);
  if (end == std::string_view::npos) return {};
  const std::size_t begin = log.rfind(kBefore, end);
  if (begin == std::string_view::npos) return {};
  return log.substr(begin + kBefore.size(), end - begin - kBefore.size());
}

std::string advice_for_header(std::string_view name) {
  if (is_clangs(name)) {
    const auto folder = resource_dir();
    return folder ? "" : " " + folder.error().message;
  }
  if (is_libcs(name)) return " The header is the C library's: apt-get install libc6-dev.";
  if (is_cpps(name)) return " The header is the C++ library's: apt-get install libstdc++-12-dev.";
  return "";
}

Error with_advice(Error error, std::string_view log) {
  if (const std::string_view name = missing_header(log); !name.empty()) error.message += advice_for_header(name);
  return error;
}

namespace {

// Every feature that a machine like this can have, and whether this one has it. Asked once: in a virtual machine each
// CPUID instruction takes long.
const llvm::StringMap<bool>& asked_features() {
  static const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  return features;
}

Processor ask_host() {
  Processor host{llvm::sys::getHostCPUName().str(), {}};
  for (const auto& feature : asked_features()) {
    if (feature.second) host.features.insert(feature.first().str());
  }
  return host;
}

// What clang accepts for -march (x86) or -mcpu.
llvm::SmallVector<llvm::StringRef, 0> cpu_names() {
  llvm::SmallVector<llvm::StringRef, 0> names;
  const llvm::Triple triple(host_triple());
  if (triple.isX86()) llvm::X86::fillValidCPUArchList(names, triple.isArch64Bit());
  if (triple.isAArch64()) llvm::AArch64::fillValidCPUArchList(names);
  return names;
}

}  // namespace

const Processor& host_cpu() {
  static const Processor host = ask_host();
  return host;
}

std::vector<std::string> checkable_features() {
  std::vector<std::string> names;
  for (const auto& feature : asked_features()) names.push_back(feature.first().str());
  return names;
}

std::vector<std::string> known_cpus() {
  const auto names = cpu_names();
  return {names.begin(), names.end()};
}

const std::string& host_triple() {
  static const std::string triple = llvm::sys::getProcessTriple();
  return triple;
}

unsigned short host_elf_machine() {
#if defined(__x86_64__)
  return EM_X86_64;
#elif defined(__aarch64__)
  return EM_AARCH64;
#else
#error "the cpu plugin knows x86-64 and AArch64"
#endif
}

}  // namespace kmux::cpu
