#pragma once

#include <filesystem>
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

/// The folder of Clang's own headers (stddef.h, immintrin.h): beside the plugin (clang-19 in its folder, clang/19 above
/// it), else where it was at build time, else beside the loaded Clang library, else where packages put it.
///
/// Errors: unavailable that lists the folders searched and says what to install.
Result<std::string> resource_dir();

/// `resource_dir`, or where it was at build time: a source that includes nothing is compiled without it.
std::string resource_dir_or_default();

/// As `resource_dir`, the first of `folders` that holds such headers.
Result<std::string> first_resource_dir(std::span<const std::filesystem::path> folders);

/// The header that the compiler's text `log` says was not found; empty if none.
std::string_view missing_header(std::string_view log);

/// What to do about the system header `name`; empty if it belongs neither to Clang nor to C or C++.
std::string advice_for_header(std::string_view name);

/// `error` with that advice, if its `log` names such a header.
Error with_advice(Error error, std::string_view log);

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

/// The features that a machine can be asked for; LLVM has more, which are tuning hints.
std::vector<std::string> checkable_features();

/// The names that `find_cpu` knows.
std::vector<std::string> known_cpus();

/// LLVM's triple of this process ("x86_64-pc-linux-gnu").
const std::string& host_triple();

/// The number of this machine in an ELF header (62 is x86-64).
unsigned short host_elf_machine();

}  // namespace kmux::cpu
