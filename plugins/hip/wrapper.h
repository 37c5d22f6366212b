#pragma once

#include <string>

#include "kmux/artifact.h"
#include "kmux/error.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/plan.h"
#include "kmux/plugin/plugin.hpp"

#include "launch/device_code.h"

namespace kmux::hip {

/// Prints the launcher as C++, which `kmux export` compiles, before the device code is known. In this process, the
/// adapter executes the same plan without the text.
class HipWrapper final : public Wrapper {
 public:
  explicit HipWrapper(Host host) : host_(host) {}

  /// Returns the text of the launcher.
  ///
  /// Errors: invalid_argument for an unknown option or an invalid value.
  Result<std::string> wrap(const BuildRequest& request) override;

 private:
  Host host_;
};

/// The file with a launcher's device code, which the assembler includes; relative to the assembler's folder.
inline constexpr const char* kCodeFile = "kmux-code.hsaco";

/// Returns the launcher of `plan` as a separate unit: C++17 that requires only the standard library, not ROCm or kmux.
///
/// The program's part comes first: its body over `kmux_driver`, and `call` with the program's parameters and a
/// hipStream_t. The launch layer and the entry points follow, the same in every unit, then facts and code of the
/// program. The unit has `init`, `call` and `get_last_error` for any caller, and `kmux_standalone_...` for `kmux
/// export`. Its first run opens HIP's runtime: the library of KMUX_HIP_LIBRARY, else the loader's choice.
std::string launcher_text(const Plan& plan, const PlanFacts& facts);

/// Returns the parts of a library that runs `built` without kmux (Backend::standalone): `launcher.cpp`
/// (`launcher_text`), the device code, and the libraries to link.
///
/// Errors: invalid_argument for an incomplete artifact, or one of another backend.
Result<Artifact> standalone_of(const Artifact& built);

}  // namespace kmux::hip
