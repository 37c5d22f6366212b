#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"
#include "kmux/plugin/source_unit.h"

#include "clang_compiler.h"
#include "hiprtc_library.h"
#include "options.h"

namespace kmux::hip {

/// The compiler of a build: hiprtc or Clang.
struct CompilerChoice {
  std::optional<HiprtcLibrary> hiprtc = {};
  std::optional<ClangToolchain> clang = {};  // set if the other is not
};

/// What the sources include besides what hiprtc has built in.
enum class Includes { kBuiltIn, kOthers };

/// What option "engine" asks for; "auto": hiprtc where it is there, knows `arch` and has what is included, else Clang; where
/// there is no Clang, hiprtc all the same for headers that it may not have.
///
/// Errors: unavailable, with everything that was tried and what to install.
Result<CompilerChoice> choose_compiler(const Host& host, Engine engine, std::string_view arch,
                                       Includes includes = Includes::kBuiltIn);

/// The files behind a choice, for the identity of a toolchain. Starts no process.
Json identify(const CompilerChoice& choice);

/// A source unit, compiled.
struct Compiled {
  std::string code;
  std::string log = {};  // warnings
  std::string compiler = {};  // "hiprtc of HIP 5.2", "/usr/bin/clang++-19"
  std::vector<std::string> symbols = {};  // of the asked names, where the compiler says them
  std::vector<std::string> arguments = {};
};

/// Compiles `unit` for `arch`. `names` are those of the kernels that are name expressions.
///
/// Errors: compile_failed with the compiler's text as note "log".
Result<Compiled> compile(const CompilerChoice& choice, const SourceUnit& unit, const Settings& settings,
                         const BuildOptions& options, std::string_view arch, const std::vector<std::string>& names);

/// As `compile`, with hiprtc.
Result<Compiled> compile_with_hiprtc(const HiprtcLibrary& library, const SourceUnit& unit, const Settings& settings,
                                     const BuildOptions& options, std::string_view arch,
                                     const std::vector<std::string>& names);

}  // namespace kmux::hip
