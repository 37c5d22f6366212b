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

/// Where the files of a program are for NVRTC. No such folder exists, so the working directory plays no part; messages are
/// given without it.
inline constexpr std::string_view kProgramFolder = "<program>/";

/// One translation unit to compile.
struct Compilation {
  const SourceUnit& unit;
  std::vector<std::string> options;
  std::vector<std::string> names;  // name expressions that are instantiated
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

/// Compiles in this process. Several at once take turns inside NVRTC's front end.
///
/// Errors: compile_failed with the log as note "log", invalid_argument for an option that NVRTC does not take.
Result<Compiled> compile(const NvrtcLibrary& library, const Compilation& compilation);

/// The options that NVRTC is called with, all but those about precompiled headers. `folders` are the toolkit's headers.
///
/// `-default-device` is always among them: without it NVRTC refuses every function and variable that is not marked for
/// the device, so it can only make more sources compile.
std::vector<std::string> compiler_arguments(const nvidia::BuildOptions& options, const Settings& settings,
                                            const SourceUnit& unit, nvidia::Arch arch,
                                            const std::vector<std::string>& folders);

/// `unit` with the built-in headers among its files and preludes.
SourceUnit with_headers(SourceUnit unit, const DeviceHeaders& headers);

/// Compiles each source of `variant` by itself with `arguments`, and links them with nvJitLink, which optimizes across them.
/// A source may include the others. A name of `names` is instantiated in the first source in which its identifier stands.
///
/// Errors: as `compile`; compile_failed for what the linker misses; unavailable without nvJitLink beside NVRTC, `nvrtc`.
Result<Compiled> compile_and_link(const NvrtcLibrary& library, const std::string& nvrtc, const Variant& variant,
                                  const DeviceHeaders& headers, const std::vector<std::string>& arguments,
                                  const std::vector<std::string>& names,
                                  const std::vector<std::string>& link_arguments);

/// The options that nvJitLink is called with.
std::vector<std::string> linker_arguments(const nvidia::BuildOptions& options, const Settings& settings,
                                          nvidia::Arch arch);

}  // namespace kmux::nvrtc
