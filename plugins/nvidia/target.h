#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kmux/error.h"
#include "kmux/json.h"
#include "kmux/plugin/backend.h"
#include "kmux/target.h"

namespace kmux::nvidia {

/// An architecture of NVIDIA's devices: sm_90a is {90, 'a'}. Code with suffix 'a' is for that architecture alone, with
/// 'f' for its family (the same tens), without suffix for it and newer ones. A virtual architecture, for example
/// compute_90, is PTX, which the driver compiles when it loads the code.
struct Arch {
  int number = 0;
  char suffix = '\0';
  bool is_virtual = false;
  bool operator==(const Arch&) const = default;
};

/// Returns the canonical name, for example "sm_90a" or "compute_90".
std::string to_string(Arch arch);

/// Parses "sm_NN", "sm_NNa", "sm_NNf", and the same with "compute_"; the number must have two or three digits. Returns
/// nothing for any other text.
std::optional<Arch> parse_arch(std::string_view text);

/// A release of a CUDA compiler, for example 12.4.
struct Release {
  int major = 0;
  int minor = 0;
  auto operator<=>(const Release&) const = default;
};

/// Parses "12.4" and "12.4.127". Returns nothing for any other text.
std::optional<Release> parse_release(std::string_view text);

/// Returns the virtual architecture that a compiler of `release` targets if it is older than `target`: the newest one
/// that it supports and whose PTX `target` accepts. Returns nothing if it supports `target`. Releases after 13.0 are
/// assumed to support every architecture that 13.0 lacks.
///
/// Source: the release notes of CUDA 12.0 to 13.0; `nvcc --list-gpu-arch`.
std::optional<Arch> forward_ptx(Arch target, Release release);

/// Returns the architecture for a device of this compute capability; with suffix 'a' from 9.0 on.
Arch arch_of_capability(int major, int minor);

/// Returns the resources of a multiprocessor, in the format that kmux/kernel_attributes.h reads. Returns nothing for an
/// unknown architecture.
///
/// Source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; cuda_occupancy.h of CUDA 13.0.
std::optional<Json> multiprocessor_of(Arch arch);

/// Returns true if code compiled for `target` meets the requirement `wanted`. sm_90a is met by itself alone, sm_100f by
/// its family, sm_80 by itself and all newer architectures.
bool satisfies(Arch target, Arch wanted);

/// Returns true if binary code for `code` runs on the device of `target`. Without suffix 'a', the tens must be equal
/// and the last digit not greater. Returns false for a virtual target, which no binary code covers.
bool runs_on(Arch code, Arch target);

/// Returns the preference among code that fits a device; the greatest value is the best. Binary code is before PTX, a
/// newer architecture before an older one, and of one architecture 'a' before 'f' before no suffix.
std::tuple<bool, int, int> rank(Arch arch);

/// Returns the architecture of the request's device; called only if the request names no architecture.
using DeviceArch = std::function<Result<Arch>()>;

/// Returns the release of the compiler, or nothing if it is unknown; called only for architectures that some compilers
/// lack.
using CompilerRelease = std::function<std::optional<Release>()>;

/// Returns the canonical target, `cuda:sm_90a`, for "auto", "cuda", "cuda:sm_90a", "sm_90a" and TileLang's forms of
/// these. In TileLang's forms sm_90 and later without suffix mean "a".
///
/// A non-null `release` states that the backend can make PTX: "cuda:sm_90", "cuda:sm_90a" and "cuda:compute_90" are
/// then three targets. For devices newer than the compiler, attribute `code` names the PTX:
/// `cuda:sm_100a,code=compute_90`. Without `release`, "cuda:sm_90" also means sm_90a.
///
/// Errors: invalid_argument for an unsupported kind, architecture or attribute, listing those of backend `backend`;
///         those of `device_arch`.
Result<Target> resolve_cuda_target(std::string_view request, std::string_view backend, const DeviceArch& device_arch,
                                   const CompilerRelease& release = nullptr);

/// Returns the architecture of a target that `resolve_cuda_target` returned.
///
/// Errors: invalid_argument if the architecture is invalid.
Result<Arch> arch_of(const Target& target);

/// Returns the architecture that sources are compiled for: attribute `code` of the target, else its architecture.
///
/// Errors: as `arch_of`.
Result<Arch> code_arch_of(const Target& target);

/// Returns a log line that explains why sources for `target` are compiled to PTX of `code`: "NVRTC 12.4 does not know
/// ...".
std::string told_forward(std::string_view compiler, Arch target, Arch code);

/// Returns the names of the features of the launch layer: all but Metal's.
const std::vector<std::string>& launch_features();

/// Returns the request's dialect and features that `backend`, which accepts `dialects`, or the target's architecture
/// lacks. Also returns the variants that fit the target better (`kBetterFit`). Reads the IR only.
std::vector<MissingFeature> missing_support(const BuildRequest& request, std::string_view backend,
                                            const std::vector<std::string>& dialects = {"cuda", "cubin", "ptx"});

/// Returns the features of the variant's body that the target's architecture lacks. Reads the IR only.
std::vector<MissingFeature> missing_on_arch(const BuildRequest& request);

}  // namespace kmux::nvidia
