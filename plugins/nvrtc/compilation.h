#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/plugin/source_unit.h"

#include "device_headers.h"
#include "nvidia/options.h"
#include "nvidia/target.h"
#include "nvrtc_library.h"

namespace kmux::nvrtc {

/// The folder of a program's files for NVRTC. It does not exist, so the working directory has no effect. Messages are
/// returned without it.
inline constexpr std::string_view kProgramFolder = "<program>/";

/// One translation unit to compile.
struct Compilation {
  const SourceUnit& unit;
  std::vector<std::string> options;
  std::vector<std::string> names;  // name expressions to instantiate
  bool to_ptx = false;  // the options name a virtual architecture
  bool to_intermediate = false;  // the options have -dlto
};

struct Compiled {
  std::string code;  // a cubin, or PTX that ends with a zero, or intermediate code
  std::string log;  // warnings; empty if there are none
  bool is_about_program = false;  // the log names a file of the program, not only headers of the machine
  std::vector<std::string> symbols;  // of the name expressions, in their order
  std::string ptx = {};  // of a cubin that refers to variables
  NvrtcResult pch = NvrtcResult::kNoPchCreateAttempted;
};

/// Compiles in this process. NVRTC's front end serializes concurrent compilations.
///
/// Errors: compile_failed with the log as note "log", invalid_argument for an option that NVRTC rejects.
Result<Compiled> compile(const NvrtcLibrary& library, const Compilation& compilation);

/// Returns the options for NVRTC, except those for precompiled headers. `folders` are the toolkit's header folders.
///
/// They always include `-default-device`: without it NVRTC rejects every function and variable without a device mark,
/// so the option can only make more sources compile.
std::vector<std::string> compiler_arguments(const nvidia::BuildOptions& options, const Settings& settings,
                                            const SourceUnit& unit, nvidia::Arch arch,
                                            const std::vector<std::string>& folders);

/// Returns `unit` with the built-in headers added to its files and preludes.
SourceUnit with_headers(SourceUnit unit, const DeviceHeaders& headers);

/// Compiles each source of `variant` separately with `arguments`, and links them with nvJitLink, which optimizes across
/// them. A source may include the others. Each of `names` is instantiated in the first source that contains its
/// identifier.
///
/// Errors: as `compile`; compile_failed for unresolved symbols; unavailable without nvJitLink for NVRTC, `nvrtc`.
Result<Compiled> compile_and_link(const NvrtcLibrary& library, const std::string& nvrtc, const Variant& variant,
                                  const DeviceHeaders& headers, const std::vector<std::string>& arguments,
                                  const std::vector<std::string>& names,
                                  const std::vector<std::string>& link_arguments);

/// Returns the options for nvJitLink.
std::vector<std::string> linker_arguments(const nvidia::BuildOptions& options, const Settings& settings,
                                          nvidia::Arch arch);

}  // namespace kmux::nvrtc
