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

/// An architecture of NVIDIA's devices: sm_90a is {90, 'a'}. Suffix 'a' is code for that architecture alone, 'f' code
/// for its family (the same number of tens), none code for it and newer ones. A virtual one, compute_90, is PTX, which the
/// driver compiles when it is loaded.
struct Arch {
  int number = 0;
  char suffix = '\0';
  bool is_virtual = false;
  bool operator==(const Arch&) const = default;
};

/// "sm_90a", "compute_90".
std::string to_string(Arch arch);

/// Reads "sm_NN", "sm_NNa", "sm_NNf", and the same of "compute_", with a number of two or three digits; nothing for anything
/// else.
std::optional<Arch> parse_arch(std::string_view text);

/// A release of a CUDA compiler: 12.4.
struct Release {
  int major = 0;
  int minor = 0;
  auto operator<=>(const Release&) const = default;
};

/// Reads "12.4" and "12.4.127"; nothing for anything else.
std::optional<Release> parse_release(std::string_view text);

/// What a compiler of `release` makes for devices of `target` if it is older than they are: PTX of the newest architecture
/// that it knows. Nothing if it knows the target; later releases than 13.0 are taken to know what those up to it do not.
///
/// Source: the release notes of CUDA 12.0 to 13.0; `nvcc --list-gpu-arch`.
std::optional<Arch> forward_ptx(Arch target, Release release);

/// What code for a device of this compute capability is compiled for: with suffix 'a' from 9.0 on.
Arch arch_of_capability(int major, int minor);

/// What a multiprocessor of the architecture has for blocks, as kmux/kernel_attributes.h reads it; nothing where that is not
/// known.
///
/// Source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; cuda_occupancy.h of CUDA 13.0.
std::optional<Json> multiprocessor_of(Arch arch);

/// Does compiling for `target` keep a promise made for `wanted`? sm_90a: for it alone. sm_100f: for its family. sm_80:
/// for it and all newer ones.
bool satisfies(Arch target, Arch wanted);

/// Does a binary for `code` run on the device that `target` is compiled for? Of code without suffix the number of tens
/// must be the same, and the rest not greater. On all that a virtual one stands for, no binary does.
bool runs_on(Arch code, Arch target);

/// The order of code that fits a device, as to be compared: binary code before PTX, the newer the better, and of one architecture
/// that with more in it.
std::tuple<bool, int, int> rank(Arch arch);

/// The architecture of the device that a request is for; asked only where the request names none.
using DeviceArch = std::function<Result<Arch>()>;

/// The release of the compiler, if that can be told; asked only for architectures that not every compiler knows.
using CompilerRelease = std::function<std::optional<Release>()>;

/// The canonical target, `cuda:sm_90a`, for "auto", "cuda", "cuda:sm_90a", "sm_90a" and TileLang's forms of these, where
/// sm_90 and later ones without suffix mean "a".
///
/// With a `release` the backend can make PTX: "cuda:sm_90", "cuda:sm_90a" and "cuda:compute_90" are three targets, and for
/// devices newer than the compiler the target says what is compiled instead, `cuda:sm_100a,code=compute_90`. Without one
/// "cuda:sm_90" means sm_90a, too.
///
/// Errors: invalid_argument for another kind, architecture or attribute, with what backend `backend` takes; those of
///         `device_arch`.
Result<Target> resolve_cuda_target(std::string_view request, std::string_view backend, const DeviceArch& device_arch,
                                   const CompilerRelease& release = nullptr);

/// The architecture of a target that `resolve_cuda_target` gave.
///
/// Errors: invalid_argument if it is none.
Result<Arch> arch_of(const Target& target);

/// What sources are compiled for: attribute `code` of the target, else its architecture.
///
/// Errors: as `arch_of`.
Result<Arch> code_arch_of(const Target& target);

/// Why sources are compiled to PTX of `code` for devices of `target`, as a line for the log: "NVRTC 12.4 does not know ...".
std::string told_forward(std::string_view compiler, Arch target, Arch code);

/// The features of the launch layer: all but Metal's, by name.
const std::vector<std::string>& launch_features();

/// All that `backend`, which takes `dialects`, lacks for the request: its dialect, a feature, or what the target's architecture does not have;
/// and the variants that fit the target better (`kBetterFit`). Looks at the IR only.
std::vector<MissingFeature> missing_support(const BuildRequest& request, std::string_view backend,
                                            const std::vector<std::string>& dialects = {"cuda", "cubin", "ptx"});

/// The features of the variant's body that the target's architecture lacks. Looks at the IR only.
std::vector<MissingFeature> missing_on_arch(const BuildRequest& request);

}  // namespace kmux::nvidia
