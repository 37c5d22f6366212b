#pragma once

#include <string>

#include "kmux/artifact.h"
#include "kmux/error.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/plan.h"
#include "kmux/plugin/plugin.hpp"

#include "launch/device_code.h"

namespace kmux::hip {

/// The launcher as C++ (launcher_text.h): what `kmux export` compiles, before the code is known. In this process the adapter
/// executes the same plan without it.
class HipWrapper final : public Wrapper {
 public:
  explicit HipWrapper(Host host) : host_(host) {}

  /// Errors: invalid_argument for an unknown option or a bad value.
  Result<std::string> wrap(const BuildRequest& request) override;

 private:
  Host host_;
};

/// The file that a launcher takes its code from when it is assembled, relative to where that is done.
inline constexpr const char* kCodeFile = "kmux-code.hsaco";

/// The launcher of `plan` as a unit of its own: C++17 that needs the standard library and nothing of ROCm or of kmux.
///
/// First comes the program's own part: its body over `kmux_driver`, and `call` with the program's parameters and a
/// hipStream_t. Then the launch layer and the entry points, the same in every unit; at the end facts and code of the
/// program. It has `init`, `call` and `get_last_error` for any caller, and `kmux_standalone_...` for `kmux export`. HIP's
/// runtime is opened when it first runs: what KMUX_HIP_LIBRARY names, else what the loader finds.
std::string launcher_text(const Plan& plan, const PlanFacts& facts);

/// What a library consists of that runs `built` without kmux (Backend::standalone): `launcher.cpp` (launcher_text.h), the
/// code beside it, and what to link.
///
/// Errors: invalid_argument for an artifact that backend hip did not make whole.
Result<Artifact> standalone_of(const Artifact& built);

}  // namespace kmux::hip
