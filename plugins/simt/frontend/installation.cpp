#include "simt/frontend/installation.h"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <elf.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include "clang/Basic/Version.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

namespace kmux::simt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBuiltWith = KMUX_CLANG_RESOURCE_DIR;

// Returns the folders where a package has Clang's headers. Called for each cache key, so they are computed once.
const std::vector<fs::path>& own_folders() {
  static const std::vector<fs::path> folders = [] {
    const std::string version = std::to_string(CLANG_VERSION_MAJOR);
    const fs::path plugins = fs::path(own_library()).parent_path();
    return std::vector<fs::path>{plugins / ("clang-" + version), plugins.parent_path() / "clang" / version};
  }();
  return folders;
}

std::vector<fs::path> candidates() {
  const fs::path version = std::to_string(CLANG_VERSION_MAJOR);
  const std::vector<std::string> compiler = compiler_libraries();
  const fs::path library = compiler.empty() ? own_library() : compiler.front();
  std::vector<fs::path> all = own_folders();
  for (const fs::path& more :
       {fs::path(kBuiltWith), library.parent_path() / "clang" / version,
        fs::path("/usr/lib/llvm-" + version.string()) / "lib/clang" / version, fs::path("/usr/lib/clang") / version})
    all.push_back(more);
  return all;
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

std::string id_file_of(const std::string& library) { return fs::path(library).replace_extension(".id").string(); }

Result<std::string> resource_dir() {
  // Called for each cache key, so a folder that was found is kept. Missing headers may be installed while the process
  // runs.
  static const Result<std::string> at_first = first_resource_dir(candidates());
  return at_first ? at_first : first_resource_dir(candidates());
}

std::string resource_dir_or_default() {
  const auto found = resource_dir();
  return found ? *found : kBuiltWith;
}

std::optional<std::string> own_resource_dir() {
  const std::string found = resource_dir_or_default();
  const auto& beside = own_folders();
  return std::ranges::find(beside, fs::path(found)) == beside.end() ? std::nullopt : std::optional(found);
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

// Headers of ISO C and POSIX, and those that they include. Clang provides the other headers of ISO C itself.
constexpr std::array<std::string_view, 27> kLibcHeaders = {
    "alloca.h", "assert.h", "complex.h", "ctype.h",  "dlfcn.h",    "errno.h",      "fcntl.h",
    "fenv.h",   "locale.h", "malloc.h",  "math.h",   "memory.h",   "pthread.h",    "sched.h",
    "setjmp.h", "signal.h", "stdio.h",   "stdlib.h", "string.h",   "strings.h",    "threads.h",
    "time.h",   "uchar.h",  "unistd.h",  "wchar.h",  "features.h", "linux/errno.h"};

// The headers that most sources include. The rest all end in "intrin.h".
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

// Headers of the C++ library have no ending ("vector", "cmath").
bool is_cpps(std::string_view name) { return name.find_first_of("./") == std::string_view::npos; }

}  // namespace

std::string_view missing_header(std::string_view log) {
  constexpr std::string_view kBefore = "error: '";  // "fatal error: '", except when functions are listed
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

Error with_advice(Error error, std::string_view log, std::string (*advice)(std::string_view)) {
  if (const std::string_view name = missing_header(log); !name.empty()) error.message += advice(name);
  return error;
}

namespace {

constexpr const char* kAArch64 = "aarch64-unknown-linux-gnu";  // LLVM's triple of such a machine's processes

// The features by which LLVM chooses instructions. Source: Linux, arch/arm64/include/uapi/asm/hwcap.h.
constexpr auto kHardwareBits = std::to_array<HardwareBit>({
    {"fp-armv8", 1, 0},  {"neon", 1, 1},      {"aes", 1, 4},     {"sha2", 1, 6},     {"crc", 1, 7},
    {"lse", 1, 8},       {"fullfp16", 1, 10}, {"rdm", 1, 12},    {"jsconv", 1, 13},  {"complxnum", 1, 14},
    {"rcpc", 1, 15},     {"ccpp", 1, 16},     {"sha3", 1, 17},   {"sm4", 1, 19},     {"dotprod", 1, 20},
    {"sve", 1, 22},      {"fp16fml", 1, 23},  {"dit", 1, 24},    {"lse2", 1, 25},    {"rcpc-immo", 1, 26},
    {"flagm", 1, 27},    {"ccdp", 2, 0},      {"sve2", 2, 1},    {"sve2-aes", 2, 2}, {"sve2-bitperm", 2, 4},
    {"sve2-sha3", 2, 5}, {"sve2-sm4", 2, 6},  {"altnzcv", 2, 7}, {"fptoint", 2, 8},  {"f32mm", 2, 10},
    {"f64mm", 2, 11},    {"i8mm", 2, 13},     {"bf16", 2, 14},   {"rand", 2, 16},
});

#if defined(__aarch64__)
// Queries the kernel: LLVM 19 reads /proc/cpuinfo, where it knows six names and does not report missing features.
llvm::StringMap<bool> ask_features() {
  llvm::StringMap<bool> features;
  for (const auto& [feature, word, bit] : kHardwareBits)
    features[feature] = (getauxval(word == 2 ? AT_HWCAP2 : AT_HWCAP) >> bit & 1U) != 0;
  return features;
}
#else
llvm::StringMap<bool> ask_features() { return llvm::sys::getHostCPUFeatures(); }
#endif

// Returns every feature that a machine like this can have, and whether this one has it. Queried once: in a virtual
// machine each CPUID instruction takes long.
const llvm::StringMap<bool>& asked_features() {
  static const llvm::StringMap<bool> features = ask_features();
  return features;
}

Processor ask_host() {
  Processor host{llvm::sys::getHostCPUName().str(), {}};
  for (const auto& feature : asked_features()) {
    if (feature.second) host.features.insert(feature.first().str());
  }
  return host;
}

std::set<std::string, std::less<>> names_of(const llvm::SmallVector<llvm::StringRef, 0>& list) {
  std::set<std::string, std::less<>> names;
  for (const llvm::StringRef name : list) names.insert(name.str());
  return names;
}

// Returns the names that Clang accepts for -march on x86, and for -mcpu on AArch64.
std::set<std::string, std::less<>> ask_names(bool of_aarch64) {
  llvm::SmallVector<llvm::StringRef, 0> names;
  if (of_aarch64) {
    llvm::AArch64::fillValidCPUArchList(names);
  } else {
    llvm::X86::fillValidCPUArchList(names, /*Only64Bit=*/true);
  }
  return names_of(names);
}

const std::set<std::string, std::less<>>& own_names() {
  static const auto names = ask_names(is_aarch64(host_triple()));
  return names;
}

// Returns the processors of the other kind of machine for which code can be generated. On x86 "generic" would be
// ambiguous.
const std::set<std::string, std::less<>>& foreign_names() {
  static const auto names = [] {
    auto asked = is_aarch64(host_triple()) ? std::set<std::string, std::less<>>{} : ask_names(true);
    asked.erase("generic");
    return asked;
  }();
  return names;
}

}  // namespace

const Processor& host_cpu() {
  static const Processor host = ask_host();
  return host;
}

std::span<const HardwareBit> hardware_bits() { return kHardwareBits; }

std::vector<std::string> checkable_features(const std::string& triple) {
  std::vector<std::string> names;
  if (is_aarch64(triple)) {
    for (const HardwareBit& one : kHardwareBits) names.emplace_back(one.feature);
  } else {
    for (const auto& feature : asked_features()) names.push_back(feature.first().str());
  }
  return names;
}

std::vector<std::string> known_cpus() {
  std::vector<std::string> names(own_names().begin(), own_names().end());
  names.insert(names.end(), foreign_names().begin(), foreign_names().end());
  return names;
}

bool is_known_cpu(std::string_view name) { return own_names().contains(name) || foreign_names().contains(name); }

const std::string& host_triple() {
  static const std::string triple = llvm::sys::getProcessTriple();
  return triple;
}

const std::string& triple_of(std::string_view cpu) {
  static const std::string foreign = kAArch64;
  return cpu != host_cpu().name && foreign_names().contains(cpu) ? foreign : host_triple();
}

bool is_aarch64(std::string_view triple) { return triple.starts_with("aarch64"); }

unsigned short elf_machine_of(std::string_view triple) { return is_aarch64(triple) ? EM_AARCH64 : EM_X86_64; }

#if defined(__x86_64__)
std::string_view modest_cpu() { return "x86-64-v2"; }
#elif defined(__aarch64__)
std::string_view modest_cpu() { return "generic"; }
#else
#error "the cpu plugin knows x86-64 and AArch64"
#endif

}  // namespace kmux::simt
