#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

namespace kmux::cpu {

/// "LLVM 19.1.7".
std::string compiler_version();

/// The file that the code at `address` was loaded from, links resolved.
std::string library_of(void* address);

/// The file of the code that asks.
std::string own_library();

/// Beside a library of the compiler: the file that has its build id, by which keys of the cache are made where the library is not
/// installed.
std::string id_file_of(const std::string& library);

/// The folder of Clang's own headers (stddef.h, immintrin.h): beside the plugin (clang-19 in its folder, clang/19 above
/// it), else where it was at build time, else beside the loaded Clang library, else where packages put it.
///
/// Errors: unavailable that lists the folders searched and says what to install.
Result<std::string> resource_dir();

/// `resource_dir`, or where it was at build time: a source that includes nothing is compiled without it.
std::string resource_dir_or_default();

/// `resource_dir`, if that lies beside the plugin: it came with it, wherever the two were put.
std::optional<std::string> own_resource_dir();

/// As `resource_dir`, the first of `folders` that holds such headers.
Result<std::string> first_resource_dir(std::span<const std::filesystem::path> folders);

/// The header that the compiler's text `log` says was not found; empty if none.
std::string_view missing_header(std::string_view log);

/// What to do about the system header `name`; empty if it belongs neither to Clang nor to C or C++.
std::string advice_for_header(std::string_view name);

/// `error` with `advice`, if its `log` names such a header.
Error with_advice(Error error, std::string_view log, std::string (*advice)(std::string_view) = advice_for_header);

/// A processor as LLVM names it, and the instruction-set features that code for it may use.
struct Processor {
  std::string name;
  std::set<std::string> features;
};

/// The processor of this process. Its features are those the machine has, not those its name promises: a virtual
/// machine may hide some.
///
/// Threads: any; asked once.
const Processor& host_cpu();

/// Where Linux on AArch64 says whether the processor has a feature: in bit `bit` of getauxval(AT_HWCAP), or of AT_HWCAP2 if
/// `word` is 2.
struct HardwareBit {
  std::string_view feature;  // LLVM's name
  int word;
  int bit;
};

/// The features of AArch64 that a machine can be asked for.
std::span<const HardwareBit> hardware_bits();

/// The features that a machine of `triple` can be asked for; LLVM has more, which are tuning hints.
std::vector<std::string> checkable_features(const std::string& triple);

/// The names that `find_cpu` knows: of processors like this machine's, and on x86-64 of AArch64's.
std::vector<std::string> known_cpus();

/// Returns true if `name` is one of `known_cpus`. Does not need the compiler's library.
bool is_known_cpu(std::string_view name);

/// LLVM's triple of this process ("x86_64-pc-linux-gnu").
const std::string& host_triple();

/// LLVM's triple of code for processor `cpu`: this process's unless `cpu` is of another kind of machine ("neoverse-v2" on x86-64).
const std::string& triple_of(std::string_view cpu);

/// Is `triple` of AArch64?
bool is_aarch64(std::string_view triple);

/// The number of the machine of `triple` in an ELF header (62 is x86-64).
unsigned short elf_machine_of(std::string_view triple);

/// What nearly every machine of this kind can run, for advice: "x86-64-v2" or "generic".
std::string_view modest_cpu();

}  // namespace kmux::cpu
