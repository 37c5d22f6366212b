#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

namespace kmux::simt {

/// Returns the compiler's version, for example "LLVM 19.1.7".
std::string compiler_version();

/// Returns the file that the code at `address` was loaded from, links resolved; empty if it is unknown.
std::string library_of(void* address);

/// Returns the file that the caller's code was loaded from.
std::string own_library();

/// Returns the file beside a compiler library that has its build ID. Keys of the cache use it if the library is not
/// installed.
std::string id_file_of(const std::string& library);

/// Returns the folder of Clang's own headers (stddef.h, immintrin.h). Searches beside the plugin (clang-19 in its
/// folder, clang/19 above it), then in its build-time place. Then follow the folder beside the loaded Clang library,
/// and those of packages.
///
/// Errors: unavailable that lists the folders searched, with installation advice.
Result<std::string> resource_dir();

/// Returns `resource_dir`, or its build-time place if it is missing: a source that includes nothing is compiled without
/// it.
std::string resource_dir_or_default();

/// Returns `resource_dir` if it lies beside the plugin: it was installed with the plugin, wherever that is.
std::optional<std::string> own_resource_dir();

/// Returns the first of `folders` that contains such headers.
///
/// Errors: as `resource_dir`.
Result<std::string> first_resource_dir(std::span<const std::filesystem::path> folders);

/// Returns the missing header that the compiler's text `log` names; empty if none.
std::string_view missing_header(std::string_view log);

/// Returns advice for the missing system header `name`; empty if it belongs neither to Clang nor to C or C++.
std::string advice_for_header(std::string_view name);

/// Returns `error` with `advice` appended, if `log` names a missing header.
Error with_advice(Error error, std::string_view log, std::string (*advice)(std::string_view) = advice_for_header);

/// A processor by LLVM's name, and the instruction-set features that code for it may use.
struct Processor {
  std::string name;
  std::set<std::string> features;
};

/// Returns the processor of this process. Its features are those that the machine has, not those that its name
/// promises: a virtual machine may hide some.
///
/// Threads: any; queried once.
const Processor& host_cpu();

/// Where Linux on AArch64 reports a feature of the processor: in bit `bit` of getauxval(AT_HWCAP), or of AT_HWCAP2 if
/// `word` is 2.
struct HardwareBit {
  std::string_view feature;  // LLVM's name
  int word;
  int bit;
};

/// Returns the features of AArch64 that a machine can be queried for.
std::span<const HardwareBit> hardware_bits();

/// Returns the features that a machine of `triple` can be queried for. LLVM has more, which are tuning hints.
std::vector<std::string> checkable_features(const std::string& triple);

/// Returns the names that `find_cpu` knows: of processors like this machine's, and on x86-64 of AArch64's.
std::vector<std::string> known_cpus();

/// Returns the processor `name` with the features that its name promises; empty if LLVM does not know it. Defined with
/// the compiler, as compiler_libraries.
std::optional<Processor> find_cpu(std::string_view name);

/// Returns the files that Clang and LLVM are loaded from, each once; none if they are part of the caller's file.
std::vector<std::string> compiler_libraries();

/// Returns true if `name` is one of `known_cpus`. Does not need the compiler's library.
bool is_known_cpu(std::string_view name);

/// Returns LLVM's triple of this process ("x86_64-pc-linux-gnu").
const std::string& host_triple();

/// Returns LLVM's triple of code for processor `cpu`: this process's, unless `cpu` is of another kind of machine
/// ("neoverse-v2" on x86-64).
const std::string& triple_of(std::string_view cpu);

/// Returns true if `triple` is of AArch64.
bool is_aarch64(std::string_view triple);

/// Returns the machine number of `triple` in an ELF header (62 is x86-64).
unsigned short elf_machine_of(std::string_view triple);

/// Returns a processor whose code nearly every machine of this kind can run, for advice: "x86-64-v2" or "generic".
std::string_view modest_cpu();

}  // namespace kmux::simt
