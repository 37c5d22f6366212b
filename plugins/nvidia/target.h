#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/backend.h"
#include "kmux/target.h"

namespace kmux::nvidia {

/// An architecture of NVIDIA's devices: sm_90a is {90, 'a'}. Suffix 'a' is code for that architecture alone, 'f' code
/// for its family (the same number of tens), none code for it and newer ones.
struct Arch {
  int number = 0;
  char suffix = '\0';
  bool operator==(const Arch&) const = default;
};

/// "sm_90a".
std::string to_string(Arch arch);

/// Reads "sm_NN", "sm_NNa" or "sm_NNf" with a number of two or three digits; nothing for anything else.
std::optional<Arch> parse_arch(std::string_view text);

/// What code for a device of this compute capability is compiled for: with suffix 'a' from 9.0 on.
Arch arch_of_capability(int major, int minor);

/// Does compiling for `target` keep a promise made for `wanted`? sm_90a: for it alone. sm_100f: for its family. sm_80:
/// for it and all newer ones.
bool satisfies(Arch target, Arch wanted);

/// Does a binary for `code` run on the device that `target` is compiled for? Of code without suffix the number of tens
/// must be the same, and the rest not greater.
bool runs_on(Arch code, Arch target);

/// The architecture of the device that a request is for; asked only where the request names none.
using DeviceArch = std::function<Result<Arch>()>;

/// The canonical target, `cuda:sm_90a`, for "auto", "cuda", "cuda:sm_90", "sm_90a" and TileLang's forms of these. From
/// sm_90 on an architecture without suffix gets "a".
///
/// Errors: invalid_argument for another kind, architecture or attribute, with what backend `backend` takes; those of
///         `device_arch`.
Result<Target> resolve_cuda_target(std::string_view request, std::string_view backend, const DeviceArch& device_arch);

/// The architecture of a target that `resolve_cuda_target` gave.
///
/// Errors: invalid_argument if it is none.
Result<Arch> arch_of(const Target& target);

/// The features of the launch layer: all but Metal's, by name.
const std::vector<std::string>& launch_features();

/// All that `backend`, which takes `dialects`, lacks for the request: its dialect, a feature, or what the target's architecture does not have.
/// Looks at the IR only.
std::vector<MissingFeature> missing_support(const BuildRequest& request, std::string_view backend,
                                            const std::vector<std::string>& dialects = {"cuda", "cubin", "ptx"});

/// The features of the variant's body that the target's architecture lacks. Looks at the IR only.
std::vector<MissingFeature> missing_on_arch(const BuildRequest& request);

}  // namespace kmux::nvidia
